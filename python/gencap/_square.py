"""Check square matrices of relations between objects, dense or sparse; word their errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse

from gencap._validation import LARGEST, FloatArray, Matrix, check_matrix

__all__ = ["AsymmetryWarning", "check_distances", "check_graph", "check_similarities"]

# Differences below this share of the largest entry are rounding and not worth a word.
ROUNDING = 1e-10
# Rows and columns of the squares that are compared: they fit into the cache.
BLOCK = 128


class AsymmetryWarning(UserWarning):
    """A matrix of relations was not symmetric; its symmetric part is used."""


def check_similarities(S: Any, name: str) -> Matrix | scipy.sparse.csr_array:
    """Return a symmetric finite matrix, the caller's own memory where it already was so.

    Parameters
    ----------
    S : array-like, DataFrame or scipy.sparse matrix of shape (N, N)
        Similarities, or any other symmetric relation.
    name : str
        What the caller calls the argument; every message starts with it.

    Examples
    --------
    >>> check_similarities([[1, 0.5], [0.5, 1]], "S").values
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if scipy.sparse.issparse(S):
        return _symmetric_sparse(check_graph(S, name), name)
    matrix = check_matrix(S, name)
    _check_square(matrix.shape, name)
    values = matrix.values
    worst = _worst_pair(values)
    if worst is None:
        return matrix
    largest = float(max(values.max(), -values.min()))
    _warn_asymmetric(values[worst], values[worst[::-1]], worst, largest, name)
    return Matrix(0.5 * values + 0.5 * values.T, matrix.names, matrix.columns)


def check_distances(D: Any, name: str) -> Matrix:
    """Return a symmetric matrix of distances: finite and not negative.

    Examples
    --------
    >>> check_distances([[0, 2], [2, 0]], "D").shape
    (2, 2)
    """
    matrix = check_similarities(D, name)
    assert isinstance(matrix, Matrix)
    lowest = int(matrix.values.argmin())
    row, column = divmod(lowest, matrix.shape[1])
    if matrix.values[row, column] < 0:
        raise ValueError(
            f"{name} must hold distances, which are not negative: found "
            f"{matrix.values[row, column]:g} at row {row}, column {column}; "
            f"turn similarities S into distances with S.max() - S"
        )
    return matrix


def check_graph(S: Any, name: str) -> scipy.sparse.csr_array:
    """Return a finite square sparse matrix in compressed rows, repeated entries added up.

    Examples
    --------
    >>> check_graph(scipy.sparse.eye_array(3), "S").nnz
    3
    """
    if S.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers: got dtype {S.dtype}; convert it first")
    _check_square(S.shape, name)
    graph = scipy.sparse.csr_array(S, dtype=np.float64)
    if not graph.has_canonical_format:
        graph = graph.copy() if graph is S else graph
        graph.sum_duplicates()
    bad = ~(np.abs(graph.data) <= LARGEST)
    if bad.any():
        first = int(bad.argmax())
        row = int(np.searchsorted(graph.indptr, first, side="right")) - 1
        raise ValueError(
            f"{name} must hold finite numbers: found {int(bad.sum())} NaN, infinite or huge "
            f"(beyond {LARGEST:g}) values, the first at row {row}, column {graph.indices[first]}; "
            "drop the entry, an absent one counts as no relation"
        )
    return graph


def _check_square(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be a square matrix with one row and one column per object: got shape "
            f"{tuple(shape)}; for a table of objects by features choose another measure than "
            "'precomputed'"
        )
    if shape[0] < 1:
        raise ValueError(f"{name} is empty (shape={tuple(shape)}): give at least one object")


def _worst_pair(values: FloatArray) -> tuple[int, int] | None:
    """Where the matrix is most asymmetric; None for an exactly symmetric one."""
    worst, place = 0.0, None
    for top in range(0, len(values), BLOCK):
        for left in range(top, len(values), BLOCK):
            rows = values[top : top + BLOCK, left : left + BLOCK]
            columns = values[left : left + BLOCK, top : top + BLOCK].T
            if (rows == columns).all():
                continue
            gap = np.abs(rows - columns)
            row, column = divmod(int(gap.argmax()), gap.shape[1])
            if gap[row, column] > worst:
                worst, place = float(gap[row, column]), (top + row, left + column)
    return place


def _symmetric_sparse(graph: scipy.sparse.csr_array, name: str) -> scipy.sparse.csr_array:
    mirrored = scipy.sparse.csr_array(graph.T)
    gap = scipy.sparse.coo_array(abs(graph - mirrored))
    if gap.nnz == 0 or gap.data.max() == 0.0:
        return graph
    highest = int(gap.data.argmax())
    i, j = int(gap.row[highest]), int(gap.col[highest])
    largest = float(np.abs(graph.data).max())
    _warn_asymmetric(float(graph[i, j]), float(graph[j, i]), (i, j), largest, name)
    both = scipy.sparse.csr_array(0.5 * graph + 0.5 * mirrored)
    both.sum_duplicates()
    return both


def _warn_asymmetric(
    there: float, back: float, place: tuple[int, int], largest: float, name: str
) -> None:
    if abs(there - back) <= ROUNDING * largest:
        return
    i, j = place
    warnings.warn(
        f"{name} is not symmetric: {name}[{i}, {j}] = {there:g} but {name}[{j}, {i}] = {back:g}; "
        f"going on with ({name} + {name}.T) / 2",
        AsymmetryWarning,
        stacklevel=4,
    )
