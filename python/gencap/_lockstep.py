"""Pairs of instances annealed in lock step, and their curves on one grid of temperatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gencap import _core
from gencap._live import Stream
from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray, IntArray, check_choice, check_integer
from gencap.annealing import grid_for, trajectory_of
from gencap.instances import Pair
from gencap.models import AnnealedClusterer, GraphClusterer
from gencap.results import Curve, Trajectory

__all__ = ["PairCurves", "anneal_pairs", "auto_coupling", "collect", "seed_of_pair"]

COUPLINGS = ("auto", "centroids", "merge", "responsibilities", "independent")

# From this many objects on a single run keeps all threads busy: tasks then follow one another.
LARGE = 20_000


def auto_coupling(coupling: str, pairs: Sequence[Pair]) -> str:
    """Resolve "auto": centroids in a common space, else merge."""
    check_choice(coupling, "coupling", COUPLINGS)
    if coupling != "auto":
        return coupling
    return "centroids" if all(pair.same_columns for pair in pairs) else "merge"


@dataclass(frozen=True, eq=False)
class PairCurves:
    """The curves of one model on all pairs, and the trajectories of the first pair."""

    coupling: str
    grid: FloatArray
    bits: FloatArray
    entropy: FloatArray
    agreement: FloatArray
    effective: FloatArray
    transfer_cost: FloatArray | None
    first: Trajectory
    second: Trajectory
    slots: IntArray
    shift: float | None = None

    def mean(self) -> Curve:
        """Average over pairs at equal temperature (Eq. 46): the maximum comes after."""
        transfer = None if self.transfer_cost is None else self.transfer_cost.mean(axis=0)
        return Curve(
            beta=self.grid,
            bits=self.bits.mean(axis=0),
            entropy=self.entropy.mean(axis=0),
            agreement=self.agreement.mean(axis=0),
            n_clusters=self.effective.mean(axis=0),
            transfer_cost=transfer,
        )

    def best_per_pair(self) -> FloatArray:
        """Maximum of every single curve."""
        best: FloatArray = self.bits.max(axis=1)
        return best

    def probabilities(
        self,
        model: AnnealedClusterer | GraphClusterer,
        pair: Pair,
        instance: int,
        step: int,
        threads: int,
        control: Control,
    ) -> FloatArray:
        """Recompute the assignments of the first pair from the centroids of one temperature."""
        run = (self.first, self.second)[instance]
        k = run.centroids.shape[1]
        covariances = np.zeros((k, 0)) if run.covariances is None else run.covariances[step]
        return _core.probabilities(
            (pair.first, pair.second)[instance],
            model.core_params(),
            run.centroids[step],
            np.ascontiguousarray(covariances.reshape(k, -1)),
            float(run.betas[step]),
            None,
            threads,
            switches=control.switches,
        )

    def path(
        self,
        model: AnnealedClusterer | GraphClusterer,
        pair: Pair,
        threads: int,
        control: Control,
    ) -> FloatArray:
        """Return the first instance's assignments at every temperature (T x N x K)."""
        steps = range(len(self.first.betas))
        return np.stack(
            [self.probabilities(model, pair, 0, step, threads, control) for step in steps]
        )


def anneal_pairs(
    models: Sequence[AnnealedClusterer],
    pairs: Sequence[Pair],
    coupling: str,
    *,
    seed: int,
    threads: int,
    control: Control,
    stream: Stream | None = None,
) -> list[PairCurves]:
    """Anneal every model on every pair; pair q draws from the seed and q only.

    The first model's temperatures on the first pair go to `stream` while they are computed.
    """
    if not models:
        return []
    mode = auto_coupling(coupling, pairs)
    large = pairs[0].n_objects >= LARGE
    outer, inner = (1, threads) if large else (threads, 1)
    arrays = [x for pair in pairs for x in (pair.first, pair.second)]
    settings = [model.core_params() for model in models]
    grids = [grid_for(params, arrays, control) for params in settings]
    tasks = [(m, q) for m in range(len(models)) for q in range(len(pairs))]

    def job(task: tuple[int, int], silent: Control) -> _core.PairColumns:
        m, q = task
        return _core.anneal_pair(
            pairs[q].first,
            pairs[q].second,
            settings[m],
            mode,
            pairs[q].same_columns,
            grids[m],
            seed_of_pair(seed, q),
            check_integer(models[m].n_init, "n_init"),
            inner,
            switches=silent.switches,
            report=silent.report("annealing"),
            live=stream.watcher if stream and task == (0, 0) else None,
        )

    columns = parallel_map(
        job,
        tasks,
        threads=outer,
        control=control,
        message="annealing",
        drain=stream.drain if stream else lambda: None,
    )
    size = len(pairs)
    return [
        collect(columns[m * size : (m + 1) * size], grids[m], mode, full=model.has_matrices)
        for m, model in enumerate(models)
    ]


def seed_of_pair(seed: int, q: int) -> int:
    """Pair 0 keeps the seed itself; the others get one that depends on it and on q."""
    if q == 0:
        return seed
    return int(np.random.SeedSequence([seed, q]).generate_state(1, np.uint64)[0] >> 1)


def collect(
    columns: Sequence[_core.PairColumns] | Sequence[_core.GraphPairColumns],
    grid: FloatArray,
    mode: str,
    *,
    full: bool,
) -> PairCurves:
    """Put the runs of all pairs on one grid, as long as the longest of them."""
    length = max(len(run["betas"]) for run in columns)
    grid = grid[len(grid) - length :] if grid[-1] == columns[0]["betas"][-1] else grid[:length]
    agreement = np.stack([_extended(run["betas"], run["agreement"], grid) for run in columns])
    entropy = np.stack([_entropies(run, len(grid), mode) for run in columns])
    effective = np.stack(
        [_padded(run["first"]["n_clusters"].astype(np.float64), len(grid)) for run in columns]
    )
    transfer = np.stack([_padded(run["transfer_cost"], len(grid)) for run in columns])
    return PairCurves(
        coupling=mode,
        grid=grid,
        bits=entropy + agreement,
        entropy=entropy,
        agreement=agreement,
        effective=effective,
        transfer_cost=None if np.isnan(transfer).any() else transfer,
        first=trajectory_of(columns[0]["first"], full=full),
        second=trajectory_of(columns[0]["second"], full=full),
        slots=columns[0]["slots"],
    )


def _entropies(run: _core.PairColumns, length: int, mode: str) -> FloatArray:
    """H at the last, hard temperature; merged clusters have their own at every temperature."""
    if mode == "merge":
        return _padded(run["entropy"], length)
    return np.full(length, run["entropy"][-1])


def _padded(values: FloatArray, length: int) -> FloatArray:
    return np.concatenate([values, np.full(length - len(values), values[-1])])


def _extended(betas: FloatArray, values: FloatArray, grid: FloatArray) -> FloatArray:
    """Continue a curve that ended with hard assignments.

    ln sum_k P1 P2 of an object on which the instances disagree falls linearly in beta, all others
    stay: the last slope goes on.
    """
    if len(values) == len(grid):
        return values
    slope = 0.0
    if len(values) > 1:
        slope = min(0.0, (values[-1] - values[-2]) / (betas[-1] - betas[-2]))
    return np.concatenate([values, values[-1] + slope * (grid[len(values) :] - betas[-1])])
