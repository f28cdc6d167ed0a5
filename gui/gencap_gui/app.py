"""Build the application, wire it, start it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from gencap_gui import __version__
from gencap_gui.places import Places
from gencap_gui.smoke import run_smoke_test
from gencap_gui.widgets.main_window import MainWindow

__all__ = ["build", "main", "offer_recovery"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the application; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="gencap-gui", description="Watch clusters split and bits appear."
    )
    parser.add_argument("file", nargs="?", help="a table (CSV, TSV, NPY, ...) or a saved session")
    parser.add_argument("--version", action="version", version=f"gencap-gui {__version__}")
    parser.add_argument(
        "--smoke-test",
        action="store_true",
        help="open, load a sample, run a short annealing, draw every view, and exit",
    )
    chosen = parser.parse_args(arguments)
    app = make_application()
    if chosen.smoke_test:
        with tempfile.TemporaryDirectory() as folder:
            return run_smoke_test(app, Path(folder))
    window = build(Places.standard())
    window.show()
    # Only when the window stands is it time to ask and to open.
    QTimer.singleShot(0, window, lambda: _begin(window, chosen.file))
    return app.exec()


def make_application() -> QApplication:
    """Return the one application object, with its names set."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication([sys.argv[0]])
    app.setApplicationName("gencap-gui")
    app.setApplicationDisplayName("gencap")
    app.setOrganizationName("gencap")
    app.setApplicationVersion(__version__)
    return app


def build(places: Places) -> MainWindow:
    """Return the main window, not yet shown, with its autosave begun."""
    window = MainWindow(places)
    window.recovery.begin()
    return window


def _begin(window: MainWindow, file: str | None) -> None:
    if offer_recovery(window):
        return
    if file is not None:
        window.open_file(file)
    elif not window.places.settings().value("tour/taken", False, type=bool):
        window.start_tour()


def offer_recovery(window: MainWindow) -> bool:
    """Offer the last state of a program that did not end well; return whether it was taken."""
    leftovers = window.recovery.leftovers()
    if not leftovers:
        return False
    answer = QMessageBox.question(
        window,
        "Restore the last state?",
        "gencap did not end properly the last time. Restore what was open?",
        QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No,
        QMessageBox.StandardButton.Yes,
    )
    restored = answer == QMessageBox.StandardButton.Yes
    if restored:
        window.recover(leftovers[0])
    for leftover in leftovers[1:] if restored else leftovers:
        window.recovery.discard(leftover)
    return restored
