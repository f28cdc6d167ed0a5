"""Null calibrations: the same pipeline on twins of the data without clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import check_choice, check_integer
from gencap.instances import Instances, Pair
from gencap.nulls import KINDS, permute_edges
from gencap.results import NullResult
from gencap.splits import FeatureSplits

__all__ = ["NullKinds", "calibrate", "check_null"]

NullKinds: TypeAlias = str | Sequence[str] | None


def check_null(null: NullKinds) -> tuple[str, ...]:
    """Return the kinds of calibration that were asked for."""
    if null is None:
        return ()
    if isinstance(null, str):
        return KINDS if null == "both" else (check_choice(null, "null", (*KINDS, "both")),)
    return tuple(check_choice(kind, "null", KINDS) for kind in null)


def calibrate(
    statistic: Callable[[Any, Control], float],
    measured: Any,
    *,
    observed: float,
    kinds: Sequence[str],
    draws: int,
    seed: int,
    threads: int,
    control: Control,
    edges: bool = False,
) -> dict[str, NullResult]:
    """Draw twins of the measurements and send each through `statistic`.

    The p-value counts the observed value among the draws, so that it is never 0 and, for data from
    the null itself, at most `a` with probability at most `a`. With `edges` the instances are
    similarities and their edges are permuted.
    """
    if edges and "gaussian" in kinds:
        raise ValueError(
            "null 'gaussian' needs vectors: given similarities have no covariance to keep; "
            "use null='independent', which permutes the edges"
        )
    draws = check_integer(draws, "null_draws")
    out: dict[str, NullResult] = {}
    for kind in kinds:

        def job(draw: int, silent: Control, kind: str = kind) -> float:
            rng = np.random.default_rng([seed, KINDS.index(kind), draw])
            twin = _edge_twin(measured, rng) if edges else _twin(measured, kind, rng)
            return statistic(twin, silent)

        values = np.array(
            parallel_map(
                job,
                range(draws),
                threads=threads,
                control=control,
                message=f"{kind} null",
            )
        )
        p_value = (1 + int((values >= observed).sum())) / (1 + draws)
        out[kind] = NullResult(kind, values, p_value)
    return out


def _twin(measured: Any, kind: str, rng: np.random.Generator) -> Any:
    if isinstance(measured, Pair | Instances | FeatureSplits):
        return measured.resample(kind, rng)
    return [pair.resample(kind, rng) for pair in measured]


def _edge_twin(measured: Any, rng: np.random.Generator) -> list[Pair]:
    """Pairs whose edges are permuted, in each instance by itself."""
    pairs = measured.pairs() if hasattr(measured, "pairs") else measured
    return [Pair(permute_edges(p.first, rng), permute_edges(p.second, rng)) for p in pairs]
