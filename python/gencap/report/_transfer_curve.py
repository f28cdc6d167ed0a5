"""Transfer costs and classical criteria against the number of clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from gencap.criteria import Criterion
from gencap.report._canvas import INK, MARKERS, OKABE_ITO, Plot, new_figure, style
from gencap.transfer import TransferCosts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["criteria_table", "transfer_plot"]

CAPTION = (
    "Above: what the second sample costs under the clusters of the first (transfer cost), beside "
    "what the first costs itself. The own cost falls with every cluster; the transfer cost rises "
    "again once clusters fit noise. Error bars are standard deviations over the splits. Below: "
    "classical criteria, each in its own unit. Rings mark what each of them chooses."
)


def criteria_table(costs: TransferCosts, criteria: Mapping[str, Criterion]) -> pd.DataFrame:
    """Return one row per number of clusters: transfer costs and the values of all criteria.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> t = gencap.transfer_costs(gencap.CentroidClustering(random_state=0), data.pair, [3, 4])
    >>> criteria_table(t, {}).columns.tolist()
    ['cost', 'spread', 'train_cost', 'effective']
    """
    frame = costs.to_frame()
    for name, criterion in criteria.items():
        frame[name] = criterion.values
        frame[f"{name}_spread"] = criterion.spread
    return frame


def transfer_plot(costs: TransferCosts, criteria: Mapping[str, Criterion]) -> Plot:
    """Draw transfer costs and criteria against the number of clusters.

    Parameters
    ----------
    costs : TransferCosts
        The transfer costs.
    criteria : mapping of str to Criterion
        What stands below, by name.

    Returns
    -------
    Plot
        The figure; its table has one row per number of clusters.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> t = gencap.transfer_costs(gencap.CentroidClustering(random_state=0), data.pair, [3, 4, 5])
    >>> transfer_plot(t, {}).name
    'transfer'
    """
    title = "Transfer costs against the number of clusters"
    with style():
        rows = 1 + len(criteria)
        figure = new_figure(6.0, 2.6 + 1.5 * len(criteria))
        heights = [2.0] + [1.0] * len(criteria)
        panels = figure.subplots(rows, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        _draw_costs(panels[0], costs)
        for axes, (name, criterion), color in zip(
            panels[1:], criteria.items(), OKABE_ITO[2:], strict=False
        ):
            _draw(axes, criterion.values, criterion.spread, color, name)
            _ring(axes, criterion.values, criterion.best)
            axes.set_ylabel(name)
        panels[0].set_title(title)
        panels[-1].set_xlabel("number of clusters K given to the model")
    return Plot("transfer", figure, criteria_table(costs, criteria), title, CAPTION)


def _draw_costs(axes: Axes, costs: TransferCosts) -> None:
    from matplotlib.ticker import MaxNLocator

    _draw(axes, costs.costs, costs.spread, OKABE_ITO[0], f"transfer cost ({costs.mapping})")
    own = costs.train_costs
    axes.plot(own.index, own, "--", color=OKABE_ITO[1], label="cost of the first sample")
    _ring(axes, costs.costs, costs.best)
    axes.set_ylabel(f"cost {costs.unit}" if costs.unit.startswith("per") else costs.unit)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    axes.legend(loc="best")


def _draw(
    axes: Axes, values: pd.Series[float], spread: pd.Series[float], color: str, label: str
) -> None:
    axes.errorbar(
        values.index,
        values,
        yerr=spread.fillna(0.0),
        color=color,
        marker=MARKERS[0],
        markersize=5,
        capsize=3,
        label=label,
    )


def _ring(axes: Axes, values: pd.Series[float], best: int) -> None:
    axes.plot(
        [best],
        [values[best]],
        linestyle="none",
        marker="o",
        markersize=13,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.6,
    )
