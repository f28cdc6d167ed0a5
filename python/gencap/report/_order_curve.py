"""Capacity against the number of clusters, with error bars and nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gencap.report._canvas import (
    INK,
    MUTED,
    NULL_COLORS,
    NULL_NAMES,
    OKABE_ITO,
    Plot,
    new_figure,
    style,
)
from gencap.results import Order

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["order_curve"]

CAPTION = (
    "Capacity for each number of clusters K that the model was given. The more bits, the more of "
    "the clustering both measurements confirm; once the line stops rising, further clusters add "
    "nothing reliable. The ring marks the choice K*: the smallest K that is as good as the best "
    "within its error. Error bars are standard deviations over the splits, pale dots are single "
    "splits, and the dashed lines with their bands show what data without such structure give."
)


def order_table(order: Order) -> pd.DataFrame:
    """Return one row per number of clusters, with the nulls' means and spreads where drawn."""
    frame = order.to_frame()
    frame["chosen"] = frame.index == order.best
    kinds = sorted({kind for c in order.capacities.values() for kind in c.null})
    for kind in kinds:
        results = [order.capacities[k].null.get(kind) for k in frame.index]
        frame[f"null_{kind}"] = [np.nan if r is None else r.bits for r in results]
        frame[f"null_{kind}_sd"] = [np.nan if r is None else r.bits_sd for r in results]
    return frame


def order_curve(order: Order) -> Plot:
    """Draw capacity against the number of clusters.

    Parameters
    ----------
    order : Order
        The results by number of clusters.

    Returns
    -------
    Plot
        The figure; its table has one row per number of clusters.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> model = gencap.CentroidClustering(random_state=0)
    >>> order = gencap.select_order(model, data.pair, range(1, 5))
    >>> order_curve(order).table["chosen"].tolist()
    [False, False, False, True]
    """
    title = "Capacity against the number of clusters"
    with style():
        figure = new_figure(6.0, 4.4)
        axes = figure.subplots()
        _draw_pairs(axes, order)
        _draw_means(axes, order)
        _draw_nulls(axes, order)
        _set_axes(axes, order)
        axes.set_title(title)
        axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.14), ncols=2)
    return Plot("order", figure, order_table(order), title, CAPTION)


def _draw_pairs(axes: Axes, order: Order) -> None:
    for k, capacity in order.capacities.items():
        values = capacity.bits_per_pair
        values = np.maximum(values[np.isfinite(values)], 0.0)
        if len(values) > 1:
            axes.plot(
                np.full(len(values), float(k)),
                values,
                linestyle="none",
                marker="o",
                markersize=3.5,
                color=OKABE_ITO[5],
                alpha=0.6,
                markeredgewidth=0,
            )


def _draw_means(axes: Axes, order: Order) -> None:
    bits = order.bits
    spread = order.bits_sd.fillna(0.0)
    axes.errorbar(
        bits.index,
        bits,
        yerr=spread,
        color=OKABE_ITO[0],
        linewidth=2.0,
        marker="o",
        markersize=6,
        capsize=4,
        elinewidth=1.3,
        label="capacity of the data",
    )
    best = bits.get(order.best, np.nan)
    axes.axvline(order.best, color=MUTED, linewidth=1.0, zorder=0)
    axes.plot(
        [order.best],
        [best],
        linestyle="none",
        marker="o",
        markersize=14,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.6,
        label=f"choice K* = {order.best}",
    )


def _draw_nulls(axes: Axes, order: Order) -> None:
    """Draw what each null gives at every K: a continuum, too, gains bits with more clusters."""
    for kind, color in NULL_COLORS.items():
        drawn = {k: c.null[kind] for k, c in order.capacities.items() if kind in c.null}
        if not drawn:
            continue
        ks = np.array(list(drawn), dtype=float)
        bits = np.array([null.bits for null in drawn.values()])
        spread = np.array([null.bits_sd for null in drawn.values()])
        low = np.maximum(bits - spread, 0.0)
        axes.fill_between(ks, low, bits + spread, color=color, alpha=0.22, linewidth=0)
        label = f"null: {NULL_NAMES[kind]}"
        axes.plot(ks, bits, color=color, linestyle="--", linewidth=1.4, label=label)


def _set_axes(axes: Axes, order: Order) -> None:
    from matplotlib.ticker import MaxNLocator

    ks = list(order.capacities)
    tops = [0.1, *(order.bits + order.bits_sd.fillna(0.0))]
    for capacity in order.capacities.values():
        tops += [n.bits + n.bits_sd for n in capacity.null.values()]
        tops += [*capacity.bits_per_pair]
    high = 1.12 * max(t for t in tops if np.isfinite(t))
    axes.set_ylim(-0.04 * high, high)
    axes.set_xlim(min(ks) - 0.5, max(ks) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    axes.set_xlabel("number of clusters K given to the model")
    axes.set_ylabel("capacity (bits per object)")
