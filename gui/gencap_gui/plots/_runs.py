"""What a view shows of a run: which run, which temperature, which color; plain Python, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gencap_gui.methods import title_of
from gencap_gui.session import (
    CenterPaths,
    LivePoint,
    Results,
    RunKey,
    RunResult,
    Selection,
)

__all__ = [
    "Series",
    "nearest_step",
    "object_name",
    "paths_of",
    "run_words",
    "series_of",
    "shown_key",
    "shown_step",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Series:
    """The capacity curve as drawn: final, or provisional while the run lasts."""

    beta: FloatArray
    bits: FloatArray
    entropy: FloatArray
    agreement: FloatArray
    n_clusters: FloatArray
    final: bool

    def __len__(self) -> int:
        return len(self.beta)


def run_words(key: RunKey) -> str:
    """Return a run for people.

    Examples
    --------
    >>> run_words(RunKey("ratio_cut", "cosine", 4))
    'Adaptive Ratio Cut, Cosine, K = 4'
    """
    return f"{title_of(key.model, key.measure)}, K = {key.n_clusters}"


def object_name(results: Results, index: int) -> str:
    """Return the name of an object, or its number counted from 1."""
    if results.names is not None and 0 <= index < len(results.names):
        return str(results.names[index])
    return f"object {index + 1}"


def shown_key(results: Results, selection: Selection) -> RunKey | None:
    """Return the selected run; without one the current, the running, or the last one."""
    for key in (selection.run, results.current, results.running):
        if key is not None and key in results.runs:
            return key
    return next(reversed(list(results.runs)), None)


def series_of(run: RunResult, live: Sequence[LivePoint]) -> Series | None:
    """Return the curve of a run: the final one, else what its live points tell so far."""
    if run.curve is not None:
        c = run.curve
        counts = np.asarray(c.n_clusters, dtype=np.float64)
        return Series(c.beta, c.bits, c.entropy, c.agreement, counts, final=run.finished)
    if not live:
        return None
    rows = [(p.beta, p.bits, p.entropy, p.agreement, p.n_clusters) for p in live]
    beta, bits, entropy, agreement, counts = np.array(rows, dtype=np.float64).T
    return Series(beta, bits, entropy, agreement, counts, final=False)


def paths_of(run: RunResult, live: Sequence[LivePoint]) -> CenterPaths | None:
    """Return the centers along the annealing: final, else as far as the run has come.

    Group numbers are colors in both: a branch keeps its number from one temperature to the next.
    """
    if run.paths is not None:
        return run.paths
    points = [(p, p.centers) for p in live]
    known = [(p, c) for p, c in points if c is not None and len(c) == len(p.groups)]
    if not known:
        return None
    width = len(known[-1][0].groups)
    known = [(p, c) for p, c in known if len(p.groups) == width]
    return CenterPaths(
        beta=np.array([p.beta for p, _ in known]),
        coordinates=np.stack([c for _, c in known]),
        groups=np.stack([p.groups for p, _ in known]),
        masses=np.stack([p.masses for p, _ in known]),
    )


def shown_step(run: RunResult, selection: Selection, n_steps: int) -> int | None:
    """Return the temperature to show: the selected one, else the optimum, else the newest."""
    if n_steps == 0:
        return None
    if selection.step is not None:
        return min(max(selection.step, 0), n_steps - 1)
    if run.best_step is not None:
        return min(run.best_step, n_steps - 1)
    return n_steps - 1


def nearest_step(beta: FloatArray, value: float) -> int:
    """Return the index of the inverse temperature closest to `value` by ratio."""
    if value <= 0 or not np.all(beta > 0):
        return int(np.argmin(np.abs(beta - value)))
    return int(np.argmin(np.abs(np.log(beta) - np.log(value))))
