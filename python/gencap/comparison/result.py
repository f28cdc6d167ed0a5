"""What a comparison returns: one table, the winner, and what stands behind both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from gencap._validation import FloatArray, IntArray, ObjectArray, check_choice
from gencap.comparison import ranking
from gencap.comparison.forecast import Forecast, Timing, forecast_runs
from gencap.results import VERDICTS, Capacity, Curve, NullResult, Order

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

__all__ = ["Comparison", "Key", "Solution"]

# Model, measure, power and number of clusters of a row of the table.
Key: TypeAlias = tuple[str, str, float, int]


@dataclass(frozen=True, eq=False)
class Solution:
    """The clusters of one model with one measure at its chosen number of clusters, first split.

    Parameters
    ----------
    labels : ndarray of shape (N,)
        Effective cluster of every object, numbered from 0.
    probabilities : ndarray of shape (N, C), float32
        Assignment probabilities at the optimal temperature; column c is the cluster of label c,
        columns beyond the labels are clusters that are nobody's first choice. Of more than 20,000
        objects only the largest is kept, in one column.
    confidence : ndarray of shape (N,)
        Probability of every object's own cluster.
    n_clusters : int
        Number of clusters that the model was given.
    shift, p : float
        Shift of the similarity and power of the cut; NaN where there is none.
    names : ndarray of shape (N,) or None
        The objects' names.
    index : ndarray of shape (N,)
        Rows of the user's table that the objects are.
    beta : float
        Optimal inverse temperature of the first split.
    """

    labels: IntArray
    probabilities: FloatArray
    confidence: FloatArray
    n_clusters: int
    shift: float
    p: float
    names: ObjectArray | None
    index: IntArray
    beta: float = float("nan")

    def __repr__(self) -> str:
        return (
            f"<Solution: {len(np.unique(self.labels))} clusters of {len(self.labels):,} objects, "
            f"mean confidence {self.confidence.mean():.2f}>"
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models, measures and numbers of clusters side by side; made by `gencap.compare`.

    Parameters
    ----------
    table : DataFrame
        One row per model, measure, power p and number of clusters: model, measure, n_clusters,
        shift, p, bits, bits_sd, n_splits, raw_bits, effective, beta, null_independent,
        null_gaussian (means of the twins at the chosen number of clusters, on the first split; NaN
        elsewhere), seconds (CPU, mean over splits), bits_per_second, optimistic, chosen.
    split_bits : DataFrame
        Largest bits of every single split: model, measure, p, n_clusters, split, raw_bits.
    scans : dict of (model, measure) to DataFrame
        Shifts or powers that were tried: shift or p, n_clusters, bits, bits_sd, n_splits.
    curves : dict of (model, measure, p, n_clusters) to Curve
        Capacity along the temperature, averaged over splits.
    solutions : dict of (model, measure) to Solution
        Clusters at the chosen number, on the first split.
    winner : Key or None
        Row of the table that `best` shows; None where nothing could be measured.
    null : dict of str to NullResult
        Calibrations of the winner: draws at its number of clusters, p-values over all of them.
    corrected : dict of str to float
        The same p-values, corrected for the winner having been chosen among all candidates.
    verdict : str
        "none", "continuum", "clusters", "structure" or "uncalibrated".
    settings : dict
        What was asked for.
    versions : dict of str to str
        Of gencap, Python, numpy and scipy.
    seed : int
        Everything random derives from it.
    notes : tuple of str
        What a reader should know: what was left out, what is optimistic, and why.
    timings : tuple of Timing
        Measured seconds, for forecasts of other plans.
    names : ndarray or None
        The objects' names.
    """

    table: pd.DataFrame
    split_bits: pd.DataFrame
    scans: dict[tuple[str, str], pd.DataFrame]
    curves: dict[Key, Curve]
    solutions: dict[tuple[str, str], Solution]
    winner: Key | None
    null: dict[str, NullResult]
    corrected: dict[str, float]
    verdict: str
    settings: dict[str, Any]
    versions: dict[str, str]
    seed: int
    notes: tuple[str, ...] = ()
    timings: tuple[Timing, ...] = field(default=(), repr=False)
    names: ObjectArray | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        head = f"<Comparison: {len(self.table)} rows, {self.verdict_text}"
        if self.winner is None:
            return head + ">"
        best = self.best
        where = " ".join(part for part in (best["model"], best["measure"]) if part)
        return f"{head}\n  best {where}, K = {best['n_clusters']}: {best['bits']:.3f} bits>"

    @property
    def verdict_text(self) -> str:
        """The verdict in words."""
        return VERDICTS[self.verdict]

    @property
    def best(self) -> pd.Series[Any]:
        """The winning row of the table."""
        if self.winner is None:
            raise ValueError("nothing was measured, so nothing is best: see .notes for the reasons")
        found = self.table[ranking.rows_of(self.table, self.winner)]
        return found.iloc[0]

    def ranking(self, by: str = "candidate") -> pd.DataFrame:
        """Rank models, measures, or candidates (model with measure and power) by their bits.

        Parameters
        ----------
        by : {"candidate", "model", "measure"}
            What is ranked; of several candidates with the same model or measure the best counts.

        Returns
        -------
        DataFrame
            Best first, each with its chosen number of clusters.
        """
        check_choice(by, "by", ("candidate", "model", "measure"))
        return ranking.rank(self.table, by)

    def differences(self) -> pd.DataFrame:
        """Compare all pairs of candidates on the same splits, each at its chosen K.

        Returns
        -------
        DataFrame
            first, second (their names), difference (mean over splits of first minus second, in
            bits), sd, se, n, p_value (two-sided paired t). The splits are drawn from one table and
            overlap: standard errors, and with them p-values, are approximate and rather too small.
        """
        return ranking.differences(self.table, self.split_bits)

    def order(self, model: str, measure: str = "", p: float | None = None) -> Order:
        """Return capacity against the number of clusters for one candidate.

        Parameters
        ----------
        model, measure : str
            As in the table.
        p : float, optional
            Power of the cut; by default the best one.

        Returns
        -------
        Order
            Its capacities hold labels at the chosen number of clusters only.
        """
        rows = ranking.candidate_rows(self.table, model, measure, p)
        power = float(rows["p"].iloc[0])
        capacities = {int(row["n_clusters"]): self._capacity(row) for _, row in rows.iterrows()}
        chosen = rows.loc[rows["chosen"], "n_clusters"]
        best = int(chosen.iloc[0]) if len(chosen) else 1
        mine = self.winner is not None and same_candidate(self.winner[:3], (model, measure, power))
        null = dict(self.null) if mine else {}
        return Order(capacities, best, null, pairwise=measure == "precomputed")

    def forecast(
        self,
        n_clusters: Iterable[int] | None = None,
        n_splits: int | None = None,
        n_jobs: int | None = None,
    ) -> Forecast:
        """Say how long the same comparison would last with other numbers, from measured times.

        Parameters
        ----------
        n_clusters : iterable of int, optional
            Numbers of clusters; by default those of this comparison.
        n_splits : int, optional
            Splits; by default those of this comparison.
        n_jobs : int, optional
            Cores; by default all of this machine.
        """
        return forecast_runs(self.timings, self.settings, n_clusters, n_splits, n_jobs)

    def plot(self, **options: Any) -> Figure:
        """Draw capacity against the number of clusters for every candidate."""
        from gencap.report.comparison import plot_comparison

        return plot_comparison(self, **options)

    def to_html(self, path: str | os.PathLike[str], table: Any = None, **options: Any) -> Path:
        """Write the report as one HTML page; return where it is.

        Parameters
        ----------
        path : path-like
            The file.
        table : array-like or DataFrame, optional
            The data that were compared, for scatter plots and cluster profiles.
        **options
            As in `gencap.report.comparison.comparison_to_html`.
        """
        from gencap.report.comparison import comparison_to_html

        return comparison_to_html(self, path, table, **options)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to one file that `gencap.load` reads; return where it is."""
        from gencap.comparison.archive import save

        return save(self, path)

    def _capacity(self, row: pd.Series[Any]) -> Capacity:
        key: Key = (row["model"], row["measure"], float(row["p"]), int(row["n_clusters"]))
        same = ranking.rows_of(self.split_bits, key)
        solution = self.solutions.get(key[:2])
        if solution is not None and not _is_of(solution, key):
            solution = None
        nothing = np.zeros(0, dtype=np.int64)
        return Capacity(
            bits=float(row["bits"]),
            raw_bits=float(row["raw_bits"]),
            beta=float(row["beta"]),
            n_clusters=float(row["effective"]),
            curve=curve_of(self.curves, key),
            labels=nothing if solution is None else solution.labels,
            probabilities=np.zeros((0, 0)) if solution is None else solution.probabilities,
            second_probabilities=np.zeros((0, 0)),
            groups=nothing,
            weights="hamming" if math.isnan(row["beta"]) else "boltzmann",
            coupling="",
            bits_per_pair=self.split_bits.loc[same, "raw_bits"].to_numpy(dtype=np.float64),
            shift=None if math.isnan(row["shift"]) else float(row["shift"]),
            optimistic=bool(row["optimistic"]),
            names=self.names,
            seed=self.seed,
        )


def same_candidate(one: tuple[str, str, float], two: tuple[str, str, float]) -> bool:
    """Compare model, measure and power; powers that do not exist are equal."""
    return one[:2] == two[:2] and _same(one[2], two[2])


def curve_of(curves: Mapping[Key, Curve], key: Key) -> Curve | None:
    """Find a curve; NaN in a key is not equal to itself."""
    for known, curve in curves.items():
        if known[3] == key[3] and same_candidate(known[:3], key[:3]):
            return curve
    return None


def _is_of(solution: Solution, key: Key) -> bool:
    return solution.n_clusters == key[3] and _same(solution.p, key[2])


def _same(one: float, two: float) -> bool:
    return one == two or (math.isnan(one) and math.isnan(two))
