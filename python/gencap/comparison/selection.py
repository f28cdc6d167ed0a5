"""Choices from outcomes: the shift for every K, K for every candidate, and the winner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from gencap.comparison.combine import Combined, combine
from gencap.comparison.plan import Plan
from gencap.comparison.shifts import Shift
from gencap.comparison.tasks import Outcome
from gencap.results import Capacity
from gencap.selection import best_order

__all__ = ["Results", "Standing", "stand"]


@dataclass(frozen=True, eq=False)
class Standing:
    """How one candidate did.

    Parameters
    ----------
    tried : dict of (Shift, K) to Combined
        All shifts, over the splits on which they were tried.
    shift : dict of int to Shift
        The best shift by number of clusters.
    best : int
        Chosen number of clusters; 1 without structure.
    """

    tried: dict[tuple[Shift, int], Combined]
    shift: dict[int, Shift]
    best: int

    def at(self, k: int) -> Combined:
        """Return the capacity at one number of clusters, at its best shift."""
        return self.tried[self.shift[k], k]

    @property
    def shown(self) -> int:
        """Chosen number of clusters; without structure the strongest."""
        if self.best > 1:
            return self.best
        return max(self.shift, key=lambda k: self.at(k).raw_bits)


class Results:
    """Outcomes on the data, by candidate, shift and split."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Shift, int], Outcome] = {}

    def add(self, c: int, shift: Shift, split: int, outcome: Outcome) -> None:
        """Keep one."""
        self._known[c, shift, split] = outcome

    def of(self, c: int, shift: Shift, k: int) -> dict[int, Outcome]:
        """Return the outcomes by split."""
        return {
            split: outcome
            for (mine, rule, split), outcome in sorted(
                self._known.items(), key=lambda item: item[0][2]
            )
            if mine == c and rule == shift and any(run["k"] == k for run in outcome.runs)
        }


def stand(plan: Plan, results: Results, c: int, limit: int | None = None) -> Standing:
    """Combine the splits and choose: the shift by mean capacity, then the number of clusters.

    With `limit` only so many splits count, those on which all shifts were tried.
    """
    tried: dict[tuple[Shift, int], Combined] = {}
    chosen: dict[int, Shift] = {}
    heats = bool(getattr(plan.candidates[c].template, "heats", False))
    for k in plan.n_clusters:
        scanned: dict[Shift, float] = {}
        for shift in plan.shifts[c]:
            found = results.of(c, shift, k)
            first = {split: o for split, o in found.items() if split < plan.scan_splits}
            scan = combine(k, list(first.values()), list(first), heats)
            scanned[shift] = scan.raw_bits
            whole = found if limit is None else first
            same = len(whole) == len(first)
            tried[shift, k] = scan if same else combine(k, list(whole.values()), list(whole), heats)
        chosen[k] = max(scanned, key=lambda shift: scanned[shift])
    capacities = {k: tried[chosen[k], k] for k in plan.n_clusters}
    best = best_order(cast(Mapping[int, Capacity], capacities))
    return Standing(tried, chosen, best)


def winner_of(standings: Mapping[int, Standing]) -> int:
    """Return the candidate with most bits at its chosen number of clusters."""

    def merit(c: int) -> tuple[Any, ...]:
        at = standings[c].at(standings[c].shown)
        return standings[c].best > 1, at.bits, at.raw_bits

    return max(standings, key=merit)
