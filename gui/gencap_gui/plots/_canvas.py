"""Views drawn with pyqtgraph: panels in the theme's colors, mouse and keys turned into requests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gencap_gui.plots._axes import log10
from gencap_gui.plots._header import Legend
from gencap_gui.plots._runs import nearest_step, shown_step
from gencap_gui.plots.base import PlotView
from gencap_gui.theme import Theme

__all__ = ["CanvasView", "Panel", "TemperatureView", "pen", "translucent"]

Key = Qt.Key
BETA_LABEL = "inverse temperature β (1/cost), finer to the right"
BETA_BRIEF = "inverse temperature β (1/cost)"
# Close enough to a mark to mean it, in pixels.
REACH = 14.0


def translucent(color: str, alpha: float) -> QColor:
    """Return a color with an opacity from 0 to 1."""
    shade = QColor(color)
    shade.setAlphaF(alpha)
    return shade


def pen(
    color: str | QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine
) -> QPen:
    """Return a pen whose width is in pixels at every zoom."""
    made = QPen(QColor(color), width, style)
    made.setCosmetic(True)
    made.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return made


class Panel(pg.PlotWidget):  # type: ignore[misc]
    """A plot without pyqtgraph's own menus and buttons, in the theme's colors."""

    def __init__(
        self,
        name: str,
        axes: dict[str, Any] | None = None,
        view_box: Any = None,
        parent: QWidget | None = None,
    ) -> None:
        self._labels: dict[str, tuple[str, str]] = {}
        super().__init__(parent=parent, axisItems=axes or {}, viewBox=view_box)
        self.setAccessibleName(name)
        self.setAntialiasing(True)
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.layout.setContentsMargins(4, 8, 12, 4)
        for side in ("left", "bottom"):
            item.getAxis(side).enableAutoSIPrefix(False)
        self.setMinimumSize(120, 90)

    @property
    def box(self) -> Any:
        """The view box: ranges and coordinates."""
        return self.getPlotItem().getViewBox()

    def label(self, bottom: str, left: str, *, short: tuple[str, str] = ("", "")) -> None:
        """Name both axes; `short` names are for panels too small for the full ones."""
        self._labels = {
            "bottom": (bottom, short[0] or bottom),
            "left": (left, short[1] or left),
        }
        self._fit_labels()

    def _fit_labels(self) -> None:
        """Choose the names that fit beside the axes."""
        metrics = self.fontMetrics()
        rooms = {"bottom": self.width() - 80, "left": self.height() - 60}
        for side, (full, brief) in self._labels.items():
            axis = self.getPlotItem().getAxis(side)
            text = full if metrics.horizontalAdvance(full) <= rooms[side] else brief
            if axis.labelText != text:
                axis.setLabel(text)

    def resizeEvent(self, ev: Any) -> None:
        """Choose the names of the axes anew."""
        super().resizeEvent(ev)
        self._fit_labels()

    def recolor(self, theme: Theme) -> None:
        """Take on the colors of a theme."""
        self.setBackground(theme.background)
        for side in ("left", "bottom"):
            axis = self.getPlotItem().getAxis(side)
            axis.setPen(pen(theme.muted))
            axis.setTextPen(pen(theme.foreground))
            axis.setLabel(axis.labelText or None, color=theme.foreground)
        self.getPlotItem().showGrid(x=True, y=True, alpha=0.12)

    def pixel(self) -> tuple[float, float]:
        """Return the size of a pixel in data units."""
        width, height = self.box.viewPixelSize()
        return float(width) or 1.0, float(height) or 1.0

    def place(self, scene_position: QPointF) -> tuple[float, float] | None:
        """Return data coordinates of a place in the scene; None outside of the plot."""
        if not self.box.sceneBoundingRect().contains(scene_position):
            return None
        point = self.box.mapSceneToView(scene_position)
        return float(point.x()), float(point.y())


class CanvasView(PlotView):
    """A view made of panels and a legend."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._panels: list[Panel] = []
        self._pointer: tuple[Panel, QPointF] | None = None
        self._left_canvas = False
        super().__init__(parent)

    def _build(self) -> QWidget:
        """Return a column of panels with the legend below."""
        canvas = QWidget()
        canvas.setAutoFillBackground(True)
        layout = QVBoxLayout(canvas)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.legend = Legend(f"Legend: {self.title}")
        self.legend.chosen.connect(self._legend_chosen)
        self._fill_canvas(layout)
        layout.addWidget(self.legend)
        return canvas

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        """Add the panels."""

    def _add_panel(self, panel: Panel) -> Panel:
        """Watch a panel's mouse and keys."""
        self._panels.append(panel)
        self._watch_keys(panel)
        panel.viewport().installEventFilter(self)
        panel.scene().sigMouseMoved.connect(lambda place: self._moved(panel, place))
        panel.scene().sigMouseClicked.connect(lambda event: self._clicked(panel, event))
        return panel

    def _recolor(self) -> None:
        for panel in self._panels:
            panel.recolor(self._theme)

    def fit(self) -> None:
        """Show everything again."""
        for panel in self._panels:
            panel.box.autoRange(padding=0.04)

    def _legend_chosen(self, target: str) -> None:
        """Select the cluster that an entry stands for, or let go of it."""
        kind, _, number = target.partition(":")
        if kind == "cluster":
            cluster = int(number)
            self._request(cluster=None if self._selection.cluster == cluster else cluster)

    def _moved(self, panel: Panel, place: QPointF) -> None:
        self._pointer = (panel, place)
        self._left_canvas = False
        self._later()

    def _hover(self) -> None:
        if self._left_canvas:
            self._left_canvas = False
            self._hover_gone()
        elif self._pointer is not None:
            panel, place = self._pointer
            self._pointer = None
            at = panel.place(place)
            if at is None:
                self._hover_gone()
            else:
                self._hover_at(panel, *at)

    def _clicked(self, panel: Panel, event: Any) -> None:
        at = panel.place(event.scenePos())
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            self._click_at(panel, *at, event)

    def _hover_at(self, panel: Panel, x: float, y: float) -> None:
        """Act on the mouse resting at data coordinates."""

    def _hover_gone(self) -> None:
        """Act on the mouse leaving the plot."""

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        """Act on a click at data coordinates."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note that the mouse left the plot; keys as in every view."""
        if event.type() == QEvent.Type.Leave and watched in [p.viewport() for p in self._panels]:
            self._pointer, self._left_canvas = None, True
            self._later()
        return super().eventFilter(watched, event)


class TemperatureView(CanvasView):
    """A view along the inverse temperature, with the cursor that all such views share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._beta: NDArray[np.float64] = np.zeros(0)
        self._cursors: list[Any] = []
        super().__init__(parent)

    def _add_cursor(self, panel: Panel) -> None:
        """Add the line that shows the temperature and can be dragged."""
        line = pg.InfiniteLine(angle=90, movable=True)
        line.setZValue(50)
        line.sigDragged.connect(lambda: self._dragged(line))
        line.hide()
        panel.addItem(line, ignoreBounds=True)
        self._cursors.append(line)

    def _recolor(self) -> None:
        super()._recolor()
        for line in self._cursors:
            line.setPen(pen(self._theme.accent, 1.6))
            line.setHoverPen(pen(self._theme.accent, 3.0))

    def _step(self) -> int | None:
        """Return the index of the shown temperature in the run's curve."""
        run = self._shown_run()
        return None if run is None else shown_step(run, self._selection, len(self._beta))

    def _mark_step(self) -> None:
        step = self._step()
        for line in self._cursors:
            line.setVisible(step is not None)
            if step is not None and not getattr(line, "moving", False):
                line.setPos(float(log10(self._beta)[step]))

    def _dragged(self, line: Any) -> None:
        if len(self._beta):
            self._request_step(nearest_step(self._beta, 10.0 ** float(line.value())))

    def _request_step(self, step: int) -> None:
        self._request(step=min(max(step, 0), len(self._beta) - 1))

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        """Move the cursor to the temperature that was clicked."""
        if len(self._beta):
            self._request_step(nearest_step(self._beta, 10.0**x))

    def _key(self, key: int) -> bool:
        """Left and Right change the temperature, Home returns to the optimum."""
        step = self._step()
        if step is None:
            return False
        moves = {Key.Key_Left: -1, Key.Key_Right: 1, Key.Key_PageUp: -10, Key.Key_PageDown: 10}
        if key in moves:
            self._request_step(step + moves[Key(key)])
            return True
        if key == Key.Key_Home:
            self._request(step=None)
            return True
        return False
