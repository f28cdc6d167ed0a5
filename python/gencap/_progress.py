"""Progress as data, and the handle that pauses or cancels a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gencap import _core
from gencap._core import Cancelled

__all__ = ["Cancelled", "Control", "Progress", "ProgressCallback", "as_control"]


@dataclass(frozen=True)
class Progress:
    """What a running computation tells about itself.

    Parameters
    ----------
    done, total : int
        Units of work finished and in all; `total` is 0 while unknown.
    message : str
        What is being done, for a person.
    beta : float or None
        Current inverse temperature.
    energy : float or None
        Current cost.
    bits : float or None
        Current capacity estimate, in bits per object.
    """

    done: int
    total: int
    message: str = ""
    beta: float | None = None
    energy: float | None = None
    bits: float | None = None


ProgressCallback: TypeAlias = Callable[[Progress], object]


class Control:
    """A progress callback that can also pause, resume and cancel the run it is given to.

    Pass it as ``progress=``. The methods may be called from any thread.

    Parameters
    ----------
    on_progress : callable, optional
        Receives a `Progress` value on the caller's thread; raising from it cancels the run.

    Examples
    --------
    >>> import gencap
    >>> control = gencap.Control(lambda progress: None)
    >>> control.cancel()
    >>> control.cancelled
    True
    """

    def __init__(self, on_progress: ProgressCallback | None = None) -> None:
        self.on_progress = on_progress
        self.switches = _core.Switches()

    def __call__(self, progress: Progress) -> None:
        """Hand `progress` to the callback; raise `Cancelled` after `cancel`."""
        if self.switches.cancelled:
            raise Cancelled("the computation was cancelled")
        if self.on_progress is not None:
            self.on_progress(progress)

    def pause(self) -> None:
        """Hold the run at its next step."""
        self.switches.set_paused(True)

    def resume(self) -> None:
        """Let a paused run go on."""
        self.switches.set_paused(False)

    def cancel(self) -> None:
        """Stop the run; it raises `Cancelled`."""
        self.switches.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self.switches.cancelled

    @property
    def paused(self) -> bool:
        """Whether the run is held."""
        return self.switches.paused

    def report(self, message: str) -> _core.Report:
        """Return the callable that the compiled core reports its counters to."""

        def heard(done: int, total: int, beta: float, energy: float) -> None:
            self(
                Progress(
                    done,
                    total,
                    message,
                    None if math.isnan(beta) else beta,
                    None if math.isnan(energy) else energy,
                )
            )

        return heard


def as_control(progress: ProgressCallback | Control | None) -> Control:
    """Wrap a plain callback (or nothing) so that every run has one kind of handle."""
    return progress if isinstance(progress, Control) else Control(progress)
