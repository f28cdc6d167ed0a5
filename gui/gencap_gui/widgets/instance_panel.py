"""Choose how the two measurements of the same objects arise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.methods import MEASURES
from gencap_gui.settings import InstanceChoice
from gencap_gui.widgets.fields import described, muted, quiet

__all__ = ["InstancePanel"]

CHOICES = {
    "own": (
        "The sample's own two measurements",
        "Every object of this sample was measured twice: nothing needs to be split.",
    ),
    "interleave": (
        "Every other column",
        "Columns 1, 3, 5 … are the first measurement, columns 2, 4, 6 … the second. Good when "
        "neighboring columns measure similar things.",
    ),
    "random": (
        "Random halves of the columns",
        "The columns are dealt into two halves at random, several times; the bits are averaged "
        "and get an error bar.",
    ),
    "objects": (
        "Halves of the objects, aligned",
        "Half of the objects is matched one-to-one with the other half, each with a similar "
        "partner. For tables of few columns; the bits come out somewhat too high.",
    ),
    "second": (
        "A second file",
        "Another table with the same objects measured again, as in a repeated experiment.",
    ),
}


class InstancePanel(QWidget):
    """Emits `edited(InstanceChoice)`; `secondRequested` asks for the second file."""

    edited = Signal(object)
    secondRequested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice = InstanceChoice()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 8)
        self.intro = muted(
            "Bits are real where two measurements of the same objects agree. They come from:"
        )
        layout.addWidget(self.intro)
        self.group = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        for how, (title, tip) in CHOICES.items():
            button = described(QRadioButton(title), f"Instances: {title}", tip)
            self.buttons[how] = button
            self.group.addButton(button)
            layout.addWidget(button)
            button.clicked.connect(lambda _=False, how=how: self._chosen(how))
        layout.addLayout(self._options())
        self.warning = muted(
            "Pairing different objects by proximity makes the bits come out too high.", "warning"
        )
        layout.addWidget(self.warning)
        self.set_choice(InstanceChoice())

    def _options(self) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(20, 0, 0, 0)
        self.splits = described(
            QSpinBox(),
            "Number of random halves",
            "How often the columns are dealt anew. More give a surer mean and take longer.",
        )
        self.splits.setRange(1, 100)
        self.splits.valueChanged.connect(lambda n: self._change(n_splits=n))
        self.measure = described(
            QComboBox(),
            "Measure for matching objects",
            "By which measure partners are found for the objects",
        )
        for key in ("euclidean", "sqeuclidean", "cosine", "pearson"):
            self.measure.addItem(MEASURES[key].title, key)
        self.measure.activated.connect(lambda _: self._change(measure=self.measure.currentData()))
        self.second = described(
            QPushButton("Choose …"),
            "Choose the second file",
            "A table with the same objects in the same rows, measured again",
        )
        self.second.clicked.connect(self.secondRequested)
        form.addRow("Repeats", self.splits)
        form.addRow("Matched by", self.measure)
        form.addRow("Second file", self.second)
        self.form = form
        return form

    def set_choice(
        self, choice: InstanceChoice, *, has_own: bool = False, n_columns: int = 2
    ) -> None:
        """Show a choice; what the open data does not allow is switched off."""
        self._choice = choice
        for how, button in self.buttons.items():
            with quiet(button):
                button.setChecked(how == choice.how)
        self.buttons["own"].setVisible(has_own)
        for how in ("interleave", "random", "objects", "second"):
            self.buttons[how].setEnabled(not has_own)
        for how in ("interleave", "random"):
            self.buttons[how].setEnabled(not has_own and n_columns >= 2)
        with quiet(self.splits, self.measure):
            self.splits.setValue(choice.n_splits)
            self.measure.setCurrentIndex(max(0, self.measure.findData(choice.measure)))
        self.second.setText("Choose …" if choice.second is None else choice.second.title)
        self.form.setRowVisible(self.splits, choice.how == "random")
        self.form.setRowVisible(self.measure, choice.how == "objects")
        self.form.setRowVisible(self.second, choice.how == "second")
        self.warning.setVisible(choice.how == "objects")

    def _chosen(self, how: str) -> None:
        if how == "second" and self._choice.second is None:
            self.set_choice(self._choice)
            self.secondRequested.emit()
            return
        self._change(how=how)

    def _change(self, **values: Any) -> None:
        wanted = replace(self._choice, **values)
        if wanted != self._choice:
            self.edited.emit(wanted)
