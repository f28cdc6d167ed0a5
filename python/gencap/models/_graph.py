"""What all models on similarities share: opening the graph, its shift, fitting."""

from __future__ import annotations

import math
import numbers
import warnings
from abc import ABC
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from gencap import _core
from gencap._graph_input import smallest
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    InputTypeError,
    IntArray,
    check_choice,
    check_integer,
    check_labels,
    check_n_clusters,
    check_n_jobs,
    check_seed,
)
from gencap.annealing import Annealing, graph_steps, trajectory_of
from gencap.results import AnnealingStep, Trajectory
from gencap.similarity import MEASURES, Measure, Similarity, similarity

__all__ = ["GRAPH_ANNEALING", "GraphClusterer"]

# From 0.8 to 10,000 critical inverse temperatures in steps of 13 %.
GRAPH_ANNEALING = Annealing(n_steps=78, tol=1e-3, max_iter=60)


def _is_auto(shift: Any) -> bool:
    return isinstance(shift, str) and shift == "auto"


def check_shift(shift: Any) -> float:
    """Return a given shift as a finite float."""
    if isinstance(shift, bool) or not isinstance(shift, numbers.Real):
        raise InputTypeError(f"shift must be 'auto' or a number: got {shift!r}")
    if not math.isfinite(shift):
        raise ValueError(f"shift must be finite: got {shift!r}")
    return float(shift)


class GraphClusterer(ClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the models whose costs are functions of pairwise similarities."""

    solvers: ClassVar[tuple[str, ...]] = ("mean_field", "gibbs", "search")
    cost_name: ClassVar[str]
    heats: ClassVar[bool] = False
    has_matrices: ClassVar[bool] = False

    n_clusters: int
    measure: str
    solver: str
    n_init: int
    annealing: Annealing | None
    random_state: Any
    n_jobs: int | None
    trajectory_: Trajectory | None

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

    def open(self, X: Any, progress: Control | None = None) -> Similarity:
        """Turn vectors, or a matrix with ``measure="precomputed"``, into a similarity."""
        check_choice(self.measure, "measure", MEASURES)
        measure = cast(Measure, self.measure)
        return similarity(X, measure, n_jobs=self.n_jobs, progress=progress)

    def shift_candidates(self, graphs: Sequence[Similarity]) -> list[float]:
        """Return the shifts among which capacities choose; one where there is no choice."""
        return [self.shift_for(graphs)]

    def shift_for(self, graphs: Sequence[Similarity]) -> float:
        """Return the shift that a fit of these graphs uses."""
        shift = getattr(self, "shift", 0.0)
        return self._automatic_shift(graphs) if _is_auto(shift) else check_shift(shift)

    def _automatic_shift(self, graphs: Sequence[Similarity]) -> float:
        """Return the smallest shift that makes every similarity non-negative."""
        return max(0.0, -min(smallest(graph) for graph in graphs))

    def core_cost(self, shift: float) -> _core.GraphCost:
        """Hand the cost function to the compiled core."""
        return _core.GraphCost(self.cost_name, shift=shift)

    def core_params(self) -> _core.AnnealParams:
        """Check the parameters and hand them to the compiled core."""
        annealing = GRAPH_ANNEALING if self.annealing is None else self.annealing
        if not isinstance(annealing, Annealing):
            raise TypeError(
                f"annealing must be a gencap.Annealing or None: got {type(annealing).__name__}"
            )
        solver = check_choice(self.solver, "solver", self.solvers)
        return _core.AnnealParams(
            n_clusters=check_integer(self.n_clusters, "n_clusters"),
            solver="mean_field" if solver in ("search", "embedding") else solver,
            **annealing.settings(),
        )

    def cost(self, labels: Any, X: Any) -> float:
        """Evaluate the model's cost function on any labeling.

        Labels that do not occur count as empty clusters up to `n_clusters`.

        Parameters
        ----------
        labels : array-like of shape (N,)
            One label per object.
        X : array-like
            As in `fit`.

        Returns
        -------
        float
        """
        graph, codes = self.open(X), check_labels(labels, "labels")
        if len(codes) != graph.n_objects:
            raise ValueError(
                f"labels must have one entry per object of X: got {len(codes)} labels for "
                f"{graph.n_objects} objects"
            )
        return _core.graph_cost(
            graph.core,
            self.core_cost(self.shift_for([graph]) + graph.shift),
            codes.astype(np.uintp),
            max(check_integer(self.n_clusters, "n_clusters"), int(codes.max()) + 1),
        )

    def fit(self, X: Any, y: Any = None, *, progress: ProgressCallback | None = None) -> Self:
        """Anneal the objects of `X` until assignments are hard, then search locally.

        With ``solver="search"`` there is no annealing: the search is all there is.

        Parameters
        ----------
        X : array-like of shape (N, D), DataFrame, sparse matrix or Similarity
            One row per object; with ``measure="precomputed"`` the (N, N) similarities themselves.
            A `Similarity` is used as it is, whatever the measure.
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
        graph = self.open(X, control)
        validate_data(self, X, skip_check_array=True)
        check_n_clusters(self.n_clusters, graph.n_objects)
        params, self.seed_ = self.core_params(), check_seed(self.random_state)
        self.shift_ = self.shift_for([graph])
        threads = check_n_jobs(self.n_jobs)
        cost = self.core_cost(self.shift_ + graph.shift)
        if self.solver == "search":
            self._describe_search(self.search(graph, self.shift_, self.seed_, threads, control))
            return
        critical = _core.graph_critical(
            graph.core, cost, self.n_clusters, threads, switches=control.switches
        )
        columns, self.probabilities_, labels, self.cost_, costs = _core.graph_fit(
            graph.core,
            cost,
            params,
            _core.graph_grid(params, critical),
            critical,
            self.seed_,
            check_integer(self.n_init, "n_init"),
            threads,
            switches=control.switches,
            report=control.report("annealing"),
        )
        self.labels_ = np.array(labels, dtype=np.int64)
        self.restart_costs_ = np.array(costs)
        self._describe(trajectory_of(columns))

    def search(
        self, graph: Similarity, shift: float, seed: int, threads: int, control: Control
    ) -> tuple[IntArray, float, int, list[float]]:
        """Search for the labels of lowest cost: labels, cost, rounds, and costs of all starts."""
        labels, cost, rounds, costs = _core.graph_search(
            graph.core,
            self.core_cost(shift + graph.shift),
            self.n_clusters,
            seed,
            check_integer(self.n_init, "n_init"),
            threads,
            switches=control.switches,
            report=control.report("search"),
        )
        return labels.astype(np.int64), cost, rounds, costs

    def _describe_search(self, found: tuple[IntArray, float, int, list[float]]) -> None:
        self.labels_, self.cost_, self.n_iter_, costs = found
        self.restart_costs_ = np.array(costs)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.probabilities_ = np.zeros((len(self.labels_), self.n_clusters))
        self.probabilities_[np.arange(len(self.labels_)), self.labels_] = 1.0
        self.trajectory_ = None
        self.beta_ = float("inf")
        self.converged_ = True

    def _describe(self, run: Trajectory) -> None:
        self.trajectory_ = run
        self.n_clusters_ = len(np.unique(self.labels_))
        self.n_iter_ = int(run.n_iter.sum())
        self.beta_ = float(run.betas[-1])
        self.converged_ = bool(run.converged[-1])
        if not self.converged_:
            warnings.warn(
                f"the last temperature did not converge in max_iter={run.n_iter[-1]} sweeps; "
                "raise max_iter or tol in gencap.Annealing",
                ConvergenceWarning,
                stacklevel=4,
            )

    def anneal(
        self, X: Any, *, progress: ProgressCallback | None = None
    ) -> Iterator[AnnealingStep]:
        """Yield the annealing of `X` temperature by temperature, while it runs.

        The best of `n_init` starts is found before the first step, because it may begin at a low
        temperature and be heated from there. Then every step takes as long as its temperature, in
        the order of rising beta. The steps are those of `fit`.

        Parameters
        ----------
        X : array-like
            As in `fit`; not to be changed while the generator is in use.
        progress : callable, optional
            Receives `gencap.Progress` values; raising from it cancels.

        Yields
        ------
        AnnealingStep
        """
        if self.solver == "search":
            raise ValueError(
                "solver 'search' looks for one labeling and has no steps to yield; use "
                "solver='mean_field' or 'gibbs'"
            )
        control = as_control(progress)
        graph = self.open(X, control)
        check_n_clusters(self.n_clusters, graph.n_objects)
        cost = self.core_cost(self.shift_for([graph]) + graph.shift)
        yield from graph_steps(
            graph,
            cost,
            self.core_params(),
            n_clusters=self.n_clusters,
            seed=check_seed(self.random_state),
            n_init=check_integer(self.n_init, "n_init"),
            threads=check_n_jobs(self.n_jobs),
            control=control,
        )
