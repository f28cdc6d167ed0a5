"""The best two solutions, pair by pair (Fig. 41 of the thesis)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gencap.report._canvas import Plot, new_figure, plain, style
from gencap.report._compared import ComparisonLike, best_solutions
from gencap.summaries import coclustering

__all__ = ["coclustering_matrix"]

# Dark to light runs from "apart" to "together"; the two disagreements differ in hue and lightness.
COLORS = ("#1f2a44", "#56B4E9", "#D55E00", "#F5E04B")
MOST_SHOWN = 800
CAPTION = (
    "Every point is a pair of objects, sorted by the clusters of the winner, which form the blocks "
    "on the diagonal. Yellow: both solutions put the pair together. Light blue: only the winner "
    "does. Red: only the runner-up does; it joins what the winner keeps apart. Dark: neither does. "
    "Much yellow and dark, little red and blue means that the two agree.{thinned}"
)


def coclustering_matrix(comparison: ComparisonLike) -> Plot | None:
    """Compare the clusters of the best two candidates; None with fewer than two.

    Parameters
    ----------
    comparison : Comparison
        Its solutions.

    Returns
    -------
    Plot or None
        The figure; its table counts objects by cluster of the one and the other.
    """
    best = best_solutions(comparison)
    if len(best) < 2:
        return None
    (one, first), (two, second) = best
    both = coclustering(first.labels, second.labels, max_objects=MOST_SHOWN)
    title = "The best two solutions, pair by pair"
    with style():
        from matplotlib.colors import BoundaryNorm, ListedColormap
        from matplotlib.patches import Patch

        figure = new_figure(6.0, 6.4)
        axes = figure.subplots()
        axes.imshow(
            both.codes,
            cmap=ListedColormap(COLORS),
            norm=BoundaryNorm([-0.5, 0.5, 1.5, 2.5, 3.5], 4),
            interpolation="nearest",
        )
        for border in both.borders:
            axes.axhline(border - 0.5, color="white", linewidth=0.6)
            axes.axvline(border - 0.5, color="white", linewidth=0.6)
        axes.grid(visible=False)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_title(title)
        axes.set_xlabel(f"objects, sorted by the clusters of\n{plain(one, 56)}")
        words = (
            "apart in both",
            f"only in {plain(one, 44)}",
            f"only in {plain(two, 44)}",
            "together in both",
        )
        entries = [
            Patch(
                color=COLORS[code],
                label=f"{words[code]} ({100 * both.shares[code]:.0f} % of pairs)",
            )
            for code in (3, 1, 2, 0)
        ]
        figure.legend(handles=entries, loc="outside lower center", ncols=1)
    thinned = len(both.order) < both.n_objects
    note = f" {len(both.order):,} of {both.n_objects:,} objects are drawn." if thinned else ""
    table = pd.crosstab(
        pd.Series(np.asarray(first.labels) + 1, name="cluster of the winner"),
        pd.Series(np.asarray(second.labels) + 1, name="cluster of the runner-up"),
    )
    return Plot("coclustering", figure, table, title, CAPTION.format(thinned=note), heavy=True)
