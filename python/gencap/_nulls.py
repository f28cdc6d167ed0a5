"""Null calibrations: the same pipeline on twins of the data without clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray, check_choice, check_integer
from gencap.instances import Instances, Pair, check_edge_null, resample_together
from gencap.nulls import KINDS
from gencap.results import NullResult
from gencap.splits import FeatureSplits

__all__ = ["NullKinds", "calibrate", "check_null", "joint_p_value", "single_null"]

NullKinds: TypeAlias = str | Sequence[str] | None

# Without structure capacities are 0 up to rounding: such draws tie with the observed value.
ROUNDING = 1e-6
# A null that hardly varies is measured in this many bits instead of its own spread.
SMALLEST_SPREAD = 1e-3


def check_null(null: NullKinds) -> tuple[str, ...]:
    """Return the kinds of calibration that were asked for."""
    if null is None:
        return ()
    if isinstance(null, str):
        return KINDS if null == "both" else (check_choice(null, "null", (*KINDS, "both")),)
    return tuple(check_choice(kind, "null", KINDS) for kind in null)


def calibrate(
    statistics: Callable[[Any, Control], Sequence[float]],
    measured: Any,
    *,
    kinds: Sequence[str],
    draws: int,
    seed: int,
    threads: int,
    control: Control,
    edges: bool = False,
) -> dict[str, FloatArray]:
    """Draw twins of the measurements and send each through `statistics`.

    With `edges` the instances are similarities, and their edges are permuted.

    Returns
    -------
    dict of str to ndarray of shape (draws, number of statistics)
    """
    if not kinds:
        return {}
    if edges:
        for kind in kinds:
            check_edge_null(kind)
    draws = check_integer(draws, "null_draws")
    out: dict[str, FloatArray] = {}
    for kind in kinds:

        def job(draw: int, silent: Control, kind: str = kind) -> Sequence[float]:
            rng = np.random.default_rng([seed, KINDS.index(kind), draw])
            twin = _edge_twin(measured, rng) if edges else _twin(measured, kind, rng)
            return statistics(twin, silent)

        values = parallel_map(
            job, range(draws), threads=threads, control=control, message=f"{kind} null"
        )
        out[kind] = np.array(values, dtype=np.float64).reshape(draws, -1)
    return out


def single_null(kind: str, observed: float, draws: FloatArray) -> NullResult:
    """Return the calibration of one capacity."""
    return NullResult(kind, draws, joint_p_value(np.array([observed]), draws[:, None]))


def joint_p_value(observed: FloatArray, draws: FloatArray) -> float:
    """p-value of the largest standardized excess over several statistics.

    A continuum gains bits with every further cluster while real clusters saturate at their number:
    a common bar for all K would hide few, well separated clusters behind the finest section of a
    continuum. So every K is compared with the null at the same K, in units of the null's spread,
    and the largest excess is ranked among the draws' own largest excesses. Data and draws are
    standardized together and stay exchangeable: for data from the null itself the p-value is at
    most `a` with probability at most `a`, however many K were tried.
    """
    pooled = np.vstack([observed, draws])
    spread = np.maximum(pooled.std(axis=0), SMALLEST_SPREAD)
    excess = ((pooled - pooled.mean(axis=0)) / spread).max(axis=1)
    return (1 + int((excess[1:] >= excess[0] - ROUNDING).sum())) / len(pooled)


def _twin(measured: Any, kind: str, rng: np.random.Generator) -> Any:
    if isinstance(measured, Pair | Instances | FeatureSplits):
        return measured.resample(kind, rng)
    return resample_together(measured, kind, rng)


def _edge_twin(measured: Any, rng: np.random.Generator) -> list[Pair]:
    """Pairs whose edges are at random places, in each instance or before an instance is split."""
    pairs = measured.pairs() if hasattr(measured, "pairs") else measured
    return resample_together(list(pairs), "independent", rng, edges=True)
