"""Look at a file before it is opened: preview, roles of columns, missing values, transforms."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.settings import DataSource, ImportOptions
from gencap_gui.tasks.data import Preview
from gencap_gui.widgets.fields import described, muted

__all__ = ["ImportDialog"]

ROLES = {"feature": "Feature", "name": "Name", "label": "Known label", "ignore": "Ignore"}
MISSING = {
    "drop": "Leave out rows with gaps",
    "impute": "Fill with the column's median",
    "error": "Refuse the file",
}
TRANSFORMS = {
    "log": ("Logarithm, log2(1 + x)", "For counts and intensities that span orders of magnitude."),
    "zscore_columns": (
        "Standardize columns",
        "Every column gets mean 0 and variance 1, so that none outweighs the others by its unit.",
    ),
    "zscore_rows": (
        "Standardize rows",
        "Every object gets mean 0 and variance 1: shapes of profiles are compared, not levels.",
    ),
    "rank": (
        "Ranks within columns",
        "Values become ranks: robust against outliers, blind to distances.",
    ),
}
# Wide tables get one control for all columns instead of thousands.
MOST_ROLE_ROWS = 500
Index = QModelIndex | QPersistentModelIndex


class _PreviewModel(QAbstractTableModel):
    """The first rows of the file; only what is visible is turned into text."""

    def __init__(self, found: Preview) -> None:
        super().__init__()
        self._head = found.head

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._head)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._head.shape[1]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        value: Any = self._head.iat[index.row(), index.column()]
        if pd.isna(value):
            return "–"
        return f"{value:.5g}" if isinstance(value, float) else str(value)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return str(self._head.columns[section])
        return str(section + 1)


class ImportDialog(QDialog):
    """Asks how a file becomes numbers; `source()` is the answer."""

    def __init__(
        self, found: Preview, options: ImportOptions | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._found = found
        self._source = DataSource("file", found.path)
        self.setWindowTitle(f"Import {self._source.title}")
        self.resize(820, 600)
        layout = QVBoxLayout(self)
        layout.addWidget(QLabel(f"{found.n_rows:,} rows, {len(found.roles):,} columns"))
        self.table = QTableView()
        self._model = _PreviewModel(found)
        self.table.setModel(self._model)
        self.table.setAccessibleName("Preview of the file")
        layout.addWidget(self.table, 3)
        row = QHBoxLayout()
        row.addWidget(self._roles_part(), 3)
        row.addLayout(self._right_part(), 2)
        layout.addLayout(row, 4)
        self.outcome = muted("")
        self.outcome.setAccessibleName("What will be imported")
        layout.addWidget(self.outcome)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout.addWidget(self.buttons)
        self.set_options(options)

    def _roles_part(self) -> QGroupBox:
        group = QGroupBox("Columns")
        layout = QVBoxLayout(group)
        labels = list(self._found.roles)
        self.roles = QTableWidget(min(len(labels), MOST_ROLE_ROWS), 3)
        self.roles.setHorizontalHeaderLabels(["Column", "Role", "Gaps"])
        self.roles.setAccessibleName("Roles of the columns")
        self.roles.verticalHeader().hide()
        self.role_boxes: dict[str, QComboBox] = {}
        for row, label in enumerate(labels[:MOST_ROLE_ROWS]):
            item = QTableWidgetItem(label)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.roles.setItem(row, 0, item)
            box = described(
                QComboBox(),
                f"Role of column {label}",
                "Feature: a measurement. Name: what the object is called. Known label: a grouping "
                "to compare with. Ignore: left out.",
            )
            for key, words in ROLES.items():
                box.addItem(words, key)
            box.currentIndexChanged.connect(lambda _, label=label: self._role_changed(label))
            self.role_boxes[label] = box
            self.roles.setCellWidget(row, 1, box)
            gaps = self._found.gaps.get(label, 0)
            count = QTableWidgetItem(f"{gaps:,}" if gaps else "")
            count.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.roles.setItem(row, 2, count)
        self.roles.setColumnWidth(0, 190)
        self.roles.setColumnWidth(1, 130)
        self.roles.horizontalHeader().setStretchLastSection(True)
        layout.addWidget(self.roles)
        if len(labels) > MOST_ROLE_ROWS:
            rest = len(labels) - MOST_ROLE_ROWS
            layout.addWidget(muted(f"and {rest:,} more columns, used as they were guessed"))
        return group

    def _right_part(self) -> QVBoxLayout:
        column = QVBoxLayout()
        missing = QGroupBox("Missing values")
        inner = QVBoxLayout(missing)
        self.missing = described(
            QComboBox(),
            "What to do with missing values",
            "Clustering needs every number: rows with gaps are left out, or gaps are filled.",
        )
        for key, words in MISSING.items():
            self.missing.addItem(words, key)
        self.missing.currentIndexChanged.connect(lambda _: self._tell())
        cells = sum(self._found.gaps.values())
        text = (
            f"{cells:,} missing in {self._found.rows_with_gaps:,} rows" if cells else "None found"
        )
        inner.addWidget(muted(text))
        inner.addWidget(self.missing)
        column.addWidget(missing)
        transforms = QGroupBox("Transforms, from top to bottom")
        inner = QVBoxLayout(transforms)
        self.transforms: dict[str, QCheckBox] = {}
        for key, (words, tip) in TRANSFORMS.items():
            box = described(QCheckBox(words), words, tip)
            box.toggled.connect(lambda _: self._tell())
            self.transforms[key] = box
            inner.addWidget(box)
        if self._found.smallest <= -1:
            self.transforms["log"].setEnabled(False)
            self.transforms["log"].setToolTip("<qt>There are values of -1 and below.</qt>")
        column.addWidget(transforms)
        for note in self._found.notes:
            column.addWidget(muted(note))
        column.addStretch(1)
        return column

    def set_options(self, options: ImportOptions | None) -> None:
        """Show options; None shows what was guessed."""
        roles = dict(options.roles) if options is not None and options.roles else self._found.roles
        for label, box in self.role_boxes.items():
            box.setCurrentIndex(box.findData(roles.get(label, "ignore")))
        guess = "drop" if self._found.rows_with_gaps else "error"
        missing = guess if options is None else options.missing
        self.missing.setCurrentIndex(self.missing.findData(missing))
        chosen = () if options is None else options.transforms
        for key, tick in self.transforms.items():
            tick.setChecked(key in chosen)
        self._tell()

    def _role_changed(self, changed: str) -> None:
        role = self.role_boxes[changed].currentData()
        if role in ("name", "label"):
            # There is one column of names and one of known labels.
            for label, box in self.role_boxes.items():
                if label != changed and box.currentData() == role:
                    box.setCurrentIndex(box.findData("ignore"))
        self._tell()

    def roles_chosen(self) -> dict[str, str]:
        """Return the role of every column."""
        shown = {label: box.currentData() for label, box in self.role_boxes.items()}
        return {**self._found.roles, **shown}

    def options(self) -> ImportOptions:
        """Return the options as chosen."""
        transforms = tuple(key for key, box in self.transforms.items() if box.isChecked())
        return ImportOptions(
            cast(Any, tuple(self.roles_chosen().items())),
            self.missing.currentData(),
            cast(Any, transforms),
        )

    def source(self) -> DataSource:
        """Return what to open."""
        return DataSource("file", self._found.path, self.options())

    def _tell(self) -> None:
        if not hasattr(self, "buttons"):
            return
        features = sum(role == "feature" for role in self.roles_chosen().values())
        rows = self._found.n_rows
        dropped = self.missing.currentData() == "drop" and self._found.rows_with_gaps
        left = f", of which {self._found.rows_with_gaps:,} have gaps and are left out"
        self.outcome.setText(
            f"{features:,} feature{'' if features == 1 else 's'} of {rows:,} objects"
            f"{left if dropped else ''}"
            if features
            else "Make at least one column a feature."
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Open).setEnabled(features > 0)
