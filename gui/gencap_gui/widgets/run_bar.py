"""Start, pause and stop, with progress and the time that is left."""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from gencap_gui.tasks.clock import RunProgress
from gencap_gui.widgets.fields import described

__all__ = ["RunBar", "time_words"]

FULL = 1000


def time_words(seconds: float) -> str:
    """Return a duration as people say it.

    Examples
    --------
    >>> time_words(4), time_words(75), time_words(7400)
    ('4 s', '1 min 15 s', '2 h 3 min')
    """
    whole = max(0, math.ceil(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class RunBar(QWidget):
    """Buttons and progress of an analysis."""

    runRequested = Signal()
    pauseRequested = Signal()
    resumeRequested = Signal()
    stopRequested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._state = "idle"
        self._ready = False
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        self.run = described(
            QPushButton("Run"), "Run the analysis", "Start with the settings on the left (F5)"
        )
        self.run.setObjectName("primary")
        self.pause = described(
            QPushButton("Pause"), "Pause or resume", "Hold the analysis, or let it go on (F6)"
        )
        self.stop = described(
            QPushButton("Stop"), "Stop the analysis", "End it; results so far stay (Shift+F5)"
        )
        self.bar = QProgressBar()
        self.bar.setRange(0, FULL)
        self.bar.setAccessibleName("Progress of the analysis")
        self.text = QLabel()
        self.text.setAccessibleName("What is being computed")
        self.left = QLabel()
        self.left.setAccessibleName("Remaining time")
        for widget in (self.run, self.pause, self.stop):
            layout.addWidget(widget)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.left)
        layout.addWidget(self.text, 1)
        self.run.clicked.connect(self.runRequested)
        self.pause.clicked.connect(self._pause_clicked)
        self.stop.clicked.connect(self.stopRequested)
        self.set_state("idle")

    def set_ready(self, ready: bool) -> None:
        """Tell whether there is something to run."""
        self._ready = ready
        self.set_state(self._state)

    def set_state(self, state: str) -> None:
        """Show "idle", "running" or "paused"."""
        self._state = state
        busy = state != "idle"
        self.run.setEnabled(self._ready and not busy)
        self.pause.setEnabled(busy)
        self.stop.setEnabled(busy)
        self.pause.setText("Resume" if state == "paused" else "Pause")
        self.left.setVisible(busy)
        self.bar.setTextVisible(busy)
        if not busy:
            self.bar.setValue(0)
            self.left.clear()
            self.text.setText("Ready" if self._ready else "Open data to begin")
        elif state == "paused":
            self.left.setText("paused")

    def set_progress(self, progress: RunProgress) -> None:
        """Show how far the analysis has come."""
        self.bar.setValue(round(progress.share * FULL))
        self.text.setText(progress.text)
        self.text.setToolTip(progress.text)
        if self._state == "paused":
            return
        left = progress.seconds_left
        self.left.setText("" if left is None else f"{time_words(left)} left")

    def _pause_clicked(self) -> None:
        (self.resumeRequested if self._state == "paused" else self.pauseRequested).emit()
