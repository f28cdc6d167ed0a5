"""From vectors or given similarities to what the graph models compute with."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap import _core
from gencap._validation import FloatArray, check_matrix

__all__ = ["MEASURES", "GraphInput", "open_graph"]

MEASURES = ("euclidean", "sqeuclidean", "pearson", "cosine", "path", "precomputed")

# Up to this many objects statistics look at every pair, beyond it at some columns.
EVERY_PAIR = 2_000
SAMPLED_COLUMNS = 256


@dataclass(frozen=True, eq=False)
class GraphInput:
    """A similarity in the representation that suits it.

    Parameters
    ----------
    similarity : Similarity of the compiled core
        Dense, low-rank, sparse or tree.
    n_objects : int
        Number of objects N.
    measure : str
        The measure it was made with.
    """

    similarity: _core.Similarity
    n_objects: int
    measure: str

    def columns(self, which: Sequence[int]) -> FloatArray:
        """Return columns of S (N x len(which))."""
        unit = np.zeros((self.n_objects, len(which)))
        unit[list(which), np.arange(len(which))] = 1.0
        return self.similarity.matmul(unit)

    def smallest(self) -> float:
        """Return the smallest similarity.

        Distances become similarities of at least 0, and correlations cannot be below -1: the pairs
        themselves are looked at only where that helps and is quick.
        """
        if self.measure in ("euclidean", "sqeuclidean", "path"):
            return 0.0
        if self.measure in ("pearson", "cosine") and self.n_objects > 10 * EVERY_PAIR:
            return -1.0
        blocks = range(0, self.n_objects, SAMPLED_COLUMNS)
        ends = [min(start + SAMPLED_COLUMNS, self.n_objects) for start in blocks]
        return min(
            float(self.columns(range(start, end)).min())
            for start, end in zip(blocks, ends, strict=True)
        )

    def off_diagonal(self) -> FloatArray:
        """Return the similarities of different objects: all of them, or those of some objects."""
        n = self.n_objects
        if n <= EVERY_PAIR:
            which = np.arange(n)
        else:
            which = np.linspace(0, n - 1, SAMPLED_COLUMNS).astype(np.int64)
        values = self.columns(which.tolist())
        keep = np.arange(n)[:, None] != which[None, :]
        return values[keep]


def open_graph(X: Any, measure: str, name: str) -> GraphInput:
    """Check `X` and measure the similarities of its rows; or check that it is one itself."""
    matrix = check_matrix(X, name).values
    n = len(matrix)
    if measure == "precomputed":
        return GraphInput(_core.Similarity.dense(_symmetric(matrix, name)), n, measure)
    if measure in ("pearson", "cosine"):
        return GraphInput(_core.Similarity.low_rank(matrix, measure), n, measure)
    if measure == "sqeuclidean":
        offset, _ = _core.largest_squared_distance(matrix)
        return GraphInput(_core.Similarity.low_rank(matrix, measure, offset), n, measure)
    if measure == "path":
        ends, weights = _core.spanning_tree(matrix)
        return GraphInput(_core.Similarity.tree(n, ends, weights), n, measure)
    distances = _core.euclidean_distances(matrix)
    return GraphInput(_core.Similarity.dense(distances.max() - distances), n, measure)


def _symmetric(matrix: FloatArray, name: str) -> FloatArray:
    """Return a square matrix made symmetric; say so where it was not."""
    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(
            f"{name} must be a square matrix of similarities with measure='precomputed': got shape "
            f"{matrix.shape}; pass vectors with another measure, or compute all pairs first"
        )
    gap = float(np.abs(matrix - matrix.T).max())
    if gap == 0.0:
        return matrix
    if gap > 1e-8 * max(1.0, float(np.abs(matrix).max())):
        i, j = np.unravel_index(np.abs(matrix - matrix.T).argmax(), matrix.shape)
        warnings.warn(
            f"{name} is not symmetric: {name}[{i}, {j}] = {matrix[i, j]:g} but {name}[{j}, {i}] = "
            f"{matrix[j, i]:g}; using ({name} + {name}.T) / 2",
            UserWarning,
            stacklevel=2,
        )
    symmetric: FloatArray = np.ascontiguousarray((matrix + matrix.T) / 2.0)
    return symmetric
