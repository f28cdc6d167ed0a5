"""Capacity curve and cluster splits: along the temperature, live and finished."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
import sample_results as sample
from plot_tools import click, draw, press, select, shown
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gencap_gui.plots import CapacityCurveView, SplitDiagramView
from gencap_gui.plots.split_diagram import tree_slots
from gencap_gui.session import Results, RunResult, Selection


def test_curve_is_the_one_of_the_run(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    curve = sample.curve()
    x, y = view.curve.getData()
    np.testing.assert_allclose(10.0**x, curve.beta)
    visible = curve.bits > -0.4  # what falls far below is clipped, to one height below the window
    np.testing.assert_allclose(y[visible], curve.bits[visible])
    np.testing.assert_array_equal(view.table()["bits"], curve.bits)


def test_optimum_is_marked_with_its_bits(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    x, y = view.optimum.getData()
    assert 10.0 ** x[0] == pytest.approx(sample.BETA[sample.BEST])
    assert y[0] == pytest.approx(sample.curve().bits[sample.BEST])
    assert view.optimum_text.toPlainText() == "1.68 ± 0.04 bits"


def test_terms_appear_on_request(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    assert not view.entropy.isVisible()
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.terms.click()
    assert view.entropy.isVisible()
    assert view.agreement.isVisible()
    words = [entry.text for entry in view.legend.entries]
    assert words[1:3] == ["informativeness", "stability"]
    bits, entropy = view.curve.getData()[1], view.entropy.getData()[1]
    agreement = view.agreement.getData()[1]
    early = slice(0, sample.BEST)
    np.testing.assert_allclose(bits[early], entropy[early] + agreement[early])


def test_axes_have_units(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    assert view.panel.getPlotItem().getAxis("left").labelText == "bits per object"
    assert "inverse temperature" in view.counts.getPlotItem().getAxis("bottom").labelText


def test_curve_grows_point_by_point(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.running(count=3))
    lengths = []
    for point in sample.live_points(8)[3:]:
        with qtbot.waitSignal(view.drawn, timeout=5000):
            view.append_live(point)
        lengths.append(len(view.curve.getData()[0]))
    assert lengths == [4, 5, 6, 7, 8]
    assert view.optimum_text.toPlainText().endswith("so far")
    assert "provisional" in view._note.text()


def test_points_that_came_early_survive_an_older_snapshot(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.running(count=3))
    for point in sample.live_points(6)[3:]:
        view.append_live(point)
    draw(qtbot, view, sample.running(count=4))
    assert len(view.table()) == 6
    view.append_live(sample.live_points(2)[1])  # a repeated point changes nothing
    view.flush()
    assert len(view.table()) == 6
    view.append_live(sample.live_points(1)[0])  # the same run again, from the start
    view.flush()
    assert len(view.table()) == 1


def test_final_curve_replaces_the_live_one(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.running(count=9))
    draw(qtbot, view, sample.finished())
    assert len(view.table()) == sample.N_STEPS
    assert "provisional" not in view._note.text()


def test_curve_follows_the_selected_run(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    select(qtbot, view, Selection(run=sample.OTHER))
    assert view._stack.currentWidget() is view._empty
    assert "no temperature" in view._note.text()
    select(qtbot, view, Selection(run=sample.KEY))
    assert view._stack.currentWidget() is view.canvas


def test_failed_run_says_why(qtbot: QtBot) -> None:
    run = RunResult(sample.KEY, finished=True, error="there is not enough memory")
    results = Results(runs=MappingProxyType({sample.KEY: run}))
    view = shown(qtbot, CapacityCurveView, results)
    assert view._note.isVisible()
    assert "not enough memory" in view._note.text()


def test_warnings_of_the_run_are_told(qtbot: QtBot) -> None:
    run = replace(sample.finished_run(60), optimistic=True, plateau=True)
    results = replace(sample.finished(), runs=MappingProxyType({sample.KEY: run}))
    view = shown(qtbot, CapacityCurveView, results)
    assert "proximity" in view._note.text()
    assert "plateau" in view._note.text()


@pytest.mark.parametrize("kind", [CapacityCurveView, SplitDiagramView])
def test_cursor_and_selection_are_one(qtbot: QtBot, kind: type) -> None:
    view = shown(qtbot, kind, sample.finished())
    assert 10.0 ** view._cursors[0].value() == pytest.approx(sample.BETA[sample.BEST])
    select(qtbot, view, Selection(step=5))
    assert 10.0 ** view._cursors[0].value() == pytest.approx(sample.BETA[5])
    view._cursors[0].setPos(np.log10(sample.BETA[9]) + 0.01)
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view._cursors[0].sigDragged.emit(view._cursors[0])
    assert asked.args[0] == Selection(step=9)


def test_click_and_keys_choose_a_temperature(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    asked = click(qtbot, view, view.panel, float(np.log10(sample.BETA[4])), 1.0)
    assert asked.step == 4
    select(qtbot, view, asked)
    assert press(qtbot, view, view.panel, Qt.Key.Key_Right).step == 5
    assert press(qtbot, view, view.panel, Qt.Key.Key_Left).step == 3
    assert press(qtbot, view, view.panel, Qt.Key.Key_PageUp).step == 0
    assert press(qtbot, view, view.panel, Qt.Key.Key_Home).step is None


def test_row_of_the_twin_is_a_temperature(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    view._header.twin.click()
    assert view.twin.chosen_row() == sample.BEST
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.twin.selectRow(2)
    assert asked.args[0].step == 2
    select(qtbot, view, Selection(step=11))
    assert view.twin.chosen_row() == 11


def test_zoom_stays_until_data_or_fit_change_it(qtbot: QtBot) -> None:
    view = shown(qtbot, CapacityCurveView, sample.finished())
    whole = view.panel.box.viewRange()
    view.panel.setRange(xRange=(-0.5, 0.0), yRange=(0.0, 1.0), padding=0)
    draw(qtbot, view, sample.finished())
    assert view.panel.box.viewRange()[0] == pytest.approx([-0.5, 0.0])
    view._header.fit.click()
    np.testing.assert_allclose(view.panel.box.viewRange(), whole)


# Cluster splits.


def test_tree_keeps_branches_together() -> None:
    groups = np.stack([sample.groups_at(s) for s in range(sample.N_STEPS)])
    slots = tree_slots(groups)
    assert set(slots[0]) == {1.5}
    assert sorted(set(slots[8])) == [0.5, 2.5]
    assert sorted(slots[-1]) == [0.0, 1.0, 2.0, 3.0]
    # Slots that part last lie side by side.
    crossed = tree_slots(np.array([[0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 2, 3]]))
    assert abs(crossed[-1, 0] - crossed[-1, 2]) == 1.0


def test_splits_draw_every_center_at_every_temperature(qtbot: QtBot) -> None:
    view = shown(qtbot, SplitDiagramView, sample.finished())
    drawn = set()
    for (mode, _, _), item in view._lines.items():
        assert mode == "splits"
        if item.isVisible():
            x, y = item.getData()
            pairs = zip(np.round(x, 6), np.round(y, 6), strict=True)
            drawn |= {pair for pair in pairs if not np.isnan(pair[0])}
    table = view.table()
    wanted = set(
        zip(np.round(np.log10(table["beta"]), 6), np.round(table["position"], 6), strict=True)
    )
    assert drawn == wanted


def test_colors_are_cluster_numbers(qtbot: QtBot) -> None:
    view = shown(qtbot, SplitDiagramView, sample.finished())
    table = view.table()
    last = table[table["beta"] == sample.BETA[-1]]
    assert last["cluster"].tolist() == [1, 2, 3, 4]
    assert [entry.text for entry in view.legend.entries] == [f"cluster {k}" for k in range(1, 5)]


@pytest.mark.parametrize("mode", ["splits", "tree", "plane"])
def test_every_mode_draws_and_has_its_table(qtbot: QtBot, mode: str) -> None:
    view = shown(qtbot, SplitDiagramView, sample.finished())
    button = next(b for b in view.mode_buttons.buttons() if b.property("mode") == mode)
    with qtbot.waitSignal(view.drawn, timeout=5000):
        button.click()
        view._restart()
    assert view.mode == mode
    columns = {"splits": {"position"}, "tree": {"branch"}, "plane": {"x", "y"}}[mode]
    assert columns <= set(view.table().columns)
    assert any(item.isVisible() for key, item in view._lines.items() if key[0] == mode)
    assert not any(item.isVisible() for key, item in view._lines.items() if key[0] != mode)
    if mode == "tree":
        assert len(view.marks.getData()[0]) == 3


def test_second_component_is_another_height(qtbot: QtBot) -> None:
    view = shown(qtbot, SplitDiagramView, sample.finished())
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.component.setCurrentIndex(1)
    np.testing.assert_allclose(view.table()["position"], sample.center_path()[:, :, 1].ravel())
    assert "component 2" in view.panel.getPlotItem().getAxis("left").labelText


def test_branches_appear_live(qtbot: QtBot) -> None:
    view = shown(qtbot, SplitDiagramView, sample.running(count=4))
    assert view.table()["cluster"].nunique() == 1
    for point in sample.live_points(14)[4:]:
        view.append_live(point)
    view.flush()
    assert view.table()["cluster"].nunique() == 4


def test_click_on_a_branch_selects_its_cluster(qtbot: QtBot) -> None:
    view = shown(qtbot, SplitDiagramView, sample.finished())
    x = float(np.log10(sample.BETA[20]))
    assert click(qtbot, view, view.panel, x, 6.0).cluster == 3
    select(qtbot, view, Selection(cluster=3))
    widths = {key[1]: item.opts["pen"].widthF() for key, item in view._lines.items()}
    assert widths[3] > widths[0]
    assert click(qtbot, view, view.panel, x, 6.0).cluster is None
    assert click(qtbot, view, view.panel, x, 0.0).step == 20


def test_heads_stand_at_the_shown_temperature(qtbot: QtBot) -> None:
    view = shown(qtbot, SplitDiagramView, sample.finished())
    select(qtbot, view, Selection(step=3))
    x, y = view.heads[view.panel].getData()
    np.testing.assert_allclose(10.0**x, sample.BETA[3])
    np.testing.assert_allclose(y, sample.center_path()[3, :, 0])


def test_run_without_centers_shows_none(qtbot: QtBot) -> None:
    points = tuple(replace(p, centers=None) for p in sample.live_points(4))
    run = RunResult(sample.KEY, live=points)
    results = replace(sample.loaded(), runs=MappingProxyType({sample.KEY: run}))
    view = shown(qtbot, SplitDiagramView, results)
    assert view._stack.currentWidget() is view._empty
