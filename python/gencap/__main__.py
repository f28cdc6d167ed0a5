"""Run the command line with ``python -m gencap``."""

from gencap.cli import main

if __name__ == "__main__":
    main()
