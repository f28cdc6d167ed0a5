"""``python -m gencap_gui``."""

from __future__ import annotations

import multiprocessing
import sys

from gencap_gui.app import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
