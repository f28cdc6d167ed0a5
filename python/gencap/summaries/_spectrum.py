"""Leading eigenvalues of a similarity, without forming it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from gencap._validation import FloatArray, check_integer
from gencap.similarity import Measure, Similarity, similarity

__all__ = ["as_similarity", "eigenspectrum", "leading_eigenpairs"]

# Up to here a full decomposition takes a fraction of a second and never fails to converge.
SMALL = 400
# Rows computed on the fly cost N^2 D steps per product; beyond this a picture takes minutes.
MOST_ON_THE_FLY = 20_000


def eigenspectrum(S: Any, n_values: int = 50, measure: Measure = "precomputed") -> FloatArray:
    """Return the leading eigenvalues of the centered similarities, largest first.

    The matrix is W = Q S Q / 2 with the centering projection Q: for S = v - D these are the
    variances of the objects embedded with squared distances D. A shift of all similarities changes
    nothing. A spectrum that falls off sharply confines the objects to few dimensions, which is
    where clusters are found most easily (thesis, Fig. 56).

    Parameters
    ----------
    S : Similarity, or array-like
        Similarities; or vectors together with `measure`.
    n_values : int
        How many; all of them where there are fewer objects.
    measure : str
        How the rows of `S` are compared, where it holds vectors.

    Returns
    -------
    ndarray of shape (min(n_values, N),)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    >>> eigenspectrum(X, measure="sqeuclidean").round(6) + 0.0
    array([4., 1., 0., 0.])
    """
    relation = as_similarity(S, measure)
    count = min(check_integer(n_values, "n_values"), len(relation))
    values, _ = leading_eigenpairs(relation, count)
    return values


def as_similarity(S: Any, measure: Measure) -> Similarity:
    """Return a similarity that can be multiplied with in reasonable time, or say why not."""
    relation = S if isinstance(S, Similarity) else similarity(S, measure)
    if relation.representation == "rows" and len(relation) > MOST_ON_THE_FLY:
        raise ValueError(
            f"measure {relation.measure!r} has no cheap form for {len(relation):,} objects; use "
            f"'sqeuclidean', 'pearson' or 'path', or at most {MOST_ON_THE_FLY:,} rows"
        )
    return relation


def leading_eigenpairs(S: Similarity, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the `count` largest eigenvalues of Q S Q / 2 and their vectors, largest first."""
    n = len(S)
    if n <= SMALL or count >= n - 1:
        matrix = _center(0.5 * S.toarray())
        low = max(0, n - count)
        values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(low, n - 1))
        return values[::-1].copy(), vectors[:, ::-1].copy()

    def product(v: FloatArray) -> FloatArray:
        image = 0.5 * (S @ (v - v.mean(axis=0)))
        return np.asarray(image - image.mean(axis=0))

    operator = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    try:
        # Pictures and spectra on a logarithmic axis need no more digits than this.
        values, vectors = eigsh(operator, k=count, which="LA", v0=start, tol=1e-8)
    except ArpackNoConvergence as stopped:
        # Many equal eigenvalues, as of a tree with equal branches: those found are right.
        values, vectors = np.real(stopped.eigenvalues), np.real(stopped.eigenvectors)
    order = np.argsort(values)[::-1]
    return np.asarray(values[order]), np.asarray(vectors[:, order])


def _center(matrix: FloatArray) -> FloatArray:
    matrix = matrix - matrix.mean(axis=0)
    return np.asarray(matrix - matrix.mean(axis=1, keepdims=True))
