"""Objects from isotropic Gaussian sources, measured twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from gencap._validation import FloatArray, check_integer, check_matrix, check_positive, check_seed
from gencap.datasets._dataset import Dataset
from gencap.datasets.information import check_weights, mutual_information

__all__ = ["FIVE_CENTERS", "SQUARE", "five_gaussians", "gaussians", "two_gaussians_high_dimension"]

SQUARE = ((-4.0, -4.0), (-4.0, 4.0), (4.0, -4.0), (4.0, 4.0))
FIVE_CENTERS = ((1.0, 0.0), (0.0, 1.5), (-2.0, 0.0), (0.0, -3.0), (4.25, -4.0))


def gaussians(
    n_objects: int = 800,
    centers: Any = SQUARE,
    variance: float = 5.0,
    weights: Any = None,
    random_state: Any = None,
) -> Dataset:
    """Objects from Gaussian sources, measured twice with independent noise.

    The defaults are the overlapping sources of Figs. 20 to 22 of the thesis; ``variance=1`` gives
    the well-separated ones of Figs. 18 and 19.

    Parameters
    ----------
    n_objects : int
        Number of objects N.
    centers : array-like of shape (K, D)
        Centers of the sources.
    variance : float
        Noise variance in every direction.
    weights : array-like of shape (K,), optional
        Probabilities of the sources; equal by default.
    random_state : None, int or Generator
        Seed of the draw.

    Returns
    -------
    Dataset
        `truth` holds the source of each object, which both measurements share. `information` is
        their mutual information (None where the centers span more than three dimensions).

    References
    ----------
    M. Haghir Chehreghani, "Information-theoretic validation of clustering algorithms", PhD thesis,
    ETH Zurich, 2013, section 6.1.1.

    Examples
    --------
    >>> data = gaussians(random_state=0)
    >>> data.first.shape, round(data.information, 4)
    ((800, 2), 1.4946)
    """
    n_objects = check_integer(n_objects, "n_objects")
    variance = check_positive(variance, "variance")
    points = check_matrix(centers, "centers").values
    probabilities = check_weights(weights, len(points))
    try:
        information = mutual_information(points, variance, probabilities)
    except ValueError:  # more dimensions than numerical integration reaches
        information = None
    description = (
        f"{len(points)} Gaussian sources in {points.shape[1]} dimensions, variance {variance:g}"
    )
    return _measured_twice(
        n_objects, points, variance, probabilities, description, information, random_state
    )


def five_gaussians(n_objects: int = 2000, random_state: Any = None) -> Dataset:
    """Five Gaussian sources of unequal distance: Figs. 13 and 14 of the thesis.

    The centers are (1, 0), (0, 1.5), (-2, 0), (0, -3), (4.25, -4), equally likely, with variance
    1/2, so that the optimal inverse temperature is 1 / (2 variance) = 1. The thesis draws 10,000
    objects.

    Parameters
    ----------
    n_objects : int
        Number of objects.
    random_state : None, int or Generator
        Seed of the draw.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 5.4.1.

    Examples
    --------
    >>> data = five_gaussians(random_state=0)
    >>> data.n_objects, round(data.information, 4)
    (2000, 1.9138)
    """
    return gaussians(n_objects, FIVE_CENTERS, 0.5, random_state=random_state)


def two_gaussians_high_dimension(
    n_objects: int = 500,
    n_features: int = 100,
    separation: float | None = None,
    variance: float = 0.5,
    random_state: Any = None,
) -> Dataset:
    """Two Gaussian sources in many dimensions: the learnability limits of Figs. 16 and 17.

    Parameters
    ----------
    n_objects : int
        Number of objects N; the phases depend on alpha = N / D.
    n_features : int
        Number of dimensions D: 100, 500 and 3000 in the thesis.
    separation : float, optional
        u = |mu1 - mu2| / sqrt(2 variance), Eq. 95. By default 5 sqrt(100 / D): shrinking the
        distance with sqrt(1/D) is the reading of the thesis that shows all three phases.
    variance : float
        sigma_0, the noise variance in every direction.
    random_state : None, int or Generator
        Seed of the draw.

    Returns
    -------
    Dataset
        The centers are orthogonal, of equal length, in random directions.

    Notes
    -----
    The Bayes error is erfc(u / 2) / 2; the split becomes random below alpha_c = 4 u^-4.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 5.5.

    Examples
    --------
    >>> data = two_gaussians_high_dimension(n_features=500, random_state=0)
    >>> data.first.shape, round(data.information, 3)
    ((500, 500), 0.635)
    """
    n_objects = check_integer(n_objects, "n_objects")
    n_features = check_integer(n_features, "n_features", minimum=2)
    variance = check_positive(variance, "variance")
    u = 5.0 * float(np.sqrt(100.0 / n_features)) if separation is None else separation
    u = check_positive(u, "separation")
    rng = np.random.default_rng(check_seed(random_state))
    directions = np.linalg.qr(rng.standard_normal((n_features, 2)))[0].T
    # orthogonal centers of length a lie a sqrt(2) apart, hence a = u sqrt(variance)
    centers = np.ascontiguousarray(directions) * (u * np.sqrt(variance))
    description = f"2 Gaussian sources in {n_features} dimensions, separation u = {u:.3g}"
    information = mutual_information(centers, variance)
    half = np.full(2, 0.5)
    return _measured_twice(n_objects, centers, variance, half, description, information, rng)


def _measured_twice(
    n_objects: int,
    centers: FloatArray,
    variance: float,
    weights: FloatArray,
    description: str,
    information: float | None,
    random_state: Any,
) -> Dataset:
    rng = np.random.default_rng(check_seed(random_state))
    truth = rng.choice(len(centers), size=n_objects, p=weights).astype(np.int64)
    shape = (n_objects, centers.shape[1])
    first, second = (
        centers[truth] + np.sqrt(variance) * rng.standard_normal(shape) for _ in range(2)
    )
    return Dataset(first, second, truth, description, information, centers=centers.copy())
