"""Cluster profiles: mean and spread of every cluster over the columns of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from gencap_gui.plots._axes import NamedAxis
from gencap_gui.plots._canvas import REACH, CanvasView, Panel, pen, translucent
from gencap_gui.plots._header import Entry, Header
from gencap_gui.theme import cluster_color

__all__ = ["ProfilesView"]

# More bands than this cover each other; then only the chosen cluster has one.
MOST_BANDS = 4
SPREADS = ("Spread: automatic", "Spread: all clusters", "Spread: none")


class ProfilesView(CanvasView):
    """Mean of each cluster over the conditions, with a band of one standard deviation."""

    name = "profiles"
    title = "Cluster profiles"
    empty_text = (
        "Cluster profiles appear here once a method has run: the mean of every cluster over the "
        "columns of the data, and how far its objects spread around it."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._frame = pd.DataFrame()
        self._items: dict[int, tuple[Any, Any, Any, Any]] = {}
        self._clusters: list[int] = []
        self._columns: list[str] = []
        self._mean = self._sd = np.zeros((0, 0))
        self._sizes: list[int] = []
        self._framed: tuple[Any, ...] = ()
        super().__init__(parent)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        self.names = NamedAxis("bottom", longest=14)
        self.panel = self._add_panel(Panel("Cluster means over columns", {"bottom": self.names}))
        self.panel.label(
            "columns of the data", "mean (units of the data)", short=("columns", "mean")
        )
        layout.addWidget(self.panel, 1)

    def _add_controls(self, header: Header) -> None:
        self.spread = QComboBox()
        self.spread.addItems(SPREADS)
        self.spread.setAccessibleName("Which clusters show their spread")
        self.spread.setToolTip(
            "Bands of one standard deviation. Automatic: all of up to four clusters, else the "
            "selected one"
        )
        self.spread.currentIndexChanged.connect(self._spread_chosen)
        header.add_control(self.spread)

    def _spread_chosen(self) -> None:
        self._marks_stale = True
        self._later()

    def _draw(self) -> bool:
        frame = self._results.profiles
        if frame is None or not len(frame):
            return False
        if frame is not self._frame:
            self._frame = frame
            self._arrange()
        x = np.arange(len(self._columns), dtype=np.float64)
        few = "o" if len(x) <= 40 else None
        for row, cluster in enumerate(self._clusters):
            line, low, high, _ = self._item(cluster)
            color = cluster_color(self._theme, cluster)
            line.setData(
                x, self._mean[row], symbol=few, symbolSize=6, symbolBrush=color, symbolPen=None
            )
            low.setData(x, self._mean[row] - self._sd[row])
            high.setData(x, self._mean[row] + self._sd[row])
        for cluster, items in self._items.items():
            for item in items:
                item.setVisible(cluster in self._clusters)
        framed = (self._shown_key(), tuple(self._columns), tuple(self._clusters))
        if framed != self._framed:
            self._framed = framed
            self.fit()
        return True

    def _arrange(self) -> None:
        """Lay the long table out as clusters by columns, both in order of appearance."""
        frame = self._frame
        self._clusters = [int(c) for c in pd.unique(frame["cluster"])]
        self._columns = [str(c) for c in pd.unique(frame["column"])]
        places = (
            pd.Categorical(frame["cluster"], pd.unique(frame["cluster"])).codes,
            pd.Categorical(frame["column"], pd.unique(frame["column"])).codes,
        )
        shape = (len(self._clusters), len(self._columns))
        self._mean, self._sd = np.full(shape, np.nan), np.full(shape, np.nan)
        self._mean[places] = frame["mean"].to_numpy(dtype=np.float64)
        self._sd[places] = np.nan_to_num(frame["sd"].to_numpy(dtype=np.float64))
        self._sizes = [int(n) for n in frame.groupby("cluster", sort=False)["n"].max()]
        self.names.set_names(self._columns)

    def _item(self, cluster: int) -> tuple[Any, Any, Any, Any]:
        if cluster not in self._items:
            line = pg.PlotDataItem(connect="finite")
            low, high = pg.PlotCurveItem(pen=None), pg.PlotCurveItem(pen=None)
            band = pg.FillBetweenItem(low, high)
            for item in (band, low, high, line):
                self.panel.addItem(item)
            self._items[cluster] = (line, low, high, band)
        return self._items[cluster]

    def fit(self) -> None:
        """Show all columns and bands."""
        if not self._mean.size:
            return
        low, high = np.nanmin(self._mean - self._sd), np.nanmax(self._mean + self._sd)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        right = max(len(self._columns) - 0.7, 0.7)
        self.panel.setRange(xRange=(-0.3, right), yRange=(float(low), float(high)), padding=0.03)

    def _has_band(self, cluster: int) -> bool:
        choice = self.spread.currentIndex()
        if choice:
            return choice == 1
        chosen = self._selection.cluster
        return cluster == chosen if chosen is not None else len(self._clusters) <= MOST_BANDS

    def _mark(self) -> None:
        chosen, entries = self._selection.cluster, []
        self._note.setText("")
        for cluster, size in zip(self._clusters, self._sizes, strict=True):
            line, _, _, band = self._items[cluster]
            color = cluster_color(self._theme, cluster)
            near = chosen in (None, cluster)
            line.setPen(pen(color, 3.5 if chosen == cluster else 2.0))
            line.setOpacity(1.0 if near else 0.22)
            line.setZValue(10 if chosen == cluster else 5)
            band.setVisible(self._has_band(cluster))
            band.setBrush(pg.mkBrush(translucent(color, 0.18)))
            words = f"cluster {cluster + 1} ({size:,})"
            entries.append(Entry(color, words, f"cluster:{cluster}", strong=chosen == cluster))
        self.legend.set_entries(entries, self._theme.foreground)
        if not self.spread.currentIndex() and chosen is None and len(self._clusters) > MOST_BANDS:
            self._say("Select a cluster to see its spread.")
        else:
            self._say("Bands are one standard deviation of the objects.")

    def _nearest(self, x: float, y: float) -> tuple[int, int] | None:
        """Return row and column of the mean closest to a place."""
        if not self._mean.size:
            return None
        column = min(max(round(x), 0), len(self._columns) - 1)
        _, height = self.panel.pixel()
        # Between two columns a line is where its straight piece is.
        left = min(max(int(np.floor(x)), 0), len(self._columns) - 1)
        right = min(left + 1, len(self._columns) - 1)
        share = float(np.clip(x - left, 0.0, 1.0))
        at = (1 - share) * self._mean[:, left] + share * self._mean[:, right]
        distance = np.abs(at - y) / height
        if not np.isfinite(distance).any():
            return None
        row = int(np.nanargmin(distance))
        return (row, column) if distance[row] <= REACH else None

    def _hover_at(self, panel: Panel, x: float, y: float) -> None:
        found, words = self._nearest(x, y), ""
        if found is not None:
            row, column = found
            words = (
                f"cluster {self._clusters[row] + 1}, {self._columns[column]}: "
                f"{self._mean[row, column]:.4g} ± {self._sd[row, column]:.3g}"
            )
        if self.panel.toolTip() != words:
            self.panel.setToolTip(words)

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        found = self._nearest(x, y)
        cluster = None if found is None else self._clusters[found[0]]
        self._request(cluster=None if cluster == self._selection.cluster else cluster)

    def _key(self, key: int) -> bool:
        """Up and Down go through the clusters."""
        if key not in (Qt.Key.Key_Up, Qt.Key.Key_Down) or not self._clusters:
            return False
        move = 1 if key == Qt.Key.Key_Down else -1
        chosen = self._selection.cluster
        at = self._clusters.index(chosen) + move if chosen in self._clusters else 0
        self._request(cluster=self._clusters[at % len(self._clusters)])
        return True

    def table(self) -> pd.DataFrame:
        """Return mean, standard deviation and size, a row per cluster and column."""
        shown = self._frame.copy()
        if len(shown):
            shown["cluster"] = shown["cluster"] + 1
        return shown

    def _row_request(self, row: int) -> dict[str, Any]:
        return {"cluster": int(self._frame["cluster"].iloc[row])}

    def _row_shown(self) -> int | None:
        if self._selection.cluster is None or not len(self._frame):
            return None
        rows = np.flatnonzero((self._frame["cluster"] == self._selection.cluster).to_numpy())
        current = self.twin.chosen_row()
        if current is not None and current in rows:
            return current
        return int(rows[0]) if len(rows) else None
