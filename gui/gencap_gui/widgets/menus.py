"""Menus, shortcuts and the command palette come from one list of actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from gencap_gui.methods import SAMPLES
from gencap_gui.widgets.palette import PaletteEntry

if TYPE_CHECKING:
    from gencap_gui.widgets.main_window import MainWindow

__all__ = ["Menus"]

PALETTE_KEYS = ("Ctrl+K", "Ctrl+Shift+P")
PREFIXES = {"sample": "Open sample: ", "view": "Show: ", "theme": "Colors: "}
THEMES = {"system": "Like the system", "light": "Light", "dark": "Dark"}


@dataclass(frozen=True)
class Spec:
    """One action: where it stands, what it is called, its shortcuts, what it does."""

    key: str
    menu: str
    title: str
    shortcuts: tuple[str, ...]
    call: Callable[[], object]


class Menus:
    """Builds the menu bar of a window and keeps its actions by key."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for title in ("&File", "&Edit", "&Run", "&View", "&Help"):
            self.menus[title.replace("&", "")] = window.menuBar().addMenu(title)
        for spec in self._specs():
            self._add(spec)
        self._add_samples()
        self._add_views()
        self._add_themes()
        self.set_state("idle", False)

    def _specs(self) -> list[Spec]:
        w = self.window
        return [
            Spec("open", "File", "Open data …", ("Ctrl+O",), w.ask_open),
            Spec("open_session", "File", "Open session …", ("Ctrl+Shift+O",), w.ask_open_session),
            Spec("save", "File", "Save session", ("Ctrl+S",), w.save_session),
            Spec("save_as", "File", "Save session as …", ("Ctrl+Shift+S",), w.save_session_as),
            Spec("script", "File", "Export as Python script …", ("Ctrl+E",), w.ask_export_script),
            Spec("quit", "File", "Quit", ("Ctrl+Q",), w.close),
            Spec("undo", "Edit", "Undo", ("Ctrl+Z",), w.controller.undo),
            Spec("redo", "Edit", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), w.controller.redo),
            Spec("deselect", "Edit", "Clear selection", ("Ctrl+D",), w.clear_selection),
            Spec("import", "Edit", "Import options …", (), w.change_import),
            Spec(
                "palette", "Edit", "Command palette …", ("Ctrl+K", "Ctrl+Shift+P"), w.open_palette
            ),
            Spec("run", "Run", "Run", ("F5", "Ctrl+Return"), w.controller.run),
            Spec("pause", "Run", "Pause or resume", ("F6",), w.toggle_pause),
            Spec("stop", "Run", "Stop", ("Shift+F5",), w.controller.stop),
            Spec("log", "View", "Session log", ("Ctrl+L",), w.toggle_log),
            Spec("panel", "View", "Settings panel", ("Ctrl+B",), w.toggle_panel),
            Spec("full", "View", "Full screen", ("F11",), w.toggle_full_screen),
            Spec("layout", "View", "Reset layout", (), w.reset_layout),
            Spec("help", "Help", "Help", ("F1",), w.open_help),
            Spec("tour", "Help", "Take the tour", (), w.start_tour),
            Spec("about", "Help", "About gencap", (), w.open_about),
        ]

    def _add(self, spec: Spec) -> QAction:
        action = QAction(spec.title, self.window)
        action.setShortcuts([QKeySequence(one) for one in spec.shortcuts])
        action.triggered.connect(lambda: spec.call())
        self.menus[spec.menu].addAction(action)
        self.actions[spec.key] = action
        return action

    def _add_samples(self) -> None:
        menu = QMenu("Sample data", self.window)
        self.menus["File"].insertMenu(self.actions["open_session"], menu)
        self.recent = QMenu("Recent files", self.window)
        self.menus["File"].insertMenu(self.actions["open_session"], self.recent)
        for sample in SAMPLES.values():
            action = menu.addAction(sample.title)
            action.triggered.connect(lambda _=False, key=sample.key: self.window.open_sample(key))
            self.actions[f"sample {sample.key}"] = action

    def _add_views(self) -> None:
        menu = self.menus["View"]
        menu.addSeparator()
        for number, view in enumerate(self.window.workbench.views.values(), start=1):
            action = menu.addAction(view.title)
            if number < 10:
                action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.triggered.connect(
                lambda _=False, name=view.name: self.window.workbench.show_view(name)
            )
            self.actions[f"view {view.name}"] = action

    def _add_themes(self) -> None:
        menu = self.menus["View"].addMenu("Colors")
        group = QActionGroup(self.window)
        for key, words in THEMES.items():
            action = menu.addAction(words)
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _=False, key=key: self.window.choose_theme(key))
            self.actions[f"theme {key}"] = action

    def set_recent(self, names: list[str]) -> None:
        """Show the recent files."""
        self.recent.clear()
        for name in names:
            action = self.recent.addAction(name)
            action.triggered.connect(lambda _=False, path=name: self.window.open_file(path))
        self.recent.setEnabled(bool(names))

    def set_state(self, state: str, ready: bool) -> None:
        """Switch actions on and off."""
        self.actions["run"].setEnabled(ready and state == "idle")
        for key in ("pause", "stop"):
            self.actions[key].setEnabled(state != "idle")
        history = self.window.controller.history
        for key, can, words in (
            ("undo", history.can_undo, history.next_undo),
            ("redo", history.can_redo, history.next_redo),
        ):
            self.actions[key].setEnabled(can)
            title = key.capitalize()
            self.actions[key].setText(f"{title}: {words[:60]}" if can else title)
        self.actions["script"].setEnabled(ready)
        for key in ("save", "save_as"):
            self.actions[key].setEnabled(ready)
        source = self.window.controller.document.source
        self.actions["import"].setEnabled(source is not None and source.kind == "file")

    def palette_entries(self) -> list[PaletteEntry]:
        """Return what the command palette offers at this moment."""
        entries = []
        for key, action in self.actions.items():
            if key == "palette" or not action.isEnabled():
                continue
            kind = key.split(" ")[0]
            title = action.text().replace("&", "")
            prefix = {"sample": "Open sample: ", "view": "Show: ", "theme": "Colors: "}.get(
                kind, ""
            )
            shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            entries.append(PaletteEntry(prefix + title, shortcut, action.trigger))
        return entries
