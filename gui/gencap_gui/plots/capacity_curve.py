"""The capacity curve J(beta) of a run, growing while it anneals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from gencap_gui.plots._axes import CountAxis, LogAxis, log10, spread_beyond
from gencap_gui.plots._canvas import (
    BETA_BRIEF,
    BETA_LABEL,
    Panel,
    TemperatureView,
    pen,
    translucent,
)
from gencap_gui.plots._header import Entry, Header
from gencap_gui.plots._runs import Series, run_words, series_of
from gencap_gui.theme import Theme

__all__ = ["CapacityCurveView"]


class CapacityCurveView(TemperatureView):
    """Bits per object against inverse temperature; the optimum marked, both terms on request.

    J = informativeness (entropy of the clusters) + stability (agreement of the two instances,
    at most 0), all in bits per object.
    """

    name = "capacity-curve"
    title = "Capacity curve"
    empty_text = (
        "The capacity curve appears here while a method anneals: how many bits per object both "
        "measurements confirm, from coarse clusters at the left to fine ones at the right. Its "
        "highest point is the capacity."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._series: Series | None = None
        super().__init__(parent)

    def _add_controls(self, header: Header) -> None:
        self.terms = QCheckBox("Both terms")
        self.terms.setToolTip(
            "Show what J is made of: informativeness (how much the clusters could tell) and "
            "stability (how much of it the two measurements take back)"
        )
        self.terms.setAccessibleName("Show informativeness and stability")
        self.terms.toggled.connect(self._terms_toggled)
        header.add_control(self.terms)

    def _fill_canvas(self, layout: QVBoxLayout) -> None:
        self.panel = Panel("Capacity J against inverse temperature", {"bottom": LogAxis("bottom")})
        self.counts = Panel(
            "Effective clusters against inverse temperature",
            {"bottom": LogAxis("bottom"), "left": CountAxis("left")},
        )
        self.panel.getPlotItem().hideAxis("bottom")
        self.panel.label("", "bits per object", short=("", "bits"))
        self.counts.label(BETA_LABEL, "clusters", short=(BETA_BRIEF, ""))
        self.counts.setXLink(self.panel)
        for panel in (self.panel, self.counts):
            panel.getPlotItem().getAxis("left").setWidth(64)
            self._add_panel(panel)
        layout.addWidget(self.panel, 5)
        layout.addWidget(self.counts, 2)
        self.zero = pg.InfiniteLine(angle=0, pos=0.0)
        self.panel.addItem(self.zero, ignoreBounds=True)
        self.entropy = self._line(self.panel)
        self.agreement = self._line(self.panel)
        self.curve = self._line(self.panel)
        self.count_line = self._line(self.counts)
        self.optimum = pg.ScatterPlotItem(size=12, symbol="o")
        self.optimum_text = pg.TextItem(anchor=(0.0, 1.1))
        for item in (self.optimum, self.optimum_text):
            item.setZValue(60)
            self.panel.addItem(item, ignoreBounds=True)
        for panel in (self.panel, self.counts):
            self._add_cursor(panel)
        self._window: tuple[float, float, float, float] | None = None

    @staticmethod
    def _line(panel: Panel) -> pg.PlotDataItem:
        item = pg.PlotDataItem(connect="finite")
        panel.addItem(item)
        return item

    def _recolor(self) -> None:
        super()._recolor()
        theme = self._theme
        self.zero.setPen(pen(theme.muted))
        for item, color, width, style in _lines(theme):
            getattr(self, item).setPen(pen(color, width, style))
        self.count_line.setPen(pen(theme.foreground, 1.6))
        self.optimum.setPen(pen(theme.background, 1.5))
        self.optimum.setBrush(theme.palette[0])
        self.optimum_text.setColor(theme.foreground)
        self.optimum_text.fill = pg.mkBrush(translucent(theme.background, 0.8))

    def _draw(self) -> bool:
        run = self._shown_run()
        self._series = None if run is None else series_of(run, self._points())
        if run is None:
            return False
        if self._series is None:
            return self._explain(run.finished, run.error)
        s = self._series
        self._beta = s.beta
        x = log10(s.beta)
        low, high = _height(s, self.terms.isChecked())
        symbol = "o" if len(s) == 1 else None
        self.curve.setData(x, spread_beyond(s.bits, low, high), symbol=symbol)
        self.entropy.setData(x, spread_beyond(s.entropy, low, high))
        self.agreement.setData(x, spread_beyond(s.agreement, low, high))
        for item in (self.entropy, self.agreement):
            item.setVisible(self.terms.isChecked())
        self.count_line.setData(x, s.n_clusters, symbol=symbol)
        self._draw_optimum(s)
        self._follow(x, low, high)
        self._say_what(s)
        return True

    def _explain(self, finished: bool, error: str) -> bool:
        """Say why there is no curve: not begun, failed, or a method without temperatures."""
        if error:
            self._say(f"This run failed: {error}")
        elif finished:
            self._say("This method has no temperature, and so no curve.")
        self._beta = np.zeros(0)
        return False

    def _draw_optimum(self, series: Series) -> None:
        run = self._shown_run()
        at = run.best_step if run is not None and run.best_step is not None else None
        if at is None and np.isfinite(series.bits).any():
            at = int(np.nanargmax(series.bits))
        if at is None or at >= len(series):
            self.optimum.setData([], [])
            self.optimum_text.setText("")
            return
        x, bits = float(log10(series.beta)[at]), float(series.bits[at])
        self.optimum.setData([x], [bits])
        best = max(bits, 0.0)
        sd = run.bits_sd if run is not None and series.final else float("nan")
        spread = f" ± {sd:.2f}" if np.isfinite(sd) else ""
        if run is not None and np.isfinite(run.bits):
            best = run.bits
        self.optimum_text.setText(f"{best:.2f}{spread} bits" + ("" if series.final else " so far"))
        self.optimum_text.setPos(x, bits)
        # Keep the words inside: to the left of a point in the right part of the plot.
        span = log10(series.beta[[0, -1]])
        right = x > span[0] + 0.6 * (span[1] - span[0])
        self.optimum_text.setAnchor((1.05, 1.1) if right else (-0.05, 1.1))

    def _follow(self, x: np.ndarray, low: float, high: float) -> None:
        """Grow the window with the data; leave it where the user has zoomed."""
        finite = x[np.isfinite(x)]
        if not len(finite):
            return
        left, right = float(finite.min()), float(finite.max())
        if right - left < 0.1:
            left, right = left - 0.5, right + 0.5
        window = (left, right, low, high)
        if window != self._window:
            self._window = window
            self.fit()

    def fit(self) -> None:
        """Show the whole curve; J has no lower bound, so the axis is cut below."""
        if self._window is None:
            return
        left, right, low, high = self._window
        self.panel.setRange(xRange=(left, right), yRange=(low, high), padding=0.02)
        top = float(np.nanmax(self._series.n_clusters, initial=1.0)) if self._series else 1.0
        self.counts.setYRange(0.4, 1.15 * top + 0.5, padding=0)

    def _say_what(self, series: Series) -> None:
        run = self._shown_run()
        if run is None:
            return
        if not series.final:
            self._say("Still running: the curve is provisional.")
        if run.plateau:
            self._say("The curve ends in a plateau: the two measurements never disagree.")
        if run.optimistic:
            self._say("Objects were paired by proximity, which inflates the bits.")

    def _mark(self) -> None:
        self._mark_step()
        key = self._shown_key()
        theme, entries = self._theme, []
        for item, color, _, _ in _lines(theme):
            if item == "curve" or self.terms.isChecked():
                words = {"curve": "capacity J", "entropy": "informativeness"}.get(item, "stability")
                entries.append(Entry(color, words, mark="▬"))
        if key is not None:
            entries[0] = Entry(entries[0].color, f"capacity J of {run_words(key)}", mark="▬")
        step = self._step()
        if step is not None and self._series is not None:
            s = self._series
            words = f"at β = {s.beta[step]:.4g}: {s.bits[step]:.3f} bits per object"
            entries.append(Entry(theme.accent, words, mark="│"))
        self.legend.set_entries(entries, theme.foreground)

    def _terms_toggled(self) -> None:
        self._data_stale = True
        self._later()

    def table(self) -> pd.DataFrame:
        """Return one row per temperature; bits and their two terms in bits per object."""
        s = self._series
        if s is None:
            return pd.DataFrame(columns=["beta", "bits", "entropy", "agreement", "n_clusters"])
        return pd.DataFrame(
            {
                "beta": s.beta,
                "bits": s.bits,
                "entropy": s.entropy,
                "agreement": s.agreement,
                "n_clusters": s.n_clusters,
            }
        )

    def _row_request(self, row: int) -> dict[str, int]:
        return {"step": row}

    def _row_shown(self) -> int | None:
        return self._step()


def _lines(theme: Theme) -> tuple[tuple[str, str, float, Qt.PenStyle], ...]:
    """Return attribute, color, width and style of the three lines."""
    return (
        ("curve", theme.palette[0], 3.0, Qt.PenStyle.SolidLine),
        ("entropy", theme.palette[2], 1.8, Qt.PenStyle.DotLine),
        ("agreement", theme.palette[5], 1.8, Qt.PenStyle.DashLine),
    )


def _height(series: Series, terms: bool) -> tuple[float, float]:
    """Return the shown heights; below zero a third of the height, with both terms all of it."""
    shown = np.concatenate([series.bits, series.entropy]) if terms else series.bits
    finite = shown[np.isfinite(shown)]
    high = 1.18 * max(0.1, float(finite.max(initial=0.0)))
    return (-high if terms else -0.3 * high), high
