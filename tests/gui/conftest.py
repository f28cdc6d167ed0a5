"""Nothing outlives a test: no thread, no running timer, no window."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gencap_gui.app import build
from gencap_gui.places import Places
from gencap_gui.widgets.main_window import MainWindow


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A folder of the test's own for settings and autosaves."""
    return Places(tmp_path / "home")


@pytest.fixture(autouse=True)
def nothing_outlives(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves threads, timers or windows behind."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    qapp: QApplication = request.getfixturevalue("qapp")
    threads = set(threading.enumerate())
    windows = set(map(id, qapp.topLevelWidgets()))
    yield
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        qapp.processEvents()
    gc.collect()
    left = [t.name for t in threading.enumerate() if t not in threads and not _is_dummy(t)]
    assert not left, f"threads outlive the test: {left}"
    objects = [one for one in gc.get_objects() if isinstance(one, QThread | QTimer)]
    alive = [one for one in objects if shiboken6.isValid(one)]
    running = [one for one in alive if isinstance(one, QThread) and one.isRunning()]
    assert not running, f"worker threads outlive the test: {running}"
    ticking = [one for one in alive if isinstance(one, QTimer) and one.isActive()]
    assert not ticking, f"timers outlive the test: {[t.parent() for t in ticking]}"
    extra = [w for w in qapp.topLevelWidgets() if id(w) not in windows and w.isVisible()]
    assert not extra, f"windows outlive the test: {extra}"


def _is_dummy(thread: threading.Thread) -> bool:
    """Python's name for a Qt thread that once ran Python; it cannot be joined or seen to end."""
    return isinstance(thread, threading._DummyThread)


@pytest.fixture
def window(qtbot: QtBot, places: Places) -> Iterator[MainWindow]:
    """A window on the screen; it may be closed while something runs."""
    made = build(places)
    made.confirm_stop = lambda: True  # type: ignore[method-assign]
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()
    made.deleteLater()
