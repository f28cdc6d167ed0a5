"""One half to learn from, one to be tried on: different objects from the same source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

from gencap._validation import (
    IntArray,
    check_choice,
    check_integer,
    check_matrix,
    check_seed,
)
from gencap.similarity import Similarity

__all__ = ["Holdout", "as_holdouts", "holdouts"]


@dataclass(frozen=True, eq=False)
class Holdout:
    """Two samples from one source, to learn from the first and to try on the second.

    Unlike in `Pair`, the rows need not belong to the same objects, nor be equally many.

    Parameters
    ----------
    first, second : array-like of shape (N1, D) and (N2, D), or similarities (N1, N1) and (N2, N2)
        What is learned from, and what it is tried on.
    cross : array-like or sparse matrix of shape (N1, N2), optional
        Similarities between the objects of both, rows those of `first`.
    paired : bool
        Whether row i is the same object in both, measured twice.
    same_columns : bool
        Whether both live in one vector space.
    index1, index2 : ndarray or None
        Which rows of the user's table stand where.

    Examples
    --------
    >>> import numpy as np
    >>> Holdout(np.zeros((4, 2)), np.ones((3, 2)))
    <Holdout: 4 objects to learn from, 3 to try on>
    """

    first: Any
    second: Any
    cross: Any = None
    paired: bool = False
    same_columns: bool = True
    index1: IntArray | None = None
    index2: IntArray | None = None

    def __post_init__(self) -> None:
        if self.cross is not None and self.cross.shape != self.sizes:
            raise ValueError(
                f"cross must have a row per object of first and a column per object of second, "
                f"{self.sizes}: got {self.cross.shape}; transpose it if it is the other way round"
            )

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of objects in both."""
        return _count(self.first), _count(self.second)

    def __repr__(self) -> str:
        one, two = self.sizes
        notes = ", the same ones" if self.paired else ""
        notes += ", with the edges between them" if self.cross is not None else ""
        return f"<Holdout: {one:,} objects to learn from, {two:,} to try on{notes}>"


def holdouts(
    X: Any,
    n_splits: int = 5,
    *,
    test_size: float = 0.5,
    measure: str = "vectors",
    random_state: Any = 0,
) -> list[Holdout]:
    """Split the objects of a table, or of a graph, into random parts to learn from and to try on.

    No object is matched to another one: mappings that need no partner (densities, nearest and soft
    centroids, edges between the halves) are free of the optimism of `split_objects`.

    Parameters
    ----------
    X : array-like or DataFrame of shape (N, D); similarities (N, N), sparse matrix or Similarity
        The objects.
    n_splits : int
        Independent splits; split i depends on the seed and on i only.
    test_size : float in (0, 1)
        Share of the objects in the second part.
    measure : {"vectors", "precomputed"}
        What `X` holds; a sparse matrix and a `Similarity` are always similarities.
    random_state : None, int or Generator
        Decides the halves.

    Returns
    -------
    list of Holdout
        Similarities come with `cross`, the edges between the parts.

    Examples
    --------
    >>> import numpy as np
    >>> holdouts(np.arange(20.0).reshape(10, 2), n_splits=2)[0]
    <Holdout: 5 objects to learn from, 5 to try on>
    >>> holdouts(np.eye(9), n_splits=1, measure="precomputed")[0].cross.shape
    (5, 4)
    """
    check_choice(measure, "measure", ("vectors", "precomputed"))
    graph = measure == "precomputed" or isinstance(X, Similarity) or scipy.sparse.issparse(X)
    table = _square(X) if graph else check_matrix(X, "X", min_rows=2).values
    n, seed = table.shape[0], check_seed(random_state)
    if isinstance(test_size, bool) or not 0.0 < float(test_size) < 1.0:
        raise ValueError(f"test_size must lie between 0 and 1: got {test_size!r}")
    size = int(n * test_size)
    if not 0 < size < n:
        raise ValueError(
            f"test_size={test_size} leaves a part of {n} objects empty; give more objects, or a "
            "share nearer to 0.5"
        )
    found = []
    for i in range(check_integer(n_splits, "n_splits")):
        order = np.random.default_rng([seed, i]).permutation(n)
        one, two = np.sort(order[size:]), np.sort(order[:size])
        found.append(_cut(table, one, two, graph))
    return found


def as_holdouts(pair: Any, cross: Any = None) -> list[Holdout]:
    """Bring pairs, instances, holdouts and tuples (first, second) into one form."""
    found = list(_items(pair))
    if cross is None:
        return found
    edges = list(cross) if isinstance(cross, list) else [cross]
    if len(edges) != len(found):
        raise ValueError(
            f"cross must be one matrix per pair: got {len(edges)} for {len(found)}; give a list"
        )
    return [
        Holdout(one.first, one.second, _edges(edge), one.paired, one.same_columns)
        for one, edge in zip(found, edges, strict=True)
    ]


def _items(pair: Any) -> Iterator[Holdout]:
    if isinstance(pair, Holdout):
        yield pair
    elif isinstance(pair, tuple) and len(pair) == 2:
        yield _given(*pair)
    elif hasattr(pair, "pairs"):
        yield from (_of_pair(one) for one in pair.pairs())
    elif isinstance(pair, Sequence) and len(pair) and all(map(_is_item, pair)):
        for one in pair:
            yield from _items(one)
    else:
        raise TypeError(
            f"pair must be a gencap.Pair, gencap.Instances, gencap.Holdout, a tuple (first, "
            f"second), or a list of such: got {type(pair).__name__}; make some with "
            "gencap.Pair(X1, X2) or gencap.holdouts(X)"
        )


def _is_item(one: Any) -> bool:
    return isinstance(one, Holdout | tuple) or hasattr(one, "pairs")


def _of_pair(one: Any) -> Holdout:
    """Pairs made by proximity are not the same objects, whatever their rows say."""
    return Holdout(
        one.first,
        one.second,
        getattr(one, "cross", None),
        paired=not one.optimistic,
        same_columns=one.same_columns,
        index1=one.index1,
        index2=one.index2,
    )


def _given(first: Any, second: Any) -> Holdout:
    values = [
        x if isinstance(x, Similarity) or scipy.sparse.issparse(x) else check_matrix(x, name).values
        for x, name in ((first, "first"), (second, "second"))
    ]
    return Holdout(values[0], values[1], same_columns=_one_space(first, second))


def _one_space(first: Any, second: Any) -> bool:
    if isinstance(first, pd.DataFrame) and isinstance(second, pd.DataFrame):
        return bool(first.columns.equals(second.columns))
    return bool(np.shape(first)[-1] == np.shape(second)[-1])


def _edges(edge: Any) -> Any:
    if hasattr(edge, "tocsr"):
        return edge.tocsr()
    return np.asarray(edge, dtype=np.float64)


def _count(x: Any) -> int:
    return int(x.shape[0])


def _square(X: Any) -> Any:
    if isinstance(X, Similarity):
        return X.toarray()
    table: Any = _edges(X) if scipy.sparse.issparse(X) else check_matrix(X, "X").values
    if table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise ValueError(f"X must be a square matrix of similarities: got shape {table.shape}")
    return table


def _cut(table: Any, one: IntArray, two: IntArray, graph: bool) -> Holdout:
    if not graph:
        return Holdout(table[one], table[two], index1=one, index2=two)
    first, second, cross = table[one][:, one], table[two][:, two], table[one][:, two]
    return Holdout(first, second, cross, index1=one, index2=two)
