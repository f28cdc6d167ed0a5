"""The capacity curve J(beta): what the clusters tell, minus what the two measurements dispute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gencap.report._canvas import (
    INK,
    MUTED,
    NULL_COLORS,
    NULL_NAMES,
    OKABE_ITO,
    Plot,
    for_display,
    new_figure,
    plain_log_axis,
    style,
)
from gencap.results import Capacity, Curve, NullResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["capacity_curve"]

CAPTION = (
    "From left to right the clustering becomes more detailed. The dotted line is how much the "
    "clusters could tell about an object; the dashed line is how much of that the two "
    "measurements contradict. The thick line is the difference, the capacity J: what is left is "
    "real. It peaks at the resolution the data support (vertical line) and falls without limit "
    "beyond it; the axis is cut below."
)


def capacity_curve(capacity: Capacity, null: Mapping[str, NullResult] | None = None) -> Plot:
    """Draw J(beta) with its two parts and the effective number of clusters.

    Parameters
    ----------
    capacity : Capacity
        The result; its curve may be None, which draws the single value.
    null : mapping of str to NullResult, optional
        Null calibrations drawn as bands; ``capacity.null`` if not given.

    Returns
    -------
    Plot
        The figure; its table is ``capacity.curve.to_frame()``.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> result = gencap.capacity(gencap.CentroidClustering(4, random_state=0), data.pair)
    >>> plot = capacity_curve(result)
    >>> plot.name, len(plot.table) == len(result.curve.beta)
    ('curve', True)
    """
    bands = capacity.null if null is None else null
    curve = capacity.curve if capacity.curve is not None else _single_point(capacity)
    with style():
        figure = new_figure(6.0, 4.4)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3.4, 1.0))
        low, high = _window(capacity, curve, bands)
        _draw_lines(top, curve, low, high)
        draw_null_bands(top, bands)
        _draw_optimum(top, bottom, capacity)
        _draw_clusters(bottom, curve)
        top.set_ylim(low, high)
        top.axhline(0.0, color=INK, linewidth=0.8)
        top.set_ylabel("bits per object")
        top.set_title("Capacity at every resolution")
        bottom.set_xlabel("inverse temperature β (1/cost); finer to the right")
        if np.all(curve.beta > 0):
            plain_log_axis(bottom)
        top.legend(loc="upper center", bbox_to_anchor=(0.5, -0.03), ncols=3)
    return Plot("curve", figure, curve.to_frame(), "Capacity at every resolution", CAPTION)


def draw_null_bands(axes: Axes, null: Mapping[str, NullResult]) -> None:
    """Draw mean and standard deviation of each null as a horizontal band."""
    for kind, result in null.items():
        if not np.isfinite(result.bits):
            continue
        color = NULL_COLORS.get(kind, MUTED)
        low, high = result.bits - result.bits_sd, result.bits + result.bits_sd
        axes.axhspan(max(0.0, low), high, color=color, alpha=0.18, linewidth=0)
        axes.axhline(
            result.bits,
            color=color,
            linewidth=1.2,
            linestyle=(0, (6, 2)),
            label=f"null: {NULL_NAMES.get(kind, kind)}",
        )


def _single_point(capacity: Capacity) -> Curve:
    beta = capacity.beta if np.isfinite(capacity.beta) else 1.0
    one = np.ones(1)
    return Curve(
        beta=one * beta,
        bits=one * capacity.raw_bits,
        entropy=one * np.nan,
        agreement=one * np.nan,
        n_clusters=one * capacity.n_clusters,
    )


def _window(
    capacity: Capacity, curve: Curve, null: Mapping[str, NullResult]
) -> tuple[float, float]:
    """Return the shown range: J has no lower bound, so 30 % of the height is left below zero."""
    heights = [0.1, capacity.bits, *(n.bits + n.bits_sd for n in null.values())]
    heights += [*curve.bits, *curve.entropy]
    high = 1.08 * max(h for h in heights if np.isfinite(h))
    return -0.3 * high, high


def _draw_lines(axes: Axes, curve: Curve, low: float, high: float) -> None:
    mark = "o" if len(curve.beta) == 1 else None
    axes.plot(
        curve.beta,
        for_display(curve.bits, low, high),
        color=OKABE_ITO[0],
        linewidth=2.6,
        marker=mark,
        zorder=3,
        label="capacity J",
    )
    axes.plot(
        curve.beta,
        for_display(curve.entropy, low, high),
        color=OKABE_ITO[2],
        linewidth=1.3,
        linestyle=":",
        label="informativeness",
    )
    axes.plot(
        curve.beta,
        for_display(-curve.agreement, low, high),
        color=OKABE_ITO[1],
        linewidth=1.3,
        linestyle="--",
        label="disagreement",
    )


def _draw_optimum(top: Axes, bottom: Axes, capacity: Capacity) -> None:
    if not (np.isfinite(capacity.beta) and capacity.beta > 0):
        return
    for axes in (top, bottom):
        axes.axvline(capacity.beta, color=MUTED, linewidth=1.0)
    top.plot([capacity.beta], [capacity.bits], marker="o", markersize=8, color=OKABE_ITO[0])
    top.annotate(
        f"{capacity.bits:.2f} bits",
        (capacity.beta, capacity.bits),
        xytext=(8, 8),
        textcoords="offset points",
        fontweight="bold",
        color=OKABE_ITO[0],
        bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5},
    )


def _draw_clusters(axes: Axes, curve: Curve) -> None:
    from matplotlib.ticker import MaxNLocator

    counts = np.where(np.isfinite(curve.n_clusters), curve.n_clusters, np.nan)
    mark = "o" if len(counts) == 1 else None
    axes.step(curve.beta, counts, where="mid", color=INK, linewidth=1.5, marker=mark)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True, min_n_ticks=1))
    largest = np.nanmax(counts, initial=1.0)
    axes.set_ylim(0.5, 1.12 * float(largest) + 0.5)
    axes.set_ylabel("clusters")
