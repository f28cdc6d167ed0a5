"""Correlation clustering, Min Cut and Max Cor: one quadratic cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gencap._graph_input import off_diagonal
from gencap._validation import FloatArray
from gencap.annealing import Annealing
from gencap.models._graph import GraphClusterer
from gencap.similarity import Similarity

__all__ = ["CorrelationClustering"]


class CorrelationClustering(GraphClusterer):
    """Correlation clustering, annealed on similarities.

    R = -sum over pairs i < j in one cluster of (S_ij + shift). Up to constants this is the sum of
    disagreements of correlation clustering, Min Cut and Max Cor.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters; some may stay empty.
    shift : "auto" or float, default="auto"
        Added to the similarity of different objects: what counts as similar. "auto": `fit` takes
        minus their 75 % quantile; capacities, which can compare, choose the best of 0, minus the
        50, 75 and 90 % quantiles, and minus 1, 2 and 4 times the largest absolute similarity.
    measure : str, default="pearson"
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
    MaxCut : The opposite cost.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import CorrelationClustering
    >>> S = np.kron(np.eye(3), np.full((4, 4), 2.0)) - 1.0
    >>> model = CorrelationClustering(3, shift=0.0, measure="precomputed", random_state=0).fit(S)
    >>> model.n_clusters_, model.cost_
    (3, -18.0)
    """

    cost_name: ClassVar[str] = "correlation"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        shift: str | float = "auto",
        measure: str = "pearson",
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

    def _automatic_shift(self, graphs: Sequence[Similarity]) -> float:
        """Return minus the 75 % quantile of the off-diagonal similarities."""
        return -float(np.quantile(_pooled(graphs), 0.75))

    def shift_candidates(self, graphs: Sequence[Similarity]) -> list[float]:
        """Return the grid that capacities try with ``shift="auto"``."""
        if self.shift != "auto":
            return [self.shift_for(graphs)]
        values = _pooled(graphs)
        largest = float(np.abs(values).max())
        quantiles = np.quantile(values, [0.5, 0.75, 0.9])
        grid = [0.0, *(-quantiles), *(-largest * np.array([1.0, 2.0, 4.0]))]
        return sorted({float(shift) + 0.0 for shift in grid}, reverse=True)


def _pooled(graphs: Sequence[Similarity]) -> FloatArray:
    """Similarities of different objects in all graphs; a lone object has none."""
    values = np.concatenate([off_diagonal(graph) for graph in graphs])
    return values if len(values) else np.zeros(1)
