"""The main window: settings on the left, views in the middle, run bar below, log on request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFileDialog,
    QMainWindow,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.commands import SetAnnealing, SetClusters, SetInstances, SetModels, SetSeed
from gencap_gui.controller import Controller
from gencap_gui.files import SUFFIX, collect, read_session, write_session
from gencap_gui.history import export_script
from gencap_gui.places import Places
from gencap_gui.plots import all_views
from gencap_gui.recovery import Leftover, RecentFiles, Recovery
from gencap_gui.results import Results
from gencap_gui.session import Document, Selection
from gencap_gui.settings import DataSource
from gencap_gui.tasks.data import Preview
from gencap_gui.theme import Theme
from gencap_gui.versions import versions
from gencap_gui.widgets.about import AboutDialog
from gencap_gui.widgets.autosaver import Autosaver
from gencap_gui.widgets.data_panel import DataPanel, dropped_file
from gencap_gui.widgets.fields import Section
from gencap_gui.widgets.help import HelpWindow
from gencap_gui.widgets.import_dialog import ImportDialog
from gencap_gui.widgets.instance_panel import InstancePanel
from gencap_gui.widgets.log_panel import LogPanel
from gencap_gui.widgets.menus import Menus
from gencap_gui.widgets.model_panel import ModelPanel
from gencap_gui.widgets.palette import CommandPalette
from gencap_gui.widgets.run_bar import RunBar
from gencap_gui.widgets.style import apply_style, theme_for
from gencap_gui.widgets.tour import Tour
from gencap_gui.widgets.workbench import Workbench

__all__ = ["MainWindow"]

DATA_FILTER = (
    "Tables (*.csv *.tsv *.tab *.txt *.csv.gz *.tsv.gz *.npy *.parquet *.pq *.xlsx);;All files (*)"
)
SESSION_FILTER = f"gencap session (*{SUFFIX})"


class MainWindow(QMainWindow):
    """Wires widgets and controller together; starts nothing by itself."""

    def __init__(self, places: Places) -> None:
        super().__init__()
        self.places = places
        self.controller = Controller(self)
        self.recovery = Recovery(places.autosaves)
        self.recent = RecentFiles(places.recent)
        self.autosaver = Autosaver(self.controller, self.recovery, self)
        self.session_path: str | None = None
        self._state = "idle"
        self._closed = False
        self._import: ImportDialog | None = None
        self._second_wanted = False
        self.help_window: HelpWindow | None = None
        self.tour: Tour | None = None
        self.theme_choice = "system"
        self.theme = theme_for("system")
        self.setWindowTitle("gencap")
        self.setObjectName("gencap")
        self.setAcceptDrops(True)
        self.resize(1280, 800)
        self._build()
        self.menus = Menus(self)
        self._connect()
        self._load_layout(places.settings())
        self._show_recent()

    # Parts.

    def _build(self) -> None:
        self.data_panel, self.instance_panel = DataPanel(), InstancePanel()
        self.model_panel, self.run_bar, self.log = ModelPanel(), RunBar(), LogPanel()
        self.workbench = Workbench([kind() for kind in all_views()])
        column = QWidget()
        layout = QVBoxLayout(column)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(2)
        self.sections = {
            "data": Section("1  Data", self.data_panel),
            "instances": Section("2  Two measurements", self.instance_panel),
            "models": Section("3  Methods", self.model_panel),
        }
        for section in self.sections.values():
            layout.addWidget(section)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(column)
        bar = scroll.verticalScrollBar().sizeHint().width()
        scroll.setMinimumWidth(column.minimumSizeHint().width() + bar + 4)
        self.settings_area = scroll
        self.panel_dock = self._dock("settings", "Settings", scroll, Qt.DockWidgetArea(1))
        self.log_dock = self._dock("log", "Session log", self.log, Qt.DockWidgetArea(8))
        self.log_dock.hide()
        self.resizeDocks([self.log_dock], [120], Qt.Orientation.Vertical)
        center = QWidget()
        inner = QVBoxLayout(center)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        inner.addWidget(self.workbench, 1)
        inner.addWidget(self.run_bar)
        self.setCentralWidget(center)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.statusBar().setSizeGripEnabled(False)

    def _dock(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setAccessibleName(title)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        return dock

    def _connect(self) -> None:
        c, do = self.controller, self.controller.do
        self.data_panel.openRequested.connect(self.ask_open)
        self.data_panel.fileRequested.connect(self.open_file)
        self.data_panel.sampleRequested.connect(self.open_sample)
        self.data_panel.optionsRequested.connect(self.change_import)
        self.instance_panel.edited.connect(lambda value: do(SetInstances(value)))
        self.instance_panel.secondRequested.connect(self.ask_second)
        self.model_panel.modelsEdited.connect(lambda value: do(SetModels(value)))
        self.model_panel.clustersEdited.connect(lambda value: do(SetClusters(value)))
        self.model_panel.annealingEdited.connect(lambda value: do(SetAnnealing(value)))
        self.model_panel.seedEdited.connect(lambda value: do(SetSeed(value)))
        self.run_bar.runRequested.connect(c.run)
        self.run_bar.pauseRequested.connect(c.pause)
        self.run_bar.resumeRequested.connect(c.resume)
        self.run_bar.stopRequested.connect(c.stop)
        c.stateChanged.connect(self._set_state)
        c.progressChanged.connect(self.run_bar.set_progress)
        c.message.connect(self._say)
        c.loadingChanged.connect(self.statusBar().showMessage)
        c.previewed.connect(self._previewed)
        c.documentChanged.connect(self._document_changed)
        c.resultsChanged.connect(self._results_changed)
        for view in self.workbench.views.values():
            view.selectionRequested.connect(c.select)
            view.detailRequested.connect(c.ask_window)
            if hasattr(view, "compareRequested"):
                view.compareRequested.connect(c.compare_with)
            c.resultsChanged.connect(view.show_results)
            c.liveAppended.connect(view.append_live)
            c.selectionChanged.connect(view.show_selection)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    # What the controller tells.

    def _set_state(self, state: str) -> None:
        self._state = state
        self.run_bar.set_state(state)
        self._refresh()

    def _say(self, level: str, text: str) -> None:
        self.log.add(level, text)
        self.statusBar().showMessage(text, 0 if level == "error" else 10_000)
        if level == "error":
            self.log_dock.show()

    def _document_changed(self, document: Document) -> None:
        loaded = None
        if document.source is not None:
            loaded = self.controller.workspace.find(document.source)
        self.instance_panel.set_choice(
            document.instances,
            has_own=loaded is not None and loaded.own is not None,
            n_columns=2 if loaded is None else loaded.shape[1],
        )
        self.model_panel.set_document(document)
        title = "gencap" if document.source is None else f"{document.source.title} – gencap"
        self.setWindowTitle(title)
        if document.source is not None and document.source.kind == "file":
            self.recent.add(document.source.name)
            self._show_recent()
        self._refresh()

    def _results_changed(self, results: Results) -> None:
        source = self.controller.document.source
        self.data_panel.set_summary(
            results.data, is_file=source is not None and source.kind == "file"
        )

    def _refresh(self) -> None:
        ready = self.controller.document.source is not None
        runnable = ready and bool(self.controller.document.models.candidates())
        self.run_bar.set_ready(runnable)
        self.menus.set_state(self._state, ready)

    def _show_recent(self) -> None:
        names = self.recent.names()
        self.data_panel.set_recent(names)
        self.menus.set_recent(names)

    # Opening.

    def ask_open(self) -> None:
        """Ask for a file."""
        path, _ = QFileDialog.getOpenFileName(self, "Open data", "", DATA_FILTER)
        if path:
            self.open_file(path)

    def ask_second(self) -> None:
        """Ask for the file with the second measurement."""
        path, _ = QFileDialog.getOpenFileName(self, "Second measurement", "", DATA_FILTER)
        if path:
            self._second_wanted = True
            self.controller.preview(path)

    def open_file(self, path: str) -> None:
        """Open a session, or look at a table before it is opened."""
        if Path(path).suffix.lower() == SUFFIX:
            self.open_session(path)
            return
        self._second_wanted = False
        self.controller.preview(str(Path(path).absolute()))

    def open_sample(self, key: str) -> None:
        """Open a sample data set."""
        self.controller.open(DataSource("sample", key))

    def change_import(self) -> None:
        """Show the import dialog of the open file again."""
        source = self.controller.document.source
        if source is not None and source.kind == "file":
            self._second_wanted = False
            self.controller.preview(source.name)

    def _previewed(self, found: Preview) -> None:
        source = self.controller.document.source
        known = source is not None and source.name == found.path and not self._second_wanted
        options = source.options if known and source is not None else None
        dialog = ImportDialog(found, options, self)
        self._import = dialog
        dialog.accepted.connect(lambda: self._imported(dialog.source()))
        dialog.finished.connect(lambda _: self._import_done(dialog))
        dialog.open()

    def _import_done(self, dialog: ImportDialog) -> None:
        self._import = None
        dialog.deleteLater()

    def _imported(self, source: DataSource) -> None:
        if self._second_wanted:
            self.controller.open_second(source)
        else:
            self.controller.open(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Welcome a file anywhere in the window."""
        if dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open it."""
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.open_file(path)

    # Sessions and scripts.

    def ask_open_session(self) -> None:
        """Ask for a session file."""
        path, _ = QFileDialog.getOpenFileName(self, "Open session", "", SESSION_FILTER)
        if path:
            self.open_session(path)

    def open_session(self, path: str) -> None:
        """Read a session file in the background and take it over."""

        def done(saved: Any) -> None:
            self.controller.restore(saved)
            self.session_path = path
            self._say("info", f"Session {Path(path).name} opened")

        self.controller.side.submit("session", lambda _: read_session(path), done)

    def recover(self, leftover: Leftover) -> None:
        """Take over what a crashed program left."""

        def done(saved: Any) -> None:
            self.controller.restore(saved)
            self._say("info", "The last state was restored")
            self.recovery.discard(leftover)
            self.autosaver.save_now()

        self.controller.side.submit("session", lambda _: read_session(leftover.path), done)

    def save_session(self) -> None:
        """Save to the session's own file, or ask for one."""
        if self.session_path is None:
            self.save_session_as()
        else:
            self.write_session(self.session_path)

    def save_session_as(self) -> None:
        """Ask for a file and save."""
        path, _ = QFileDialog.getSaveFileName(self, "Save session", "", SESSION_FILTER)
        if path:
            self.write_session(path if path.endswith(SUFFIX) else path + SUFFIX)

    def write_session(self, path: str) -> None:
        """Save in the background."""
        saved = self.controller.saved_session()
        frozen = collect(saved.history, saved.results, saved.tables)

        def done(_: Any) -> None:
            self.session_path = path
            self.recent.add(path)
            self._show_recent()
            self._say("info", f"Session saved as {Path(path).name}")

        self.controller.side.submit("save", lambda _: write_session(path, frozen), done)

    def ask_export_script(self) -> None:
        """Ask for a file and write the script."""
        path, _ = QFileDialog.getSaveFileName(
            self, "Export as Python script", "analysis.py", "Python (*.py)"
        )
        if path:
            self.export_script(path)

    def export_script(self, path: str) -> None:
        """Write the script that recomputes what is on the screen."""
        try:
            text = export_script(self.controller.history, versions()["gencap"])
            Path(path).write_text(text, encoding="utf-8")
        except (ValueError, OSError) as error:
            self._say("error", str(error))
        else:
            self._say("info", f"Script written to {Path(path).name}")

    # Small actions.

    def clear_selection(self) -> None:
        """Select nothing; the run that is shown stays."""
        run = self.controller.document.selection.run
        self.controller.select(replace(Selection(), run=run))

    def toggle_pause(self) -> None:
        """Pause or resume."""
        (self.controller.resume if self._state == "paused" else self.controller.pause)()

    def toggle_log(self) -> None:
        """Show or hide the log."""
        self.log_dock.setVisible(not self.log_dock.isVisible())

    def toggle_panel(self) -> None:
        """Show or hide the settings."""
        self.panel_dock.setVisible(not self.panel_dock.isVisible())

    def toggle_full_screen(self) -> None:
        """Enter or leave full screen."""
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    def reset_layout(self) -> None:
        """Put everything where it was at first."""
        self.workbench.reset()
        self.panel_dock.show()
        self.log_dock.hide()

    def open_palette(self) -> None:
        """Open the command palette."""
        palette = CommandPalette(self.menus.palette_entries(), self)
        palette.finished.connect(lambda _: palette.deleteLater())
        palette.open()

    def open_help(self, page: str = "bits") -> None:
        """Open the help pages."""
        if self.help_window is None:
            self.help_window = HelpWindow(self.theme, self)
        self.help_window.open_page(page)
        self.help_window.show()
        self.help_window.raise_()

    def open_about(self) -> None:
        """Show versions."""
        dialog = AboutDialog(self)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def start_tour(self) -> None:
        """Explain the window in a few steps."""
        if self.tour is not None:
            return
        targets: dict[str, QWidget] = {
            **self.sections,
            "run": self.run_bar,
            "views": self.workbench,
        }
        self.panel_dock.show()
        self.tour = Tour(self, targets)
        self.tour.ended.connect(self._tour_ended)

    def _tour_ended(self) -> None:
        self.tour = None
        self.places.settings().setValue("tour/taken", True)

    # Colors.

    def choose_theme(self, choice: str) -> None:
        """Use "light", "dark", or follow the "system"."""
        self.theme_choice = choice
        self.places.settings().setValue("theme", choice)
        self.menus.actions[f"theme {choice}"].setChecked(True)
        self.apply_theme(theme_for(choice))

    def apply_theme(self, theme: Theme) -> None:
        """Take on new colors."""
        self.theme = theme
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_style(app, theme)
        for view in self.workbench.views.values():
            view.apply_theme(theme)
        self.log.apply_theme(theme)
        if self.help_window is not None:
            self.help_window.apply_theme(theme)

    def _system_changed(self) -> None:
        if self.theme_choice == "system":
            self.apply_theme(theme_for("system"))

    # Layout, and the end.

    def _load_layout(self, settings: QSettings) -> None:
        geometry, state = settings.value("geometry"), settings.value("state")
        if geometry is not None:
            self.restoreGeometry(geometry)
        if state is not None:
            self.restoreState(state)
        self.workbench.load(settings)
        choice = str(settings.value("theme", "system"))
        known = f"theme {choice}" in self.menus.actions
        self.choose_theme(choice if known else "system")

    def save_layout(self) -> None:
        """Remember size, docks and panes."""
        settings = self.places.settings()
        settings.setValue("geometry", self.saveGeometry())
        settings.setValue("state", self.saveState())
        self.workbench.save(settings)
        settings.sync()

    def confirm_stop(self) -> bool:
        """Ask whether a running analysis may be ended."""
        answer = QMessageBox.question(
            self,
            "Stop the analysis?",
            "An analysis is running. Stop it and close the window?",
            QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No,
            QMessageBox.StandardButton.No,
        )
        return answer == QMessageBox.StandardButton.Yes

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask while something runs; then end everything cleanly."""
        if self._closed:
            super().closeEvent(event)
            return
        if self.controller.is_running and not self.confirm_stop():
            event.ignore()
            return
        self._closed = True
        self.save_layout()
        self.autosaver.stop()
        self.hide()
        QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._system_changed)
        self.controller.close()
        self.recovery.end()
        for view in self.workbench.views.values():
            view.close()
        super().closeEvent(event)
