"""All candidates by their bits: who wins, by how much, and what chance would give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from gencap.report._canvas import (
    INK,
    MUTED,
    NULL_COLORS,
    NULL_NAMES,
    Plot,
    new_figure,
    plain,
    style,
)
from gencap.report._compared import ComparisonLike, look, measure_title, row_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ranking_bars"]

# More bars than this do not fit a page; the table holds all.
MOST_SHOWN = 30
NULL_LINES: tuple[tuple[str, Literal["-", ":"]], ...] = (("independent", ":"), ("gaussian", "-"))
CAPTION = (
    "Bits per object of every model and measure at its chosen number of clusters K. Longer is "
    "better: more of the clustering was confirmed by the second measurement. Whiskers are standard "
    "deviations over the splits. The ticks on the bars show what the same search finds where there "
    "is nothing to find (gray, dotted: independent columns; orange, solid: Gaussian continuum); a "
    "bar that ends near its ticks shows no clusters."
)


def ranking_bars(comparison: ComparisonLike) -> Plot:
    """Draw the ranking of all candidates.

    Parameters
    ----------
    comparison : Comparison
        With at least one measured candidate.

    Returns
    -------
    Plot
        The figure; its table is the whole ranking.
    """
    ranked = comparison.ranking("candidate")
    shown = ranked.head(MOST_SHOWN)
    title = "Models and measures, ranked"
    with style():
        figure = new_figure(9.6, 1.5 + 0.36 * len(shown))
        axes = figure.subplots()
        _draw_bars(axes, shown)
        _draw_nulls(axes, shown)
        _set_axes(axes, shown)
        axes.set_title(title)
        _legend(figure, shown)
    return Plot("ranking", figure, ranked, title, _caption(len(ranked)))


def _caption(n_candidates: int) -> str:
    if n_candidates <= MOST_SHOWN:
        return CAPTION
    return f"{CAPTION} The best {MOST_SHOWN} of {n_candidates} are drawn."


def _draw_bars(axes: Axes, shown: pd.DataFrame) -> None:
    places = np.arange(len(shown))
    spread = shown["bits_sd"].fillna(0.0).to_numpy(dtype=float)
    colors = [look(str(measure))[0] for measure in shown["measure"]]
    axes.barh(places, shown["bits"], height=0.66, color=colors, alpha=0.85, zorder=2)
    axes.errorbar(
        shown["bits"], places, xerr=spread, fmt="none", ecolor=INK, elinewidth=1.1, capsize=3
    )
    for place, (_, row), sd in zip(places, shown.iterrows(), spread, strict=True):
        plus_minus = f" ± {sd:.2f}" if row["n_splits"] > 1 else ""
        axes.annotate(
            f"{row['bits']:.2f}{plus_minus}   K = {int(row['n_clusters'])}",
            (_right_end(row, sd), float(place)),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )


def _right_end(row: pd.Series[Any], sd: float) -> float:
    """Return where everything drawn for a candidate ends, ticks of nulls included."""
    nulls = [float(row[f"null_{kind}"]) for kind, _ in NULL_LINES if f"null_{kind}" in row]
    return max([float(row["bits"]) + sd, *(n for n in nulls if np.isfinite(n))])


def _draw_nulls(axes: Axes, shown: pd.DataFrame) -> None:
    for kind, line in NULL_LINES:
        column = f"null_{kind}"
        if column not in shown:
            continue
        values = shown[column].to_numpy(dtype=float)
        drawn = np.flatnonzero(np.isfinite(values))
        # White below, so that the tick is seen on every bar.
        for color, width in (("white", 4.5), (NULL_COLORS[kind], 2.2)):
            axes.vlines(
                values[drawn],
                drawn - 0.4,
                drawn + 0.4,
                color=color,
                linewidth=width,
                linestyle="-" if color == "white" else line,
                zorder=3,
            )


def _set_axes(axes: Axes, shown: pd.DataFrame) -> None:
    axes.set_yticks(np.arange(len(shown)), [plain(row_title(r), 52) for _, r in shown.iterrows()])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    tops = [_right_end(r, float(np.nan_to_num(r["bits_sd"]))) for _, r in shown.iterrows()]
    # Room for the numbers behind the bars.
    axes.set_xlim(0.0, 1.28 * max(0.1, float(np.nanmax(tops))))
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("capacity (bits per object)")


def _legend(figure: Figure, shown: pd.DataFrame) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Line2D | Patch] = [
        Patch(color=look(str(m))[0], label=measure_title(str(m)))
        for m in dict.fromkeys(shown["measure"])
    ]
    for kind, line in NULL_LINES:
        if f"null_{kind}" in shown and shown[f"null_{kind}"].notna().any():
            color = NULL_COLORS.get(kind, MUTED)
            entries.append(
                Line2D([], [], color=color, linewidth=2.2, linestyle=line, label=NULL_NAMES[kind])
            )
    figure.legend(handles=entries, loc="outside lower center", ncols=3)
