"""The verdict and the warnings in words."""

from __future__ import annotations

import math

import numpy as np

from gencap.report._canvas import NULL_NAMES
from gencap.report.study import Study
from gencap.results import Capacity, NullResult, Order

__all__ = ["amount", "chosen", "verdict_sentence", "warnings_of"]


# Share of temperatures that may stop early: close to a split, convergence slows down by nature.
TOLERATED = 0.1


def amount(bits: float, spread: float = math.nan, unit: str = " bits") -> str:
    """Return bits with their standard deviation where there is one.

    Examples
    --------
    >>> amount(1.5, 0.04)
    '1.50 ± 0.04 bits'
    >>> amount(0.0)
    '0.00 bits'
    """
    if not math.isfinite(bits):
        return "not available"
    plus_minus = f" ± {spread:.2f}" if math.isfinite(spread) else ""
    return f"{bits:.2f}{plus_minus}{unit}"


def chosen(order: Order) -> Capacity:
    """Return the result of the chosen K; the smallest K tried where 1 was chosen but not tried."""
    return order.capacities.get(order.best, order.capacities[min(order.capacities)])


def p_value(null: NullResult) -> str:
    """Return the p-value in words, with ``≤`` where more draws could make it smaller."""
    smallest = 1.0 / (1 + max(len(null.draws), 1))
    sign = "≤" if null.p_value <= smallest * (1 + 1e-9) else "="
    return f"p {sign} {null.p_value:.2g}"


def null_phrase(order: Order, kind: str) -> str:
    """Return what a null gave, such as ``independent columns: 0.02 ± 0.01 bits, p ≤ 0.01``."""
    null = order.null[kind]
    return f"{NULL_NAMES.get(kind, kind)}: {amount(null.bits, null.bits_sd)}, {p_value(null)}"


def verdict_sentence(order: Order) -> str:
    """Return one sentence that answers the question, with every number it rests on.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> model = gencap.CentroidClustering(random_state=0)
    >>> order = gencap.select_order(model, data.pair, range(1, 5))
    >>> verdict_sentence(order)[:16]
    '4 clusters carry'
    """
    best = chosen(order)
    strongest = max(order.capacities.values(), key=lambda c: c.bits)
    found = amount(best.bits, best.bits_sd)
    nulls = "; ".join(null_phrase(order, kind) for kind in order.null)
    after = f" (without such structure: {nulls})" if nulls else ""
    count = f"{order.best} clusters carry {found} per object"
    match order.verdict:
        case "clusters":
            blind = "; similarities alone cannot tell clusters from a continuum"
            return (
                f"{count}, more than any structureless twin of the data explains{after}"
                f"{blind if order.pairwise else ''}."
            )
        case "continuum":
            return (
                f"{count}, but a smooth gradient without any clusters would look as good{after}; "
                "read the groups as sections of a continuum."
            )
        case "uncalibrated":
            which = "null of permuted edges" if order.pairwise else "two nulls"
            return f"{count}; draw the {which} before calling them real{after}."
        case _:
            top = amount(strongest.bits, strongest.bits_sd)
            return f"The most any number of clusters reached is {top} per object{after}."


def warnings_of(study: Study) -> list[str]:
    """Return everything a reader should know before trusting the numbers of a study."""
    found = list(study.notes)
    if study.best.optimistic and not any("optimistic" in note.lower() for note in found):
        found.append(
            "Optimistic pairing: the two measurements were paired by proximity, not by identity. "
            "This inflates the bits; treat them as an upper bound."
        )
    found += _search_warnings(study.order)
    found += _convergence_warnings(study.best)
    return found


def _search_warnings(order: Order) -> list[str]:
    found = []
    largest = max(order.capacities)
    if order.best == largest and largest > 1:
        found.append(
            f"The choice K* = {largest} is the largest number of clusters tried; "
            "try more to see where the capacity stops rising."
        )
    best = chosen(order)
    if len(best.bits_per_pair) < 2:
        found.append(
            "Only one pair of measurements was used, so the spread between pairs is unknown and "
            "there are no error bars."
        )
    if order.verdict == "uncalibrated":
        found.append("No null distribution was drawn: structure and chance were not compared.")
    return found


def _convergence_warnings(best: Capacity) -> list[str]:
    found = []
    if best.plateau and best.bits > 0:
        found.append(
            "The two measurements never contradict each other at any resolution: the capacity ends "
            "in a plateau and the best temperature is its start, not a sharp optimum."
        )
    failed, steps = unconverged(best)
    if failed > TOLERATED * steps:
        found.append(
            f"{failed} of {steps} temperatures did not converge within the allowed iterations; "
            "raise max_iter."
        )
    return found


def unconverged(best: Capacity) -> tuple[int, int]:
    """Return how many temperatures did not converge, and how many there were in both runs."""
    steps = sum(len(t) for t in best.trajectories)
    return sum(int(np.count_nonzero(~t.converged)) for t in best.trajectories), steps
