"""The window as a whole: flows from opening to closing, and what the issue promises."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QMenuBar,
    QMessageBox,
    QTabBar,
)

from gencap_gui.app import build, offer_recovery
from gencap_gui.commands import SetAnnealing, SetClusters, SetModels
from gencap_gui.recovery import Recovery
from gencap_gui.session import Selection
from gencap_gui.settings import AnnealingChoice, ClusterRange, ModelChoice
from gencap_gui.theme import DARK, LIGHT
from gencap_gui.widgets.about import AboutDialog
from gencap_gui.widgets.main_window import MainWindow
from gencap_gui.widgets.palette import CommandPalette
from gencap_gui.widgets.tour import STEPS

PATIENCE = 60_000


@pytest.fixture
def window(qtbot, places):
    made = build(places)
    made.confirm_stop = lambda: True
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()
    made.deleteLater()


def load(qtbot, window, sample="iris"):
    window.data_panel.sample_buttons[sample].click()
    qtbot.waitUntil(lambda: window.controller.results.projection is not None, timeout=PATIENCE)


def settle(qtbot, window):
    control = window.controller
    qtbot.waitUntil(
        lambda: not control.side.is_busy and not control.is_running, timeout=PATIENCE
    )


def run(qtbot, window, models=("centroid", "pairwise"), low=2, high=3, steps=12):
    control = window.controller
    control.do(SetModels(ModelChoice(models)))
    control.do(SetClusters(ClusterRange(low, high)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=steps)))
    with qtbot.waitSignal(control.ended, timeout=PATIENCE):
        window.run_bar.run.click()
    settle(qtbot, window)


def start_endless(qtbot, window):
    control = window.controller
    control.do(SetModels(ModelChoice(("pairwise",))))
    control.do(SetClusters(ClusterRange(30, 40)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=1000, n_init=100)))
    with qtbot.waitSignal(control.progressChanged, timeout=PATIENCE):
        window.run_bar.run.click()


def genes(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 4)) + 5 * (np.arange(50)[:, None] % 2))
    frame.columns = list("abcd")
    frame.insert(0, "gene", [f"g{i}" for i in range(50)])
    path = folder / "genes.csv"
    frame.to_csv(path, index=False)
    return str(path)


def test_nothing_starts_by_itself(qtbot, window):
    assert not window.controller.side.is_busy
    load(qtbot, window)
    assert not window.controller.is_running
    assert window.run_bar.run.isEnabled()


def test_every_control_of_the_window_has_an_accessible_name(qtbot, window):
    for kind in (QAbstractButton, QAbstractSpinBox, QComboBox):
        for control in window.findChildren(kind):
            # Qt's own arrows inside of controls, and the extension of a menu or tool bar
            inside = isinstance(control.parent(), QAbstractSpinBox | QComboBox | QTabBar | QMenuBar)
            if inside or control.objectName().startswith("qt_"):
                continue
            assert control.accessibleName() or getattr(control, "text", str)(), control
    for view in window.workbench.views.values():
        assert view.accessibleName()


def test_a_run_reaches_every_view_and_every_view_has_its_table(qtbot, window):
    load(qtbot, window)
    run(qtbot, window)
    for name, view in window.workbench.views.items():
        window.workbench.show_view(name)
        qtbot.waitUntil(lambda view=view: not view._is_empty, timeout=PATIENCE)
        assert len(view.table()) > 0, name


def test_selection_is_linked_through_all_views(qtbot, window):
    load(qtbot, window)
    run(qtbot, window)
    scatter = window.workbench.views["scatter"]
    scatter.selectionRequested.emit(Selection(cluster=1, run=window.controller.results.current))
    for view in window.workbench.views.values():
        assert view._selection.cluster == 1
    scatter.selectionRequested.emit(Selection(hovered=9))
    assert all(v._selection.hovered == 9 for v in window.workbench.views.values())
    window.menus.actions["undo"].trigger()
    window.menus.actions["undo"].trigger()
    assert all(v._selection.cluster is None for v in window.workbench.views.values())
    window.controller.select(Selection(objects=frozenset({3})))
    window.menus.actions["deselect"].trigger()
    assert window.controller.document.selection.objects == frozenset()


def test_files_go_through_the_import_dialog(qtbot, window, tmp_path):
    path = genes(tmp_path)
    window.open_file(path)
    qtbot.waitUntil(lambda: window._import is not None, timeout=PATIENCE)
    window._import.transforms["zscore_columns"].setChecked(True)
    window._import.accept()
    qtbot.waitUntil(lambda: window.controller.document.source is not None, timeout=PATIENCE)
    source = window.controller.document.source
    assert source.options.transforms == ("zscore_columns",)
    assert window.windowTitle() == "genes.csv – gencap"
    assert window.recent.names() == [path]
    settle(qtbot, window)
    window.data_panel.options_button.click()
    qtbot.waitUntil(lambda: window._import is not None, timeout=PATIENCE)
    assert window._import.transforms["zscore_columns"].isChecked()
    window._import.reject()
    assert window.controller.document.source == source


def test_a_file_dropped_on_the_window_is_opened(qtbot, window, tmp_path):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(genes(tmp_path))])
    drop = QDropEvent(
        QPointF(400, 400),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(drop)
    qtbot.waitUntil(lambda: window._import is not None, timeout=PATIENCE)
    window._import.reject()


def test_a_second_file_through_the_panel(qtbot, window, tmp_path, monkeypatch):
    path = genes(tmp_path)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (path, ""))
    window.menus.actions["open"].trigger()
    for _ in range(2):
        qtbot.waitUntil(lambda: window._import is not None, timeout=PATIENCE)
        window._import.accept()
        settle(qtbot, window)
        qtbot.waitUntil(lambda: window.controller.document.source is not None, timeout=PATIENCE)
        if window.controller.document.instances.how == "second":
            break
        window.instance_panel.buttons["second"].click()
    qtbot.waitUntil(lambda: window.controller.document.instances.how == "second", timeout=PATIENCE)
    assert window.instance_panel.second.text() == "genes.csv"


def test_errors_open_the_log(qtbot, window, tmp_path):
    window.open_file(str(tmp_path / "none.csv"))
    qtbot.waitUntil(lambda: window.log_dock.isVisible(), timeout=PATIENCE)
    assert "none.csv does not exist" in window.log.lines()[-1]


def test_undo_and_redo_in_the_menu(qtbot, window):
    load(qtbot, window)
    window.model_panel.methods["max_cut"].click()
    undo, redo = window.menus.actions["undo"], window.menus.actions["redo"]
    assert "Max Cut" in undo.text()
    undo.trigger()
    assert not window.model_panel.methods["max_cut"].isChecked()
    redo.trigger()
    assert window.model_panel.methods["max_cut"].isChecked()
    assert not redo.isEnabled()


def test_pause_and_stop_through_the_bar(qtbot, window):
    load(qtbot, window)
    start_endless(qtbot, window)
    window.run_bar.pause.click()
    assert window.controller.worker.is_paused
    assert window.run_bar.pause.text() == "Resume"
    window.menus.actions["pause"].trigger()
    assert not window.controller.worker.is_paused
    with qtbot.waitSignal(window.controller.ended, timeout=PATIENCE):
        window.run_bar.stop.click()
    assert window.run_bar.run.isEnabled()


def test_stop_answers_and_the_thread_ends_soon(qtbot, window):
    load(qtbot, window, "digits")
    start_endless(qtbot, window)
    began = time.perf_counter()
    window.run_bar.stop.click()
    answered = time.perf_counter() - began
    qtbot.waitUntil(lambda: not window.controller.worker._left, timeout=PATIENCE)
    ended = time.perf_counter() - began
    print(f"\nstop: answered after {answered * 1e3:.0f} ms, thread ended after {ended * 1e3:.0f} ms")
    assert window.run_bar.run.isEnabled()


def test_closing_while_running_asks(qtbot, window):
    load(qtbot, window)
    start_endless(qtbot, window)
    window.confirm_stop = lambda: False
    assert not window.close()
    assert window.isVisible()
    assert window.controller.is_running
    window.confirm_stop = lambda: True
    assert window.close()
    assert not window.controller.is_running


@pytest.mark.parametrize("answer", [QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No])
def test_the_question_when_closing(qtbot, window, monkeypatch, answer):
    asked = []
    monkeypatch.setattr(QMessageBox, "question", lambda *a: asked.append(a[2]) or answer)
    assert MainWindow.confirm_stop(window) == (answer == QMessageBox.StandardButton.Yes)
    assert "running" in asked[0]


# --- sessions -------------------------------------------------------------------------------------


def test_save_and_open_a_session(qtbot, window, tmp_path, monkeypatch):
    load(qtbot, window)
    run(qtbot, window)
    window.controller.select(Selection(cluster=1))
    document = window.controller.document
    bits = {k: r.bits for k, r in window.controller.results.runs.items()}
    path = tmp_path / "my.gencap"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(path.with_suffix("")), "")
    )
    window.menus.actions["save"].trigger()
    qtbot.waitUntil(lambda: window.session_path == str(path), timeout=PATIENCE)
    while window.controller.history.can_undo:
        window.controller.undo()
    settle(qtbot, window)
    assert window.controller.results.runs == {}
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(path), ""))
    window.menus.actions["open_session"].trigger()
    qtbot.waitUntil(lambda: window.controller.document == document, timeout=PATIENCE)
    assert {k: r.bits for k, r in window.controller.results.runs.items()} == bits
    assert window.model_panel.methods["pairwise"].isChecked()
    qtbot.waitUntil(lambda: window.controller.results.labels is not None, timeout=PATIENCE)


def test_a_damaged_session_is_refused_in_words(qtbot, window, tmp_path):
    path = tmp_path / "bad.gencap"
    path.write_bytes(b"nonsense")
    window.open_file(str(path))
    qtbot.waitUntil(lambda: window.log_dock.isVisible(), timeout=PATIENCE)
    assert "not a readable session" in window.log.lines()[-1]


def test_every_change_is_autosaved(qtbot, window):
    with qtbot.waitSignal(window.autosaver.saved, timeout=PATIENCE):
        load(qtbot, window)
    assert window.recovery.path.is_file()
    before = window.recovery.path.stat().st_mtime_ns
    with qtbot.waitSignal(window.autosaver.saved, timeout=PATIENCE):
        window.model_panel.seed.setValue(5)
    assert window.recovery.path.stat().st_mtime_ns > before


@pytest.mark.parametrize("wanted", [True, False])
def test_after_a_crash_the_last_state_is_offered(qtbot, window, places, monkeypatch, wanted):
    load(qtbot, window)
    run(qtbot, window)
    document = window.controller.document
    with qtbot.waitSignal(window.autosaver.saved, timeout=PATIENCE):
        window.autosaver.save_now()
    # the lock of a killed program is free, its folder stays: as if this one had died
    window.recovery._lock.unlock()
    other = build(places)
    qtbot.addWidget(other)
    answer = QMessageBox.StandardButton.Yes if wanted else QMessageBox.StandardButton.No
    monkeypatch.setattr(QMessageBox, "question", lambda *a: answer)
    assert offer_recovery(other) == wanted
    if wanted:
        qtbot.waitUntil(lambda: other.controller.document == document, timeout=PATIENCE)
        assert len(other.controller.results.runs) == 4
        settle(qtbot, other)
    assert Recovery(places.autosaves).leftovers() == []
    assert not offer_recovery(other)
    other.close()
    other.deleteLater()


def test_export_of_the_script(qtbot, window, tmp_path, monkeypatch):
    assert not window.menus.actions["script"].isEnabled()
    load(qtbot, window)
    path = tmp_path / "a.py"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    window.menus.actions["script"].trigger()
    compile(path.read_text(), "a.py", "exec")
    window.export_script(str(tmp_path / "nowhere" / "a.py"))
    assert "Error" in window.log.lines()[-1]


# --- finish ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [Qt.Key.Key_K, Qt.Key.Key_P])
def test_the_palette_opens_by_key_and_runs_commands(qtbot, window, key):
    shift = Qt.KeyboardModifier.ShiftModifier if key == Qt.Key.Key_P else None
    modifiers = Qt.KeyboardModifier.ControlModifier
    window.activateWindow()
    qtbot.keyClick(window, key, modifiers | shift if shift else modifiers)
    palette = window.findChild(CommandPalette)
    if palette is None:  # without a window manager shortcuts may not arrive
        window.menus.actions["palette"].trigger()
        palette = window.findChild(CommandPalette)
    qtbot.keyClicks(palette.search, "sample iris")
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.controller.document.source is not None, timeout=PATIENCE)
    settle(qtbot, window)


def test_shortcuts_are_unique_and_in_the_palette(qtbot, window):
    keys = [
        key.toString()
        for action in window.findChildren(QAction)
        for key in action.shortcuts()
        if action in window.menus.actions.values()
    ]
    assert len(keys) == len(set(keys))
    for wanted in ("Ctrl+O", "Ctrl+S", "Ctrl+Z", "Ctrl+K", "Ctrl+Shift+P", "F5", "F1"):
        assert QKeySequence(wanted).toString() in keys
    titles = [entry.title for entry in window.menus.palette_entries()]
    assert "Open data …" in titles
    assert "Show: Ranking" in titles
    assert "Colors: Dark" in titles


def test_light_and_dark(qtbot, window, places):
    for choice, theme in (("dark", DARK), ("light", LIGHT)):
        window.menus.actions[f"theme {choice}"].trigger()
        assert window.theme == theme
        assert all(v._theme == theme for v in window.workbench.views.values())
        ground = QApplication.instance().palette().window().color().name()
        assert ground == theme.panel.lower()
        assert places.settings().value("theme") == choice
    window.choose_theme("system")
    window._system_changed()
    assert window.theme in (LIGHT, DARK)


def test_the_tour_has_at_most_five_steps_and_comes_once(qtbot, window, places):
    assert 1 <= len(STEPS) <= 5
    window.start_tour()
    window.start_tour()
    tour = window.tour
    for i in range(len(STEPS)):
        assert tour.step == i
        assert tour.title.text() == STEPS[i].title
        assert tour.rect().contains(tour.bubble.geometry())
        tour.next.click()
    assert window.tour is None
    assert places.settings().value("tour/taken", type=bool)
    window.start_tour()
    qtbot.keyClick(window.tour, Qt.Key.Key_Escape)
    assert window.tour is None


def test_the_tour_follows_the_window(qtbot, window):
    window.start_tour()
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: window.tour.size() == window.size(), timeout=PATIENCE)
    assert window.tour.rect().contains(window.tour.bubble.geometry())
    window.tour.end()


def test_help_and_about(qtbot, window):
    window.menus.actions["help"].trigger()
    assert window.help_window.isVisible()
    window.choose_theme("dark")
    window.help_window.close()
    window.menus.actions["about"].trigger()
    dialog = window.findChild(AboutDialog)
    assert "gencap-gui" in dialog.text
    dialog.reject()


def test_layout_is_remembered(qtbot, window, places):
    window.workbench.move("ranking", 1)
    window.workbench.show_view("profiles")
    window.toggle_log()
    geometry = window.saveGeometry()
    window.close()
    again = build(places)
    qtbot.addWidget(again)
    again.show()
    assert again.workbench.pane_of("ranking") is again.workbench.panes[1]
    assert again.workbench.panes[3].currentWidget().name == "profiles"
    assert places.settings().value("geometry") == geometry
    assert not again.log_dock.isHidden()
    again.reset_layout()
    assert again.workbench.pane_of("ranking") is again.workbench.panes[2]
    again.close()
    again.deleteLater()


def test_a_damaged_layout_is_ignored(qtbot, places):
    settings = places.settings()
    settings.setValue("workbench/places", '{"places": {"scatter": [9]}, "fronts": 3}')
    settings.setValue("theme", "pink")
    settings.sync()
    window = build(places)
    qtbot.addWidget(window)
    assert window.theme_choice == "system"
    assert window.workbench.pane_of("scatter") is window.workbench.panes[1]
    window.close()
    window.deleteLater()


def test_a_view_can_be_enlarged_and_moved(qtbot, window):
    bench = window.workbench
    bench.enlarge("scatter")
    assert bench.enlarged
    assert not bench.panes[0].isVisible()
    bench.show_view("ranking")
    assert not bench.enlarged
    assert bench.panes[0].isVisible()
    menu = bench.tab_menu("scatter")
    move = {action.text(): action for action in menu.actions()}
    assert not move["Move to top right"].isEnabled()
    move["Move to top left"].trigger()
    assert bench.pane_of("scatter") is bench.panes[0]
    assert not bench.panes[1].isVisible()
    menu.deleteLater()


def test_panels_can_be_hidden(qtbot, window):
    window.menus.actions["panel"].trigger()
    assert not window.panel_dock.isVisible()
    window.menus.actions["panel"].trigger()
    window.menus.actions["log"].trigger()
    assert window.panel_dock.isVisible()
    assert window.log_dock.isVisible()
    section = window.sections["data"]
    section.button.click()
    assert not section.content.isVisible()


def test_the_settings_are_not_clipped(qtbot, window):
    content = window.scroll.widget()
    assert content.minimumSizeHint().width() <= window.scroll.viewport().width()
    assert window.scroll.mapTo(window, QPoint(0, 0)).x() >= 0


def test_the_window_stays_awake_on_20000_points(qtbot, window, tmp_path):
    """Print how long the main thread was away at most while 20,000 points are clustered."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 6)) + 5 * rng.integers(0, 4, size=(20_000, 1))
    np.save(tmp_path / "big.npy", x)
    window.open_file(str(tmp_path / "big.npy"))
    qtbot.waitUntil(lambda: window._import is not None, timeout=PATIENCE)
    window._import.accept()
    qtbot.waitUntil(lambda: window.controller.results.projection is not None, timeout=PATIENCE)
    settle(qtbot, window)
    beats = []
    timer = QTimer(window)
    timer.setInterval(5)
    timer.timeout.connect(lambda: beats.append((time.perf_counter(), time.thread_time())))
    timer.start()
    run(qtbot, window, models=("centroid",), low=4, high=4, steps=20)
    timer.stop()
    wall, busy = np.diff(np.array(beats), axis=0).T * 1e3
    print(
        f"\n20,000 points: the window was away for at most {wall.max():.0f} ms, of which its own "
        f"work at most {busy.max():.0f} ms; 99 % below {np.quantile(wall, 0.99):.0f} ms"
    )
    assert len(window.controller.results.labels) == 20_000
