"""Load tables and make instances of them."""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

import gencap
import gencap.io
import gencap.tables
from gencap_gui.methods import SAMPLES
from gencap_gui.results import DataSummary, FloatArray, IntArray, ObjectArray
from gencap_gui.settings import DataSource, ImportOptions, InstanceChoice
from gencap_gui.tasks.state import State

__all__ = ["Loaded", "Measured", "Preview", "Workspace", "load", "measured", "preview"]

T = TypeVar("T")
BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Loaded:
    """A table in memory.

    `values` is None for samples that are two measurements from the start; these are `own`.
    """

    source: DataSource
    values: FloatArray | None
    names: ObjectArray | None
    columns: ObjectArray | None
    known: IntArray | None
    known_names: tuple[str, ...]
    description: str
    notes: tuple[str, ...] = ()
    own: tuple[FloatArray, FloatArray] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Objects and columns."""
        table = self.values if self.own is None else self.own[0]
        return (0, 0) if table is None else (int(table.shape[0]), int(table.shape[1]))

    def summary(self) -> DataSummary:
        """Describe the table for the views."""
        rows, columns = self.shape
        labels = () if self.columns is None else tuple(str(label) for label in self.columns)
        return DataSummary(self.source.title, rows, columns, labels, self.description, self.notes)

    def frame(self) -> pd.DataFrame:
        """Return the table with names, in the form that gencap takes."""
        if self.values is None:
            raise ValueError(
                f"{self.source.title} has two measurements of its own and no table to split; "
                "choose 'the sample's own two measurements'"
            )
        index = None if self.names is None else pd.Index(self.names)
        columns = None if self.columns is None else pd.Index(self.columns)
        return pd.DataFrame(self.values, index=index, columns=columns, copy=False)


@dataclass(frozen=True, eq=False)
class Measured:
    """Two (or more) measurements of the same objects, and the objects that the views show."""

    pair: Any
    first: FloatArray
    names: ObjectArray | None
    known: IntArray | None
    table: FloatArray
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Preview:
    """The head of a file for the import dialog, with guessed roles and counts of gaps."""

    path: str
    head: pd.DataFrame
    n_rows: int
    roles: dict[str, str]
    gaps: dict[str, int]
    rows_with_gaps: int
    smallest: float
    notes: tuple[str, ...]
    digest: str


def digest_of(path: str) -> str:
    """Return a short fingerprint of a file's content."""
    found = hashlib.blake2b(digest_size=8)
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            found.update(block)
    return found.hexdigest()


def preview(path: str, state: State, rows: int = 50) -> Preview:
    """Read a file for the import dialog."""
    frame = gencap.io.read_frame(path)
    state.check()
    roles = gencap.tables.guess_roles(frame)
    features = [label for label, role in roles.items() if role == "feature"]
    numbers = frame[features].apply(lambda c: pd.to_numeric(c.astype(object), errors="coerce"))
    missing = ~np.isfinite(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    gaps = {label: int(missing[:, j].sum()) for j, label in enumerate(features)}
    finite = numbers.to_numpy(dtype=np.float64, na_value=np.nan)[~missing]
    return Preview(
        path,
        frame.head(rows),
        len(frame),
        roles,
        gaps,
        int(missing.any(axis=1).sum()),
        float(finite.min()) if finite.size else 0.0,
        tuple(frame.attrs.get("notes", ())),
        digest_of(path),
    )


def load(source: DataSource, state: State) -> Loaded:
    """Read a file or make a sample."""
    return _load_sample(source) if source.kind == "sample" else _load_file(source, state)


def _load_sample(source: DataSource) -> Loaded:
    drawn = source.name in SAMPLES and SAMPLES[source.name].is_drawn
    made = gencap.datasets.make(source.name, **({"random_state": 0} if drawn else {}))
    groups = int(made.truth.max()) + 1
    known = made.truth if groups > 1 else None
    words = tuple(f"group {i + 1}" for i in range(groups)) if groups > 1 else ()
    own = None if made.data is not None else (made.pair.first, made.pair.second)
    title = SAMPLES[source.name].explanation if source.name in SAMPLES else made.description
    return Loaded(source, made.data, None, made.columns, known, words, title, (), own)


def _load_file(source: DataSource, state: State) -> Loaded:
    digest = digest_of(source.name)
    frame = gencap.io.read_frame(source.name)
    state.check()
    options = source.options
    roles = dict(options.roles) if options.roles else None
    table = gencap.tables.prepare_table(frame, roles, options.missing, options.transforms)
    known: IntArray | None = None
    words: tuple[str, ...] = ()
    if table.known is not None:
        codes, kinds = pd.factorize(pd.Series(table.known), sort=True)
        known, words = codes.astype(np.int64), tuple(str(kind) for kind in kinds)
    notes = (*frame.attrs.get("notes", ()), *table.notes)
    if source.digest and source.digest != digest:
        notes = (*notes, f"{source.title} has changed since it was opened before")
    return Loaded(
        replace(source, digest=digest),
        table.values,
        table.names,
        table.columns,
        known,
        words,
        f"{len(table.values):,} objects, {table.values.shape[1]:,} columns",
        notes,
    )


def suited_instances(loaded: Loaded) -> InstanceChoice:
    """Return the instances that work for a table just opened."""
    if loaded.own is not None:
        return InstanceChoice(how="own")
    if loaded.shape[1] < 2:
        return InstanceChoice(how="objects")
    return InstanceChoice(how="interleave" if loaded.shape[1] < 6 else "random")


def measured(
    loaded: Loaded, choice: InstanceChoice, seed: int, second: Loaded | None = None
) -> Measured:
    """Make the instances the user chose."""
    how = choice.how
    pair: Any
    if how == "own":
        if loaded.own is None:
            raise ValueError(f"{loaded.source.title} is one table; choose how to split it")
        pair = gencap.Pair(*loaded.own)
    elif how == "interleave":
        pair = gencap.split_features(loaded.frame())
    elif how == "random":
        pair = gencap.random_feature_splits(loaded.frame(), choice.n_splits, seed)
    elif how == "objects":
        with warnings.catch_warnings():
            # Said beside the choice itself, and marked in every result as optimistic.
            warnings.simplefilter("ignore", gencap.OptimisticPairingWarning)
            pair = gencap.split_objects(loaded.frame(), choice.measure, random_state=seed)
    else:
        if second is None:
            raise ValueError("the second file is missing; choose one under Instances")
        pair = gencap.Pair(loaded.frame(), second.frame())
    one = pair[0] if how == "random" else pair
    rows = np.asarray(one.index1, dtype=np.int64)
    table = one.first if loaded.values is None else loaded.values[rows]
    columns = loaded.columns if loaded.values is not None else None
    labels = range(1, table.shape[1] + 1) if columns is None else columns
    return Measured(
        pair=pair,
        first=one.first,
        names=None if loaded.names is None else loaded.names[rows],
        known=None if loaded.known is None else loaded.known[rows],
        table=table,
        columns=tuple(str(label) for label in labels),
    )


class _Shelf(Generic[T]):
    """The most recently used values by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.RLock()
        self._items: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
                return self._items[key]
        made = make()
        self.put(key, made)
        return made

    def put(self, key: Hashable, value: T) -> None:
        with self._lock:
            self._items[key] = value
            self._items.move_to_end(key)
            while len(self._items) > self._most:
                self._items.popitem(last=False)

    def find(self, key: Hashable) -> T | None:
        with self._lock:
            return self._items.get(key)


class Workspace:
    """Tables, instances and projections that tasks share, so that none is made twice."""

    def __init__(self) -> None:
        self._tables: _Shelf[Loaded] = _Shelf(6)
        self._measured: _Shelf[Measured] = _Shelf(4)
        self._planes: _Shelf[Any] = _Shelf(4)

    def put(self, loaded: Loaded) -> None:
        """Keep a table, from a file just read or from a session file."""
        self._tables.put(loaded.source, loaded)

    def find(self, source: DataSource) -> Loaded | None:
        """Return a table if it is in memory."""
        return self._tables.find(source)

    def table(self, source: DataSource, state: State) -> Loaded:
        """Return a table, read from its file if need be."""
        return self._tables.get(source, lambda: load(source, state))

    def measured(
        self, source: DataSource, choice: InstanceChoice, seed: int, state: State
    ) -> Measured:
        """Return the instances."""

        def make() -> Measured:
            second = None if choice.second is None else self.table(choice.second, state)
            return measured(self.table(source, state), choice, seed, second)

        # Only random halves depend on the seed.
        used = seed if choice.how in ("random", "objects") else 0
        return self._measured.get((source, choice, used), make)

    def plane(self, source: DataSource, choice: InstanceChoice, seed: int, state: State) -> Any:
        """Return the projection of the first instance (`gencap.summaries.Projection`)."""

        def make() -> Any:
            from gencap import summaries

            first = self.measured(source, choice, seed, state).first
            state.check()
            return summaries.project(first)

        used = seed if choice.how in ("random", "objects") else 0
        return self._planes.get((source, choice, used), make)


def options_for(found: Preview) -> ImportOptions:
    """Return import options that work for a file as it is: guessed roles, gaps dropped."""
    roles = tuple(found.roles.items())
    missing = "drop" if found.rows_with_gaps else "error"
    return ImportOptions(roles, missing)  # type: ignore[arg-type]
