"""Adaptive Ratio Cut: from Ratio Cut to Cheeger Cut."""

from __future__ import annotations

from typing import Any, ClassVar

from gencap import _core
from gencap._validation import check_positive
from gencap.annealing import Annealing
from gencap.models._graph import GraphClusterer

__all__ = ["AdaptiveRatioCut"]


class AdaptiveRatioCut(GraphClusterer):
    """Adaptive Ratio Cut, annealed on similarities.

    R = sum_{u<v} L_uv phi_p(n_u, n_v) with L_uv the similarity between two clusters of sizes n_u
    and n_v, and ``phi_p(a, b) = (a**(-1/(p-1)) + b**(-1/(p-1)))**(p-1)``: p = 2 is Ratio Cut, p = 1
    Cheeger Cut. The smaller p, the less it pays to cut off single objects.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters; some may stay empty.
    p : float, default=1.2
        At least 1; 1 and 2 are the Cheeger and the Ratio Cut.
    shift : "auto" or float, default=0.0
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
    NormalizedCut : Volumes in place of sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import AdaptiveRatioCut
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> model = AdaptiveRatioCut(n_clusters=2, p=1.5, measure="precomputed", random_state=0)
    >>> round(model.fit(S).cost_, 4)
    0.4243
    """

    cost_name: ClassVar[str] = "adaptive_ratio_cut"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        p: float = 1.2,
        shift: str | float = 0.0,
        measure: str = "sqeuclidean",
        solver: str = "mean_field",
        n_init: int = 6,
        annealing: Annealing | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.p = p
        self.shift = shift
        self.measure = measure
        self.solver = solver
        self.n_init = n_init
        self.annealing = annealing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def core_cost(self, shift: float) -> _core.GraphCost:
        """Hand the cost function to the compiled core."""
        p = check_positive(self.p, "p")
        if p < 1.0:
            raise ValueError(f"p must be at least 1: got {p}; 1 is Cheeger Cut, 2 Ratio Cut")
        return _core.GraphCost(self.cost_name, p=p, shift=shift)
