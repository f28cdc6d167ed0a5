"""Shifts of similarities: the rule that finds one, and its value on given graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap._graph_input import off_diagonal
from gencap._validation import FloatArray
from gencap.similarity import Similarity

__all__ = ["RULES", "Shift", "scan_grid", "shift_value"]

# The grid of correlation clustering: 0, minus quantiles, minus multiples of the largest value.
RULES = ("zero", "q50", "q75", "q90", "max1", "max2", "max4")


@dataclass(frozen=True)
class Shift:
    """A shift as a rule, which null twins follow on their own similarities, and its value.

    Parameters
    ----------
    rule : str
        "" (the model has none or finds its own), "given", "nonnegative", or one of `RULES`.
    value : float or None
        Value on the data; None where `rule` is empty.
    """

    rule: str = ""
    value: float | None = None


def shift_value(shift: Shift, template: Any, graphs: Sequence[Similarity]) -> float | None:
    """Return the shift for these graphs: a given number stays, a rule is followed anew."""
    if shift.rule in ("", "given"):
        return shift.value
    if shift.rule == "nonnegative":
        return float(template.shift_for(graphs))
    return _follow(shift.rule, pooled(graphs))


def scan_grid(graphs: Sequence[Similarity]) -> list[Shift]:
    """Return the grid of `CorrelationClustering(shift="auto")` with the rule of every value.

    Examples
    --------
    >>> import gencap
    >>> S = gencap.similarity([[1.0, 0.5], [0.5, 1.0]], "precomputed")
    >>> [(shift.rule, shift.value) for shift in scan_grid([S])]
    [('zero', 0.0), ('q50', -0.5), ('max2', -1.0), ('max4', -2.0)]
    """
    values = pooled(graphs)
    found: dict[float, Shift] = {}
    for rule in RULES:
        value = _follow(rule, values)
        found.setdefault(value, Shift(rule, value))
    return [found[value] for value in sorted(found, reverse=True)]


def pooled(graphs: Sequence[Similarity]) -> FloatArray:
    """Similarities of different objects in all graphs; a lone object has none."""
    values = np.concatenate([off_diagonal(graph) for graph in graphs])
    return values if len(values) else np.zeros(1)


def _follow(rule: str, values: FloatArray) -> float:
    if rule == "zero":
        return 0.0
    number = float(rule[-2:] if rule.startswith("q") else rule[3:])
    if rule.startswith("q"):
        return -float(np.quantile(values, number / 100.0)) + 0.0
    return -number * float(np.abs(values).max()) + 0.0
