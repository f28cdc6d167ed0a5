"""Several splits make one number: curves on one grid, their mean, its maximum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap._validation import FloatArray
from gencap.capacity import PLATEAU
from gencap.comparison.tasks import Outcome
from gencap.results import Curve

__all__ = ["Combined", "combine"]


@dataclass(frozen=True, eq=False)
class Combined:
    """A candidate at one number of clusters and one shift, over all its splits."""

    raw_bits: float
    beta: float
    effective: float
    shift: float
    curve: Curve | None
    splits: tuple[int, ...]
    raw_per_split: FloatArray
    seconds: float

    @property
    def bits(self) -> float:
        """Capacity, at least 0."""
        return max(0.0, self.raw_bits)

    @property
    def bits_sd(self) -> float:
        """Spread of the single splits' capacities; NaN with one split."""
        if len(self.raw_per_split) < 2:
            return float("nan")
        return float(np.maximum(self.raw_per_split, 0.0).std(ddof=1))


def combine(k: int, outcomes: Sequence[Outcome], splits: Sequence[int], heats: bool) -> Combined:
    """Average the curves of all splits, then take the maximum (Eq. 46)."""
    runs = [outcome.run(k) for outcome in outcomes]
    raw = np.array([run["raw"] for run in runs])
    shared: dict[str, Any] = {
        "shift": float(np.mean([outcome.shift for outcome in outcomes])),
        "splits": tuple(splits),
        "raw_per_split": raw,
        "seconds": float(np.mean([_seconds(k, outcome) for outcome in outcomes])),
    }
    if f"beta {k}" not in outcomes[0].arrays:
        effective = float(np.mean([run["effective"] for run in runs]))
        return Combined(float(raw.mean()), float("nan"), effective, curve=None, **shared)
    curve = mean_curve(k, outcomes)
    best = int(np.argmax(curve.bits))
    top = float(curve.bits[best])
    # As in `capacity`: where nothing disagrees the curve is flat, and the optimum its beginning.
    if top > 0 and top - curve.bits[-2:].min() < PLATEAU and not heats:
        best = int(np.argmax(curve.bits > top - PLATEAU))
    at = float(curve.beta[best]), float(curve.n_clusters[best])
    return Combined(top, *at, curve=curve, **shared)


def mean_curve(k: int, outcomes: Sequence[Outcome]) -> Curve:
    """Average the curves of one K over splits, each linear in ln(beta) between its points.

    The mean is then linear between the points of all curves together: its maximum is at one of
    them, and a single curve stays exactly what it is.
    """
    tables = [outcome.arrays for outcome in outcomes]
    grid = np.unique(np.concatenate([table[f"beta {k}"] for table in tables]))
    agreement = np.mean(
        [_extended(table[f"beta {k}"], table[f"agreement {k}"], grid) for table in tables], axis=0
    )
    entropy, effective = (
        np.mean([_at(table[f"beta {k}"], table[f"{name} {k}"], grid) for table in tables], axis=0)
        for name in ("entropy", "effective")
    )
    return Curve(grid, entropy + agreement, entropy, agreement, effective)


def _at(beta: FloatArray, values: FloatArray, grid: FloatArray) -> FloatArray:
    if len(beta) == len(grid):
        return values
    return np.interp(np.log(grid), np.log(beta), values)


def _extended(beta: FloatArray, values: FloatArray, grid: FloatArray) -> FloatArray:
    """Continue a curve that ended with hard assignments by its last slope in beta.

    ln sum_k P1 P2 of an object on which the instances disagree falls linearly in beta, all others
    stay.
    """
    found = np.array(_at(beta, values, grid))
    beyond = grid > beta[-1]
    if len(values) > 1 and beyond.any():
        slope = min(0.0, float((values[-1] - values[-2]) / (beta[-1] - beta[-2])))
        found[beyond] = values[-1] + slope * (grid[beyond] - beta[-1])
    return found


def _seconds(k: int, outcome: Outcome) -> float:
    """Divide the seconds of a family over its numbers of clusters, by sweeps and potentials."""
    work = [run["k"] * max(1, run["sweeps"]) for run in outcome.runs]
    mine = next(w for w, run in zip(work, outcome.runs, strict=True) if run["k"] == k)
    return float(outcome.seconds * mine / sum(work))
