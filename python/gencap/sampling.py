"""Sample assignments under k-means costs, or cool the same chain to the cheapest one."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from gencap import _core
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    check_choice,
    check_integer,
    check_matrix,
    check_n_clusters,
    check_n_jobs,
    check_seed,
)

__all__ = ["AnnealedAssignment", "AssignmentSamples", "sample_assignments", "simulated_annealing"]

FloatArray: TypeAlias = NDArray[np.float64]
KernelName: TypeAlias = Literal["metropolis", "gibbs"]
KERNELS = ("metropolis", "gibbs")


@dataclass(frozen=True, eq=False)
class AssignmentSamples:
    """Assignments drawn from p(c) proportional to exp(-beta R(c)).

    Parameters
    ----------
    labels : ndarray of shape (n_chains, n_draws, N), uint32
        Label of every object in every draw.
    costs : ndarray of shape (n_chains, n_draws)
        Cost R of every draw.
    seed : int
        The seed the chains were derived from.
    """

    labels: NDArray[np.uint32]
    costs: FloatArray
    seed: int


@dataclass(frozen=True, eq=False)
class AnnealedAssignment:
    """The cheapest assignment that simulated annealing found.

    Parameters
    ----------
    labels : ndarray of shape (N,)
        Label of every object.
    cost : float
        Cost R of these labels.
    centroids : ndarray of shape (n_clusters, D)
        Cluster means; a cluster that ended empty stands where it lost its last member.
    temperatures, costs : ndarray of shape (n_sweeps,)
        Temperature of every sweep of the run that was kept, and the cost after it; the final
        descent at temperature 0 comes on top.
    run_costs : ndarray of shape (n_init,)
        Final cost of every run.
    run : int
        Which run was kept.
    converged : bool
        Whether no move of a single object lowers the cost any more.
    seed : int
        The seed the runs were derived from.
    """

    labels: NDArray[np.int64]
    cost: float
    centroids: FloatArray
    temperatures: FloatArray
    costs: FloatArray
    run_costs: FloatArray
    run: int
    converged: bool
    seed: int


def sample_assignments(
    X: ArrayLike,
    n_clusters: int,
    beta: float,
    *,
    n_draws: int = 1000,
    n_chains: int = 1,
    burn_in: int = 100,
    thin: int = 1,
    kernel: KernelName = "metropolis",
    start: ArrayLike | None = None,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> AssignmentSamples:
    """Draw assignments c from p(c) proportional to exp(-beta R(c)).

    R(c) is the sum over objects of the squared distance to the mean of their cluster; the centroids
    are eliminated, and all ``n_clusters ** N`` assignments, with empty clusters too, take part.

    Parameters
    ----------
    X : array-like of shape (N, D)
        One object per row.
    n_clusters : int
        Number of clusters K.
    beta : float
        Inverse temperature, in 1 / cost, at least 0.
    n_draws, n_chains : int
        Draws per chain, and independent chains.
    burn_in, thin : int
        Sweeps before the first draw, and from one draw to the next.
    kernel : {"metropolis", "gibbs"}
        Metropolis proposes one other label per visit (O(D)); Gibbs draws from the conditional law
        of the label (O(K D)).
    start : array-like of shape (N,), optional
        Labels 0 .. K-1 that every chain starts from; random ones by default.
    random_state : int, Generator or None
        Chain c draws from stream c of this seed: more chains or threads do not change it.
    n_jobs : int, optional
        Threads, over chains; all cores by default.
    progress : callable or Control, optional
        Receives `gencap.Progress`, counted in sweeps; raising from it cancels.

    Returns
    -------
    AssignmentSamples

    Notes
    -----
    A sweep of Gibbs visits every object once in a fresh random order; a sweep of Metropolis makes N
    or, on the toss of a coin, N + 1 visits to objects drawn at random. Moving x from cluster a to b
    changes the cost by n_b/(n_b+1) |x - y_b|^2 - n_a/(n_a-1) |x - y_a|^2, y being the means.

    Examples
    --------
    >>> from gencap.sampling import sample_assignments
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> draws = sample_assignments(X, 2, beta=10.0, n_draws=50, kernel="gibbs", random_state=0)
    >>> draws.labels.shape, draws.costs.shape
    ((1, 50, 4), (1, 50))
    >>> bool((draws.labels[..., 0] == draws.labels[..., 1]).mean() > 0.9)
    True
    """
    matrix = check_matrix(X, "X").values
    seed = check_seed(random_state)
    control = as_control(progress)
    labels, costs = _core.sample_assignments(
        matrix,
        n_clusters=check_n_clusters(n_clusters, len(matrix)),
        beta=_check_beta(beta),
        kernel=check_choice(kernel, "kernel", KERNELS),
        n_chains=check_integer(n_chains, "n_chains"),
        n_draws=check_integer(n_draws, "n_draws"),
        burn_in=check_integer(burn_in, "burn_in", minimum=0),
        thin=check_integer(thin, "thin"),
        seed=seed,
        n_jobs=check_n_jobs(n_jobs),
        start=None if start is None else _check_start(start),
        switches=control.switches,
        report=control.report("sampling assignments"),
    )
    return AssignmentSamples(labels, costs, seed)


def simulated_annealing(
    X: ArrayLike,
    n_clusters: int,
    *,
    n_sweeps: int = 600,
    n_init: int = 4,
    kernel: KernelName = "metropolis",
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> AnnealedAssignment:
    """Search the assignment of lowest k-means cost by slow cooling.

    Parameters
    ----------
    X : array-like of shape (N, D)
        One object per row.
    n_clusters : int
        Number of clusters K.
    n_sweeps : int
        Temperatures, one sweep each; slower cooling finds cheaper assignments.
    n_init : int
        Independent runs, of which the cheapest is kept.
    kernel : {"metropolis", "gibbs"}
        As in `sample_assignments`.
    random_state : int, Generator or None
        Run r draws from stream r of this seed: more runs or threads do not change it.
    n_jobs : int, optional
        Threads, over runs; all cores by default.
    progress : callable or Control, optional
        Receives `gencap.Progress`, counted in sweeps; raising from it cancels.

    Returns
    -------
    AnnealedAssignment

    Warns
    -----
    ConvergenceWarning
        If the descent at the end was cut off before it stood still.

    Notes
    -----
    The temperature falls geometrically from twice the total variance (trace of the covariance) to
    a tenth of the variance within clusters per column, estimated by a short greedy descent from the
    run's own random start. Then objects move to their cheapest cluster one by one until no single
    move lowers the cost.

    Examples
    --------
    >>> from gencap.sampling import simulated_annealing
    >>> found = simulated_annealing([[0.0], [0.2], [5.0], [5.2]], 2, random_state=0)
    >>> round(found.cost, 10)
    0.04
    >>> bool(found.labels[0] == found.labels[1] != found.labels[2])
    True
    """
    matrix = check_matrix(X, "X").values
    seed = check_seed(random_state)
    control = as_control(progress)
    found = _core.simulated_annealing(
        matrix,
        n_clusters=check_n_clusters(n_clusters, len(matrix)),
        n_sweeps=check_integer(n_sweeps, "n_sweeps"),
        kernel=check_choice(kernel, "kernel", KERNELS),
        n_init=check_integer(n_init, "n_init"),
        seed=seed,
        n_jobs=check_n_jobs(n_jobs),
        switches=control.switches,
        report=control.report("simulated annealing"),
    )
    if not found.converged:
        warnings.warn(
            "simulated annealing: the final descent was cut off before it stood still; "
            "the columns of X may differ too much in scale",
            ConvergenceWarning,
            stacklevel=2,
        )
    return AnnealedAssignment(
        labels=found.labels.astype(np.int64),
        cost=found.cost,
        centroids=found.centroids,
        temperatures=found.temperatures,
        costs=found.costs,
        run_costs=found.run_costs,
        run=found.run,
        converged=found.converged,
        seed=seed,
    )


def _check_beta(beta: float) -> float:
    """Return `beta` as a finite float of at least 0; unlike elsewhere 0 is a fair question here."""
    try:
        value = float(beta)
    except (TypeError, ValueError):
        raise ValueError(f"beta must be a number of at least 0: got {beta!r}") from None
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(
            f"beta must be finite and at least 0: got {beta!r}; "
            "for zero temperature use simulated_annealing"
        )
    return value


def _check_start(start: ArrayLike) -> NDArray[np.uint32]:
    """Return the start as unsigned labels; their number and range are checked against X in Rust."""
    labels = np.asarray(start)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"start must be a 1-D array of integer labels: got {labels.ndim} dimension(s) of dtype "
            f"{labels.dtype}; number the clusters from 0"
        )
    if labels.size and not 0 <= labels.min() <= labels.max() < 2**32:
        raise ValueError(
            f"start must hold labels 0 to n_clusters - 1: got {labels.min()} to {labels.max()}"
        )
    return labels.astype(np.uint32)
