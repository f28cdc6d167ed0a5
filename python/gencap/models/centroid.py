"""k-means costs under maximum-entropy annealing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gencap._validation import FloatArray, IntArray
from gencap.annealing import Annealing
from gencap.models._base import AnnealedClusterer

__all__ = ["CentroidClustering", "within_sum_of_squares"]


class CentroidClustering(AnnealedClusterer):
    """Clustering by squared distances to centroids, annealed.

    The cost of object i in cluster k is h_ik = ``|x_i - mu_k|**2``; at inverse temperature beta an
    object belongs to cluster k with probability P_ik proportional to ``exp(-beta h_ik)``.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of centroids. Fewer effective clusters may be found: centroids then coincide.
    solver : str, default="mean_field"
        "mean_field": deterministic annealing. "gibbs": annealed Gibbs sampling of assignments.
        "metropolis", "collapsed_gibbs": samplers with the centroids eliminated.
        "simulated_annealing": search for the single best assignment.
    n_init : int, default=1
        Starts; the lowest final cost wins.
    annealing : Annealing, optional
        The schedule; None takes the defaults.
    mass_constrained : bool, default=False
        Let cluster weights enter, so that fewer centroids than allowed may be used. For fitting
        only: capacities refuse it.
    random_state : None, int or Generator
        Seed of everything random.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (N,)
        Likeliest cluster of every object.
    probabilities_ : ndarray of shape (N, K)
        Assignment probabilities at the last temperature.
    cluster_centers_ : ndarray of shape (K, D)
        Centroids there.
    cost_ : float
        Within-cluster sum of squares of `labels_`.
    n_clusters_ : int
        Clusters that hold an object.
    trajectory_ : Trajectory
        The whole annealing with its tree of splits.
    n_iter_, converged_, beta_, seed_
        Iterations in all, convergence and inverse temperature at the end, the seed used.

    See Also
    --------
    GaussianMixture : Gaussian costs with covariances.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import CentroidClustering
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> model = CentroidClustering(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1]), model.n_clusters_, round(model.cost_, 3)
    (True, 2, 0.01)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        solver: str = "mean_field",
        n_init: int = 1,
        annealing: Annealing | None = None,
        mass_constrained: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.solver = solver
        self.n_init = n_init
        self.annealing = annealing
        self.mass_constrained = mass_constrained
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _shape(self) -> dict[str, Any]:
        return {"shape": "distance"}

    def _labeling_cost(self, codes: IntArray, x: FloatArray) -> float:
        return within_sum_of_squares(codes, x)


def within_sum_of_squares(codes: IntArray, x: FloatArray) -> float:
    """Sum over objects of the squared distance to the mean of their cluster."""
    kinds, codes = np.unique(codes, return_inverse=True)
    counts = np.bincount(codes)
    centered = x - x.mean(axis=0)
    sums = np.zeros((len(kinds), x.shape[1]))
    np.add.at(sums, codes, centered)
    gaps = centered - (sums / counts[:, None])[codes]
    return float(np.einsum("ij,ij->", gaps, gaps))
