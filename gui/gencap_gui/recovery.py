"""Autosaves, and what was left behind by a program that did not end well.

Every running program has a folder of its own with a lock and its newest state. The folder goes
when the program ends cleanly; one whose owner is gone can be recovered.
"""

from __future__ import annotations

import json
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile

__all__ = ["Leftover", "RecentFiles", "Recovery"]

MOST_RECENT = 10


@dataclass(frozen=True)
class Leftover:
    """The last state of a program that did not end well, and when it was saved (seconds)."""

    path: Path
    saved_at: float


class Recovery:
    """The autosave folder of this program, and those of programs that crashed."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        self._own = folder / uuid.uuid4().hex
        self._lock: QLockFile | None = None

    @property
    def path(self) -> Path:
        """Where this program saves its state."""
        return self._own / "autosave.gencap"

    @property
    def has_begun(self) -> bool:
        """Whether states may be saved."""
        return self._lock is not None

    def begin(self) -> None:
        """Make the folder and mark it as in use."""
        self._own.mkdir(parents=True, exist_ok=True)
        lock = QLockFile(str(self._own / "lock"))
        # Only the death of its owner frees a lock, never its age.
        lock.setStaleLockTime(0)
        lock.tryLock(100)
        self._lock = lock

    def end(self) -> None:
        """Leave nothing behind: the program ends well."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None
        shutil.rmtree(self._own, ignore_errors=True)

    def leftovers(self) -> list[Leftover]:
        """Return what crashed programs left, newest first."""
        found = []
        for folder in self._root.glob("*/"):
            saved = folder / "autosave.gencap"
            if folder == self._own or not saved.is_file() or _in_use(folder):
                continue
            found.append(Leftover(saved, saved.stat().st_mtime))
        return sorted(found, key=lambda one: -one.saved_at)

    def discard(self, leftover: Leftover) -> None:
        """Forget a state for good."""
        folder = leftover.path.parent
        if folder.parent == self._root:
            shutil.rmtree(folder, ignore_errors=True)


def _in_use(folder: Path) -> bool:
    lock = QLockFile(str(folder / "lock"))
    lock.setStaleLockTime(0)
    if lock.tryLock(0):
        lock.unlock()
        return False
    return True


class RecentFiles:
    """Files opened lately, newest first, kept in a small JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self) -> list[str]:
        """Return the files that still exist."""
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        if not isinstance(found, list):
            return []
        names = [name for name in found if isinstance(name, str)]
        return [name for name in names[:MOST_RECENT] if Path(name).is_file()]

    def add(self, name: str) -> None:
        """Put a file first."""
        whole = str(Path(name).resolve())
        names = [whole, *(other for other in self.names() if other != whole)][:MOST_RECENT]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(names), encoding="utf-8")
        part.replace(self._path)

    def clear(self) -> None:
        """Forget them all."""
        self._path.unlink(missing_ok=True)
