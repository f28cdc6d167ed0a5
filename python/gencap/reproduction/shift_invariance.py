"""A constant added to all similarities: who notices, and who does not (Eqs. 100, 113 and 126)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from gencap.capacity import capacity
from gencap.datasets import gaussians
from gencap.instances import Pair
from gencap.models import AdaptiveRatioCut, GraphClusterer, NormalizedCut, PairwiseClustering
from gencap.reproduction._result import (
    Experiment,
    Findings,
    Row,
    Setting,
    Tables,
    beside,
    verdict,
)
from gencap.results import Capacity

__all__ = ["EXPERIMENT"]

SHIFTS = (0.0, 0.5, 5.0)
MODELS: dict[str, Callable[[], GraphClusterer]] = {
    "pairwise": lambda: PairwiseClustering(4, measure="precomputed"),
    # On the overlapping sources Ratio Cut splits off single objects.
    "ratio cut": lambda: AdaptiveRatioCut(2, p=2.0, measure="precomputed"),
    "normalized cut": lambda: NormalizedCut(4, shift=0.0, measure="precomputed"),
    "adaptive ratio cut, p = 1.5": lambda: AdaptiveRatioCut(4, p=1.5, measure="precomputed"),
}
INVARIANT = ("pairwise", "ratio cut")


def measure(setting: Setting) -> Findings:
    """Shift pairs of similarities, diagonal included, and measure again."""
    n_objects = 200 if setting.quick else 400
    four = gaussians(n_objects, variance=5.0, random_state=setting.seed)
    two = gaussians(n_objects, ((0.0, 0.0), (3.0, 0.0)), 0.05, random_state=setting.seed)
    found: dict[tuple[str, float], Capacity] = {}
    rows: list[Row] = []
    for name, make in MODELS.items():
        data = two if name == "ratio cut" else four
        first, second = (similarity_of(x) for x in (data.first, data.second))
        if name in INVARIANT:
            rows.append(_cost_row(name, first, data.truth))
        for shift in SHIFTS:
            found[name, shift] = capacity(
                # Several starts would end in equal costs, and rounding choose between them.
                make().set_params(n_init=1, random_state=setting.seed),
                Pair(first + shift, second + shift),
                n_jobs=setting.threads,
                progress=setting.control,
            )
    return Findings((*rows, *_capacity_rows(found)), {"capacities": _table(found)})


def similarity_of(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Largest squared distance minus squared distances, scaled to at most 1."""
    distances = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    similarity: np.ndarray[Any, Any] = 1.0 - distances / distances.max()
    return similarity


def _cost_row(name: str, s: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> Row:
    """Change of the labels' cost, against the formula."""
    model, n, shift = MODELS[name](), len(s), 5.0
    pairwise = name == "pairwise"
    expected = -shift * n / 2.0 if pairwise else shift * n * (model.n_clusters - 1)
    change = model.cost(labels, s + shift) - model.cost(labels, s)
    return Row(
        f"change of the cost under a shift of 5, {name}",
        f"{'-s N / 2' if pairwise else 's N (K - 1)'} = {expected:g}, whatever the labels",
        f"{change:.9g}",
        verdict(abs(change - expected) < 1e-9 * abs(expected)),
    )


def _capacity_rows(found: dict[tuple[str, float], Capacity]) -> list[Row]:
    rows = []
    for name in MODELS:
        bits = np.array([found[name, shift].raw_bits for shift in SHIFTS])
        moved = max(_moved(found[name, 0.0], found[name, shift]) for shift in SHIFTS[1:])
        ours = f"{', '.join(f'{value:.4f}' for value in bits)}; probabilities move by {moved:.1e}"
        invariant = name in INVARIANT
        rows.append(
            Row(
                f"capacity in bits under shifts 0, .5 and 5, {name}",
                "invariant" if invariant else "not invariant",
                ours,
                # Sums of shifted entries round at 1e-13, and the same sweeps are made: what the
                # instability of the uniform state makes of rounding stays far below 1e-6.
                verdict(np.ptp(bits) < 1e-6 and moved < 1e-6)
                if invariant
                else verdict(np.ptp(bits) > 1e-4 and moved > 1e-3),
            )
        )
    gaps = [
        abs(found["normalized cut", shift].raw_bits - found["pairwise", 0.0].raw_bits)
        for shift in SHIFTS
    ]
    rows.append(
        Row(
            "distance of Normalized Cut from pairwise clustering in bits, shifts 0, .5 and 5",
            "equal degrees make them equal",
            ", ".join(f"{gap:.4f}" for gap in gaps),
            verdict(gaps[-1] < gaps[0]) if gaps[0] > 0.01 else beside("equal from the start"),
        )
    )
    return rows


def _moved(first: Capacity, second: Capacity) -> float:
    if first.probabilities.shape != second.probabilities.shape:
        return 1.0
    return float(np.abs(first.probabilities - second.probabilities).max())


def _table(found: dict[tuple[str, float], Capacity]) -> pd.DataFrame:
    rows = [
        {"model": name, "shift": shift, "bits": one.raw_bits, "beta": one.beta}
        for (name, shift), one in found.items()
    ]
    return pd.DataFrame(rows)


def draw(tables: Tables) -> dict[str, Any]:
    """Capacity over the shift."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, rows in tables["capacities"].groupby("model", sort=False):
        axes.plot(rows["shift"], rows["bits"], "o-", label=str(name))
    axes.set(xlabel="shift", ylabel="bits per object")
    axes.legend()
    return {"shift": figure}


EXPERIMENT = Experiment(
    name="shift_invariance",
    title="A constant added to all similarities, diagonal included",
    source="Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 6.1, Eqs. 100, 113 and 126",
    description=(
        "Four overlapping Gaussians measured twice, similarities from squared distances, shifted "
        "by 0, .5 and 5; two separated ones for Ratio Cut. Pairwise clustering and Ratio Cut "
        "should not notice if the diagonal is shifted too; Normalized Cut and Adaptive Ratio Cut "
        "with p < 2 should, and Normalized Cut approaches pairwise clustering."
    ),
    measure=measure,
    draw=draw,
)
