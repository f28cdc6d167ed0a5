"""Capacity against the number of clusters for every model, one panel each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from gencap.report._canvas import INK, MUTED, Plot, new_figure, plain, style
from gencap.report._compared import ComparisonLike, look, measure_title, model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["order_panels"]

COLUMNS = 3
STYLES: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
CAPTION = (
    "One panel per model, one line per measure, all on one scale. Bands are standard deviations "
    "over the splits, rings mark the chosen number of clusters K*: the smallest K as good as the "
    "line's best within its error. The gray line repeats the winner for comparison. A line that "
    "keeps rising says that more clusters would still be confirmed; one that stays at zero, that "
    "this model and measure find nothing reliable."
)


def order_panels(comparison: ComparisonLike) -> Plot:
    """Draw capacity against the number of clusters, a panel per model.

    Parameters
    ----------
    comparison : Comparison
        With at least one measured candidate.

    Returns
    -------
    Plot
        The figure; its table is the comparison's.
    """
    table = comparison.table
    # Panels in the order of the ranking: the winner's comes first.
    models = list(dict.fromkeys(comparison.ranking("candidate")["model"]))
    title = "Capacity against the number of clusters"
    with style():
        rows = -(-len(models) // COLUMNS)
        columns = min(COLUMNS, len(models))
        figure = new_figure(max(4.8, 3.4 * columns), 0.9 + 2.6 * rows)
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, model in zip(panels, models, strict=False):
            _draw_winner(axes, comparison, model)
            _draw_model(axes, table[table["model"] == model])
            axes.set_title(plain(model_title(model), 34), fontsize=10)
        for axes in panels[len(models) :]:
            axes.remove()
        _set_axes(figure, panels, table, columns, len(models))
    return Plot("order", figure, table, title, CAPTION)


def _lines(rows: pd.DataFrame) -> list[tuple[str, float, pd.DataFrame]]:
    """Return one line per measure and power."""
    found = []
    for _, part in rows.groupby(["measure", "p"], dropna=False, sort=False):
        first = part.iloc[0]
        found.append((str(first["measure"]), float(first["p"]), part.sort_values("n_clusters")))
    return found


def _powers(rows: pd.DataFrame) -> list[float]:
    """Return the powers among the rows; each has its own style of line."""
    return sorted(float(p) for p in rows["p"].dropna().unique())


def _draw_model(axes: Axes, rows: pd.DataFrame) -> None:
    lines = _lines(rows)
    powers = _powers(rows)
    for measure, p, part in lines:
        color, mark = look(measure)
        line = STYLES[powers.index(p) % len(STYLES)] if p in powers else "-"
        k = part["n_clusters"].to_numpy(dtype=float)
        bits = part["bits"].to_numpy(dtype=float)
        sd = part["bits_sd"].fillna(0.0).to_numpy(dtype=float)
        low = np.maximum(bits - sd, 0.0)
        axes.fill_between(k, low, bits + sd, color=color, alpha=0.15, linewidth=0)
        axes.plot(k, bits, color=color, linestyle=line, linewidth=1.6, marker=mark, markersize=4)
        chosen = part["chosen"].to_numpy(dtype=bool)
        axes.plot(
            k[chosen],
            bits[chosen],
            linestyle="none",
            marker="o",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=1.2,
        )


def _draw_winner(axes: Axes, comparison: ComparisonLike, model: str) -> None:
    if comparison.winner is None or comparison.winner[0] == model:
        return
    table = comparison.table
    name, measure, p, _ = comparison.winner
    power = table["p"].isna() if np.isnan(p) else table["p"] == p
    rows = table[(table["model"] == name) & (table["measure"] == measure) & power]
    rows = rows.sort_values("n_clusters")
    axes.plot(rows["n_clusters"], rows["bits"], color="#b6bcc6", linewidth=3.0, zorder=1)


def _set_axes(
    figure: Figure, panels: np.ndarray, table: pd.DataFrame, columns: int, used: int
) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    tops = table["bits"] + table["bits_sd"].fillna(0.0)
    high = 1.1 * max(0.1, float(np.nanmax(tops, initial=0.0)))
    panels[0].set_ylim(-0.04 * high, high)
    panels[0].xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    for number, axes in enumerate(panels[:used]):
        if number + columns >= used:
            axes.set_xlabel("number of clusters K")
            axes.tick_params(labelbottom=True)
        if number % columns == 0:
            axes.set_ylabel("bits per object")
    entries = []
    for measure in dict.fromkeys(table["measure"]):
        color, mark = look(str(measure))
        entries.append(
            Line2D(
                [], [], color=color, marker=mark, markersize=5, label=measure_title(str(measure))
            )
        )
    powers = _powers(table)
    if len(powers) > 1:
        for number, p in enumerate(powers):
            line = STYLES[number % len(STYLES)]
            entries.append(Line2D([], [], color=MUTED, linestyle=line, label=f"p = {p:g}"))
    entries.append(Line2D([], [], color="#b6bcc6", linewidth=3.0, label="winner"))
    figure.legend(handles=entries, loc="outside lower center", ncols=min(4, len(entries)))
