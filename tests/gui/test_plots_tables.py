"""Profiles, label table, and the table model behind every twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sample_results as sample
from plot_tools import LEFT, click, draw, press, select, shown
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gencap_gui.plots import LabelTableView, ProfilesView
from gencap_gui.plots._table import FrameModel, FrameTable, cell_text, frame_text
from gencap_gui.session import Selection

FRAME = pd.DataFrame(
    {
        "name": ["b", "A", "c", "a"],
        "count": [3, 1, 2, 1],
        "share": [0.5, np.nan, 0.125, 2 / 3],
        "known": pd.array([1, None, 2, 3], dtype="Int64"),
    }
)


def column(model: FrameModel, number: int) -> list[str]:
    return [model.data(model.index(r, number)) for r in range(model.rowCount())]


def test_model_shows_the_frame() -> None:
    model = FrameModel()
    model.set_frame(FRAME)
    assert (model.rowCount(), model.columnCount()) == (4, 4)
    assert column(model, 0) == ["b", "A", "c", "a"]
    assert column(model, 2) == ["0.5", "", "0.125", "0.666667"]
    assert column(model, 3) == ["1", "", "2", "3"]
    header = model.headerData(1, Qt.Orientation.Horizontal)
    assert header == "count"
    assert model.headerData(0, Qt.Orientation.Vertical) == "1"
    right = model.data(model.index(0, 1), Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight


def test_model_sorts_stably_with_missing_last() -> None:
    model = FrameModel()
    model.set_frame(FRAME)
    model.sort(1)
    assert model.rows.tolist() == [1, 3, 2, 0]
    model.sort(2, Qt.SortOrder.DescendingOrder)
    assert model.rows.tolist() == [3, 0, 2, 1]
    model.sort(2)
    assert model.rows.tolist() == [2, 0, 3, 1]
    model.sort(0)
    assert column(model, 0) == ["A", "a", "b", "c"]  # without regard to case
    model.sort(-1)
    assert model.rows.tolist() == [0, 1, 2, 3]


def test_model_filters_and_keeps_its_order_with_new_data() -> None:
    model = FrameModel()
    model.set_frame(FRAME)
    model.sort(1)
    model.set_filter(np.array([True, False, True, True]))
    assert model.rows.tolist() == [3, 2, 0]
    assert model.place_of(1) is None
    assert model.place_of(0) == 2
    model.set_frame(FRAME.assign(count=[0, 1, 2, 3]))
    assert model.rows.tolist() == [0, 2, 3]
    model.set_frame(FRAME[["name"]])
    assert model.rows.tolist() == [0, 2, 3]  # another table is not sorted by the old column


def test_model_takes_repeated_column_names() -> None:
    model = FrameModel()
    model.set_frame(pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"]))
    assert column(model, 1) == ["2", "4"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (np.nan, ""), (True, "yes"), (np.float64(1e-7), "1e-07"), ("a\tb", "a\tb")],
)
def test_cells_read_well(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_copied_text_has_every_digit_and_no_stray_tabs() -> None:
    text = frame_text(pd.DataFrame({"a b": [2 / 3], "c": ["x\ty\nz"]}))
    assert text == f"a b\tc\n{2 / 3!r}\tx y z\n"


def test_header_click_sorts_and_copy_follows(qtbot: QtBot) -> None:
    table = FrameTable("test")
    qtbot.addWidget(table)
    table.set_frame(FRAME)
    table.show()
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[1].split("\t")[0] == "a"
    assert table.chosen_row() == 3
    table.clearSelection()
    assert len(table.selected_text().splitlines()) == 5


def test_choosing_a_row_by_program_is_silent(qtbot: QtBot) -> None:
    table = FrameTable("test")
    qtbot.addWidget(table)
    table.set_frame(FRAME)
    told: list[int] = []
    table.rowChosen.connect(told.append)
    table.choose_row(2)
    assert table.chosen_row() == 2
    table.choose_row(None)
    assert table.chosen_row() is None
    assert told == []
    table.selectRow(0)
    assert told == [0]


# Label table.


def test_label_table_counts_from_one(qtbot: QtBot) -> None:
    view = shown(qtbot, LabelTableView, sample.finished())
    table = view.table()
    assert table["object"].tolist() == list(range(1, 61))
    np.testing.assert_array_equal(table["cluster"], sample.truth(60) + 1)
    assert view.count.text() == "60 objects"


def test_search_finds_names_and_clusters(qtbot: QtBot) -> None:
    view = shown(qtbot, LabelTableView, sample.finished())
    qtbot.keyClicks(view.search, "GENE 001")
    assert view.count.text() == "10 of 60"
    assert all("gene 001" in name for name in view.table()["name"])
    view.search.setText(" Cluster  2")
    assert set(view.table()["cluster"]) == {2}
    view.search.setText("no such thing")
    assert len(view.table()) == 0
    view.search.clear()
    assert len(view.table()) == 60


def test_search_finds_known_labels(qtbot: QtBot) -> None:
    frame = sample.finished().labels.assign(known=["Leaf", "root", "stem"] * 20)
    view = shown(qtbot, LabelTableView, replace(sample.finished(), labels=frame))
    view.search.setText("leaf")
    assert len(view.table()) == 20


def test_label_row_and_selection_are_one(qtbot: QtBot) -> None:
    view = shown(qtbot, LabelTableView, sample.finished())
    view.rows.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.rows.selectRow(0)
    surest = int(np.argmax(sample.finished_run(60).confidence))
    assert asked.args[0].objects == {surest}
    select(qtbot, view, Selection(objects=frozenset({9})))
    assert view.rows.chosen_row() == 9
    select(qtbot, view, Selection(cluster=2))
    assert view.table()["cluster"].iloc[view.rows.currentIndex().row()] == 3
    select(qtbot, view, Selection())
    assert view.rows.chosen_row() is None


def test_only_selected_rows_on_request(qtbot: QtBot) -> None:
    view = shown(qtbot, LabelTableView, sample.finished())
    view.only.setChecked(True)
    select(qtbot, view, Selection(objects=frozenset({2, 5, 7})))
    assert view.table()["object"].tolist() == [3, 6, 8]
    select(qtbot, view, Selection(cluster=0))
    assert view.count.text() == "15 of 60"
    view.only.setChecked(False)
    assert len(view.table()) == 60


def test_mouse_over_a_row_hovers_the_object(qtbot: QtBot) -> None:
    view = shown(qtbot, LabelTableView, sample.finished())
    rect = view.rows.visualRect(view.rows.frame_model.index(3, 1))
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        qtbot.mouseMove(view.rows.viewport(), rect.center())
    assert asked.args[0].hovered == 3


def test_confidence_is_drawn_as_a_bar(qtbot: QtBot) -> None:
    frame = sample.finished().labels.assign(confidence=[1.0, 0.1] * 30)
    view = shown(qtbot, LabelTableView, replace(sample.finished(), labels=frame))
    view._header.title.setFocus()

    def tinted(row: int) -> int:
        rect = view.rows.visualRect(view.rows.frame_model.index(row, 3))
        image = view.rows.viewport().grab(rect).toImage()
        middle = image.height() // 2
        colors = [image.pixelColor(x, middle) for x in range(image.width())]
        return sum(c.blue() - c.red() > 30 for c in colors)

    assert tinted(0) > 4 * tinted(1) > 0
    assert view.rows.model().data(view.rows.model().index(0, 3)) == "1"


def test_row_click_selects(qtbot: QtBot) -> None:
    view = shown(qtbot, LabelTableView, sample.finished())
    rect = view.rows.visualRect(view.rows.frame_model.index(4, 1))
    with qtbot.waitSignal(
        view.selectionRequested, timeout=5000, check_params_cb=lambda s: bool(s.objects)
    ) as asked:
        qtbot.mouseClick(view.rows.viewport(), LEFT, pos=rect.center())
    assert asked.args[0].objects == {4}


# Profiles.


def test_profiles_draw_means_and_bands(qtbot: QtBot) -> None:
    view = shown(qtbot, ProfilesView, sample.finished())
    frame = sample.profile_frame(sample.truth(60))
    for cluster in range(4):
        mine = frame[frame["cluster"] == cluster]
        line, low, high, band = view._items[cluster]
        np.testing.assert_allclose(line.getData()[1], mine["mean"])
        np.testing.assert_allclose(low.getData()[1], mine["mean"] - mine["sd"])
        np.testing.assert_allclose(high.getData()[1], mine["mean"] + mine["sd"])
        assert band.isVisible()
    assert view.names._names == [f"condition {j}" for j in range(1, 7)]


def test_selected_cluster_stands_out(qtbot: QtBot) -> None:
    view = shown(qtbot, ProfilesView, sample.finished())
    select(qtbot, view, Selection(cluster=2))
    assert [view._items[c][3].isVisible() for c in range(4)] == [False, False, True, False]
    assert view._items[0][0].opacity() < view._items[2][0].opacity()
    view.spread.setCurrentIndex(1)
    view.flush()
    assert all(items[3].isVisible() for items in view._items.values())
    view.spread.setCurrentIndex(2)
    view.flush()
    assert not any(items[3].isVisible() for items in view._items.values())


def test_many_clusters_show_no_bands_but_say_how(qtbot: QtBot) -> None:
    frame = sample.profile_frame(sample.truth(60))
    more = pd.concat([frame, frame.assign(cluster=frame["cluster"] + 4)])
    view = shown(qtbot, ProfilesView, replace(sample.finished(), profiles=more))
    assert not any(items[3].isVisible() for items in view._items.values())
    assert view._note.text() == "Select a cluster to see its spread."


def test_fewer_clusters_hide_old_lines(qtbot: QtBot) -> None:
    view = shown(qtbot, ProfilesView, sample.finished())
    frame = sample.profile_frame(sample.truth(60)).query("cluster < 2")
    draw(qtbot, view, replace(sample.finished(), profiles=frame))
    assert [view._items[c][0].isVisible() for c in range(4)] == [True, True, False, False]
    assert len(view.table()) == 12


def test_click_and_keys_choose_a_cluster(qtbot: QtBot) -> None:
    view = shown(qtbot, ProfilesView, sample.finished())
    asked = click(qtbot, view, view.panel, 2.0, float(np.sin(1 + 2)))
    assert asked.cluster == 1
    select(qtbot, view, asked)
    assert press(qtbot, view, view.panel, Qt.Key.Key_Down).cluster == 2
    assert press(qtbot, view, view.panel, Qt.Key.Key_Up).cluster == 0


def test_profile_tooltip(qtbot: QtBot) -> None:
    view = shown(qtbot, ProfilesView, sample.finished())
    view._hover_at(view.panel, 0.0, float(np.sin(3)))
    assert view.panel.toolTip() == f"cluster 4, condition 1: {np.sin(3):.4g} ± 0.3"


def test_profile_rows_are_clusters(qtbot: QtBot) -> None:
    view = shown(qtbot, ProfilesView, sample.finished())
    assert set(view.table()["cluster"]) == {1, 2, 3, 4}
    view._header.twin.click()
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.twin.selectRow(13)
    assert asked.args[0].cluster == 2
    select(qtbot, view, asked.args[0])
    assert view.twin.chosen_row() == 13
