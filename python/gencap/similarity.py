"""Similarities between objects, kept in the form that makes products with them cheap."""

from __future__ import annotations

import os
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse

from gencap import _core
from gencap._progress import Control, ProgressCallback, as_control
from gencap._square import check_distances, check_graph, check_similarities
from gencap._validation import (
    FloatArray,
    IntArray,
    Matrix,
    ObjectArray,
    check_choice,
    check_matrix,
    check_n_jobs,
)

__all__ = ["MEASURES", "Measure", "Similarity", "path_distances", "similarity"]

Measure: TypeAlias = Literal[
    "euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", "precomputed"
]
MEASURES = ("euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", "precomputed")

# Share of the machine's memory that a matrix of distances may take.
MEMORY_SHARE = 0.25
# Columns taken out of a similarity at a time.
BLOCK_COLUMNS = 256
# Products with fewer numbers than this are done before threads have started.
SERIAL_WORK = 1_000_000


class Similarity:
    """A symmetric matrix of similarities between N objects; made by `similarity`.

    It multiplies (``S @ Q``) without being formed wherever its structure allows.

    Attributes
    ----------
    measure : str
        How the similarity was made.
    offset : float
        v, where a distance d became the similarity v - d; 0 for the other measures.
    shift : float
        Constant added to every similarity, the diagonal included.
    names : ndarray of shape (N,) or None
        Names of the objects.
    core : gencap._core.Similarity
        What the compiled core computes with; the shift is not in it.

    Examples
    --------
    >>> import gencap
    >>> S = gencap.similarity([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]], measure="euclidean")
    >>> S
    Similarity(3 x 3, measure='euclidean', representation='dense', offset=5, shift=0)
    >>> (S @ [1.0, 0.0, 0.0]).round(6)
    array([5., 0., 4.])
    >>> S.shifted(-5).toarray()[0].round(6)
    array([ 0., -5., -1.])
    """

    # numpy hands `Q.T @ S` over to us instead of trying to make an array of S.
    __array_ufunc__ = None

    def __init__(
        self,
        core: _core.Similarity,
        *,
        measure: str,
        offset: float = 0.0,
        shift: float = 0.0,
        names: ObjectArray | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.core = core
        self.measure = measure
        self.offset = float(offset)
        self.shift = float(shift)
        self.names = names
        self._n_jobs = n_jobs
        self._diagonal = core.diagonal()

    @property
    def shape(self) -> tuple[int, int]:
        """N and N."""
        return len(self._diagonal), len(self._diagonal)

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self._diagonal)

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return len(self._diagonal)

    @property
    def representation(self) -> str:
        """How it is stored: "dense", "low_rank", "sparse", "tree" or "rows" (on the fly)."""
        return self.core.representation

    @property
    def is_dense(self) -> bool:
        """Whether the N x N matrix is in memory."""
        return self.representation == "dense"

    @property
    def diagonal(self) -> FloatArray:
        """Similarity of every object to itself, the shift included."""
        return self._diagonal + self.shift

    def degrees(self) -> FloatArray:
        """Return the sum of similarities of every object, its own and the shift included."""
        return self @ np.ones(len(self))

    def shifted(self, by: float) -> Similarity:
        """Return the same similarity with a constant added to every entry; nothing is copied."""
        return Similarity(
            self.core,
            measure=self.measure,
            offset=self.offset,
            shift=self.shift + float(by),
            names=self.names,
            n_jobs=self._n_jobs,
        )

    def __matmul__(self, Q: Any) -> FloatArray:
        """Multiply with a vector or with the columns of a matrix."""
        values = np.asarray(Q, dtype=np.float64)
        if values.ndim not in (1, 2) or len(values) != len(self):
            raise ValueError(
                f"Q must have one row per object: got shape {values.shape} for {len(self)} objects"
            )
        table = np.ascontiguousarray(values.reshape(len(self), -1))
        threads = self._n_jobs if table.size > SERIAL_WORK or self.is_dense else 1
        product = self.core.matmul(table, threads if len(self) > 1000 else 1)
        if self.shift:
            product += self.shift * table.sum(axis=0)
        return product.reshape(values.shape)

    def __rmatmul__(self, Q: Any) -> FloatArray:
        """Multiply from the left: the matrix is symmetric."""
        values = np.asarray(Q, dtype=np.float64)
        return np.ascontiguousarray((self @ values.T).T)

    def smallest_stored(self, *, diagonal: bool) -> float | None:
        """Return the smallest entry of a dense matrix, self-similarities too if asked; else None.

        Examples
        --------
        >>> import gencap
        >>> S = gencap.similarity([[1.0, 3.0], [3.0, 2.0]], "precomputed")
        >>> S.smallest_stored(diagonal=True), S.smallest_stored(diagonal=False)
        (1.0, 3.0)
        """
        found = self.core.smallest(diagonal, self._n_jobs if len(self) > 1000 else 1)
        return None if found is None else found + self.shift

    def toarray(self) -> FloatArray:
        """Return the N x N matrix, the shift included."""
        matrix = self.core.toarray(self._n_jobs)
        if self.shift:
            matrix += self.shift
        return matrix

    def take(self, index: Any) -> Similarity:
        """Return the similarity among some of the objects, in the given order.

        Every entry is what it was. A path still leads through objects that were left out.

        Parameters
        ----------
        index : array-like of int
            Positions of the objects, all different.

        Examples
        --------
        >>> import gencap
        >>> gencap.similarity([[0.0], [1.0], [4.0]], "path").take([2, 0]).toarray()
        array([[3., 0.],
               [0., 3.]])
        """
        chosen = self._positions(index, "index")
        if len(np.unique(chosen)) != len(chosen) or not len(chosen):
            raise ValueError("index must name at least one object, and none of them twice")
        return Similarity(
            self.core.take(chosen.astype(np.uintp)),
            measure=self.measure,
            offset=self.offset,
            shift=self.shift,
            names=None if self.names is None else self.names[chosen],
            n_jobs=self._n_jobs,
        )

    def block(self, rows: Any, columns: Any) -> FloatArray:
        """Return the similarities of some objects to some others, the shift included.

        Examples
        --------
        >>> import gencap
        >>> gencap.similarity([[0.0], [1.0], [4.0]], "sqeuclidean").block([0], [1, 2]).round(9)
        array([[15.,  0.]])
        """
        upper, left = self._positions(rows, "rows"), self._positions(columns, "columns")
        if self.is_dense:
            matrix: FloatArray = self.core.parts()[0]
            return matrix[np.ix_(upper, left)] + self.shift
        out = np.empty((len(upper), len(left)))
        for start in range(0, len(left), BLOCK_COLUMNS):
            part = left[start : start + BLOCK_COLUMNS]
            unit = np.zeros((len(self), len(part)))
            unit[part, np.arange(len(part))] = 1.0
            out[:, start : start + BLOCK_COLUMNS] = (self @ unit)[upper]
        return out

    def _positions(self, index: Any, name: str) -> IntArray:
        chosen = np.asarray(index)
        if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
            raise ValueError(f"{name} must be a list of positions: got {index!r}")
        outside = (chosen < 0) | (chosen >= len(self))
        if outside.any():
            raise ValueError(
                f"{name} must lie between 0 and {len(self) - 1}: got {chosen[outside][0]}"
            )
        return chosen.astype(np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the arrays it was made of: for other processes, and for deep copies."""
        made_of = (self.representation, self.core.parts())
        rest = (self.measure, self.offset, self.shift, self.names, self._n_jobs)
        return _rebuilt, (*made_of, *rest)

    def __repr__(self) -> str:
        n = len(self)
        return (
            f"Similarity({n:,} x {n:,}, measure={self.measure!r}, "
            f"representation={self.representation!r}, offset={self.offset:g}, "
            f"shift={self.shift:g})"
        )


def _rebuilt(
    representation: str,
    parts: tuple[Any, ...],
    measure: str,
    offset: float,
    shift: float,
    names: ObjectArray | None,
    n_jobs: int,
) -> Similarity:
    """Make the similarity that was sent here in parts."""
    core = _core.Similarity.from_parts(representation, parts)
    return Similarity(core, measure=measure, offset=offset, shift=shift, names=names, n_jobs=n_jobs)


def similarity(
    X: Any,
    measure: Measure = "pearson",
    *,
    shift: float = 0.0,
    offset: float | None = None,
    dense: bool | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> Similarity:
    """Compare the rows of a table, or take over similarities that are known already.

    Parameters
    ----------
    X : array-like or DataFrame of shape (N, D), scipy.sparse matrix, or Similarity
        Vectors; for ``measure="precomputed"`` the N x N similarities, dense or sparse. A sparse
        matrix with ``measure="path"`` is a graph of distances, each stored entry an edge.
    measure : {"pearson", "cosine", "inner", "sqeuclidean", "euclidean", "path", "precomputed"}
        A distance d becomes the similarity v - d. "path" takes, over all paths from one object to
        another, the smallest possible longest step (minimax).
    shift : float
        Constant added to every similarity.
    offset : float, optional
        v; by default the largest distance, for many objects a cheap upper bound of it.
    dense : bool, optional
        Whether to form the N x N matrix. By default only "euclidean" does, while it takes less
        than a quarter of the memory.
    n_jobs : int, optional
        Threads; None for all cores.
    progress : callable, optional
        Receives `Progress` values; raising from it cancels.

    Returns
    -------
    Similarity

    Examples
    --------
    >>> import gencap
    >>> S = gencap.similarity([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
    >>> S.representation
    'low_rank'
    >>> S.toarray().round(6)
    array([[ 1., -1.,  0.],
           [-1.,  1.,  0.],
           [ 0.,  0.,  0.]])
    """
    if isinstance(X, Similarity):
        return X.shifted(shift) if shift else X
    check_choice(measure, "measure", MEASURES)
    if offset is not None and measure not in ("euclidean", "sqeuclidean"):
        raise ValueError(
            f"offset belongs to the distances 'euclidean' and 'sqeuclidean': got measure="
            f"{measure!r}; leave it out, or use shift to add a constant"
        )
    threads, control = check_n_jobs(n_jobs), as_control(progress)
    if measure == "precomputed":
        core, found, names = _precomputed(X)
    elif measure == "path":
        core, found, names = _path(X, threads, control)
    else:
        core, found, names = _compared(X, measure, offset, dense, threads, control)
    if dense and core.representation != "dense":
        core = _core.Similarity.dense(core.toarray(threads, control.switches))
    return Similarity(core, measure=measure, offset=found, shift=shift, names=names, n_jobs=threads)


Made: TypeAlias = tuple[_core.Similarity, float, ObjectArray | None]


def _precomputed(X: Any) -> Made:
    found = check_similarities(X, "X")
    if isinstance(found, Matrix):
        return _core.Similarity.dense(found.values), 0.0, found.names
    core = _core.Similarity.sparse(
        found.indptr.astype(np.uintp), found.indices.astype(np.uint32), found.data
    )
    return core, 0.0, None


def _path(X: Any, threads: int, control: Control) -> Made:
    report = control.report("spanning tree")
    if scipy.sparse.issparse(X):
        n, ends, weights, names = *_forest(X, "X", control), None
    else:
        table = check_matrix(X, "X")
        n, names = table.shape[0], table.names
        ends, weights = _core.spanning_tree(table.values, threads, control.switches, report)
    core = _core.Similarity.tree(n, ends, weights)
    return core, float(weights.max(initial=0.0)), names


def _forest(D: Any, name: str, control: Control) -> tuple[int, Any, FloatArray]:
    """Spanning forest of a sparse graph of distances."""
    graph = scipy.sparse.coo_array(check_graph(D, name))
    if graph.data.min(initial=0.0) < 0:
        raise ValueError(
            f"{name} must hold distances, which are not negative: found {graph.data.min():g}"
        )
    ends = np.stack([graph.row, graph.col], axis=1).astype(np.uint32)
    n = graph.shape[0]
    kept, weights = _core.spanning_forest_of_graph(n, ends, graph.data, control.switches)
    return n, kept, weights


def _compared(
    X: Any,
    measure: str,
    offset: float | None,
    dense: bool | None,
    threads: int,
    control: Control,
) -> Made:
    table = check_matrix(X, "X")
    x, switches = table.values, control.switches
    if measure == "euclidean" and (dense or (dense is None and _fits(len(x)))):
        matrix = _core.euclidean_distances(x, threads, switches, control.report("distances"))
        v = float(matrix.max()) if offset is None else float(offset)
        np.subtract(v, matrix, out=matrix)
        return _core.Similarity.dense(matrix), v, table.names
    if measure in ("euclidean", "sqeuclidean"):
        if offset is None:
            largest, _ = _core.largest_squared_distance(x, threads, switches)
            offset = largest if measure == "sqeuclidean" else float(np.sqrt(largest))
        if measure == "euclidean":
            return _core.Similarity.rows(x, float(offset)), float(offset), table.names
    v = 0.0 if offset is None else float(offset)
    return _core.Similarity.low_rank(x, measure, v), v, table.names


def _fits(n_objects: int) -> bool:
    """Tell whether an N x N matrix takes less than its share of this machine's memory."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        memory = 8 * 2**30
    return bool(8 * n_objects * n_objects <= MEMORY_SHARE * memory)


def path_distances(
    D: Any,
    *,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> FloatArray:
    """Minimax distances: the longest step of the best path between any two objects.

    Parameters
    ----------
    D : array-like of shape (N, N) or scipy.sparse matrix
        Distances. In a sparse matrix every stored entry is an edge that can be used both ways.
    n_jobs : int, optional
        Threads; None for all cores.
    progress : callable, optional
        Receives `Progress` values; raising from it cancels.

    Returns
    -------
    ndarray of shape (N, N)
        Infinite between objects of a sparse graph that no path connects.

    Examples
    --------
    >>> import gencap
    >>> gencap.path_distances([[0, 1, 9], [1, 0, 2], [9, 2, 0]])
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """
    threads, control = check_n_jobs(n_jobs), as_control(progress)
    if scipy.sparse.issparse(D):
        n, ends, weights = _forest(D, "D", control)
    else:
        matrix = check_distances(D, "D").values
        n = len(matrix)
        ends, weights = _core.spanning_tree_of_matrix(matrix, control.switches)
    return _core.minimax_distances(
        n, ends, weights, threads, control.switches, control.report("minimax distances")
    )
