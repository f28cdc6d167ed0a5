"""Capacity by number of clusters, and the ranking of methods and measures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import sample_results as sample
from plot_tools import click, draw, press, select, shown
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gencap_gui.plots import OrderCurveView, RankingView
from gencap_gui.session import RunKey, Selection

CENTROID, CUT = ("centroid", ""), ("normalized_cut", "pearson")


def test_one_line_with_error_bars_for_each_candidate(qtbot: QtBot) -> None:
    view = shown(qtbot, OrderCurveView, sample.finished())
    assert set(view._lines) == {CENTROID, CUT}
    frame = sample.order_frame()
    for candidate, (line, bars) in view._lines.items():
        rows = frame[(frame["model"] == candidate[0]) & (frame["measure"] == candidate[1])]
        x, y = line.getData()
        np.testing.assert_array_equal(np.round(x), rows["n_clusters"])
        np.testing.assert_allclose(y, rows["bits"])
        np.testing.assert_allclose(bars.opts["height"], 2 * rows["bits_sd"])
    axis = view.panel.getPlotItem().getAxis
    assert axis("left").labelText == "capacity (bits per object)"
    assert "number of clusters" in axis("bottom").labelText


def test_lines_differ_in_color_and_shape(qtbot: QtBot) -> None:
    view = shown(qtbot, OrderCurveView, sample.finished())
    looks = {
        (line.opts["pen"].color().name(), line.opts["symbol"]) for line, _ in view._lines.values()
    }
    assert len({color for color, _ in looks}) == len({symbol for _, symbol in looks}) == 2


def test_line_grows_with_the_runs(qtbot: QtBot) -> None:
    early = replace(sample.finished(), order=sample.order_frame().iloc[:2])
    view = shown(qtbot, OrderCurveView, early)
    line = view._lines[CENTROID][0]
    assert len(line.getData()[0]) == 2
    draw(qtbot, view, sample.finished())
    assert view._lines[CENTROID][0] is line
    assert len(line.getData()[0]) == 5
    only = sample.order_frame().query("model == 'normalized_cut'")
    draw(qtbot, view, replace(sample.finished(), order=only))
    assert not line.isVisible()


def test_missing_spread_has_no_bar(qtbot: QtBot) -> None:
    frame = sample.order_frame().assign(bits_sd=np.nan)
    view = shown(qtbot, OrderCurveView, replace(sample.finished(), order=frame))
    assert len(view._lines[CENTROID][1].opts["height"]) == 0
    assert view._describe(2) == "k-means (annealed), K = 4: 1.680 bits per object"


def test_ring_marks_the_shown_run(qtbot: QtBot) -> None:
    view = shown(qtbot, OrderCurveView, sample.finished())
    assert view.ring.getData()[1].tolist() == [1.68]
    select(qtbot, view, Selection(run=sample.OTHER))
    assert view.ring.getData()[1][0] == np.float64(0.8) * 1.2
    strong = [e.text for e in view.legend.entries if e.strong]
    assert strong == ["Normalized Cut, Pearson correlation"]


def test_click_keys_and_legend_choose_a_run(qtbot: QtBot) -> None:
    view = shown(qtbot, OrderCurveView, sample.finished())
    row = 6  # normalized cut, K = 3
    bits = sample.order_frame()["bits"].iloc[row]
    asked = click(qtbot, view, view.panel, view._shown_x[row], bits)
    assert asked.run == RunKey("normalized_cut", "pearson", 3)
    # From the shown run, centroid with K = 4.
    assert press(qtbot, view, view.panel, Qt.Key.Key_Right).run == RunKey("centroid", "", 5)
    assert press(qtbot, view, view.panel, Qt.Key.Key_Down).run == RunKey(*CUT, 4)
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as found:
        view.legend.linkActivated.emit(view.legend.entries[1].target)
    assert found.args[0].run == RunKey(*CUT, 4)


def test_new_run_drops_temperature_and_cluster(qtbot: QtBot) -> None:
    view = shown(qtbot, OrderCurveView, sample.finished())
    select(qtbot, view, Selection(step=3, cluster=1, objects=frozenset({2})))
    asked = press(qtbot, view, view.panel, Qt.Key.Key_Right)
    assert (asked.step, asked.cluster, asked.objects) == (None, None, {2})


def test_optimistic_pairing_is_told(qtbot: QtBot) -> None:
    frame = sample.order_frame().assign(optimistic=True)
    view = shown(qtbot, OrderCurveView, replace(sample.finished(), order=frame))
    assert "proximity" in view._note.text()


def test_tooltip_names_the_point(qtbot: QtBot) -> None:
    view = shown(qtbot, OrderCurveView, sample.finished())
    view._hover_at(view.panel, float(view._shown_x[2]), 1.68)
    assert view.panel.toolTip() == "k-means (annealed), K = 4: 1.680 ± 0.050 bits per object"
    view._hover_at(view.panel, 2.0, 0.1)
    assert view.panel.toolTip() == ""


# Ranking.


def test_bars_are_the_bits(qtbot: QtBot) -> None:
    view = shown(qtbot, RankingView, sample.finished())
    np.testing.assert_allclose(view.bars.opts["width"], [1.68, 1.34])
    np.testing.assert_allclose(view.spread.opts["width"], [0.08])  # one has no spread
    assert view.names._names == ["k-means (annealed)", "Normalized Cut, Pearson correlation"]
    pd.testing.assert_frame_equal(view.numbers.frame_model.frame, sample.ranking_frame())


def test_bar_row_and_key_choose_a_candidate(qtbot: QtBot) -> None:
    view = shown(qtbot, RankingView, sample.finished())
    assert view.numbers.chosen_row() == 0
    second = RunKey("normalized_cut", "pearson", 3)
    assert click(qtbot, view, view.panel, 0.5, 1.0).run == second
    assert press(qtbot, view, view.panel, Qt.Key.Key_Down).run == second
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.numbers.selectRow(1)
    assert asked.args[0].run == second
    select(qtbot, view, Selection(run=second))
    assert view.numbers.chosen_row() == 1
    alphas = [brush.color().alphaF() for brush in view.bars.opts["brushes"]]
    assert alphas[1] == 1.0 > alphas[0]


def test_another_k_of_a_candidate_marks_its_bar(qtbot: QtBot) -> None:
    results = sample.finished()
    key = RunKey("normalized_cut", "pearson", 6)
    runs = {**results.runs, key: replace(results.runs[sample.OTHER], key=key)}
    view = shown(qtbot, RankingView, replace(results, runs=runs))
    select(qtbot, view, Selection(run=key))
    assert view.numbers.chosen_row() == 1


def test_tooltip_has_bits_and_spread(qtbot: QtBot) -> None:
    view = shown(qtbot, RankingView, sample.finished())
    view._hover_at(view.panel, 0.2, 0.1)
    assert view.panel.toolTip() == "1.680 ± 0.040 bits per object, K = 4"
