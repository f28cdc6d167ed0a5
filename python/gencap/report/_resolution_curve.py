"""Capacity against the resolution of a graph, with the number of clusters beside it."""

from __future__ import annotations

import numpy as np

from gencap.report._canvas import INK, MUTED, OKABE_ITO, Plot, new_figure, plain_log_axis, style
from gencap.resolution import Resolution

__all__ = ["resolution_curve"]

CAPTION = (
    "Capacity for each resolution that was tried: what two instances of the graph agree on. The "
    "ring marks the choice, the coarsest resolution that is as good as the best within its error. "
    "Error bars are standard deviations over pairs of instances. Below: the effective number of "
    "clusters."
)


def resolution_curve(found: Resolution) -> Plot:
    """Draw capacity and number of clusters against the resolution.

    Examples
    --------
    >>> import gencap
    >>> net = gencap.networks.neighbor_network([[float(i)] for i in range(12)], 3)
    >>> found = gencap.select_resolution(net, second=net, resolutions=[0.1, 0.3], random_state=0)
    >>> resolution_curve(found).table["resolution"].tolist()
    [0.1, 0.3]
    """
    table = found.to_frame()
    values = table["resolution"].to_numpy()
    spread = np.nan_to_num(table["bits_sd"].to_numpy())
    with style():
        figure = new_figure(6.0, 5.2)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        top.errorbar(
            values, table["bits"], spread, color=OKABE_ITO[0], marker="o", markersize=4, capsize=2
        )
        top.plot(
            [found.best],
            [found.bits[found.best]],
            linestyle="none",
            marker="o",
            markersize=12,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=1.5,
            label=f"chosen: {found.best:.3g}",
        )
        top.set_ylabel("bits per object")
        top.set_ylim(bottom=0.0)
        top.set_title("Capacity against the resolution")
        top.legend(loc="best")
        bottom.plot(values, table["n_clusters"], color=MUTED, marker="o", markersize=4)
        bottom.set_ylabel("clusters")
        bottom.set_ylim(bottom=0.0)
        bottom.set_xlabel("resolution (weight that a pair in one cluster must exceed)")
        if (values > 0).all():
            plain_log_axis(bottom)
    table["chosen"] = table["resolution"] == found.best
    return Plot("resolution", figure, table, "Capacity against the resolution", CAPTION)
