"""Dominant sets: clusters as equilibria of an evolutionary game."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from gencap import _core
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    check_choice,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_positive,
    check_seed,
)
from gencap.models._graph import check_shift
from gencap.similarity import MEASURES, Similarity, similarity

__all__ = ["DominantSets"]

METHODS = ("replicator", "infection")
# Columns of the unit matrix multiplied at a time when the smallest similarity is looked for.
BLOCK = 256
# Up to this many objects inner products are all looked at, beyond it they are bounded.
EVERY_PAIR = 4_000
# Negative similarities up to this share of the largest self-similarity are rounding.
ROUNDING = 1e-9
# Relative difference up to which payoffs count as equal.
TIED = 1e-9
# Up to this much work per step it takes longer to start threads than to do it.
SERIAL = 1_000_000
# Share of the largest payoff below which a payoff is none.
NOTHING = 1e-12


class DominantSets(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Dominant sets, peeled off one after the other.

    A cluster is what an evolutionary game among the objects settles on: shares v that follow
    v_i <- v_i (X v)_i / v^T X v raise the cohesion v^T X v, and the objects whose share ends at
    `cutoff` or above form the cluster. They are taken away and the game starts again; objects
    that are left in the end join the cluster that pays them most.

    Parameters
    ----------
    n_clusters : int, optional
        Clusters to peel off at most; None peels while objects with anything in common are left.
    cutoff : float, default=1e-4
        Smallest share of an object of the cluster.
    max_steps : int, default=20
        Steps of the dynamics at most. The decisive parameter: a settled game leaves a tiny core,
        an early one a whole cluster. `gencap.best_termination` chooses it by capacity. With
        ``method="infection"`` a step is as many moves as there are objects.
    measure : str, default="euclidean"
        "euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", or "precomputed" for a
        square matrix of similarities. A distance d becomes v - d, v the largest distance.
    shift : "auto" or float, default="auto"
        Added to the similarities of different objects. "auto": the smallest shift that makes all
        of them non-negative, for many objects a cheap bound of it. More makes coarser clusters.
    shift_diagonal : bool, default=False
        Whether self-similarities, which are 0 otherwise, are shifted too. Then a shift changes the
        speed of the dynamics, but nothing of what it settles on.
    method : {"replicator", "infection"}, default="replicator"
        Replicator dynamics, or infection and immunization, which settles much faster; early
        stopping is the business of the former.
    random_state : None, int or Generator
        Accepted as by every model; nothing here is random.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (N,)
        Clusters in the order in which they were found.
    in_core_ : ndarray of shape (N,)
        Whether an object was taken with its cluster; the others were assigned by payoff.
    n_clusters_ : int
        Clusters found, at least 1.
    cohesiveness_ : ndarray of shape (K,)
        v^T X v of every cluster.
    shares_ : ndarray of shape (N, K)
        Shares v of the objects of every core.
    probabilities_ : ndarray of shape (N, K)
        One for the cluster of a core object; payoffs scaled to sum 1 for the others.
    shift_ : float
        The shift that was used.
    n_steps_, converged_ : ndarray of shape (K,)
        Steps taken (moves, for infection), and whether the dynamics had settled.
    seed_ : int
        The seed, unused.

    See Also
    --------
    gencap.best_termination : Choose `max_steps` and `cutoff` by capacity.

    Notes
    -----
    Capacities compare the labels of both instances (Hamming weights): the dynamics has no
    temperature.

    References
    ----------
    Pavan and Pelillo, Dominant sets and pairwise clustering, IEEE PAMI 29, 2007.
    Rota Bulo, Pelillo and Bomze, Graph-based quadratic optimization: a fast evolutionary approach,
    CVIU 115, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import DominantSets
    >>> S = np.kron(np.eye(2), np.ones((3, 3))) + 0.1
    >>> S[:3, :3] += 0.5
    >>> DominantSets(measure="precomputed").fit(S).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        cutoff: float = 1e-4,
        max_steps: int = 20,
        measure: str = "euclidean",
        shift: str | float = "auto",
        shift_diagonal: bool = False,
        method: str = "replicator",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.cutoff = cutoff
        self.max_steps = max_steps
        self.measure = measure
        self.shift = shift
        self.shift_diagonal = shift_diagonal
        self.method = method
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def is_pairwise(self) -> bool:
        """Whether the model is given similarities instead of vectors."""
        return bool(self.measure == "precomputed")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether square input is a matrix of similarities."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.is_pairwise
        tags.input_tags.sparse = self.is_pairwise
        return tags

    def fit(self, X: Any, y: Any = None, *, progress: ProgressCallback | None = None) -> Self:
        """Peel the dominant sets off the objects of `X`.

        Parameters
        ----------
        X : array-like of shape (N, D), DataFrame, or similarity of shape (N, N)
            One row per object; with ``measure="precomputed"`` similarities, dense or sparse; or a
            `gencap.Similarity`.
        y : None
            Ignored; here for scikit-learn's conventions.
        progress : callable, optional
            Receives `gencap.Progress` values; raising from it cancels.

        Returns
        -------
        self
        """
        before = self.__dict__.copy()
        try:
            self._fit(X, as_control(progress))
        except BaseException:
            # A fit that failed or was cancelled leaves the model as it was.
            self.__dict__ = before
            raise
        return self

    def _fit(self, X: Any, control: Control) -> None:
        given = self.open(X, control)
        if not isinstance(X, Similarity):
            validate_data(self, X, skip_check_array=True)
        self.seed_ = check_seed(self.random_state)
        self.shift_ = self.shift_for(given, X)
        found = self.peel(given, [self.termination()], self.shift_, control)[0]
        self.labels_ = found["labels"].astype(np.int64)
        self.in_core_ = found["in_core"]
        self.n_clusters_ = max(1, len(found["cohesion"]))
        self.cohesiveness_ = found["cohesion"]
        self.shares_ = found["shares"]
        self.n_steps_ = found["steps"].astype(np.int64)
        self.converged_ = found["converged"]
        self.probabilities_ = _probabilities(found)

    def open(self, X: Any, control: Control | None = None) -> Similarity:
        """Turn vectors or given similarities into a `gencap.Similarity`."""
        measure: Any = check_choice(self.measure, "measure", MEASURES)
        if scipy.sparse.issparse(X) and not self.is_pairwise:
            raise TypeError(
                f"X is sparse, but measure={measure!r} compares dense vectors: pass X.toarray(), "
                "similarities with measure='precomputed', or gencap.similarity(X, 'path')"
            )
        return similarity(X, measure, n_jobs=self.n_jobs, progress=control)

    def termination(self) -> tuple[int, float]:
        """Return the checked `max_steps` and `cutoff`."""
        cutoff = check_positive(self.cutoff, "cutoff")
        if cutoff >= 1.0:
            raise ValueError(f"cutoff must lie below 1, the sum of all shares: got {self.cutoff!r}")
        return check_integer(self.max_steps, "max_steps"), cutoff

    def shift_for(self, given: Similarity, X: Any = None) -> float:
        """Return the shift on top of the similarity's own; fail where payoffs stay negative.

        `X` is what `given` was made of: distances that were measured here need no second look.
        """
        bound = _bound(given, measured_here=given is not X)
        if isinstance(self.shift, str) and self.shift == "auto":
            cheap = np.isfinite(bound) and (bound >= 0.0 or len(given) > EVERY_PAIR)
            return max(0.0, -(bound if cheap else _smallest(given)))
        shift = check_shift(self.shift)
        if shift + bound >= 0.0:
            return shift
        smallest = _smallest(given)
        scale = max(float(np.abs(given.diagonal).max()), abs(smallest))
        if smallest + shift < -ROUNDING * scale:
            raise ValueError(
                f"shift must make every similarity non-negative: the smallest is {smallest:g} and "
                f"shift is {self.shift!r}; use shift='auto' or a shift of at least {-smallest:g}"
            )
        return shift

    def peel(
        self,
        given: Similarity,
        ends: list[tuple[int, float]],
        shift: float,
        control: Control,
        *,
        record: bool = False,
    ) -> list[_core.Peeling]:
        """Peel once for every termination; all of them share their products with X."""
        clusters, threads = self.n_clusters, check_n_jobs(self.n_jobs)
        if clusters is not None:
            clusters = check_n_clusters(clusters, len(given))
        return _core.peel_dominant_sets(
            given.core,
            clusters,
            ends,
            infection=check_choice(self.method, "method", METHODS) == "infection",
            rows_at_hand=given.representation in ("dense", "rows"),
            shift=shift + given.shift,
            shift_diagonal=bool(self.shift_diagonal),
            record=record,
            threads=threads if len(given) ** 2 * len(ends) > SERIAL else 1,
            switches=control.switches,
            report=control.report("dominant sets"),
        )


def _probabilities(found: _core.Peeling) -> FloatArray:
    """One-hot rows for core objects; payoffs of the others, scaled to sum 1."""
    labels, payoffs = found["labels"].astype(np.int64), found["payoffs"]
    if payoffs.shape[1] == 0:
        return np.ones((len(labels), 1))
    # Ties up to rounding go to the first cluster, as in the core.
    largest = payoffs.max(axis=1, keepdims=True)
    tied = payoffs >= largest * (1.0 - TIED) - NOTHING * payoffs.max()
    payoffs = np.where(tied, largest, payoffs)
    totals = payoffs.sum(axis=1, keepdims=True)
    flat = np.full_like(payoffs, 1.0 / payoffs.shape[1])
    out: FloatArray = np.divide(payoffs, totals, out=flat, where=totals > 0)
    core = found["in_core"]
    out[core] = 0.0
    out[core, labels[core]] = 1.0
    return out


def _bound(given: Similarity, *, measured_here: bool) -> float:
    """Return what no similarity of different objects is below, without looking at any."""
    distances = given.measure in ("euclidean", "sqeuclidean") and measured_here
    if distances or given.measure == "path":
        # v - d with v at least the largest distance
        return given.shift
    if given.measure in ("pearson", "cosine", "inner"):
        # |x . y| <= max |x|^2 (Cauchy and Schwarz)
        return given.shift - float((given.diagonal - given.shift).max())
    return -np.inf


def _smallest(given: Similarity) -> float:
    """Return the smallest similarity of different objects."""
    n, smallest = len(given), np.inf
    if n < 2:
        return 0.0
    stored = given.smallest_stored(diagonal=False)
    if stored is not None:
        return stored
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        own = np.arange(start, start + size), np.arange(size)
        unit = np.zeros((n, size))
        unit[own] = 1.0
        columns = given @ unit
        columns[own] = np.inf
        smallest = min(smallest, float(columns.min()))
    return smallest
