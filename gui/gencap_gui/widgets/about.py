"""About: versions and what this program is."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from gencap_gui.versions import versions
from gencap_gui.widgets.fields import described, muted

__all__ = ["AboutDialog"]


class AboutDialog(QDialog):
    """Versions, ready to be copied into a report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About gencap")
        self.setMinimumWidth(420)
        found = versions()
        layout = QVBoxLayout(self)
        title = QLabel(f"gencap {found['gencap']}")
        title.setObjectName("heading")
        layout.addWidget(title)
        layout.addWidget(QLabel("How many bits of your clustering are real?"))
        self.text = "\n".join(f"{name}: {version}" for name, version in found.items())
        self.versions = muted(self.text)
        self.versions.setAccessibleName("Versions")
        layout.addWidget(self.versions)
        layout.addWidget(muted("MIT license."))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = described(QPushButton("Copy"), "Copy the versions", "For a report of a fault")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text))
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
