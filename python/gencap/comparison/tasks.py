"""One task: a family of runs on one pair over all numbers of clusters, and its outcome."""

from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gencap._graph_pairs import anneal_graphs
from gencap._lockstep import PairCurves, anneal_pairs, seed_of_pair
from gencap._mismatch import InstanceMismatchWarning
from gencap._progress import Control
from gencap._square import AsymmetryWarning
from gencap._validation import FloatArray, IntArray
from gencap.capacity import measure
from gencap.comparison.candidates import Candidate
from gencap.comparison.shifts import Shift, shift_value
from gencap.comparison.source import GraphPair, Source, Twin
from gencap.results import Capacity
from gencap.similarity import similarity

__all__ = ["Outcome", "Task", "open_pair", "quiet", "run_task"]

# Of more objects than this only the largest probability is kept.
MOST_PROBABILITIES = 20_000


@dataclass(frozen=True, eq=False)
class Task:
    """What is run, as a value: it can be sent anywhere and gives the same bits there.

    Parameters
    ----------
    candidate : Candidate
        Model, measure and power.
    split : int
        Which pair.
    n_clusters : tuple of int
        Numbers of clusters, each run also starting from the solution of the one before.
    shift : Shift
        Shift of the similarities.
    twin : (kind, draw) or None
        Null twin that takes the place of the data.
    seed : int
        The comparison's own; runs draw from it and the split, as in `select_order`.
    keep : bool
        Whether assignments at the optimum are kept.
    role : str
        "data", "null" or "final".
    """

    candidate: Candidate
    split: int
    n_clusters: tuple[int, ...]
    shift: Shift
    seed: int
    twin: Twin | None = None
    keep: bool = False
    role: str = "data"

    @property
    def key(self) -> str:
        """Return what the journal knows the task by."""
        return json.dumps(
            {
                "model": self.candidate.model,
                "measure": self.candidate.measure,
                "p": self.candidate.kind[2],
                "split": self.split,
                "n_clusters": list(self.n_clusters),
                "shift": [self.shift.rule, self.shift.value],
                "twin": None if self.twin is None else list(self.twin),
                "keep": self.keep,
            },
            sort_keys=True,
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a task gives back: numbers by name, and small arrays.

    Parameters
    ----------
    key : str
        The task's.
    seconds : float
        CPU seconds.
    shift : float
        Shift that was used; NaN where there is none.
    runs : list of dict
        Per number of clusters: k, raw, beta, effective, sweeps (0 where nothing is annealed).
    arrays : dict of str to ndarray
        "beta 3", "agreement 3", "entropy 3", "effective 3" for K = 3; "labels 3",
        "probabilities 3", "confidence 3" where assignments are kept.
    """

    key: str
    seconds: float
    shift: float
    runs: list[dict[str, Any]]
    arrays: dict[str, Any] = field(default_factory=dict)

    def run(self, n_clusters: int) -> dict[str, Any]:
        """Return the numbers for one K."""
        return next(run for run in self.runs if run["k"] == n_clusters)


def run_task(
    source: Source, task: Task, threads: int = 1, control: Control | None = None
) -> Outcome:
    """Run one task; what it returns depends on the source and the task only, seconds aside."""
    control = Control() if control is None else control
    with _METER.measure() as spent:
        pair: Any = source.pair(task.split, task.twin)
        if task.candidate.needs_similarity:
            pair = open_pair(pair, task.candidate.measure, threads, control)
        shift = _shift_of(task, pair)
        runs, arrays = _measure(task, pair, shift, threads, control)
    return Outcome(task.key, spent[0], float("nan") if shift is None else shift, runs, arrays)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence what is said once for the whole comparison or means nothing for a capacity.

    Filters of warnings belong to the process: enter it once, not in every thread.
    """
    with warnings.catch_warnings():
        for ignored in (ConvergenceWarning, InstanceMismatchWarning, AsymmetryWarning):
            warnings.simplefilter("ignore", ignored)
        yield


def open_pair(pair: Any, compared: str, threads: int, control: Control) -> GraphPair:
    """Turn both instances into similarities."""
    name: Any = compared
    first, second = (
        similarity(x, name, n_jobs=threads, progress=control) for x in (pair.first, pair.second)
    )
    return GraphPair(first, second, pair.names, pair.optimistic)


def _shift_of(task: Task, pair: Any) -> float | None:
    template = task.candidate.template
    if task.candidate.shift_rule == "nonnegative" and not task.candidate.is_graph:
        # Dominant sets shift every instance by itself; the larger one is reported.
        return max(float(template.shift_for(graph)) for graph in (pair.first, pair.second))
    if task.twin is None or not task.candidate.needs_similarity:
        return task.shift.value
    return shift_value(task.shift, template, [pair.first, pair.second])


def _measure(
    task: Task, pair: Any, shift: float | None, threads: int, control: Control
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    candidate = task.candidate
    given = shift if candidate.is_graph else task.shift.value
    models = [candidate.estimator(k, given, threads) for k in task.n_clusters]
    seed = seed_of_pair(task.seed, task.split)
    runs: list[dict[str, Any]] = []
    arrays: dict[str, Any] = {}
    if task.keep or not candidate.is_annealed:
        found = measure(models, [pair], "auto", seed=seed, threads=threads, control=control)
        for k, capacity in zip(task.n_clusters, found, strict=True):
            runs.append(_summary(k, capacity))
            arrays |= _curve_arrays(k, capacity) if task.twin is None else {}
            arrays |= _kept(k, capacity) if task.keep else {}
        return runs, arrays
    if candidate.is_graph:
        curves = anneal_graphs(models, [pair], seed=seed, threads=threads, control=control)
    else:
        curves = anneal_pairs(models, [pair], "auto", seed=seed, threads=threads, control=control)
    for k, one in zip(task.n_clusters, curves, strict=True):
        runs.append(_curve_summary(k, one))
        if task.twin is None:
            parts = one.grid, one.agreement[0], one.entropy[0], one.effective[0]
            arrays |= _named(k, *parts)
    return runs, arrays


def _named(
    k: int, beta: FloatArray, agreement: FloatArray, entropy: FloatArray, effective: FloatArray
) -> dict[str, FloatArray]:
    return {
        f"beta {k}": beta,
        f"agreement {k}": agreement,
        f"entropy {k}": entropy,
        f"effective {k}": effective,
    }


def _curve_arrays(k: int, capacity: Capacity) -> dict[str, FloatArray]:
    curve = capacity.curve
    if curve is None:
        return {}
    return _named(k, curve.beta, curve.agreement, curve.entropy, curve.n_clusters)


def _summary(k: int, capacity: Capacity) -> dict[str, Any]:
    sweeps = sum(int(run.n_iter.sum()) for run in capacity.trajectories)
    return _numbers(k, capacity.raw_bits, capacity.beta, capacity.n_clusters, sweeps)


def _curve_summary(k: int, curves: PairCurves) -> dict[str, Any]:
    at = int(np.argmax(curves.bits[0]))
    sweeps = int(curves.first.n_iter.sum() + curves.second.n_iter.sum())
    return _numbers(k, curves.bits[0, at], curves.grid[at], curves.effective[0, at], sweeps)


def _numbers(k: int, raw: float, beta: float, effective: float, sweeps: int) -> dict[str, Any]:
    return {
        "k": int(k),
        "raw": float(raw),
        "beta": float(beta),
        "effective": float(effective),
        "sweeps": sweeps,
    }


def _kept(k: int, capacity: Capacity) -> dict[str, Any]:
    """Return assignments with one column per effective cluster, in the order of the labels."""
    groups = np.asarray(capacity.groups, dtype=np.int64)
    masses = np.zeros((len(capacity.labels), int(groups.max()) + 1))
    for column, group in enumerate(groups):
        masses[:, group] += capacity.probabilities[:, column]
    masses = masses[:, _columns_by_label(masses, capacity.labels)]
    confidence = masses[np.arange(len(masses)), capacity.labels]
    if len(masses) > MOST_PROBABILITIES:
        masses = confidence[:, None]
    return {
        f"labels {k}": capacity.labels.astype(np.int32),
        f"probabilities {k}": masses.astype(np.float32),
        f"confidence {k}": confidence.astype(np.float32),
    }


def _columns_by_label(masses: FloatArray, labels: IntArray) -> IntArray:
    """Columns of the labels first, then those that are nobody's first choice."""
    likeliest = masses.argmax(axis=1)
    first = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
    first[labels] = likeliest
    rest = np.setdiff1d(np.arange(masses.shape[1]), first)
    return np.concatenate([first, rest])


class _Meter:
    """CPU seconds of tasks that share a process: each gets an equal part of what is spent.

    The compiled core computes on threads of its own, so that a thread's clock would miss them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active = 0
        self._spent = 0.0
        self._last = 0.0

    def _tick(self) -> float:
        now = time.process_time()
        if self._active:
            self._spent += (now - self._last) / self._active
        self._last = now
        return self._spent

    @contextmanager
    def measure(self) -> Iterator[list[float]]:
        """Yield a list that holds the seconds once the block is left."""
        spent = [0.0]
        with self._lock:
            started = self._tick()
            self._active += 1
        try:
            yield spent
        finally:
            with self._lock:
                spent[0] = self._tick() - started
                self._active -= 1


_METER = _Meter()
