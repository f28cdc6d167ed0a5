"""Classical criteria for the number of clusters, to hold the capacity against."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    check_integer,
    check_matrix,
    check_n_clusters,
    check_n_jobs,
    check_seed,
)
from gencap.annealing import Annealing
from gencap.models import GaussianMixture

__all__ = ["Criterion", "bic"]

# Only the last temperature counts, so few steps lead there; but surplus components of a well-fitted
# mixture are about to split exactly at beta = 1, where iterations converge slowly.
SCHEDULE = Annealing(n_steps=20, max_iter=10_000)


@dataclass(frozen=True, eq=False)
class Criterion:
    """A criterion by number of clusters; smaller is better.

    Parameters
    ----------
    name : str
        What was computed, such as "BIC".
    values : Series
        Mean over the samples, by number of clusters.
    spread : Series
        Standard deviation over the samples; zeros for a single one.
    """

    name: str
    values: pd.Series[float]
    spread: pd.Series[float]

    @property
    def best(self) -> int:
        """Number of clusters with the smallest value."""
        return int(self.values.index[int(np.argmin(self.values.to_numpy()))])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of clusters."""
        return pd.DataFrame({"value": self.values, "spread": self.spread})


def bic(
    model: GaussianMixture,
    X: Any,
    n_clusters: Iterable[int] = range(1, 11),
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Criterion:
    """Bayesian information criterion of a Gaussian mixture with equal weights.

    Parameters
    ----------
    model : GaussianMixture
        Covariance shape, variance, solver and schedule; it is cloned, never changed. The schedule
        ends at beta = 1, where the annealed weights are those of the mixture; without one a short
        schedule is used.
    X : array-like of shape (N, D), DataFrame, or list of such
        One sample, or several from the same source: then the values are their means.
    n_clusters : iterable of int
        Numbers of components to try.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Criterion
        -2 ln L + phi ln N, in scikit-learn's convention. phi = K D for fixed covariances, and K,
        K D or K D (D + 1) / 2 more for spherical, diagonal or full ones; equal weights are not
        counted.

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
    models = _models(model, n_clusters)
    samples = [check_matrix(one, "X").values for one in _samples(X)]
    for x in samples:
        check_n_clusters(models[-1].n_clusters, len(x))
    seed = check_seed(model.random_state if random_state is None else random_state)
    tasks = [(m, q) for m in range(len(models)) for q in range(len(samples))]

    def job(task: tuple[int, int], silent: Control) -> float:
        m, q = task
        own = int(np.random.SeedSequence([seed, q]).generate_state(1)[0])
        return _value(clone(models[m]).set_params(random_state=own), samples[q], silent)

    found = parallel_map(
        job, tasks, threads=check_n_jobs(n_jobs), control=as_control(progress), message="BIC"
    )
    table = np.array(found).reshape(len(models), len(samples))
    return _criterion("BIC", [one.n_clusters for one in models], table)


def _models(model: Any, n_clusters: Iterable[int]) -> list[GaussianMixture]:
    """One model per number of clusters, with a schedule that ends where weights are a density's."""
    if not isinstance(model, GaussianMixture):
        raise TypeError(
            f"model must be a gencap.GaussianMixture, which has a likelihood: got "
            f"{type(model).__name__}; use GaussianMixture(covariance='fixed', variance=...) for "
            "k-means costs"
        )
    if model.mass_constrained:
        raise ValueError(
            "mass_constrained must be False: its weights are parameters that are not counted here"
        )
    numbers = sorted({check_integer(k, "n_clusters") for k in n_clusters})
    if not numbers:
        raise ValueError("n_clusters must name at least one number of clusters: got none")
    annealing = SCHEDULE if model.annealing is None else model.annealing
    ending = replace(annealing, stop=1.0)
    return [clone(model).set_params(n_clusters=k, annealing=ending, n_jobs=1) for k in numbers]


def _samples(X: Any) -> Sequence[Any]:
    """Several samples come as a list of tables; a list of rows is one table."""
    if isinstance(X, list | tuple) and X and all(np.ndim(one) == 2 for one in X):
        return X
    return [X]


def _value(model: GaussianMixture, x: FloatArray, control: Control) -> float:
    """-2 ln L + phi ln N after annealing to beta = 1."""
    model.fit(x, progress=control)
    if model.trajectory_ is None:
        raise ValueError(f"solver must follow temperatures: got {model.solver!r}")
    n, d = x.shape
    # At beta = 1 the free energy is -sum_i ln sum_k N(x_i | mu_k, C_k); equal weights add ln K.
    free_energy = model.trajectory_.free_energies[-1]
    negative_log_likelihood = free_energy + n * math.log(model.n_clusters)
    return float(2.0 * negative_log_likelihood + _n_parameters(model, d) * math.log(n))


def _n_parameters(model: GaussianMixture, d: int) -> int:
    """Free means and covariances, phi."""
    covariance = {"fixed": 0, "spherical": 1, "diag": d, "full": d * (d + 1) // 2}
    return model.n_clusters * (d + covariance[model.covariance])


def _criterion(name: str, numbers: list[int], table: FloatArray) -> Criterion:
    """Mean and spread over samples; `table` has one row per number, one column per sample."""
    index = pd.Index(numbers, name="n_clusters")
    n_samples = table.shape[1]
    spread = table.std(axis=1, ddof=1) if n_samples > 1 else np.zeros(len(numbers))
    return Criterion(
        name,
        pd.Series(table.mean(axis=1), index=index, name="value"),
        pd.Series(spread, index=index, name="spread"),
    )
