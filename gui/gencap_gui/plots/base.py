"""What all views share: head line, table twin, exports, empty state, theme, and a steady pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.plots._export import FORMATS, picture, save_csv, save_png, save_svg
from gencap_gui.plots._header import Header
from gencap_gui.plots._runs import shown_key
from gencap_gui.plots._table import FrameTable, frame_text
from gencap_gui.session import LivePoint, Results, RunKey, RunResult, Selection
from gencap_gui.theme import LIGHT, Theme

__all__ = ["PERIOD_MS", "PlotView"]

# Twenty updates a second: the eye sees motion, and the machine still has time to compute.
PERIOD_MS = 50
USUAL_SIZE = QSize(800, 500)
Key = Qt.Key


class PlotView(QWidget):
    """A picture of results with its table twin; it shows, asks, and holds nothing of record.

    New results, live points and selections are noted at once and drawn together at the next beat
    of the view's own timer, at most 20 times a second and only while the view is visible; `drawn`
    tells when. Subclasses build a canvas, draw on it, mark the selection, and give the table.
    """

    name: str = ""
    title: str = ""
    empty_text: ClassVar[str] = ""

    selectionRequested = Signal(object)
    detailRequested = Signal(object)
    drawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = Results()
        self._selection = Selection()
        self._theme = LIGHT
        self._live: dict[RunKey, list[LivePoint]] = {}
        self._data_stale = self._marks_stale = True
        self.n_updates = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.flush)
        self._since = QElapsedTimer()
        self.setObjectName(self.name)
        self.setAccessibleName(self.title)
        self.setAccessibleDescription(self.empty_text)
        self._header = Header(self.title)
        self._build_layout()
        self._header.tableToggled.connect(self._show_twin)
        self._header.fitRequested.connect(self.fit)
        self._header.copyRequested.connect(self._copy)
        self._header.saveRequested.connect(self._save_as)
        self.twin.rowChosen.connect(self._row_chosen)
        self.apply_theme(LIGHT)

    def _build_layout(self) -> None:
        self._empty = QLabel(self.empty_text)
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setContentsMargins(24, 24, 24, 24)
        self._empty.setAccessibleName(f"{self.title}: nothing to show yet")
        self.twin = FrameTable(f"Table: {self.title}")
        self._note = QLabel()
        self._note.setWordWrap(True)
        self._note.setContentsMargins(8, 0, 8, 2)
        self._note.setAccessibleName(f"Note: {self.title}")
        self._note.hide()
        self.canvas = self._build()
        self._add_controls(self._header)
        self._header.end_controls()
        self._stack = QStackedWidget()
        for page in (self._empty, self.canvas, self.twin):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(2)
        layout.addWidget(self._header)
        layout.addWidget(self._stack, 1)
        self._add_below(layout)
        layout.addWidget(self._note)

    # What subclasses give.

    def _build(self) -> QWidget:
        """Return the canvas, made once; exports show it."""
        return QWidget()

    def _add_controls(self, header: Header) -> None:
        """Add the view's own controls to the head line."""

    def _add_below(self, layout: QVBoxLayout) -> None:
        """Add controls that belong below the canvas."""

    def _draw(self) -> bool:
        """Draw results; return whether there is anything to show."""
        return False

    def _mark(self) -> None:
        """Show the selection on what is drawn."""

    def _recolor(self) -> None:
        """Take on the colors of the theme that `_draw` does not set."""

    def _hover(self) -> None:
        """Turn the newest place of the mouse into a request."""

    def _row_request(self, row: int) -> dict[str, Any] | None:
        """Return what choosing a row of the twin selects."""
        return None

    def _row_shown(self) -> int | None:
        """Return the row of the twin that shows the selection."""
        return None

    def fit(self) -> None:
        """Show everything."""

    def _key(self, key: int) -> bool:
        """Act on a key; return whether it meant anything."""
        return False

    def table(self) -> pd.DataFrame:
        """Return what is drawn, as a table."""
        return pd.DataFrame()

    # What the application calls.

    def show_results(self, results: Results) -> None:
        """Draw a new snapshot at the next beat."""
        self._results = results
        live: dict[RunKey, list[LivePoint]] = {}
        for key, run in results.runs.items():
            mine = () if run.finished else self._live.get(key, ())
            # A snapshot may be older than the last live points, and lighter: those that came one
            # by one carry labels.
            merged = {p.index: p for p in run.live} | {p.index: p for p in mine}
            live[key] = [merged[index] for index in sorted(merged)]
        self._live = live
        self._data_stale = True
        self._later()

    def append_live(self, step: LivePoint) -> None:
        """Extend the running plots by one temperature at the next beat."""
        points = self._live.setdefault(step.key, [])
        if step.index == 0:
            points.clear()  # the run began anew
        if points and step.index <= points[-1].index:
            return
        points.append(step)
        if self._shown_key() == step.key:
            self._data_stale = True
            self._later()

    def show_selection(self, selection: Selection) -> None:
        """Highlight at the next beat; another run or temperature may need other data."""
        old, self._selection = self._selection, selection
        if old.run != selection.run:
            self._data_stale = True
        self._marks_stale = True
        self._later()

    def apply_theme(self, theme: Theme) -> None:
        """Take on new colors."""
        self._theme = theme
        palette = self.palette()
        ground, ink = QColor(theme.background), QColor(theme.foreground)
        for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
            palette.setColor(role, ground)
        for role in (QPalette.ColorRole.AlternateBase, QPalette.ColorRole.Button):
            palette.setColor(role, QColor(theme.panel))
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
        ):
            palette.setColor(role, ink)
        palette.setColor(QPalette.ColorRole.Highlight, QColor(theme.accent))
        palette.setColor(QPalette.ColorRole.HighlightedText, ground)
        self.setPalette(palette)
        self.setAutoFillBackground(True)
        for label in (self._empty, self._note):
            label.setStyleSheet(f"color: {theme.muted}")
        self._header.recolor(theme)
        canvas = self.canvas.palette()
        canvas.setColor(QPalette.ColorRole.Window, ground)
        self.canvas.setPalette(canvas)
        self._recolor()
        self._data_stale = self._marks_stale = True
        self._later()

    def export(self, path: str | Path) -> None:
        """Write the picture (.png, .svg) or its table (.csv), by the suffix of `path`."""
        target = Path(path)
        kind = target.suffix.lower().lstrip(".")
        if kind not in FORMATS:
            raise ValueError(f"path must end in .png, .svg or .csv: got {target.name!r}")
        self.flush()
        if kind == "csv":
            save_csv(self.table(), target)
        elif kind == "png":
            save_png(self._pictured(), target)
        else:
            save_svg(self._pictured(), target, self.title, self._note.text())

    def _pictured(self) -> QWidget:
        """Return the page that a picture shows: the plot, even while its table is visible."""
        page = self._empty if self._is_empty else self.canvas
        if not page.isVisible():
            # Never shown, or behind its table: the size it would have, or a usual one.
            seen = self._stack.isVisible()
            page.resize(self._stack.size() if seen else self._stack.size().expandedTo(USUAL_SIZE))
        return page

    # The beat.

    def _later(self) -> None:
        if self._timer.isActive() or not self.isVisible():
            return
        passed = self._since.elapsed() if self._since.isValid() else PERIOD_MS
        self._timer.start(int(max(0, PERIOD_MS - passed)))

    def flush(self) -> None:
        """Draw now what has been waiting."""
        self._timer.stop()
        self._hover()
        fresh = self._data_stale
        if self._data_stale:
            self._data_stale = False
            self._note.setText("")
            self._is_empty = not self._draw()
            self._show_page()
            self._marks_stale = True
        if self._marks_stale:
            self._marks_stale = False
            if not self._is_empty:
                self._mark()
            self._fill_twin(fresh)
            self._note.setVisible(bool(self._note.text()))
        self._since.restart()
        self.n_updates += 1
        self.drawn.emit()

    _is_empty: bool = True

    def _show_page(self) -> None:
        if self._is_empty:
            page: QWidget = self._empty
        else:
            page = self.twin if self._header.twin.isChecked() else self.canvas
        if self._stack.currentWidget() is not page:
            self._stack.setCurrentWidget(page)

    def _show_twin(self, shown: bool) -> None:
        self.flush()
        self._show_page()
        if shown:
            self._fill_twin(True)

    def _fill_twin(self, fresh: bool) -> None:
        if not self._header.twin.isChecked() or self._is_empty:
            return
        if fresh or self._twin_follows_selection():
            self.twin.set_frame(self.table())
        self.twin.choose_row(self._row_shown())

    def _twin_follows_selection(self) -> bool:
        """Tell whether the table itself, not only the chosen row, depends on the selection."""
        return False

    def _say(self, text: str) -> None:
        """Add a sentence to the footnote."""
        before = self._note.text()
        self._note.setText(f"{before} {text}".strip() if text not in before else before)

    # What is shown.

    def _shown_key(self) -> RunKey | None:
        return shown_key(self._results, self._selection)

    def _shown_run(self) -> RunResult | None:
        key = self._shown_key()
        return None if key is None else self._results.runs[key]

    def _points(self) -> Sequence[LivePoint]:
        """Return the live points of the shown run."""
        key = self._shown_key()
        return () if key is None else self._live.get(key, ())

    # Requests.

    def _request(self, **changes: Any) -> None:
        wanted = replace(self._selection, **changes)
        if wanted != self._selection:
            self.selectionRequested.emit(wanted)

    def _row_chosen(self, row: int) -> None:
        changes = self._row_request(row)
        if changes is not None:
            self._request(**changes)

    # Exports from the menu.

    def _copy(self, what: str) -> None:
        self.flush()
        clipboard = QGuiApplication.clipboard()
        if what == "picture":
            clipboard.setImage(picture(self._pictured()))
        else:
            clipboard.setText(frame_text(self.table()))

    def _save_as(self, kind: str) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self, f"Save {self.title.lower()}", f"{self.name}.{kind}", FORMATS[kind]
        )
        if not chosen:
            return
        path = Path(chosen)
        try:
            self.export(
                path if path.suffix.lower() == f".{kind}" else path.with_name(f"{path.name}.{kind}")
            )
        except OSError as error:
            QMessageBox.warning(self, self.title, f"The file could not be written: {error}")

    # Events.

    def _watch_keys(self, widget: QWidget) -> None:
        """Let keys pressed on the canvas reach `_key`."""
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle keys: Escape clears the selection, 0 fits, the rest is the view's own."""
        if event.type() == QEvent.Type.KeyPress:
            key = event.key()  # type: ignore[attr-defined]
            if key == Key.Key_Escape:
                self.selectionRequested.emit(Selection(run=self._selection.run))
                return True
            if key == Key.Key_0:
                self.fit()
                return True
            if self._key(key):
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what changed while the view was hidden."""
        super().showEvent(event)
        if self._data_stale or self._marks_stale:
            self._later()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest while hidden."""
        self._timer.stop()
        super().hideEvent(event)

    def closeEvent(self, event: Any) -> None:
        """Leave no timer behind."""
        self._timer.stop()
        super().closeEvent(event)
