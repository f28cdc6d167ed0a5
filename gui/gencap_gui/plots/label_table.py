"""The label table: every object with its cluster and how sure that is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gencap_gui.plots._header import Header
from gencap_gui.plots._table import FrameTable
from gencap_gui.plots.base import PlotView
from gencap_gui.theme import LIGHT, Theme, cluster_color

__all__ = ["LabelTableView"]


class _CellDelegate(QStyledItemDelegate):
    """Draws confidence as a bar and puts the cluster's color beside its number."""

    theme: Theme = LIGHT
    table: FrameTable

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Write confidence in percent."""
        super().initStyleOption(option, index)
        model = self.table.frame_model
        if str(model.frame.columns[index.column()]) == "confidence":
            value = model.value(index)
            words = f"{100 * value:.0f} %" if np.isfinite(value) else ""
            option.text = words

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        model = self.table.frame_model
        column = str(model.frame.columns[index.column()])
        super().paint(painter, option, index)
        if column not in ("confidence", "cluster"):
            return
        value = model.value(index)
        rect = QRectF(option.rect)
        selected = option.state & QStyle.StateFlag.State_Selected
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if column == "cluster":
            painter.setBrush(QColor(cluster_color(self.theme, int(value) - 1)))
            side = min(rect.height() - 8.0, 12.0)
            painter.drawEllipse(QRectF(rect.left() + 6.0, rect.center().y() - side / 2, side, side))
        elif np.isfinite(value):
            shade = QColor(self.theme.background if selected else self.theme.accent)
            shade.setAlphaF(0.35)
            painter.setBrush(shade)
            share = float(np.clip(value, 0.0, 1.0))
            painter.drawRoundedRect(
                QRectF(
                    rect.left() + 2, rect.top() + 3, (rect.width() - 4) * share, rect.height() - 6
                ),
                2.0,
                2.0,
            )
        painter.restore()


class LabelTableView(PlotView):
    """Objects, clusters and confidence; search, sort, and select in all views."""

    name = "label-table"
    title = "Labels"
    empty_text = (
        "The table of labels appears here once a method has run: every object with its cluster, "
        "how sure that is, and the second choice."
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        self._frame = pd.DataFrame()
        self._words: list[str] = []
        self._filtered: tuple[Any, ...] = ()
        super().__init__(parent)
        # The view is a table already; there is nothing to zoom and no other twin.
        self._header.twin.hide()
        self._header.fit.hide()

    def _build(self) -> QWidget:
        self.rows = FrameTable("Objects with cluster and confidence")
        self.rows.rowChosen.connect(self._row_chosen)
        self.rows.setMouseTracking(True)
        self.rows.entered.connect(self._entered)
        self._delegate = _CellDelegate(self.rows)
        self._delegate.table = self.rows
        self.rows.setItemDelegate(self._delegate)
        self._watch_keys(self.rows)
        return self.rows

    def _add_controls(self, header: Header) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search names, clusters, known labels")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Search in the table of labels")
        self.search.textChanged.connect(self._searched)
        self.count = QLabel()
        self.count.setAccessibleName("Number of rows shown")
        self.only = QCheckBox("Selected only")
        self.only.setToolTip(
            "Show only the selected objects, or the objects of the selected cluster"
        )
        self.only.setAccessibleName("Show only selected objects")
        self.only.toggled.connect(self._searched)
        header.add_control(self.search, 1)
        header.add_control(self.only)
        header.add_control(self.count)

    def _recolor(self) -> None:
        self._delegate.theme = self._theme
        palette = self.rows.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(self._theme.background))
        palette.setColor(QPalette.ColorRole.AlternateBase, QColor(self._theme.panel))
        self.rows.setPalette(palette)
        self.rows.viewport().update()

    def _draw(self) -> bool:
        frame = self._results.labels
        if frame is None or not len(frame):
            return False
        if frame is not self._frame:
            self._frame = frame
            self.rows.set_frame(_for_people(frame))
            self._words = _search_text(frame)
            self._searched()
        return True

    def _searched(self) -> None:
        """Show only rows that contain the words searched for, or that are selected."""
        words = " ".join(self.search.text().casefold().split())
        mask = None
        if words:
            mask = np.array([words in text for text in self._words], dtype=np.bool_)
        if self.only.isChecked():
            mask = self._chosen() if mask is None else mask & self._chosen()
        self.rows.frame_model.set_filter(mask)
        shown, total = len(self.rows.frame_model.rows), len(self._words)
        self.count.setText(f"{total:,} objects" if mask is None else f"{shown:,} of {total:,}")
        self._marks_stale = True
        self._later()

    def _chosen(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which rows are selected, by object or by cluster."""
        if not len(self._frame):
            return np.zeros(0, dtype=np.bool_)
        if self._selection.objects:
            return np.isin(self._objects(), list(self._selection.objects))
        return np.asarray(self._clusters() == self._selection.cluster)

    def _mark(self) -> None:
        if self.only.isChecked() and self._filtered != self._criteria():
            self._filtered = self._criteria()
            self._searched()
            self._marks_stale = False
        self.rows.choose_row(self._row_shown())

    def _criteria(self) -> tuple[Any, ...]:
        return self._selection.objects, self._selection.cluster

    def _objects(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        return self._frame["object"].to_numpy(dtype=np.int64)

    def _clusters(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the clusters as selections number them, from 0; the table counts from 1."""
        return self._frame["cluster"].to_numpy(dtype=np.int64) - 1

    def _row_shown(self) -> int | None:
        """Return the row of the selected object, the hovered one, or the cluster's first."""
        chosen = self._selection
        if not len(self._frame):
            return None
        current = self.rows.chosen_row()
        if chosen.objects:
            wanted = np.isin(self._objects(), list(chosen.objects))
        elif chosen.hovered is not None:
            wanted = self._objects() == chosen.hovered
        elif chosen.cluster is not None:
            wanted = self._clusters() == chosen.cluster
        else:
            return None
        rows = np.flatnonzero(wanted)
        if current is not None and current in rows:
            return current
        visible = rows[np.isin(rows, self.rows.frame_model.rows)]
        return int(visible[0]) if len(visible) else None

    def _row_request(self, row: int) -> dict[str, Any]:
        return {"objects": frozenset({int(self._objects()[row])})}

    def _entered(self, index: QModelIndex) -> None:
        row = int(self.rows.frame_model.rows[index.row()])
        self._request(hovered=int(self._objects()[row]))

    def table(self) -> pd.DataFrame:
        """Return the rows as shown: searched and sorted."""
        return self.rows.frame_model.shown().reset_index(drop=True)


def _for_people(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with objects counted from 1, as its clusters are."""
    return frame.assign(object=frame["object"] + 1)


def _search_text(frame: pd.DataFrame) -> list[str]:
    """Return what the search looks at, one text per row."""
    names = [str(name).casefold() for name in frame["name"]]
    words = [f"{n} cluster {c}" for n, c in zip(names, frame["cluster"], strict=True)]
    if "known" in frame:
        words = [f"{w} {str(k).casefold()}" for w, k in zip(words, frame["known"], strict=True)]
    return words
