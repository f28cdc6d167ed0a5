"""Graph models on pairs of instances: independent runs, compared at equal temperature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap import _core
from gencap._live import Stream
from gencap._lockstep import PairCurves, collect, seed_of_pair
from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray, check_integer
from gencap.instances import Pair
from gencap.models import AnnealedClusterer, GraphClusterer
from gencap.similarity import Similarity

__all__ = ["anneal_graphs"]

# From this many objects on a single run keeps all threads busy: tasks then follow one another.
LARGE = 20_000

# How the critical inverse temperature depends on K, where a formula tells.
SCALES_WITH_K = ("correlation", "max_cut")
INDEPENDENT_OF_K = ("pairwise", "normalized_cut")


@dataclass(frozen=True, eq=False)
class _Setup:
    """What it takes to run the first pair again."""

    graphs: tuple[Similarity, Similarity]
    costs: tuple[_core.GraphCost, _core.GraphCost]
    params: _core.AnnealParams
    betas: list[float]
    critical: float
    seed: int
    plans: _core.GraphPlans
    kept: dict[int, tuple[FloatArray, FloatArray]]

    def states(self, steps: list[int], threads: int, control: Control) -> Any:
        """Replay the winners of both instances and return their assignments at these steps."""
        return _core.graph_pair_probabilities(
            self.graphs[0].core,
            self.graphs[1].core,
            self.costs,
            self.params,
            self.betas,
            self.critical,
            self.seed,
            self.plans,
            steps,
            threads,
            switches=control.switches,
        )

    def show(self, stream: Stream, threads: int, control: Control) -> None:
        """Replay the winners of both instances for those who watch."""
        _core.graph_pair_again(
            self.graphs[0].core,
            self.graphs[1].core,
            self.costs,
            self.params,
            self.betas,
            self.critical,
            self.seed,
            self.plans,
            stream.watcher,
            threads,
            switches=control.switches,
            report=control.report("replay of the best shift"),
        )


@dataclass(frozen=True, eq=False)
class GraphCurves(PairCurves):
    """Curves of a graph model; its assignments are found by running the winners again."""

    setup: _Setup | None = None

    def probabilities(
        self,
        model: AnnealedClusterer | GraphClusterer,
        pair: Pair,
        instance: int,
        step: int,
        threads: int,
        control: Control,
    ) -> FloatArray:
        """Return the assignments of the first pair at one temperature."""
        assert self.setup is not None
        kept = self.setup.kept
        if step not in kept:
            first, second = self.setup.states([step], threads, control)
            kept[step] = (first[0], second[0])
        return kept[step][instance]

    def path(
        self,
        model: AnnealedClusterer | GraphClusterer,
        pair: Pair,
        threads: int,
        control: Control,
    ) -> FloatArray:
        """Return the first instance's assignments at every temperature."""
        assert self.setup is not None
        steps = list(range(len(self.first.betas)))
        first: FloatArray = self.setup.states(steps, threads, control)[0]
        return first

    def show(self, stream: Stream, threads: int, control: Control) -> None:
        """Run the first pair again for those who watch."""
        assert self.setup is not None
        self.setup.show(stream, threads, control)


@dataclass(frozen=True, eq=False)
class _Chain:
    """Models that differ in one parameter only, in its rising order, with their shifts."""

    members: tuple[int, ...]
    graphs: tuple[tuple[Similarity, Similarity], ...]
    shifts: tuple[float, ...]


def anneal_graphs(
    models: Sequence[GraphClusterer],
    pairs: Sequence[Pair],
    *,
    seed: int,
    threads: int,
    control: Control,
    along: str = "n_clusters",
    stream: Stream | None = None,
) -> list[PairCurves]:
    """Anneal every model on every pair, at the best of the shifts it leaves open.

    Models that differ in the parameter `along` only run one after the other: each also starts from
    the solution of the one before, with empty clusters added where it has more of them. The first
    model's temperatures on the first pair go to `stream`: while its winning starts are compared, or
    once more after a shift was chosen among several.
    """
    if not models:
        return []
    opened = _open(models, pairs, control)
    chains = [
        _Chain(members, opened[models[members[0]].measure], shifts)
        for members in _families(models, along)
        for shifts in _shifts([models[member] for member in members], opened)
    ]
    tasks = [(c, q) for c in range(len(chains)) for q in range(len(pairs))]
    large = pairs[0].n_objects >= LARGE
    outer = 1 if large else min(threads, len(tasks))
    inner = max(1, threads // outer)
    grids = parallel_map(
        lambda chain, silent: _grids(models, chain, inner, silent),
        chains,
        threads=1 if large else threads,
        control=control,
        message="scale",
    )
    # Which of several shifts will be chosen is known in the end only.
    direct = stream if len(chains) == 1 else None

    def job(task: tuple[int, int], silent: Control) -> list[_core.GraphPairColumns]:
        c, q = task
        watched = direct if q == 0 else None
        return _run(models, chains[c], grids[c], q, seed_of_pair(seed, q), inner, silent, watched)

    found = parallel_map(
        job,
        tasks,
        threads=outer,
        control=control,
        message="annealing",
        drain=stream.drain if stream else lambda: None,
    )
    best: dict[int, GraphCurves] = {}
    for c, chain in enumerate(chains):
        runs = found[c * len(pairs) : (c + 1) * len(pairs)]
        for place, member in enumerate(chain.members):
            columns = [run[place] for run in runs]
            curves = _curves(models[member], chain, place, columns, grids[c][place], seed)
            if member not in best or _top(curves) > _top(best[member]):
                best[member] = curves
    if stream and not direct:
        best[0].show(stream, threads, control)
    return [best[index] for index in range(len(models))]


def _open(
    models: Sequence[GraphClusterer], pairs: Sequence[Pair], control: Control
) -> dict[str, tuple[tuple[Similarity, Similarity], ...]]:
    """Return the similarities of all pairs by measure."""
    opened: dict[str, tuple[tuple[Similarity, Similarity], ...]] = {}
    for model in models:
        if model.measure not in opened:
            opened[model.measure] = tuple(
                (model.open(pair.first, control), model.open(pair.second, control))
                for pair in pairs
            )
    return opened


def _top(curves: PairCurves) -> float:
    return float(curves.mean().bits.max())


def _families(models: Sequence[GraphClusterer], along: str) -> list[tuple[int, ...]]:
    """Group models that differ in one parameter only, lowest value first."""
    families: dict[str, list[int]] = {}
    for index, model in enumerate(models):
        settings = {k: v for k, v in model.get_params(deep=False).items() if k != along}
        key = f"{type(model).__name__} {sorted(settings.items(), key=lambda item: item[0])!r}"
        families.setdefault(key, []).append(index)
    return [
        tuple(sorted(group, key=lambda i: float(getattr(models[i], along))))
        for group in families.values()
    ]


def _shifts(
    models: Sequence[GraphClusterer], opened: dict[str, tuple[tuple[Similarity, Similarity], ...]]
) -> list[tuple[float, ...]]:
    """Candidates for the shifts of a family: its members have equally many."""
    graphs = [graph for pair in opened[models[0].measure] for graph in pair]
    given = {str(getattr(model, "shift", 0.0)): model for model in models}
    known = {key: model.shift_candidates(graphs) for key, model in given.items()}
    columns = [known[str(getattr(model, "shift", 0.0))] for model in models]
    return list(zip(*columns, strict=True))


def _grids(
    models: Sequence[GraphClusterer], chain: _Chain, threads: int, control: Control
) -> list[tuple[list[float], float]]:
    """Grid and critical inverse temperature for every member: the smallest over all instances."""
    known: dict[tuple[int, float, Any], float] = {}

    def critical(model: GraphClusterer, shift: float, k: int) -> float:
        key = (k, shift, getattr(model, "p", None))
        if key not in known:
            known[key] = min(
                _core.graph_critical(
                    graph.core,
                    model.core_cost(shift + graph.shift),
                    k,
                    threads,
                    switches=control.switches,
                )
                for pair in chain.graphs
                for graph in pair
            )
        return known[key]

    out = []
    for member, shift in zip(chain.members, chain.shifts, strict=True):
        model = models[member]
        if model.cost_name in SCALES_WITH_K:
            value = critical(model, shift, 2) * model.n_clusters / 2
        elif model.cost_name in INDEPENDENT_OF_K:
            value = critical(model, shift, 2)
        else:
            value = critical(model, shift, model.n_clusters)
        out.append((_core.graph_grid(model.core_params(), value), value))
    return out


def _run(
    models: Sequence[GraphClusterer],
    chain: _Chain,
    grids: list[tuple[list[float], float]],
    q: int,
    seed: int,
    threads: int,
    control: Control,
    stream: Stream | None,
) -> list[_core.GraphPairColumns]:
    """Run all members on pair `q`, each warm from the one before; the first one is streamed."""
    first, second = chain.graphs[q]
    found: list[_core.GraphPairColumns] = []
    members = zip(chain.members, chain.shifts, grids, strict=True)
    for member, shift, (betas, critical) in members:
        model = models[member]
        found.append(
            _core.graph_pair(
                first.core,
                second.core,
                _costs(model, shift, chain.graphs[q]),
                model.core_params(),
                betas,
                critical,
                seed,
                check_integer(model.n_init, "n_init"),
                found[-1]["labels"] if found else None,
                threads,
                switches=control.switches,
                report=control.report("annealing"),
                live=stream.watcher if stream and not found else None,
            )
        )
    return found


def _costs(
    model: GraphClusterer, shift: float, graphs: tuple[Similarity, Similarity]
) -> tuple[_core.GraphCost, _core.GraphCost]:
    """Return the cost function of both instances: what a similarity is shifted by comes on top."""
    first, second = graphs
    return model.core_cost(shift + first.shift), model.core_cost(shift + second.shift)


def _curves(
    model: GraphClusterer,
    chain: _Chain,
    place: int,
    columns: Sequence[_core.GraphPairColumns],
    grid: tuple[list[float], float],
    seed: int,
) -> GraphCurves:
    betas, critical = grid
    base = collect(columns, np.array(betas), "independent", full=False)
    setup = _Setup(
        graphs=chain.graphs[0],
        costs=_costs(model, chain.shifts[place], chain.graphs[0]),
        params=model.core_params(),
        betas=betas,
        critical=critical,
        seed=seed,
        plans=columns[0]["plans"],
        kept={},
    )
    return GraphCurves(**{**base.__dict__, "shift": chain.shifts[place]}, setup=setup)
