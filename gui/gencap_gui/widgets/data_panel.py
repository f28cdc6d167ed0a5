"""Open data: drop a file, choose one, take a recent one, or a sample with one click."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.methods import SAMPLES
from gencap_gui.results import DataSummary
from gencap_gui.widgets.fields import described, muted

__all__ = ["ENDINGS", "DataPanel", "DropArea", "dropped_file"]

ENDINGS = (".csv", ".tsv", ".tab", ".txt", ".gz", ".npy", ".parquet", ".pq", ".xlsx", ".gencap")


def dropped_file(event: QDragEnterEvent | QDropEvent) -> str | None:
    """Return the file that is dragged, if it is one we can open."""
    urls = event.mimeData().urls() if event.mimeData().hasUrls() else []
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    if len(files) == 1 and Path(files[0]).suffix.lower() in ENDINGS:
        return files[0]
    return None


class DropArea(QFrame):
    """A place to drop a file on."""

    dropped = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("drop")
        self.setAcceptDrops(True)
        described(
            self,
            "Drop a data file here",
            "Drop a table here: objects in rows, measurements in columns (CSV, TSV, NPY, Parquet, "
            "XLSX), or a saved session",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        self.text = QLabel("Drop a table here")
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint = muted("CSV, TSV, NPY, Parquet or XLSX")
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self.text)
        layout.addWidget(hint)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Welcome a file that can be opened."""
        if dropped_file(event) is not None:
            event.acceptProposedAction()
            self._mark(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Forget it."""
        self._mark(False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open it."""
        self._mark(False)
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)

    def _mark(self, is_over: bool) -> None:
        self.setProperty("over", is_over)
        self.style().unpolish(self)
        self.style().polish(self)


class DataPanel(QWidget):
    """Asks for data and tells what is open."""

    openRequested = Signal()
    fileRequested = Signal(str)
    sampleRequested = Signal(str)
    optionsRequested = Signal()

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 8)
        self.summary = QLabel()
        self.summary.setWordWrap(True)
        self.summary.setAccessibleName("Open data")
        self.notes = muted("")
        self.drop = DropArea()
        self.drop.dropped.connect(self.fileRequested)
        layout.addWidget(self.summary)
        layout.addWidget(self.notes)
        layout.addWidget(self.drop)
        layout.addLayout(self._buttons())
        self.samples_label = muted("Or try a sample:")
        layout.addWidget(self.samples_label)
        layout.addLayout(self._samples())
        self.set_summary(None)

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.open_button = described(
            QPushButton("Open …"), "Open a data file", "Choose a table on this computer (Ctrl+O)"
        )
        self.open_button.clicked.connect(self.openRequested)
        self.recent_button = described(
            QPushButton("Recent"), "Open a recent file", "Files that were opened before"
        )
        self.recent_menu = QMenu(self.recent_button)
        self.recent_button.setMenu(self.recent_menu)
        self.options_button = described(
            QPushButton("Import …"),
            "Change import options",
            "Roles of the columns, missing values and transforms of the open file",
        )
        self.options_button.clicked.connect(self.optionsRequested)
        for button in (self.open_button, self.recent_button, self.options_button):
            row.addWidget(button)
        return row

    def _samples(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(4)
        self.sample_buttons: dict[str, QPushButton] = {}
        for place, sample in enumerate(SAMPLES.values()):
            button = QPushButton(sample.title)
            button.setObjectName("sample")
            described(button, f"Sample data: {sample.title}", sample.explanation)
            button.clicked.connect(lambda _=False, key=sample.key: self.sampleRequested.emit(key))
            self.sample_buttons[sample.key] = button
            grid.addWidget(button, place // 2, place % 2)
        return grid

    def set_recent(self, names: list[str]) -> None:
        """Show the recent files."""
        self.recent_menu.clear()
        for name in names:
            action = self.recent_menu.addAction(Path(name).name)
            action.setToolTip(name)
            action.triggered.connect(lambda _=False, path=name: self.fileRequested.emit(path))
        self.recent_button.setEnabled(bool(names))

    def set_summary(self, data: DataSummary | None, *, is_file: bool = False) -> None:
        """Tell what is open."""
        self.options_button.setEnabled(is_file)
        if data is None:
            self.summary.setText("No data yet")
            self.notes.hide()
            return
        self.summary.setText(
            f"<b>{_escaped(data.title)}</b><br>{data.n_objects:,} objects, "
            f"{data.n_columns:,} columns"
        )
        self.summary.setToolTip(f"<qt>{_escaped(data.description)}</qt>")
        self.notes.setText("\n".join(data.notes))
        self.notes.setVisible(bool(data.notes))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
