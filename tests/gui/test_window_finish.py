"""Palette, shortcuts, colors, tour, help, layout; and that the window stays awake."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenuBar,
    QTabBar,
)
from window_tools import PATIENCE, run, settle

from gencap_gui.app import build
from gencap_gui.theme import DARK, LIGHT
from gencap_gui.widgets.about import AboutDialog
from gencap_gui.widgets.palette import CommandPalette
from gencap_gui.widgets.tour import STEPS

# Qt puts small buttons of its own into these.
OWN = QAbstractSpinBox | QComboBox | QLineEdit | QTabBar | QMenuBar


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
    window.workbench.place("ranking", 1)
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
    window.model_panel.more.button.setChecked(True)
    content = window.settings_area.widget()
    assert content.minimumSizeHint().width() <= window.settings_area.viewport().width()
    assert window.settings_area.mapTo(window, QPoint(0, 0)).x() >= 0


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
