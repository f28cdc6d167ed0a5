"""The matrices: order, colors, zoom with detail, names, comparison of two solutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sample_results as sample
from plot_tools import click, draw, hover, select, shown
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from gencap_gui.plots import MatrixView
from gencap_gui.session import MatrixWindow, Selection
from gencap_gui.theme import LIGHT, SEQUENCE


def test_similarity_is_drawn_as_ordered(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    similarity, _ = sample.matrices(sample.truth(60))
    np.testing.assert_array_equal(view.image.image, similarity.matrix)
    assert np.all(np.diff(view._row_labels()) >= 0)
    # Three borders between four clusters, each across and down.
    assert len(view.borders.getData()[0]) == 2 * 3 * 2
    assert view.strip.image.shape == (60, 1, 3)
    view.strip.render()
    assert view.strip.qimage.pixelColor(0, 0).name() == QColor(LIGHT.palette[0]).name()
    assert [e.color for e in view.legend.entries] == list(SEQUENCE)
    assert view.legend.entries[0].text.startswith("pearson similarity ≤ ")


def test_two_solutions_in_four_colors(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.set_kind("coclustering")
    _, codes = sample.matrices(sample.truth(60))
    np.testing.assert_array_equal(view.image.image, codes.codes)
    words = [entry.text for entry in view.legend.entries]
    assert words == [
        "apart in both",
        "together in k-means (annealed), K = 4",
        "together in Normalized Cut, Pearson correlation, K = 3",
        "together in both",
    ]
    assert len({entry.color for entry in view.legend.entries}) == 4
    # The picture itself: the middle of a cell has the color of its code.
    total = len(codes.order)
    for row, column in ((0, 0), (0, total - 1), (3, 3), (1, 2)):
        code = int(codes.codes[row, column])
        assert view._value_at(row, column) == words[code]
        wanted = np.array(QColor(view._code_names()[code]).getRgb()[:3])
        assert (view._code_colors()[code] == wanted).all()
    image = view.image
    image.render()
    shown_color = image.qimage.pixelColor(0, 0)
    assert shown_color.name() == QColor(view._code_names()[int(codes.codes[0, 0])]).name()


def test_second_measurement_is_named(qtbot: QtBot) -> None:
    results = sample.finished()
    same = replace(results.coclustering, second=sample.KEY)
    view = shown(qtbot, MatrixView, replace(results, coclustering=same, compared=None))
    view.set_kind("coclustering")
    view.flush()
    assert view.legend.entries[2].text == "together in second measurement"


def test_other_solution_can_be_chosen(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    assert not view.other_box.isVisible()
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.set_kind("coclustering")
    assert view.other_box.isVisible()
    assert view.other_box.currentData() == sample.OTHER
    with qtbot.waitSignal(view.compareRequested, timeout=5000) as asked:
        view.other_box.setCurrentIndex(0)
        view.other_box.activated.emit(0)
    assert asked.args[0] is None


def test_absent_comparison_is_explained(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, replace(sample.finished(), coclustering=None))
    view.set_kind("coclustering")
    view.flush()
    assert view._stack.currentWidget() is view.canvas
    assert "no second solution" in view._note.text()
    assert view.image.image is None
    view.set_kind("similarity")
    view.flush()
    assert view.image.image is not None


def big(n_objects: int = 5_000, most: int = 500) -> tuple[object, np.ndarray]:
    """Return results whose overview shows one object in ten, and the full order."""
    labels = sample.truth(n_objects)
    similarity, codes = sample.matrices(labels, most)
    results = replace(sample.finished(n_objects), similarity=similarity, coclustering=codes)
    return results, np.argsort(labels, kind="stable")


def test_zoom_asks_for_detail_once_and_shows_it(qtbot: QtBot) -> None:
    results, order = big()
    view = shown(qtbot, MatrixView, results)
    assert "500 of 5,000 objects" in view._note.text()
    with qtbot.waitSignal(view.detailRequested, timeout=5000) as asked:
        view.panel.setRange(xRange=(1000, 1200), yRange=(1000, 1200), padding=0)
    window = asked.args[0]
    assert isinstance(window, MatrixWindow)
    assert window.kind == "similarity"
    # The aspect is locked: what is in sight may be wider than what was asked for.
    assert window.start <= 1000
    assert window.stop >= 1200
    rows = order[window.start : window.stop]
    detail = replace(
        results.similarity,
        matrix=np.eye(len(rows), dtype=np.float32),
        order=rows,
        labels=sample.truth(5_000)[rows],
        window=(window.start, window.stop),
    )
    draw(qtbot, view, replace(results, similarity_window=detail))
    assert view.detail_image.isVisible()
    rect = view.detail_image.mapRectToParent(view.detail_image.boundingRect())
    assert (rect.left(), rect.right()) == pytest.approx((window.start, window.stop))
    assert view._object_at(1100) == order[1100]
    assert view._value_at(1100, 1100) == "1"
    asked_again = []
    view.detailRequested.connect(asked_again.append)
    view._ask_for_detail()
    assert asked_again == []


def test_whole_matrix_needs_no_detail(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    asked = []
    view.detailRequested.connect(asked.append)
    view.panel.setRange(xRange=(10, 20), yRange=(10, 20), padding=0)
    view._ask_for_detail()
    assert asked == []


def test_wide_window_asks_for_nothing(qtbot: QtBot) -> None:
    results, _ = big(9_000, 500)
    view = shown(qtbot, MatrixView, results)
    asked = []
    view.detailRequested.connect(asked.append)
    view._ask_for_detail()
    assert asked == []


def test_names_appear_when_legible(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    axis = view.panel.getPlotItem().getAxis("left")
    order = sample.matrices(sample.truth(60))[0].order
    assert axis.tickValues(0.0, 60.0, 300.0) == []
    [(_, places)] = axis.tickValues(4.0, 10.0, 300.0)
    names = axis.tickStrings(places, 1.0, 1.0)
    assert names[0] == f"gene {order[4]:04d}"
    assert axis.tickStrings([-0.5, 60.5], 1.0, 1.0) == ["", ""]


def test_hover_click_and_block(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    order = sample.matrices(sample.truth(60))[0].order
    asked = hover(qtbot, view, view.panel, 30.5, 12.5)
    assert asked.hovered == order[12]
    assert view.panel.toolTip().startswith(f"gene {order[12]:04d} × gene {order[30]:04d}: ")
    select(qtbot, view, asked)
    assert view.cross[0].isVisible()
    assert view.cross[0].value() == pytest.approx(12.5)
    asked = click(qtbot, view, view.panel, 30.5, 12.5)
    assert asked.objects == {order[12], order[30]}
    select(qtbot, view, Selection(cluster=1))
    x, _ = view.block.getData()
    assert (min(x), max(x)) == (15.0, 30.0)
    strip = click(qtbot, view, view.panel, -1.0, 40.5)
    assert strip.cluster == 2


def test_detail_keeps_the_colors_of_the_overview(qtbot: QtBot) -> None:
    results, order = big()
    rows = order[100:300]
    detail = replace(
        results.similarity,
        matrix=np.full((200, 200), 0.3, dtype=np.float32),
        order=rows,
        labels=rows % 4,
        window=(100, 300),
    )
    view = shown(qtbot, MatrixView, replace(results, similarity_window=detail))
    np.testing.assert_array_equal(view.detail_image.levels, view.image.levels)


def test_table_is_the_matrix(qtbot: QtBot) -> None:
    view = shown(qtbot, MatrixView, sample.finished())
    table = view.table()
    similarity, _ = sample.matrices(sample.truth(60))
    np.testing.assert_array_equal(table.iloc[:, 3:].to_numpy(), similarity.matrix)
    assert list(table.columns[3:5]) == [f"gene {i:04d}" for i in similarity.order[:2]]
    repeated = np.array(["gene"] * 60, dtype=object)
    draw(qtbot, view, replace(sample.finished(), names=repeated))
    assert view.table().columns.is_unique
    assert view.table().columns[3] == f"gene [{similarity.order[0] + 1}]"


def test_outlier_does_not_eat_the_colors(qtbot: QtBot) -> None:
    results = sample.finished()
    values = results.similarity.matrix.copy()
    values[7, 7] = -1e6
    outlying = replace(results.similarity, matrix=values)
    view = shown(qtbot, MatrixView, replace(results, similarity=outlying))
    low, high = view._levels()
    assert results.similarity.matrix.min() <= low < high <= results.similarity.matrix.max()


def test_single_value_matrix_has_levels(qtbot: QtBot) -> None:
    results = sample.finished()
    flat = replace(results.similarity, matrix=np.ones((60, 60), dtype=np.float32))
    view = shown(qtbot, MatrixView, replace(results, similarity=flat))
    low, high = view._levels()
    assert low < 1.0 < high
    empty = replace(flat, matrix=np.full((60, 60), np.nan, dtype=np.float32))
    draw(qtbot, view, replace(results, similarity=empty))
    assert view._levels() == (0.0, 1.0)


def test_settling_timer_ends_with_the_view(qtbot: QtBot) -> None:
    results, _ = big()
    view = shown(qtbot, MatrixView, results)
    view.panel.setRange(xRange=(10, 90), yRange=(10, 90), padding=0)
    assert view._settle.isActive()
    view.close()
    assert not view._settle.isActive()
