"""Print the packages of one optional extra of pyproject.toml, so that pip can install them alone.

`pip install .[test]` would compile the Rust core again each time.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def packages(extra: str) -> list[str]:
    """Return the requirements of `extra` without spaces, ready for a shell."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    if extra not in extras:
        raise SystemExit(f"pyproject.toml has no extra {extra!r}; it has {', '.join(extras)}")
    return [requirement.replace(" ", "") for requirement in extras[extra]]


if __name__ == "__main__":
    print("\n".join(packages(sys.argv[1])))
