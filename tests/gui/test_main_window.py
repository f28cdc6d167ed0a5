"""The window as a whole: from opening to closing, sessions and recovery."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenuBar,
    QMessageBox,
    QTabBar,
)
from window_tools import PATIENCE, genes, load, run, settle, start_endless

from gencap_gui.app import build, offer_recovery
from gencap_gui.recovery import Recovery
from gencap_gui.session import Selection
from gencap_gui.widgets.main_window import MainWindow

# Qt puts small buttons of its own into these.
OWN = QAbstractSpinBox | QComboBox | QLineEdit | QTabBar | QMenuBar


def test_nothing_starts_by_itself(qtbot, window):
    assert not window.controller.side.is_busy
    load(qtbot, window)
    assert not window.controller.is_running
    assert window.run_bar.run.isEnabled()


def test_every_control_of_the_window_has_an_accessible_name(qtbot, window):
    for kind in (QAbstractButton, QAbstractSpinBox, QComboBox):
        for control in window.findChildren(kind):
            inside = isinstance(control.parent(), OWN)
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
    print(
        f"\nstop: answered after {answered * 1e3:.0f} ms, thread ended after {ended * 1e3:.0f} ms"
    )
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
