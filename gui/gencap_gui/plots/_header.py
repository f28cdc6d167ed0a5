"""The parts around a plot: its head line with twin and export, its legend, its footnote."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QColor, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.plots._export import FORMATS
from gencap_gui.theme import Theme

__all__ = ["Entry", "Header", "Legend", "mixed", "tool_button"]

MOST_ENTRIES = 16


def mixed(color: str, ground: str, share: float) -> str:
    """Return a color mixed with the ground it lies on."""
    pairs = zip(QColor(color).getRgb()[:3], QColor(ground).getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(share * c + (1 - share) * g) for c, g in pairs)).name()


def tool_button(text: str, tip: str, *, checkable: bool = False) -> QToolButton:
    """Return a text button that the keyboard reaches, with an accessible name."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(text)
    button.setAccessibleDescription(tip)
    button.setCheckable(checkable)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class Header(QWidget):
    """Title at the left; fit, table twin and export at the right; a view's controls below."""

    tableToggled = Signal(bool)
    fitRequested = Signal()
    copyRequested = Signal(str)
    saveRequested = Signal(str)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(title)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.fit = tool_button("Fit", "Show everything again after zooming (0)")
        self.fit.clicked.connect(self.fitRequested)
        self.twin = tool_button("Table", "Show the numbers behind the picture", checkable=True)
        self.twin.toggled.connect(self.tableToggled)
        self.export = tool_button("Export", "Copy or save the picture or its numbers")
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setMenu(self._menu())
        for button in (self.fit, self.twin, self.export):
            button.setAccessibleName(f"{button.text()}: {title}")
        top = QHBoxLayout()
        top.setContentsMargins(4, 0, 0, 0)
        top.addWidget(self.title, 1)
        for button in (self.fit, self.twin, self.export):
            top.addWidget(button)
        self._controls = QHBoxLayout()
        self._controls.setContentsMargins(4, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(top)
        layout.addLayout(self._controls)

    def add_control(self, widget: QWidget, stretch: int = 0) -> None:
        """Add a control of the view's own to the second line."""
        self._controls.addWidget(widget, stretch)

    def recolor(self, theme: Theme) -> None:
        """Keep fields and boxes visible: Fusion outlines them darker than a dark ground."""
        ground = mixed(theme.muted, theme.background, 0.3) if theme.dark else theme.background
        for kind in (QCheckBox, QLineEdit):
            for widget in self.findChildren(kind):
                palette = widget.palette()
                palette.setColor(QPalette.ColorRole.Base, QColor(ground))
                palette.setColor(QPalette.ColorRole.Text, QColor(theme.foreground))
                palette.setColor(QPalette.ColorRole.PlaceholderText, QColor(theme.foreground))
                widget.setPalette(palette)

    def end_controls(self) -> None:
        """Keep the controls together at the left."""
        if self._controls.count():
            self._controls.addStretch(1)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        entries = (
            ("Copy picture", lambda: self.copyRequested.emit("picture")),
            ("Copy table", lambda: self.copyRequested.emit("table")),
        )
        for text, slot in entries:
            action = QAction(text, menu)
            action.triggered.connect(slot)
            menu.addAction(action)
        menu.addSeparator()
        for suffix, words in FORMATS.items():
            action = QAction(f"Save as {words.split(' (')[0]}…", menu)
            action.setData(suffix)
            action.triggered.connect(lambda _=False, kind=suffix: self.saveRequested.emit(kind))
            menu.addAction(action)
        return menu


@dataclass(frozen=True)
class Entry:
    """One line of a legend: a colored mark, words, and what a click on it means ("" nothing)."""

    color: str
    text: str
    target: str = ""
    strong: bool = False
    mark: str = "●"


class Legend(QLabel):
    """A legend below the plot, where it covers no data; entries are links."""

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.setContentsMargins(8, 0, 8, 4)
        self.setMinimumWidth(40)
        self.linkActivated.connect(self.chosen)
        self.entries: tuple[Entry, ...] = ()
        self._ink = "#000000"

    def set_entries(self, entries: Sequence[Entry], ink: str) -> None:
        """Show other entries, words in the color `ink`; the last ones are counted, not shown."""
        if tuple(entries) == self.entries and ink == self._ink:
            return
        self.entries, self._ink = tuple(entries), ink
        words = [_markup(entry, ink) for entry in self.entries[:MOST_ENTRIES]]
        if len(self.entries) > MOST_ENTRIES:
            words.append(f'<span style="color:{ink}">{len(entries) - MOST_ENTRIES} more</span>')
        self.setText("&nbsp;&nbsp; ".join(words))
        self.setVisible(bool(words))


def _markup(entry: Entry, ink: str) -> str:
    # Names come from files: escaped, and spaces kept so that an entry never breaks in two.
    words = html.escape(entry.text).replace(" ", "&nbsp;").replace("-", "&#8209;")
    words = f"<b>{words}</b>" if entry.strong else words
    if entry.target:
        href = html.escape(entry.target, quote=True)
        words = f'<a href="{href}" style="color:{ink}; text-decoration:none">{words}</a>'
    else:
        words = f'<span style="color:{ink}">{words}</span>'
    return f'<span style="color:{entry.color}">{entry.mark}</span>&nbsp;{words}'
