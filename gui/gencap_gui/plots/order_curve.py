"""Capacity against the number of clusters, for all methods and measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gencap_gui.methods import title_of
from gencap_gui.plots._axes import CountAxis
from gencap_gui.plots._canvas import REACH, CanvasView, Panel, pen
from gencap_gui.plots._header import Entry
from gencap_gui.plots._runs import run_words
from gencap_gui.session import RunKey
from gencap_gui.theme import cluster_color

__all__ = ["OrderCurveView"]

# Shapes beside colors: lines stay apart in gray print as well.
SYMBOLS = ("o", "t1", "s", "d", "t", "p", "h", "star", "+", "x")
GLYPHS = ("●", "▲", "■", "◆", "▼", "⬟", "⬢", "★", "+", "×")
DODGE = 0.05
Candidate = tuple[str, str]


class OrderCurveView(CanvasView):
    """GC against K, one line per method and measure, error bars over splits of the data."""

    name = "order-curve"
    title = "Capacity by number of clusters"
    empty_text = (
        "Capacity against the number of clusters appears here, one line per method and measure, "
        "as soon as the first run has ended. Where a line stops rising, further clusters add "
        "nothing reliable."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._lines: dict[Candidate, tuple[Any, Any]] = {}
        self._frame = pd.DataFrame()
        self._shown_x = np.zeros(0)
        self._framed: tuple[Any, ...] = ()
        super().__init__(parent)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        axes = {"bottom": CountAxis("bottom")}
        self.panel = self._add_panel(Panel("Capacity against the number of clusters", axes))
        self.panel.label(
            "number of clusters K", "capacity (bits per object)", short=("", "bits per object")
        )
        layout.addWidget(self.panel, 1)
        self.ring = pg.ScatterPlotItem(symbol="o", size=18, brush=None)
        self.tip = pg.TextItem(anchor=(0.5, 1.4))
        for depth, item in enumerate((self.ring, self.tip)):
            item.setZValue(80 + depth)
            self.panel.addItem(item, ignoreBounds=True)

    def _recolor(self) -> None:
        super()._recolor()
        self.ring.setPen(pen(self._theme.foreground, 2.2))
        self.tip.setColor(self._theme.foreground)

    def _draw(self) -> bool:
        frame = self._results.order
        if frame is None or not len(frame):
            return False
        self._frame = frame.reset_index(drop=True)
        self._shown_x = np.zeros(len(frame))
        groups = self._candidates()
        for number, (candidate, rows) in enumerate(groups.items()):
            self._draw_line(number, len(groups), candidate, rows)
        for candidate, items in self._lines.items():
            for item in items:
                item.setVisible(candidate in groups)
        self._follow()
        if "optimistic" in self._frame and self._frame["optimistic"].astype(bool).any():
            self._say("Some objects were paired by proximity, which inflates the bits.")
        return True

    def _candidates(self) -> dict[Candidate, list[int]]:
        """Return the rows of every method and measure, by rising K."""
        groups: dict[Candidate, list[int]] = {}
        order = np.argsort(self._frame["n_clusters"].to_numpy(), kind="stable")
        pairs = list(zip(self._frame["model"], self._frame["measure"], strict=True))
        for pair in pairs:
            groups.setdefault((str(pair[0]), str(pair[1])), [])
        for row in order:
            groups[(str(pairs[row][0]), str(pairs[row][1]))].append(int(row))
        return groups

    def _draw_line(self, number: int, count: int, candidate: Candidate, rows: list[int]) -> None:
        line, bars = self._items(candidate)
        x = self._frame["n_clusters"].to_numpy(dtype=np.float64)[rows]
        # Side by side by a hair, so that error bars do not hide each other.
        x = x + DODGE * (number - (count - 1) / 2)
        bits = self._frame["bits"].to_numpy(dtype=np.float64)[rows]
        spread = self._frame["bits_sd"].to_numpy(dtype=np.float64)[rows]
        known = np.isfinite(spread)
        self._shown_x[rows] = x
        color = cluster_color(self._theme, number)
        line.setData(
            x,
            bits,
            pen=pen(color, 2.2),
            symbol=SYMBOLS[number % len(SYMBOLS)],
            symbolSize=9,
            symbolPen=pen(self._theme.background, 0.8),
            symbolBrush=color,
        )
        bars.setData(
            x=x[known], y=bits[known], height=2.0 * spread[known], beam=0.09, pen=pen(color, 1.4)
        )

    def _items(self, candidate: Candidate) -> tuple[Any, Any]:
        if candidate not in self._lines:
            bars, line = pg.ErrorBarItem(), pg.PlotDataItem()
            self.panel.addItem(bars)
            self.panel.addItem(line)
            self._lines[candidate] = (line, bars)
        return self._lines[candidate]

    def _follow(self) -> None:
        top = (self._frame["bits"] + self._frame["bits_sd"].fillna(0.0)).max()
        counts = self._frame["n_clusters"]
        framed = (int(counts.min()), int(counts.max()), float(top))
        if framed != self._framed:
            self._framed = framed
            self.fit()

    def fit(self) -> None:
        """Show every number of clusters, from zero bits."""
        if not self._framed:
            return
        low, high, top = self._framed
        top = 1.15 * max(top, 0.1)
        self.panel.setRange(xRange=(low - 0.5, high + 0.5), yRange=(-0.04 * top, top), padding=0)

    def _key_of(self, row: int) -> RunKey:
        line = self._frame.iloc[row]
        return RunKey(str(line["model"]), str(line["measure"]), int(line["n_clusters"]))

    def _row_shown(self) -> int | None:
        """Return the row of the shown run."""
        key = self._shown_key()
        if key is None or not len(self._frame):
            return None
        match = (
            (self._frame["model"] == key.model)
            & (self._frame["measure"] == key.measure)
            & (self._frame["n_clusters"] == key.n_clusters)
        ).to_numpy()
        return int(np.flatnonzero(match)[0]) if match.any() else None

    def _row_request(self, row: int) -> dict[str, Any]:
        return {"run": self._key_of(row), "step": None, "cluster": None}

    def _mark(self) -> None:
        row = self._row_shown()
        self.tip.setVisible(row is not None)
        if row is None:
            self.ring.setData([], [])
        else:
            x, bits = self._shown_x[row], float(self._frame["bits"].iloc[row])
            self.ring.setData([x], [bits])
            self.tip.setText(f"{bits:.2f}")
            self.tip.setPos(x, bits)
        shown = self._shown_key()
        entries = []
        for number, (candidate, rows) in enumerate(self._candidates().items()):
            best = rows[int(np.nanargmax(self._frame["bits"].to_numpy(dtype=np.float64)[rows]))]
            entries.append(
                Entry(
                    cluster_color(self._theme, number),
                    title_of(*candidate),
                    f"row:{best}",
                    strong=shown is not None and shown.candidate == candidate,
                    mark=GLYPHS[number % len(GLYPHS)],
                )
            )
        self.legend.set_entries(entries, self._theme.foreground)

    def _legend_chosen(self, target: str) -> None:
        self._request(**self._row_request(int(target.partition(":")[2])))

    def _row_at(self, x: float, y: float) -> int | None:
        if not len(self._frame):
            return None
        width, height = self.panel.pixel()
        bits = self._frame["bits"].to_numpy(dtype=np.float64)
        distance = np.hypot((self._shown_x - x) / width, (bits - y) / height)
        best = int(np.nanargmin(distance))
        return best if distance[best] <= REACH else None

    def _hover_at(self, panel: Panel, x: float, y: float) -> None:
        row = self._row_at(x, y)
        words = "" if row is None else self._describe(row)
        if self.panel.toolTip() != words:
            self.panel.setToolTip(words)

    def _describe(self, row: int) -> str:
        line = self._frame.iloc[row]
        spread = f" ± {line['bits_sd']:.3f}" if np.isfinite(line["bits_sd"]) else ""
        return f"{run_words(self._key_of(row))}: {line['bits']:.3f}{spread} bits per object"

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        row = self._row_at(x, y)
        if row is not None:
            self._request(**self._row_request(row))

    def _key(self, key: int) -> bool:
        """Left and Right go through the numbers of clusters, Up and Down through the methods."""
        row = self._row_shown()
        groups = list(self._candidates().values()) if len(self._frame) else []
        at = next((i for i, rows in enumerate(groups) if row in rows), None)
        if row is None or at is None:
            return False
        place = groups[at].index(row)
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            place += 1 if key == Qt.Key.Key_Right else -1
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            at = (at + (1 if key == Qt.Key.Key_Down else -1)) % len(groups)
        else:
            return False
        rows = groups[at]
        self._request(**self._row_request(rows[min(max(place, 0), len(rows) - 1)]))
        return True

    def table(self) -> pd.DataFrame:
        """Return one row per run, as prepared."""
        return self._frame
