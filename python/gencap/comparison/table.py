"""From standings to the tables of a result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gencap._validation import FloatArray
from gencap.comparison.plan import Plan
from gencap.comparison.result import Key, Solution
from gencap.comparison.selection import Results, Standing
from gencap.results import Curve

__all__ = ["curves_of", "make_scans", "make_solutions", "make_split_bits", "make_table"]

COLUMNS = {
    "model": object,
    "measure": object,
    "n_clusters": np.int64,
    "shift": np.float64,
    "p": np.float64,
    "bits": np.float64,
    "bits_sd": np.float64,
    "n_splits": np.int64,
    "raw_bits": np.float64,
    "effective": np.float64,
    "beta": np.float64,
    "null_independent": np.float64,
    "null_gaussian": np.float64,
    "seconds": np.float64,
    "bits_per_second": np.float64,
    "optimistic": np.bool_,
    "chosen": np.bool_,
}

# Draws of a null by candidate, number of clusters and kind.
Draws = Mapping[tuple[int, int, str], FloatArray]


def make_table(plan: Plan, standings: Mapping[int, Standing], draws: Draws) -> pd.DataFrame:
    """Return one row per candidate and number of clusters."""
    rows = []
    for c, standing in standings.items():
        candidate = plan.candidates[c]
        for k in plan.n_clusters:
            at = standing.at(k)
            rows.append(
                {
                    "model": candidate.model,
                    "measure": candidate.measure,
                    "n_clusters": k,
                    "shift": at.shift,
                    "p": candidate.p,
                    "bits": at.bits,
                    "bits_sd": at.bits_sd,
                    "n_splits": len(at.splits),
                    "raw_bits": at.raw_bits,
                    "effective": at.effective,
                    "beta": at.beta,
                    "null_independent": _null_mean(draws, c, k, "independent"),
                    "null_gaussian": _null_mean(draws, c, k, "gaussian"),
                    "seconds": at.seconds,
                    "bits_per_second": at.bits / at.seconds if at.seconds > 0 else math.nan,
                    "optimistic": plan.source.optimistic,
                    "chosen": k == standing.best,
                }
            )
    return as_table(rows)


def as_table(rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> pd.DataFrame:
    """Return rows as a table with the columns and types of a comparison."""
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    kinds: Any = COLUMNS
    return frame.astype(kinds)


def _null_mean(draws: Draws, c: int, k: int, kind: str) -> float:
    found = draws.get((c, k, kind))
    return math.nan if found is None or not len(found) else float(np.maximum(found, 0.0).mean())


def make_split_bits(plan: Plan, standings: Mapping[int, Standing]) -> pd.DataFrame:
    """Return the largest bits of every split, at the shift that was chosen."""
    rows = [
        {
            "model": plan.candidates[c].model,
            "measure": plan.candidates[c].measure,
            "p": plan.candidates[c].p,
            "n_clusters": k,
            "split": split,
            "raw_bits": raw,
        }
        for c, standing in standings.items()
        for k in plan.n_clusters
        for split, raw in zip(standing.at(k).splits, standing.at(k).raw_per_split, strict=True)
    ]
    return pd.DataFrame(rows)


def make_scans(
    plan: Plan, standings: Mapping[int, Standing]
) -> dict[tuple[str, str], pd.DataFrame]:
    """Return what was tried besides the number of clusters: shifts or powers."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for c, standing in standings.items():
        candidate = plan.candidates[c]
        along = "shift" if len(plan.shifts[c]) > 1 else "p"
        if along == "p" and math.isnan(candidate.p):
            continue
        for (shift, k), at in standing.tried.items():
            rows.setdefault((candidate.model, candidate.measure), []).append(
                {
                    along: shift.value if along == "shift" else candidate.p,
                    "n_clusters": k,
                    "bits": at.bits,
                    "bits_sd": at.bits_sd,
                    "n_splits": len(at.splits),
                    "raw_bits": at.raw_bits,
                }
            )
    frames = {key: pd.DataFrame(found) for key, found in rows.items()}
    return {
        key: frame.sort_values([frame.columns[0], "n_clusters"], ignore_index=True)
        for key, frame in frames.items()
    }


def curves_of(plan: Plan, standings: Mapping[int, Standing]) -> dict[Key, Curve]:
    """Return the mean curves at the shift that was chosen."""
    out: dict[Key, Curve] = {}
    for c, standing in standings.items():
        candidate = plan.candidates[c]
        for k in plan.n_clusters:
            curve = standing.at(k).curve
            if curve is not None:
                out[candidate.model, candidate.measure, candidate.p, k] = curve
    return out


def make_solutions(
    plan: Plan, standings: Mapping[int, Standing], results: Results
) -> dict[tuple[str, str], Solution]:
    """Return the clusters of every model and measure; of several powers those of the best."""
    best: dict[tuple[str, str], int] = {}
    for c, standing in standings.items():
        key = plan.candidates[c].model, plan.candidates[c].measure
        if key not in best or _bits(standing) > _bits(standings[best[key]]):
            best[key] = c
    pair: Any = plan.source.pair(0)
    return {key: _solution(plan, standings[c], results, c, pair) for key, c in best.items()}


def _bits(standing: Standing) -> float:
    return standing.at(standing.shown).raw_bits


def _solution(plan: Plan, standing: Standing, results: Results, c: int, pair: Any) -> Solution:
    k = standing.shown
    outcome = results.of(c, standing.shift[k], k)[0]
    return Solution(
        labels=outcome.arrays[f"labels {k}"].astype(np.int64),
        probabilities=outcome.arrays[f"probabilities {k}"],
        confidence=outcome.arrays[f"confidence {k}"].astype(np.float64),
        n_clusters=k,
        shift=outcome.shift,
        p=plan.candidates[c].p,
        names=pair.names,
        index=np.asarray(pair.index1),
        beta=float(outcome.run(k)["beta"]),
    )
