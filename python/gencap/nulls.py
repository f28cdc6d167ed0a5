"""Twins of a data matrix that keep some of its structure and lose the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from gencap._validation import FloatArray, IntArray, check_choice

__all__ = [
    "NULLS",
    "gaussian_twin",
    "permute_columns",
    "permute_edges",
    "permute_sparse",
    "resample_matrix",
]

# Rows of Gaussian noise drawn at once, to bound the memory beside the result.
BLOCK = 4096


def permute_columns(X: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Permute every column by itself: the margins stay, every dependence between columns goes.

    Parameters
    ----------
    X : ndarray of shape (N, D)
        The data; left untouched.
    rng : numpy.random.Generator
        Source of the permutations.

    Returns
    -------
    ndarray of shape (N, D)
        Each column holds the same values as before, in a random order of its own.

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> Y = permute_columns(X, np.random.default_rng(0))
    >>> bool((np.sort(Y, axis=0) == X).all())
    True
    """
    return rng.permuted(X, axis=0)


def permute_edges(S: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Permute the similarities of different objects: their values stay, every structure goes.

    Parameters
    ----------
    S : ndarray of shape (N, N)
        Similarities; only the symmetric part counts.
    rng : numpy.random.Generator
        Source of the permutation.

    Returns
    -------
    ndarray of shape (N, N)
        Symmetric; the diagonal is as before.

    Examples
    --------
    >>> S = np.array([[9.0, 1.0, 2.0], [1.0, 9.0, 3.0], [2.0, 3.0, 9.0]])
    >>> twin = permute_edges(S, np.random.default_rng(0))
    >>> twin.diagonal().tolist(), sorted(twin[np.triu_indices(3, 1)].tolist())
    ([9.0, 9.0, 9.0], [1.0, 2.0, 3.0])
    """
    upper = np.triu_indices(len(S), 1)
    twin = np.diag(np.diag(S).astype(np.float64))
    twin[upper] = rng.permutation((S[upper] + S.T[upper]) / 2.0)
    twin.T[upper] = twin[upper]
    return twin


def permute_sparse(S: Any, rng: np.random.Generator) -> scipy.sparse.csr_array:
    """Put the edges of a sparse graph at random places: their weights and number stay.

    Every pair of different objects is equally likely to hold one of the edges, and the weights are
    dealt to these places at random; in other words, all N (N - 1) / 2 pairs are permuted, those
    without an edge included. So degrees are not kept: a hub, or a component of its own, is
    structure too, and what a null keeps can never count as found. Permuting the weights among the
    edges alone would leave the clusters of a neighbor graph, which lie in its places, where they
    are.

    Parameters
    ----------
    S : scipy.sparse matrix of shape (N, N)
        Similarities; only the symmetric part counts. Stored zeros are edges too.
    rng : numpy.random.Generator
        Source of places and order.

    Returns
    -------
    csr_array of shape (N, N)
        Symmetric; the diagonal is as before.

    Examples
    --------
    >>> S = scipy.sparse.csr_array(np.diag([1.0, 0.0, 0.0]) + np.diag([2.0, 3.0], 1))
    >>> twin = permute_sparse(S, np.random.default_rng(0)).toarray()
    >>> sorted(twin[np.triu_indices(3, 1)].tolist()), bool((twin == twin.T).all())
    ([0.0, 1.0, 1.5], True)
    """
    n = int(S.shape[0])
    rows = scipy.sparse.csr_array(S, dtype=np.float64)
    symmetric = scipy.sparse.csr_array((rows + rows.T) / 2.0)
    upper = scipy.sparse.coo_array(scipy.sparse.triu(symmetric, 1))
    places = rng.choice(n * (n - 1) // 2, size=len(upper.data), replace=False, shuffle=False)
    weights = rng.permutation(upper.data)
    i, j = _pair_at(places, n)
    half = scipy.sparse.csr_array(scipy.sparse.coo_array((weights, (i, j)), shape=(n, n)))
    diagonal = scipy.sparse.diags_array(symmetric.diagonal())
    return scipy.sparse.csr_array(half + half.T + diagonal)


def _pair_at(places: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Return the pairs i < j with these numbers, counted row by row from the last row."""
    back = ((np.sqrt(8.0 * places + 1.0) - 1.0) // 2.0).astype(np.int64)
    # The root of a large number is rounded: mend the neighbors.
    back -= back * (back + 1) // 2 > places
    back += (back + 1) * (back + 2) // 2 <= places
    return n - 2 - back, n - 1 - (places - back * (back + 1) // 2)


def gaussian_twin(X: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw as many rows from the Gaussian that has the mean and covariance of `X`.

    Parameters
    ----------
    X : ndarray of shape (N, D)
        The data; left untouched.
    rng : numpy.random.Generator
        Source of the noise.

    Returns
    -------
    ndarray of shape (N, D)
        Rows m + A^T g with A^T A the covariance (1/(N-1)) Xc^T Xc and g standard normal.

    Notes
    -----
    With more columns than rows the centered data itself serves as the factor, A = Xc / sqrt(N-1),
    so that nothing of size D x D is formed. Otherwise A comes from the correlation matrix, which
    keeps badly scaled columns exact. Constant columns stay as they are.

    Examples
    --------
    >>> X = np.column_stack([np.arange(5.0), np.full(5, 0.1)])
    >>> Y = gaussian_twin(X, np.random.default_rng(0))
    >>> Y.shape, bool((Y[:, 1] == 0.1).all())
    ((5, 2), True)
    """
    n_rows, n_columns = X.shape
    mean = X.mean(axis=0)
    constant = (X == X[0]).all(axis=0)
    centered = X - mean
    degrees = max(n_rows - 1, 1)
    if n_columns > n_rows:
        factor = centered / np.sqrt(degrees)
    else:
        scale = np.sqrt((centered**2).sum(axis=0) / degrees)
        centered /= np.where(scale > 0.0, scale, 1.0)
        spectrum, axes = np.linalg.eigh(centered.T @ centered / degrees)
        # rounding leaves tiny negative eigenvalues where the covariance is singular
        factor = np.sqrt(np.maximum(spectrum, 0.0))[:, None] * axes.T * scale
    twin = np.empty_like(X, dtype=np.float64)
    for start in range(0, n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, n_rows))
        noise = rng.standard_normal((rows.stop - start, len(factor)))
        twin[rows] = noise @ factor + mean
    twin[:, constant] = X[0, constant]
    return twin


NULLS: dict[str, Callable[[FloatArray, np.random.Generator], FloatArray]] = {
    "independent": permute_columns,
    "gaussian": gaussian_twin,
}


KINDS = tuple(NULLS)


def resample_matrix(X: FloatArray, kind: str, rng: np.random.Generator) -> FloatArray:
    """Draw the twin called `kind`: "independent" or "gaussian".

    Examples
    --------
    >>> resample_matrix(np.eye(4), "independent", np.random.default_rng(0)).sum(axis=0)
    array([1., 1., 1., 1.])
    """
    return NULLS[check_choice(kind, "kind", NULLS)](X, rng)
