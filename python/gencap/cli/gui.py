"""``gencap gui``: start the desktop application, a program of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import click

__all__ = ["gui_command"]

EPILOG = """\b
Examples:
  gencap gui
  gencap gui cells.csv
"""


@click.command("gui", epilog=EPILOG, short_help="Start the desktop application.")
@click.argument("file", metavar="[FILE]", required=False)
def gui_command(file: str | None) -> int:
    """Start the desktop application, with FILE open where one is given."""
    if importlib.util.find_spec("gencap_gui") is None:
        raise click.ClickException(
            "the desktop application is not installed; install it with: pip install gencap-gui, "
            "or in a checkout: make gui"
        )
    # Its own process: the library never loads Qt, and a crash of one does not end the other.
    started = [sys.executable, "-m", "gencap_gui", *([file] if file else [])]
    return subprocess.run(started, check=False).returncode
