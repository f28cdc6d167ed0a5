"""Similarity ordered by cluster, and two solutions compared: who is together with whom."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from gencap_gui.plots._canvas import CanvasView, Panel, pen
from gencap_gui.plots._header import Entry, Header, mixed
from gencap_gui.plots._runs import object_name, run_words
from gencap_gui.session import CoClustering, MatrixWindow, OrderedMatrix, RunKey
from gencap_gui.theme import SEQUENCE, cluster_color

__all__ = ["MatrixView"]

KINDS = {"similarity": "Similarity", "coclustering": "Two solutions"}
# Names appear once a row is as high as its text.
LEGIBLE = 13.0
# A window of more rows than this has no more detail than the picture has pixels.
MOST_DETAIL = 2_000
SETTLED_MS = 200
Drawn = OrderedMatrix | CoClustering


class RowAxis(pg.AxisItem):  # type: ignore[misc]
    """Names of rows or columns, shown once zoomed in far enough to read each of them."""

    def __init__(self, orientation: str, name_at: Callable[[int], str]) -> None:
        super().__init__(orientation)
        self._name_at = name_at

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        """Return the middle of every row, or nothing where there is no room."""
        low, high = min(low, high), max(low, high)
        legible = LEGIBLE if self.orientation == "left" else 7.0 * LEGIBLE
        if high <= low or size / (high - low) < legible:
            return []
        return [(1.0, [n + 0.5 for n in range(math.floor(low), math.ceil(high))])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the names, cut to a length that fits."""
        names = [self._name_at(math.floor(v)) for v in values]
        return [n if len(n) <= 14 else n[:13] + "…" for n in names]


class MatrixView(CanvasView):
    """A square matrix of objects, ordered by cluster, with full detail on zoom."""

    name = "matrix"
    title = "Matrix"
    empty_text = (
        "The similarity of all objects, ordered by cluster, appears here once a method has run: "
        "clusters are bright squares along the diagonal. Two solutions can be compared in four "
        "colors."
    )
    compareRequested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._kind = "similarity"
        self._drawn: Drawn | None = None
        self._detail: Drawn | None = None
        self._fitted: Any = None
        self._asked: tuple[str, int, int] | None = None
        self._levels_of: OrderedMatrix | None = None
        self._ends = (0.0, 1.0)
        super().__init__(parent)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        axes = {side: RowAxis(side, self._name_at) for side in ("left", "bottom")}
        self.panel = self._add_panel(Panel("Matrix of objects, ordered by cluster", axes))
        self.panel.box.invertY(True)
        self.panel.box.setAspectLocked(True)
        self.panel.label(
            "objects, ordered by cluster",
            "objects, ordered by cluster",
            short=("objects", "objects"),
        )
        # Fixed, so that the picture does not jump when names appear.
        self.panel.getPlotItem().getAxis("left").setWidth(110)
        self.panel.getPlotItem().getAxis("bottom").setHeight(42)
        layout.addWidget(self.panel, 1)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.detail_image = pg.ImageItem(axisOrder="row-major")
        self.strip = pg.ImageItem(axisOrder="row-major")
        self.borders = pg.PlotCurveItem(connect="pairs")
        self.block = pg.PlotCurveItem()
        self.cross = [pg.InfiniteLine(angle=angle) for angle in (0, 90)]
        self.chosen = pg.ScatterPlotItem(symbol="t2", size=11)
        items = (self.image, self.detail_image, self.strip, self.borders, self.block, *self.cross)
        for depth, item in enumerate((*items, self.chosen)):
            item.setZValue(depth)
            self.panel.addItem(item, ignoreBounds=True)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLED_MS)
        self._settle.timeout.connect(self._ask_for_detail)
        self.panel.box.sigRangeChanged.connect(self._zoomed)

    def _add_controls(self, header: Header) -> None:
        self.kind_box = QComboBox()
        for kind, words in KINDS.items():
            self.kind_box.addItem(words, kind)
        self.kind_box.setAccessibleName("What the matrix shows")
        self.kind_box.setToolTip("Similarity of objects, or who is together in two solutions")
        self.kind_box.currentIndexChanged.connect(self._kind_chosen)
        self.other_box = QComboBox()
        self.other_box.setAccessibleName("Solution to compare with")
        self.other_box.setToolTip("The other solution of the comparison")
        self.other_box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.other_box.setMinimumContentsLength(16)
        self.other_box.activated.connect(self._other_chosen)
        header.add_control(self.kind_box)
        header.add_control(self.other_box)

    @property
    def kind(self) -> str:
        """What is drawn: "similarity" or "coclustering"."""
        return self._kind

    def set_kind(self, kind: str) -> None:
        """Draw "similarity" or "coclustering"."""
        self.kind_box.setCurrentIndex(list(KINDS).index(kind))

    def _kind_chosen(self) -> None:
        self._kind = str(self.kind_box.currentData())
        self._data_stale = True
        self._later()

    def _other_chosen(self, index: int) -> None:
        self.compareRequested.emit(self.other_box.itemData(index))

    def _recolor(self) -> None:
        super()._recolor()
        theme = self._theme
        self.panel.getPlotItem().showGrid(x=False, y=False)
        self.borders.setPen(pen(theme.background, 1.0))
        self.block.setPen(pen(theme.accent, 3.0))
        for line in self.cross:
            line.setPen(pen(theme.accent, 1.4))
        self.chosen.setPen(None)
        self.chosen.setBrush(theme.accent)

    def _draw(self) -> bool:
        self._fill_others()
        results = self._results
        if self._kind == "similarity":
            self._drawn, self._detail = results.similarity, results.similarity_window
        else:
            self._drawn, self._detail = results.coclustering, results.coclustering_window
        if self._drawn is None or not len(self._drawn.order):
            self._drawn = None
            return self._explain_absence()
        self._show_image(self.image, self._drawn, (0, self._total()))
        inside = self._detail is not None and self._detail.window is not None
        self.detail_image.setVisible(inside)
        if self._detail is not None and self._detail.window is not None:
            self._show_image(self.detail_image, self._detail, self._detail.window)
        self._show_clusters()
        if self._fitted != (self._kind, self._total()):
            self._fitted = (self._kind, self._total())
            self.fit()
        for side in ("left", "bottom"):
            axis = self.panel.getPlotItem().getAxis(side)
            axis.picture = None
            axis.update()
        self._say_detail()
        return True

    def _explain_absence(self) -> bool:
        """Keep the frame with its switch where the other kind of matrix exists."""
        other = self._results.coclustering or self._results.similarity
        if other is None:
            return False
        for item in (self.image, self.detail_image, self.strip):
            item.clear()
        self.borders.setData([], [])
        what = "second solution to compare with" if self._kind != "similarity" else "similarity"
        self._say(f"There is no {what} for this run yet.")
        return True

    def _fill_others(self) -> None:
        """List the finished runs, first of all the second measurement of the same run."""
        self.other_box.setVisible(self._kind == "coclustering")
        current = self._results.current
        keys: list[RunKey | None] = [None]
        keys += [k for k, run in self._results.runs.items() if run.finished and k != current]
        known = [self.other_box.itemData(i) for i in range(self.other_box.count())]
        if keys != known:
            self.other_box.clear()
            for key in keys:
                words = "second measurement" if key is None else run_words(key)
                self.other_box.addItem(words, key)
        if self._results.compared in keys:
            self.other_box.setCurrentIndex(keys.index(self._results.compared))

    def _total(self) -> int:
        """Return the number of objects in the full order."""
        if self._drawn is None:
            return 0
        return max(self._drawn.total, len(self._drawn.order))

    def _show_image(self, item: Any, drawn: Drawn, window: tuple[int, int]) -> None:
        start, stop = window
        if isinstance(drawn, CoClustering):
            item.setImage(drawn.codes, levels=(0, 4), lut=self._code_colors())
        else:
            item.setImage(drawn.matrix, levels=self._levels(), lut=_sequence())
        item.setRect(QRectF(start, start, stop - start, stop - start))

    def _levels(self) -> tuple[float, float]:
        """Return the similarities at the ends of the colors, for overview and detail alike.

        Single outliers would leave one color for all the rest: 2 % at each end go beyond.
        """
        if not isinstance(self._drawn, OrderedMatrix):
            return 0.0, 1.0
        if self._levels_of is not self._drawn:
            self._levels_of = self._drawn
            sample = self._drawn.matrix[:: max(1, len(self._drawn.order) // 300)]
            finite = sample[np.isfinite(sample)]
            ends = np.percentile(finite, (2.0, 98.0)) if finite.size else np.array([0.0, 1.0])
            low, high = float(ends[0]), float(ends[1])
            self._ends = (low, high) if high > low else (low - 0.5, high + 0.5)
        return self._ends

    def _code_names(self) -> tuple[str, str, str, str]:
        theme = self._theme
        apart = mixed(theme.muted, theme.background, 0.3)
        return apart, theme.palette[0], theme.palette[1], theme.foreground

    def _code_colors(self) -> NDArray[np.uint8]:
        return np.array([_rgb(name) for name in self._code_names()], dtype=np.uint8)

    def _row_labels(self) -> NDArray[np.int64] | None:
        """Return the cluster of every drawn row."""
        if isinstance(self._drawn, OrderedMatrix):
            return self._drawn.labels
        if self._drawn is None:
            return None
        run = self._results.runs.get(self._drawn.first)
        if run is None or run.labels is None:
            return None
        return run.labels[self._drawn.order]

    def _show_clusters(self) -> None:
        """Draw a strip in the clusters' colors at the left, and lines between clusters."""
        labels = self._row_labels()
        self.strip.setVisible(labels is not None)
        if labels is None:
            self.borders.setData([], [])
            return
        total = self._total()
        colors = [_rgb(cluster_color(self._theme, int(c))) for c in labels]
        self.strip.setImage(np.array(colors, dtype=np.uint8)[:, None, :], levels=(0, 255))
        width = 0.02 * total
        self.strip.setRect(QRectF(-1.5 * width, 0, width, total))
        edges = (np.flatnonzero(np.diff(labels)) + 1) * total / len(labels)
        ends = np.tile([0.0, total], len(edges))
        along = np.repeat(edges, 2)
        self.borders.setData(np.concatenate([ends, along]), np.concatenate([along, ends]))

    def fit(self) -> None:
        """Show the whole matrix."""
        total = self._total()
        if total:
            self.panel.setRange(QRectF(-0.03 * total, 0, 1.03 * total, total), padding=0.01)

    # Zoom.

    def _zoomed(self) -> None:
        if self.isVisible() and self._drawn is not None:
            self._settle.start()

    def _seen(self) -> tuple[int, int]:
        """Return the rows in sight, rows and columns together."""
        (left, right), (low, high) = self.panel.box.viewRange()
        start, stop = math.floor(min(left, low)), math.ceil(max(right, high))
        return max(start, 0), min(stop, self._total())

    def _ask_for_detail(self) -> None:
        if self._drawn is None or self._total() <= len(self._drawn.order):
            return
        start, stop = self._seen()
        if not 0 < stop - start <= MOST_DETAIL or (self._kind, start, stop) == self._asked:
            return
        have = self._detail.window if self._detail is not None else None
        if have is None or not (have[0] <= start and stop <= have[1]):
            self._asked = (self._kind, start, stop)
            self.detailRequested.emit(MatrixWindow(self._kind, start, stop))

    def _say_detail(self) -> None:
        if self._drawn is not None and self._total() > len(self._drawn.order):
            self._say(
                f"The overview shows {len(self._drawn.order):,} of {self._total():,} objects; "
                "zoom in for all of them."
            )

    # Places and objects.

    def _object_at(self, place: int) -> int | None:
        """Return the object in a place of the full order, as far as it is known."""
        drawn, detail = self._drawn, self._detail
        if drawn is None or not 0 <= place < self._total():
            return None
        if detail is not None and detail.window is not None:
            start, stop = detail.window
            if start <= place < stop:
                return int(detail.order[(place - start) * len(detail.order) // (stop - start)])
        return int(drawn.order[place * len(drawn.order) // self._total()])

    def _place_of(self, index: int) -> float | None:
        """Return the middle of an object's row."""
        drawn, detail = self._drawn, self._detail
        if drawn is None:
            return None
        for part in (detail, drawn):
            if part is None:
                continue
            rows = np.flatnonzero(part.order == index)
            if len(rows):
                start, stop = part.window or (0, self._total())
                if part is drawn:
                    start, stop = 0, self._total()
                return start + (float(rows[0]) + 0.5) * (stop - start) / len(part.order)
        return None

    def _name_at(self, place: int) -> str:
        index = self._object_at(place)
        return "" if index is None else object_name(self._results, index)

    def _value_at(self, row: int, column: int) -> str:
        drawn = self._drawn
        if drawn is None:
            return ""
        part, start, stop = drawn, 0, self._total()
        if self._detail is not None and self._detail.window is not None:
            low, high = self._detail.window
            if low <= row < high and low <= column < high:
                part, start, stop = self._detail, low, high
        scale = len(part.order) / (stop - start)
        at = int((row - start) * scale), int((column - start) * scale)
        if isinstance(part, CoClustering):
            return self._code_words()[int(part.codes[at])]
        return f"{float(part.matrix[at]):.4g}"

    def _code_words(self) -> tuple[str, str, str, str]:
        if not isinstance(self._drawn, CoClustering):
            return "", "", "", ""
        first = run_words(self._drawn.first)
        second = run_words(self._drawn.second)
        if first == second:
            first, second = "first measurement", "second measurement"
        return "apart in both", f"together in {first}", f"together in {second}", "together in both"

    def _mark(self) -> None:
        self._mark_block()
        place = None
        if self._selection.hovered is not None:
            place = self._place_of(self._selection.hovered)
        for line in self.cross:
            line.setVisible(place is not None)
            if place is not None:
                line.setPos(place)
        found = [self._place_of(o) for o in sorted(self._selection.objects)[:500]]
        places = [p for p in found if p is not None]
        self.chosen.setData([-0.002 * self._total()] * len(places), places)
        self._mark_legend()

    def _mark_block(self) -> None:
        """Frame the square of the selected cluster."""
        labels, chosen = self._row_labels(), self._selection.cluster
        if labels is None or chosen is None or not np.any(labels == chosen):
            self.block.setData([], [])
            return
        rows, scale = np.flatnonzero(labels == chosen), self._total() / len(labels)
        low, high = float(rows[0]) * scale, float(rows[-1] + 1) * scale
        self.block.setData([low, high, high, low, low], [low, low, high, high, low])

    def _mark_legend(self) -> None:
        ink = self._theme.foreground
        if self._drawn is None:
            self.legend.set_entries([], ink)
        elif isinstance(self._drawn, CoClustering):
            pairs = zip(self._code_names(), self._code_words(), strict=True)
            self.legend.set_entries([Entry(c, w, mark="■") for c, w in pairs], ink)
        else:
            low, high = self._levels()
            values = np.linspace(low, high, len(SEQUENCE))
            words = [f"{v:.3g}" for v in values]
            words[0] = f"{self._drawn.measure} similarity ≤ {words[0]}".strip()
            words[-1] = f"≥ {words[-1]}"
            pairs = zip(SEQUENCE, words, strict=True)
            self.legend.set_entries([Entry(c, w, mark="■") for c, w in pairs], ink)

    def _hover_at(self, panel: Panel, x: float, y: float) -> None:
        row, column = math.floor(y), math.floor(x)
        first, second = self._object_at(row), self._object_at(column)
        words = ""
        if first is not None and second is not None:
            names = object_name(self._results, first), object_name(self._results, second)
            words = f"{names[0]} × {names[1]}: {self._value_at(row, column)}"
        if self.panel.toolTip() != words:
            self.panel.setToolTip(words)
        self._request(hovered=first)

    def _hover_gone(self) -> None:
        self._request(hovered=None)

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        """Select the two objects of a cell; on a double click or on the strip, the cluster."""
        first = self._object_at(math.floor(y))
        second = self._object_at(math.floor(x))
        labels = self._row_labels()
        if first is not None and labels is not None and (event.double() or x < 0):
            row = math.floor(y) * len(labels) // self._total()
            self._request(cluster=int(labels[row]))
        elif first is not None and second is not None:
            self._request(objects=frozenset({first, second}))
        else:
            self._request(objects=frozenset(), cluster=None)

    def table(self) -> pd.DataFrame:
        """Return the drawn matrix: a row per object with its cluster, a column per object."""
        drawn = self._drawn
        if drawn is None:
            return pd.DataFrame(columns=["object", "name"])
        names = [object_name(self._results, int(i)) for i in drawn.order]
        head: dict[str, Any] = {"object": drawn.order + 1, "name": names}
        labels = self._row_labels()
        if labels is not None:
            head["cluster"] = labels + 1
        values = drawn.codes if isinstance(drawn, CoClustering) else drawn.matrix
        columns = names
        if len(set(names)) < len(names) or set(names) & set(head):
            columns = [f"{n} [{int(i) + 1}]" for n, i in zip(names, drawn.order, strict=True)]
        return pd.concat([pd.DataFrame(head), pd.DataFrame(values, columns=columns)], axis=1)

    def _row_request(self, row: int) -> dict[str, Any] | None:
        if self._drawn is None:
            return None
        return {"objects": frozenset({int(self._drawn.order[row])})}

    def _row_shown(self) -> int | None:
        if self._drawn is None or not self._selection.objects:
            return None
        rows = np.flatnonzero(np.isin(self._drawn.order, list(self._selection.objects)))
        return int(rows[0]) if len(rows) else None

    def hideEvent(self, event: Any) -> None:
        """Rest while hidden."""
        self._settle.stop()
        super().hideEvent(event)

    def closeEvent(self, event: Any) -> None:
        """Leave no timer behind."""
        self._settle.stop()
        super().closeEvent(event)


def _rgb(name: str) -> tuple[int, int, int]:
    color = QColor(name)
    return color.red(), color.green(), color.blue()


def _sequence() -> NDArray[np.uint8]:
    """Return 256 colors along the ramp of the theme."""
    stops = np.linspace(0.0, 1.0, len(SEQUENCE))
    table = np.array([_rgb(name) for name in SEQUENCE], dtype=np.float64)
    at = np.linspace(0.0, 1.0, 256)
    return np.stack([np.interp(at, stops, table[:, i]) for i in range(3)], axis=1).astype(np.uint8)
