"""The ranking of methods and measures, as bars and as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gencap_gui.methods import title_of
from gencap_gui.plots._axes import NamedAxis
from gencap_gui.plots._canvas import CanvasView, Panel, pen, translucent
from gencap_gui.plots._table import FrameTable
from gencap_gui.session import RunKey

__all__ = ["RankingView"]


class RankingView(CanvasView):
    """The best run of each candidate, most bits first: bars with spread, and the numbers."""

    name = "ranking"
    title = "Ranking"
    empty_text = (
        "The ranking of methods and measures appears here: which of them finds the most bits per "
        "object that both measurements confirm."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._frame = pd.DataFrame()
        self._framed: tuple[Any, ...] = ()
        super().__init__(parent)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        self.names = NamedAxis("left", longest=36)
        self.panel = self._add_panel(Panel("Bits per object by candidate", {"left": self.names}))
        self.panel.box.invertY(True)
        self.panel.box.setMouseEnabled(x=True, y=False)
        self.panel.label("capacity (bits per object)", "")
        self.bars = pg.BarGraphItem(x0=[], y=[], width=[], height=0.62)
        self.spread = pg.ErrorBarItem()
        self.panel.addItem(self.bars)
        self.panel.addItem(self.spread)
        self.numbers = FrameTable("Ranking as a table")
        self.numbers.rowChosen.connect(self._row_chosen)
        self.numbers.setMinimumHeight(4 * self.numbers.verticalHeader().defaultSectionSize())
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(self.panel)
        self.splitter.addWidget(self.numbers)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        layout.addWidget(self.splitter, 1)

    def _draw(self) -> bool:
        frame = self._results.ranking
        if frame is None or not len(frame):
            return False
        self._frame = frame.reset_index(drop=True)
        names = [
            title_of(str(m), str(s))
            for m, s in zip(self._frame["model"], self._frame["measure"], strict=True)
        ]
        self.names.set_names(names)
        longest = max(len(n) for n in names)
        self.names.setWidth(min(24 + 7 * min(longest, 36), 260))
        bits = self._bits()
        spread = self._frame["bits_sd"].to_numpy(dtype=np.float64)
        known = np.flatnonzero(np.isfinite(spread))
        self.spread.setData(
            x=bits[known],
            y=known.astype(np.float64),
            width=2.0 * spread[known],
            beam=0.2,
            pen=pen(self._theme.foreground, 1.4),
        )
        self.numbers.set_frame(self._frame)
        framed = (len(bits), float(np.max(bits + np.nan_to_num(spread))))
        if framed != self._framed:
            self._framed = framed
            self.fit()
        return True

    def _bits(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.asarray(np.nan_to_num(self._frame["bits"].to_numpy(dtype=np.float64)))

    def fit(self) -> None:
        """Show all bars from zero."""
        if self._framed:
            count, top = self._framed
            high = 1.08 * max(top, 0.1)
            self.panel.setRange(xRange=(0.0, high), yRange=(-0.6, count - 0.4), padding=0)

    def _mark(self) -> None:
        bits, chosen = self._bits(), self._row_shown()
        base = self._theme.palette[0]
        strong, weak = pg.mkBrush(base), pg.mkBrush(translucent(base, 0.45))
        brushes = [strong if chosen in (None, i) else weak for i in range(len(bits))]
        pens = [pen(self._theme.foreground if chosen == i else base, 1.6) for i in range(len(bits))]
        self.bars.setOpts(
            x0=np.zeros(len(bits)),
            y=np.arange(len(bits), dtype=np.float64),
            width=bits,
            height=0.62,
            brushes=brushes,
            pens=pens,
        )
        self.numbers.choose_row(chosen)

    def _key_of(self, row: int) -> RunKey:
        line = self._frame.iloc[row]
        return RunKey(str(line["model"]), str(line["measure"]), int(line["n_clusters"]))

    def _row_request(self, row: int) -> dict[str, Any]:
        return {"run": self._key_of(row), "step": None, "cluster": None}

    def _row_shown(self) -> int | None:
        """Return the row of the shown run's candidate."""
        key = self._shown_key()
        if key is None or not len(self._frame):
            return None
        same = (self._frame["model"] == key.model) & (self._frame["measure"] == key.measure)
        rows = np.flatnonzero(same.to_numpy())
        return int(rows[0]) if len(rows) else None

    def _click_at(self, panel: Panel, x: float, y: float, event: Any) -> None:
        row = round(y)
        if 0 <= row < len(self._frame) and abs(y - row) <= 0.4:
            self._request(**self._row_request(row))

    def _hover_at(self, panel: Panel, x: float, y: float) -> None:
        row, words = round(y), ""
        if 0 <= row < len(self._frame) and abs(y - row) <= 0.4:
            line = self._frame.iloc[row]
            spread = f" ± {line['bits_sd']:.3f}" if np.isfinite(line["bits_sd"]) else ""
            words = f"{line['bits']:.3f}{spread} bits per object, K = {line['n_clusters']}"
        if self.panel.toolTip() != words:
            self.panel.setToolTip(words)

    def _key(self, key: int) -> bool:
        """Up and Down go through the candidates."""
        row = self._row_shown()
        if row is None or key not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return False
        row += 1 if key == Qt.Key.Key_Down else -1
        if 0 <= row < len(self._frame):
            self._request(**self._row_request(row))
        return True

    def table(self) -> pd.DataFrame:
        """Return the ranking, as prepared."""
        return self._frame
