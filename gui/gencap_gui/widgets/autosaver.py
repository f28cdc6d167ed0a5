"""Save the session after every change, off the window's thread."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from gencap_gui.controller import Controller
from gencap_gui.files import collect, write_session
from gencap_gui.recovery import Recovery

__all__ = ["Autosaver"]

DELAY_MS = 800


class Autosaver(QObject):
    """Waits for a moment of calm after a change, then writes; `saved` tells when it is done."""

    saved = Signal()

    def __init__(self, controller: Controller, recovery: Recovery, parent: QObject) -> None:
        super().__init__(parent)
        self._controller, self._recovery = controller, recovery
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.save_now)
        controller.documentChanged.connect(self._changed)
        controller.ended.connect(self._changed)
        controller.runFinished.connect(self._changed)

    def _changed(self, *_: object) -> None:
        # A timer that runs goes on: constant changes must not put the save off for ever.
        if not self._timer.isActive():
            self._timer.start()

    def save_now(self) -> None:
        """Write in the background what there is at this moment."""
        if not self._recovery.has_begun or not self._controller.history.entries:
            return
        saved = self._controller.saved_session()
        frozen = collect(saved.history, saved.results, saved.tables)
        path = self._recovery.path
        self._controller.side.submit(
            "autosave",
            lambda _: write_session(path, frozen, paths=False),
            lambda _: self.saved.emit(),
        )

    def stop(self) -> None:
        """Save no more."""
        self._timer.stop()
