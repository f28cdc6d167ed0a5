"""The smoke test: open, load a sample, run a short annealing, draw every view, end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gencap_gui.commands import SetAnnealing, SetClusters, SetModels
from gencap_gui.places import Places
from gencap_gui.settings import AnnealingChoice, ClusterRange, ModelChoice
from gencap_gui.widgets.main_window import MainWindow

__all__ = ["run_smoke_test", "wait_for"]

PATIENCE_MS = 120_000


def wait_for(signal: Any, begin: Callable[[], object], until: Callable[[], bool]) -> bool:
    """Call `begin`, then let events pass until the condition holds after a signal."""
    loop = QEventLoop()
    timer = QTimer()
    timer.setSingleShot(True)
    timer.timeout.connect(lambda: loop.exit(1))
    timer.start(PATIENCE_MS)

    def check(*_: object) -> None:
        if until():
            loop.exit(0)

    signal.connect(check)
    begin()
    failed = 0 if until() else loop.exec()
    signal.disconnect(check)
    timer.stop()
    return not failed


def run_smoke_test(app: QApplication, folder: Path) -> int:
    """Return 0 where everything could be drawn, else 1 with a word on stderr."""
    window = MainWindow(Places(folder))
    window.show()
    try:
        problem = _exercise(app, window, folder)
    finally:
        window.controller.stop()
        window.close()
        window.deleteLater()
        app.processEvents()
    if problem:
        print(f"smoke test: {problem}", file=sys.stderr)
        return 1
    print("smoke test: every view was drawn")
    return 0


def _exercise(app: QApplication, window: MainWindow, folder: Path) -> str:
    control = window.controller

    def has_scene() -> bool:
        return control.results.projection is not None

    if not wait_for(control.resultsChanged, lambda: window.open_sample("iris"), has_scene):
        return "the sample could not be loaded"
    control.do(SetModels(ModelChoice(("centroid", "pairwise"), ("euclidean",))))
    control.do(SetClusters(ClusterRange(2, 3)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=12)))
    if not wait_for(control.ended, control.run, lambda: not control.is_running):
        return "the analysis did not end"
    if len(control.results.runs) != 4 or not all(r.finished for r in control.results.runs.values()):
        return "runs are missing"
    done = lambda: control.results.labels is not None  # noqa: E731
    if not wait_for(control.resultsChanged, lambda: None, done):
        return "the details of the best run are missing"
    for name, view in window.workbench.views.items():
        window.workbench.show_view(name)
        app.processEvents()
        if view.grab().isNull():
            return f"{name} was not drawn"
        for suffix in ("png", "svg", "csv"):
            path = folder / f"{name}.{suffix}"
            view.export(path)
            if not path.stat().st_size:
                return f"{name} was not exported as {suffix}"
        if view.table().empty:
            return f"{name} has no table"
    return ""
