"""The session log: what was done and what came of it."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from gencap_gui.theme import LIGHT, Theme

__all__ = ["MOST_LINES", "LogPanel"]

MOST_LINES = 2000
MARKS = {"warning": "Warning: ", "error": "Error: "}


class LogPanel(QWidget):
    """Messages, newest last; the oldest go when there are too many."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = LIGHT
        # A list of wrapped items is laid out anew with every message; text is appended.
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(MOST_LINES)
        self.text.setAccessibleName("Session log")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)

    def add(self, level: str, text: str) -> None:
        """Append a message of level "info", "warning" or "error"."""
        stamp = datetime.now().strftime("%H:%M:%S")
        line = " ".join(f"{stamp}  {MARKS.get(level, '')}{text}".splitlines())
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if not self.text.document().isEmpty():
            cursor.insertBlock()
        cursor.insertText(line, self._format(level != "info"))
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def lines(self) -> list[str]:
        """Return the messages."""
        return self.text.toPlainText().splitlines()

    def apply_theme(self, theme: Theme) -> None:
        """Take on new colors."""
        self._theme = theme
        block = self.text.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            cursor.movePosition(
                QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor
            )
            loud = any(f"  {mark}" in block.text()[:24] for mark in MARKS.values())
            cursor.setCharFormat(self._format(loud))
            block = block.next()

    def _format(self, loud: bool) -> QTextCharFormat:
        style = QTextCharFormat()
        style.setForeground(QColor(self._theme.warning if loud else self._theme.foreground))
        return style
