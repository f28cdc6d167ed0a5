"""The list of tasks that a comparison consists of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gencap._lockstep import LARGE
from gencap._progress import Control
from gencap._validation import check_integer
from gencap.comparison.candidates import Candidate
from gencap.comparison.opening import Opened
from gencap.comparison.shifts import Shift, scan_grid, shift_value
from gencap.comparison.source import PairSource, Source, TableSource
from gencap.comparison.tasks import Task, open_pair

__all__ = ["DEFAULT_CLUSTERS", "Plan", "check_clusters", "fitting", "resolve_shifts"]

DEFAULT_CLUSTERS = range(2, 11)
# A correlation of fewer coordinates is one of few values, whatever the data.
LEAST_COLUMNS = 3


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that decides which tasks there are.

    Parameters
    ----------
    source : Source
        Pairs of instances and their twins.
    candidates : tuple of Candidate
        What is compared.
    shifts : tuple of tuple of Shift
        Shifts to try, for every candidate.
    n_clusters : tuple of int
        Numbers of clusters, rising.
    seed : int
        Everything random derives from it.
    scan_splits : int
        Splits on which all shifts are tried; the others see the best of them only.
    """

    source: Source
    candidates: tuple[Candidate, ...]
    shifts: tuple[tuple[Shift, ...], ...]
    n_clusters: tuple[int, ...]
    seed: int
    scan_splits: int

    @property
    def n_trials(self) -> int:
        """Candidates counted with their shifts: the choices among which the winner was found."""
        return sum(len(shifts) for shifts in self.shifts)

    def scan_tasks(self) -> list[Task]:
        """Tasks on the data that need no choice: all shifts on the first splits."""
        return [
            self.data_task(c, split, shift, self.n_clusters)
            for split in range(self.source.n_splits)
            for c, shifts in enumerate(self.shifts)
            if split < self.scan_splits or len(shifts) == 1
            for shift in shifts
        ]

    def data_task(self, c: int, split: int, shift: Shift, numbers: tuple[int, ...]) -> Task:
        """Make a task on the data; the first split keeps its assignments."""
        return Task(self.candidates[c], split, numbers, shift, self.seed, keep=split == 0)

    def twin_task(self, c: int, shift: Shift, numbers: Sequence[int], kind: str, draw: int) -> Task:
        """Make a task on a null twin, first split."""
        return Task(
            self.candidates[c], 0, tuple(numbers), shift, self.seed, twin=(kind, draw), role="null"
        )

    def up_to(self, most: int) -> tuple[int, ...]:
        """Numbers of clusters up to `most`: runs also start from the solutions before theirs."""
        return tuple(k for k in self.n_clusters if k <= most)


def check_clusters(n_clusters: Iterable[int], n_objects: int) -> tuple[tuple[int, ...], list[str]]:
    """Return the numbers of clusters to try; defaults are cut to the objects, others refused."""
    chosen = n_clusters is not DEFAULT_CLUSTERS
    listed = [n_clusters] if isinstance(n_clusters, int) else n_clusters
    numbers = sorted({check_integer(k, "n_clusters") for k in listed})
    notes = []
    if 1 in numbers:
        numbers.remove(1)
        notes.append("one cluster has 0 bits by definition and is not shown")
    if not numbers:
        raise ValueError("n_clusters must name at least one number of 2 or more: got none")
    if numbers[-1] > n_objects:
        objects = f"{n_objects} object{'' if n_objects == 1 else 's'} in each instance"
        if chosen or n_objects < 2:
            raise ValueError(
                f"n_clusters must be at most the number of objects: got {numbers[-1]} for "
                f"{objects}; choose {n_objects} or fewer"
            )
        numbers = [k for k in numbers if k <= n_objects]
        notes.append(f"at most {numbers[-1]} clusters were tried: there are {objects}")
    return tuple(numbers), notes


def fitting(
    candidates: Sequence[Candidate], opened: Opened, named_measures: bool
) -> tuple[list[Candidate], list[str]]:
    """Leave out what cannot be computed on these data, and say why and what would do."""
    kept, notes = [], []
    for candidate in candidates:
        reason = _obstacle(candidate, opened.source, named_measures)
        if reason is None:
            kept.append(candidate)
        elif reason not in notes:
            notes.append(reason)
    if not kept:
        raise ValueError("nothing is left to compare: " + "; ".join(notes))
    return kept, notes


def _obstacle(candidate: Candidate, source: Source, named_measures: bool) -> str | None:
    n, vectors = source.n_objects, isinstance(source, TableSource | PairSource)
    if not candidate.needs_similarity and not hasattr(source.pair(0), "columns1"):
        return (
            f"{candidate.model} was left out: it needs vectors, and the data are similarities; use "
            "pairwise, correlation or another model of similarities"
        )
    if candidate.measure == "euclidean" and n >= LARGE:
        return (
            f"measure euclidean was left out: with {n:,} objects every sweep would compute "
            f"{n * n / 2:.2g} distances; sqeuclidean, pearson, cosine and path need far fewer"
        )
    if candidate.measure == "pearson" and vectors and not named_measures:
        pair: Any = source.pair(0)
        columns = min(pair.first.shape[1], pair.second.shape[1])
        if columns < LEAST_COLUMNS:
            return (
                f"measure pearson was left out: rows of {columns} column"
                f"{'' if columns == 1 else 's'} have no correlation worth the name; name it in "
                "measures to have it all the same"
            )
    return None


def resolve_shifts(
    candidates: Sequence[Candidate],
    source: Source,
    shifts: Iterable[float] | None,
    threads: int,
    control: Control,
) -> tuple[tuple[Shift, ...], ...]:
    """Return the shifts to try for every candidate, from the similarities of all splits.

    Of many objects the first split must do: opening a similarity takes as long as a task.
    """
    given = None if shifts is None else sorted({float(shift) for shift in shifts}, reverse=True)
    if given is not None and not given:
        raise ValueError("shifts must name at least one shift: got none; leave it out for the grid")
    last = 1 if source.n_objects >= LARGE else source.n_splits
    opened: dict[str, list[Any]] = {}

    def graphs(measure: str) -> list[Any]:
        if measure not in opened:
            # One measure at a time: dense similarities of many splits take much memory.
            opened.clear()
            pairs = (open_pair(source.pair(s), measure, threads, control) for s in range(last))
            opened[measure] = [graph for pair in pairs for graph in (pair.first, pair.second)]
        return opened[measure]

    found: dict[int, tuple[Shift, ...]] = {}
    for c in sorted(range(len(candidates)), key=lambda c: candidates[c].measure):
        candidate = candidates[c]
        rule = candidate.shift_rule
        if rule == "scan" and given is not None:
            found[c] = tuple(Shift("given", value) for value in given)
        elif rule == "scan":
            found[c] = tuple(scan_grid(graphs(candidate.measure)))
        elif rule == "nonnegative" and candidate.is_graph:
            shift = Shift("nonnegative")
            value = shift_value(shift, candidate.template, graphs(candidate.measure))
            found[c] = (Shift("nonnegative", value),)
        elif rule == "given":
            found[c] = (Shift("given", float(candidate.template.shift)),)
        else:
            found[c] = (Shift(),)
    return tuple(found[c] for c in range(len(candidates)))
