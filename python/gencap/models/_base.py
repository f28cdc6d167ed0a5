"""What all annealed models share: fitting, stepping, predicting."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from gencap import _core
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    IntArray,
    check_choice,
    check_integer,
    check_labels,
    check_matrix,
    check_n_clusters,
    check_n_jobs,
    check_seed,
)
from gencap.annealing import Annealing, best_run, steps
from gencap.results import AnnealingStep, Trajectory
from gencap.sampling import simulated_annealing

__all__ = ["AnnealedClusterer"]


class AnnealedClusterer(ClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the models whose weights factorize over objects.

    Subclasses name their cost function through `_shape` and `cost`.
    """

    solvers: ClassVar[tuple[str, ...]] = (
        "mean_field",
        "gibbs",
        "metropolis",
        "collapsed_gibbs",
        "simulated_annealing",
    )

    n_clusters: int
    solver: str
    n_init: int
    annealing: Annealing | None
    mass_constrained: bool
    random_state: Any
    n_jobs: int | None

    @abstractmethod
    def _shape(self) -> dict[str, Any]:
        """Return the settings of the compiled core that select the cost function."""

    def cost(self, labels: Any, X: Any) -> float:
        """Evaluate the model's cost function on any labeling of the rows of `X`."""
        matrix = check_matrix(X, "X")
        codes = check_labels(labels, "labels")
        if len(codes) != len(matrix.values):
            raise ValueError(
                f"labels must have one entry per row of X: got {len(codes)} labels for "
                f"{len(matrix.values)} rows"
            )
        return self._labeling_cost(codes, matrix.values)

    @abstractmethod
    def _labeling_cost(self, codes: IntArray, x: FloatArray) -> float:
        """Return the cost of checked labels on checked data."""

    def core_params(self) -> _core.AnnealParams:
        """Check the parameters and hand them to the compiled core."""
        solver = check_choice(self.solver, "solver", self.solvers)
        annealing = Annealing() if self.annealing is None else self.annealing
        if not isinstance(annealing, Annealing):
            raise TypeError(
                f"annealing must be a gencap.Annealing or None: got {type(annealing).__name__}"
            )
        return _core.AnnealParams(
            n_clusters=check_integer(self.n_clusters, "n_clusters"),
            solver="mean_field" if solver == "simulated_annealing" else solver,
            mass_constrained=bool(self.mass_constrained),
            **self._shape(),
            **annealing.settings(),
        )

    def fit(self, X: Any, y: Any = None, *, progress: ProgressCallback | None = None) -> Self:
        """Anneal the rows of `X` until assignments are hard.

        Parameters
        ----------
        X : array-like of shape (N, D) or DataFrame
            One row per object.
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
            self._fit(X, progress)
        except BaseException:
            # A fit that failed or was cancelled leaves the model as it was.
            self.__dict__ = before
            raise
        return self

    def _fit(self, X: Any, progress: ProgressCallback | None) -> None:
        x = check_matrix(X, "X").values
        validate_data(self, X, skip_check_array=True)
        check_n_clusters(self.n_clusters, len(x))
        params = self.core_params()
        control, self.seed_ = as_control(progress), check_seed(self.random_state)
        if self.solver == "simulated_annealing":
            self._fit_assignment(x, control)
        else:
            self._fit_run(x, params, control)
        self.n_clusters_ = len(np.unique(self.labels_))
        self.cost_ = self._labeling_cost(self.labels_, x)
        self.shift_ = None

    def _fit_run(self, x: FloatArray, params: _core.AnnealParams, control: Control) -> None:
        threads = check_n_jobs(self.n_jobs)
        run, costs = best_run(
            x,
            params,
            seed=self.seed_,
            n_init=check_integer(self.n_init, "n_init"),
            threads=threads,
            control=control,
            full=self.has_matrices,
        )
        self.trajectory_: Trajectory | None = run
        self.n_iter_ = int(run.n_iter.sum())
        self.converged_ = bool(run.converged[-1])
        if not self.converged_:
            warnings.warn(
                f"the last temperature did not converge in max_iter={run.n_iter[-1]} iterations; "
                "raise max_iter or tol in gencap.Annealing",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.restart_costs_ = costs
        self.beta_ = float(run.betas[-1])
        self.cluster_centers_ = run.centroids[-1]
        self.covariances_ = None if run.covariances is None else run.covariances[-1]
        self.weights_ = run.masses[-1] if self.mass_constrained else None
        self.probabilities_ = self._probabilities(x)
        self.labels_ = self.probabilities_.argmax(axis=1)

    def _fit_assignment(self, x: FloatArray, control: Control) -> None:
        found = simulated_annealing(
            x,
            self.n_clusters,
            n_init=check_integer(self.n_init, "n_init"),
            random_state=self.seed_,
            n_jobs=self.n_jobs,
            progress=control,
        )
        self.trajectory_ = None
        self.n_iter_ = len(found.costs)
        self.converged_ = bool(found.converged)
        self.restart_costs_ = found.run_costs
        self.beta_ = float("inf")
        self.cluster_centers_ = found.centroids
        self.covariances_, self.weights_ = None, None
        self.labels_ = found.labels
        self.probabilities_ = np.eye(self.n_clusters)[found.labels]

    def anneal(
        self, X: Any, *, progress: ProgressCallback | None = None
    ) -> Iterator[AnnealingStep]:
        """Yield the annealing of `X` temperature by temperature, while it runs.

        Free covariances are followed from beta = 1 downwards, everything else from the critical
        temperature to hard assignments.

        Parameters
        ----------
        X : array-like of shape (N, D) or DataFrame
            One row per object; not to be changed while the generator is in use.
        progress : callable, optional
            Receives `gencap.Progress` values; raising from it cancels.

        Yields
        ------
        AnnealingStep
        """
        x = check_matrix(X, "X").values
        check_n_clusters(self.n_clusters, len(x))
        if self.solver == "simulated_annealing":
            raise ValueError(
                "solver 'simulated_annealing' searches for one assignment and has no steps to "
                "yield; use solver='metropolis' or 'collapsed_gibbs'"
            )
        yield from steps(
            x,
            self.core_params(),
            seed=check_seed(self.random_state),
            n_init=check_integer(self.n_init, "n_init"),
            threads=check_n_jobs(self.n_jobs),
            control=as_control(progress),
            heating=self.heats,
            full=self.has_matrices,
        )

    @property
    def heats(self) -> bool:
        """Whether temperatures are visited from the lowest to the highest."""
        return False

    @property
    def has_matrices(self) -> bool:
        """Whether every cluster has a full covariance matrix of its own."""
        return False

    def predict(self, X: Any) -> IntArray:
        """Return the likeliest cluster of every row of `X`."""
        labels: IntArray = self.predict_proba(X).argmax(axis=1)
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the assignment probabilities (N, K) of new rows at the final temperature."""
        check_is_fitted(self)
        x = check_matrix(X, "X").values
        validate_data(self, X, skip_check_array=True, reset=False)
        return self._probabilities(x)

    def _potentials(self, x: FloatArray) -> FloatArray:
        """Return the costs (N, K) of every row in every fitted cluster."""
        centers, k = self.cluster_centers_, len(self.cluster_centers_)
        covariances = np.zeros((k, 0)) if self.covariances_ is None else self.covariances_
        shapes = np.ascontiguousarray(covariances.reshape(k, -1))
        return _core.potentials(x, self.core_params(), centers, shapes)

    def _probabilities(self, x: FloatArray) -> FloatArray:
        centers, k = self.cluster_centers_, len(self.cluster_centers_)
        if not np.isfinite(self.beta_):
            one_hot: FloatArray = np.eye(k)[self._potentials(x).argmin(axis=1)]
            return one_hot
        with np.errstate(divide="ignore"):
            weights = None if self.weights_ is None else np.log(self.weights_)
        covariances = np.zeros((k, 0)) if self.covariances_ is None else self.covariances_
        return _core.probabilities(
            x,
            self.core_params(),
            centers,
            np.ascontiguousarray(covariances.reshape(k, -1)),
            self.beta_,
            weights,
            check_n_jobs(self.n_jobs),
        )
