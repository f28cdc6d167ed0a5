"""Rankings and paired differences, read from the table of a comparison."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from gencap._validation import check_choice

__all__ = ["candidate_name", "candidate_rows", "differences", "rank", "rows_of"]

SHOWN = ["model", "measure", "p", "shift", "n_clusters", "bits", "bits_sd", "n_splits"]
BESIDE = ["null_independent", "null_gaussian", "seconds", "bits_per_second"]


def candidate_name(model: str, measure: str, p: float) -> str:
    """Return what a candidate is called in rankings and figures.

    Examples
    --------
    >>> candidate_name("ratio_cut", "path", 1.2), candidate_name("centroid", "", float("nan"))
    ('ratio_cut path p=1.2', 'centroid')
    """
    power = "" if math.isnan(p) else f"p={p:g}"
    return " ".join(part for part in (model, measure, power) if part)


def rows_of(table: pd.DataFrame, key: tuple[str, str, float, int]) -> pd.Series[bool]:
    """Tell which rows belong to model, measure, power and number of clusters."""
    return candidate_mask(table, *key[:3]) & (table["n_clusters"] == key[3])


def candidate_mask(table: pd.DataFrame, model: str, measure: str, p: float) -> pd.Series[bool]:
    """Tell which rows belong to a candidate; a power that does not exist is NaN."""
    power = table["p"].isna() if math.isnan(p) else table["p"] == p
    return (table["model"] == model) & (table["measure"] == measure) & power


def candidate_rows(table: pd.DataFrame, model: str, measure: str, p: float | None) -> pd.DataFrame:
    """Return the rows of one candidate; without `p` those of its best power."""
    check_choice(model, "model", sorted(table["model"].unique()))
    mine = table[table["model"] == model]
    check_choice(measure, "measure", sorted(mine["measure"].unique()))
    mine = mine[mine["measure"] == measure]
    if p is None:
        shown = mine[mine["chosen"]] if mine["chosen"].any() else mine
        p = float(shown["p"].iloc[int(shown["raw_bits"].to_numpy().argmax())])
    found = mine[candidate_mask(mine, model, measure, float(p))]
    if found.empty:
        raise ValueError(f"p must be one of {sorted(mine['p'].unique())} for {model}: got {p!r}")
    return found


def chosen_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per candidate: its chosen number of clusters, else its best one."""
    if table.empty:
        return table
    # Chosen rows first: a candidate without structure has none and shows its strongest K.
    ordered = table.sort_values(["chosen", "raw_bits"], ascending=False, kind="stable")
    return ordered.drop_duplicates(["model", "measure", "p"])


def rank(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Rank candidates, models or measures by the bits at their chosen number of clusters."""
    rows = chosen_rows(table)
    # Raw bits order those that all have 0 bits.
    rows = rows.sort_values(["bits", "raw_bits"], ascending=False, kind="stable")
    if by != "candidate":
        rows = rows.drop_duplicates(by)
        rest = [name for name in SHOWN if name != by]
        return rows[[by, *rest, *BESIDE]].reset_index(drop=True)
    names = [
        candidate_name(model, measure, p)
        for model, measure, p in zip(rows["model"], rows["measure"], rows["p"], strict=True)
    ]
    out = rows[[*SHOWN, *BESIDE]].reset_index(drop=True)
    out.insert(0, "candidate", names)
    return out


def differences(table: pd.DataFrame, split_bits: pd.DataFrame) -> pd.DataFrame:
    """Return paired differences of all candidates at their chosen number of clusters."""
    ranked = rank(table, "candidate")
    series = {}
    for _, row in ranked.iterrows():
        key = (row["model"], row["measure"], float(row["p"]), int(row["n_clusters"]))
        mine = split_bits[rows_of(split_bits, key)]
        series[row["candidate"]] = pd.Series(
            np.maximum(mine["raw_bits"].to_numpy(dtype=np.float64), 0.0), index=mine["split"]
        )
    rows = [_paired(one, two, series) for one, two in itertools.combinations(series, 2)]
    columns = ["first", "second", "difference", "sd", "se", "n", "p_value"]
    return pd.DataFrame(rows, columns=columns)


def _paired(one: str, two: str, series: dict[str, pd.Series[float]]) -> dict[str, Any]:
    gaps = (series[one] - series[two]).dropna().to_numpy(dtype=np.float64)
    n = len(gaps)
    out = {"first": one, "second": two, "difference": float(gaps.mean()) if n else math.nan, "n": n}
    if n < 2:
        return {**out, "sd": math.nan, "se": math.nan, "p_value": math.nan}
    sd = float(gaps.std(ddof=1))
    se = sd / math.sqrt(n)
    if se == 0.0:
        return {**out, "sd": sd, "se": se, "p_value": 1.0 if out["difference"] == 0.0 else 0.0}
    t = abs(float(gaps.mean())) / se
    return {**out, "sd": sd, "se": se, "p_value": float(2.0 * scipy.stats.t.sf(t, n - 1))}
