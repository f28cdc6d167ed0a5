"""The controller: commands are carried out, tasks run, results and selections announced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gencap
from gencap_gui.commands import CompareWith, SetAnnealing, SetClusters, SetInstances, SetModels
from gencap_gui.controller import Controller
from gencap_gui.results import RunKey
from gencap_gui.session import MatrixWindow, Selection
from gencap_gui.settings import (
    AnnealingChoice,
    ClusterRange,
    DataSource,
    ImportOptions,
    InstanceChoice,
    ModelChoice,
)
from gencap_gui.tasks import analysis

PATIENCE = 60_000


@pytest.fixture
def control(qtbot):
    made = Controller()
    yield made
    made.close()
    qtbot.waitUntil(lambda: not made.worker._left and not made.side.is_busy, timeout=PATIENCE)
    made.deleteLater()


def open_sample(qtbot, control, name="iris"):
    control.open(DataSource("sample", name))
    qtbot.waitUntil(lambda: control.results.projection is not None, timeout=PATIENCE)


def settle(qtbot, control):
    qtbot.waitUntil(lambda: not control.side.is_busy, timeout=PATIENCE)


def run(qtbot, control, models=("centroid",), high=3):
    control.do(SetModels(ModelChoice(models)))
    control.do(SetClusters(ClusterRange(2, high)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=12)))
    with qtbot.waitSignal(control.ended, timeout=PATIENCE) as ended:
        control.run()
    settle(qtbot, control)
    return ended.args[0]


def endless(control):
    """Choose something that takes far longer than the test."""
    control.do(SetModels(ModelChoice(("pairwise",))))
    control.do(SetClusters(ClusterRange(30, 40)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=1000, n_init=100)))


def test_opening_announces_data_and_starts_nothing_heavy(qtbot, control):
    states = []
    control.stateChanged.connect(states.append)
    open_sample(qtbot, control)
    assert control.results.data.n_objects == 150
    assert control.results.projection.coordinates.shape == (150, 2)
    assert control.results.known_names == ("group 1", "group 2", "group 3")
    assert not control.is_running
    assert states == []
    assert control.results.runs == {}


def test_running_fills_the_results(qtbot, control):
    open_sample(qtbot, control)
    points = []
    control.liveAppended.connect(points.append)
    assert run(qtbot, control, ("centroid", "pairwise")) == "done"
    results = control.results
    assert len(results.runs) == len(results.order) == 4
    assert list(results.ranking["rank"]) == [1, 2]
    best = results.ranking.iloc[0]
    assert results.current == RunKey(best["model"], best["measure"], int(best["n_clusters"]))
    assert {p.key for p in points} == set(results.runs)
    assert len(results.labels) == 150
    assert results.profiles is not None
    assert results.similarity.matrix.shape == (150, 150)
    assert results.running is None


def test_equal_tasks_are_not_computed_again(qtbot, control, monkeypatch):
    open_sample(qtbot, control)
    run(qtbot, control)
    calls = []
    real = gencap.capacity
    monkeypatch.setattr(gencap, "capacity", lambda *a, **k: calls.append(1) or real(*a, **k))
    run(qtbot, control)
    assert calls == []
    run(qtbot, control, high=4)
    assert calls == [1]


def test_live_snapshots_grow_while_it_runs(qtbot, control):
    open_sample(qtbot, control)
    control.do(SetModels(ModelChoice(("centroid",))))
    seen = []

    def look(results):
        if results.running is not None:
            seen.append((results.running, results.current))

    control.resultsChanged.connect(look)
    run(qtbot, control)
    wanted = {RunKey("centroid", "", 2), RunKey("centroid", "", 3)}
    assert {key for key, _ in seen} == wanted
    # what anneals is shown as soon as it has a temperature to show
    assert {current for _, current in seen} <= wanted | {None}
    assert seen[-1][1] is not None


def test_stop_answers_at_once_and_keeps_what_is_done(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    endless(control)
    with qtbot.waitSignal(control.progressChanged, timeout=PATIENCE):
        control.run()
    assert control.is_running
    ended = []
    control.ended.connect(ended.append)
    control.stop()
    assert ended == ["stopped"]
    assert not control.is_running
    control.undo()
    qtbot.waitUntil(lambda: len(control.history.entries) > 0, timeout=PATIENCE)
    while control.document.clusters != ClusterRange(2, 3):
        control.undo()
    assert len(control.results.runs) == 2


def test_pause_and_resume(qtbot, control):
    open_sample(qtbot, control)
    endless(control)
    states = []
    control.stateChanged.connect(states.append)
    with qtbot.waitSignal(control.progressChanged, timeout=PATIENCE):
        control.run()
    control.pause()
    control.pause()
    assert control.worker.is_paused
    control.resume()
    assert not control.worker.is_paused
    control.stop()
    assert states == ["running", "paused", "running", "idle"]


def test_undoing_a_run_stops_it(qtbot, control):
    open_sample(qtbot, control)
    endless(control)
    control.run()
    control.undo()
    assert not control.is_running
    assert control.document.analysis is None
    assert control.results.runs == {}


def test_undo_and_redo_bring_results_back_without_computing(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    bits = {key: one.bits for key, one in control.results.runs.items()}
    control.undo()
    assert control.results.runs == {}
    assert control.results.projection is not None
    control.redo()
    assert {key: one.bits for key, one in control.results.runs.items()} == bits
    assert not control.is_running


def test_undoing_an_opening_shows_the_data_before(qtbot, control):
    open_sample(qtbot, control, "iris")
    run(qtbot, control)
    control.open(DataSource("sample", "wine"))
    qtbot.waitUntil(
        lambda: (
            control.results.projection is not None
            and len(control.results.projection.coordinates) == 178
        ),
        timeout=PATIENCE,
    )
    control.undo()
    qtbot.waitUntil(
        lambda: (
            control.results.projection is not None
            and len(control.results.projection.coordinates) == 150
        ),
        timeout=PATIENCE,
    )
    assert control.results.data.title == "Iris"
    assert len(control.results.runs) == 2


def test_selecting_is_recorded_and_hovering_is_not(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    count = len(control.history.entries)
    heard = []
    control.selectionChanged.connect(heard.append)
    control.select(Selection(hovered=7))
    assert heard[-1].hovered == 7
    assert len(control.history.entries) == count
    control.select(Selection(objects=frozenset({1, 2}), hovered=7))
    assert len(control.history.entries) == count + 1
    assert heard[-1] == Selection(objects=frozenset({1, 2}), hovered=7)
    control.undo()
    assert heard[-1].objects == frozenset()


def test_selecting_a_run_shows_its_details(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    other = next(key for key in control.results.runs if key != control.results.current)
    control.select(Selection(run=other))
    settle(qtbot, control)
    assert control.results.current == other
    expected = control.results.runs[other].labels + 1
    np.testing.assert_array_equal(control.results.labels["cluster"], expected)


def test_comparing_two_solutions(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control, ("centroid", "pairwise"))
    other = next(k for k in control.results.runs if k.model != control.results.current.model)
    control.compare_with(other)
    settle(qtbot, control)
    assert control.results.coclustering.second == other
    control.do(CompareWith(None))
    settle(qtbot, control)
    assert control.results.coclustering.second == control.results.current


def test_windows_are_answered(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    for kind in ("similarity", "coclustering"):
        control.ask_window(MatrixWindow(kind, 5, 25))
        settle(qtbot, control)
        assert getattr(control.results, f"{kind}_window").window == (5, 25)


def test_faults_are_told_and_nothing_breaks(qtbot, control, tmp_path):
    heard = []
    control.message.connect(lambda level, text: heard.append((level, text)))
    control.run()
    assert heard[-1] == ("error", "there is no data yet; open a file or a sample first")
    control.open(DataSource("file", str(tmp_path / "none.csv")))
    qtbot.waitUntil(lambda: "none.csv" in heard[-1][1], timeout=PATIENCE)
    assert heard[-1][0] == "error"
    open_sample(qtbot, control)
    assert run(qtbot, control) == "done"


def test_a_failing_run_leaves_the_others(qtbot, control):
    open_sample(qtbot, control)
    control.do(SetInstances(InstanceChoice("objects")))
    control.do(SetAnnealing(AnnealingChoice(n_steps=2)))
    control.do(SetClusters(ClusterRange(75, 76)))
    heard = []
    control.message.connect(lambda level, text: heard.append((level, text)))
    with qtbot.waitSignal(control.ended, timeout=PATIENCE):
        control.run()
    assert any(level == "error" and "at most" in text for level, text in heard)
    assert len(control.results.order) == 1
    assert control.results.runs[RunKey("centroid", "", 76)].error


def test_an_unexpected_fault_ends_the_run_politely(qtbot, control, monkeypatch):
    open_sample(qtbot, control)

    def broken(*_):
        raise AssertionError("a bug")

    monkeypatch.setattr(analysis, "run", broken)
    heard = []
    control.message.connect(lambda level, text: heard.append(text))
    assert run(qtbot, control) == "failed"
    assert any("a bug" in text for text in heard)
    assert not control.is_running


def test_a_second_file(qtbot, control, tmp_path):
    x = np.random.default_rng(0).normal(size=(40, 3))
    for name, noise in (("a", 0.0), ("b", 0.1)):
        np.save(tmp_path / f"{name}.npy", x + noise)
    control.open(DataSource("file", str(tmp_path / "a.npy"), ImportOptions()))
    qtbot.waitUntil(lambda: control.results.projection is not None, timeout=PATIENCE)
    control.open_second(DataSource("file", str(tmp_path / "b.npy")))
    qtbot.waitUntil(lambda: control.document.instances.how == "second", timeout=PATIENCE)
    assert run(qtbot, control) == "done"


def test_sessions_are_restored(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    control.select(Selection(cluster=1))
    saved = control.saved_session()
    other = Controller()
    try:
        other.restore(saved)
        qtbot.waitUntil(lambda: other.results.labels is not None, timeout=PATIENCE)
        assert other.document == control.document
        assert {k: r.bits for k, r in other.results.runs.items()} == {
            k: r.bits for k, r in control.results.runs.items()
        }
        assert other.selection.cluster == 1
        assert not other.is_running
    finally:
        other.close()
        qtbot.waitUntil(lambda: not other.side.is_busy, timeout=PATIENCE)
        other.deleteLater()


def test_other_data_wait_while_something_runs(qtbot, control):
    open_sample(qtbot, control)
    endless(control)
    control.run()
    heard = []
    control.message.connect(lambda level, text: heard.append((level, text)))
    control.open(DataSource("sample", "wine"))
    assert heard[-1][0] == "warning"
    assert control.document.source.name == "iris"
    control.stop()


def test_settings_changed_after_a_run_do_not_change_what_is_shown(qtbot, control):
    open_sample(qtbot, control)
    run(qtbot, control)
    before = control.results.order
    control.do(SetModels(replace(control.document.models, models=("max_cut",))))
    assert control.results.order.equals(before)
