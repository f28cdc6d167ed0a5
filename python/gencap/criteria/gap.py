"""The gap statistic: how much better clusters fit the data than a uniform box."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from gencap._carrying import VectorSpace
from gencap._fitting import cluster_numbers, fit_clone, labels_of, said_once, size_parameter
from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    check_choice,
    check_integer,
    check_matrix,
    check_n_jobs,
    check_seed,
)
from gencap.criteria._criterion import Criterion, series

__all__ = ["gap_statistic"]

RULES = ("argmax", "1-se")


def gap_statistic(
    model: Any,
    X: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    rule: str = "argmax",
    n_references: int = 20,
    reference: str = "box",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Criterion:
    """Gap statistic of any clusterer of vectors, by number of clusters.

    Parameters
    ----------
    model : estimator
        Any clusterer with a parameter `n_clusters` (or `n_components`); cloned, never changed.
    X : array-like of shape (N, D) or DataFrame
        The objects.
    n_clusters : iterable of int
        Numbers of clusters to try.
    rule : {"argmax", "1-se"}
        The largest gap, or the smallest K whose gap reaches that of K + 1 minus its standard error
        (the rule of the original paper). Both are in `rules` whatever is chosen; the default is
        the one that finds three equal clusters at any distance, where "1-se" stays at 1 up to four
        standard deviations.
    n_references : int
        Samples of the reference.
    reference : {"box", "pca"}
        Uniform in the box of the data, or in the box along their principal axes.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Criterion
        Gap(K) = mean of ln W over the reference samples minus ln W of the data, W the pooled
        within-cluster sum of squares; larger is better. `spread` is the standard error
        s_K = sd sqrt(1 + 1 / B).

    References
    ----------
    Tibshirani, Walther and Hastie, Estimating the number of clusters in a data set via the gap
    statistic, J. R. Statist. Soc. B 63, 2001.

    Examples
    --------
    >>> import gencap
    >>> from gencap.criteria import gap_statistic
    >>> data = gencap.datasets.gaussians(n_objects=200, variance=1.0, random_state=0)
    >>> gap = gap_statistic(gencap.CentroidClustering(random_state=0), data.first, range(1, 7))
    >>> gap.best, gap.rules
    (4, {'argmax': 4, '1-se': 4})
    """
    check_choice(rule, "rule", RULES)
    check_choice(reference, "reference", ("box", "pca"))
    size_parameter(model)
    if getattr(model, "is_pairwise", False):
        raise ValueError(
            "gap_statistic draws reference points in the space of the data, which similarities do "
            "not have: give vectors and a measure other than 'precomputed', or use "
            "criteria.instability"
        )
    x = check_matrix(X, "X").values
    numbers = cluster_numbers(n_clusters, len(x))
    count = check_integer(n_references, "n_references", minimum=2)
    own = getattr(model, "random_state", None)
    seed = check_seed(own if random_state is None else random_state)
    tasks = [(k, b) for b in range(count + 1) for k in numbers]

    def job(task: tuple[int, int], silent: Control) -> float:
        k, b = task
        sample = x if b == 0 else _uniform(x, reference, np.random.default_rng([seed, b]))
        fitted = fit_clone(model, sample, k, seed, silent)
        return float(VectorSpace(sample, sample).own(labels_of(fitted, sample)).sum())

    with said_once():
        found = parallel_map(
            job,
            tasks,
            threads=check_n_jobs(n_jobs),
            control=as_control(progress),
            message="gap statistic",
        )
    within = np.array(found).reshape(count + 1, len(numbers))
    return _criterion(numbers, within, rule)


def _criterion(numbers: list[int], within: FloatArray, rule: str) -> Criterion:
    # As many clusters as distinct objects leave nothing within them: no logarithm, no gap.
    logs = np.log(np.where(within > 0.0, within, np.nan))
    gaps = logs[1:].mean(axis=0) - logs[0]
    errors = logs[1:].std(axis=0) * np.sqrt(1.0 + 1.0 / (len(logs) - 1))
    index = pd.Index(numbers, name="n_clusters")
    details = pd.DataFrame({"log_within": logs[0], "log_reference": logs[1:].mean(axis=0)}, index)
    if np.isnan(gaps).all():
        raise ValueError("X must vary: all objects are the same, and have no clusters")
    rules = {
        "argmax": numbers[int(np.nanargmax(gaps))],
        "1-se": _first_sufficient(numbers, gaps, errors),
    }
    return Criterion(
        "gap statistic",
        series(numbers, gaps, "value"),
        series(numbers, errors, "spread"),
        largest=True,
        rules=rules,
        rule=rule,
        details=details,
    )


def _first_sufficient(numbers: list[int], gaps: FloatArray, errors: FloatArray) -> int:
    """Smallest K with Gap(K) >= Gap(K + 1) - s(K + 1); the largest gap where there is none."""
    for place in range(len(numbers) - 1):
        if gaps[place] >= gaps[place + 1] - errors[place + 1]:
            return numbers[place]
    return numbers[int(np.nanargmax(gaps))]


def _uniform(x: FloatArray, reference: str, rng: np.random.Generator) -> FloatArray:
    """Draw as many points, uniform in the box of the data or of their principal axes."""
    if reference == "box":
        return rng.uniform(x.min(axis=0), x.max(axis=0), x.shape)
    middle = x.mean(axis=0)
    axes = np.linalg.svd(x - middle, full_matrices=False)[2]
    turned = (x - middle) @ axes.T
    drawn = rng.uniform(turned.min(axis=0), turned.max(axis=0), turned.shape)
    found: FloatArray = drawn @ axes + middle
    return found
