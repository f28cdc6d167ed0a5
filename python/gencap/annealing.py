"""Annealing: its settings, one temperature at a time, and the tree of splits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap import _core
from gencap._progress import Control, Progress
from gencap._validation import FloatArray, IntArray, check_integer, check_positive
from gencap.results import AnnealingStep, Split, Trajectory
from gencap.similarity import Similarity

__all__ = [
    "Annealing",
    "best_run",
    "graph_steps",
    "grid_for",
    "split_tree",
    "steps",
    "trajectory_of",
]


@dataclass(frozen=True)
class Annealing:
    """How temperature falls.

    Parameters
    ----------
    start : "critical" or float
        First inverse temperature. "critical": 0.9 of the value at which a single cluster first
        becomes unstable, computed from the data.
    stop : "hard" or float
        Last inverse temperature. "hard": when the mean over objects of 1 - max_k P_ik falls below
        0.001, at the latest at 50 times the critical value.
    n_steps : int
        Temperatures from first to last, in geometric progression.
    tol : float
        Converged when no centroid coordinate moves more than `tol` times the data's rms radius.
    max_iter : int
        Most iterations at one temperature.
    noise : float
        Perturbation of the centroids at every temperature, in mean standard deviations.
    burn_in, keep : int
        Sweeps thrown away and averaged at every temperature, for the sampling solvers.
    sample_means : bool
        Let the "gibbs" solver draw centroids around the means of their members, instead of taking
        the means. Only safe while D K / (2 N) is far below 1: in more dimensions the drawn noise
        makes larger clusters cheaper until one is left.

    Examples
    --------
    >>> Annealing(n_steps=30).n_steps
    30
    """

    start: str | float = "critical"
    stop: str | float = "hard"
    n_steps: int = 60
    tol: float = 1e-4
    max_iter: int = 100
    noise: float = 1e-2
    burn_in: int = 10
    keep: int = 10
    sample_means: bool = False

    def settings(self) -> dict[str, Any]:
        """Check the values and return them as the compiled core takes them."""
        start = None if self.start == "critical" else check_positive(self.start, "start")
        stop = None if self.stop == "hard" else check_positive(self.stop, "stop")
        if isinstance(self.noise, bool) or not 0 <= float(self.noise) < math.inf:
            raise ValueError(f"noise must be 0 or a positive number: got {self.noise!r}")
        return {
            "start": start,
            "stop": stop,
            "n_steps": check_integer(self.n_steps, "n_steps"),
            "tol": check_positive(self.tol, "tol"),
            "max_iter": check_integer(self.max_iter, "max_iter"),
            "noise": float(self.noise),
            "burn_in": check_integer(self.burn_in, "burn_in", minimum=0),
            "keep": check_integer(self.keep, "keep"),
            "sample_means": bool(self.sample_means),
        }


def grid_for(params: _core.AnnealParams, arrays: list[FloatArray], control: Control) -> FloatArray:
    """Return the common grid of inverse temperatures for several data sets.

    It begins before any instance has split and ends when all of them are hard, whatever their
    scales. Without any variance there is one temperature only.
    """
    variances = [
        _core.largest_variance(x, switches=control.switches, report=control.report("scale"))
        for x in arrays
    ]
    varying = [variance for variance in variances if variance > 0]
    return _core.beta_grid(params, max(varying), min(varying)) if varying else np.ones(1)


def best_run(
    x: FloatArray,
    params: _core.AnnealParams,
    *,
    seed: int,
    n_init: int,
    threads: int,
    control: Control,
    full: bool = False,
) -> tuple[Trajectory, FloatArray]:
    """Anneal `x` from `n_init` starts; return the best run and the final costs of all."""
    betas = grid_for(params, [x], control)
    columns, _, costs = _core.anneal(
        x,
        params,
        betas,
        seed,
        n_init,
        threads,
        switches=control.switches,
        report=control.report("annealing"),
    )
    return trajectory_of(columns, full=full), np.asarray(costs)


def steps(
    x: FloatArray,
    params: _core.AnnealParams,
    *,
    seed: int,
    n_init: int,
    threads: int,
    control: Control,
    heating: bool,
    full: bool = False,
) -> Iterator[AnnealingStep]:
    """Yield the best of `n_init` runs temperature by temperature, while it is computed."""
    betas = grid_for(params, [x], control)
    restart = 0
    if n_init > 1:
        _, restart, _ = _core.anneal(
            x,
            params,
            betas,
            seed,
            n_init,
            threads,
            switches=control.switches,
            report=control.report("choosing a start"),
        )
    annealer = _core.Annealer(x, params, seed, restart, threads)
    for done, beta in enumerate(betas[::-1] if heating else betas):
        tell = _repeater(control, Progress(done, len(betas), "annealing", float(beta)))
        tell()
        columns = annealer.step(beta, control.switches, tell)
        step = _single(columns, full=full)
        yield step
        if not heating and params.stops_when_hard and step.softness < _core.HARD:
            return


def graph_steps(
    graph: Similarity,
    cost: _core.GraphCost,
    params: _core.AnnealParams,
    *,
    n_clusters: int,
    seed: int,
    n_init: int,
    threads: int,
    control: Control,
) -> Iterator[AnnealingStep]:
    """Choose the best of `n_init` starts on a graph, then yield it while it is run again."""
    critical = _core.graph_critical(
        graph.core, cost, n_clusters, threads, switches=control.switches
    )
    betas = _core.graph_grid(params, critical)
    annealer = _core.GraphAnnealer(
        graph.core,
        cost,
        params,
        betas,
        critical,
        seed,
        n_init,
        threads,
        switches=control.switches,
        report=control.report("choosing a start"),
    )
    for done, beta in enumerate(betas):
        tell = _repeater(control, Progress(done, len(betas), "annealing", beta))
        tell()
        columns = annealer.step(control.switches, tell)
        if columns is None:
            return
        yield _single(columns)


def _single(columns: _core.Columns, *, full: bool = False) -> AnnealingStep:
    """Return the only step of a run of one temperature."""
    run = trajectory_of(columns, full=full)
    return AnnealingStep(
        beta=float(run.betas[0]),
        free_energy=float(run.free_energies[0]),
        cost=float(run.costs[0]),
        n_clusters=int(run.n_clusters[0]),
        softness=float(run.softness[0]),
        masses=run.masses[0],
        groups=run.groups[0],
        centroids=run.centroids[0],
        covariances=None if run.covariances is None else run.covariances[0],
        n_iter=int(run.n_iter[0]),
        converged=bool(run.converged[0]),
    )


def _repeater(control: Control, progress: Progress) -> Callable[..., None]:
    """Return what tells `progress` again while one temperature lasts, so that it can be stopped."""

    def tell(*counters: float) -> None:
        control(progress)

    return tell


def trajectory_of(columns: _core.Columns, *, full: bool = False) -> Trajectory:
    """Wrap the columns of a run, with the tree of splits they imply.

    `full` tells matrices from variances, which a single column would not.
    """
    covariances: FloatArray | None = columns["covariances"]
    if full:
        n_steps, n_clusters, n_features = columns["centroids"].shape
        shape = (n_steps, n_clusters, n_features, n_features)
        covariances = columns["covariances"].reshape(shape)
    elif columns["covariances"].shape[2] == 0:
        covariances = None
    return Trajectory(
        betas=columns["betas"],
        free_energies=columns["free_energies"],
        costs=columns["costs"],
        n_clusters=columns["n_clusters"],
        softness=columns["softness"],
        masses=columns["masses"],
        groups=columns["groups"],
        centroids=columns["centroids"],
        n_iter=columns["n_iter"],
        converged=columns["converged"],
        splits=split_tree(columns["betas"], columns["groups"], columns["masses"]),
        covariances=covariances,
    )


def split_tree(
    betas: FloatArray, groups: IntArray, masses: FloatArray | None = None
) -> tuple[Split, ...]:
    """Return the splits of a run, in the order of rising beta.

    Two centroids split for good at the first temperature after the last one at which they were one
    group; a group that flickers apart and back is one branch until then.

    Parameters
    ----------
    betas : ndarray of shape (T,)
        Rising inverse temperatures.
    groups : ndarray of shape (T, K)
        Group number of every centroid.
    masses : ndarray of shape (T, K), optional
        Cluster masses. A centroid without mass is a slot that waits for a split, or was given back:
        it takes no part in the tree until it gets mass, and none if it ends without.

    Returns
    -------
    tuple of Split
        `parent` and `child` are centroid numbers; a branch is named by its lowest one.

    Examples
    --------
    >>> split_tree(np.array([1.0, 2.0, 3.0]), np.array([[0, 0, 0], [0, 0, 1], [0, 1, 2]]))
    (Split(parent=0, child=2, beta=2.0), Split(parent=0, child=1, beta=3.0))
    """
    n_steps, k = groups.shape
    together = groups[:, :, None] == groups[:, None, :]
    numbers = np.arange(k)
    if masses is not None:
        held = masses > 0
        # Where a waiting slot stood when it got its mass is where it came from.
        soon = held | np.vstack([held[1:], held[-1:]])
        numbers = np.flatnonzero(held[-1])
        together = (together & soon[:, :, None] & soon[:, None, :])[:, numbers][:, :, numbers]
        k = len(numbers)
    last = np.where(together.any(axis=0), n_steps - 1 - together[::-1].argmax(axis=0), -1)
    splits: list[Split] = []
    leads = np.zeros(k, dtype=np.int64)
    for t in range(n_steps):
        now = _leads(last >= t)
        for lead in np.unique(now):
            if leads[lead] != lead:
                parent, child = numbers[[leads[lead], lead]]
                splits.append(Split(int(parent), int(child), float(betas[t])))
        leads = now
    return tuple(splits)


def _leads(linked: np.ndarray[Any, np.dtype[np.bool_]]) -> IntArray:
    """Lowest member of the connected component of every node."""
    leads = np.arange(len(linked))
    while True:
        lower = np.array([leads[row].min() for row in linked])
        if np.array_equal(lower, leads):
            return leads
        leads = lower
