"""Tasks without a window: loading, instances, runs with live steps, details."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gencap
from gencap_gui.results import RunKey, RunResult
from gencap_gui.session import MatrixWindow
from gencap_gui.settings import (
    Analysis,
    AnnealingChoice,
    ClusterRange,
    DataSource,
    ImportOptions,
    InstanceChoice,
    ModelChoice,
)
from gencap_gui.store import ResultStore
from gencap_gui.tasks import analysis, data, details
from gencap_gui.tasks.clock import Clock
from gencap_gui.tasks.paths import assigned, branch_numbers, leads, relabeled
from gencap_gui.tasks.state import State

IRIS = DataSource("sample", "iris")
SHORT = AnnealingChoice(n_steps=12)


def make_analysis(models=("centroid",), measures=("euclidean",), low=2, high=3, **options):
    return Analysis(
        options.pop("source", IRIS),
        options.pop("instances", InstanceChoice("interleave")),
        ModelChoice(models, measures),
        ClusterRange(low, high),
        SHORT,
    )


def genes(folder):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4)) + 6 * (np.arange(60)[:, None] % 2)
    frame = pd.DataFrame(x, columns=list("abcd"))
    frame.insert(0, "gene", [f"g{i}" for i in range(60)])
    frame["kind"] = ["even", "odd"] * 30
    frame.loc[3, "b"] = np.nan
    path = folder / "genes.csv"
    frame.to_csv(path, index=False)
    return str(path)


# --- data -------------------------------------------------------------------------------------


def test_preview_guesses_and_counts(tmp_path):
    found = data.preview(genes(tmp_path), State())
    assert found.n_rows == 60
    assert found.roles["gene"] == "name"
    assert found.roles["kind"] == "label"
    assert found.gaps["b"] == found.rows_with_gaps == 1
    assert len(found.head) == 50


def test_files_load_with_names_labels_and_notes(tmp_path):
    path = genes(tmp_path)
    source = DataSource("file", path, ImportOptions(missing="drop", transforms=("zscore_columns",)))
    loaded = data.load(source, State())
    assert loaded.shape == (59, 4)
    assert loaded.names[3] == "g4"
    assert loaded.known_names == ("even", "odd")
    assert loaded.known[0] == 0
    assert loaded.source.digest
    assert any("left out" in note for note in loaded.notes)
    summary = loaded.summary()
    assert (summary.title, summary.n_objects, summary.columns) == ("genes.csv", 59, tuple("abcd"))


def test_a_changed_file_is_noticed(tmp_path):
    path = genes(tmp_path)
    source = DataSource("file", path, ImportOptions(missing="drop"))
    first = data.load(source, State()).source
    with open(path, "a") as file:
        file.write("g60,1,2,3,4,even\n")
    again = data.load(first, State())
    assert again.source != first
    assert any("changed" in note for note in again.notes)


def test_errors_say_what_to_do(tmp_path):
    path = genes(tmp_path)
    with pytest.raises(ValueError, match="missing='drop'"):
        data.load(DataSource("file", path), State())
    with pytest.raises((ValueError, OSError), match="none"):
        data.load(DataSource("file", str(tmp_path / "none.csv")), State())


@pytest.mark.parametrize("name", list(data.SAMPLES))
def test_every_sample_loads_and_splits(name):
    loaded = data.load(DataSource("sample", name), State())
    found = data.measured(loaded, data.suited_instances(loaded), 0)
    assert len(found.first) == loaded.shape[0]
    assert len(found.columns) == found.table.shape[1]


@pytest.mark.parametrize("how", ["interleave", "random", "objects"])
def test_instances_of_a_table(how):
    loaded = data.load(IRIS, State())
    found = data.measured(loaded, InstanceChoice(how, 2), 0)
    rows = 75 if how == "objects" else 150
    assert len(found.first) == len(found.known) == len(found.table) == rows
    assert found.table.shape[1] == 4


def test_a_second_file_is_the_second_measurement(tmp_path):
    workspace, state = data.Workspace(), State()
    one = DataSource("file", genes(tmp_path), ImportOptions(missing="impute"))
    found = workspace.measured(one, InstanceChoice("second", second=one), 0, state)
    np.testing.assert_array_equal(found.pair.first, found.pair.second)
    with pytest.raises(ValueError, match="second file is missing"):
        workspace.measured(one, InstanceChoice("second"), 0, state)


def test_samples_without_a_table_cannot_be_split():
    loaded = data.load(DataSource("sample", "gaussians"), State())
    assert loaded.own is not None
    with pytest.raises(ValueError, match="two measurements of its own"):
        data.measured(loaded, InstanceChoice("interleave"), 0)


def test_the_workspace_makes_things_once():
    workspace, state = data.Workspace(), State()
    choice = InstanceChoice("random", 2)
    one = workspace.measured(IRIS, choice, 0, state)
    assert workspace.measured(IRIS, choice, 0, state) is one
    assert workspace.measured(IRIS, choice, 1, state) is not one
    assert workspace.plane(IRIS, choice, 0, state) is workspace.plane(IRIS, choice, 0, state)


# --- runs -------------------------------------------------------------------------------------


def run_all(chosen, listen=None):
    state, workspace = State(listen), data.Workspace()
    tasks = chosen.tasks()
    return tasks, analysis.run(analysis.AnalysisTask(tasks), state, workspace), state, workspace


def test_bits_are_those_of_the_library():
    tasks, found, _, _ = run_all(make_analysis(("centroid", "pairwise"), ("cosine",)))
    pair = gencap.split_features(gencap.datasets.make("iris").data)
    for task, result in zip(tasks, found, strict=True):
        expected = gencap.capacity(analysis.build_model(task), pair)
        assert result.bits == expected.bits
        assert result.effective == expected.n_clusters
        np.testing.assert_array_equal(result.labels, expected.labels)
        np.testing.assert_array_equal(result.curve.bits, expected.curve.bits)


def test_live_points_come_in_order_and_in_the_plane():
    heard = []
    _, (result,), _, _ = run_all(make_analysis(low=3), heard.append)
    points = [one for one in heard if isinstance(one, analysis.LivePoint)]
    assert [p.index for p in points] == list(range(len(points)))
    assert all(a.beta < b.beta for a, b in itertools.pairwise(points))
    assert points[-1].centers.shape == (3, 2)
    assert points[-1].labels.shape == (150,)
    assert len(result.live) == len(points)
    # what was on its way is not kept twice
    assert all(p.labels is None for p in result.live)


@pytest.mark.parametrize("model", [m.key for m in analysis.METHODS.values()])
def test_every_method_gives_what_views_draw(model):
    (task,), (result,), state, workspace = run_all(make_analysis((model,), low=3))
    assert not result.error
    assert result.finished
    assert len(result.labels) == len(result.confidence) == len(result.second_labels) == 150
    assert result.seconds > 0
    if analysis.METHODS[model].anneals:
        steps = len(result.curve.beta)
        assert result.label_path.labels.shape == (steps, 150)
        assert result.paths.coordinates.shape[::2] == (steps, 2)
        # colors on the slider at the optimum are those of the clusters
        np.testing.assert_array_equal(result.label_path.labels[result.best_step], result.labels)
    found = details.describe(details.DetailsTask(task, result, None), state, workspace)
    assert list(found.labels.columns[:5]) == [
        "object",
        "name",
        "cluster",
        "confidence",
        "second choice",
    ]
    assert found.labels["known"].nunique() == 3
    assert found.similarity.matrix.shape == found.coclustering.codes.shape == (150, 150)
    assert set(found.profiles.columns) >= {"cluster", "column", "mean", "sd", "n"}


def test_a_run_that_fails_says_so_and_the_others_go_on():
    chosen = make_analysis(low=149, high=151, instances=InstanceChoice("interleave"))
    # three temperatures suffice to see which of the three runs can be done at all
    chosen = replace(chosen, annealing=AnnealingChoice(n_steps=3))
    _, found, _, _ = run_all(chosen)
    assert [bool(result.error) for result in found] == [False, False, True]
    assert "at most the number of objects" in found[2].error
    assert len(analysis.order_table(found)) == 2


def test_a_fault_of_ours_is_told_and_the_others_go_on(monkeypatch):
    real = analysis.run_one

    def broken(task, *rest):
        if task.key.n_clusters == 2:
            raise AttributeError("a bug")
        return real(task, *rest)

    monkeypatch.setattr(analysis, "run_one", broken)
    _, found, _, _ = run_all(make_analysis())
    assert "unexpected fault, AttributeError: a bug" in found[0].error
    assert not found[1].error


def test_after_a_failure_nothing_counts_as_cancelled():
    chosen = make_analysis(("pairwise",), low=150, high=151)
    chosen = replace(chosen, annealing=AnnealingChoice(n_steps=3, n_init=1))
    tasks = chosen.tasks()[::-1]
    found = analysis.run(analysis.AnalysisTask(tasks), State(), data.Workspace())
    assert found[0].error
    assert not found[1].error


def test_cancelling_ends_a_run():
    state = State(lambda item: state.cancel() if isinstance(item, analysis.LivePoint) else None)
    tasks = make_analysis().tasks()
    with pytest.raises(gencap.Cancelled):
        analysis.run(analysis.AnalysisTask(tasks), state, data.Workspace())


def test_a_paused_state_waits_and_cancel_wakes_it():
    state = State()
    state.pause()
    ended = []

    def work():
        try:
            state.check()
        except gencap.Cancelled:
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert thread.is_alive()
    assert state.renew().paused
    state.cancel()
    thread.join(10)
    assert ended == [True]


def test_beyond_the_memory_cap_the_slider_says_so(monkeypatch):
    monkeypatch.setattr(analysis, "PATH_LIMIT", 1000)
    _, (result,), _, _ = run_all(make_analysis(low=3))
    assert result.label_path is None
    assert "slider" in result.note
    assert result.paths is not None


def test_ranking_takes_the_chosen_number_of_clusters():
    def made(model, k, bits):
        return RunResult(
            RunKey(model, "", k), finished=True, bits=bits, raw_bits=bits, bits_sd=0.05
        )

    runs = [made("centroid", 2, 1.0), made("centroid", 3, 1.02), made("gaussian", 2, 1.5)]
    table = analysis.ranking_table([*runs, RunResult(RunKey("max_cut", "", 2), error="no")])
    assert list(table["model"]) == ["gaussian", "centroid"]
    assert list(table["n_clusters"]) == [2, 2]  # 3 is within one deviation, so 2 suffices
    assert list(table["rank"]) == [1, 2]
    assert analysis.ranking_table([]).empty
    assert analysis.order_table([]).empty


def test_optimistic_pairs_are_marked():
    _, (result,), _, _ = run_all(make_analysis(low=3, instances=InstanceChoice("objects")))
    assert result.optimistic


# --- details ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def described():
    (task,), (result,), state, workspace = run_all(make_analysis(low=3))
    return task, result, state, workspace


def test_windows_show_the_same_numbers_in_detail(described):
    task, result, state, workspace = described
    whole = details.DetailsTask(task, result, None)
    matrix = details.describe(whole, state, workspace).similarity
    asked = details.WindowTask(
        whole, MatrixWindow("similarity", 10, 30), float(matrix.matrix[0, 0])
    )
    part = details.describe_window(asked, state, workspace)
    assert part.window == (10, 30)
    np.testing.assert_array_equal(part.order, matrix.order[10:30])
    # float32 of numbers around 50
    np.testing.assert_allclose(part.matrix, matrix.matrix[10:30, 10:30], atol=1e-4)


def test_windows_of_comparisons(described):
    task, result, state, workspace = described
    other = replace(result, labels=np.roll(result.labels, 40), key=RunKey("gaussian", "", 3))
    whole = details.DetailsTask(task, result, other)
    matrix = details.describe(whole, state, workspace).coclustering
    assert matrix.second == other.key
    asked = details.WindowTask(whole, MatrixWindow("coclustering", 140, 900))
    part = details.describe_window(asked, state, workspace)
    assert part.window == (140, 150)
    np.testing.assert_array_equal(part.codes, matrix.codes[140:, 140:])


def test_details_need_clusters(described):
    task, _, state, workspace = described
    with pytest.raises(ValueError, match="wait until"):
        details.describe(details.DetailsTask(task, RunResult(task.key), None), state, workspace)


# --- numbers of branches ----------------------------------------------------------------------


def test_branches_keep_their_numbers():
    groups = np.array([[0, 0, 0], [0, 1, 0], [2, 1, 0]])
    assert leads(groups).tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 2]]
    # at the optimum (second row) group 1 is cluster 0 and group 0 is cluster 1
    numbers = branch_numbers(groups, groups[1], np.array([1, 0]))
    assert numbers.tolist() == [[1, 1, 1], [1, 0, 1], [1, 0, 2]]


def test_slots_of_one_branch_are_added_up():
    labels, confidence = assigned(np.array([[0.3, 0.4, 0.3], [0.1, 0.8, 0.1]]), np.array([5, 2, 5]))
    assert labels.tolist() == [5, 2]
    np.testing.assert_allclose(confidence, [0.6, 0.8], rtol=1e-6)


def test_the_second_instance_uses_the_first_ones_numbers():
    hot = np.eye(4)
    labels = relabeled(hot[[2, 0, 3, 1]], np.arange(4), np.array([0, 2]))
    assert labels[:2].tolist() == [1, 0]
    assert len(set(labels.tolist())) == 4


# --- store and clock --------------------------------------------------------------------------


def test_the_store_gives_up_old_paths_first(described):
    task, result, _, _ = described
    store = ResultStore(paths_limit=result.label_path.labels.nbytes * 4)
    other = replace(task, seed=1)
    store.put(task, result)
    store.put(other, result)
    assert store.get(task).label_path is None
    assert "memory" in store.get(task).note
    assert store.get(other).label_path is not None
    assert dict(store.items([task, replace(task, seed=2)])).keys() == {task}


def test_failed_results_are_tried_again(described):
    task, _, _, _ = described
    store = ResultStore()
    store.put(task, RunResult(task.key, finished=True, error="no"))
    assert task not in store
    assert len(store) == 0


def test_the_clock_never_goes_back_and_pauses():
    clock = Clock()
    clock.start(4)
    clock.begin(1)
    clock.within(gencap.Progress(5, 10))
    assert clock.value("").share == pytest.approx(0.375)
    clock.within(gencap.Progress(1, 10))
    clock.within(gencap.Progress(0, 0))
    assert clock.value("").share == pytest.approx(0.375)
    clock.pause()
    clock.resume()
    clock._began -= 30
    left = clock.value("x").seconds_left
    assert left == pytest.approx(30 / 0.375 * 0.625, rel=0.05)  # the test itself takes moments
