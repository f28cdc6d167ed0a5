"""Normalized Cut: similarity within clusters per volume."""

from __future__ import annotations

from typing import Any, ClassVar

from gencap.annealing import Annealing
from gencap.models._graph import GraphClusterer

__all__ = ["NormalizedCut"]


class NormalizedCut(GraphClusterer):
    """Normalized Cut, annealed on similarities.

    R = K - sum_k A_k / V_k with A_k the sum of all similarities within cluster k and V_k the sum
    of its objects' degrees. No degree may be negative; objects without edges stay undecided.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters; some may stay empty.
    shift : "auto" or float, default="auto"
        Added to every similarity. "auto": the smallest shift that makes all of them non-negative.
    measure : str, default="sqeuclidean"
        "euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", or "precomputed" for a
        square matrix of similarities. A distance d becomes the similarity v - d, with v the
        largest distance.
    solver : {"mean_field", "gibbs", "search"}, default="mean_field"
        Sequential mean-field annealing, annealed Gibbs sampling on the same potentials, or local
        search at zero temperature from random labels: labels only.
    n_init : int, default=6
        Starts; the lowest final cost wins.
    annealing : Annealing, optional
        The schedule; None: 0.8 to 10,000 critical inverse temperatures in 78 steps, at most 60
        sweeps each.
    random_state : None, int or Generator
        Seed of everything random.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (N,)
        Clusters after a final local search.
    probabilities_ : ndarray of shape (N, K)
        Assignment probabilities at the last temperature.
    cost_ : float
        Cost of `labels_`.
    n_clusters_ : int
        Clusters that hold an object.
    shift_ : float
        The shift that was used.
    trajectory_ : Trajectory or None
        The whole annealing; graphs have no centroids. None after a search.
    n_iter_, converged_, beta_, seed_, restart_costs_
        Sweeps in all, convergence and inverse temperature at the end, the seed used, final costs
        of all starts.

    See Also
    --------
    PairwiseClustering : Sizes in place of volumes.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import NormalizedCut
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> NormalizedCut(n_clusters=2, measure="precomputed", random_state=0).fit(S).n_clusters_
    2
    """

    cost_name: ClassVar[str] = "normalized_cut"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        shift: str | float = "auto",
        measure: str = "sqeuclidean",
        solver: str = "mean_field",
        n_init: int = 6,
        annealing: Annealing | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.shift = shift
        self.measure = measure
        self.solver = solver
        self.n_init = n_init
        self.annealing = annealing
        self.random_state = random_state
        self.n_jobs = n_jobs
