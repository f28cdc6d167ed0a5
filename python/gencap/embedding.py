"""Constant shift embedding: vectors for pairwise relations that are no distances of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import DTypeLike
from scipy.sparse.linalg import LinearOperator, eigsh

from gencap._validation import FloatArray, check_integer
from gencap.similarity import Similarity, similarity

__all__ = ["Embedding", "constant_shift_embedding", "kmeans_vectors"]

# Eigenvalues below this share of the largest are rounding.
NEGLIGIBLE = 1e-10
# Up to here all eigenvalues are computed; that takes O(N^3) time and O(N^2) memory.
FULL_SPECTRUM = 5_000


@dataclass(frozen=True, eq=False)
class Embedding:
    """Vectors whose squared distances are the given ones plus a constant.

    Parameters
    ----------
    vectors : ndarray of shape (N, r)
        One row per object, columns by decreasing eigenvalue. A single column of zeros where all
        objects are the same.
    eigenvalues : ndarray
        Spectrum of the centered matrix before the shift, largest first; all N eigenvalues, or the
        leading ones for many objects.
    shift : float
        What was added to every squared distance between different objects: -2 times the lowest
        eigenvalue, 0 where none is negative.
    """

    vectors: FloatArray
    eigenvalues: FloatArray
    shift: float

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """Return the vectors."""
        return np.array(self.vectors, dtype=dtype, copy=copy)


def constant_shift_embedding(S: Any, n_components: int | None = None) -> Embedding:
    """Turn similarities into vectors that pairwise clustering sees as the same problem.

    With D_ij = (S_ii + S_jj) / 2 - S_ij, the centered matrix W = -Q D Q / 2 has its lowest
    eigenvalue raised to zero, and ``|y_i - y_j|^2 = D_ij + shift`` for i != j. For S = v - D,
    as `similarity` makes it from distances, that is the same D, taken as squared distances.
    Squared Euclidean distances return the vectors themselves up to a rotation.

    Parameters
    ----------
    S : Similarity or array-like of shape (N, N)
        Similarities. A shift of all of them changes nothing.
    n_components : int, optional
        Number of leading columns to keep; all that matter by default. Beyond 5,000 objects it
        must be given.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import numpy as np
    >>> import gencap
    >>> X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    >>> found = gencap.constant_shift_embedding(gencap.similarity(X, "sqeuclidean"))
    >>> found.vectors.shape, found.shift
    ((3, 2), 0.0)
    >>> gaps = found.vectors[:, None] - found.vectors
    >>> ((gaps**2).sum(axis=2)).round(6)
    array([[ 0.,  9., 16.],
           [ 9.,  0., 25.],
           [16., 25.,  0.]])
    """
    relation = S if isinstance(S, Similarity) else similarity(S, "precomputed")
    n = len(relation)
    if n_components is not None:
        n_components = check_integer(n_components, "n_components")
    if n <= FULL_SPECTRUM:
        spectrum, lowest, values, columns = _full(relation)
    elif n_components is None:
        raise ValueError(
            f"n_components must be given for more than {FULL_SPECTRUM:,} objects: got None for "
            f"{n:,}; all eigenvectors would take {n}^3 steps, name the number to keep"
        )
    else:
        spectrum, lowest, values, columns = _leading(relation, n_components)
    kept = values > max(NEGLIGIBLE * values.max(), 0.0)
    vectors = columns[:, kept][:, :n_components] * np.sqrt(values[kept][:n_components])
    if vectors.shape[1] == 0:
        vectors = np.zeros((n, 1))
    return Embedding(_signed(vectors), spectrum, -2.0 * lowest if lowest else 0.0)


def kmeans_vectors(S: Similarity) -> tuple[FloatArray, float]:
    """Return vectors whose k-means costs are those of pairwise clustering, and by how much.

    With K the number of non-empty clusters and the returned lowest eigenvalue l <= 0,

        pairwise cost = k-means cost - trace(S) / 2 + l (N - K)

    for every labeling: costs of different K are shifted differently. Similarities that are inner
    products or squared distances of vectors have those vectors, whatever N.

    Examples
    --------
    >>> import gencap
    >>> Y, lowest = kmeans_vectors(gencap.similarity([[0.0], [2.0], [7.0]], "sqeuclidean"))
    >>> (Y - Y.mean(axis=0)).round(6).ravel().tolist(), lowest
    ([-3.0, -1.0, 4.0], 0.0)
    """
    if S.representation == "low_rank":
        vectors, squared = S.core.parts()
        # x . y is half of what squared distances would have in its place.
        return np.asarray(vectors if squared is not None else vectors / np.sqrt(2.0)), 0.0
    if len(S) > FULL_SPECTRUM:
        raise ValueError(
            f"solver 'embedding' needs all eigenvectors of {len(S):,} objects: at most "
            f"{FULL_SPECTRUM:,} are feasible; use solver='mean_field', or a measure of vectors "
            "such as 'sqeuclidean' or 'pearson'"
        )
    found = constant_shift_embedding(S)
    return found.vectors, -0.5 * found.shift


def _full(S: Similarity) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """Spectrum of W, its lowest eigenvalue, and the eigenpairs of W - lowest Q, largest first."""
    W = _centered(0.5 * S.toarray())
    values, columns = scipy.linalg.eigh(W)
    spectrum = values[::-1].copy()
    lowest = _real_lowest(spectrum)
    if lowest < 0.0:
        # The constant direction stays at zero: subtract from the diagonal, then center again.
        W[np.diag_indices_from(W)] -= lowest
        values, columns = scipy.linalg.eigh(_centered(W))
    return spectrum, lowest, values[::-1], columns[:, ::-1]


def _leading(S: Similarity, count: int) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """Do the same for the leading eigenpairs only, without a matrix."""
    n = len(S)

    def centered_product(v: FloatArray) -> FloatArray:
        product = 0.5 * (S @ (v - v.mean(axis=0)))
        return np.asarray(product - product.mean(axis=0))

    start = np.random.default_rng(0).normal(size=n)
    W = LinearOperator((n, n), matvec=centered_product, matmat=centered_product, dtype=np.float64)
    values, columns = eigsh(W, k=min(count, n - 1), which="LA", v0=start)
    top = float(values.max())

    def below_top(v: FloatArray) -> FloatArray:
        return np.asarray(centered_product(v) - top * v)

    # Seen from the top the lowest eigenvalue is the largest in size, even where it is zero.
    flipped = LinearOperator((n, n), matvec=below_top, matmat=below_top, dtype=np.float64)
    lowest = top + float(eigsh(flipped, k=1, which="LM", v0=start, return_eigenvectors=False)[0])
    order = np.argsort(values)[::-1]
    spectrum = values[order]
    lowest = _real_lowest(np.append(spectrum, lowest))
    return spectrum, lowest, spectrum - lowest, columns[:, order]


def _centered(matrix: FloatArray) -> FloatArray:
    matrix = matrix - matrix.mean(axis=0)
    return np.asarray(matrix - matrix.mean(axis=1, keepdims=True))


def _real_lowest(spectrum: FloatArray) -> float:
    lowest = float(spectrum.min())
    return lowest if lowest < -NEGLIGIBLE * float(np.abs(spectrum).max()) else 0.0


def _signed(vectors: FloatArray) -> FloatArray:
    """Make the largest entry of every column positive: eigenvectors have no sign of their own."""
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
    return np.ascontiguousarray(vectors * signs)
