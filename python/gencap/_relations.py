"""Measurements that relate objects to each other instead of describing them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

from gencap._matching import match_rows
from gencap._square import check_graph
from gencap._validation import FloatArray, IntArray, Matrix, ObjectArray, check_matrix
from gencap.nulls import permute_edges, permute_sparse
from gencap.similarity import Similarity, similarity

__all__ = ["Relation", "as_instance", "match_relation", "permuted", "profile_distances"]


@dataclass(frozen=True, eq=False)
class Relation:
    """A checked similarity or sparse graph, where a `Matrix` may stand.

    Parameters
    ----------
    values : Similarity or scipy.sparse.csr_array
        A sparse graph stays what it is: the model's measure tells how to read it.
    names : ndarray of shape (N,) or None
        Names of the objects.
    """

    values: Any
    names: ObjectArray | None = None
    columns: None = None

    @property
    def shape(self) -> tuple[int, int]:
        """N and N."""
        rows, columns = self.values.shape
        return rows, columns

    @property
    def words(self) -> str:
        """How it is kept, for a person."""
        kind = self.values.representation if isinstance(self.values, Similarity) else "sparse"
        return str(kind).replace("_", "-")


def as_instance(X: Any, name: str) -> Matrix | Relation:
    """Check a table, a similarity or a sparse graph.

    Examples
    --------
    >>> as_instance(scipy.sparse.eye_array(3), "X").words
    'sparse'
    >>> as_instance([[1, 2, 3]], "X").shape
    (1, 3)
    """
    if isinstance(X, Similarity):
        return Relation(X, X.names)
    if scipy.sparse.issparse(X):
        return Relation(check_graph(X, name))
    return check_matrix(X, name)


def match_relation(
    left: Matrix | Relation, right: Matrix | Relation, labels: tuple[str, str]
) -> tuple[Relation, IntArray | None]:
    """Return `right` with its objects in the order of `left`, and that order where it changed."""
    a, b = labels
    if not (isinstance(left, Relation) and isinstance(right, Relation)):
        alone, table = (a, b) if isinstance(left, Relation) else (b, a)
        raise TypeError(
            f"{a} and {b} must be of one kind: {alone} holds similarities, {table} is a table; "
            f"make similarities of it with gencap.similarity({table}, measure), or pass two tables"
        )
    if left.shape != right.shape:
        raise ValueError(
            f"{a} and {b} must describe the same objects: {a} has {left.shape[0]:,}, {b} has "
            f"{right.shape[0]:,}; keep the objects that both contain, in one order"
        )
    if left.names is None or right.names is None:
        return right, None
    wanted, found = (pd.DataFrame(index=names.tolist()) for names in (left.names, right.names))
    blank = Matrix(np.zeros((left.shape[0], 1)))
    rows = match_rows(wanted, found, blank, blank, labels)
    if rows is None:
        return right, None
    moved = right.values.take(rows)
    return Relation(moved, moved.names), rows


def permuted(graph: Any, rng: np.random.Generator) -> Any:
    """Return the edges of a similarity in random places; see `nulls.permute_sparse`.

    Sparse stays sparse. Every other similarity becomes a matrix: permuted, it has no structure left
    that would let it be kept in less room.

    Examples
    --------
    >>> edge = scipy.sparse.csr_array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> S = similarity(edge, "precomputed")
    >>> twin = permuted(S.shifted(1.0), np.random.default_rng(1))
    >>> twin.representation, twin.shift, sorted(twin.toarray()[np.triu_indices(3, 1)].tolist())
    ('sparse', 1.0, [1.0, 1.0, 3.0])
    """
    if scipy.sparse.issparse(graph):
        return permute_sparse(graph, rng)
    if not isinstance(graph, Similarity):
        return permute_edges(graph, rng)
    if graph.representation != "sparse":
        return similarity(permute_edges(graph.toarray(), rng), "precomputed")
    starts, columns, values = graph.core.parts()
    rows = (values, columns.astype(np.int64), starts.astype(np.int64))
    twin = permute_sparse(scipy.sparse.csr_array(rows, shape=graph.shape), rng)
    return similarity(twin, "precomputed", shift=graph.shift)


def profile_distances(graph: Similarity, rows: IntArray, columns: IntArray) -> FloatArray:
    """Squared distances between the profiles of objects: their similarities to all the others.

    d_ij = sum over l other than i and j of (S_il - S_jl)^2. What i and j are to each other and to
    themselves is left out: they have no third object in common there. Raw edges between two halves
    would say nothing about noisy graphs, their profiles do.

    Examples
    --------
    >>> S = similarity([[0.0, 1.0, 5.0], [1.0, 0.0, 3.0], [5.0, 3.0, 0.0]], "precomputed")
    >>> profile_distances(S, np.array([0]), np.array([1, 2]))
    array([[4., 4.]])
    """
    everyone = np.arange(len(graph))
    left, right = graph.block(rows, everyone), graph.block(columns, everyone)
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)
    edges, own = left[:, columns], graph.diagonal
    found = squares - 2.0 * (left @ right.T)
    found -= (own[rows][:, None] - edges) ** 2 + (edges - own[columns]) ** 2
    # Rounding only: a sum of squares is not negative.
    return np.asarray(np.maximum(found, 0.0))
