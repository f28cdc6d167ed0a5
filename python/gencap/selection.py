"""How many clusters? Capacity against K, and the choice it suggests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from gencap._mismatch import warn_of_mismatch
from gencap._nulls import NullKinds, calibrate, check_null, joint_p_value, single_null
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import FloatArray, check_integer, check_n_jobs, check_seed
from gencap.capacity import (
    Measurements,
    as_measurements,
    is_edgewise,
    measure,
    model_seed,
    pairs_of,
)
from gencap.models import AnnealedClusterer
from gencap.results import Capacity, NullResult, Order

__all__ = ["best_order", "select_order"]

# Differences below this are not worth another cluster.
TOLERANCE = 0.01


def select_order(
    model: Any,
    pair: Measurements,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    coupling: str = "auto",
    null: NullKinds = None,
    null_draws: int = 99,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Order:
    """Measure the capacity for several numbers of clusters and choose one.

    The choice is the smallest K within max(0.01 bit, one standard deviation over pairs) of the
    best; 1 where no K >= 2 has positive capacity.

    Parameters
    ----------
    model : estimator
        A gencap model or any scikit-learn clusterer with a parameter `n_clusters`.
    pair : Pair, Instances, FeatureSplits or list of Pair
        The measurements; several pairs give error bars.
    n_clusters : iterable of int
        The numbers to try.
    coupling, random_state, n_jobs, progress
        As in `capacity`.
    null : None, "independent", "gaussian", "both" or a sequence of kinds
        Calibrations of the choice. Every draw is measured at all K; the data's largest excess over
        the null at the same K, in units of the null's spread, is ranked among the draws' own.
        Having tried many K thus does not make the answer look more certain than it is. Given
        similarities have "independent" only.
    null_draws : int
        Draws per calibration.

    Returns
    -------
    Order

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=300, variance=1.0, random_state=0)
    >>> model = gencap.CentroidClustering(random_state=0)
    >>> order = gencap.select_order(model, data.pair, range(1, 7))
    >>> order.best, order.bits.round(1)[4]
    (4, np.float64(2.0))
    """
    control, threads = as_control(progress), check_n_jobs(n_jobs)
    seed = check_seed(model_seed(model) if random_state is None else random_state)
    measured, kinds = as_measurements(pair), check_null(null)
    numbers = sorted({check_integer(k, "n_clusters") for k in n_clusters})
    if not numbers:
        raise ValueError("n_clusters must name at least one number of clusters: got none")
    if isinstance(model, AnnealedClusterer):
        warn_of_mismatch(pairs_of(measured))
    models = [clone(model).set_params(n_clusters=k) for k in numbers]
    found = measure(models, measured, coupling, seed=seed, threads=threads, control=control)
    capacities = dict(zip(numbers, found, strict=True))

    def statistics(twin: Measurements, silent: Control) -> list[float]:
        again = measure(models, twin, coupling, seed=seed, threads=1, control=silent)
        return [c.raw_bits for c in again]

    draws = calibrate(
        statistics,
        measured,
        kinds=kinds,
        draws=null_draws,
        seed=seed,
        threads=threads,
        control=control,
        edges=is_edgewise(model, measured),
    )
    return replace(_calibrated(capacities, draws), pairwise=is_edgewise(model, measured))


def _calibrated(capacities: dict[int, Capacity], draws: Mapping[str, FloatArray]) -> Order:
    """Attach the null draws: to every K its own, to the choice the p-value over all K."""
    numbers, best = list(capacities), best_order(capacities)
    marked = {
        k: replace(
            c, null={kind: single_null(kind, c.raw_bits, d[:, i]) for kind, d in draws.items()}
        )
        for i, (k, c) in enumerate(capacities.items())
    }
    # One cluster has 0 bits in data and twins alike: it says nothing about either.
    tried = [i for i, k in enumerate(numbers) if k > 1]
    strongest = max(numbers, key=lambda k: (k > 1, capacities[k].raw_bits))
    shown = numbers.index(best if best > 1 else strongest)
    observed = np.array([capacities[numbers[i]].raw_bits for i in tried])
    nulls = {
        kind: NullResult(kind, d[:, shown], joint_p_value(observed, d[:, tried]) if tried else 1.0)
        for kind, d in draws.items()
    }
    return Order(marked, best, nulls)


def best_order(capacities: Mapping[int, Capacity]) -> int:
    """Smallest K within max(0.01 bit, one standard deviation) of the best; 1 without structure."""
    positive = {k: c for k, c in capacities.items() if k >= 2 and c.raw_bits > 0}
    if not positive:
        return 1
    top = max(positive.values(), key=lambda c: c.bits)
    if top.bits <= TOLERANCE:
        return 1
    spread = 0.0 if np.isnan(top.bits_sd) else top.bits_sd
    enough = top.bits - max(TOLERANCE, spread)
    return min(k for k, c in positive.items() if c.bits >= enough)
