"""Transfer cost along the temperatures of an annealing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from gencap._carrying import boltzmann
from gencap._fitting import fit_clone, said_once
from gencap._opening import Opened, open_split
from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import FloatArray, check_choice, check_n_clusters, check_n_jobs, check_seed
from gencap.holdout import as_holdouts
from gencap.models import AnnealedClusterer, CentroidClustering, GaussianMixture
from gencap.transfer._costs import seed_of_split
from gencap.transfer._result import TransferCurve

__all__ = ["transfer_curve"]


def transfer_curve(
    model: Any,
    pair: Any,
    mapping: str = "auto",
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> TransferCurve:
    """Transfer cost at every temperature of the first sample's annealing.

    Where it is least the annealing is best stopped; that is close to the temperature at which the
    capacity is reached.

    Parameters
    ----------
    model : CentroidClustering or GaussianMixture with fixed covariances
        With the number of clusters it has; cloned, never changed.
    pair : Pair, Instances, Holdout, tuple (first, second), or list of such
        What is learned from and what it is tried on, in one vector space.
    mapping : {"auto", "identity", "soft"}
        "identity": object i keeps the probabilities it has in the first sample (Eq. 94); "soft":
        those that its second measurement has in the first one's solution. "auto": "identity" for
        two measurements of the same objects.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    TransferCurve
        Several pairs are averaged at equal temperature, on the grid of the first.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, Eq. 94.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.five_gaussians(n_objects=500, random_state=0)
    >>> curve = gencap.transfer_curve(gencap.CentroidClustering(10, random_state=0), data.pair)
    >>> bool(0.7 < curve.best < 1.4)
    True
    """
    check_choice(mapping, "mapping", ("auto", "identity", "soft"))
    _check_model(model)
    control = as_control(progress)
    seed = check_seed(model.random_state if random_state is None else random_state)
    splits = [open_split(model, one, control) for one in as_holdouts(pair)]
    ways = [_way(split, mapping) for split in splits]
    for split, way in zip(splits, ways, strict=True):
        check_n_clusters(model.n_clusters, split.sizes[0])
        split.connected(way)

    def job(q: int, silent: Control) -> FloatArray:
        return _curve(splits[q], ways[q], seed_of_split(seed, q), silent)

    with said_once():
        found = parallel_map(
            job,
            range(len(splits)),
            threads=check_n_jobs(n_jobs),
            control=control,
            message="transfer cost along beta",
        )
    return _averaged(found, ways[0])


def _check_model(model: Any) -> None:
    fixed = isinstance(model, GaussianMixture) and model.covariance == "fixed"
    if not (isinstance(model, CentroidClustering) or fixed):
        raise TypeError(
            "model must have centroids at every temperature, CentroidClustering or GaussianMixture "
            f"with fixed covariances: got {type(model).__name__}; transfer_costs takes the others"
        )
    if isinstance(model, AnnealedClusterer) and model.solver == "simulated_annealing":
        raise ValueError("solver must follow temperatures: got 'simulated_annealing'")


def _way(split: Opened, mapping: str) -> str:
    way = ("identity" if split.paired else "soft") if mapping == "auto" else mapping
    if way == "identity" and split.sizes[0] != split.sizes[1]:
        raise ValueError(
            f"mapping 'identity' needs the same objects in both samples: got {split.sizes[0]} and "
            f"{split.sizes[1]}; use 'soft'"
        )
    return way


def _curve(split: Opened, way: str, seed: int, control: Control) -> FloatArray:
    """Rows beta, transfer cost, cost of the first sample, effective clusters."""
    fitted = fit_clone(split.model, split.first, split.model.n_clusters, seed, control)
    run = fitted.trajectory_
    rows = []
    for beta, centers, clusters in zip(run.betas, run.centroids, run.n_clusters, strict=True):
        first, second = (_costs(split.model, x, centers) for x in (split.first, split.second))
        own = boltzmann(first, float(beta))
        weights = own if way == "identity" else boltzmann(second, float(beta))
        test = float((weights * second).sum(axis=1).mean())
        rows.append((float(beta), test, float((own * first).sum(axis=1).mean()), float(clusters)))
    return np.array(rows).T


def _costs(model: Any, x: FloatArray, centers: FloatArray) -> FloatArray:
    squares: FloatArray = cdist(x, centers, "sqeuclidean")
    if isinstance(model, CentroidClustering):
        return squares
    constant = 0.5 * x.shape[1] * math.log(2.0 * math.pi * model.variance)
    scaled: FloatArray = squares / (2.0 * model.variance) + constant
    return scaled


def _averaged(found: list[FloatArray], way: str) -> TransferCurve:
    """Bring all curves to the temperatures of the first; hard ends stay as they are."""
    grid = np.log(found[0][0])
    table = np.array([[np.interp(grid, np.log(one[0]), row) for row in one[1:]] for one in found])
    spread = table[:, 0].std(axis=0, ddof=1) if len(table) > 1 else np.zeros(len(grid))
    test, train, clusters = table.mean(axis=0)
    return TransferCurve(found[0][0], test, train, spread, clusters, way)
