"""What every view promises: drawing, empty state, twin, exports, theme, names, pace, links."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sample_results as sample
from plot_tools import draw, select, shown
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gencap_gui.plots import PlotView, all_views
from gencap_gui.plots.base import PERIOD_MS
from gencap_gui.session import Results, Selection
from gencap_gui.theme import DARK, LIGHT

VIEWS = pytest.mark.parametrize("kind", all_views(), ids=lambda kind: kind.name)
LIVE = {"capacity-curve", "split-diagram", "scatter"}


def test_views_have_their_own_names() -> None:
    names = [kind.name for kind in all_views()]
    assert len(set(names)) == len(names) == 8
    assert all(kind.title and kind.empty_text for kind in all_views())


@VIEWS
def test_empty_view_says_what_will_appear(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, Results())
    assert view._stack.currentWidget() is view._empty
    assert view._empty.text() == kind.empty_text
    assert "here" in view._empty.text()


@VIEWS
def test_results_are_drawn_and_taken_back(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    assert view._stack.currentWidget() is view.canvas
    assert len(view.table()) > 0
    draw(qtbot, view, Results())
    assert view._stack.currentWidget() is view._empty


@VIEWS
def test_picture_differs_from_the_empty_one(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    image = view.canvas.grab().toImage()
    colors = {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 3)
    }
    # Ground, ink and at least one color of the palette, smoothed at the edges.
    assert len(colors) > 10


@VIEWS
def test_twin_shows_the_table(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    if view._header.twin.isHidden():
        assert kind.name == "label-table"
        twin = view.rows
    else:
        qtbot.mouseClick(view._header.twin, Qt.MouseButton.LeftButton)
        assert view._stack.currentWidget() is view.twin
        twin = view.twin
    table, model = view.table(), twin.frame_model
    assert model.rowCount() == len(table)
    assert model.columnCount() == table.shape[1]
    pd.testing.assert_frame_equal(model.shown().reset_index(drop=True), table)
    if not view._header.twin.isHidden():
        qtbot.mouseClick(view._header.twin, Qt.MouseButton.LeftButton)
        assert view._stack.currentWidget() is view.canvas


@VIEWS
def test_png_is_twice_the_size(qtbot: QtBot, kind: type[PlotView], tmp_path: Path) -> None:
    view = shown(qtbot, kind, sample.finished())
    view.export(tmp_path / "picture.png")
    image = QImage(str(tmp_path / "picture.png"))
    ratio = max(2.0, view.devicePixelRatioF())
    assert image.width() == round(view.canvas.width() * ratio)
    assert image.height() == round(view.canvas.height() * ratio)


@VIEWS
def test_svg_parses_and_draws(qtbot: QtBot, kind: type[PlotView], tmp_path: Path) -> None:
    view = shown(qtbot, kind, sample.finished())
    view.export(str(tmp_path / "drawing.svg"))
    root = ElementTree.parse(tmp_path / "drawing.svg").getroot()
    assert root.tag.endswith("svg")
    box = [float(v) for v in root.attrib["viewBox"].split()]
    assert box[2:] == [view.canvas.width(), view.canvas.height()]
    space = "{http://www.w3.org/2000/svg}"
    texts = ["".join(node.itertext()) for node in root.iter(f"{space}text")]
    assert any(text.strip() for text in texts)  # words stay words, to be edited later
    assert root.find(f"{space}title").text == kind.title


@VIEWS
def test_csv_has_every_digit(qtbot: QtBot, kind: type[PlotView], tmp_path: Path) -> None:
    view = shown(qtbot, kind, sample.finished())
    view.export(tmp_path / "numbers.csv")
    with (tmp_path / "numbers.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    table = view.table()
    assert head == [str(c) for c in table.columns]
    assert len(rows) == len(table)
    for at, name in enumerate(head):
        cells, values = [row[at] for row in rows], table.iloc[:, at].to_numpy()
        if values.dtype.kind == "f":
            read = np.array([float(cell or "nan") for cell in cells], dtype=values.dtype)
            np.testing.assert_array_equal(read, values, err_msg=name)
        else:
            assert cells == [str(value) for value in values]


@VIEWS
def test_export_refuses_other_files(qtbot: QtBot, kind: type[PlotView], tmp_path: Path) -> None:
    view = shown(qtbot, kind)
    with pytest.raises(ValueError, match=r"path must end in .png, .svg or .csv: got 'a.gif'"):
        view.export(tmp_path / "a.gif")


@VIEWS
def test_export_works_before_the_view_was_shown(
    qtbot: QtBot, kind: type[PlotView], tmp_path: Path
) -> None:
    view = kind()
    qtbot.addWidget(view)
    view.show_results(sample.finished())
    view.export(tmp_path / "picture.png")
    image = QImage(str(tmp_path / "picture.png"))
    assert image.width() >= 800
    view.export(tmp_path / "numbers.csv")
    assert len(pd.read_csv(tmp_path / "numbers.csv")) == len(view.table())


@VIEWS
def test_menu_saves_what_was_chosen(
    qtbot: QtBot, kind: type[PlotView], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = shown(qtbot, kind, sample.finished())
    offered = []

    def choose(parent: QWidget, title: str, name: str, kinds: str) -> tuple[str, str]:
        offered.append(name)
        # Without a suffix, as people type it.
        return str(tmp_path / "chosen"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    actions = {a.data(): a for a in view._header.export.menu().actions() if a.data()}
    assert set(actions) == {"png", "svg", "csv"}
    for suffix, action in actions.items():
        action.trigger()
        assert (tmp_path / f"chosen.{suffix}").stat().st_size > 0
    assert offered == [f"{kind.name}.{suffix}" for suffix in ("png", "svg", "csv")]


def test_failed_save_is_told(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = shown(qtbot, all_views()[0], sample.finished())
    told = []
    target = tmp_path / "missing" / "a.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    monkeypatch.setattr(QMessageBox, "warning", lambda *words: told.append(words[-1]))
    view._header.saveRequested.emit("csv")
    assert len(told) == 1
    assert "could not be written" in told[0]


@VIEWS
def test_menu_copies_picture_and_table(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    picture, table = [
        a for a in view._header.export.menu().actions() if a.text().startswith("Copy")
    ]
    picture.trigger()
    assert not QGuiApplication.clipboard().image().isNull()
    table.trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 1 + len(view.table())
    assert lines[0].split("\t") == [str(c) for c in view.table().columns]


@VIEWS
def test_theme_changes_the_ground(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    for theme in (DARK, LIGHT):
        with qtbot.waitSignal(view.drawn, timeout=5000):
            view.apply_theme(theme)
        image = view.canvas.grab().toImage()
        grounds = [QColor(theme.background).name(), QColor(theme.panel).name()]
        counts = [0, 0]
        for x in range(0, image.width(), 4):
            for y in range(0, image.height(), 4):
                name = image.pixelColor(x, y).name()
                counts = [c + (name == g) for c, g in zip(counts, grounds, strict=True)]
        # Plots are mostly ground; a full table is at least striped with it.
        assert sum(counts) > 0.2 * (image.width() // 4) * (image.height() // 4)


@VIEWS
def test_everything_has_an_accessible_name(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    assert view.accessibleName() == kind.title
    # Qt's own parts (scroll bars, headers, the buttons inside other widgets) name themselves.
    inner = ("qt_", "ScrollLeft", "ScrollRight")
    for widget in view.findChildren(QWidget):
        reachable = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        own = isinstance(widget, QAbstractButton | QComboBox) or type(widget).__module__.startswith(
            "gencap_gui"
        )
        if reachable and own and not widget.objectName().startswith(inner):
            parent = widget.parentWidget()
            if isinstance(parent, QComboBox) or "QLineEdit" in type(parent).__name__:
                continue
            if type(widget).__name__ in ("QTableCornerButton", "QAbstractButton"):
                continue
            assert widget.accessibleName(), f"{kind.name}: {widget}"


@VIEWS
def test_keyboard_reaches_canvas_and_buttons(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    reached, widget = set(), view
    for _ in range(60):
        widget = widget.nextInFocusChain()
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            reached.add(widget)
    assert view._header.export in reached
    assert any(view.canvas is w or view.canvas.isAncestorOf(w) for w in reached)


@VIEWS
def test_escape_clears_the_selection_but_keeps_the_run(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    select(qtbot, view, Selection(objects=frozenset({1}), cluster=2, run=sample.KEY))
    target = view.rows if kind.name == "label-table" else view._panels[0]
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        qtbot.keyClick(target, Qt.Key.Key_Escape)
    assert asked.args[0] == Selection(run=sample.KEY)


@VIEWS
def test_many_results_are_drawn_once(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.finished())
    before = view.n_updates
    with qtbot.waitSignal(view.drawn, timeout=5000):
        for _ in range(100):
            view.show_results(sample.finished(20))
            view.show_selection(Selection(cluster=1))
    assert view.n_updates == before + 1
    # The next drawing waits for the rest of the period: at most 20 a second.
    view.show_results(sample.finished())
    assert view._timer.isActive()
    assert view._timer.interval() <= PERIOD_MS
    with qtbot.waitSignal(view.drawn, timeout=5000):
        pass
    assert PERIOD_MS == 50


@VIEWS
def test_hidden_view_rests_and_catches_up(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind)
    view.hide()
    before = view.n_updates
    view.show_results(sample.finished())
    view.show_selection(Selection(cluster=0))
    assert not view._timer.isActive()
    assert view.n_updates == before
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.show()
    assert view._stack.currentWidget() is view.canvas


@VIEWS
def test_no_timer_outlives_the_view(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind)
    view.show_results(sample.finished())
    assert view._timer.isActive()
    view.close()
    assert not view._timer.isActive()


@VIEWS
def test_live_points_reach_only_live_views(qtbot: QtBot, kind: type[PlotView]) -> None:
    view = shown(qtbot, kind, sample.running(count=5))
    rows = len(view.table())
    point = sample.live_points(6, 60)[5]
    if kind.name not in LIVE:
        view.append_live(point)
        assert view._stack.currentWidget() is view._empty
        return
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.append_live(point)
    if kind.name != "scatter":
        assert len(view.table()) > rows
    else:
        assert view.slider.maximum() == 5


@VIEWS
def test_selection_does_not_echo(qtbot: QtBot, kind: type[PlotView]) -> None:
    """Showing a selection asks for nothing, or two views would answer each other for ever."""
    view = shown(qtbot, kind, sample.finished())
    asked: list[Selection] = []
    view.selectionRequested.connect(asked.append)
    for twin in (False, True):
        view._header.twin.setChecked(twin)
        for selection in (
            Selection(objects=frozenset({3}), hovered=3, cluster=1, step=4),
            Selection(cluster=2, step=0, run=sample.OTHER),
            Selection(),
        ):
            select(qtbot, view, selection)
    assert asked == []


def test_what_one_view_selects_all_show(qtbot: QtBot) -> None:
    """Link all views as the application does, choose an object in a table, see it everywhere."""
    views = {kind.name: shown(qtbot, kind, sample.finished()) for kind in all_views()}
    for view in views.values():
        view.selectionRequested.connect(
            lambda wanted: [other.show_selection(wanted) for other in views.values()]
        )
    table = views["label-table"].rows
    waited = [view.drawn for view in views.values()]
    with qtbot.waitSignals(waited, timeout=5000):
        table.selectRow(7)
    assert all(view._selection.objects == {7} for view in views.values())
    x, y = views["scatter"].rings.getData()
    np.testing.assert_allclose([x[0], y[0]], sample.projection(60).coordinates[7])
    assert len(views["matrix"].chosen.getData()[0]) == 1
    with qtbot.waitSignals(waited, timeout=5000):
        views["profiles"]._legend_chosen("cluster:2")
    assert views["matrix"].block.getData()[0] is not None
    strong = [e.text for e in views["split-diagram"].legend.entries if e.strong]
    assert strong == ["cluster 3"]
