"""Chapter 7.2 of the thesis: five methods and three measures on 2,467 yeast genes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gencap._progress import Progress
from gencap.comparison import QUICK, Comparison, compare
from gencap.io import read_table
from gencap.reproduction._result import Experiment, Findings, Row, Setting, Tables, beside, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EXPERIMENT", "THESIS", "data_file"]

FILE = "eisen1998_yeast_2467x79.csv.gz"
MODELS = ("correlation", "ratio_cut", "pairwise", "dominant_sets", "normalized_cut")
MEASURES = ("path", "pearson", "euclidean")
SHORT = {
    "correlation": "CC",
    "ratio_cut": "ARC",
    "pairwise": "PC",
    "dominant_sets": "DS",
    "normalized_cut": "NCut",
}
# Bits, standard deviation over 25 splits, K: as printed in the text (the rest is in figures only).
THESIS = {
    ("correlation", "path"): (2.76, 0.085, 13),
    ("ratio_cut", "path"): (2.36, 0.071, 11),
    ("dominant_sets", "path"): (2.05, 0.08, 10),
    ("correlation", "pearson"): (1.44, 0.061, 11),
    ("ratio_cut", "pearson"): (1.39, 0.054, 11),
    ("correlation", "euclidean"): (1.32, 0.057, 10),
    ("ratio_cut", "euclidean"): (1.10, 0.052, 9),
}
# The power that the thesis chooses for all three measures (Figs. 50 to 52).
POWER = 1.2
QUICK_CLUSTERS = (2, 4, 7, 10, 11, 13)
FULL: dict[str, Any] = {"n_clusters": range(2, 16), "n_splits": 25, "n_init": 4}
SPLITS = {
    "objects": "halves of the genes, matched",
    "random": "halves of the conditions",
}


def data_file() -> Path | None:
    """Return where the expression data are, or None where this machine has none."""
    folder = os.environ.get("GENCAP_DATA", "")
    path = Path(folder) / FILE
    return path if folder and path.is_file() else None


def _measure(setting: Setting) -> Findings:
    setting.control(Progress(0, 2, "yeast"))
    path = data_file()
    if path is None:
        reason = f"skipped: set GENCAP_DATA to a folder that holds {FILE}"
        return Findings((Row("the whole study", "", "", beside(reason)),), {})
    table = read_table(path)
    found = {split: _compare(table, split, setting) for split in SPLITS}
    tables: Tables = {}
    for split, comparison in found.items():
        tables[split] = comparison.table
        tables[f"{split}-ranking"] = comparison.ranking("candidate")
    return Findings(tuple(_rows(found)), tables)


def _compare(table: Any, split: str, setting: Setting) -> Comparison:
    effort = {**QUICK, "n_clusters": QUICK_CLUSTERS} if setting.quick else FULL
    # The question is the ranking; nulls belong to the final answer of a study.
    effort = {**effort, "null_draws": 0, "final_draws": 0, "powers": (POWER,)}
    return compare(
        table,
        models=MODELS,
        measures=MEASURES,
        split=split,
        **effort,
        random_state=setting.seed,
        n_jobs=setting.threads,
        progress=setting.control,
    )


def _rows(found: dict[str, Comparison]) -> list[Row]:
    rows = []
    for split, comparison in found.items():
        words = SPLITS[split]
        same = split == "objects"
        measures = comparison.ranking("measure")["measure"].tolist()
        paper = "path, pearson, euclidean" if same else "not done"
        rows.append(Row(f"measures, {words}", paper, ", ".join(measures), _order(measures, same)))
        models = [SHORT[m] for m in comparison.ranking("model")["model"]]
        remark = "same winner" if models[0] == "CC" else f"here {models[0]} leads"
        rows.append(
            Row(
                f"methods, {words}",
                "CC, then ARC" if same else "not done",
                ", ".join(models),
                beside(remark if same else "a pairing that does not inflate the bits"),
            )
        )
    rows += [_value(found["objects"], key) for key in THESIS]
    rows.append(_optimism(found))
    rows.append(_forecast(found["objects"]))
    return rows


def _order(measures: list[str], same: bool) -> str:
    if not same:
        return beside("a pairing that does not inflate the bits")
    return beside("same order" if measures == list(MEASURES) else "another order")


def _value(comparison: Comparison, key: tuple[str, str]) -> Row:
    bits, sd, k = THESIS[key]
    name = f"{SHORT[key[0]]} with {key[1]}, objects split"
    ranked = comparison.ranking("candidate")
    mine = ranked[(ranked["model"] == key[0]) & (ranked["measure"] == key[1])]
    ours = "not measured"
    if len(mine):
        row = mine.iloc[0]
        ours = f"{row['bits']:.2f} ± {row['bits_sd']:.3f} bits, K = {int(row['n_clusters'])}"
    return Row(name, f"{bits:.2f} ± {sd:.3f} bits, K = {k}", ours, beside("quick form, fewer K"))


def _optimism(found: dict[str, Comparison]) -> Row:
    """Compare the two ways: pairs by proximity must give more bits than pairs by identity."""
    objects, features = (found[split].best["bits"] for split in SPLITS)
    return Row(
        "bits of the winner, objects against conditions",
        "objects split only",
        f"{objects:.2f} against {features:.2f}",
        verdict(objects > features, remark="pairs by proximity agree too well"),
    )


def _forecast(comparison: Comparison) -> Row:
    full = comparison.forecast(n_clusters=range(2, 16), n_splits=25)
    return Row("the full study, K = 2..15, 25 splits", "", full.text, beside("forecast"))


def _draw(tables: Tables) -> dict[str, Any]:
    """Draw our bits with the thesis' beside them, a panel per way of splitting."""
    from gencap.report._canvas import new_figure, style

    shown = [split for split in SPLITS if split in tables]
    if not shown:
        return {}
    with style():
        figure = new_figure(9.6, 5.4)
        panels = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
        for axes, split in zip(panels, shown, strict=True):
            _draw_split(axes, tables[f"{split}-ranking"], split == "objects")
            axes.set_title(SPLITS[split])
        panels[0].legend(loc="lower right")
    return {"ranking": figure}


def _draw_split(axes: Axes, ranked: pd.DataFrame, with_thesis: bool) -> None:
    keys = [(model, measure) for measure in MEASURES for model in MODELS]
    places = np.arange(len(keys))
    by_key = {(r["model"], r["measure"]): r for _, r in ranked.iterrows()}
    bits = [float(by_key[key]["bits"]) if key in by_key else np.nan for key in keys]
    axes.barh(places, bits, color="#0072B2", alpha=0.85, label="ours")
    if with_thesis:
        printed = [THESIS.get(key, (np.nan,))[0] for key in keys]
        axes.plot(printed, places, linestyle="none", marker="D", color="#D55E00", label="thesis")
    axes.set_yticks(places, [f"{SHORT[model]}, {measure}" for model, measure in keys])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("bits per object")


EXPERIMENT = Experiment(
    name="yeast",
    title="Ranking of methods and measures on yeast gene expression",
    source="thesis, chapter 7.2, Figs 44 to 56",
    description=(
        "2,467 genes under 79 conditions (Eisen et al. 1998). Correlation clustering, Adaptive "
        "Ratio Cut (p = 1.2), pairwise clustering, dominant sets and Normalized Cut with "
        "path-based, Pearson and Euclidean similarities; genes split at random and matched, as in "
        "the thesis, and conditions split into random halves. Quick: six numbers of clusters "
        "and 5 splits; full: K = 2 to 15 and 25 splits. Needs the data in the folder GENCAP_DATA."
    ),
    measure=_measure,
    draw=_draw,
)
