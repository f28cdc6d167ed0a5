"""The command line: ``gencap demo | compare | capacity | transfer | resolution | ...``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gencap.cli._commands import app

__all__ = ["app", "main"]

CANCELLED = 130


def main() -> None:
    """Run the command line of this process; Ctrl-C is heard while it still loads, too."""
    try:
        from gencap.cli._app import run
        from gencap.cli._commands import app

        run(app)
    except KeyboardInterrupt:
        print("Cancelled", file=sys.stderr)
        sys.exit(CANCELLED)


def __getattr__(name: str) -> Any:
    # The commands and what they import are loaded when needed: `main` must be there before them.
    if name == "app":
        from gencap.cli._commands import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
