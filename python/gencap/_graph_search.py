"""Graph models without annealing on pairs of instances: one search per instance and shift."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import IntArray
from gencap.agreement import hamming_capacity
from gencap.instances import Pair
from gencap.models import GraphClusterer

__all__ = ["search_graphs"]

Labelings = list[tuple[IntArray, IntArray]]


def search_graphs(
    model: GraphClusterer, pairs: Sequence[Pair], *, seed: int, threads: int, control: Control
) -> tuple[Labelings, float]:
    """Labels of both instances of every pair, at the best of the shifts that are left open.

    Both instances have the shift in common, but not the seed: ties that are broken alike on both
    sides would look like agreement.
    """
    graphs = [model.open(x, control) for pair in pairs for x in (pair.first, pair.second)]
    shifts = model.shift_candidates(graphs)
    tasks = [(shift, place) for shift in shifts for place in range(len(graphs))]
    outer = min(threads, len(tasks))

    def job(task: tuple[float, int], watched: Control) -> IntArray:
        shift, place = task
        own = int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0] >> 1)
        return model.search(graphs[place], shift, own, max(1, threads // outer), watched)[0]

    found = parallel_map(job, tasks, threads=outer, control=control, message="search")
    best: tuple[float, Labelings, float] | None = None
    for index, shift in enumerate(shifts):
        labels = found[index * len(graphs) : (index + 1) * len(graphs)]
        matched = list(zip(labels[::2], labels[1::2], strict=True))
        bits = float(np.mean([hamming_capacity(one, two) for one, two in matched]))
        if best is None or bits > best[0]:
            best = bits, matched, shift
    assert best is not None
    return best[1], best[2]
