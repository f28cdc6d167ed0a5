"""The command palette: type a few letters, press Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

__all__ = ["CommandPalette", "PaletteEntry", "matches"]


@dataclass(frozen=True)
class PaletteEntry:
    """Something that can be done: its words, a shortcut to show, and what to call."""

    title: str
    shortcut: str
    call: Callable[[], object]


def matches(query: str, title: str) -> bool:
    """Whether every word of the query begins, or lies in, the title.

    Examples
    --------
    >>> matches("exp scr", "Export as Python script"), matches("xyz", "Export")
    (True, False)
    """
    words = title.lower()
    return all(part in words for part in query.lower().split())


class CommandPalette(QDialog):
    """A search box over all commands."""

    def __init__(self, entries: Sequence[PaletteEntry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries = list(entries)
        self.setWindowTitle("Command palette")
        self.setAccessibleName("Command palette")
        self.resize(520, 380)
        layout = QVBoxLayout(self)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Type a command …")
        self.search.setAccessibleName("Search for a command")
        self.list = QListWidget()
        self.list.setAccessibleName("Commands found")
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list.itemActivated.connect(lambda _: self._choose())
        self._filter("")

    def _filter(self, query: str) -> None:
        self.list.clear()
        found = [entry for entry in self._entries if matches(query, entry.title)]
        start = query.lower().strip()
        found.sort(key=lambda entry: not entry.title.lower().startswith(start))
        for entry in found:
            text = f"{entry.title}    {entry.shortcut}" if entry.shortcut else entry.title
            item = QListWidgetItem(text)
            item.setData(Qt.ItemDataRole.UserRole, self._entries.index(entry))
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let arrows and Enter in the search box act on the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose()
                return True
        return super().eventFilter(watched, event)

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        entry = self._entries[item.data(Qt.ItemDataRole.UserRole)]
        self.accept()
        entry.call()
