"""The data in the plane, colored by cluster, solid where the assignment is sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gencap.report._canvas import Plot, marker, new_figure, palette, plain, style
from gencap.report.study import Study
from gencap.summaries import project

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["scatter", "scatter_plot"]

HEAVY = 2_000
# More points than this only cover each other; the table still holds all of them.
MOST_DRAWN = 50_000
LEGEND_ROWS = 14
CAPTION = (
    "Every dot is one object{where}. Color is the cluster at the best resolution; faint dots lie "
    "between clusters and could belong to another one.{truth} Numbers in brackets are objects per "
    "cluster."
)


def scatter(study: Study) -> Plot:
    """Draw the objects of a study in two dimensions.

    Two columns are shown as they are, one column against the confidence, more columns by their
    first two principal components.

    Parameters
    ----------
    study : Study
        Data, labels, confidence, and known classes if any.

    Returns
    -------
    Plot
        The figure; its table has one row per object.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap.study import StudyPlan, study_matrix
    >>> table = np.random.default_rng(0).standard_normal((40, 4))
    >>> study = study_matrix(table, title="Noise", plan=StudyPlan((1, 2), null_draws=0))
    >>> scatter(study).table.shape
    (40, 4)
    """
    return scatter_plot(
        study.data, study.best.labels, study.confidence, columns=study.columns, truth=study.truth
    )


def scatter_plot(
    data: NDArray[np.float64],
    labels: NDArray[np.int64],
    confidence: NDArray[np.float64],
    *,
    columns: Sequence[Any] | NDArray[Any] | None = None,
    truth: Any = None,
) -> Plot:
    """Draw objects in two dimensions, see `scatter`."""
    x, y, axis_labels = _coordinates(data, confidence, columns)
    title = "The objects and their clusters"
    with style():
        figure = new_figure(6.0 if truth is None else 9.6, 4.2)
        panels = figure.subplots(1, 1 if truth is None else 2, squeeze=False)[0]
        codes, names = _cluster_names(labels)
        _draw(panels[0], x, y, codes, names, confidence)
        panels[0].set_title(title)
        if truth is not None:
            known, uniques = pd.factorize(np.asarray(truth), sort=True)
            _draw(panels[1], x, y, known, [plain(u, 24) for u in uniques], np.ones(len(x)))
            panels[1].set_title("Known classes, for comparison")
        for axes in panels:
            axes.set_xlabel(axis_labels[0])
            axes.set_ylabel(axis_labels[1])
    table = pd.DataFrame({"x": x, "y": y, "cluster": labels + 1, "confidence": confidence})
    if truth is not None:
        table["known_class"] = np.asarray(truth)
    caption = _caption(data, truth is not None)
    return Plot("scatter", figure, table, title, caption, len(x) > HEAVY)


def _caption(data: NDArray[np.float64], known: bool) -> str:
    where = {1: "", 2: " at its measured place"}.get(
        data.shape[1], ", placed by the two directions in which the data vary most"
    )
    truth = " The known classes beside it were not used." if known else ""
    if len(data) > MOST_DRAWN:
        where += f" ({MOST_DRAWN:,} of {len(data):,} are drawn)"
    return CAPTION.format(where=where, truth=truth)


def _coordinates(
    data: NDArray[np.float64],
    confidence: NDArray[np.float64],
    columns: Sequence[Any] | NDArray[Any] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, str]]:
    n_columns = data.shape[1]
    names = [plain(c, 30) for c in columns] if columns is not None else None
    if n_columns == 1:
        return data[:, 0], confidence, (names[0] if names else "value", "confidence")
    if n_columns == 2:
        return data[:, 0], data[:, 1], (names[0], names[1]) if names else ("column 1", "column 2")
    plane = project(data)
    share = 100 * plane.explained
    labels = (
        f"principal component 1 ({share[0]:.0f} % of variance)",
        f"principal component 2 ({share[1]:.0f} % of variance)",
    )
    return plane.coordinates[:, 0], plane.coordinates[:, 1], labels


def _cluster_names(labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
    """Return labels recoded to 0..C-1 in their own order, and their names counted from 1."""
    present, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), [f"cluster {int(k) + 1}" for k in present]


def _draw(
    axes: Axes,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    codes: NDArray[np.int64],
    names: list[str],
    confidence: NDArray[np.float64],
) -> None:
    from matplotlib.colors import to_rgba

    colors = palette(len(names))
    size = float(np.clip(3e4 / max(len(x), 1), 4.0, 26.0))
    floor = 1.0 / max(len(names), 1)
    # 0.15 at pure guessing, 0.9 when certain: even the doubtful stay visible.
    sure = (confidence - floor) / (1.0 - floor) if floor < 1.0 else np.ones(len(x))
    alpha = 0.15 + 0.75 * np.clip(sure, 0.0, 1.0)
    drawn = _sample(len(x))
    for index in range(len(names)):
        mine = drawn & (codes == index)
        shades = np.tile(np.asarray(to_rgba(colors[index])), (int(mine.sum()), 1))
        shades[:, 3] = alpha[mine]
        axes.scatter(
            x[mine],
            y[mine],
            s=size,
            c=shades,
            marker=marker(index, len(names)),
            linewidths=0,
            rasterized=len(x) > HEAVY,
        )
    _legend(axes, codes, names, colors)


def _sample(n_objects: int) -> NDArray[np.bool_]:
    """Return which objects are drawn: all of them, or a fixed random choice."""
    chosen = np.ones(n_objects, dtype=np.bool_)
    if n_objects > MOST_DRAWN:
        chosen[np.random.default_rng(0).permutation(n_objects)[MOST_DRAWN:]] = False
    return chosen


def _legend(axes: Axes, codes: NDArray[np.int64], names: list[str], colors: list[str]) -> None:
    from matplotlib.lines import Line2D

    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    shown = len(names) if len(names) <= LEGEND_ROWS else LEGEND_ROWS - 1
    entries = [
        Line2D(
            [],
            [],
            linestyle="none",
            color=colors[i],
            marker=marker(i, len(names)),
            label=f"{names[i]} ({counts[i]:,})",
        )
        for i in range(shown)
    ]
    if shown < len(names):
        rest = f"{len(names) - shown} more ({counts[shown:].sum():,})"
        entries.append(Line2D([], [], linestyle="none", label=rest))
    axes.legend(handles=entries, loc="center left", bbox_to_anchor=(1.0, 0.5), handletextpad=0.3)
