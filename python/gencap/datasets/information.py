"""Population mutual information of two measurements, by numerical integration."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

from gencap._validation import FloatArray, check_matrix, check_positive

__all__ = ["check_weights", "mutual_information"]

# Step of the trapezoidal rule by the number of dimensions the centers span, in standard deviations.
STEPS = {1: 0.01, 2: 0.1, 3: 0.25}
# The Gaussian weight beyond is below 1e-18, less than float64 resolves.
REACH = 9.0


def mutual_information(centers: Any, variance: float, weights: Any = None) -> float:
    """Bits that one noisy measurement of an object tells about another one.

    Object i has a source k with probability w_k; its two measurements are the center of that source
    plus independent noise N(0, variance I).

    Parameters
    ----------
    centers : array-like of shape (K, D)
        Source centers; they may span at most three dimensions.
    variance : float
        Variance of the noise in every direction.
    weights : array-like of shape (K,), optional
        Probabilities of the sources; equal by default.

    Returns
    -------
    float
        I(X1; X2) in bits per object, accurate to 1e-6 for centers in a plane.

    Notes
    -----
    X1 and X2 are independent given the source S, hence I(X1; X2) = 2 I(S; X1) - I(S; X1, X2). The
    mean of the two measurements is sufficient for S, so the last term is I(S; X) at half the
    variance. What remains is I(S; X) = -sum_k w_k E_z log2 sum_j w_j exp(|z|^2/2 - |z + a_kj|^2/2)
    with z standard normal and a_kj the difference of two centers in standard deviations: one
    integral over the space that the centers span. The trapezoidal rule converges exponentially.

    Examples
    --------
    The square of Figs. 20 and 21 of the thesis:

    >>> square = [(-4, -4), (-4, 4), (4, -4), (4, 4)]
    >>> round(mutual_information(square, variance=5.0), 4)
    1.4946
    """
    points = check_matrix(centers, "centers").values
    variance = check_positive(variance, "variance")
    probabilities = check_weights(weights, len(points))
    used = probabilities > 0.0
    points, probabilities = _within_span(points[used]), probabilities[used]
    one = _source_information(points / np.sqrt(variance), probabilities)
    both = _source_information(points / np.sqrt(variance / 2.0), probabilities)
    return max(0.0, 2.0 * one - both)


def check_weights(weights: Any, n_sources: int) -> FloatArray:
    """Return source probabilities that add up to 1; equal ones for None."""
    if weights is None:
        return np.full(n_sources, 1.0 / n_sources)
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n_sources,):
        raise ValueError(
            f"weights must hold one number per center: got shape {values.shape} for {n_sources} "
            "centers"
        )
    if not np.isfinite(values).all() or (values < 0.0).any() or values.sum() <= 0.0:
        raise ValueError(f"weights must be non-negative with a positive sum: got {values.tolist()}")
    return np.asarray(values / values.sum())


def _within_span(points: FloatArray) -> FloatArray:
    """Return the centers in coordinates of the smallest affine space that holds them."""
    centered = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    rank = int((sizes > 1e-12 * max(float(sizes.max()), 1e-300)).sum()) if centered.any() else 0
    if rank > max(STEPS):
        raise ValueError(
            f"centers must span at most {max(STEPS)} dimensions for numerical integration: they "
            f"span {rank}; estimate the information from a sample instead"
        )
    return np.asarray(left[:, :rank] * sizes[:rank])


def _source_information(points: FloatArray, probabilities: FloatArray) -> float:
    """I(S; X) in bits for unit noise."""
    rank = points.shape[1]
    if rank == 0:
        return 0.0
    ticks = np.arange(-REACH, REACH + STEPS[rank] / 2.0, STEPS[rank])
    axes = np.meshgrid(*[ticks] * rank, indexing="ij")
    noise = np.stack([axis.ravel() for axis in axes], axis=1)
    density = np.exp(-0.5 * (noise**2).sum(axis=1))
    density /= density.sum()
    total = 0.0
    for k, weight in enumerate(probabilities):
        apart = points[k] - points
        exponent = -noise @ apart.T - 0.5 * (apart**2).sum(axis=1)
        total -= float(weight) * float(density @ logsumexp(exponent, axis=1, b=probabilities))
    return float(total / np.log(2.0))
