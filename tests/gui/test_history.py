"""Commands, undo, redo, record and codec."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gencap_gui.codec import BadValueError, decode, encode
from gencap_gui.commands import (
    COMMANDS,
    Command,
    CompareWith,
    OpenData,
    RunAnalysis,
    Select,
    SetAnnealing,
    SetClusters,
    SetInstances,
    SetModels,
    SetSeed,
    decode_command,
    encode_command,
)
from gencap_gui.history import MOST_ENTRIES, History, export_script
from gencap_gui.results import RunKey
from gencap_gui.session import Document, Selection
from gencap_gui.settings import (
    Analysis,
    AnnealingChoice,
    ClusterRange,
    DataSource,
    ImportOptions,
    InstanceChoice,
    ModelChoice,
)

WINE = DataSource("sample", "wine")
FILE = DataSource(
    "file",
    "/data/genes.csv",
    ImportOptions((("gene", "name"), ("x", "feature")), "drop", ("log", "zscore_rows")),
    "00ff",
)
KEY = RunKey("pairwise", "pearson", 3)

ONE_OF_EACH: list[Command] = [
    OpenData(FILE, InstanceChoice("random", 4)),
    SetInstances(InstanceChoice("second", second=WINE)),
    SetModels(ModelChoice(("pairwise", "ratio_cut"), ("pearson", "path"), -0.5, 1.5, "full")),
    SetClusters(ClusterRange(3, 6)),
    SetAnnealing(AnnealingChoice(30, 4, 0.5)),
    SetSeed(17),
    RunAnalysis(),
    Select(Selection(frozenset({3, 1}), None, 2, 7, KEY)),
    CompareWith(KEY),
]


def test_there_is_a_sample_of_every_command():
    assert {type(command) for command in ONE_OF_EACH} == set(COMMANDS.values())


@pytest.mark.parametrize("command", ONE_OF_EACH, ids=lambda c: type(c).__name__)
def test_undo_puts_back_and_redo_gives_again(command):
    history = History(Document(source=WINE))
    before = history.document
    history.do(command)
    after = history.document
    assert after != before
    assert history.undo() is command
    assert history.document == before
    history.redo()
    assert history.document == after


@pytest.mark.parametrize("command", ONE_OF_EACH, ids=lambda c: type(c).__name__)
def test_commands_have_words_and_survive_json(command):
    assert command.words
    assert decode_command(json.loads(json.dumps(encode_command(command)))) == command


def test_all_of_them_can_be_undone_in_a_row():
    history = History()
    for command in ONE_OF_EACH:
        history.do(command)
    while history.can_undo:
        history.undo()
    assert history.document == Document()
    while history.can_redo:
        history.redo()
    assert history.document.compared == KEY


def test_a_new_command_forgets_what_was_undone():
    history = History()
    history.do(SetSeed(1))
    history.do(SetClusters(ClusterRange(2, 3)))
    history.undo()
    history.do(SetModels(ModelChoice(("max_cut",))))
    assert not history.can_redo
    assert [type(e.command) for e in history.entries] == [SetSeed, SetModels]


def test_commands_that_change_nothing_are_not_recorded():
    history = History()
    history.do(SetSeed(0))
    assert not history.can_undo


def test_scrubbing_is_one_action():
    history = History()
    history.do(Select(Selection(run=KEY)))
    for step in range(5):
        history.do(Select(Selection(run=KEY, step=step)))
    assert len(history.entries) == 2
    history.undo()
    assert history.document.selection == Selection(run=KEY)


def test_selecting_different_things_is_several_actions():
    history = History()
    history.do(Select(Selection(cluster=1)))
    history.do(Select(Selection(cluster=2)))
    assert len(history.entries) == 2


def test_hovering_is_not_recorded():
    history = History()
    history.do(Select(Selection(hovered=5)))
    assert not history.can_undo


def test_opening_other_data_forgets_results_and_selection():
    history = History(Document(source=WINE))
    history.do(RunAnalysis())
    history.do(Select(Selection(cluster=1)))
    history.do(OpenData(FILE))
    assert history.document.analysis is None
    assert history.document.selection == Selection()
    history.undo()
    assert history.document.analysis == Analysis(WINE)
    assert history.document.selection.cluster == 1


def test_running_needs_data_and_a_method():
    with pytest.raises(ValueError, match="no data"):
        History().do(RunAnalysis())
    history = History(Document(source=WINE, models=ModelChoice(models=())))
    with pytest.raises(ValueError, match="no method"):
        history.do(RunAnalysis())
    assert not history.can_undo


def test_the_record_can_be_replayed():
    history = History()
    for command in ONE_OF_EACH:
        history.do(command)
    history.undo()
    again = History.replay([(e.command, e.time) for e in history.entries], history.position)
    assert again.document == history.document
    assert again.can_redo
    assert [e.before for e in again.entries] == [e.before for e in history.entries]


def test_the_record_has_an_end_and_keeps_its_state():
    history = History()
    for i in range(MOST_ENTRIES + 10):
        history.do(Select(Selection(cluster=i + 1)))
    assert len(history.entries) == MOST_ENTRIES
    while history.can_undo:
        history.undo()
    assert history.document == history.start
    assert history.start.selection.cluster == 10


def test_undo_and_redo_of_nothing():
    with pytest.raises(IndexError):
        History().undo()
    with pytest.raises(IndexError):
        History().redo()
    assert History().next_undo == History().next_redo == ""


# --- settings and tasks -----------------------------------------------------------------------


def test_vector_methods_have_no_measure():
    chosen = ModelChoice(("centroid", "pairwise"), ("pearson", "cosine"))
    assert chosen.candidates() == (
        ("centroid", ""),
        ("pairwise", "pearson"),
        ("pairwise", "cosine"),
    )


def test_settings_a_method_does_not_have_leave_its_tasks_alone():
    plain = Analysis(WINE, models=ModelChoice(("centroid", "ratio_cut")))
    changed = replace(plain, models=replace(plain.models, shift=1.0, power=1.9, covariance="full"))
    same = set(plain.tasks()) & set(changed.tasks())
    assert {task.key.model for task in same} == {"centroid"}
    assert len(plain.tasks()) == len(changed.tasks()) == 14


@pytest.mark.parametrize(
    "make",
    [
        lambda: ClusterRange(5, 4),
        lambda: ClusterRange(0, 4),
        lambda: ClusterRange(2, 10_000),
        lambda: AnnealingChoice(n_steps=1),
        lambda: AnnealingChoice(n_init=0),
        lambda: AnnealingChoice(noise=-1.0),
        lambda: ModelChoice(models=("k-means",)),
        lambda: ModelChoice(measures=("manhattan",)),
        lambda: ModelChoice(power=3.0),
        lambda: InstanceChoice(n_splits=0),
    ],
)
def test_impossible_settings_cannot_be_made(make):
    with pytest.raises(ValueError, match=r"got|known"):
        make()


# --- codec ------------------------------------------------------------------------------------


def test_documents_survive_json():
    history = History()
    for command in ONE_OF_EACH:
        history.do(command)
    text = json.dumps(encode(history.document))
    assert decode(Document, json.loads(text)) == history.document


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (5, "object"),
        ({"low": 2}, None),
        ({"low": "2", "high": 3}, "int"),
        ({"low": True, "high": 3}, "int"),
        ({"low": 2, "high": 3, "other": 1}, "unknown field"),
        ({"low": 5, "high": 3}, "clusters"),
        ({"low": 2**70, "high": 3}, "int"),
    ],
)
def test_bad_values_are_refused(data, words):
    if words is None:
        assert decode(ClusterRange, data).high == ClusterRange().high
        return
    with pytest.raises(BadValueError, match=words):
        decode(ClusterRange, data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"command": "Explode"},
        {"command": ["SetSeed"], "seed": 1},
        {"command": "SetSeed"},
        {"command": "SetSeed", "seed": 1, "more": 2},
        {"command": "OpenData", "source": {"kind": "url", "name": "x"}},
    ],
)
def test_bad_commands_are_refused(data):
    with pytest.raises(BadValueError):
        decode_command(data)


def test_floats_without_a_value_survive():
    assert decode(float, encode(float("inf"))) == float("inf")
    assert decode(float, encode(float("nan"))) != decode(float, encode(float("nan")))
    with pytest.raises(TypeError):
        encode(object())


# --- script -----------------------------------------------------------------------------------


def test_a_script_needs_data():
    with pytest.raises(ValueError, match="nothing to export"):
        export_script(History(), "0")


def test_the_script_shows_what_was_run_not_what_was_set_afterwards():
    history = History()
    history.do(OpenData(FILE))
    history.do(SetSeed(5))
    history.do(RunAnalysis())
    history.do(SetSeed(9))
    text = export_script(history, "0")
    assert "seed = 5" in text
    assert "seed = 9" not in text
    assert "transforms=['log', 'zscore_rows']" in text
    assert "missing='drop'" in text
    compile(text, "script", "exec")


def test_a_script_without_a_run_only_loads():
    history = History()
    history.do(OpenData(FILE))
    assert "gencap.capacity" not in export_script(history, "0")


def test_a_second_file_that_is_missing_is_said():
    history = History(Document(source=WINE, instances=InstanceChoice("second")))
    with pytest.raises(ValueError, match="second file"):
        export_script(history, "0")
