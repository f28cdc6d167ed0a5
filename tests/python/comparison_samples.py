"""Made-up but realistic comparisons for tests of reports: nothing is annealed here."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from report_samples import make_curve, make_nulls

from gencap.comparison import Comparison, Solution

HEIGHTS = {
    ("correlation", "pearson", math.nan): 1.52,
    ("correlation", "path", math.nan): 1.31,
    ("correlation", "euclidean", math.nan): 1.18,
    ("ratio_cut", "pearson", 1.2): 1.41,
    ("ratio_cut", "pearson", 2.0): 0.92,
    ("ratio_cut", "path", 1.2): 1.12,
    ("ratio_cut", "path", 2.0): 0.4,
    ("pairwise", "pearson", math.nan): 1.33,
    ("pairwise", "path", math.nan): 0.7,
    ("normalized_cut", "pearson", math.nan): 1.2,
    ("normalized_cut", "path", math.nan): 0.0,
    ("dominant_sets", "pearson", math.nan): 0.8,
    ("centroid", "", math.nan): 1.25,
}


def make_table(heights=None, ks=range(2, 9), n_splits=5, optimistic=False):
    rows = []
    for (model, measure, p), top in (HEIGHTS if heights is None else heights).items():
        best = min(5, max(ks))
        for k in ks:
            bits = top * min(1.0, (k - 1) / (best - 1)) ** 0.6
            rows.append(
                {
                    "model": model,
                    "measure": measure,
                    "n_clusters": k,
                    "shift": -0.3 if model == "correlation" else math.nan,
                    "p": p,
                    "bits": bits,
                    "bits_sd": 0.03 + 0.02 * bits if n_splits > 1 else math.nan,
                    "n_splits": n_splits,
                    "raw_bits": bits - (0.1 if top == 0 else 0.0),
                    "effective": float(k),
                    "beta": math.nan if model == "dominant_sets" else 2.0,
                    "null_independent": 0.02 if k == best else math.nan,
                    "null_gaussian": 0.3 + 0.2 * top if k == best else math.nan,
                    "seconds": 1.7,
                    "bits_per_second": bits / 1.7,
                    "optimistic": optimistic,
                    "chosen": k == best and top > 0,
                }
            )
    return pd.DataFrame(rows)


def make_split_bits(table, n_splits, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for _, row in table.iterrows():
        for split in range(n_splits):
            noisy = row["raw_bits"] + 0.04 * rng.standard_normal()
            keys = {k: row[k] for k in ("model", "measure", "p", "n_clusters")}
            rows.append({**keys, "split": split, "raw_bits": noisy})
    return pd.DataFrame(rows)


def make_scans(table, ks):
    shifts = [-4.0, -2.0, -1.0, -0.62, -0.31, -0.05, 0.0]
    scans = {}
    for measure in table.loc[table["model"] == "correlation", "measure"].unique():
        rows = [
            {"shift": s, "n_clusters": k, "bits": 1.5 * (1 - 0.05 * abs(s + 1)) * min(1, k / 5),
             "bits_sd": 0.05, "n_splits": 5}
            for s in shifts for k in ks
        ]  # fmt: skip
        scans[("correlation", measure)] = pd.DataFrame(rows)
    for measure in table.loc[table["model"] == "ratio_cut", "measure"].unique():
        rows = [
            {"p": p, "n_clusters": k, "bits": (1.4 if p < 2 else 0.9) * min(1, k / 5),
             "bits_sd": 0.05, "n_splits": 5}
            for p in (1.2, 2.0) for k in ks
        ]  # fmt: skip
        scans[("ratio_cut", measure)] = pd.DataFrame(rows)
    return scans


def make_solution(labels, names=None, p=math.nan, seed=0, index=None):
    rng = np.random.default_rng(seed)
    k = int(labels.max()) + 1
    logits = rng.standard_normal((len(labels), k)) + 4.0 * np.eye(k)[labels]
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = probabilities.argmax(axis=1)
    return Solution(
        labels=found,
        probabilities=probabilities.astype(np.float32),
        confidence=probabilities.max(axis=1),
        n_clusters=k,
        shift=math.nan,
        p=p,
        names=names,
        index=np.arange(len(labels)) if index is None else index,
        beta=2.0,
    )


def make_comparison(
    heights=None, ks=range(2, 9), n_objects=120, n_splits=5, verdict="clusters", **changes
):
    table = make_table(heights, ks, n_splits, changes.pop("optimistic", False))
    rng = np.random.default_rng(3)
    labels = np.sort(rng.integers(0, min(5, max(ks)), n_objects))
    names = np.array([f"gene {i}" for i in range(n_objects)], dtype=object)
    solutions = {}
    for number, (model, measure) in enumerate(
        dict.fromkeys(zip(table["model"], table["measure"], strict=True))
    ):
        p = 1.2 if model == "ratio_cut" else math.nan
        mine = labels if number % 2 == 0 else np.minimum(labels, 3)
        solutions[(model, measure)] = make_solution(mine, names, p, number)
    ranked = table[table["chosen"]].sort_values("bits", ascending=False)
    winner = None
    if len(ranked):
        top = ranked.iloc[0]
        winner = (top["model"], top["measure"], float(top["p"]), int(top["n_clusters"]))
    values = dict(
        table=table,
        split_bits=make_split_bits(table, n_splits),
        scans=make_scans(table, ks),
        curves={} if winner is None else {winner: make_curve(1.5, winner[3])},
        solutions=solutions,
        winner=winner,
        null=make_nulls(),
        corrected={"independent": 0.01, "gaussian": 0.02},
        verdict=verdict,
        settings={"n_clusters": list(ks), "n_splits": n_splits, "models": ["correlation"]},
        versions={"gencap": "0.0"},
        seed=7,
        notes=("Something was left out.",),
        names=names,
    )
    values.update(changes)
    return Comparison(**values)


def make_data(n_objects=120, n_columns=8, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.sort(np.random.default_rng(3).integers(0, 5, n_objects))
    waves = np.sin(np.arange(n_columns)[None, :] + np.arange(5)[:, None] * 1.7)
    return 2.0 * waves[labels] + 0.5 * rng.standard_normal((n_objects, n_columns))
