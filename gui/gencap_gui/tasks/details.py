"""Tables and matrices that describe one run, and the objects in the plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gencap import summaries
from gencap_gui.results import (
    CoClustering,
    DataSummary,
    IntArray,
    ObjectArray,
    OrderedMatrix,
    PlaneProjection,
    RunResult,
)
from gencap_gui.session import MatrixWindow
from gencap_gui.settings import DataSource, InstanceChoice, RunTask
from gencap_gui.tasks.data import Measured, Workspace
from gencap_gui.tasks.state import State

__all__ = [
    "Details",
    "DetailsTask",
    "Scene",
    "SceneTask",
    "WindowTask",
    "describe",
    "describe_window",
    "set_scene",
]

MOST_SHOWN = 2_000
# A window at full detail is drawn once the view is zoomed in to at most this many rows.
MOST_IN_WINDOW = 2_000


@dataclass(frozen=True)
class SceneTask:
    """Ask for the objects in the plane."""

    source: DataSource
    instances: InstanceChoice
    seed: int


@dataclass(frozen=True, eq=False)
class Scene:
    """What is known before any run."""

    data: DataSummary
    names: ObjectArray | None
    known: IntArray | None
    known_names: tuple[str, ...]
    projection: PlaneProjection


def set_scene(task: SceneTask, state: State, workspace: Workspace) -> Scene:
    """Project the objects and collect their names."""
    loaded = workspace.table(task.source, state)
    state.check()
    data = workspace.measured(task.source, task.instances, task.seed, state)
    plane = workspace.plane(task.source, task.instances, task.seed, state)
    shown = PlaneProjection(
        np.asarray(plane.coordinates), tuple(float(x) for x in plane.explained), plane.kind
    )
    return Scene(loaded.summary(), data.names, data.known, loaded.known_names, shown)


@dataclass(frozen=True, eq=False)
class DetailsTask:
    """Ask for the tables and matrices of a finished run, beside another solution."""

    task: RunTask
    result: RunResult
    other: RunResult | None


@dataclass(frozen=True, eq=False)
class Details:
    """What describes one run."""

    profiles: pd.DataFrame
    labels: pd.DataFrame
    similarity: OrderedMatrix
    coclustering: CoClustering


def describe(task: DetailsTask, state: State, workspace: Workspace) -> Details:
    """Compute profiles, label table, ordered similarity and co-clustering of a run."""
    run = task.task
    data = workspace.measured(run.source, run.instances, run.seed, state)
    loaded = workspace.table(run.source, state)
    labels = _labels(task.result)
    state.check()
    profiles = summaries.cluster_profiles(data.table, labels, data.columns)
    state.check()
    table = label_table(task.result, data, loaded.known_names)
    state.check()
    similarity = _similarity(run, data, labels)
    state.check()
    return Details(profiles, table, similarity, _coclustering(task))


def _labels(result: RunResult) -> IntArray:
    if result.labels is None:
        raise ValueError("the run has no clusters to describe; wait until it has finished")
    return result.labels


def label_table(result: RunResult, data: Measured, known_names: tuple[str, ...]) -> pd.DataFrame:
    """Return a row per object; clusters count from 1, as in legends."""
    labels = _labels(result)
    n = len(labels)
    names = np.arange(1, n + 1) if data.names is None else data.names
    second = result.second_choice
    columns: dict[str, object] = {
        "object": np.arange(n),
        "name": names,
        "cluster": labels + 1,
        "confidence": result.confidence,
        "second choice": pd.array(
            [None] * n if second is None else [None if s < 0 else int(s) + 1 for s in second],
            dtype="Int64",
        ),
    }
    if data.known is not None and known_names:
        words = np.array([*known_names, ""], dtype=object)
        columns["known"] = words[data.known]
    return pd.DataFrame(columns)


def _measure_of(run: RunTask) -> str:
    return run.key.measure or "sqeuclidean"


def _similarity(run: RunTask, data: Measured, labels: IntArray) -> OrderedMatrix:
    measure = _measure_of(run)
    matrix, order = summaries.ordered_similarity(
        data.first,
        labels,
        measure,  # type: ignore[arg-type]
        max_objects=MOST_SHOWN,
    )
    return OrderedMatrix(
        matrix.astype(np.float32), order, labels[order], len(labels), measure=measure
    )


def _coclustering(task: DetailsTask) -> CoClustering:
    labels, other = _compared(task)
    found = summaries.coclustering(labels, other, max_objects=MOST_SHOWN)
    second = task.task.key if task.other is None else task.other.key
    return CoClustering(found.codes, found.order, task.task.key, second, len(labels))


def _compared(task: DetailsTask) -> tuple[IntArray, IntArray]:
    labels = _labels(task.result)
    if task.other is not None and task.other.labels is not None:
        return labels, task.other.labels
    second = task.result.second_labels
    return labels, labels if second is None else second


@dataclass(frozen=True, eq=False)
class WindowTask:
    """Ask for full detail of a part of a matrix.

    `level` is the similarity of an object to itself in the whole matrix: a distance d becomes
    v - d, and the v of a part is another than that of the whole.
    """

    details: DetailsTask
    window: MatrixWindow
    level: float = 0.0


def describe_window(
    task: WindowTask, state: State, workspace: Workspace
) -> OrderedMatrix | CoClustering:
    """Compute the part of a matrix that a view has zoomed to."""
    run, window = task.details.task, task.window
    labels, other = _compared(task.details)
    second = None if window.kind == "similarity" else other
    order = summaries.cluster_order(labels, second)
    start = max(0, min(window.start, len(order) - 1))
    stop = min(max(window.stop, start + 1), len(order), start + MOST_IN_WINDOW)
    rows = order[start:stop]
    if window.kind == "similarity":
        data = workspace.measured(run.source, run.instances, run.seed, state)
        measure = _measure_of(run)
        matrix, within = summaries.ordered_similarity(
            data.first[rows],
            np.zeros(len(rows), dtype=np.int64),
            measure,  # type: ignore[arg-type]
            max_objects=len(rows),
        )
        rows = rows[within]
        matrix = matrix + (task.level - matrix[0, 0])
        return OrderedMatrix(
            matrix.astype(np.float32), rows, labels[rows], len(labels), measure, (start, stop)
        )
    found = summaries.coclustering(labels, other, order=rows, max_objects=len(rows))
    key = run.key
    against = key if task.details.other is None else task.details.other.key
    return CoClustering(found.codes, found.order, key, against, len(labels), (start, stop))
