"""Running a plan: data first, then what depends on its choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gencap._validation import FloatArray
from gencap.comparison.forecast import Forecast, Timing, cost_of, spoken, typical
from gencap.comparison.nulls import Calibration, calibrate_winner
from gencap.comparison.plan import Plan
from gencap.comparison.runner import Runner
from gencap.comparison.selection import Results, Standing, stand, winner_of
from gencap.comparison.shifts import Shift
from gencap.comparison.tasks import Outcome, Task

__all__ = ["Draws", "Engine"]


@dataclass(frozen=True)
class Draws:
    """How many null twins are drawn, and what they go through.

    Parameters
    ----------
    each, final : int
        Draws per kind for every candidate at its chosen K, and for the winner.
    through : {"winner", "all"}
        Whether the final twins see the winner, or all candidates.
    """

    each: int
    final: int
    through: str


@dataclass(eq=False)
class Engine:
    """One comparison on its way."""

    plan: Plan
    runner: Runner
    draws: Draws
    announce: Callable[[Forecast], object] | None = None
    results: Results = field(default_factory=Results)
    spent: dict[tuple[tuple[str, str, str], str], list[float]] = field(default_factory=dict)
    drawn: dict[tuple[int, int, str], FloatArray] = field(default_factory=dict)

    def measure(self) -> dict[int, Standing]:
        """Run all tasks on the data; the first of every kind tell how long the rest will last."""
        tasks = self.plan.scan_tasks()
        self.runner.expected = len(tasks) + self._later(tasks)
        first: dict[tuple[str, str, str], Task] = {}
        for task in tasks:
            first.setdefault(task.candidate.kind, task)
        probes = list(first.values())
        self._run(probes, "timing the first tasks")
        self._forecast([task for task in tasks if task not in probes])
        self._run([task for task in tasks if task not in probes], "measuring")
        self._run(self._followers(), "measuring")
        return {c: stand(self.plan, self.results, c) for c in range(len(self.plan.candidates))}

    def _followers(self) -> list[Task]:
        """Tasks on the later splits, at the shifts that did best on the first ones."""
        plan, tasks = self.plan, []
        for c, shifts in enumerate(plan.shifts):
            if len(shifts) == 1 or plan.scan_splits >= plan.source.n_splits:
                continue
            chosen = stand(plan, self.results, c, limit=plan.scan_splits).shift
            for shift, numbers in _by_shift(plan, chosen).items():
                tasks += [
                    plan.data_task(c, split, shift, numbers)
                    for split in range(plan.scan_splits, plan.source.n_splits)
                ]
        return tasks

    def _run(self, tasks: Sequence[Task], message: str) -> list[Outcome]:
        per_unit = typical(self.timings())
        outcomes = self.runner.run(
            tasks,
            message,
            lambda task: per_unit.get(task.candidate.kind, 0.0) * cost_of(task.n_clusters),
        )
        index = {id(candidate): c for c, candidate in enumerate(self.plan.candidates)}
        for task, outcome in zip(tasks, outcomes, strict=True):
            if task.twin is None:
                c = index[id(task.candidate)]
                self.results.add(c, task.shift, task.split, outcome)
            spent = self.spent.setdefault((task.candidate.kind, task.role), [0.0, 0.0, 0.0])
            for place, value in enumerate((outcome.seconds, cost_of(task.n_clusters), 1.0)):
                spent[place] += value
        return outcomes

    def timings(self) -> tuple[Timing, ...]:
        """Return what was measured about time."""
        return tuple(
            Timing(kind, role, seconds, units, int(tasks))
            for (kind, role), (seconds, units, tasks) in self.spent.items()
        )

    def calibrate_all(self, standings: Mapping[int, Standing]) -> None:
        """Draw a few twins for every candidate at its chosen K, for the table."""
        plan, tasks, places = self.plan, [], []
        for draw in range(self.draws.each):
            for kind in plan.source.null_kinds:
                for c, standing in standings.items():
                    k = standing.shown
                    tasks.append(plan.twin_task(c, standing.shift[k], (k,), kind, draw))
                    places.append((c, k, kind))
        found: dict[tuple[int, int, str], list[float]] = {}
        for place, outcome in zip(places, self._run(tasks, "null twins"), strict=True):
            found.setdefault(place, []).append(outcome.runs[0]["raw"])
        self.drawn |= {place: np.array(values) for place, values in found.items()}

    def calibrate_winner(self, standings: Mapping[int, Standing]) -> dict[str, Calibration]:
        """Draw the final twins of the winner and rank the data among them."""
        winner = winner_of(standings)
        if not self.draws.final or standings[winner].best == 1:
            return {}
        plan = self.plan
        everyone = self.draws.through == "all"
        entries = self._everything() if everyone else self._of_winner(winner, standings[winner])
        kinds = plan.source.null_kinds
        tasks = [
            plan.twin_task(c, shift, numbers, kind, draw)
            for kind in kinds
            for draw in range(self.draws.final)
            for (c, shift, numbers, _) in entries
        ]
        tasks = [_final(task) for task in tasks]
        outcomes = iter(self._run(tasks, "null twins of the winner"))
        columns = [(c, shift, k) for c, shift, _, shown in entries for k in shown]
        # What is reported is ranked: a mean over splits, which varies less than a twin's one split.
        observed = np.array([standings[c].tried[shift, k].raw_bits for c, shift, k in columns])
        k = standings[winner].best
        shown = columns.index((winner, standings[winner].shift[k], k))
        out = {}
        for kind in kinds:
            values = np.array(
                [
                    [
                        run["raw"]
                        for _, _, _, wanted in entries
                        for run in next(outcomes).runs
                        if run["k"] in wanted
                    ]
                    for _ in range(self.draws.final)
                ]
            )
            for place, (c, shift, n_clusters) in enumerate(columns):
                if shift == standings[c].shift[n_clusters]:
                    self.drawn[c, n_clusters, kind] = values[:, place]
            trials = 1 if everyone else plan.n_trials
            out[kind] = calibrate_winner(kind, observed, values, shown, trials)
        return out

    def _of_winner(self, c: int, standing: Standing) -> list[_Entry]:
        """Return the winner at the shift of its chosen K; having tried others is corrected for."""
        numbers = self.plan.n_clusters
        return [(c, standing.shift[standing.best], numbers, numbers)]

    def _everything(self) -> list[_Entry]:
        numbers = self.plan.n_clusters
        return [
            (c, shift, numbers, numbers)
            for c, shifts in enumerate(self.plan.shifts)
            for shift in shifts
        ]

    def _later(self, tasks: Sequence[Task]) -> int:
        """Tasks that will follow the first ones, as far as can be known."""
        plan = self.plan
        kinds, candidates = len(plan.source.null_kinds), len(plan.candidates)
        rest = plan.source.n_splits - plan.scan_splits
        followers = sum(2 * rest for shifts in plan.shifts if len(shifts) > 1)
        families = plan.n_trials if self.draws.through == "all" else 1
        return followers + kinds * (candidates * self.draws.each + families * self.draws.final)

    def _forecast(self, left: Sequence[Task]) -> None:
        """Announce how long the rest will last, from the first task of every kind."""
        if self.announce is None:
            return
        plan, per_unit = self.plan, typical(self.timings())
        whole = cost_of(plan.n_clusters)
        families = {
            candidate.kind: per_unit[candidate.kind] * whole for candidate in plan.candidates
        }
        missing = [task for task in left if task.key not in self.runner.journal]
        seconds = sum(families[task.candidate.kind] for task in missing)
        rest = plan.source.n_splits - plan.scan_splits
        for c, shifts in enumerate(plan.shifts):
            if len(shifts) > 1:
                seconds += 2 * rest * families[plan.candidates[c].kind]
        kinds = len(plan.source.null_kinds)
        each = sum(families.values()) / len(plan.n_clusters)
        every = sum(
            len(s) * families[c.kind] for s, c in zip(plan.shifts, plan.candidates, strict=True)
        )
        final = every if self.draws.through == "all" else sum(families.values()) / len(families)
        seconds += kinds * (self.draws.each * each + self.draws.final * final)
        cores = self.runner.place.cores
        tasks = max(0, self.runner.expected - self.runner.done)
        text = (
            f"{spoken(seconds / cores)} for {tasks:,} more tasks on {cores} core"
            f"{'' if cores == 1 else 's'}, measured on {len(families)} tasks"
        )
        self.announce(Forecast(seconds / cores, tasks, text))


_Entry = tuple[int, Shift, tuple[int, ...], tuple[int, ...]]


def _by_shift(plan: Plan, chosen: Mapping[int, Shift]) -> dict[Shift, tuple[int, ...]]:
    """Numbers of clusters to run for every chosen shift: all up to the largest it was chosen for.

    Runs also start from the solution for fewer clusters, so that the whole chain belongs to it.
    """
    largest: dict[Shift, int] = {}
    for k, shift in chosen.items():
        largest[shift] = max(k, largest.get(shift, 0))
    return {shift: plan.up_to(most) for shift, most in largest.items()}


def _final(task: Task) -> Task:
    return Task(**{**task.__dict__, "role": "final"})
