"""Which cluster each object belongs to at a temperature; plain Python, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gencap_gui.plots._runs import nearest_step
from gencap_gui.session import LivePoint, RunResult

__all__ = ["Assignment", "assignment_at"]

NOT_KEPT = (
    "Assignments of other temperatures were not kept for this run, so the slider rests at the "
    "optimum."
)


@dataclass(frozen=True, eq=False)
class Assignment:
    """Color number and probability of every object (None: unknown), and what to say about it."""

    labels: NDArray[Any] | None
    confidence: NDArray[Any] | None
    scrubs: bool
    notes: tuple[str, ...] = ()


def assignment_at(
    run: RunResult, live: Sequence[LivePoint], step: int | None, beta: NDArray[np.float64]
) -> Assignment:
    """Return the assignment at one temperature of a run.

    Parameters
    ----------
    run : RunResult
        The run.
    live : sequence of LivePoint
        Its live points.
    step : int or None
        Index into `beta`; None where there is no temperature.
    beta : ndarray of shape (T,)
        Inverse temperatures of the curve.
    """
    notes = (run.note,) if run.note else ()
    at_best = step is None or step == run.best_step
    if run.labels is not None and (at_best or run.label_path is None):
        kept = run.label_path is not None
        extra = () if kept or notes or step is None else (NOT_KEPT,)
        return Assignment(run.labels, run.confidence, kept, notes + extra)
    if run.label_path is not None and step is not None:
        path = run.label_path
        at = nearest_step(path.beta, float(beta[step]))
        return Assignment(path.labels[at], path.confidence[at], True, notes)
    known = [p for p in live if p.labels is not None]
    if known and step is not None and step < len(beta):
        point = min(known, key=lambda p: abs(np.log(p.beta) - np.log(beta[step])))
        return Assignment(point.labels, point.confidence, True, notes)
    return Assignment(None, None, False, notes)
