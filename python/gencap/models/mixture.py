"""Gaussian costs under annealing."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted, validate_data

from gencap._validation import (
    FloatArray,
    IntArray,
    check_choice,
    check_matrix,
    check_positive,
)
from gencap.annealing import Annealing
from gencap.models._base import AnnealedClusterer
from gencap.models.centroid import within_sum_of_squares

__all__ = ["GaussianMixture"]


class GaussianMixture(AnnealedClusterer):
    """Clustering by Gaussian densities, annealed.

    The cost of object i in cluster k is h_ik = ``-ln N(x_i | mu_k, Sigma_k)`` and P_ik is
    proportional to ``exp(-beta h_ik)``: beta = 1 is the ordinary mixture with equal weights.

    With ``covariance="fixed"`` this is `CentroidClustering` in other units. Free covariances are
    meaningful up to beta = 1 only. They are fitted there, from a finished k-means annealing, and
    followed to higher temperatures: cooled from above they could not split, because covariances
    that whiten the data put the first critical inverse temperature exactly at 1.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of components.
    covariance : {"fixed", "spherical", "diag", "full"}, default="fixed"
        Shape of the covariances.
    variance : float, default=1.0
        The common variance for ``covariance="fixed"``. It sets the unit of beta; capacities do not
        depend on it.
    reg_covar : float, default=1e-6
        Added to free variances, as a fraction of the data's mean variance.
    solver : {"mean_field", "gibbs", "metropolis", "collapsed_gibbs"}, default="mean_field"
        As in `CentroidClustering`; the collapsed samplers need ``covariance="fixed"``.
    n_init : int, default=1
        Starts; the lowest final cost (free covariances: highest likelihood) wins.
    annealing : Annealing, optional
        The schedule; None takes the defaults.
    mass_constrained : bool, default=False
        Let cluster weights enter; needs ``covariance="fixed"``. For fitting only.
    random_state : None, int or Generator
        Seed of everything random.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.

    Attributes
    ----------
    labels_, probabilities_, cluster_centers_, cost_, n_clusters_, trajectory_
        As in `CentroidClustering`; `cost_` is the sum of ``-ln N`` under the labels.
    covariances_ : ndarray or None
        (K, 1), (K, D) or (K, D, D); None where fixed.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap import GaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(9, 3, (50, 2))])
    >>> model = GaussianMixture(2, covariance="full", random_state=0).fit(X)
    >>> sorted(np.bincount(model.labels_).tolist()), model.covariances_.shape
    ([50, 50], (2, 2, 2))
    """

    solvers: ClassVar[tuple[str, ...]] = ("mean_field", "gibbs", "metropolis", "collapsed_gibbs")

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance: str = "fixed",
        variance: float = 1.0,
        reg_covar: float = 1e-6,
        solver: str = "mean_field",
        n_init: int = 1,
        annealing: Annealing | None = None,
        mass_constrained: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.variance = variance
        self.reg_covar = reg_covar
        self.solver = solver
        self.n_init = n_init
        self.annealing = annealing
        self.mass_constrained = mass_constrained
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def heats(self) -> bool:
        """Whether temperatures are visited from the lowest to the highest."""
        return self.covariance != "fixed"

    @property
    def has_matrices(self) -> bool:
        """Whether every cluster has a full covariance matrix of its own."""
        return self.covariance == "full"

    def _shape(self) -> dict[str, Any]:
        shapes = ("fixed", "spherical", "diag", "full")
        return {
            "shape": check_choice(self.covariance, "covariance", shapes),
            "variance": check_positive(self.variance, "variance"),
            "reg_covar": float(self.reg_covar),
        }

    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-density of every row under the fitted mixture, in nats.

        Parameters
        ----------
        X : array-like of shape (N, D) or DataFrame
            Objects, of the fitted sample or new ones.

        Returns
        -------
        ndarray of shape (N,)
            ``ln sum_k w_k N(x | mu_k, Sigma_k)``; weights are equal unless `mass_constrained`.
        """
        check_is_fitted(self)
        x = check_matrix(X, "X").values
        validate_data(self, X, skip_check_array=True, reset=False)
        k = len(self.cluster_centers_)
        weights = np.full(k, 1.0 / k) if self.weights_ is None else self.weights_
        found: FloatArray = logsumexp(-self._potentials(x), axis=1, b=weights)
        return found

    def _labeling_cost(self, codes: IntArray, x: FloatArray) -> float:
        n, d = x.shape
        if self.covariance == "fixed":
            constant = 0.5 * n * d * math.log(2 * math.pi * self.variance)
            return float(within_sum_of_squares(codes, x) / (2 * self.variance) + constant)
        floor = self.reg_covar * float(x.var(axis=0).mean()) + math.sqrt(np.finfo(float).tiny)
        kinds = np.unique(codes)
        return sum(_density_cost(x[codes == kind], self.covariance, floor) for kind in kinds)


def _density_cost(x: FloatArray, covariance: str, floor: float) -> float:
    """-ln N summed over the rows of one cluster, at its own mean and covariance."""
    n, d = x.shape
    gaps = x - x.mean(axis=0)
    if covariance == "full":
        matrix = gaps.T @ gaps / n + floor * np.eye(d)
        log_det = float(np.linalg.slogdet(matrix)[1])
        squared = float(np.einsum("ij,ij->", gaps @ np.linalg.inv(matrix), gaps))
    else:
        variances = (gaps**2).mean(axis=0)
        if covariance == "spherical":
            variances = np.full(d, variances.mean())
        variances = variances + floor
        log_det = float(np.log(variances).sum())
        squared = float((gaps**2 / variances).sum())
    return float(0.5 * (n * (d * math.log(2 * math.pi) + log_det) + squared))
