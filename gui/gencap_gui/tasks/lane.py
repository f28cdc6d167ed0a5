"""Small jobs one after the other; a newer job of the same name replaces a waiting older one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from gencap_gui.tasks.state import State
from gencap_gui.tasks.worker import Worker

__all__ = ["Lane"]

Job = tuple[Callable[[State], Any], Callable[[Any], object] | None]


class Lane(QObject):
    """A queue in front of a worker.

    `failed` carries the name of a job and its exception, `idle` tells that nothing is left to do.
    """

    failed = Signal(str, object)
    idle = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.worker = Worker(self)
        self._waiting: OrderedDict[str, Job] = OrderedDict()
        self._name = ""
        self._done: Callable[[Any], object] | None = None
        self.worker.returned.connect(self._returned)
        self.worker.errored.connect(self._errored)
        self.worker.finished.connect(self._next)

    def submit(
        self,
        name: str,
        work: Callable[[State], Any],
        done: Callable[[Any], object] | None = None,
    ) -> None:
        """Queue `work(state)`; `done(result)` is called on this thread."""
        self._waiting.pop(name, None)
        self._waiting[name] = (work, done)
        if not self.worker.is_running:
            self._next()

    def drop(self, *names: str) -> None:
        """Forget waiting jobs by name, and leave the running one if it is among them."""
        for name in names:
            self._waiting.pop(name, None)
        if self._name in names and self.worker.is_running:
            self.worker.leave()

    @property
    def is_busy(self) -> bool:
        """Whether a job runs or waits."""
        return self.worker.is_running or bool(self._waiting)

    @property
    def current(self) -> str:
        """Name of the running job."""
        return self._name if self.worker.is_running else ""

    def close(self) -> None:
        """Forget what waits and end what runs."""
        self._waiting.clear()
        self.worker.cancel()

    def _next(self) -> None:
        if self.worker.is_running:
            return
        if not self._waiting:
            self._name = ""
            self.idle.emit()
            return
        self._name, (work, self._done) = self._waiting.popitem(last=False)
        self.worker.start(work)

    def _returned(self, result: Any) -> None:
        if self._done is not None:
            self._done(result)

    def _errored(self, error: object) -> None:
        self.failed.emit(self._name, error)
