"""The session log: what was done and what came of it."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gencap_gui.theme import LIGHT, Theme

__all__ = ["LogPanel"]

MOST_LINES = 2000
LEVEL = 256


class LogPanel(QWidget):
    """A list of messages, newest last."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        self.list = QListWidget()
        self.list.setAccessibleName("Session log")
        self.list.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list)

    def add(self, level: str, text: str) -> None:
        """Append a message of level "info", "warning" or "error"."""
        stamp = datetime.now().strftime("%H:%M:%S")
        mark = {"warning": "Warning: ", "error": "Error: "}.get(level, "")
        item = QListWidgetItem(f"{stamp}  {mark}{text}")
        item.setData(LEVEL, level)
        self._color(item)
        self.list.addItem(item)
        while self.list.count() > MOST_LINES:
            self.list.takeItem(0)
        self.list.scrollToBottom()

    def lines(self) -> list[str]:
        """Return the messages."""
        return [self.list.item(i).text() for i in range(self.list.count())]

    def apply_theme(self, theme: Theme) -> None:
        """Take on new colors."""
        self._theme = theme
        for i in range(self.list.count()):
            self._color(self.list.item(i))

    def _color(self, item: QListWidgetItem) -> None:
        calm = item.data(LEVEL) == "info"
        item.setForeground(QColor(self._theme.foreground if calm else self._theme.warning))
