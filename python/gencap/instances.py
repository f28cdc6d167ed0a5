"""Two or more measurements of the same objects."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gencap._matching import match_columns, match_rows, share_columns, take_rows
from gencap._relations import Relation, as_instance, match_relation, permuted
from gencap._validation import (
    FloatArray,
    IntArray,
    Matrix,
    ObjectArray,
)
from gencap.nulls import resample_matrix

__all__ = [
    "Instances",
    "Pair",
    "Source",
    "check_edge_null",
    "resample_together",
]


class Source(Protocol):
    """How a pair came about: rebuilds it from a null twin of the table it was made of."""

    @property
    def matrix(self) -> Matrix | Relation:
        """The table, or the similarity."""
        ...

    @property
    def optimistic(self) -> bool:
        """Whether rows are paired by proximity."""
        ...

    def rebuild(self, matrix: Any, rng: np.random.Generator) -> Pair:
        """Send another table through the same pipeline."""
        ...


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Pair:
    """Two measurements of the same objects: row i of both belongs to object i.

    Parameters
    ----------
    first, second : array-like of shape (N, D1) and (N, D2), or DataFrames; or similarities
        The two measurements. Similarities are `Similarity` objects, sparse matrices of shape
        (N, N), or for models with ``measure="precomputed"`` square arrays. Rows of two DataFrames
        are matched by their index: the same names in another order are brought into the order of
        `first`; different names are an error. A default index (0, 1, 2, ...) and plain arrays are
        matched by position; similarities of DataFrames by their names. Columns with the same names
        in another order are brought into the order of `first` as well.
    same_columns : bool, optional
        Whether both measurements live in one vector space. By default they do when they have
        equally many columns and, where both are DataFrames, the same column names.

    Attributes
    ----------
    first, second : ndarray, Similarity or csr_array
        Tables are read-only float64 views; the caller's arrays stay writable.
    n_objects : int
        Number of rows N.
    names : ndarray of shape (N,) or None
        Names of the objects (of the first instance, where objects were matched).
    index1, index2 : ndarray of shape (N,)
        Which row of the user's table stands in row i of `first` and `second`.
    columns1, columns2 : ndarray or None
        Column names; for feature splits of unnamed data, column positions.
    optimistic : bool
        Whether the rows were paired by proximity, which inflates the bits.
    is_pairwise : bool
        Whether the measurements are `Similarity` objects or sparse matrices, and no tables.
    cross : ndarray of shape (N, N) or None
        Where `split_objects` halved a similarity: that of the objects of `first` (rows) to those
        of `second` (columns).

    Examples
    --------
    >>> import numpy as np
    >>> pair = Pair(np.zeros((4, 2)), np.ones((4, 2)))
    >>> pair.n_objects, pair.same_columns
    (4, True)
    """

    first: Any
    second: Any
    names: ObjectArray | None
    index1: IntArray
    index2: IntArray
    columns1: ObjectArray | None
    columns2: ObjectArray | None
    same_columns: bool
    optimistic: bool
    is_pairwise: bool
    cross: FloatArray | None
    _source: Source | None

    def __init__(self, first: Any, second: Any, *, same_columns: bool | None = None) -> None:
        left, right = as_instance(first, "first"), as_instance(second, "second")
        if isinstance(left, Relation) or isinstance(right, Relation):
            if same_columns:
                raise ValueError("same_columns=True needs tables: similarities have no columns")
            right, rows = match_relation(left, right, ("first", "second"))
            self._finish(left, right, rows, False)
            return
        rows = match_rows(first, second, left, right, ("first", "second"))
        right = match_columns(left, take_rows(right, rows))
        if same_columns is None:
            same_columns = share_columns(left, right)
        elif same_columns and left.shape[1] != right.shape[1]:
            raise ValueError(
                "same_columns=True needs equally many columns: "
                f"first has {left.shape[1]}, second has {right.shape[1]}"
            )
        self._finish(left, right, rows, same_columns)

    def _finish(
        self,
        left: Matrix | Relation,
        right: Matrix | Relation,
        rows: IntArray | None,
        same_columns: bool,
    ) -> None:
        names = left.names if left.names is not None else right.names
        index = np.arange(left.shape[0])
        self._set(left, right, names, (index, index if rows is None else rows), same_columns)

    @classmethod
    def build(
        cls,
        left: Matrix | Relation,
        right: Matrix | Relation,
        names: ObjectArray | None,
        index: tuple[IntArray, IntArray],
        same_columns: bool,
        source: Source | None = None,
        cross: FloatArray | None = None,
    ) -> Pair:
        """Assemble a pair from checked parts, with the pipeline that made it."""
        pair = cls.__new__(cls)
        pair._set(left, right, names, index, same_columns, source, cross)
        return pair

    def _set(
        self,
        left: Matrix | Relation,
        right: Matrix | Relation,
        names: ObjectArray | None,
        index: tuple[IntArray, IntArray],
        same_columns: bool,
        source: Source | None = None,
        cross: FloatArray | None = None,
    ) -> None:
        fields: dict[str, Any] = {
            "first": read_only(left.values),
            "second": read_only(right.values),
            "names": names,
            "index1": read_only(index[0]),
            "index2": read_only(index[1]),
            "columns1": left.columns,
            "columns2": right.columns,
            "same_columns": bool(same_columns),
            "optimistic": source is not None and source.optimistic,
            "is_pairwise": isinstance(left, Relation),
            "cross": None if cross is None else read_only(cross),
            "_source": source,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return int(self.first.shape[0])

    def pairs(self) -> Iterator[Pair]:
        """Yield this pair, so that a pair can stand where several instances may."""
        yield self

    def resample(self, kind: str, rng: np.random.Generator) -> Pair:
        """Draw the null twin of this pair through the pipeline that made it.

        Parameters
        ----------
        kind : {"independent", "gaussian"}
            Permute every column by itself, or draw from the Gaussian of equal mean and covariance.
            Similarities have "independent" only: their edges go to random places, in each instance
            by itself.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Pair
            Pairs by identity: the null acts on the joint table [first | second], so that the
            Gaussian twin keeps the covariances across the instances and the independent twin
            destroys them. Pairs from `split_objects`: the null acts on the original table, which
            is then split and matched afresh.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> pair = Pair(rng.normal(size=(50, 3)), rng.normal(size=(50, 3)))
        >>> pair.resample("gaussian", rng).first.shape
        (50, 3)
        """
        if self._source is not None:
            return resample_together([self], kind, rng)[0]
        if self.is_pairwise:
            check_edge_null(kind)
            return self._permuted(rng)
        left, right = resample_jointly([self.first, self.second], kind, rng)
        return Pair.build(
            Matrix(left, None, self.columns1),
            Matrix(right, None, self.columns2),
            self.names,
            (self.index1, self.index2),
            self.same_columns,
        )

    def _permuted(self, rng: np.random.Generator) -> Pair:
        """Put the edges of both instances at random places, in each by itself."""
        return Pair(permuted(self.first, rng), permuted(self.second, rng))

    def __repr__(self) -> str:
        if self.is_pairwise:
            kinds = [Relation(one).words for one in (self.first, self.second)]
            notes = ", optimistic" if self.optimistic else ""
            return (
                f"<Pair of {self.n_objects:,} objects, similarities {' and '.join(kinds)}{notes}>"
            )
        d1, d2 = self.first.shape[1], self.second.shape[1]
        notes = "" if self.same_columns else ", different columns"
        notes += ", optimistic" if self.optimistic else ""
        return f"<Pair of {self.n_objects:,} objects, {d1} and {d2} columns{notes}>"


class Instances:
    """More than two measurements of the same objects; capacities average over their pairs.

    Parameters
    ----------
    measurements : sequence of array-like of shape (N, D_q), DataFrames, or similarities
        At least two, matched to the first one as in `Pair`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> triple = Instances([rng.normal(size=(6, 2)) for _ in range(3)])
    >>> len(triple), len(list(triple.pairs()))
    (3, 3)
    """

    def __init__(self, measurements: Sequence[Any]) -> None:
        measurements = list(measurements)
        if len(measurements) < 2:
            raise ValueError(
                f"Instances needs at least two measurements of the same objects: got "
                f"{len(measurements)}; make two from one table with split_features"
            )
        labels = [f"measurements[{q}]" for q in range(len(measurements))]
        checked = [as_instance(X, label) for X, label in zip(measurements, labels, strict=True)]
        head, index = checked[0], np.arange(checked[0].shape[0])
        matrices, indices = [head], [index]
        for raw, matrix, label in zip(measurements[1:], checked[1:], labels[1:], strict=True):
            where = (labels[0], label)
            if isinstance(head, Relation) or isinstance(matrix, Relation):
                found, rows = match_relation(head, matrix, where)
                matrices.append(found)
            else:
                rows = match_rows(measurements[0], raw, head, matrix, where)
                matrices.append(match_columns(head, take_rows(matrix, rows)))
            indices.append(index if rows is None else rows)
        names = next((m.names for m in matrices if m.names is not None), None)
        self._matrices = tuple(_unnamed(matrix) for matrix in matrices)
        self._indices = tuple(read_only(rows) for rows in indices)
        self.names: ObjectArray | None = names

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The measurements as read-only arrays, rows matched; similarities as they are."""
        return tuple(matrix.values for matrix in self._matrices)

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return self._matrices[0].shape[0]

    @property
    def optimistic(self) -> bool:
        """Always False: instances are paired by identity."""
        return False

    def __len__(self) -> int:
        return len(self._matrices)

    def pairs(self) -> Iterator[Pair]:
        """Yield the pairs (a, b) with a < b, in lexicographic order."""
        for a, b in itertools.combinations(range(len(self)), 2):
            left, right = self._matrices[a], self._matrices[b]
            index = (self._indices[a], self._indices[b])
            shared = (
                isinstance(left, Matrix)
                and isinstance(right, Matrix)
                and share_columns(left, right)
            )
            yield Pair.build(left, right, self.names, index, shared)

    def resample(self, kind: str, rng: np.random.Generator) -> Instances:
        """Draw the null twin of all measurements jointly; see `Pair.resample`."""
        twin = Instances.__new__(Instances)
        if isinstance(self._matrices[0], Relation):
            check_edge_null(kind)
            twin._matrices = tuple(Relation(permuted(one, rng)) for one in self.arrays)
        else:
            values = resample_jointly(self.arrays, kind, rng)
            twin._matrices = tuple(
                Matrix(read_only(new), None, old.columns)
                for new, old in zip(values, self._matrices, strict=True)
            )
        twin._indices = self._indices
        twin.names = self.names
        return twin

    def __repr__(self) -> str:
        return f"<Instances: {len(self)} measurements of {self.n_objects:,} objects>"


def resample_together(
    pairs: Sequence[Pair], kind: str, rng: np.random.Generator, *, edges: bool = False
) -> list[Pair]:
    """Draw null twins of several pairs; pairs made from one table get one twin of that table.

    They then depend on each other as the pairs themselves do, and averages over them have the
    spread that averages over the data's own pairs have. With `edges` square arrays are similarities
    too.
    """
    twins: dict[Any, Matrix | Relation] = {}
    out = []
    for pair in pairs:
        source = pair._source
        if source is None or (edges and not pair.is_pairwise):
            out.append(pair._permuted(rng) if edges else pair.resample(kind, rng))
            continue
        key = _memory_of(source.matrix)
        if key not in twins:
            twins[key] = _twin(source.matrix, kind, rng)
        out.append(source.rebuild(twins[key], rng))
    return out


def check_edge_null(kind: str) -> None:
    """Similarities know one null only."""
    if kind != "independent":
        raise ValueError(
            f"null {kind!r} needs vectors: given similarities have no covariance to keep; use "
            "null='independent', which puts the edges at random places"
        )


def _twin(matrix: Matrix | Relation, kind: str, rng: np.random.Generator) -> Matrix | Relation:
    if isinstance(matrix, Relation):
        check_edge_null(kind)
        return Relation(permuted(matrix.values, rng), matrix.names)
    return Matrix(resample_matrix(matrix.values, kind, rng), matrix.names, matrix.columns)


def _memory_of(matrix: Matrix | Relation) -> tuple[Any, ...]:
    """Tell tables apart by where they lie, similarities by their objects."""
    values = matrix.values
    if isinstance(matrix, Relation):
        return (id(values),)
    return (values.__array_interface__["data"][0], values.shape, values.strides)


def _unnamed(matrix: Matrix | Relation) -> Matrix | Relation:
    if isinstance(matrix, Relation):
        return Relation(matrix.values)
    return Matrix(read_only(matrix.values), None, matrix.columns)


def resample_jointly(
    arrays: Sequence[FloatArray], kind: str, rng: np.random.Generator
) -> list[FloatArray]:
    """Draw one null twin of several tables side by side and take it apart again."""
    twin = resample_matrix(np.hstack(arrays), kind, rng)
    edges = np.cumsum([array.shape[1] for array in arrays])[:-1]
    return [np.ascontiguousarray(part) for part in np.split(twin, edges, axis=1)]


def read_only(array: Any) -> Any:
    """Return a view that cannot be written to; the caller's array stays as it is.

    Similarities and sparse graphs have no views: they are returned themselves.
    """
    if not isinstance(array, np.ndarray):
        return array
    view = array.view()
    view.flags.writeable = False
    return view
