"""Capacity along a shift of the similarities, or along the power of a cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gencap.report._canvas import INK, Plot, new_figure, plain, style
from gencap.report._compared import ComparisonLike, look, measure_title, model_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["parameter_of", "scan_panels"]

COLUMNS = 3
CAPTION = (
    "Some models have a parameter that decides how fine the clusters may become: the shift added "
    "to all similarities, or the power p of a cut. Pale lines are single numbers of clusters K, "
    "the thick line is the best of them, the ring its largest value. The capacity chooses the "
    "parameter; nobody had to guess it."
)


def parameter_of(scan: pd.DataFrame) -> str:
    """Return what was scanned: "p" or "shift"."""
    return "p" if "p" in scan and scan["p"].notna().any() else "shift"


def scan_panels(comparison: ComparisonLike) -> Plot | None:
    """Draw every scan; None where nothing was scanned.

    Parameters
    ----------
    comparison : Comparison
        Its scans.

    Returns
    -------
    Plot or None
        The figure; its table has all scans below each other.
    """
    scans = {
        key: scan
        for key, scan in comparison.scans.items()
        if len(scan) and scan[parameter_of(scan)].nunique() > 1
    }
    if not scans:
        return None
    title = "Shift and power, chosen by capacity"
    with style():
        columns = min(COLUMNS, len(scans))
        rows = -(-len(scans) // columns)
        figure = new_figure(max(4.8, 3.4 * columns), 0.4 + 2.7 * rows)
        panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
        for number, (axes, ((model, measure), scan)) in enumerate(
            zip(panels, scans.items(), strict=False)
        ):
            _draw(axes, scan, look(measure)[0])
            words = plain(f"{model_title(model)},\n{measure_title(measure)}", 60)
            axes.set_title(words.replace("  ", " "), fontsize=10)
            if number % columns == 0:
                axes.set_ylabel("bits per object")
        for axes in panels[len(scans) :]:
            axes.remove()
        high = max(float(np.nanmax(s["bits"], initial=0.1)) for s in scans.values())
        panels[0].set_ylim(-0.04 * high, 1.12 * high)
    return Plot("scans", figure, _table(scans), title, CAPTION)


def _table(scans: Mapping[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    parts = []
    for (model, measure), scan in scans.items():
        part = scan.copy()
        part.insert(0, "model", model)
        part.insert(1, "measure", measure)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _draw(axes: Axes, scan: pd.DataFrame, color: str) -> None:
    from matplotlib.ticker import MaxNLocator

    name = parameter_of(scan)
    values = np.sort(scan[name].unique())
    # Shifts span decades: equal steps keep their labels apart.
    places = {value: place for place, value in enumerate(values)}
    for _, part in scan.groupby("n_clusters"):
        part = part.sort_values(name)
        where = [places[v] for v in part[name]]
        axes.plot(where, part["bits"], color=color, alpha=0.25, linewidth=1.0)
    best = scan.groupby(name)["bits"].max()
    axes.plot(
        range(len(values)), best.loc[values], color=color, linewidth=2.2, marker="o", markersize=4
    )
    top = int(np.argmax(best.loc[values].to_numpy()))
    axes.plot(
        [top],
        [best.loc[values].iloc[top]],
        linestyle="none",
        marker="o",
        markersize=12,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.4,
    )
    crowded = len(values) > 5
    axes.set_xticks(
        range(len(values)),
        [f"{v:.3g}" for v in values],
        rotation=35 if crowded else 0,
        ha="right" if crowded else "center",
    )
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
    axes.set_xlabel("power p" if name == "p" else "shift of the similarities")
