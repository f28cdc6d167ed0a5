"""Likelihoods: of gencap's and scikit-learn's mixtures, and of any partition read as a mixture."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from gencap._carrying import VectorSpace, indicators
from gencap._fitting import fit_clone, labels_of, size_parameter
from gencap._progress import Control
from gencap._validation import FloatArray, IntArray
from gencap.annealing import Annealing
from gencap.criteria.dimension import effective_dimension
from gencap.models import (
    AnnealedClusterer,
    DominantSets,
    GaussianMixture,
    GraphClusterer,
    PairwiseClustering,
)
from gencap.similarity import Similarity

__all__ = ["at_one", "check_likelihood", "likelihood"]

# Only the last temperature counts, so few steps lead there; but surplus components of a well-fitted
# mixture are about to split exactly at beta = 1, where iterations converge slowly.
SCHEDULE = Annealing(n_steps=20, max_iter=10_000)
# Least common variance, as a share of that with one cluster: as many clusters as objects have none.
FLOOR = 1e-6


def at_one(model: Any) -> Any:
    """Let the annealing of a mixture end at beta = 1, where its weights are those of a density."""
    if not isinstance(model, GaussianMixture):
        return model
    if model.mass_constrained:
        raise ValueError(
            "mass_constrained must be False: its weights are parameters that are not counted here"
        )
    annealing = SCHEDULE if model.annealing is None else model.annealing
    fresh = type(model)(**model.get_params(deep=False))
    return fresh.set_params(annealing=replace(annealing, stop=1.0))


def check_likelihood(model: Any) -> None:
    """Refuse the models that have no likelihood, not even by a common reading."""
    size_parameter(model)
    if isinstance(model, GraphClusterer | DominantSets) and not isinstance(
        model, PairwiseClustering
    ):
        raise TypeError(
            f"model has no likelihood and no known number of parameters: got "
            f"{type(model).__name__}; use gencap.transfer_costs or criteria.instability, or "
            "PairwiseClustering for similarities"
        )
    if hasattr(model, "score_samples") and not isinstance(model, AnnealedClusterer):
        if not hasattr(model, "aic"):
            raise TypeError(
                f"model does not tell how many parameters it has: got {type(model).__name__}; use "
                "sklearn.mixture.GaussianMixture or gencap.GaussianMixture"
            )


def likelihood(
    model: Any, x: Any, k: int, seed: int, dimension: float | None, control: Control
) -> tuple[float, float]:
    """Return -ln L and the number of parameters phi of `model` with `k` clusters."""
    fitted = fit_clone(model, x, k, seed, control)
    if isinstance(fitted, GaussianMixture):
        return _annealed(fitted, x)
    if hasattr(fitted, "aic") and hasattr(fitted, "score"):
        negative = -float(fitted.score(x)) * len(x)
        return negative, 0.5 * (float(fitted.aic(x)) - 2.0 * negative)
    codes = labels_of(fitted, x)
    if isinstance(fitted, PairwiseClustering):
        distances = kernel_distances(x, codes)
        d = effective_dimension(x) if dimension is None else dimension
    else:
        distances, d = VectorSpace(x, x).to_clusters(codes), float(x.shape[1])
    return partition_mixture(distances, codes, d), _partition_parameters(codes, d)


def _annealed(model: GaussianMixture, x: FloatArray) -> tuple[float, float]:
    if model.trajectory_ is None:
        raise ValueError(f"solver must follow temperatures: got {model.solver!r}")
    n, d = x.shape
    # At beta = 1 the free energy is -sum_i ln sum_k N(x_i | mu_k, C_k); equal weights add ln K.
    negative = float(model.trajectory_.free_energies[-1]) + n * math.log(model.n_clusters)
    covariance = {"fixed": 0, "spherical": 1, "diag": d, "full": d * (d + 1) // 2}
    return negative, float(model.n_clusters * (d + covariance[model.covariance]))


def kernel_distances(S: Similarity, codes: IntArray) -> FloatArray:
    """Squared distances (N, L) to the cluster means, from similarities alone.

    With D_ij = S_ii + S_jj - 2 S_ij and M the membership shares, D M - diag(M'DM) / 2.
    """
    shares = indicators(codes) / np.bincount(codes)
    inner = S @ shares
    lengths = np.einsum("ik,ik->k", shares, inner)
    found: FloatArray = S.diagonal[:, None] - 2.0 * inner + lengths
    return found


def partition_mixture(distances: FloatArray, codes: IntArray, dimension: float) -> float:
    """-ln L of the spherical mixture whose centers, weights and variance a partition gives."""
    n = len(codes)
    own = float(distances[np.arange(n), codes].mean())
    weights = np.bincount(codes) / n
    # With W within and B between clusters, distances to all means average to W + 2 B.
    total = 0.5 * (own + float((distances @ weights).mean()))
    variance = max(own, FLOOR * total) / dimension
    if variance <= 0.0:
        raise ValueError(
            "X must vary: all objects are the same, and no likelihood can be given to them"
        )
    constant = 0.5 * dimension * math.log(2.0 * math.pi * variance)
    exponents = np.log(weights) - distances / (2.0 * variance) - constant
    return float(-logsumexp(exponents, axis=1).sum())


def _partition_parameters(codes: IntArray, dimension: float) -> float:
    """K D means, one variance and k - 1 weights; empty clusters have none."""
    k = int(codes.max()) + 1
    return k * dimension + 1.0 + (k - 1.0)
