"""Pairwise clustering: similarity within clusters per object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import validate_data

from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import check_n_clusters, check_seed
from gencap.annealing import Annealing
from gencap.embedding import kmeans_vectors
from gencap.models._graph import GraphClusterer
from gencap.models.centroid import CentroidClustering
from gencap.results import AnnealingStep

__all__ = ["PairwiseClustering"]


class PairwiseClustering(GraphClusterer):
    """Pairwise clustering, annealed on similarities.

    R = -1/2 sum_k A_k / n_k with A_k the sum of all similarities within cluster k and n_k its
    size. A constant added to all similarities changes nothing; on squared Euclidean distances the
    costs are those of k-means up to a constant.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters; some may stay empty.
    measure : str, default="sqeuclidean"
        "euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", or "precomputed" for a
        square matrix of similarities. A distance d becomes the similarity v - d, with v the
        largest distance.
    solver : {"mean_field", "gibbs", "search", "embedding"}, default="mean_field"
        Sequential mean-field annealing, annealed Gibbs sampling on the same potentials, or local
        search at zero temperature from random labels: labels only. "embedding" anneals centroids
        among vectors that have the same costs up to a constant (see Notes): the similarities' own
        where they are low-rank, else those of `constant_shift_embedding`, for at most 5,000
        objects.
    n_init : int, default=6
        Starts; the lowest final cost wins.
    annealing : Annealing, optional
        The schedule; None: 0.8 to 10,000 critical inverse temperatures in 78 steps, at most 60
        sweeps each; with "embedding" that of `CentroidClustering`.
    random_state : None, int or Generator
        Seed of everything random.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (N,)
        Clusters after a final local search; with "embedding" those of the last temperature.
    probabilities_ : ndarray of shape (N, K)
        Assignment probabilities at the last temperature.
    cost_ : float
        Cost of `labels_`.
    n_clusters_ : int
        Clusters that hold an object.
    shift_ : float
        The shift that was used.
    trajectory_ : Trajectory or None
        The whole annealing; graphs have no centroids, embedded vectors do, and costs of k-means.
        None after a search.
    n_iter_, converged_, beta_, seed_, restart_costs_
        Sweeps in all, convergence and inverse temperature at the end, the seed used, final costs
        of all starts (with "embedding" those of the last temperature, which is not quite hard).

    See Also
    --------
    NormalizedCut : Volumes in place of sizes.
    constant_shift_embedding : The vectors.

    Notes
    -----
    For every labeling with K non-empty clusters the cost equals that of k-means among the embedded
    vectors minus trace(S) / 2 plus l (N - K), l <= 0 the lowest eigenvalue of the centered
    similarities over 2. The last term depends on K. `cost_` is the pairwise cost with all solvers.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import PairwiseClustering
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> model = PairwiseClustering(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1]), model.n_clusters_
    (True, 2)
    """

    cost_name: ClassVar[str] = "pairwise"
    solvers: ClassVar[tuple[str, ...]] = ("mean_field", "gibbs", "search", "embedding")

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        measure: str = "sqeuclidean",
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

    @property
    def embeds(self) -> bool:
        """Whether capacities, too, are measured among embedded vectors."""
        return bool(self.solver == "embedding")

    def among_vectors(self) -> CentroidClustering:
        """Return the model of centroids that "embedding" anneals."""
        return CentroidClustering(
            self.n_clusters,
            n_init=self.n_init,
            annealing=self.annealing,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

    def embedded(self, X: Any, progress: Control | None = None) -> np.ndarray[Any, Any]:
        """Return the vectors that stand for the objects of `X`."""
        return kmeans_vectors(self.open(X, progress))[0]

    def _fit(self, X: Any, control: Control) -> None:
        if not self.embeds:
            super()._fit(X, control)
            return
        graph = self.open(X, control)
        validate_data(self, X, skip_check_array=True)
        check_n_clusters(self.n_clusters, graph.n_objects)
        self.core_params()
        self.seed_, self.shift_ = check_seed(self.random_state), 0.0
        inner = self.among_vectors().set_params(random_state=self.seed_)
        vectors, lowest = kmeans_vectors(graph)
        inner.fit(vectors, progress=control)
        self.labels_, self.probabilities_ = inner.labels_, inner.probabilities_
        self.trajectory_, self.n_iter_ = inner.trajectory_, inner.n_iter_
        self.beta_, self.converged_ = inner.beta_, inner.converged_
        self.n_clusters_ = inner.n_clusters_
        self.cost_ = self.cost(self.labels_, graph)
        shift = lowest * (len(graph) - self.n_clusters_) - graph.diagonal.sum() / 2
        self.restart_costs_ = inner.restart_costs_ + shift

    def anneal(
        self, X: Any, *, progress: ProgressCallback | None = None
    ) -> Iterator[AnnealingStep]:
        """Yield the annealing of `X` temperature by temperature, while it runs.

        With ``solver="embedding"`` the steps are those of `CentroidClustering` among the embedded
        vectors, with centroids and costs there; else as for every model on graphs.
        """
        if not self.embeds:
            yield from super().anneal(X, progress=progress)
            return
        control = as_control(progress)
        yield from self.among_vectors().anneal(self.embedded(X, control), progress=control)
