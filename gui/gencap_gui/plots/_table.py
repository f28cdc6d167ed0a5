"""The table twin of a plot: a data frame that can be sorted, filtered and copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

__all__ = ["FrameModel", "FrameTable"]

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
# Fitting thousands of columns to their contents would take seconds.
MOST_FITTED = 40
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def cell_text(value: Any) -> str:
    """Return a value as a cell shows it; missing numbers are empty."""
    if value is None or value is pd.NA:
        return ""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.6g}"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return str(value)


def exact_text(value: Any) -> str:
    """Return a value as it is copied: every digit, no tabs or line breaks inside a cell."""
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else repr(float(value))
    return " ".join(cell_text(value).split())


class FrameModel(QAbstractTableModel):
    """A data frame in its own or a sorted order, whole or filtered; the frame is never changed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._frame = pd.DataFrame()
        self._columns: list[NDArray[Any]] = []
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._mask: NDArray[np.bool_] | None = None
        self._sorted: tuple[int, Qt.SortOrder] | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """The frame, in its own order."""
        return self._frame

    @property
    def rows(self) -> NDArray[np.int64]:
        """Which row of the frame each shown row is."""
        return self._rows

    def set_frame(self, frame: pd.DataFrame) -> None:
        """Show another frame, sorted as before where the columns are the same."""
        self.beginResetModel()
        if list(frame.columns) != list(self._frame.columns):
            self._sorted = None
        if self._mask is not None and len(self._mask) != len(frame):
            self._mask = None
        self._frame = frame
        # By place: names of columns come from files and may repeat.
        self._columns = [frame.iloc[:, i].to_numpy() for i in range(frame.shape[1])]
        self._arrange()
        self.endResetModel()

    def set_filter(self, mask: NDArray[np.bool_] | None) -> None:
        """Show only the rows where `mask` (one entry per row of the frame) holds."""
        self.beginResetModel()
        self._mask = mask
        self._arrange()
        self.endResetModel()

    def shown(self) -> pd.DataFrame:
        """Return the rows as shown: filtered and sorted."""
        return self._frame.iloc[self._rows]

    def place_of(self, row: int) -> int | None:
        """Return where a row of the frame is shown, or None where it is filtered out."""
        places = np.flatnonzero(self._rows == row)
        return int(places[0]) if len(places) else None

    def _arrange(self) -> None:
        rows = np.arange(len(self._frame), dtype=np.int64)
        if self._mask is not None:
            rows = rows[self._mask]
        if self._sorted is not None:
            column, order = self._sorted
            keys = pd.Series(self._columns[column][rows])
            if keys.dtype == object:
                keys = keys.map(lambda value: cell_text(value).casefold())
            ascending = order == Qt.SortOrder.AscendingOrder
            # Stable, and rows without a value last in both directions.
            rows = rows[keys.sort_values(ascending=ascending, kind="stable").index.to_numpy()]
        self._rows = rows

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 returns to the frame's own order."""
        self.layoutAboutToBeChanged.emit()
        inside = 0 <= column < len(self._columns)
        self._sorted = (column, order) if inside else None
        self._arrange()
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of shown rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def value(self, index: Index) -> Any:
        """Return the value behind a cell."""
        return self._columns[index.column()][self._rows[index.row()]]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return what a cell shows."""
        if not index.isValid():
            return None
        if role in (Role.DisplayRole, Role.ToolTipRole, Role.AccessibleTextRole):
            return cell_text(self.value(index))
        if role == Role.TextAlignmentRole:
            return RIGHT if self._columns[index.column()].dtype.kind in "iuf" else LEFT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """Return the name of a column, or the number of a row counted from 1."""
        if role != Role.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return str(self._frame.columns[section]).replace("_", " ")
        return str(section + 1)


class FrameTable(QTableView):
    """A sortable table of a data frame; Ctrl+C copies the selected cells with their headings."""

    rowChosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.frame_model = FrameModel(self)
        self.setModel(self.frame_model)
        self.setAccessibleName(name)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self._quiet = False
        self.selectionModel().currentRowChanged.connect(self._announce)

    def set_frame(self, frame: pd.DataFrame) -> None:
        """Show a frame; columns are fitted when their names change."""
        known = list(self.frame_model.frame.columns) == list(frame.columns)
        self.frame_model.set_frame(frame)
        if not known:
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            if frame.shape[1] <= MOST_FITTED:
                self.horizontalHeader().setResizeContentsPrecision(30)
                self.resizeColumnsToContents()

    def choose_row(self, row: int | None) -> None:
        """Highlight a row of the frame without announcing it; None clears."""
        place = None if row is None else self.frame_model.place_of(row)
        self._quiet = True
        if place is None:
            self.clearSelection()
            self.selectionModel().setCurrentIndex(
                QModelIndex(), QItemSelectionModel.SelectionFlag.NoUpdate
            )
        elif place != self.currentIndex().row() or not self.selectionModel().hasSelection():
            self.selectRow(place)
        self._quiet = False

    def chosen_row(self) -> int | None:
        """Return the highlighted row of the frame."""
        index = self.currentIndex()
        if not index.isValid() or not self.selectionModel().hasSelection():
            return None
        return int(self.frame_model.rows[index.row()])

    def selected_text(self) -> str:
        """Return the selected rows, or all of them, as tab-separated text with headings."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        shown = self.frame_model.shown()
        return frame_text(shown.iloc[chosen] if chosen else shown)

    def keyPressEvent(self, event: Any) -> None:
        """Copy on Ctrl+C; everything else as Qt does it."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
            event.accept()
            return
        super().keyPressEvent(event)

    def _announce(self, current: QModelIndex) -> None:
        if current.isValid() and not self._quiet:
            self.rowChosen.emit(int(self.frame_model.rows[current.row()]))


def frame_text(frame: pd.DataFrame) -> str:
    """Return a frame as tab-separated text, as spreadsheets paste it."""
    lines = ["\t".join(exact_text(name) for name in frame.columns)]
    columns = [frame.iloc[:, i].to_numpy() for i in range(frame.shape[1])]
    lines += ["\t".join(exact_text(c[i]) for c in columns) for i in range(len(frame))]
    return "\n".join(lines) + "\n"
