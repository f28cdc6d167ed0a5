"""Where the application keeps its settings, autosaves and list of recent files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSettings, QStandardPaths

__all__ = ["Places"]


@dataclass(frozen=True)
class Places:
    """A folder for everything; tests use one of their own."""

    folder: Path

    @classmethod
    def standard(cls) -> Places:
        """Return the user's folder, or the one named by GENCAP_GUI_HOME."""
        named = os.environ.get("GENCAP_GUI_HOME")
        if named:
            return cls(Path(named))
        where = QStandardPaths.StandardLocation.AppDataLocation
        return cls(Path(QStandardPaths.writableLocation(where)))

    def settings(self) -> QSettings:
        """Return the remembered layout and choices."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return QSettings(str(self.folder / "settings.ini"), QSettings.Format.IniFormat)

    @property
    def autosaves(self) -> Path:
        """Folder of autosaves."""
        return self.folder / "autosave"

    @property
    def recent(self) -> Path:
        """File with the list of recent files."""
        return self.folder / "recent.json"
