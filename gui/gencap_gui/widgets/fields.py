"""Small parts that panels are made of; every control explains itself."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

__all__ = ["Section", "described", "muted", "quiet"]

W = TypeVar("W", bound=QWidget)


def described(widget: W, name: str, tip: str) -> W:
    """Give a control its accessible name and its explanation."""
    widget.setAccessibleName(name)
    widget.setAccessibleDescription(tip)
    # Rich text makes Qt wrap long explanations.
    widget.setToolTip(f"<qt>{tip}</qt>")
    if isinstance(widget, QAbstractSpinBox | QComboBox):
        # The longest entry must not make the whole panel wide.
        widget.setMinimumWidth(64)
    return widget


def muted(text: str, name: str = "muted") -> QLabel:
    """Return a label for secondary text that wraps."""
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    return label


class quiet:
    """A ``with`` block in which widgets change without telling anybody."""

    def __init__(self, *widgets: QWidget) -> None:
        self._widgets = widgets
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before = [widget.blockSignals(True) for widget in self._widgets]

    def __exit__(self, *_: object) -> None:
        for widget, before in zip(self._widgets, self._before, strict=True):
            widget.blockSignals(before)


class Section(QWidget):
    """A heading that folds its content away."""

    toggled = Signal(bool)

    def __init__(self, title: str, content: QWidget, *, is_open: bool = True) -> None:
        super().__init__()
        self.button = QToolButton()
        self.button.setObjectName("section")
        self.button.setText(title)
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        described(self.button, f"{title}: show or hide", f"Show or hide “{title}”")
        self.content = content
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.button)
        layout.addWidget(content)
        self.button.toggled.connect(self._toggle)
        self.button.setChecked(is_open)
        self._toggle(is_open)

    def _toggle(self, shown: bool) -> None:
        arrow = Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)
        self.content.setVisible(shown)
        self.toggled.emit(shown)
