"""Run tasks on a thread of their own and tell the window about them, politely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QThread, QTimer, Signal

import gencap
from gencap_gui.tasks.state import State

__all__ = ["PERIOD_MS", "Worker"]

# At most 20 updates a second reach the window, however fast a task tells.
PERIOD_MS = 50


class _Thread(QThread):
    """Runs one function; what came of it is kept until somebody asks."""

    def __init__(self, work: Callable[[State], Any], state: State, parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self.state = state
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Do the work."""
        try:
            self.result = self._work(self.state)
        except BaseException as error:
            self.error = error


class Worker(QObject):
    """One task at a time, with a polite end.

    The signals of a task come in this order: `started`, `yielded` (a list, at most 20 a second),
    then one of `returned`, `errored` and `cancelled`, then `finished`.
    """

    started = Signal()
    yielded = Signal(list)
    returned = Signal(object)
    errored = Signal(object)
    cancelled = Signal()
    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: _Thread | None = None
        self._left: list[_Thread] = []
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self._pull)

    def start(self, work: Callable[[State], Any]) -> None:
        """Run `work(state)` on a new thread."""
        if self._thread is not None:
            raise RuntimeError("a task is running already; wait for it or cancel it")
        thread = _Thread(work, State(), self)
        self._thread = thread
        thread.finished.connect(lambda: self._ended(thread))
        self._timer.start()
        self.started.emit()
        thread.start()

    @property
    def is_running(self) -> bool:
        """Whether a task has started and not yet finished."""
        return self._thread is not None

    @property
    def is_paused(self) -> bool:
        """Whether the task is held."""
        return self._thread is not None and self._thread.state.paused

    def pause(self) -> None:
        """Hold the task at its next step."""
        if self._thread is not None:
            self._thread.state.pause()

    def resume(self) -> None:
        """Let a paused task go on."""
        if self._thread is not None:
            self._thread.state.resume()

    def cancel(self) -> None:
        """Ask the task to end; `cancelled` and `finished` follow."""
        if self._thread is not None:
            self._thread.state.cancel()

    def leave(self) -> None:
        """Cancel the task and go on without it: what it still does is ignored."""
        thread = self._thread
        if thread is None:
            return
        self.cancel()
        self._timer.stop()
        self._pull()
        self._thread = None
        if thread.isRunning():
            self._left.append(thread)
        self.cancelled.emit()
        self.finished.emit()

    def wait(self, milliseconds: int = 30_000) -> bool:
        """Block until every thread has ended, at most so long; for closing only."""
        threads = [*self._left, *([self._thread] if self._thread is not None else [])]
        return all([thread.wait(milliseconds) for thread in threads])

    def _pull(self) -> None:
        if self._thread is not None:
            items = self._thread.state.take()
            if items:
                self.yielded.emit(items)

    def _ended(self, thread: _Thread) -> None:
        if thread is not self._thread:
            self._left = [one for one in self._left if one is not thread]
            thread.deleteLater()
            return
        self._timer.stop()
        self._pull()
        self._thread = None
        error, result = thread.error, thread.result
        thread.deleteLater()
        if isinstance(error, gencap.Cancelled):
            self.cancelled.emit()
        elif error is not None:
            self.errored.emit(error)
        else:
            self.returned.emit(result)
        # A listener may have started the next task, whose own end is then to come.
        self.finished.emit()
