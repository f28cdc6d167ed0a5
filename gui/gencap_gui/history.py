"""The one record of the session: what was done, undone and can be done again; and its script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from gencap_gui.commands import (
    Command,
    OpenData,
    RunAnalysis,
    Select,
    SetAnnealing,
    SetClusters,
    SetInstances,
    SetModels,
    SetSeed,
)
from gencap_gui.session import Document
from gencap_gui.settings import Analysis

__all__ = ["Entry", "History", "export_script"]

# Beyond this many actions the oldest can no longer be undone (they stay in effect).
MOST_ENTRIES = 1000


@dataclass(frozen=True)
class Entry:
    """A command, the document before it, and when it was given (ISO 8601)."""

    command: Command
    before: Document
    time: str


class History:
    """Commands in order, with a position that undo and redo move.

    Examples
    --------
    >>> from gencap_gui.commands import SetSeed
    >>> history = History()
    >>> history.do(SetSeed(3))
    >>> history.document.seed, history.undo().words, history.document.seed
    (3, 'Seed: 3', 0)
    """

    def __init__(self, start: Document | None = None) -> None:
        self.start = Document() if start is None else start
        self.document = self.start
        self._entries: list[Entry] = []
        self._position = 0

    def do(self, command: Command, time: str | None = None) -> None:
        """Apply a command; commands that were undone before it are forgotten."""
        after = command.apply(self.document)
        if after == self.document and not isinstance(command, RunAnalysis):
            return
        before = self.document
        last = self._entries[self._position - 1] if self._position else None
        if last is not None and command.absorbs(last.command):
            before = last.before
            self._position -= 1
        stamp = datetime.now().isoformat(timespec="seconds") if time is None else time
        self._entries[self._position :] = [Entry(command, before, stamp)]
        self._position += 1
        self.document = after
        if len(self._entries) > MOST_ENTRIES:
            dropped = len(self._entries) - MOST_ENTRIES
            self._entries = self._entries[dropped:]
            self._position -= dropped
            self.start = self._entries[0].before

    def undo(self) -> Command:
        """Take back the last command and return it."""
        if not self.can_undo:
            raise IndexError("there is nothing to undo")
        self._position -= 1
        entry = self._entries[self._position]
        self.document = entry.command.undo(self.document, entry.before)
        return entry.command

    def redo(self) -> Command:
        """Give the command that was undone last again and return it."""
        if not self.can_redo:
            raise IndexError("there is nothing to redo")
        entry = self._entries[self._position]
        self.document = entry.command.apply(self.document)
        self._position += 1
        return entry.command

    @property
    def can_undo(self) -> bool:
        """Whether there is a command to take back."""
        return self._position > 0

    @property
    def can_redo(self) -> bool:
        """Whether a command was undone."""
        return self._position < len(self._entries)

    @property
    def next_undo(self) -> str:
        """What undo would take back, in words."""
        return self._entries[self._position - 1].command.words if self.can_undo else ""

    @property
    def next_redo(self) -> str:
        """What redo would give again, in words."""
        return self._entries[self._position].command.words if self.can_redo else ""

    @property
    def position(self) -> int:
        """How many of the entries are in effect."""
        return self._position

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, those undone at the end."""
        return tuple(self._entries)

    def commands(self) -> Iterator[Command]:
        """Yield the commands in effect."""
        for entry in self._entries[: self._position]:
            yield entry.command

    @classmethod
    def replay(
        cls, commands: Iterable[tuple[Command, str]], position: int, start: Document | None = None
    ) -> History:
        """Rebuild a record from saved commands; `position` of them are in effect."""
        history = cls(start)
        for command, time in commands:
            before = history.document
            history.document = command.apply(before)
            history._entries.append(Entry(command, before, time))
        history._position = len(history._entries)
        while history._position > max(0, position):
            history.undo()
        return history


def export_script(history: History, version: str) -> str:
    """Write the script that recomputes what is on the screen.

    Of every kind of setting, the last one given before the last Run counts; settings that were
    never touched have their defaults. Without a Run, the script loads the data only.
    """
    document = history.document
    if document.source is None:
        raise ValueError("there is nothing to export yet; open a file or a sample first")
    analysis = document.analysis
    shown = analysis or Analysis(
        document.source,
        document.instances,
        document.models,
        document.clusters,
        document.annealing,
        document.seed,
    )
    settings: list[Command] = [
        OpenData(shown.source),
        SetSeed(shown.seed),
        SetInstances(shown.instances),
        SetAnnealing(shown.annealing),
        SetModels(shown.models),
        SetClusters(shown.clusters),
    ]
    if analysis is not None:
        settings += [RunAnalysis(), Select(document.selection)]
    lines = [
        f'"""Exported by gencap {version}: recomputes what was on the screen."""',
        "",
        "import gencap",
        "import gencap.io",
        "import gencap.selection",
        "",
    ]
    for command in settings:
        written = command.script_lines()
        if written:
            lines += [f"# {command.words}", *written]
    return "\n".join(lines) + "\n"
