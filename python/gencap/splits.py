"""Two instances from one table: halves of its columns, or matched halves of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import scipy.sparse
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from gencap._relations import Relation, profile_distances
from gencap._validation import (
    FloatArray,
    IntArray,
    Matrix,
    check_choice,
    check_integer,
    check_matrix,
    check_seed,
)
from gencap.instances import Pair
from gencap.nulls import resample_matrix
from gencap.similarity import Similarity, similarity

__all__ = [
    "FeatureSplits",
    "OptimisticPairingWarning",
    "random_feature_splits",
    "random_halves",
    "split_features",
    "split_objects",
]

MEASURES = ("euclidean", "sqeuclidean", "cosine", "pearson", "precomputed")
# The matching needs a dense distance matrix and time cubic in its side.
MOST_PER_SIDE = 5_000


class OptimisticPairingWarning(UserWarning):
    """The instances were paired by proximity, so the bits come out too high."""


def split_features(X: Any, how: str = "interleave", random_state: Any = None) -> Pair:
    """Make two instances of the same objects from two halves of the columns.

    Parameters
    ----------
    X : array-like of shape (N, D) or DataFrame, D >= 2
        The table; object i keeps its row.
    how : {"interleave", "random"}
        Even columns against odd columns, or a random half against the rest. With an odd number of
        columns the first instance gets one more.
    random_state : None, int or Generator
        For ``how="random"``.

    Returns
    -------
    Pair
        With `columns1`, `columns2` telling which columns went where, and `same_columns` False: the
        halves live in different spaces.

    Examples
    --------
    >>> import numpy as np
    >>> pair = split_features(np.arange(12.0).reshape(3, 4))
    >>> pair.first[0], list(pair.columns1)
    (array([0., 2.]), [0, 2])
    """
    check_choice(how, "how", ("interleave", "random"))
    matrix = _splittable(X)
    if how == "random":
        rng = np.random.default_rng(check_seed(random_state))
        return _halves(matrix, *_random_columns(matrix.shape[1], rng))
    columns = np.arange(matrix.shape[1])
    return _halves(matrix, columns[::2], columns[1::2])


def random_feature_splits(X: Any, n_splits: int, random_state: Any = None) -> FeatureSplits:
    """Make `n_splits` pairs, each from an independent random half of the columns.

    Split i depends on the seed and on i only: more splits extend the list.

    Parameters
    ----------
    X : array-like of shape (N, D) or DataFrame, D >= 2
        The table.
    n_splits : int
        Number of pairs.
    random_state : None, int or Generator
        Decides the halves.

    Returns
    -------
    FeatureSplits
        A sequence of `Pair`.

    Examples
    --------
    >>> import numpy as np
    >>> splits = random_feature_splits(np.eye(6), 3, random_state=0)
    >>> [len(pair.columns1) for pair in splits]
    [3, 3, 3]
    """
    n_splits = check_integer(n_splits, "n_splits")
    matrix, seed = _splittable(X), check_seed(random_state)
    return FeatureSplits(matrix, random_halves(matrix.shape[1], n_splits, seed))


def random_halves(n_columns: int, n_splits: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return which columns go where in every split; split i depends on the seed and on i only."""
    return [_random_columns(n_columns, np.random.default_rng([seed, i])) for i in range(n_splits)]


class FeatureSplits(Sequence[Pair]):
    """Several feature splits of one table.

    Their null twin is one twin of the whole table, split in the same places: the splits of a twin
    then depend on each other as the splits of the data do, and averages over them have the spread
    that averages over the data's own splits have.
    """

    def __init__(self, matrix: Matrix, halves: Sequence[tuple[IntArray, IntArray]]) -> None:
        self._matrix = matrix
        self._halves = list(halves)
        self._pairs = [_halves(matrix, one, two) for one, two in self._halves]

    def __len__(self) -> int:
        return len(self._pairs)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> FeatureSplits: ...
    def __getitem__(self, index: int | slice) -> Pair | FeatureSplits:
        if isinstance(index, slice):
            return FeatureSplits(self._matrix, self._halves[index])
        return self._pairs[index]

    def pairs(self) -> Iterator[Pair]:
        """Yield the pairs in order."""
        yield from self._pairs

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return len(self._matrix.values)

    def resample(self, kind: str, rng: np.random.Generator) -> FeatureSplits:
        """Draw the null twin of the whole table and split it in the same places."""
        twin = resample_matrix(self._matrix.values, kind, rng)
        return FeatureSplits(Matrix(twin, self._matrix.names, self._matrix.columns), self._halves)

    def __repr__(self) -> str:
        return f"<{len(self)} feature splits of {self.n_objects:,} objects>"


def split_objects(X: Any, measure: str = "euclidean", random_state: Any = 0) -> Pair:
    """Make two instances from two random halves of the rows, matched one-to-one by proximity.

    The matching minimizes the summed distance (Hungarian method). Use it only where there is no
    second measurement and too few features to split: objects that were paired *because* they are
    close agree more than two measurements of one object would, so the bits are **optimistic**. On
    four overlapping Gaussians with 1.49 bits, pairs by identity give 1.50 and pairs by proximity
    1.86 to 1.93, growing further with the number of clusters.

    Parameters
    ----------
    X : array-like of shape (N, D), DataFrame, or similarities
        At most 10,001 rows. With an odd number one random row is left out. Similarities are a
        `Similarity`, or with ``measure="precomputed"`` an (N, N) array or sparse matrix.
    measure : {"euclidean", "sqeuclidean", "cosine", "pearson", "precomputed"}
        Distance that the matching minimizes; cosine and pearson are 1 - similarity, with similarity
        0 for rows without direction (all zero, or constant). Similarities are matched by their
        profiles: the squared distance between two objects' similarities to all others.
    random_state : None, int or Generator
        Decides the halves.

    Returns
    -------
    Pair
        With `optimistic` True; `index1` and `index2` tell which rows of `X` stand where. Halves of
        a similarity are `Similarity` objects, and `cross` holds what lies between them.

    Warns
    -----
    OptimisticPairingWarning
        Always.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", OptimisticPairingWarning)
    ...     pair = split_objects(np.arange(10.0).reshape(-1, 1))
    >>> pair.n_objects, pair.optimistic
    (5, True)
    """
    check_choice(measure, "measure", MEASURES)
    matrix = _halvable(X, measure)
    n = matrix.shape[0]
    if n > 2 * MOST_PER_SIDE + 1:
        raise ValueError(
            f"split_objects matches at most {MOST_PER_SIDE:,} objects a side: X has "
            f"{n:,} rows; pass a random sample of {2 * MOST_PER_SIDE:,} rows, or "
            "use split_features"
        )
    warnings.warn(
        "split_objects pairs different objects by proximity, so the bits come out too high; prefer "
        "a second measurement (Pair) or split_features",
        OptimisticPairingWarning,
        stacklevel=2,
    )
    rng = np.random.default_rng(check_seed(random_state))
    if isinstance(matrix, Relation):
        return _GraphSplit(matrix).rebuild(matrix, rng)
    return _ObjectSplit(matrix, measure).rebuild(matrix, rng)


def _halvable(X: Any, measure: str) -> Matrix | Relation:
    """Check what is to be halved: a table, or similarities of at least two objects."""
    if isinstance(X, Similarity) or measure == "precomputed":
        graph = similarity(X, "precomputed")
        if len(graph) < 2:
            raise ValueError("X must relate at least 2 objects to be halved: got 1")
        return Relation(graph, graph.names)
    if scipy.sparse.issparse(X):
        raise TypeError(
            f"X is a sparse matrix, which measure={measure!r} would read as a table; say "
            "measure='precomputed' for a graph of similarities, or pass X.toarray()"
        )
    return check_matrix(X, "X", min_rows=2)


def _random_halves(n_objects: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    side, order = n_objects // 2, rng.permutation(n_objects)
    return np.sort(order[:side]), np.sort(order[side : 2 * side])


@dataclass(frozen=True, eq=False)
class _ObjectSplit:
    """The pipeline of `split_objects`, kept to send null twins through it."""

    matrix: Matrix
    measure: str
    optimistic: bool = True

    def rebuild(self, matrix: Matrix, rng: np.random.Generator) -> Pair:
        index1, index2 = _random_halves(len(matrix.values), rng)
        left, right = matrix.values[index1], matrix.values[index2]
        matched = index2[linear_sum_assignment(_distances(left, right, self.measure))[1]]
        return Pair.build(
            Matrix(left, None, matrix.columns),
            Matrix(matrix.values[matched], None, matrix.columns),
            None if matrix.names is None else matrix.names[index1],
            (index1, matched),
            True,
            self,
        )


@dataclass(frozen=True, eq=False)
class _GraphSplit:
    """The pipeline of `split_objects` on similarities."""

    matrix: Relation
    optimistic: bool = True

    def rebuild(self, matrix: Relation, rng: np.random.Generator) -> Pair:
        graph: Similarity = matrix.values
        index1, index2 = _random_halves(len(graph), rng)
        matched = index2[linear_sum_assignment(profile_distances(graph, index1, index2))[1]]
        halves = [graph.take(index) for index in (index1, matched)]
        return Pair.build(
            Relation(halves[0]),
            Relation(halves[1]),
            halves[0].names,
            (index1, matched),
            False,
            self,
            graph.block(index1, matched),
        )


@dataclass(frozen=True, eq=False)
class _FeatureHalves:
    """The pipeline of `split_features`: which columns go where."""

    matrix: Matrix
    columns1: IntArray
    columns2: IntArray
    optimistic: bool = False

    def rebuild(self, matrix: Matrix, rng: np.random.Generator) -> Pair:
        return _halves(matrix, self.columns1, self.columns2)


def _distances(left: FloatArray, right: FloatArray, measure: str) -> FloatArray:
    if measure in ("euclidean", "sqeuclidean"):
        return cdist(left, right, "euclidean" if measure == "euclidean" else "sqeuclidean")
    if measure == "pearson":
        left = left - left.mean(axis=1, keepdims=True)
        right = right - right.mean(axis=1, keepdims=True)
    return np.asarray(1.0 - _unit_rows(left) @ _unit_rows(right).T)


def _unit_rows(values: FloatArray) -> FloatArray:
    length = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / np.where(length > 0.0, length, 1.0))


def _splittable(X: Any) -> Matrix:
    matrix = check_matrix(X, "X")
    if matrix.shape[1] < 2:
        raise ValueError(
            "split_features needs at least 2 columns to make two halves: X has 1; measure the "
            "objects a second time and use Pair(X1, X2), or use split_objects"
        )
    return matrix


def _random_columns(n_columns: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    order = rng.permutation(n_columns)
    cut = (n_columns + 1) // 2
    return np.sort(order[:cut]), np.sort(order[cut:])


def _halves(matrix: Matrix, columns1: IntArray, columns2: IntArray) -> Pair:
    labels = matrix.columns
    if labels is None:
        labels = np.arange(matrix.shape[1]).astype(object)
    left, right = (
        Matrix(np.ascontiguousarray(matrix.values[:, columns]), None, labels[columns])
        for columns in (columns1, columns2)
    )
    index = np.arange(len(matrix.values))
    source = _FeatureHalves(matrix, columns1, columns2)
    return Pair.build(left, right, matrix.names, (index, index), False, source)
