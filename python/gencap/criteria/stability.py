"""Instability: how often two samples disagree about an object, against random labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from gencap._carrying import carry
from gencap._fitting import (
    cluster_numbers,
    fit_clone,
    is_density,
    labels_of,
    said_once,
    size_parameter,
)
from gencap._opening import Opened, open_split
from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import IntArray, check_choice, check_integer, check_n_jobs, check_seed
from gencap.criteria._criterion import Criterion, criterion_of
from gencap.holdout import as_holdouts
from gencap.models import CorrelationClustering, GraphClusterer, PairwiseClustering

__all__ = ["instability", "labeling_distance", "random_distance"]

CLASSIFIERS = ("auto", "identity", "predict", "centroid", "nearest", "hungarian")
# Standard error of the mean of so many draws is below .002 for 100 objects.
RANDOM_DRAWS = 500


def instability(
    model: Any,
    pair: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    classifier: str = "auto",
    cross: Any = None,
    normalize: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Criterion:
    """Instability of any clusterer between two samples, by number of clusters.

    Both samples are clustered. The clusters of the first are carried over to the objects of the
    second, where they are compared with the second's own: the share of objects that disagree,
    after the best matching of labels, over the same share for two random labelings.

    Parameters
    ----------
    model : estimator
        Any clusterer with a parameter `n_clusters` (or `n_components`); cloned, never changed.
    pair : Pair, Instances, Holdout, tuple (first, second), or list of such
        The samples: disjoint halves of the objects (`gencap.holdouts`), or two measurements of the
        same objects. Several give the spread.
    n_clusters : iterable of int
        Numbers of clusters to try; at 1 instability is not defined and NaN.
    classifier : {"auto", "identity", "predict", "centroid", "nearest", "hungarian"}
        How labels are carried over: same object, the fitted model's own `predict`, nearest cluster
        mean (on similarities: most edges), label of the nearest object, or of the partner in the
        closest one-to-one matching. "auto": same object where they are, else `predict`, else the
        nearest cluster on similarities, else the nearest object.
    cross : array-like of shape (N1, N2) or list of such, optional
        Similarities between the samples, for models on similarities.
    normalize : bool
        Divide by the value for random labels; without it, small K look stable by construction.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Criterion
        0 for perfect agreement, about 1 for none; smaller is better. `details` holds the raw share
        and that of random labels.

    References
    ----------
    Lange, Roth, Braun and Buhmann, Stability-based validation of clustering solutions, Neural
    Computation 16, 2004.

    Examples
    --------
    >>> import gencap
    >>> from gencap.criteria import instability
    >>> data = gencap.datasets.gaussians(n_objects=200, variance=1.0, random_state=0)
    >>> halves = gencap.holdouts(data.first, n_splits=3)
    >>> instability(gencap.CentroidClustering(random_state=0), halves, range(1, 7)).best
    4
    """
    check_choice(classifier, "classifier", CLASSIFIERS)
    size_parameter(model)
    control = as_control(progress)
    own = getattr(model, "random_state", None)
    seed = check_seed(own if random_state is None else random_state)
    splits = [open_split(model, one, control) for one in as_holdouts(pair, cross)]
    numbers = cluster_numbers(n_clusters, min(min(one.sizes) for one in splits))
    tasks = [(k, q) for k in numbers if k > 1 for q in range(len(splits))]

    def job(task: tuple[int, int], silent: Control) -> float:
        k, q = task
        rng = np.random.default_rng([seed, q, k])
        return _disagreement(splits[q], k, classifier, int(rng.integers(2**31)), rng, silent)

    with said_once():
        found = parallel_map(
            job, tasks, threads=check_n_jobs(n_jobs), control=control, message="instability"
        )
    raw = np.full((len(numbers), len(splits)), np.nan)
    rows = [i for i, k in enumerate(numbers) if k > 1]
    raw[rows] = np.array(found).reshape(len(rows), len(splits))
    chance = np.array([[_chance(one.sizes[1], k, seed) for one in splits] for k in numbers])
    table = raw / chance if normalize else raw
    index = pd.Index(numbers, name="n_clusters")
    details = pd.DataFrame({"raw": raw.mean(axis=1), "random": chance.mean(axis=1)}, index)
    return criterion_of("instability", numbers, table, details)


def labeling_distance(labels1: IntArray, labels2: IntArray) -> float:
    """Share of objects that disagree after the best one-to-one matching of labels."""
    size = int(max(labels1.max(), labels2.max())) + 1
    table = np.bincount(labels1 * size + labels2, minlength=size * size).reshape(size, size)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return 1.0 - float(table[rows, columns].sum()) / len(labels1)


def random_distance(
    n_objects: int, n_clusters: int, n_draws: int = RANDOM_DRAWS, random_state: Any = 0
) -> float:
    """Mean `labeling_distance` of two labelings drawn at random.

    Parameters
    ----------
    n_objects, n_clusters : int
        Objects, and equally likely labels.
    n_draws : int
        Pairs of labelings.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    float

    Examples
    --------
    >>> round(random_distance(100, 2), 2), round(random_distance(100, 10), 2)
    (0.46, 0.75)
    """
    n = check_integer(n_objects, "n_objects")
    k = check_integer(n_clusters, "n_clusters")
    rng = np.random.default_rng(check_seed(random_state))
    # Two independent labels fall into each of the k^2 cells with equal probability.
    tables = rng.multinomial(
        n, np.full(k * k, 1.0 / (k * k)), size=check_integer(n_draws, "n_draws")
    )
    total = 0
    for table in tables.reshape(-1, k, k):
        rows, columns = linear_sum_assignment(table, maximize=True)
        total += int(table[rows, columns].sum())
    return 1.0 - total / (n * len(tables))


def _chance(n_objects: int, k: int, seed: int) -> float:
    return random_distance(n_objects, k, random_state=seed) if k > 1 else float("nan")


def _disagreement(
    split: Opened, k: int, classifier: str, seed: int, rng: np.random.Generator, control: Control
) -> float:
    first = fit_clone(split.model, split.first, k, seed, control)
    second = fit_clone(split.model, split.second, k, seed, control)
    codes = labels_of(first, split.first)
    way = _way(split, first) if classifier == "auto" else classifier
    if way == "identity":
        if split.sizes[0] != split.sizes[1]:
            raise ValueError(
                f"classifier 'identity' needs the same objects in both samples: got "
                f"{split.sizes[0]} and {split.sizes[1]}; use 'centroid' or 'nearest'"
            )
        carried = codes
    elif way == "predict":
        carried = np.unique(first.predict(split.second), return_inverse=True)[1]
    else:
        carried = carry(split.connected(way), codes, way, 0.0, rng).argmax(axis=1)
    return labeling_distance(carried, labels_of(second, split.second))


def _way(split: Opened, fitted: Any) -> str:
    if split.paired:
        return "identity"
    if isinstance(fitted, GraphClusterer):
        clusters = isinstance(fitted, CorrelationClustering | PairwiseClustering)
        return "centroid" if clusters else "nearest"
    return "predict" if hasattr(fitted, "predict") or is_density(fitted) else "nearest"
