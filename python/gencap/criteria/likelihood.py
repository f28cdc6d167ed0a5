"""Criteria that charge a likelihood for its parameters: BIC, AIC, description length."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gencap._fitting import cluster_numbers, said_once
from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import check_choice, check_matrix, check_n_jobs, check_seed
from gencap.criteria._criterion import Criterion, criterion_of
from gencap.criteria._mixture import at_one, check_likelihood, likelihood
from gencap.criteria.dimension import effective_dimension
from gencap.models import GraphClusterer

__all__ = ["aic", "bic", "mdl"]

Price = Callable[[float, float, int], float]


def bic(
    model: Any,
    X: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    dimension: str | float = "participation",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Criterion:
    """Bayesian information criterion by number of clusters.

    Parameters
    ----------
    model : estimator
        Cloned, never changed.

        - `gencap.GaussianMixture`: equal weights; its schedule is ended at beta = 1, where the
          annealed weights are those of the mixture.
        - scikit-learn's `GaussianMixture`: its own criterion.
        - `gencap.PairwiseClustering`: a spherical mixture in the effective dimension of the
          similarities, with the centers, weights and common variance of the clusters found.
        - Any other clusterer of vectors (k-means, `CentroidClustering`, hierarchies): the same
          spherical mixture in all D dimensions.
        - Other models on similarities are refused: their number of parameters is unknown.
    X : array-like of shape (N, D), DataFrame, similarities for graph models, or list of such
        One sample, or several from the same source: then the values are their means.
    n_clusters : iterable of int
        Numbers of clusters to try.
    dimension : {"participation", "trace"} or float
        For `PairwiseClustering`: which `effective_dimension`, or a known one.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Criterion
        -2 ln L + phi ln N, in scikit-learn's convention: smaller is better. `details` holds -ln L
        and phi. For gencap's mixtures phi = K D for fixed covariances, and K, K D or
        K D (D + 1) / 2 more for spherical, diagonal or full ones (equal weights are not counted);
        for partitions phi = K D + 1 + (K - 1), with K the clusters that hold objects.

    References
    ----------
    Schwarz, Estimating the dimension of a model, Annals of Statistics 6, 1978.

    Examples
    --------
    >>> import gencap
    >>> from gencap.criteria import bic
    >>> data = gencap.datasets.gaussians(n_objects=400, variance=1.0, random_state=0)
    >>> bic(gencap.GaussianMixture(random_state=0), data.first, range(1, 7)).best
    4
    """
    return _priced("BIC", _bic, model, X, n_clusters, dimension, random_state, n_jobs, progress)


def aic(
    model: Any,
    X: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    dimension: str | float = "participation",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Criterion:
    """Akaike's information criterion by number of clusters, -2 ln L + 2 phi.

    Parameters
    ----------
    model, X, n_clusters, dimension, random_state, n_jobs, progress
        As in `bic`.

    Returns
    -------
    Criterion
        In scikit-learn's convention: smaller is better.

    References
    ----------
    Akaike, A new look at the statistical model identification, IEEE Trans. Autom. Control 19, 1974.

    Examples
    --------
    >>> import gencap
    >>> from gencap.criteria import aic
    >>> data = gencap.datasets.gaussians(n_objects=400, variance=1.0, random_state=0)
    >>> aic(gencap.GaussianMixture(random_state=0), data.first, range(1, 7)).best
    4
    """
    return _priced("AIC", _aic, model, X, n_clusters, dimension, random_state, n_jobs, progress)


def mdl(
    model: Any,
    X: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    dimension: str | float = "participation",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Criterion:
    """Minimum description length: bits for the data given the model, plus its parameters.

    Parameters
    ----------
    model, X, n_clusters, dimension, random_state, n_jobs, progress
        As in `bic`.

    Returns
    -------
    Criterion
        -log2 L + (phi / 2) log2 N: every parameter is worth sending to a precision of 1 / sqrt(N).
        Its minimum is that of `bic`, its unit is bits for the whole sample, up to the resolution
        of the measurements, which is the same for all numbers of clusters.

    References
    ----------
    Rissanen, Modeling by shortest data description, Automatica 14, 1978.

    Examples
    --------
    >>> import gencap
    >>> from gencap.criteria import mdl
    >>> data = gencap.datasets.gaussians(n_objects=400, variance=1.0, random_state=0)
    >>> mdl(gencap.GaussianMixture(random_state=0), data.first, range(1, 7)).best
    4
    """
    return _priced("MDL", _mdl, model, X, n_clusters, dimension, random_state, n_jobs, progress)


def _bic(negative: float, phi: float, n: int) -> float:
    return 2.0 * negative + phi * math.log(n)


def _aic(negative: float, phi: float, n: int) -> float:
    return 2.0 * negative + 2.0 * phi


def _mdl(negative: float, phi: float, n: int) -> float:
    return _bic(negative, phi, n) / (2.0 * math.log(2.0))


def _priced(
    name: str,
    price: Price,
    model: Any,
    X: Any,
    n_clusters: Iterable[int],
    dimension: str | float,
    random_state: Any,
    n_jobs: int | None,
    progress: ProgressCallback | None,
) -> Criterion:
    check_likelihood(model)
    ended, control = at_one(model), as_control(progress)
    own = getattr(model, "random_state", None)
    seed = check_seed(own if random_state is None else random_state)
    samples = [_opened(ended, one, control) for one in _samples(ended, X)]
    numbers = cluster_numbers(n_clusters, min(len(x) for x in samples))
    dimensions = [_dimension(ended, x, dimension) for x in samples]
    tasks = [(k, q) for k in numbers for q in range(len(samples))]

    def job(task: tuple[int, int], silent: Control) -> tuple[float, float]:
        k, q = task
        own = int(np.random.SeedSequence([seed, q]).generate_state(1)[0])
        return likelihood(ended, samples[q], k, own, dimensions[q], silent)

    with said_once():
        found = parallel_map(
            job, tasks, threads=check_n_jobs(n_jobs), control=control, message=name
        )
    shape = (len(numbers), len(samples))
    prices = [price(*fit, len(samples[q])) for fit, (_, q) in zip(found, tasks, strict=True)]
    parts = np.array(found).reshape(*shape, 2).mean(axis=1)
    index = pd.Index(numbers, name="n_clusters")
    details = pd.DataFrame(parts, index=index, columns=["negative_log_likelihood", "n_parameters"])
    return criterion_of(name, numbers, np.array(prices).reshape(shape), details)


def _samples(model: Any, X: Any) -> Sequence[Any]:
    """Several samples come as a list of tables; a list of rows is one table."""
    if isinstance(X, list | tuple) and X and all(len(np.shape(one)) == 2 for one in X):
        return X
    return [X]


def _opened(model: Any, X: Any, control: Control) -> Any:
    if isinstance(model, GraphClusterer):
        return model.open(X, control)
    return check_matrix(X, "X").values


def _dimension(model: Any, x: Any, dimension: str | float) -> float | None:
    """Effective dimension of similarities; vectors have their own."""
    if not isinstance(model, GraphClusterer):
        return None
    if isinstance(dimension, str):
        check_choice(dimension, "dimension", ("participation", "trace"))
        return effective_dimension(x, dimension)
    if isinstance(dimension, bool) or not 0.0 < float(dimension) < math.inf:
        raise ValueError(f"dimension must be a number above 0: got {dimension!r}")
    return float(dimension)
