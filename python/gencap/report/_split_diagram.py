"""The split diagram: cluster centers against temperature (Fig. 13a of the thesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gencap.report._canvas import INK, MUTED, Plot, new_figure, palette, plain_log_axis, style
from gencap.results import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["split_diagram"]

CAPTION = (
    "The data are cooled from left to right. At high temperature all cluster centers coincide; at "
    "critical temperatures they split, coarse differences first. Each line is one center, thicker "
    "where it holds more objects, colored by the cluster it belongs to at the best temperature "
    "(dashed line) and gray before that cluster exists. Pale branches right of the dashed line "
    "are finer than the two measurements can confirm."
)


def split_diagram(
    trajectory: Trajectory, beta: float | None = None, coordinate: int | None = None
) -> Plot:
    """Draw the centers of an annealing run against temperature.

    Parameters
    ----------
    trajectory : Trajectory
        The annealing run.
    beta : float, optional
        Optimal inverse temperature; marked, and the place where colors are decided. The last
        temperature if not given.
    coordinate : int, optional
        Column of the centers to show; their first principal axis if not given.

    Returns
    -------
    Plot
        The figure; its table has one row per temperature and center.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> result = gencap.capacity(gencap.CentroidClustering(4, random_state=0), data.pair)
    >>> plot = split_diagram(result.trajectories[0], result.beta)
    >>> int(plot.table["center"].max())
    4
    """
    position, label = _project(trajectory.centroids, coordinate)
    optimum = np.nan if beta is None else float(beta)
    known = bool(np.isfinite(optimum) and optimum > 0)
    at = int(np.argmin(np.abs(trajectory.betas - optimum))) if known else len(trajectory) - 1
    # Numbers in the order of the groups are the numbers of the labels: colors match the scatter.
    group = np.unique(trajectory.groups[at], return_inverse=True)[1].astype(np.int64)
    title = "How the clusters split as the data are cooled"
    with style():
        figure = new_figure(6.0, 4.2)
        axes = figure.subplots()
        _draw_lines(axes, trajectory, position, group, at if known else None)
        axes.margins(x=0.02)
        axes.autoscale_view()
        if np.all(trajectory.betas > 0):
            plain_log_axis(axes)
        axes.invert_xaxis()
        if known:
            axes.axvline(1.0 / optimum, color=INK, linewidth=1.2, linestyle="--")
        axes.set_xlabel("temperature T = 1/β (cost); cooling from left to right")
        axes.set_ylabel(label)
        axes.set_title(title)
    return Plot("splits", figure, _table(trajectory, position, group), title, CAPTION)


def _project(
    centroids: NDArray[np.float64], coordinate: int | None
) -> tuple[NDArray[np.float64], str]:
    """Return positions (T, K) on one axis; the sign is fixed so that runs look alike."""
    n_steps, n_centers, n_columns = centroids.shape
    if coordinate is not None:
        return centroids[:, :, coordinate], f"position of the centers in column {coordinate + 1}"
    if n_columns == 1:
        return centroids[:, :, 0], "position of the centers"
    rows = centroids.reshape(-1, n_columns)
    finite = rows[np.isfinite(rows).all(axis=1)]
    offset = finite.mean(axis=0) if len(finite) else np.zeros(n_columns)
    axis = np.linalg.svd(finite - offset, full_matrices=False)[2][0] if len(finite) else offset
    axis = axis * (1.0 if axis[np.argmax(np.abs(axis))] >= 0 else -1.0)
    position = ((rows - offset) @ axis).reshape(n_steps, n_centers)
    return position, "position of the centers\n(first principal axis)"


def _draw_lines(
    axes: Axes,
    trajectory: Trajectory,
    position: NDArray[np.float64],
    group: NDArray[np.int64],
    at: int | None,
) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb

    temperature = 1.0 / trajectory.betas
    colors = np.array([to_rgb(c) for c in (*palette(int(group.max()) + 1), MUTED)])
    shared = _shared(trajectory.groups, group)
    for k in range(position.shape[1]):
        hue = colors[np.where(shared[:, k], -1, group[k])]
        width = 1.0 + 7.0 * trajectory.masses[:, k]
        points = np.column_stack([temperature, position[:, k]])
        if len(points) == 1:
            axes.plot(*points.T, marker="o", color=hue[0], markersize=4 + width[0])
            continue
        if at is not None:
            # Paler by mixing with white: transparency would show where the segments overlap.
            hue[at + 1 :] = 1.0 - 0.35 * (1.0 - hue[at + 1 :])
        axes.add_collection(
            LineCollection(
                list(np.stack([points[:-1], points[1:]], axis=1)),
                linewidths=width[1:],
                colors=list(hue[1:]),
                capstyle="round",
            )
        )


def _shared(groups: NDArray[np.int64], final: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where a center (T, K) still lies together with one of another final cluster."""
    together = groups[:, :, None] == groups[:, None, :]
    foreign = final[:, None] != final[None, :]
    return np.asarray((together & foreign).any(axis=2), dtype=np.bool_)


def _table(
    trajectory: Trajectory, position: NDArray[np.float64], group: NDArray[np.int64]
) -> pd.DataFrame:
    n_steps, n_centers = position.shape
    return pd.DataFrame(
        {
            "beta": np.repeat(trajectory.betas, n_centers),
            "temperature": np.repeat(1.0 / trajectory.betas, n_centers),
            "center": np.tile(np.arange(1, n_centers + 1), n_steps),
            "position": position.ravel(),
            "mass": trajectory.masses.ravel(),
            "group": trajectory.groups.ravel(),
            "group_at_optimum": np.tile(group + 1, n_steps),
            "effective_clusters": np.repeat(trajectory.n_clusters, n_centers),
        }
    )
