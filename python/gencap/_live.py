"""Temperatures handed to a callback while a pair of instances is annealed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from gencap._validation import FloatArray, IntArray
from gencap.results import LiveStep

__all__ = ["LiveCallback", "Stream", "stream_for"]

LiveCallback = Callable[[LiveStep], object]


class Stream:
    """Brings the steps of one run to a callback on the thread that made the stream.

    A run on that very thread calls through; one on a worker thread leaves its steps in a queue,
    which `drain` empties.
    """

    def __init__(self, callback: LiveCallback, *, probabilities: bool = False) -> None:
        self._callback = callback
        self._probabilities = probabilities
        self._home = threading.get_ident()
        self._waiting: SimpleQueue[LiveStep] = SimpleQueue()

    @property
    def watcher(self) -> tuple[Callable[..., None], bool]:
        """What the compiled core is given: who hears, and whether with probabilities."""
        return self._hear, self._probabilities

    def _hear(
        self,
        beta: float,
        agreement: float,
        entropy: float,
        n_clusters: int,
        masses: FloatArray,
        groups: IntArray,
        centroids: FloatArray | None,
        probabilities: FloatArray | None,
    ) -> None:
        step = LiveStep(
            beta=beta,
            bits=entropy + agreement,
            entropy=entropy,
            agreement=agreement,
            n_clusters=n_clusters,
            masses=masses,
            groups=groups,
            centroids=centroids,
            probabilities=probabilities,
        )
        if threading.get_ident() == self._home:
            self._callback(step)
        else:
            self._waiting.put(step)

    def drain(self) -> None:
        """Call the callback for everything that waits."""
        while True:
            try:
                step = self._waiting.get_nowait()
            except Empty:
                return
            self._callback(step)


def stream_for(live: Any, *, probabilities: bool) -> Stream | None:
    """Return the stream to `live`; None where nobody asked for one."""
    if live is None:
        return None
    if not callable(live):
        raise TypeError(
            f"live must be a callable that takes a gencap.LiveStep: got {type(live).__name__}"
        )
    return Stream(live, probabilities=probabilities)
