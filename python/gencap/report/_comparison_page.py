"""The page of a comparison: the verdict first, then rankings, figures, clusters, settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gencap._validation import Matrix
from gencap.report._canvas import NULL_NAMES, Plot
from gencap.report._compared import (
    ComparisonLike,
    SolutionLike,
    candidate_title,
    measure_title,
    model_title,
    row_title,
)
from gencap.report._comparison_words import (
    comparison_sentence,
    comparison_warnings,
    lead_sentence,
)
from gencap.report._page import (
    Cells,
    count_of,
    figure_data,
    size_of,
    template,
    text_of,
    versions,
)
from gencap.report.words import amount, p_value
from gencap.summaries import label_table

__all__ = ["render_comparison"]

MOST_DIFFERENCES = 8
SUREST = 5
WIDE = ("ranking", "order", "scans", "profiles")
SHOWN_SETTINGS = {
    "models": "models",
    "measures": "measures",
    "n_clusters": "numbers of clusters",
    "n_splits": "splits",
    "split": "measurements",
    "n_init": "restarts",
    "null_draws": "null draws per candidate",
    "final_draws": "null draws of the winner",
}


def render_comparison(
    comparison: ComparisonLike,
    plots: Sequence[Plot],
    data: Matrix | None = None,
    *,
    name: str = "",
    description: str = "",
    title: str = "Which clustering do the data confirm?",
    settings: Mapping[str, object] | None = None,
    alone: bool = False,
) -> str:
    """Return a self-contained page.

    Parameters
    ----------
    comparison : Comparison
        What `gencap.compare` returned.
    plots : sequence of Plot
        Its figures.
    data : Matrix, optional
        The data that were compared.
    name, description, title : str
        For the heading.
    settings : mapping, optional
        Settings to show beside the comparison's own.
    alone : bool
        Whether the page stands without a folder of figures and tables around it.

    Returns
    -------
    str
        HTML. Names from files are escaped; nothing is fetched from anywhere.
    """
    best = _best_row(comparison)
    return template("comparison.html.j2").render(
        title=title,
        name=name,
        description=description,
        size="" if data is None else size_of(*data.shape),
        verdict=comparison.verdict,
        headline=comparison.verdict_text,
        sentence=comparison_sentence(comparison),
        lead=lead_sentence(comparison) if comparison.verdict != "none" else "",
        numbers=_numbers(comparison, best),
        warnings=comparison_warnings(comparison),
        candidates=_candidate_cells(comparison.ranking("candidate"), best),
        models=_short_cells(comparison.ranking("model"), "model"),
        measures=_short_cells(comparison.ranking("measure"), "measure"),
        differences=_difference_cells(comparison),
        nulls=_null_cells(comparison),
        clusters=_cluster_cells(_winning(comparison)),
        figures=[figure_data(*one) for one in zip(plots, _shapes(plots), strict=True)],
        settings={**_settings(comparison), **{k: text_of(v) for k, v in (settings or {}).items()}},
        versions={**versions(), **comparison.versions},
        alone=alone,
    )


def _shapes(plots: Sequence[Plot]) -> list[str]:
    """Say how figures sit on the page: halves in twos; a half alone has its text beside it."""
    shapes: list[str] = []
    alone: int | None = None
    for number, plot in enumerate(plots):
        if _is_wide(plot):
            shapes.append("wide")
            alone = None
            continue
        shapes.append("side")
        if alone is None:
            alone = number
        else:
            shapes[alone] = shapes[number] = "half"
            alone = None
    return shapes


def _is_wide(plot: Plot) -> bool:
    return plot.name in WIDE or plot.figure.get_figwidth() > 7.0


def _best_row(comparison: ComparisonLike) -> pd.Series[Any] | None:
    if comparison.winner is None:
        return None
    ranked = comparison.ranking("candidate")
    model, measure, p, _ = comparison.winner
    power = ranked["p"].isna() if math.isnan(p) else ranked["p"] == p
    mine = ranked[(ranked["model"] == model) & (ranked["measure"] == measure) & power]
    return mine.iloc[0] if len(mine) else ranked.iloc[0]


def _winning(comparison: ComparisonLike) -> SolutionLike | None:
    return None if comparison.winner is None else comparison.solutions.get(comparison.winner[:2])


def _numbers(comparison: ComparisonLike, best: pd.Series[Any] | None) -> dict[str, str]:
    if best is None:
        return {}
    found = {
        "clusters, K*": str(int(best["n_clusters"])),
        "bits per object": amount(float(best["bits"]), float(best["bits_sd"]), ""),
    }
    for kind, null in comparison.null.items():
        found[f"null: {NULL_NAMES.get(kind, kind)}"] = amount(null.bits, null.bits_sd, "")
    return found


def _candidate_cells(ranked: pd.DataFrame, best: pd.Series[Any] | None) -> Cells:
    headings = (
        "model and measure", "K*", "bits per object", "independent null", "Gaussian null",
        "shift", "CPU s", "bits per CPU s",
    )  # fmt: skip
    rows = [
        (
            row_title(row),
            str(int(row["n_clusters"])),
            amount(float(row["bits"]), float(row["bits_sd"]), ""),
            _number(row.get("null_independent")),
            _number(row.get("null_gaussian")),
            _number(row.get("shift"), "{:.3g}"),
            _number(row.get("seconds"), "{:.3g}"),
            _number(row.get("bits_per_second"), "{:.3g}"),
        )
        for _, row in ranked.iterrows()
    ]
    marked = [
        best is not None and row["candidate"] == best["candidate"] for _, row in ranked.iterrows()
    ]
    return Cells(headings, rows, marked)


def _short_cells(ranked: pd.DataFrame, by: str) -> Cells:
    name = model_title if by == "model" else measure_title
    other = "measure" if by == "model" else "model"
    rows = [
        (
            name(str(row[by])),
            amount(float(row["bits"]), float(row["bits_sd"]), ""),
            str(int(row["n_clusters"])),
            measure_title(str(row["measure"])) if by == "model" else model_title(str(row["model"])),
        )
        for _, row in ranked.iterrows()
    ]
    return Cells((by, "bits per object", "K*", f"with {other}"), rows)


def _difference_cells(comparison: ComparisonLike) -> Cells:
    """Show the winner against the others, on the same splits."""
    ranked = comparison.ranking("candidate")
    pairs = comparison.differences()
    if not len(pairs):
        return Cells((), ())
    titles = {row["candidate"]: row_title(row) for _, row in ranked.iterrows()}
    mine = pairs[pairs["first"] == ranked["candidate"].iloc[0]].head(MOST_DIFFERENCES)
    rows = [
        (
            titles[row["second"]],
            f"{row['difference']:+.2f}"
            + (f" ± {row['se']:.2f}" if math.isfinite(row["se"]) else ""),
            _number(row["p_value"], "{:.2g}"),
            str(int(row["n"])),
        )
        for _, row in mine.iterrows()
    ]
    return Cells(("winner against", "bits ahead", "p-value", "splits"), rows)


def _null_cells(comparison: ComparisonLike) -> Cells:
    rows = [
        (
            NULL_NAMES.get(kind, kind),
            amount(null.bits, null.bits_sd, ""),
            p_value(null).removeprefix("p ").removeprefix("= "),
            _number(comparison.corrected.get(kind), "{:.2g}"),
            str(len(null.draws)),
        )
        for kind, null in comparison.null.items()
    ]
    return Cells(("null", "bits per object", "p-value", "corrected", "draws"), rows)


def _cluster_cells(solution: SolutionLike | None) -> Cells:
    """One row per cluster: size, mean confidence, and the objects that belong most surely."""
    if solution is None:
        return Cells((), ())
    labels = label_table(solution)
    rows = []
    for cluster, part in labels.groupby("cluster"):
        surest = part.sort_values("confidence", ascending=False, kind="stable").head(SUREST)
        rows.append(
            (
                str(cluster),
                f"{len(part):,}",
                f"{part['confidence'].mean():.2f}",
                ", ".join(_short(n) for n in surest["name"]),
            )
        )
    return Cells(("cluster", "objects", "mean confidence", "surest members"), rows)


def _settings(comparison: ComparisonLike) -> dict[str, str]:
    found = {
        words: text_of(comparison.settings[key])
        for key, words in SHOWN_SETTINGS.items()
        if key in comparison.settings
    }
    if comparison.winner is not None:
        found["winner"] = candidate_title(*comparison.winner[:3])
    found["rows of the table"] = count_of(len(comparison.table), "row")
    found["seed"] = str(comparison.seed)
    return found


def _short(name: object, limit: int = 24) -> str:
    text = str(name)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _number(value: Any, form: str = "{:.2f}") -> str:
    if value is None or not np.isfinite(float(value)):
        return "–"
    return form.format(float(value))
