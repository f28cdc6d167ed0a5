"""Axes, legends and the choice of what to show."""

from __future__ import annotations

import numpy as np
import pytest
import sample_results as sample
from pytestqt.qtbot import QtBot

from gencap_gui.plots._assignments import assignment_at
from gencap_gui.plots._axes import CountAxis, LogAxis, NamedAxis, log10, spread_beyond
from gencap_gui.plots._header import MOST_ENTRIES, Entry, Legend
from gencap_gui.plots._runs import nearest_step, object_name, shown_key, shown_step
from gencap_gui.session import Results, RunKey, Selection


def labels(axis: LogAxis, low: float, high: float, size: float = 500.0) -> list[str]:
    [(_, ticks)] = axis.tickValues(low, high, size)
    return axis.tickStrings(ticks, 1.0, 1.0)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-1.0, 1.0, ["0.1", "0.2", "0.5", "1", "2", "5", "10"]),
        (0.0, 4.0, ["1", "10", "100", "1000", "1e+04"]),
        (-0.02, 0.2, ["1", "1.2", "1.4"]),
    ],
)
def test_log_axis_reads_as_plain_numbers(
    qtbot: QtBot, low: float, high: float, words: list[str]
) -> None:
    size = 500.0 if high < 4 else 350.0
    assert labels(LogAxis("bottom"), low, high, size) == words


def test_log_axis_never_crowds(qtbot: QtBot) -> None:
    axis = LogAxis("bottom")
    for width in (0.01, 0.3, 1.0, 3.0, 12.0, 80.0):
        for size in (120.0, 400.0, 1200.0):
            found = axis.tickValues(0.123, 0.123 + width, size)
            count = len(found[0][1]) if found else 0
            assert count * 55 <= size + 110
    assert axis.tickValues(1.0, 1.0, 100.0) == []
    assert axis.tickValues(0.0, 1e6, 100.0) == []


def test_count_axis_has_whole_numbers(qtbot: QtBot) -> None:
    axis = CountAxis("bottom")
    [(_, ticks)] = axis.tickValues(1.5, 6.5, 400.0)
    assert ticks == [2.0, 3.0, 4.0, 5.0, 6.0]
    [(_, ticks)] = axis.tickValues(0.0, 1000.0, 200.0)
    assert ticks == [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
    assert axis.tickStrings(ticks[:2], 1.0, 1.0) == ["0", "200"]


def test_named_axis_skips_names_without_room(qtbot: QtBot) -> None:
    axis = NamedAxis("bottom", longest=8)
    axis.set_names(["short", "a very long name", "third"])
    [(_, all_of_them)] = axis.tickValues(-0.3, 2.3, 600.0)
    assert axis.tickStrings(all_of_them, 1.0, 1.0) == ["short", "a very …", "third"]
    [(_, some)] = axis.tickValues(-0.3, 2.3, 150.0)
    assert len(some) < 3
    assert NamedAxis("left").tickValues(0.0, 5.0, 100.0) == []


def test_logarithm_of_nothing_is_missing() -> None:
    np.testing.assert_array_equal(log10(np.array([0.0, -1.0, 100.0])), [np.nan, np.nan, 2.0])


def test_clipping_keeps_what_is_near() -> None:
    values = np.array([-np.inf, -5.0, -0.5, 0.2, np.inf, np.nan])
    np.testing.assert_array_equal(
        spread_beyond(values, 0.0, 1.0), [-1.0, -1.0, -0.5, 0.2, 2.0, np.nan]
    )


def test_legend_escapes_names_and_counts_the_rest(qtbot: QtBot) -> None:
    legend = Legend("test")
    qtbot.addWidget(legend)
    entries = [Entry("#112233", "<b>x</b> & y", "cluster:0")]
    legend.set_entries(entries, "#000000")
    assert "&lt;b&gt;" in legend.text()
    assert "<b>x" not in legend.text()
    legend.set_entries(entries * (MOST_ENTRIES + 5), "#000000")
    assert "5 more" in legend.text()
    legend.set_entries([], "#000000")
    assert not legend.isVisible()


def test_shown_run_is_the_selected_then_the_running_then_the_current() -> None:
    results = sample.finished()
    assert shown_key(results, Selection(run=sample.OTHER)) == sample.OTHER
    assert shown_key(results, Selection(run=RunKey("gone", "", 2))) == sample.KEY
    assert shown_key(sample.running(), Selection()) == sample.KEY
    assert shown_key(Results(), Selection()) is None
    assert shown_key(Results(runs=results.runs), Selection()) == sample.OTHER


def test_shown_step_is_the_selected_then_the_best_then_the_newest() -> None:
    run = sample.finished_run(10)
    assert shown_step(run, Selection(step=4), 24) == 4
    assert shown_step(run, Selection(step=99), 24) == 23
    assert shown_step(run, Selection(), 24) == sample.BEST
    live = sample.running().runs[sample.KEY]
    assert shown_step(live, Selection(), 9) == 8
    assert shown_step(live, Selection(), 0) is None


def test_nearest_temperature_by_ratio() -> None:
    beta = np.array([1.0, 10.0, 100.0])
    assert nearest_step(beta, 4.0) == 1  # by difference it would be 1.0
    assert nearest_step(beta, 0.0) == 0
    assert nearest_step(np.array([0.0, 1.0, 3.0]), 2.5) == 2


def test_objects_without_names_are_numbered() -> None:
    assert object_name(Results(), 4) == "object 5"
    assert object_name(sample.loaded(), 4) == "gene 0004"
    assert object_name(sample.loaded(3), 4) == "object 5"


def test_assignment_at_the_optimum_is_that_of_the_run() -> None:
    run = sample.finished_run(20)
    found = assignment_at(run, (), sample.BEST, sample.BETA)
    assert found.labels is run.labels
    assert found.scrubs
    earlier = assignment_at(run, (), 8, sample.BETA)
    np.testing.assert_array_equal(earlier.labels, run.label_path.labels[8])


def test_assignment_before_any_labels_is_unknown() -> None:
    live = sample.live_points(3)
    found = assignment_at(sample.running().runs[sample.KEY], live, 2, sample.BETA[:3])
    assert found.labels is None
    assert not found.scrubs
