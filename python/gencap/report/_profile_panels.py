"""What the clusters look like in the data: mean and spread per condition (Figs. 42 and 43)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gencap._validation import FloatArray, IntArray
from gencap.report._canvas import INK, MUTED, Plot, new_figure, palette, plain, style
from gencap.summaries import cluster_profiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["profile_panels"]

MOST_SHOWN = 16
# With more columns than this their names cannot be read; only some are printed.
MOST_NAMES = 24
# Spreads further apart than this would hide all columns but one.
UNEVEN_SPREAD = 5.0
CAPTION = (
    "One panel per cluster of the winner. The line is the mean of the cluster's objects in every "
    "column, the band one standard deviation around it.{how}{more} What differs between the panels "
    "is what the clusters are about."
)
HOW = {
    "rows": " Every object was brought to mean 0 and standard deviation 1 first, because the "
    "winning measure compares patterns, not sizes.",
    "columns": " Every column was brought to mean 0 and standard deviation 1 first, because their "
    "units differ.",
    "none": "",
}


def profile_panels(
    data: FloatArray, labels: IntArray, columns: Any = None, measure: str = ""
) -> Plot:
    """Draw mean and spread of every column in every cluster.

    Parameters
    ----------
    data : ndarray of shape (N, D)
        The objects.
    labels : ndarray of shape (N,)
        Their clusters, from 0.
    columns : sequence of str, optional
        Names of the columns.
    measure : str
        Measure of the winner: correlations compare rows that were standardized.

    Returns
    -------
    Plot
        The figure; its table is `cluster_profiles` of the data as they are.
    """
    how = _scaling(data, measure)
    drawn = cluster_profiles(_scaled(data, how), np.asarray(labels) + 1, columns)
    table = cluster_profiles(data, np.asarray(labels) + 1, columns)
    sizes = drawn.groupby("cluster", sort=False)["n"].first().sort_values(ascending=False)
    shown = sorted(sizes.index[:MOST_SHOWN])
    title = "Cluster profiles"
    with style():
        across = _across(len(shown), data.shape[1])
        rows = -(-len(shown) // across)
        figure = new_figure(9.6, 0.6 + 1.9 * rows + (0.5 if columns is not None else 0.0))
        panels = figure.subplots(rows, across, squeeze=False, sharex=True, sharey=True).ravel()
        colors = palette(int(max(sizes.index)))
        for number, cluster in enumerate(shown):
            part = drawn[drawn["cluster"] == cluster]
            _draw(panels[number], part, colors[int(cluster) - 1])
            panels[number].set_title(f"cluster {cluster} ({sizes[cluster]:,})", fontsize=10)
            if number + across >= len(shown):
                _name_columns(panels[number], part["column"].tolist(), columns is not None)
        for axes in panels[len(shown) :]:
            axes.remove()
        figure.supylabel("value" if how == "none" else "standardized value", fontsize=10)
    more = len(sizes) - len(shown)
    rest = f" The {more} smallest clusters are left out." if more > 0 else ""
    return Plot("profiles", figure, table, title, CAPTION.format(how=HOW[how], more=rest))


def _across(n_panels: int, n_columns: int) -> int:
    """Return how many panels stand side by side: few empty places, and lines that can be read."""
    most = 2 if n_columns > 30 else 3 if n_columns > 15 else 5
    return min(
        range(min(most, n_panels), 0, -1), key=lambda n: (-n_panels % n, -n) if n > 1 else (9, 0)
    )


def _middle(name: Any, limit: int = 20) -> str:
    """Shorten a name in its middle: names often differ in their last letters only."""
    text = plain(name, 200)
    return text if len(text) <= limit else f"{text[:9].rstrip()}…{text[-10:].lstrip()}"


def _scaling(data: FloatArray, measure: str) -> str:
    if measure in ("pearson", "cosine") and data.shape[1] > 1:
        return "rows"
    spread = data.std(axis=0)
    spread = spread[spread > 0]
    return "columns" if len(spread) > 1 and spread.max() > UNEVEN_SPREAD * spread.min() else "none"


def _scaled(data: FloatArray, how: str) -> FloatArray:
    if how == "none":
        return data
    axis = 1 if how == "rows" else 0
    spread = data.std(axis=axis, keepdims=True)
    return np.asarray(
        (data - data.mean(axis=axis, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    )


def _draw(axes: Axes, part: pd.DataFrame, color: str) -> None:
    x = np.arange(len(part))
    mean, sd = part["mean"].to_numpy(), part["sd"].fillna(0.0).to_numpy()
    axes.axhline(0.0, color=MUTED, linewidth=0.8)
    if len(part) == 1:
        axes.errorbar(x, mean, yerr=sd, color=color, marker="o", capsize=4)
        return
    axes.fill_between(x, mean - sd, mean + sd, color=color, alpha=0.22, linewidth=0)
    axes.plot(
        x, mean, color=color, linewidth=1.8, marker="o" if len(part) <= 20 else None, markersize=3.5
    )


def _name_columns(axes: Axes, names: list[Any], named: bool) -> None:
    axes.tick_params(labelbottom=True)
    if not named:
        axes.set_xlabel("column")
        return
    step = -(-len(names) // MOST_NAMES)
    places = range(0, len(names), step)
    axes.set_xticks(
        places, [_middle(names[i]) for i in places], rotation=90, fontsize=7.5, color=INK
    )
