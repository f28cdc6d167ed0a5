"""A plot in which the mouse can draw a rectangle or a lasso around points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

__all__ = ["Outline", "SelectBox", "inside"]


def inside(
    x: NDArray[np.float64], y: NDArray[np.float64], corners: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which points lie inside a closed polygon (even-odd rule), corners of shape (M, 2)."""
    within = np.zeros(len(x), dtype=np.bool_)
    if len(corners) < 3:
        return within
    # Points outside of the bounding box need no closer look.
    low, high = corners.min(axis=0), corners.max(axis=0)
    near = np.flatnonzero((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))
    px, py = x[near], y[near]
    hit = np.zeros(len(near), dtype=np.bool_)
    ends = np.roll(corners, -1, axis=0)
    for (x1, y1), (x2, y2) in zip(corners, ends, strict=True):
        if y1 == y2:
            continue
        crosses = (y1 > py) != (y2 > py)
        hit ^= crosses & (px < (x2 - x1) * (py - y1) / (y2 - y1) + x1)
    within[near] = hit
    return within


class Outline(QObject):
    """Tells what was drawn around: corners (M, 2) in data units, and whether Shift was held."""

    drawn = Signal(object, bool)


class SelectBox(pg.ViewBox):  # type: ignore[misc]
    """A view box whose left drag pans, or draws a rectangle or a lasso."""

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.tool = "pan"
        self.outline = Outline()
        self._corners: list[QPointF] = []
        self._shape = QGraphicsPathItem()
        self._shape.setZValue(1e9)
        self._shape.hide()
        self.addItem(self._shape, ignoreBounds=True)

    def set_outline_pen(self, line: QPen) -> None:
        """Draw the outline with this pen."""
        self._shape.setPen(line)

    def mouseDragEvent(self, ev: Any, axis: Any = None) -> None:
        """Draw an outline with the left button, unless the tool is panning."""
        if self.tool == "pan" or ev.button() != Qt.MouseButton.LeftButton:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        place = self.mapToView(ev.pos())
        if ev.isStart():
            self._corners = [self.mapToView(ev.buttonDownPos())]
        if self.tool == "lasso":
            self._corners.append(place)
        else:
            first = self._corners[0]
            self._corners = [
                first,
                QPointF(place.x(), first.y()),
                place,
                QPointF(first.x(), place.y()),
            ]
        self._shape.setPath(_closed(self._corners))
        self._shape.setVisible(not ev.isFinish())
        if ev.isFinish():
            corners = np.array([(p.x(), p.y()) for p in self._corners])
            held = bool(ev.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.outline.drawn.emit(corners, held)


def _closed(corners: list[QPointF]) -> QPainterPath:
    path = QPainterPath(corners[0])
    for corner in corners[1:]:
        path.lineTo(corner)
    path.closeSubpath()
    return path
