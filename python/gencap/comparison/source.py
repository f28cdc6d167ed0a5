"""Where pairs of instances come from: splits of a table, given pairs, given graphs; and twins."""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_limits

from gencap._relations import permuted
from gencap._validation import FloatArray, IntArray, Matrix, ObjectArray
from gencap.instances import Pair
from gencap.nulls import KINDS, resample_matrix
from gencap.similarity import Similarity
from gencap.splits import FeatureSplits, OptimisticPairingWarning, split_objects

__all__ = [
    "GraphPair",
    "GraphSource",
    "ObjectSource",
    "PairSource",
    "Source",
    "TableSource",
    "Twin",
]

# Kind of null and number of the draw.
Twin: TypeAlias = tuple[str, int]

# Sums in linear algebra depend on the number of its threads in their last bits.
_ONE_THREAD = threading.Lock()


@dataclass(frozen=True, eq=False)
class GraphPair:
    """Two similarities of the same objects."""

    first: Any
    second: Any
    names: ObjectArray | None = None
    optimistic: bool = False
    same_columns: bool = False

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return int(self.first.shape[0])

    @property
    def index1(self) -> IntArray:
        """Objects keep their rows."""
        return np.arange(self.n_objects)


@dataclass(frozen=True, eq=False)
class TableSource:
    """Feature halves of one table."""

    matrix: Matrix
    halves: tuple[tuple[IntArray, IntArray], ...]
    seed: int
    null_kinds: tuple[str, ...] = KINDS
    optimistic: bool = False

    @property
    def n_splits(self) -> int:
        """Number of pairs."""
        return len(self.halves)

    @property
    def n_objects(self) -> int:
        """Number of objects in each pair."""
        return len(self.matrix.values)

    def pair(self, split: int, twin: Twin | None = None) -> Pair:
        """Return one split of the table, or of its null twin."""
        matrix = self.matrix
        if twin is not None:
            values = _resampled(matrix.values, twin, self.seed)
            matrix = Matrix(values, matrix.names, matrix.columns)
        return FeatureSplits(matrix, [self.halves[split]])[0]

    def digest(self) -> str:
        """Return what identifies the data."""
        return _digest([self.matrix.values, *(half for pair in self.halves for half in pair)])


@dataclass(frozen=True, eq=False)
class ObjectSource:
    """Matched halves of the rows of one table: optimistic."""

    matrix: Matrix
    seeds: tuple[int, ...]
    seed: int
    null_kinds: tuple[str, ...] = KINDS
    optimistic: bool = True

    @property
    def n_splits(self) -> int:
        """Number of pairs."""
        return len(self.seeds)

    @property
    def n_objects(self) -> int:
        """Number of objects in each pair."""
        return len(self.matrix.values) // 2

    def pair(self, split: int, twin: Twin | None = None) -> Pair:
        """Return one split of the table, or of its null twin."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimisticPairingWarning)
            pair = split_objects(self.matrix, random_state=self.seeds[split])
        return pair if twin is None else _twin_of(pair, twin, self.seed)

    def digest(self) -> str:
        """Return what identifies the data."""
        return _digest([self.matrix.values, np.array(self.seeds)])


@dataclass(frozen=True, eq=False)
class PairSource:
    """Pairs of measurements that exist already."""

    pairs: tuple[Pair, ...]
    seed: int
    null_kinds: tuple[str, ...] = KINDS

    @property
    def n_splits(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    @property
    def n_objects(self) -> int:
        """Number of objects in the smallest pair."""
        return min(pair.n_objects for pair in self.pairs)

    @property
    def optimistic(self) -> bool:
        """Whether rows were paired by proximity."""
        return any(pair.optimistic for pair in self.pairs)

    def pair(self, split: int, twin: Twin | None = None) -> Pair:
        """Return one pair, or its null twin."""
        pair = self.pairs[split]
        return pair if twin is None else _twin_of(pair, twin, self.seed)

    def digest(self) -> str:
        """Return what identifies the data."""
        return _digest([array for pair in self.pairs for array in (pair.first, pair.second)])


@dataclass(frozen=True, eq=False)
class GraphSource:
    """Pairs of similarities of the same objects: arrays, sparse matrices or `Similarity`."""

    pairs: tuple[GraphPair, ...]
    seed: int
    null_kinds: tuple[str, ...] = ("independent",)

    @property
    def n_splits(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    @property
    def n_objects(self) -> int:
        """Number of objects in the smallest pair."""
        return min(pair.n_objects for pair in self.pairs)

    @property
    def optimistic(self) -> bool:
        """Whether both graphs of a pair were made of one."""
        return any(pair.optimistic for pair in self.pairs)

    def pair(self, split: int, twin: Twin | None = None) -> GraphPair:
        """Return one pair, or the pair with its edges permuted in each instance by itself."""
        pair = self.pairs[split]
        if twin is None:
            return pair
        rng = np.random.default_rng([self.seed, KINDS.index(twin[0]), twin[1]])
        return GraphPair(
            permuted(pair.first, rng), permuted(pair.second, rng), pair.names, pair.optimistic
        )

    def digest(self) -> str:
        """Return what identifies the data."""
        return _digest([part for pair in self.pairs for part in (pair.first, pair.second)])


Source: TypeAlias = TableSource | ObjectSource | PairSource | GraphSource


def _rng(twin: Twin, seed: int) -> np.random.Generator:
    """Draw as `select_order` does: the twin depends on the seed, its kind and its number."""
    return np.random.default_rng([seed, KINDS.index(twin[0]), twin[1]])


def _resampled(values: FloatArray, twin: Twin, seed: int) -> FloatArray:
    with _ONE_THREAD, threadpool_limits(limits=1, user_api="blas"):
        return resample_matrix(values, twin[0], _rng(twin, seed))


def _twin_of(pair: Pair, twin: Twin, seed: int) -> Pair:
    with _ONE_THREAD, threadpool_limits(limits=1, user_api="blas"):
        return pair.resample(twin[0], _rng(twin, seed))


def _digest(parts: Sequence[Any]) -> str:
    """Hash arrays with their shapes."""
    found = hashlib.sha256()
    for part in parts:
        for array in _arrays_of(part):
            found.update(f"{array.dtype.str} {array.shape} ".encode())
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _arrays_of(part: Any) -> list[Any]:
    graph: Any = part
    if scipy.sparse.issparse(part):
        rows = scipy.sparse.csr_array(graph)
        rows.sum_duplicates()
        return [rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data]
    if isinstance(part, Similarity):
        # A product with random vectors tells similarities apart in whatever form they are kept.
        probes = np.random.default_rng(0).standard_normal((len(part), 4))
        return [np.asarray(part @ probes), part.diagonal]
    return [np.asarray(part)]
