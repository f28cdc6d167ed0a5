"""How clusters split while the data cool: positions, a tree, or paths in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QComboBox, QStackedLayout, QVBoxLayout, QWidget

from gencap_gui.plots._axes import LogAxis, log10
from gencap_gui.plots._canvas import (
    BETA_BRIEF,
    BETA_LABEL,
    REACH,
    Panel,
    TemperatureView,
    pen,
    translucent,
)
from gencap_gui.plots._header import Entry, Header, tool_button
from gencap_gui.plots._runs import nearest_step, paths_of, series_of
from gencap_gui.session import CenterPaths
from gencap_gui.theme import cluster_color

__all__ = ["SplitDiagramView", "tree_slots"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MOST_GROUND = 1_000
MODES = {
    "splits": ("Splits", "Cluster centers, projected to one dimension, against temperature"),
    "tree": ("Tree", "The same splits as a tree: which cluster came out of which"),
    "plane": ("Paths", "The ways of the cluster centers through the plane of the scatter plot"),
}


def tree_slots(groups: IntArray) -> FloatArray:
    """Return the height of every center in the tree, shape (T, K): the middle of its branch.

    Leaves are ordered so that what was together longest stays side by side.
    """
    order = np.lexsort(groups[::-1])
    slots = np.empty(groups.shape[1])
    slots[order] = np.arange(groups.shape[1], dtype=np.float64)
    together = groups[:, :, None] == groups[:, None, :]
    return np.asarray((together @ slots) / together.sum(axis=2), dtype=np.float64)


class SplitDiagramView(TemperatureView):
    """Centers against inverse temperature, colored by cluster; as positions, tree or paths."""

    name = "split-diagram"
    title = "Cluster splits"
    empty_text = (
        "Cluster splits appear here while a method anneals: all centers start together and "
        "branch, coarse differences first. Methods without centers in the plane show none."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._paths: CenterPaths | None = None
        self._colors: IntArray = np.zeros((0, 0), dtype=np.int64)
        self._height: FloatArray = np.zeros((0, 0))
        self._best: int | None = None
        self._mode = "splits"
        self._lines: dict[tuple[str, int, bool], Any] = {}
        self._framed: tuple[Any, ...] = ()
        self._grounded: Any = None
        super().__init__(parent)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        self.panel = Panel("Centers against inverse temperature", {"bottom": LogAxis("bottom")})
        self.plane = Panel("Paths of the centers in the plane")
        holder = QWidget()
        self._pages = QStackedLayout(holder)
        for panel in (self.panel, self.plane):
            self._pages.addWidget(self._add_panel(panel))
        layout.addWidget(holder, 1)
        self.best_line = pg.InfiniteLine(angle=90)
        self.panel.addItem(self.best_line, ignoreBounds=True)
        self._add_cursor(self.panel)
        self.ground = pg.ScatterPlotItem(size=4, pen=None)
        self.plane.addItem(self.ground)
        self.heads = {panel: pg.ScatterPlotItem() for panel in (self.panel, self.plane)}
        self.marks = pg.ScatterPlotItem(symbol="d", size=8)
        for panel, heads in self.heads.items():
            heads.setZValue(60)
            panel.addItem(heads, ignoreBounds=True)
        self.marks.setZValue(55)
        self.panel.addItem(self.marks, ignoreBounds=True)

    def _add_controls(self, header: Header) -> None:
        self.mode_buttons = QButtonGroup(self)
        for mode, (words, tip) in MODES.items():
            button = tool_button(words, tip, checkable=True)
            button.setChecked(mode == "splits")
            button.setProperty("mode", mode)
            self.mode_buttons.addButton(button)
            header.add_control(button)
        self.mode_buttons.buttonClicked.connect(lambda b: self.set_mode(str(b.property("mode"))))
        self.component = QComboBox()
        self.component.addItems(["Component 1", "Component 2"])
        self.component.setAccessibleName("Which component of the plane is the height")
        self.component.setToolTip("Which axis of the plane the splits are projected to")
        self.component.currentIndexChanged.connect(self._restart)
        header.add_control(self.component)

    @property
    def mode(self) -> str:
        """What is drawn: "splits", "tree" or "plane"."""
        return self._mode

    def set_mode(self, mode: str) -> None:
        """Draw positions ("splits"), the "tree", or paths in the "plane"."""
        self._mode = mode
        for button in self.mode_buttons.buttons():
            button.setChecked(button.property("mode") == mode)
        self.component.setVisible(mode == "splits")
        self._pages.setCurrentWidget(self.plane if mode == "plane" else self.panel)
        self._restart()

    def _restart(self) -> None:
        self._framed = ()
        self._data_stale = True
        self._later()

    def _recolor(self) -> None:
        super()._recolor()
        self.best_line.setPen(pen(self._theme.muted, 1.2, Qt.PenStyle.DashLine))
        self.marks.setPen(pen(self._theme.background))
        self.marks.setBrush(self._theme.foreground)
        self.ground.setBrush(translucent(self._theme.muted, 0.3))

    def _draw(self) -> bool:
        run = self._shown_run()
        self._paths = None if run is None else paths_of(run, self._points())
        if run is None or self._paths is None or not len(self._paths.beta):
            self._beta = np.zeros(0)
            return False
        paths = self._paths
        series = series_of(run, self._points())
        self._beta = paths.beta if series is None else series.beta
        optimum = run.beta if np.isfinite(run.beta) and run.beta > 0 else None
        self._best = None if optimum is None else nearest_step(paths.beta, optimum)
        self._colors = paths.groups
        self._height = self._heights(paths)
        self._draw_ground()
        self._draw_lines(paths)
        self._draw_marks(paths)
        self._label()
        self._follow(paths)
        return True

    def _draw_ground(self) -> None:
        """Draw some of the objects behind the paths, to show where they lead."""
        projection = self._results.projection
        if self._mode != "plane" or projection is None or projection is self._grounded:
            return
        self._grounded = projection
        place = projection.coordinates[:: max(1, len(projection.coordinates) // MOST_GROUND)]
        self.ground.setData(place[:, 0], place[:, 1])

    def _heights(self, paths: CenterPaths) -> FloatArray:
        if self._mode == "tree":
            return tree_slots(paths.groups)
        return paths.coordinates[:, :, max(self.component.currentIndex(), 0)]

    def _label(self) -> None:
        component = max(self.component.currentIndex(), 0) + 1
        kind = self._results.projection.kind if self._results.projection is not None else "pca"
        axis = "principal component" if kind == "pca" else "embedding axis"
        height = "branches" if self._mode == "tree" else f"position of centers, {axis} {component}"
        brief = "branches" if self._mode == "tree" else f"component {component}"
        self.panel.label(BETA_LABEL, height, short=(BETA_BRIEF, brief))
        self.panel.getPlotItem().getAxis("left").setStyle(showValues=self._mode != "tree")
        self.plane.label(f"{axis} 1", f"{axis} 2")

    def _draw_lines(self, paths: CenterPaths) -> None:
        """Draw one item per color and side of the optimum; finer branches beyond it are pale."""
        panel = self.plane if self._mode == "plane" else self.panel
        if self._mode == "plane":
            x, y = paths.coordinates[:, :, 0], paths.coordinates[:, :, 1]
        else:
            x = np.repeat(log10(paths.beta)[:, None], paths.groups.shape[1], axis=1)
            y = self._height
        used = set()
        limit = len(paths.beta) if self._best is None else self._best + 1
        later = np.arange(1, len(paths.beta)) >= limit
        for color in np.unique(self._colors):
            for beyond in (False, True):
                mine = (self._colors[1:] == color) & (later == beyond)[:, None]
                key = (self._mode, int(color), beyond)
                if mine.any():
                    used.add(key)
                    self._item(panel, key).setData(*_segments(x, y, mine))
        for key, item in self._lines.items():
            item.setVisible(key in used)

    def _item(self, panel: Panel, key: tuple[str, int, bool]) -> Any:
        if key not in self._lines:
            item = pg.PlotCurveItem(connect="finite", skipFiniteCheck=False)
            panel.addItem(item)
            self._lines[key] = item
        return self._lines[key]

    def _draw_marks(self, paths: CenterPaths) -> None:
        """Mark the optimum, and in the tree the splits themselves."""
        self.best_line.setVisible(self._best is not None)
        if self._best is not None:
            self.best_line.setPos(float(log10(paths.beta)[self._best]))
        run = self._shown_run()
        splits = run.splits if run is not None and self._mode == "tree" else ()
        splits = tuple(s for s in splits if s.beta > 0 and s.child < paths.groups.shape[1])
        # At the last temperature before the split, where the branch is still one.
        steps = [max(nearest_step(paths.beta, s.beta) - 1, 0) for s in splits]
        heights = [self._height[step, s.child] for s, step in zip(splits, steps, strict=True)]
        self.marks.setData(log10(paths.beta)[steps], heights)

    def _follow(self, paths: CenterPaths) -> None:
        """Grow the window with the data, unless the user has zoomed since."""
        frame = (self._mode, len(paths.beta), self._shown_key(), self._best is None)
        if frame != self._framed:
            self._framed = frame
            self.fit()

    def _mark(self) -> None:
        self._mark_step()
        self._mark_heads()
        chosen = self._selection.cluster
        for (_, color, beyond), item in self._lines.items():
            near = chosen is None or chosen == color
            alpha = (0.35 if beyond else 1.0) * (1.0 if near else 0.2)
            width = 4.5 if chosen == color else 2.6
            item.setPen(pen(translucent(cluster_color(self._theme, color), alpha), width))
        shown = np.unique(self._colors[-1 if self._best is None else self._best])
        entries = [
            Entry(
                cluster_color(self._theme, int(c)),
                f"cluster {int(c) + 1}",
                f"cluster:{int(c)}",
                strong=chosen == c,
            )
            for c in shown
        ]
        self.legend.set_entries(entries, self._theme.foreground)

    def _path_step(self) -> int | None:
        """Return the shown temperature as an index into the paths."""
        step = self._step()
        if step is None or self._paths is None:
            return None
        return nearest_step(self._paths.beta, float(self._beta[step]))

    def _mark_heads(self) -> None:
        """Show the centers at the shown temperature, larger where they hold more objects."""
        step, paths = self._path_step(), self._paths
        if step is None or paths is None:
            return
        panel = self.plane if self._mode == "plane" else self.panel
        if self._mode == "plane":
            x, y = paths.coordinates[step, :, 0], paths.coordinates[step, :, 1]
        else:
            x = np.full(paths.groups.shape[1], log10(paths.beta)[step])
            y = self._height[step]
        brushes = [pg.mkBrush(cluster_color(self._theme, int(c))) for c in self._colors[step]]
        size = 7.0 + 16.0 * np.sqrt(np.clip(paths.masses[step], 0.0, 1.0))
        self.heads[panel].setData(
            x=x, y=y, size=size, brush=brushes, pen=pen(self._theme.background, 1.2)
        )

    def _color_at(self, panel: Panel, x: float, y: float) -> int | None:
        """Return the cluster whose line passes close to a place."""
        paths = self._paths
        if paths is None:
            return None
        width, height = panel.pixel()
        if panel is self.plane:
            dx = (paths.coordinates[:, :, 0] - x) / width
            dy = (paths.coordinates[:, :, 1] - y) / height
        else:
            dx = np.repeat(
                ((log10(paths.beta) - x) / width)[:, None], paths.groups.shape[1], axis=1
            )
            dx[np.abs(dx) == np.abs(dx).min()] = 0.0  # the nearest temperature, however far
            dy = (self._height - y) / height
        distance = np.hypot(dx, dy)
        nearest = np.unravel_index(int(np.nanargmin(distance)), distance.shape)
        return int(self._colors[nearest]) if distance[nearest] <= REACH else None

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        """Select the cluster under the mouse, else the temperature."""
        cluster = self._color_at(panel, x, y)
        if cluster is not None:
            self._request(cluster=None if cluster == self._selection.cluster else cluster)
        elif panel is self.panel:
            super()._click_at(panel, x, y, event)

    def table(self) -> pd.DataFrame:
        """Return one row per temperature and center, with what is drawn."""
        paths = self._paths
        if paths is None:
            return pd.DataFrame(columns=["beta", "center", "cluster", "mass"])
        n_steps, n_centers = paths.groups.shape
        columns: dict[str, Any] = {
            "beta": np.repeat(paths.beta, n_centers),
            "center": np.tile(np.arange(1, n_centers + 1), n_steps),
            "cluster": self._colors.ravel() + 1,
            "mass": paths.masses.ravel(),
        }
        if self._mode == "plane":
            columns["x"] = paths.coordinates[:, :, 0].ravel()
            columns["y"] = paths.coordinates[:, :, 1].ravel()
        else:
            columns["branch" if self._mode == "tree" else "position"] = self._height.ravel()
        return pd.DataFrame(columns)

    def _row_request(self, row: int) -> dict[str, Any] | None:
        if self._paths is None:
            return None
        step, center = divmod(row, self._paths.groups.shape[1])
        at = nearest_step(self._beta, float(self._paths.beta[step]))
        return {"step": at, "cluster": int(self._colors[step, center])}

    def _row_shown(self) -> int | None:
        step = self._path_step()
        if step is None:
            return None
        chosen = self._selection.cluster
        match = np.flatnonzero(self._colors[step] == chosen) if chosen is not None else [0]
        return step * self._colors.shape[1] + int(match[0]) if len(match) else None


def _segments(
    x: FloatArray, y: FloatArray, mine: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Return the pieces from step t to t + 1 where `mine` (T - 1, K) holds, parted by NaN."""
    steps, centers = np.nonzero(mine.T)[::-1]
    gap = np.full(len(steps), np.nan)
    return (
        np.stack([x[steps, centers], x[steps + 1, centers], gap], axis=1).ravel(),
        np.stack([y[steps, centers], y[steps + 1, centers], gap], axis=1).ravel(),
    )
