"""What the views draw: plain arrays and tables that tasks prepared; nothing here computes.

Everything is optional, because results arrive one by one. Objects are numbered by their row in the
first instance: 0 to N - 1 in every array, table (column ``object``) and selection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = [
    "CenterPaths",
    "CoClustering",
    "CurveData",
    "DataSummary",
    "LabelPath",
    "LivePoint",
    "OrderedMatrix",
    "PlaneProjection",
    "Results",
    "RunKey",
    "RunResult",
    "SplitMark",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]


@dataclass(frozen=True, order=True)
class RunKey:
    """Names one annealing: a method, a measure ("" for vector methods), a number of clusters."""

    model: str
    measure: str
    n_clusters: int

    @property
    def candidate(self) -> tuple[str, str]:
        """Method and measure, without the number of clusters."""
        return self.model, self.measure


@dataclass(frozen=True)
class SplitMark:
    """Cluster `child` leaves `parent` at inverse temperature `beta`."""

    parent: int
    child: int
    beta: float


@dataclass(frozen=True, eq=False)
class LivePoint:
    """One temperature of a running annealing.

    Parameters
    ----------
    key : RunKey
        Which run it belongs to.
    index : int
        Number of the temperature in its run, from 0.
    beta : float
        Inverse temperature.
    bits, entropy, agreement : float
        J and its two terms, in bits per object; provisional until the run ends.
    n_clusters : int
        Effective clusters.
    masses, groups : ndarray of shape (K,)
        Share of each cluster; which effective cluster each belongs to.
    centers : ndarray of shape (K, 2) or None
        Cluster centers in the plane of `Results.projection`.
    labels, confidence : ndarray of shape (N,) or None
        Effective cluster of each object and its probability, where they were kept.
    """

    key: RunKey
    index: int
    beta: float
    bits: float
    entropy: float
    agreement: float
    n_clusters: int
    masses: FloatArray
    groups: IntArray
    centers: FloatArray | None = None
    labels: NDArray[np.int16] | None = None
    confidence: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class CurveData:
    """The capacity curve of a finished run: arrays of shape (T,), bits per object."""

    beta: FloatArray
    bits: FloatArray
    entropy: FloatArray
    agreement: FloatArray
    n_clusters: FloatArray


@dataclass(frozen=True, eq=False)
class CenterPaths:
    """Cluster centers in the plane along the annealing.

    `beta` has shape (T,), `coordinates` (T, K, 2), `groups` and `masses` (T, K). Group numbers are
    colors: a branch keeps its number, and at the optimum it is the number of the cluster.
    """

    beta: FloatArray
    coordinates: FloatArray
    groups: IntArray
    masses: FloatArray


@dataclass(frozen=True, eq=False)
class LabelPath:
    """Assignments at every temperature, for the slider: arrays of shape (T, N), `beta` (T,).

    `labels` are the group numbers of `CenterPaths`; `confidence` is the probability of that group.
    """

    beta: FloatArray
    labels: NDArray[np.int16]
    confidence: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class RunResult:
    """A run, finished (`finished` True) or as far as it has come.

    Parameters
    ----------
    key : RunKey
        Which run.
    live : tuple of LivePoint
        Temperatures so far; stays after the run has ended.
    finished : bool
        Whether the numbers below are final; they are None or NaN before.
    bits, raw_bits, bits_sd, beta, effective : float
        Capacity, the same before flooring at 0, its standard deviation over pairs (NaN with one),
        optimal inverse temperature, effective number of clusters there.
    curve : CurveData or None
        None for methods without a temperature path.
    best_step : int or None
        Index of the optimum in `curve`.
    labels, second_labels : ndarray of shape (N,) or None
        Clusters at the optimum on both instances, numbered alike.
    confidence : ndarray of shape (N,) or None
        Probability of that cluster.
    second_choice : ndarray of shape (N,) or None
        Next likely cluster of each object; -1 where there is none.
    splits : tuple of SplitMark
        The tree of splits.
    paths : CenterPaths or None
        For the split diagram and trajectories.
    label_path : LabelPath or None
        For the temperature slider; None beyond the memory cap, `note` then says so.
    optimistic, plateau : bool
        See `gencap.Capacity`.
    seconds : float
        Time taken.
    note : str
        What the user should know ("" for nothing).
    error : str
        Why the run failed ("" if it did not).
    """

    key: RunKey
    live: tuple[LivePoint, ...] = ()
    finished: bool = False
    bits: float = float("nan")
    raw_bits: float = float("nan")
    bits_sd: float = float("nan")
    beta: float = float("nan")
    effective: float = float("nan")
    curve: CurveData | None = None
    best_step: int | None = None
    labels: IntArray | None = None
    second_labels: IntArray | None = None
    confidence: FloatArray | None = None
    second_choice: IntArray | None = None
    splits: tuple[SplitMark, ...] = ()
    paths: CenterPaths | None = None
    label_path: LabelPath | None = None
    optimistic: bool = False
    plateau: bool = False
    seconds: float = float("nan")
    note: str = ""
    error: str = ""


@dataclass(frozen=True, eq=False)
class DataSummary:
    """The open table: `title`, sizes, column names, one line of `description`, import `notes`."""

    title: str
    n_objects: int
    n_columns: int
    columns: tuple[str, ...] = ()
    description: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PlaneProjection:
    """Objects in the plane: `coordinates` (N, 2), `explained` fractions, `kind` and axis names.

    `kind` is "pca" or "embedding". `kept` numbers the objects where fewer than all were projected
    (None: all of them).
    """

    coordinates: FloatArray
    explained: tuple[float, ...]
    kind: str
    kept: IntArray | None = None


@dataclass(frozen=True, eq=False)
class OrderedMatrix:
    """A similarity matrix with rows ordered by cluster.

    `matrix` is (M, M), `order` (M,) the object in each row, `labels` (M,) its cluster. M is at most
    about 2,000; `total` is the number of objects, `window` the part (start, stop) of the full order
    that is shown, for zoom.
    """

    matrix: NDArray[np.float32]
    order: IntArray
    labels: IntArray
    total: int
    measure: str = ""
    window: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class CoClustering:
    """Which objects two solutions put together.

    `codes` (M, M) uint8: 0 apart in both, 1 together in `first` only, 2 in `second` only, 3 in
    both. `order` (M,) is the object in each row.
    """

    codes: NDArray[np.uint8]
    order: IntArray
    first: RunKey
    second: RunKey
    total: int = 0
    window: tuple[int, int] | None = None


def _no_runs() -> Mapping[RunKey, RunResult]:
    return MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Results:
    """An immutable snapshot of everything there is to draw.

    Parameters
    ----------
    data : DataSummary or None
        The open table.
    names : ndarray of shape (N,) of str, or None
        Names of the objects shown (rows of the first instance); None: use their numbers.
    known : ndarray of shape (N,) or None
        Known labels as codes, with their words in `known_names`.
    projection : PlaneProjection or None
        Objects in the plane.
    runs : mapping of RunKey to RunResult
        All runs of the current analysis, finished and running.
    current : RunKey or None
        The run that `profiles`, `labels`, `similarity` and the like describe.
    running : RunKey or None
        The run that anneals now.
    order : DataFrame or None
        Columns model, measure, n_clusters, bits, bits_sd, effective, beta, seconds, optimistic: a
        row per finished run.
    ranking : DataFrame or None
        Columns rank, model, measure, n_clusters, bits, bits_sd: the best run of each candidate.
    profiles : DataFrame or None
        Columns cluster, column, mean, sd, n.
    labels : DataFrame or None
        Columns object, name, cluster, confidence, second choice (and known, where there is one).
    similarity, similarity_window : OrderedMatrix or None
        The matrix ordered by cluster, and the part asked for by `MatrixWindow`.
    coclustering, coclustering_window : CoClustering or None
        The current run against `compared`, ordered by the former.
    compared : RunKey or None
        The other solution of `coclustering`; None: the second instance of the current run.
    """

    data: DataSummary | None = None
    names: ObjectArray | None = None
    known: IntArray | None = None
    known_names: tuple[str, ...] = ()
    projection: PlaneProjection | None = None
    runs: Mapping[RunKey, RunResult] = field(default_factory=_no_runs)
    current: RunKey | None = None
    running: RunKey | None = None
    order: pd.DataFrame | None = None
    ranking: pd.DataFrame | None = None
    profiles: pd.DataFrame | None = None
    labels: pd.DataFrame | None = None
    similarity: OrderedMatrix | None = None
    similarity_window: OrderedMatrix | None = None
    coclustering: CoClustering | None = None
    coclustering_window: CoClustering | None = None
    compared: RunKey | None = None

    @property
    def run(self) -> RunResult | None:
        """The current run."""
        return None if self.current is None else self.runs.get(self.current)
