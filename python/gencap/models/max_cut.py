"""Max Cut: clusters of dissimilar objects."""

from __future__ import annotations

from typing import Any, ClassVar

from gencap.annealing import Annealing
from gencap.models._graph import GraphClusterer

__all__ = ["MaxCut"]


class MaxCut(GraphClusterer):
    """Max Cut, annealed on similarities.

    R = sum of the similarities of all pairs within clusters, the negative of Min Cut and of
    correlation clustering: objects that are alike are put apart.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters; some may stay empty.
    measure : str, default="euclidean"
        "euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", or "precomputed" for a
        square matrix of similarities. A distance d becomes the similarity v - d, with v the
        largest distance.
    solver : {"mean_field", "gibbs", "search"}, default="mean_field"
        Sequential mean-field annealing, annealed Gibbs sampling on the same potentials, or a
        search at zero temperature that moves objects and groups of objects, as the Leiden
        algorithm does: much faster, labels only.
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
    CorrelationClustering : The opposite cost.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import MaxCut
    >>> S = np.array([[0.0, 1.0, -1.0], [1.0, 0.0, -1.0], [-1.0, -1.0, 0.0]])
    >>> model = MaxCut(n_clusters=2, measure="precomputed", random_state=0).fit(S)
    >>> bool(model.labels_[0] != model.labels_[1]), model.cost_
    (True, -1.0)
    """

    cost_name: ClassVar[str] = "max_cut"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        measure: str = "euclidean",
        solver: str = "mean_field",
        n_init: int = 6,
        annealing: Annealing | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.measure = measure
        self.solver = solver
        self.n_init = n_init
        self.annealing = annealing
        self.random_state = random_state
        self.n_jobs = n_jobs
