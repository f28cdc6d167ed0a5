"""From what a user hands in to pairs of instances."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from gencap import datasets
from gencap._mismatch import describe_mismatch
from gencap._square import check_similarities
from gencap._validation import (
    InputTypeError,
    Matrix,
    ObjectArray,
    check_choice,
    check_matrix,
    describe_degenerate,
)
from gencap.comparison.source import (
    GraphPair,
    GraphSource,
    ObjectSource,
    PairSource,
    Source,
    TableSource,
)
from gencap.instances import Instances, Pair
from gencap.io import Table
from gencap.networks import Network, edge_halves, open_network
from gencap.similarity import Similarity
from gencap.splits import FeatureSplits, random_halves

__all__ = ["Opened", "open_data"]

SPLITS = ("auto", "random", "interleave", "objects")


@dataclass(frozen=True, eq=False)
class Opened:
    """Pairs of instances, and what is worth saying about them.

    Parameters
    ----------
    source : Source
        Where pairs and their twins come from.
    words : str
        How the instances came about.
    notes : tuple of str
        Findings.
    names : ndarray or None
        The objects' names, of the first pair.
    """

    source: Source
    words: str
    notes: tuple[str, ...] = ()
    names: ObjectArray | None = None

    @property
    def graphs(self) -> bool:
        """Whether the data are similarities."""
        return isinstance(self.source, GraphSource)


def open_data(
    data: Any, second: Any, *, n_splits: int, split: str, seed: int, precomputed: bool
) -> Opened:
    """Find out what the data are and make pairs of them.

    Parameters
    ----------
    data, second, n_splits, split
        As in `gencap.compare`.
    seed : int
        Decides random halves.
    precomputed : bool
        Whether the user says that square matrices are similarities.
    """
    check_choice(split, "split", SPLITS)
    if isinstance(data, str | os.PathLike):
        data = _named(data)
    if isinstance(data, datasets.Dataset):
        data, precomputed = _of_dataset(data, precomputed)
    if isinstance(data, Table):
        data = data.to_frame()
    if isinstance(second, Table):
        second = second.to_frame()
    if second is not None:
        return _two(data, second, seed, precomputed)
    if isinstance(data, Network):
        data = data.weights
    if _is_graph(data):
        return _halved(data, n_splits, seed)
    if isinstance(data, Pair | Instances | FeatureSplits) or _is_list_of_pairs(data):
        return _paired(data, seed, precomputed)
    return _split(check_matrix(data, "data"), n_splits, split, seed)


def _named(name: str | os.PathLike[str]) -> Any:
    if isinstance(name, str) and name in datasets.names():
        return datasets.make(name)
    raise ValueError(
        f"data {str(name)!r} is not the name of a data set ({', '.join(datasets.names())}); read "
        "a file with gencap.io.read_table first"
    )


def _of_dataset(data: datasets.Dataset, precomputed: bool) -> tuple[Any, bool]:
    if data.data is not None:
        return data.data, precomputed
    return data.pair, precomputed or _are_similarities(data.pair)


def _are_similarities(pair: Pair) -> bool:
    """Whether both instances are symmetric square matrices."""
    return all(
        x.shape[0] == x.shape[1] > 2 and np.array_equal(x, x.T) for x in (pair.first, pair.second)
    )


def _is_graph(data: Any) -> bool:
    return scipy.sparse.issparse(data) or isinstance(data, Similarity)


def _is_list_of_pairs(data: Any) -> bool:
    return (
        isinstance(data, Sequence)
        and bool(data)
        and all(isinstance(one, Pair | tuple) for one in data)
    )


def _two(data: Any, second: Any, seed: int, precomputed: bool) -> Opened:
    if _is_graph(data) or _is_graph(second) or precomputed:
        return _graphs([GraphPair(_graph(data, "data"), _graph(second, "second"))], seed)
    return _paired(Pair(data, second), seed, precomputed)


def _paired(data: Any, seed: int, precomputed: bool) -> Opened:
    pairs = list(data.pairs()) if hasattr(data, "pairs") else list(data)
    if precomputed or any(_is_graph(_first(pair)) for pair in pairs):
        made = [
            GraphPair(_graph(_first(pair), "first"), _graph(_second(pair), "second"), _names(pair))
            for pair in pairs
        ]
        return _graphs(made, seed)
    kept = tuple(pair if isinstance(pair, Pair) else Pair(*pair) for pair in pairs)
    notes = [*describe_degenerate(kept[0].first), *describe_mismatch(kept)]
    source = PairSource(kept, seed)
    if source.optimistic:
        notes.append(OPTIMISTIC)
    return Opened(source, "two measurements", tuple(notes), kept[0].names)


OPTIMISTIC = (
    "optimistic pairing: the instances are different objects paired by proximity, so the bits come "
    "out too high; a second measurement or halves of the features are better"
)


def _first(pair: Any) -> Any:
    return pair.first if hasattr(pair, "first") else pair[0]


def _second(pair: Any) -> Any:
    return pair.second if hasattr(pair, "second") else pair[1]


def _names(pair: Any) -> ObjectArray | None:
    return getattr(pair, "names", None)


def _graph(graph: Any, name: str) -> Any:
    """Return similarities in a form that can be hashed, permuted and sent."""
    if isinstance(graph, Similarity):
        if graph.is_dense:
            return graph.toarray()
        if graph.shift:
            raise ValueError(
                f"{name} is a similarity with a shift of {graph.shift:g} that is not in its "
                "entries: pass it without, and the shifts to try as shifts=[...]"
            )
        return graph
    checked = check_similarities(graph, name)
    return checked.values if isinstance(checked, Matrix) else checked


def _graphs(pairs: Sequence[GraphPair], seed: int) -> Opened:
    for pair in pairs:
        if pair.first.shape != pair.second.shape:
            raise ValueError(
                "both graphs must have the same objects: got "
                f"{pair.first.shape[0]} and {pair.second.shape[0]}"
            )
    notes = [
        "the data are similarities: no Gaussian of equal covariance can be drawn, so clusters and "
        "a continuum cannot be told apart"
    ]
    source = GraphSource(tuple(pairs), seed)
    return Opened(source, "two graphs", tuple(notes), pairs[0].names)


def _halved(graph: Any, n_splits: int, seed: int) -> Opened:
    """Make two graphs of one: random halves of its edges."""
    if not scipy.sparse.issparse(graph):
        raise InputTypeError(
            "data is a similarity, which alone has no second measurement: pass another one of the "
            "same objects as second=, or the vectors it was made of"
        )
    network = open_network(graph)
    pairs = []
    for split in range(n_splits):
        halves = edge_halves(network, np.random.default_rng([seed, split]))
        one, two = (half.weights for half in halves)
        pairs.append(GraphPair(one, two, network.names, optimistic=True))
    opened = _graphs(pairs, seed)
    note = (
        "optimistic instances: one graph was given, so each instance is a random half of its "
        "edges; another graph of the same objects, or halves of the features, are better"
    )
    return Opened(opened.source, "random halves of the edges", (note, *opened.notes), opened.names)


def _split(matrix: Matrix, n_splits: int, split: str, seed: int) -> Opened:
    rows, columns = matrix.shape
    if rows < 2:
        raise ValueError(
            "data has 1 row: clusters need at least 2 objects; objects are rows, so transpose the "
            "table if they stand in columns"
        )
    notes = describe_degenerate(matrix)
    if split == "auto":
        split = "random" if columns > 1 else "objects"
    if split == "objects":
        seeds = tuple(int(s) for s in np.random.SeedSequence(seed).generate_state(n_splits))
        source = ObjectSource(matrix, seeds, seed)
        if columns == 1:
            notes.append("data has one column, which cannot be halved: the objects were split")
        names = source.pair(0).names
        words = "halves of the rows, matched by proximity"
        return Opened(source, words, (*notes, OPTIMISTIC), names)
    if columns < 2:
        raise ValueError(
            f"split is {split!r}, but data has one column, which cannot be halved: use "
            "split='objects', or pass a second measurement as second="
        )
    if split == "interleave":
        order = np.arange(columns)
        halves: tuple[Any, ...] = ((order[::2], order[1::2]),)
        words = "every other column against the rest"
    else:
        halves = tuple(random_halves(columns, n_splits, seed))
        words = "random halves of the columns"
    return Opened(TableSource(matrix, halves, seed), words, tuple(notes), matrix.names)
