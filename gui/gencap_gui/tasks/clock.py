"""How far an analysis has come and how long it will still take."""

from __future__ import annotations

import time
from dataclasses import dataclass

import gencap

__all__ = ["Clock", "RunProgress"]


@dataclass(frozen=True)
class RunProgress:
    """How far the analysis has come: share done, seconds left (None: not known yet), words."""

    share: float
    seconds_left: float | None
    text: str


class Clock:
    """Estimates the time left from the share done; pauses do not count."""

    def __init__(self) -> None:
        self._total = 1
        self._index = 0
        self._within = 0.0
        self._began = self._held = 0.0
        self._paused_at: float | None = None

    def start(self, total: int) -> None:
        """Begin an analysis of `total` runs."""
        self._total, self._index, self._within = max(1, total), 0, 0.0
        self._began, self._held, self._paused_at = time.monotonic(), 0.0, None

    def begin(self, index: int) -> None:
        """Begin the run number `index`."""
        self._index, self._within = index, 0.0

    def within(self, progress: gencap.Progress) -> None:
        """Take in what a run tells of itself."""
        share = progress.done / progress.total if progress.total else 0.0
        # A run has several phases that count from 0 each; the bar never goes back.
        self._within = max(self._within, min(share, 1.0))

    def pause(self) -> None:
        """Stop counting time."""
        self._paused_at = time.monotonic()

    def resume(self) -> None:
        """Count time again."""
        if self._paused_at is not None:
            self._held += time.monotonic() - self._paused_at
            self._paused_at = None

    def value(self, text: str) -> RunProgress:
        """Return where things stand."""
        share = min(1.0, (self._index + self._within) / self._total)
        spent = time.monotonic() - self._began - self._held
        left = spent * (1.0 - share) / share if share > 0.02 and spent > 0.5 else None
        return RunProgress(share, left, text)
