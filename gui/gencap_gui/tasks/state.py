"""What a running task tells, and the switches it obeys."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import gencap

__all__ = ["State"]


class State:
    """The link between a task and whoever runs it; safe to use from both threads.

    Parameters
    ----------
    listen : callable, optional
        Called on the task's thread with everything told, for tests and scripts.

    Examples
    --------
    >>> state = State()
    >>> state.tell("a")
    >>> state.tell(gencap.Progress(1, 4))
    >>> state.tell(gencap.Progress(2, 4))
    >>> state.take()
    ['a', Progress(done=2, total=4, message='', beta=None, energy=None, bits=None)]
    """

    def __init__(self, listen: Callable[[Any], object] | None = None) -> None:
        self._listen = listen
        self._lock = threading.Lock()
        self._go = threading.Event()
        self._go.set()
        self.cancelled = False
        self.control = gencap.Control(self.tell)
        self._told: deque[Any] = deque()
        self._progress: gencap.Progress | None = None

    def tell(self, item: Any) -> None:
        """Hand over a partial result; of progress only the newest is kept."""
        with self._lock:
            if isinstance(item, gencap.Progress):
                self._progress = item
            else:
                self._told.append(item)
        if self._listen is not None:
            self._listen(item)

    def take(self) -> list[Any]:
        """Return what was told since the last call, the newest progress last."""
        with self._lock:
            items = list(self._told)
            self._told.clear()
            if self._progress is not None:
                items.append(self._progress)
                self._progress = None
        return items

    def renew(self) -> gencap.Control:
        """Return a fresh control: one that a failed run used stays cancelled for good."""
        with self._lock:
            self.control = gencap.Control(self.tell)
            if self.paused:
                self.control.pause()
            if self.cancelled:
                self.control.cancel()
            return self.control

    @property
    def paused(self) -> bool:
        """Whether the task is held."""
        return not self._go.is_set()

    def pause(self) -> None:
        """Hold the task at its next step."""
        with self._lock:
            self._go.clear()
            self.control.pause()

    def resume(self) -> None:
        """Let it go on."""
        with self._lock:
            self._go.set()
            self.control.resume()

    def cancel(self) -> None:
        """Ask the task to end, also while it is paused."""
        with self._lock:
            self.cancelled = True
            self.control.cancel()
            self._go.set()
            self.control.resume()

    def check(self) -> None:
        """Raise `gencap.Cancelled` where the task should end; waits while it is paused."""
        self._go.wait()
        if self.cancelled:
            raise gencap.Cancelled("the computation was cancelled")
