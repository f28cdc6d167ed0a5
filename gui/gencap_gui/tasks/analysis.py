"""Run an analysis: the capacity of every method, measure and number of clusters, live."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

import gencap
import gencap.selection
from gencap import summaries
from gencap_gui.methods import METHODS
from gencap_gui.results import (
    CenterPaths,
    CurveData,
    IntArray,
    LabelPath,
    LivePoint,
    RunKey,
    RunResult,
    SplitMark,
)
from gencap_gui.settings import RunTask
from gencap_gui.tasks.data import Measured, Workspace
from gencap_gui.tasks.paths import assigned, branch_numbers, leads, relabeled
from gencap_gui.tasks.state import State

__all__ = [
    "PATH_LIMIT",
    "AnalysisTask",
    "RunStarted",
    "build_model",
    "order_table",
    "ranking_table",
    "run",
    "run_one",
]

# Most memory for the assignments at all temperatures of one run, in bytes.
PATH_LIMIT = 256 * 2**20


@dataclass(frozen=True)
class AnalysisTask:
    """The runs to do, in order."""

    runs: tuple[RunTask, ...]


@dataclass(frozen=True)
class RunStarted:
    """Told before the first temperature of a run; `index` of `total` in its analysis."""

    key: RunKey
    index: int
    total: int


def run(task: AnalysisTask, state: State, workspace: Workspace) -> tuple[RunResult, ...]:
    """Do all runs and tell each result; a run that fails says so and the others go on."""
    found = []
    for index, one in enumerate(task.runs):
        state.check()
        state.tell(RunStarted(one.key, index, len(task.runs)))
        try:
            result = run_one(one, state, workspace)
        except (gencap.Cancelled, KeyboardInterrupt):
            raise
        except MemoryError:
            result = RunResult(one.key, finished=True, error="there is not enough memory")
        except (ValueError, OSError) as error:
            result = RunResult(one.key, finished=True, error=str(error))
        except Exception as error:  # a fault of ours must not take the other runs with it
            words = f"unexpected fault, {type(error).__name__}: {error}"
            result = RunResult(one.key, finished=True, error=words)
        found.append(result)
        state.tell(result)
    return tuple(found)


def build_model(task: RunTask) -> Any:
    """Return the gencap estimator that a task asks for."""
    method = METHODS[task.key.model]
    options: dict[str, Any] = {"n_clusters": task.key.n_clusters, "random_state": task.seed}
    if method.has_measure:
        options["measure"] = task.key.measure
    if method.has_shift and task.shift is not None:
        options["shift"] = task.shift
    if method.has_power and task.power is not None:
        options["p"] = task.power
    if task.covariance is not None:
        options["covariance"] = task.covariance
    if method.anneals:
        options["annealing"] = gencap.Annealing(
            n_steps=task.annealing.n_steps, noise=task.annealing.noise
        )
        if task.annealing.n_init is not None:
            options["n_init"] = task.annealing.n_init
    return getattr(gencap, method.model)(**options)


def run_one(task: RunTask, state: State, workspace: Workspace) -> RunResult:
    """Measure one model; temperatures are told as `LivePoint` while they are reached."""
    began = time.perf_counter()
    data = workspace.measured(task.source, task.instances, task.seed, state)
    plane = workspace.plane(task.source, task.instances, task.seed, state)
    state.check()
    size = len(data.first) * task.key.n_clusters * task.annealing.n_steps * 8
    keep = "probabilities" if size <= PATH_LIMIT and METHODS[task.key.model].anneals else None
    listener = _Listener(task.key, state, plane)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = gencap.capacity(
            build_model(task), data.pair, keep=keep, progress=state.renew(), live=listener
        )
    notes = list(dict.fromkeys(str(one.message) for one in heard))
    if keep is None and METHODS[task.key.model].anneals:
        notes.append(
            f"The assignments of all temperatures would take {size / 2**20:,.0f} MB (at most "
            f"{PATH_LIMIT / 2**20:.0f} MB are kept): the slider shows the optimum only."
        )
    result = _result(task, found, data, plane, tuple(listener.points))
    return replace(result, seconds=time.perf_counter() - began, note=" ".join(notes))


class _Listener:
    """Turns live steps into points that views can draw."""

    def __init__(self, key: RunKey, state: State, plane: Any) -> None:
        self._key, self._state, self._plane = key, state, plane
        self.points: list[LivePoint] = []

    def __call__(self, step: Any) -> None:
        branches = leads(step.groups)
        labels = confidence = centers = None
        if step.probabilities is not None:
            labels, confidence = assigned(step.probabilities, branches)
        if step.centroids is not None:
            centers = self._plane.project_centers(step.centroids)
        elif step.probabilities is not None:
            centers = self._plane.project_memberships(step.probabilities)
        point = LivePoint(
            key=self._key,
            index=len(self.points),
            beta=float(step.beta),
            bits=float(step.bits),
            entropy=float(step.entropy),
            agreement=float(step.agreement),
            n_clusters=int(step.n_clusters),
            masses=np.asarray(step.masses),
            groups=branches,
            centers=centers,
        )
        # The finished run has its own record of labels: only the point on its way carries them.
        self.points.append(point)
        self._state.tell(replace(point, labels=labels, confidence=confidence))


def _result(
    task: RunTask, found: gencap.Capacity, data: Measured, plane: Any, live: tuple[LivePoint, ...]
) -> RunResult:
    """Collect what the views draw from a capacity."""
    size = int(found.groups.max()) + 1
    summed = found.probabilities @ np.eye(size)[found.groups]
    kinds = np.unique(summed.argmax(axis=1))
    table = summaries.label_table(found)
    chosen = summaries.cluster_probabilities(found)
    ranked = np.argsort(-chosen, axis=1, kind="stable")
    certain = chosen.shape[1] < 2
    result = RunResult(
        key=task.key,
        live=live,
        finished=True,
        bits=float(found.bits),
        raw_bits=float(found.raw_bits),
        bits_sd=float(found.bits_sd),
        beta=float(found.beta),
        effective=float(found.n_clusters),
        labels=np.asarray(found.labels, dtype=np.int64),
        second_labels=relabeled(found.second_probabilities, _columns(found), kinds),
        confidence=table["confidence"].to_numpy(dtype=np.float64),
        second_choice=np.full(len(chosen), -1) if certain else ranked[:, 1].astype(np.int64),
        splits=tuple(SplitMark(s.parent, s.child, s.beta) for s in found.splits),
        optimistic=found.optimistic,
        plateau=found.plateau,
    )
    return _with_path(result, found, data, plane, kinds)


def _columns(found: gencap.Capacity) -> IntArray:
    """Return the group of every column of the second instance, which may have more columns."""
    extra = found.second_probabilities.shape[1] - len(found.groups)
    if extra <= 0:
        return found.groups[: found.second_probabilities.shape[1]]
    top = int(found.groups.max()) + 1
    return np.concatenate([found.groups, top + np.arange(extra)])


def _with_path(
    result: RunResult, found: gencap.Capacity, data: Measured, plane: Any, kinds: IntArray
) -> RunResult:
    """Add the curve and what is known along it."""
    if found.curve is None:
        return result
    curve = found.curve
    best = int(np.argmin(np.abs(curve.beta - found.beta)))
    result = replace(
        result,
        curve=CurveData(curve.beta, curve.bits, curve.entropy, curve.agreement, curve.n_clusters),
        best_step=best,
    )
    if not found.trajectories or (found.path_probabilities is None and _needs_path(found)):
        return result
    paths = summaries.center_paths(found, data.first, projection=plane)
    # A curve over several pairs may be longer than the first pair's own annealing.
    steps = np.minimum(np.arange(len(curve.beta)), len(paths.beta) - 1)
    groups = np.asarray(found.trajectories[0].groups)
    branches = branch_numbers(groups, groups[min(best, len(groups) - 1)], kinds)
    result = replace(
        result,
        paths=CenterPaths(
            curve.beta, paths.coordinates[steps], branches[steps], paths.masses[steps]
        ),
    )
    if found.path_probabilities is None:
        return result
    frames = [assigned(p, b) for p, b in zip(found.path_probabilities, branches, strict=True)]
    labels = np.stack([one for one, _ in frames])[steps]
    confidence = np.stack([one for _, one in frames])[steps]
    return replace(result, label_path=LabelPath(curve.beta, labels, confidence))


def _needs_path(found: gencap.Capacity) -> bool:
    """Whether cluster centers follow from assignments only (models on similarities)."""
    return found.trajectories[0].centroids.size == 0


def order_table(runs: Iterable[RunResult]) -> pd.DataFrame:
    """Return a row per finished run that did not fail."""
    rows = [
        {
            "model": one.key.model,
            "measure": one.key.measure,
            "n_clusters": one.key.n_clusters,
            "bits": one.bits,
            "bits_sd": one.bits_sd,
            "effective": one.effective,
            "beta": one.beta,
            "seconds": one.seconds,
            "optimistic": one.optimistic,
        }
        for one in runs
        if one.finished and not one.error
    ]
    names = ("model", "measure", "n_clusters", "bits", "bits_sd", "effective", "beta", "seconds")
    return pd.DataFrame(rows, columns=pd.Index([*names, "optimistic"]))


def ranking_table(runs: Iterable[RunResult]) -> pd.DataFrame:
    """Return the chosen number of clusters of every candidate, most bits first.

    The choice among numbers of clusters is gencap's own (`gencap.selection.best_order`).
    """
    by_candidate: dict[tuple[str, str], dict[int, RunResult]] = {}
    for one in runs:
        if one.finished and not one.error:
            by_candidate.setdefault(one.key.candidate, {})[one.key.n_clusters] = one
    rows = []
    for (model, measure), tried in by_candidate.items():
        best = gencap.selection.best_order(cast(Any, tried))
        chosen = tried.get(best)
        bits = 0.0 if chosen is None else chosen.bits
        spread = float("nan") if chosen is None else chosen.bits_sd
        rows.append((model, measure, best, bits, spread))
    rows.sort(key=lambda row: -row[3])
    frame = pd.DataFrame(
        rows, columns=pd.Index(["model", "measure", "n_clusters", "bits", "bits_sd"])
    )
    frame.insert(0, "rank", range(1, len(frame) + 1))
    return frame
