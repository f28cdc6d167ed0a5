"""What a reproduction returns, and the few words its verdicts are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gencap._progress import Control

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CORRECTED",
    "Experiment",
    "Findings",
    "ReproductionResult",
    "Row",
    "Setting",
    "Tables",
    "beside",
    "seeds_of",
    "spread",
    "verdict",
]

Tables: TypeAlias = dict[str, pd.DataFrame]

AGREES = "agrees"
# The document contradicts itself or its own formulas; the reading that was used is in the quantity.
CORRECTED = "agrees (corrected reading)"
DIFFERS = "differs"
# Measured to be looked at; does not decide whether the experiment is reproduced.
BESIDE = "for comparison"


@dataclass(frozen=True)
class Row:
    """One published statement beside our measurement, in words for a person.

    Parameters
    ----------
    quantity : str
        What is compared.
    paper, ours : str
        The published value or sentence, and what was measured.
    verdict : str
        "agrees", "agrees (corrected reading)", "differs", or "for comparison" with a remark.
    """

    quantity: str
    paper: str
    ours: str
    verdict: str

    @property
    def passed(self) -> bool:
        """Whether the row does not speak against the reproduction."""
        return not self.verdict.startswith(DIFFERS)


@dataclass(frozen=True)
class Setting:
    """How an experiment is to be run."""

    quick: bool
    seed: int
    threads: int
    control: Control


@dataclass(frozen=True, eq=False)
class Findings:
    """What an experiment found: statements and the numbers behind them."""

    rows: tuple[Row, ...]
    tables: Tables


@dataclass(frozen=True)
class Experiment:
    """A published experiment: what it is, how to run it, how to draw it."""

    name: str
    title: str
    source: str
    description: str
    measure: Callable[[Setting], Findings]
    draw: Callable[[Tables], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class ReproductionResult:
    """A published experiment, run again.

    Parameters
    ----------
    name, title, source : str
        The experiment, and the figures of the document that show it.
    rows : tuple of Row
        Published statement, our measurement, verdict.
    passed : bool
        Whether no row differs; rows "for comparison" do not count.
    tables : dict of str to DataFrame
        The numbers behind the rows.
    seconds : float
        Time taken.
    quick : bool
        Whether the small form was run: fewer objects and repetitions.
    seed : int
        The seed everything random was derived from.
    """

    name: str
    title: str
    source: str
    rows: tuple[Row, ...]
    passed: bool
    tables: Tables
    seconds: float
    quick: bool
    seed: int
    _draw: Callable[[Tables], dict[str, Any]]

    def figures(self) -> dict[str, Figure]:
        """Draw the published figures from the tables (needs matplotlib)."""
        return self._draw(self.tables)

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table."""
        columns = ["quantity", "paper", "ours", "verdict"]
        return pd.DataFrame(
            [[row.quantity, row.paper, row.ours, row.verdict] for row in self.rows],
            columns=columns,
        )


def verdict(holds: bool | np.bool_, *, corrected: bool = False, remark: str = "") -> str:
    """Say whether a statement holds; `remark` qualifies an agreement."""
    if not holds:
        return DIFFERS
    if corrected:
        return CORRECTED
    return f"{AGREES} ({remark})" if remark else AGREES


def beside(remark: str) -> str:
    """Return the verdict of a row that is shown for comparison only."""
    return f"{BESIDE}: {remark}"


def spread(values: ArrayLike, digits: int = 3) -> str:
    """Mean ± sample standard deviation and the number of runs."""
    numbers = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        return f"{numbers.mean():.{digits}f} (1 run)"
    return f"{numbers.mean():.{digits}f} ± {numbers.std(ddof=1):.{digits}f} ({len(numbers)} runs)"


def seeds_of(seed: int, count: int) -> list[int]:
    """Independent seeds of repeated runs; the first ones do not depend on `count`."""
    return [
        int(np.random.SeedSequence([seed, index]).generate_state(1, np.uint64)[0] >> 1)
        for index in range(count)
    ]
