"""Objects in the plane: principal components, or the embedding of a similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap._validation import FloatArray, check_integer, check_matrix, check_seed
from gencap.similarity import Measure, Similarity
from gencap.summaries._spectrum import as_similarity, leading_eigenpairs

__all__ = ["Projection", "project"]

# The smaller side of a table up to which its Gram matrix is decomposed exactly.
EXACT_SIDE = 2_000


@dataclass(frozen=True, eq=False)
class Projection:
    """Objects in few dimensions, and the way there for cluster centers.

    Parameters
    ----------
    coordinates : ndarray of shape (N, n_components)
        Largest variance first; columns of zeros where the data have fewer dimensions.
    explained : ndarray of shape (n_components,)
        Share of the total variance (for embeddings, of the eigenvalue sum) along each axis.
    kind : str
        "pca" or "embedding".
    center : ndarray of shape (D,) or None
        Mean of the columns (pca only).
    axes : ndarray of shape (D, n_components) or None
        Directions of the axes (pca only).
    """

    coordinates: FloatArray
    explained: FloatArray
    kind: str
    center: FloatArray | None = None
    axes: FloatArray | None = None

    def project_centers(self, centers: Any) -> FloatArray:
        """Place points of the data's own space, such as centroids, in the plane.

        Parameters
        ----------
        centers : array-like of shape (..., D)
            Any number of points.

        Returns
        -------
        ndarray of shape (..., n_components)
        """
        if self.center is None or self.axes is None:
            raise ValueError(
                "project_centers needs the vector space of a 'pca' projection: this one embeds "
                "similarities; use project_memberships with the assignment probabilities"
            )
        points = np.asarray(centers, dtype=np.float64)
        if points.ndim == 0 or points.shape[-1] != len(self.center):
            found = points.shape[-1] if points.ndim else 0
            raise ValueError(
                f"centers must have the {len(self.center)} columns of the projected table: "
                f"got {found}; project the table the centers belong to"
            )
        return np.asarray((points - self.center) @ self.axes)

    def project_memberships(self, probabilities: Any) -> FloatArray:
        """Place clusters at the weighted mean of their objects; works for every projection.

        Parameters
        ----------
        probabilities : array-like of shape (..., N, K)
            Weights of the objects in each cluster.

        Returns
        -------
        ndarray of shape (..., K, n_components)
            Empty clusters are placed at NaN.
        """
        weights = np.asarray(probabilities, dtype=np.float64)
        n = len(self.coordinates)
        if weights.ndim < 2 or weights.shape[-2] != n:
            raise ValueError(
                f"probabilities must have one row per projected object: got shape {weights.shape} "
                f"for {n} objects; project the objects they belong to"
            )
        mass = weights.sum(axis=-2)[..., None]
        sums = np.swapaxes(weights, -1, -2) @ self.coordinates
        return np.asarray(np.divide(sums, mass, out=np.full_like(sums, np.nan), where=mass > 0))


def project(
    X: Any, n_components: int = 2, measure: Measure | None = None, random_state: Any = 0
) -> Projection:
    """Place objects in the plane in which they differ most.

    Parameters
    ----------
    X : array-like or DataFrame of shape (N, D), or Similarity
        The objects; one column is enough.
    n_components : int
        Number of axes.
    measure : str, optional
        Compare the rows by this measure and embed the similarities (classical scaling); without
        it the principal components of the table.
    random_state : None, int or Generator
        For tables beyond 2,000 rows and columns, whose components are found by random projection.

    Returns
    -------
    Projection

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0, 5.0], [3.0, 0.0, 5.0], [0.0, 1.0, 5.0], [3.0, 1.0, 5.0]])
    >>> plane = project(X)
    >>> plane.explained.round(3)
    array([0.9, 0.1])
    >>> plane.project_centers([[1.5, 0.5, 5.0]]).round(6) + 0.0
    array([[0., 0.]])
    >>> project(X[:, :1]).coordinates.shape
    (4, 2)
    """
    wanted = check_integer(n_components, "n_components")
    if isinstance(X, Similarity) or measure is not None:
        return _embed(X, wanted, measure or "precomputed")
    values = check_matrix(X, "X").values
    center = values.mean(axis=0)
    axes, variances = _principal_axes(values - center, wanted, random_state)
    total = float(np.square(values - center).sum())
    axes = axes * _signs((values - center) @ axes)
    return Projection(
        (values - center) @ axes,
        _shares(variances, total),
        "pca",
        center,
        np.ascontiguousarray(axes),
    )


def _principal_axes(
    centered: FloatArray, wanted: int, random_state: Any
) -> tuple[FloatArray, FloatArray]:
    """Return the (D, wanted) directions and their sums of squares; absent directions are zero."""
    rows, columns = centered.shape
    count = min(wanted, rows, columns)
    if min(rows, columns) > EXACT_SIDE:
        from sklearn.utils.extmath import randomized_svd

        seed = check_seed(random_state) % 2**32
        _, lengths, axes = randomized_svd(centered, count, random_state=seed)
        found, variances = axes.T, lengths**2
    elif columns <= rows:
        values, vectors = np.linalg.eigh(centered.T @ centered)
        found, variances = vectors[:, ::-1][:, :count], values[::-1][:count]
    else:
        # The smaller Gram matrix: wide tables may have thousands of columns.
        values, vectors = np.linalg.eigh(centered @ centered.T)
        lengths = np.sqrt(np.maximum(values[::-1][:count], 0.0))
        images = centered.T @ vectors[:, ::-1][:, :count]
        found = np.divide(images, lengths, out=np.zeros_like(images), where=lengths > 0)
        variances = lengths**2
    full = np.zeros((columns, wanted))
    full[:, :count] = found
    return full, np.pad(np.maximum(variances, 0.0), (0, wanted - count))


def _embed(X: Any, wanted: int, measure: Measure) -> Projection:
    relation = as_similarity(X, measure)
    n = len(relation)
    values, vectors = leading_eigenpairs(relation, min(wanted, n))
    found = vectors * np.sqrt(np.maximum(values, 0.0))
    coordinates = np.zeros((n, wanted))
    coordinates[:, : found.shape[1]] = found * _signs(found)
    variances = np.zeros(wanted)
    variances[: len(values)] = np.maximum(values, 0.0)
    # Trace of Q S Q / 2; similarities that no vectors have can make it smaller than its parts.
    trace = 0.5 * float(relation.diagonal.sum() - relation.degrees().mean())
    return Projection(coordinates, _shares(variances, max(trace, variances.sum())), "embedding")


def _signs(columns: FloatArray) -> FloatArray:
    """Signs that make the largest entry of every column positive: axes have no sign."""
    largest = np.abs(columns).argmax(axis=0)
    return np.where(columns[largest, np.arange(columns.shape[1])] < 0, -1.0, 1.0)


def _shares(variances: FloatArray, total: float) -> FloatArray:
    return variances / total if total > 0 else np.zeros_like(variances)
