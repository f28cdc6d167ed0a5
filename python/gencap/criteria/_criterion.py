"""What every criterion returns: a whole curve over the number of clusters, and its choice."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gencap._validation import FloatArray

__all__ = ["Criterion", "criterion_of", "series"]


@dataclass(frozen=True, eq=False)
class Criterion:
    """A criterion by number of clusters.

    Parameters
    ----------
    name : str
        What was computed, such as "BIC".
    values : Series
        Mean over the samples, by number of clusters; NaN where the criterion is not defined.
    spread : Series
        Standard deviation over the samples, zeros for a single one; the gap statistic's own
        standard error.
    largest : bool
        Whether the largest value is best, instead of the smallest.
    rules : dict of str to int
        What each known rule chooses, where there are several.
    rule : str
        The rule that `best` follows.
    details : DataFrame or None
        The parts that the values are made of.
    per_sample : DataFrame or None
        The value of every single sample, or pair of samples, where there are several.
    """

    name: str
    values: pd.Series[float]
    spread: pd.Series[float]
    largest: bool = False
    rules: dict[str, int] = field(default_factory=dict)
    rule: str = ""
    details: pd.DataFrame | None = None
    per_sample: pd.DataFrame | None = None

    @property
    def best(self) -> int:
        """The chosen number of clusters; the smallest of several equally good ones."""
        if self.rule:
            return self.rules[self.rule]
        return self._choice(self.values)

    @property
    def best_per_sample(self) -> list[int]:
        """The choice of every single sample, or pair of samples."""
        if self.per_sample is None:
            return [self.best]
        return [self._choice(self.per_sample[name]) for name in self.per_sample]

    def _choice(self, column: pd.Series[float]) -> int:
        values = column.to_numpy(dtype=np.float64)
        if np.isnan(values).all():
            raise ValueError(
                f"{self.name} is not defined for any number of clusters that was tried"
            )
        place = np.nanargmax(values) if self.largest else np.nanargmin(values)
        return int(column.index[int(place)])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of clusters."""
        return pd.DataFrame({"value": self.values, "spread": self.spread})

    def __repr__(self) -> str:
        defined = self.values.dropna()
        if not len(defined):
            return f"<Criterion {self.name}: defined nowhere>"
        rules = ", ".join(f"{rule}: {k}" for rule, k in self.rules.items())
        return (
            f"<Criterion {self.name}: best {self.best} of n_clusters {self.values.index[0]} to "
            f"{self.values.index[-1]}; {defined.min():.4g} to {defined.max():.4g}"
            + (f"; {rules}>" if rules else ">")
        )


def series(numbers: list[int], values: FloatArray, name: str) -> pd.Series[float]:
    """Return values by number of clusters."""
    return pd.Series(values, index=pd.Index(numbers, name="n_clusters"), name=name, dtype=float)


def criterion_of(
    name: str, numbers: list[int], table: FloatArray, details: pd.DataFrame | None = None
) -> Criterion:
    """Mean and spread over samples; `table` has one row per number, one column per sample."""
    spread = table.std(axis=1, ddof=1) if table.shape[1] > 1 else 0.0 * table[:, 0]
    return Criterion(
        name,
        series(numbers, table.mean(axis=1), "value"),
        series(numbers, spread, "spread"),
        details=details,
        per_sample=pd.DataFrame(table, index=pd.Index(numbers, name="n_clusters")),
    )
