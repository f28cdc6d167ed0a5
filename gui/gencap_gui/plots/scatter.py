"""The objects in the plane, colored by cluster, faint where doubtful, at any temperature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.plots._assignments import Assignment, assignment_at
from gencap_gui.plots._canvas import REACH, Panel, TemperatureView, pen, translucent
from gencap_gui.plots._drag import SelectBox, inside
from gencap_gui.plots._header import Entry, Header, tool_button
from gencap_gui.plots._runs import object_name, series_of
from gencap_gui.theme import cluster_color

__all__ = ["MOST_DRAWN", "ScatterView"]

# More points slow every frame down and only cover each other.
MOST_DRAWN = 10_000
# Opacity comes in steps, because points that share a brush are drawn much faster.
ALPHAS = (0.22, 0.5, 0.85)
MOST_RINGS = 3_000
TOOLS = {
    "pan": ("Move", "Drag to move, turn the wheel to zoom"),
    "rectangle": ("Rectangle", "Drag a rectangle around objects; Shift adds to the selection"),
    "lasso": ("Lasso", "Draw around objects; Shift adds to the selection"),
}


class ScatterView(TemperatureView):
    """Objects in the plane of the projection; color is the cluster, opacity the confidence."""

    name = "scatter"
    title = "Objects"
    empty_text = (
        "The objects appear here as points once data are open: placed by the two directions in "
        "which they vary most, colored by cluster as soon as a method runs."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._items: dict[tuple[int, int], Any] = {}
        self._assigned: Assignment | None = None
        self._kept: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._drawn_rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._row_of: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._assigned_for: tuple[Any, ...] = ()
        self._place: NDArray[np.float64] = np.zeros((0, 2))
        self._brushes: dict[tuple[int, int], QBrush] = {}
        self._fitted: Any = None
        self._wanted: tuple[Any, ...] = ()
        super().__init__(parent)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        self.box = SelectBox()
        self.box.outline.drawn.connect(self._outlined)
        self.panel = self._add_panel(Panel("Objects in the plane", view_box=self.box))
        layout.addWidget(self.panel, 1)
        self.rings = pg.ScatterPlotItem(symbol="o", size=12, brush=None)
        self.ring = pg.ScatterPlotItem(symbol="o", size=16, brush=None)
        self.tip = pg.TextItem(anchor=(-0.08, 1.0))
        for depth, item in enumerate((self.rings, self.ring, self.tip)):
            item.setZValue(80 + depth)
            self.panel.addItem(item, ignoreBounds=True)

    def _add_controls(self, header: Header) -> None:
        self.tool_buttons = QButtonGroup(self)
        for tool, (words, tip) in TOOLS.items():
            button = tool_button(words, tip, checkable=True)
            button.setChecked(tool == "pan")
            button.setProperty("tool", tool)
            self.tool_buttons.addButton(button)
            header.add_control(button)
        self.tool_buttons.buttonClicked.connect(lambda b: self.set_tool(str(b.property("tool"))))

    def _add_below(self, layout: QVBoxLayout) -> None:
        """Add the temperature slider."""
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Temperature of the annealing, coarse to fine")
        self.slider.setToolTip("Drag to see the clusters at every temperature, coarse to fine")
        self.slider.valueChanged.connect(self._slid)
        self.slider_text = QLabel()
        self.slider_text.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.slider_text.setMinimumWidth(
            self.slider_text.fontMetrics().horizontalAdvance("β = 0.00000, 100 clusters")
        )
        row.addWidget(QLabel("coarse"))
        row.addWidget(self.slider, 1)
        row.addWidget(QLabel("fine"))
        row.addWidget(self.slider_text)
        self.slider_row = QWidget()
        self.slider_row.setLayout(row)
        layout.addWidget(self.slider_row)

    def set_tool(self, tool: str) -> None:
        """Let the left drag "pan", or select by "rectangle" or "lasso"."""
        self.box.tool = tool
        for button in self.tool_buttons.buttons():
            button.setChecked(button.property("tool") == tool)

    def _recolor(self) -> None:
        super()._recolor()
        theme = self._theme
        self._brushes.clear()
        self._wanted = ()
        self.box.set_outline_pen(pen(theme.accent, 1.5, Qt.PenStyle.DashLine))
        self.rings.setPen(pen(theme.foreground, 1.6))
        self.ring.setPen(pen(theme.accent, 2.6))
        self.tip.setColor(theme.foreground)
        self.tip.fill = pg.mkBrush(translucent(theme.panel, 0.92))
        self.tip.border = pen(theme.muted)

    def _draw(self) -> bool:
        projection = self._results.projection
        if projection is None or not len(projection.coordinates):
            self.slider_row.hide()
            return False
        if projection.coordinates is not self._place:
            self._place = projection.coordinates
            count = len(self._place)
            self._kept = np.arange(count) if projection.kept is None else projection.kept
            self._row_of = np.full(int(self._kept.max(initial=-1)) + 1, -1, dtype=np.int64)
            self._row_of[self._kept] = np.arange(count)
            self._drawn_rows = drawn_rows(count)
            self._wanted = ()
        self._label_axes()
        self._set_slider()
        if self._fitted is not projection:
            self._fitted = projection
            self.fit()
        return True

    def _label_axes(self) -> None:
        projection = self._results.projection
        if projection is None:
            return
        words = "principal component" if projection.kind == "pca" else "embedding axis"
        share = [f" ({100 * e:.0f} % of variance)" for e in projection.explained[:2]]
        share += [""] * (2 - len(share))
        brief = tuple(f"axis {i + 1}{share[i].replace(' of variance', '')}" for i in range(2))
        self.panel.label(f"{words} 1{share[0]}", f"{words} 2{share[1]}", short=(brief[0], brief[1]))

    def fit(self) -> None:
        """Show all objects."""
        finite = self._place[np.isfinite(self._place).all(axis=1)]
        if len(finite):
            (x0, y0), (x1, y1) = finite.min(axis=0), finite.max(axis=0)
            self.panel.setRange(xRange=(x0, x1), yRange=(y0, y1), padding=0.05)

    def _set_slider(self) -> None:
        run = self._shown_run()
        series = None if run is None else series_of(run, self._points())
        self._beta = np.zeros(0) if series is None else series.beta
        self.slider_row.setVisible(len(self._beta) > 0)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(self._beta) - 1, 0))
        self.slider.blockSignals(False)

    def _slid(self, value: int) -> None:
        self._request(step=value)

    def _mark(self) -> None:
        self._note.setText("")
        self._assign()
        self._draw_points()
        self._mark_slider()
        self._mark_objects()
        self._mark_legend()

    def _assign(self) -> None:
        run, step = self._shown_run(), self._step()
        wanted = (run, step, len(self._points()))
        if wanted != self._assigned_for:
            self._assigned_for = wanted
            self._assigned = (
                None if run is None else assignment_at(run, self._points(), step, self._beta)
            )
        if self._assigned is not None:
            for sentence in self._assigned.notes:
                self._say(sentence)
            # Scrubbing needs probabilities; without them there is only one picture.
            self.slider.setEnabled(self._assigned.scrubs)
        if len(self._drawn_rows) < len(self._kept):
            self._say(
                f"{len(self._drawn_rows):,} of {len(self._kept):,} objects are drawn; "
                "the table has all of them."
            )
        n_objects = self._results.data.n_objects if self._results.data else len(self._kept)
        if n_objects > len(self._kept):
            self._say(f"The plane shows {len(self._kept):,} of {n_objects:,} objects.")

    def _draw_points(self) -> None:
        """Draw one item per cluster and step of opacity; each has a single shared brush."""
        labels, confidence = self._shown_labels()
        wanted = (id(self._place), id(labels), id(confidence), self._theme)
        if wanted != self._wanted:
            self._wanted = wanted
            # Kept alive so that the identities above stay theirs.
            self._held = (labels, confidence)
            self._set_points(labels, confidence)
        chosen = self._selection.cluster
        for (color, _), item in self._items.items():
            item.setOpacity(1.0 if chosen is None or chosen == color else 0.18)

    def _shown_labels(self) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        if self._assigned is None:
            return None, None
        return self._assigned.labels, self._assigned.confidence

    def _set_points(self, labels: NDArray[Any] | None, confidence: NDArray[Any] | None) -> None:
        rows = self._drawn_rows
        objects = self._kept[rows]
        place = self._place[rows]
        color = np.full(len(rows), -1) if labels is None else labels[objects].astype(np.int64)
        level = np.full(len(rows), len(ALPHAS) - 1)
        if confidence is not None:
            level = opacity_level(confidence[objects], labels)
        code = (color + 1) * len(ALPHAS) + level
        size = float(np.clip(9.0 - 1.5 * np.log10(max(len(rows), 1) / 300.0), 4.5, 9.0))
        used = set()
        for value in np.unique(code):
            key = (int(value) // len(ALPHAS) - 1, int(value) % len(ALPHAS))
            mine = code == value
            used.add(key)
            self._item(key).setData(
                x=place[mine, 0], y=place[mine, 1], brush=self._brush(key), pen=None, size=size
            )
        for key, item in self._items.items():
            item.setVisible(key in used)

    def _item(self, key: tuple[int, int]) -> Any:
        if key not in self._items:
            self._items[key] = pg.ScatterPlotItem(pen=None)
            self.panel.addItem(self._items[key], ignoreBounds=True)
        return self._items[key]

    def _brush(self, key: tuple[int, int]) -> QBrush:
        if key not in self._brushes:
            color, level = key
            name = self._theme.muted if color < 0 else cluster_color(self._theme, color)
            self._brushes[key] = QBrush(translucent(name, ALPHAS[level]))
        return self._brushes[key]

    def _mark_slider(self) -> None:
        step = self._step()
        if step is None:
            return
        self.slider.blockSignals(True)
        self.slider.setValue(step)
        self.slider.blockSignals(False)
        run = self._shown_run()
        series = None if run is None else series_of(run, self._points())
        if series is not None and step < len(series):
            count = series.n_clusters[step]
            words = f"β = {series.beta[step]:.4g}, {count:.3g} clusters"
            self.slider_text.setText(words)
            self.slider.setAccessibleDescription(words)

    def _mark_objects(self) -> None:
        rows = [r for o in sorted(self._selection.objects) if (r := self._row(o)) is not None]
        if len(rows) > MOST_RINGS:
            self._say(f"{len(rows):,} objects are selected; {MOST_RINGS:,} of them are ringed.")
        shown = self._place[rows[:MOST_RINGS]] if rows else np.zeros((0, 2))
        self.rings.setData(x=shown[:, 0], y=shown[:, 1])
        at = self._row(self._selection.hovered)
        self.tip.setVisible(at is not None)
        if at is None:
            self.ring.setData([], [])
            return
        x, y = self._place[at]
        self.ring.setData([x], [y])
        self.tip.setText(self._describe(int(self._kept[at])))
        (left, right), (low, high) = self.panel.box.viewRange()
        anchor = (1.08 if x > (left + right) / 2 else -0.08, 0.0 if y > (low + high) / 2 else 1.0)
        self.tip.setAnchor(anchor)
        self.tip.setPos(float(x), float(y))

    def _row(self, index: int | None) -> int | None:
        """Return the row of the projection that an object has."""
        if index is None or not 0 <= index < len(self._row_of):
            return None
        row = int(self._row_of[index])
        return None if row < 0 else row

    def _describe(self, index: int) -> str:
        words = object_name(self._results, index)
        labels, confidence = self._shown_labels()
        if labels is not None and index < len(labels):
            words += f"\ncluster {int(labels[index]) + 1}"
            if confidence is not None:
                words += f", {100 * float(confidence[index]):.0f} % sure"
        known = self._results.known
        if known is not None and 0 <= known[index] < len(self._results.known_names):
            words += f"\nknown: {self._results.known_names[known[index]]}"
        return words

    def _mark_legend(self) -> None:
        labels, _ = self._shown_labels()
        entries = []
        if labels is not None:
            numbers, counts = np.unique(labels, return_counts=True)
            for number, count in zip(numbers, counts, strict=True):
                entries.append(
                    Entry(
                        cluster_color(self._theme, int(number)),
                        f"cluster {int(number) + 1} ({count:,})",
                        f"cluster:{int(number)}",
                        strong=self._selection.cluster == number,
                    )
                )
        self.legend.set_entries(entries, self._theme.foreground)

    def _row_at(self, x: float, y: float) -> int | None:
        """Return the drawn point nearest to a place, as a row of the projection."""
        if not len(self._drawn_rows):
            return None
        width, height = self.panel.pixel()
        place = self._place[self._drawn_rows]
        distance = ((place[:, 0] - x) / width) ** 2 + ((place[:, 1] - y) / height) ** 2
        best = int(np.nanargmin(distance))
        return int(self._drawn_rows[best]) if distance[best] <= REACH**2 else None

    def _hover_at(self, panel: Panel, x: float, y: float) -> None:
        row = self._row_at(x, y)
        self._request(hovered=None if row is None else int(self._kept[row]))

    def _hover_gone(self) -> None:
        self._request(hovered=None)

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        """Select an object; its cluster on a double click; nothing where nothing is."""
        row = self._row_at(x, y)
        if row is None:
            self._request(objects=frozenset(), cluster=None)
            return
        index = int(self._kept[row])
        labels, _ = self._shown_labels()
        if event.double() and labels is not None:
            self._request(cluster=int(labels[index]))
            return
        more = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        chosen = self._selection.objects ^ {index} if more else frozenset({index})
        self._request(objects=chosen)

    def _outlined(self, corners: NDArray[np.float64], more: bool) -> None:
        """Select every object inside an outline, drawn or not."""
        within = inside(self._place[:, 0], self._place[:, 1], corners)
        found = frozenset(int(i) for i in self._kept[within])
        self._request(objects=self._selection.objects | found if more else found)

    def table(self) -> pd.DataFrame:
        """Return one row per object: all of them, also those not drawn."""
        objects = self._kept
        columns: dict[str, Any] = {
            "object": objects + 1,
            "name": [object_name(self._results, int(i)) for i in objects],
            "x": self._place[:, 0],
            "y": self._place[:, 1],
        }
        labels, confidence = self._shown_labels()
        if labels is not None:
            columns["cluster"] = labels[objects].astype(np.int64) + 1
        if confidence is not None:
            columns["confidence"] = confidence[objects].astype(np.float64)
        return pd.DataFrame(columns)

    def _twin_follows_selection(self) -> bool:
        return self._wanted != self._twin_of

    _twin_of: tuple[Any, ...] = ()

    def _fill_twin(self, fresh: bool) -> None:
        super()._fill_twin(fresh)
        if self._header.twin.isChecked():
            self._twin_of = self._wanted

    def _row_request(self, row: int) -> dict[str, Any]:
        return {"objects": frozenset({int(self._kept[row])})}

    def _row_shown(self) -> int | None:
        if len(self._selection.objects) != 1:
            return None
        return self._row(next(iter(self._selection.objects)))


def drawn_rows(count: int) -> NDArray[np.int64]:
    """Return which points are drawn: all, or a fixed random choice of `MOST_DRAWN`."""
    if count <= MOST_DRAWN:
        return np.arange(count, dtype=np.int64)
    return np.sort(np.random.default_rng(0).permutation(count)[:MOST_DRAWN]).astype(np.int64)


def opacity_level(confidence: NDArray[Any], labels: NDArray[Any] | None) -> NDArray[np.int64]:
    """Return the step of opacity: the most doubtful third, the middle, the surest.

    Guessing among C clusters is right with probability 1/C, which counts as no confidence.
    """
    count = 1 if labels is None else int(labels.max(initial=0)) + 1
    floor = 1.0 / max(count, 2)
    sure = np.clip((np.asarray(confidence, dtype=np.float64) - floor) / (1.0 - floor), 0.0, 1.0)
    return np.minimum((sure * len(ALPHAS)).astype(np.int64), len(ALPHAS) - 1)
