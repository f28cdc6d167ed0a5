"""Session files as untrusted input, autosave folders, recent files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gencap_gui import files
from gencap_gui.commands import OpenData, RunAnalysis, Select, SetAnnealing, SetClusters
from gencap_gui.files import SavedSession, SessionFileError, read_session, write_session
from gencap_gui.history import History
from gencap_gui.recovery import MOST_RECENT, RecentFiles, Recovery
from gencap_gui.session import Selection
from gencap_gui.settings import AnnealingChoice, ClusterRange, DataSource, InstanceChoice
from gencap_gui.tasks import analysis, data
from gencap_gui.tasks.state import State


@pytest.fixture(scope="module")
def session():
    history, state, workspace = History(), State(), data.Workspace()
    history.do(OpenData(DataSource("sample", "iris"), InstanceChoice("random", 2)))
    history.do(SetClusters(ClusterRange(2, 3)))
    history.do(SetAnnealing(AnnealingChoice(n_steps=10)))
    history.do(RunAnalysis())
    history.do(Select(Selection(frozenset({1, 4}), cluster=1)))
    history.undo()
    tasks = history.document.analysis.tasks()
    found = analysis.run(analysis.AnalysisTask(tasks), state, workspace)
    table = workspace.table(history.document.source, state)
    return SavedSession(history, list(zip(tasks, found, strict=True)), [table])


@pytest.fixture
def saved(session, tmp_path):
    path = tmp_path / "a.gencap"
    write_session(path, session)
    return path


def test_everything_comes_back(session, saved):
    back = read_session(saved)
    assert back.history.document == session.history.document
    assert back.history.can_redo
    for (task, result), (task2, result2) in zip(session.results, back.results, strict=True):
        assert task == task2
        for name in ("bits", "raw_bits", "beta", "effective", "best_step", "splits", "note"):
            assert getattr(result, name) == getattr(result2, name)
        for name in ("labels", "second_labels", "confidence", "second_choice"):
            np.testing.assert_array_equal(getattr(result, name), getattr(result2, name))
        np.testing.assert_array_equal(result.curve.bits, result2.curve.bits)
        np.testing.assert_array_equal(result.paths.coordinates, result2.paths.coordinates)
        np.testing.assert_array_equal(result.label_path.labels, result2.label_path.labels)
        # confidences on the slider are kept in steps of 1/255
        np.testing.assert_allclose(
            result.label_path.confidence, result2.label_path.confidence, atol=0.5 / 255 + 1e-6
        )
    table, table2 = session.tables[0], back.tables[0]
    np.testing.assert_array_equal(table.values, table2.values)
    np.testing.assert_array_equal(table.known, table2.known)
    assert list(table.columns) == list(table2.columns)
    assert table.known_names == table2.known_names


def test_samples_with_two_measurements_come_back(tmp_path):
    table = data.load(DataSource("sample", "gaussians"), State())
    history = History()
    history.do(OpenData(table.source, InstanceChoice("own")))
    write_session(tmp_path / "b.gencap", SavedSession(history, [], [table]))
    back = read_session(tmp_path / "b.gencap").tables[0]
    assert back.values is None
    np.testing.assert_array_equal(back.own[1], table.own[1])


def test_quick_saves_leave_the_slider_out(session, tmp_path):
    write_session(tmp_path / "q.gencap", session, paths=False)
    assert all(r.label_path is None for _, r in read_session(tmp_path / "q.gencap").results)


def test_a_failed_save_leaves_the_old_file(session, saved, monkeypatch):
    before = saved.read_bytes()

    def broken(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(np.lib.format, "write_array", broken)
    with pytest.raises(OSError, match="disk full"):
        write_session(saved, session)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_the_file_holds_no_pickle(saved):
    with zipfile.ZipFile(saved) as archive:
        names = archive.namelist()
        assert all(name == "session.json" or name.endswith(".npy") for name in names)
        for name in names[1:]:
            array = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
            assert array.dtype.kind in "fiub"


# --- untrusted ----------------------------------------------------------------------------------


def rewrite(path, change):
    """Let `change(parts)` edit the dict of parts of a session file."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def edit_json(path, change):
    def edit(parts):
        document = json.loads(parts["session.json"])
        change(document)
        parts["session.json"] = json.dumps(document)

    rewrite(path, edit)


def npy(array):
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def refuse(path, words):
    with pytest.raises(SessionFileError, match=words):
        read_session(path)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "x.gencap"
    refuse(path, "cannot read")
    path.write_bytes(b"")
    refuse(path, "not a readable session")
    path.write_bytes(b"PK\x03\x04" + b"\0" * 50)
    refuse(path, "not a readable session")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.json", "[]")
    refuse(path, "does not say")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../evil.npy", "unexpected part"),
        ("/etc/passwd", "unexpected part"),
        ("arrays/../x.npy", "unexpected part"),
        ("arrays/x.npy", "unexpected part"),
        ("code.py", "unexpected part"),
    ],
)
def test_strange_names_are_refused(saved, name, words):
    rewrite(saved, lambda parts: parts.update({name: b"x"}))
    refuse(saved, words)


def test_pickles_are_refused(saved):
    evil = np.array([{"a": 1}], dtype=object)
    rewrite(saved, lambda parts: parts.update({"arrays/0.npy": npy(evil)}))
    refuse(saved, "no plain array")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(3), "shape"),
        (np.zeros((3, 2), dtype=np.int64), "type"),
        (np.full((150, 4), np.nan), "missing or infinite"),
        (np.array(["a"]), "type"),
        (np.zeros((0, 4)), "missing or infinite"),
    ],
)
def test_arrays_of_another_kind_are_refused(saved, array, words):
    rewrite(saved, lambda parts: parts.update({"arrays/0.npy": npy(array)}))
    refuse(saved, words)


def test_bombs_are_refused(saved, monkeypatch):
    rewrite(saved, lambda parts: parts.update({"arrays/0.npy": b"\0" * 60_000_000}))
    monkeypatch.setattr(files, "MOST_RATIO", 100)
    refuse(saved, "blow up")
    monkeypatch.setattr(files, "MOST_RATIO", 10**6)
    monkeypatch.setattr(files, "MOST_BYTES", 10**6)
    refuse(saved, "GB")


def test_too_many_parts_and_too_long_a_record(saved, monkeypatch):
    monkeypatch.setattr(files, "MOST_ENTRIES", 3)
    refuse(saved, "parts; at most 3")
    monkeypatch.undo()
    monkeypatch.setattr(files, "MOST_JSON", 10)
    refuse(saved, "too large")


def huge_header(parts):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 100000), }"
    header += b" " * (118 - len(header)) + b"\n"
    parts["arrays/0.npy"] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def test_arrays_that_claim_to_be_huge_are_refused(saved):
    rewrite(saved, huge_header)
    refuse(saved, "no plain array")


def drop_field(name):
    return lambda document: document.pop(name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(version=99), "version 99"),
        (lambda d: d.update(format="zip"), "does not say"),
        (drop_field("commands"), "commands must be a list"),
        (drop_field("tables"), "tables must be a list"),
        (drop_field("start"), "start"),
        (lambda d: d.update(position="1"), "position"),
        (lambda d: d["commands"].append({"command": {}}), "no time"),
        (lambda d: d["commands"][0]["command"].update(command="Run"), "no known name"),
        (lambda d: d["commands"].pop(0), "cannot be repeated"),
        (lambda d: d["tables"][0].update(values={"array": 9999}), "missing"),
        (lambda d: d["tables"][0].update(values={"array": "0"}), "does not refer"),
        (lambda d: d["tables"][0].update(values=None), "no numbers"),
        (lambda d: d["tables"][0].update(names=["a"]), "names"),
        (lambda d: d["tables"][0].update(known_names=[]), "no words"),
        (lambda d: d["results"][0]["result"].update(best_step=10**6), "outside the curve"),
        (lambda d: d["results"][0]["result"].update(bits="many"), "bits"),
        (lambda d: d["results"][0]["result"].update(curve=None), "curve"),
        (lambda d: d["results"][0].update(result=5), "no object"),
        (lambda d: d["results"][0]["task"].update(seed=None), "seed"),
    ],
)
def test_damaged_documents_are_refused(saved, change, words):
    edit_json(saved, change)
    refuse(saved, words)


def test_deep_nesting_is_refused(saved):
    rewrite(saved, lambda parts: parts.update({"session.json": b"[" * 200_000}))
    refuse(saved, "bad JSON")


def test_random_damage_never_escapes(saved, tmp_path):
    """Whatever bytes are changed, the answer is a session or a worded refusal."""
    rng = np.random.default_rng(7)
    original = bytearray(saved.read_bytes())
    path = tmp_path / "damaged.gencap"
    refused = 0
    for _ in range(150):
        damaged = bytearray(original)
        for place in rng.integers(0, len(damaged), size=5):
            damaged[place] = int(rng.integers(0, 256))
        path.write_bytes(damaged)
        try:
            read_session(path)
        except SessionFileError:
            refused += 1
    assert refused > 100  # checksums find nearly all of it


# --- recovery -----------------------------------------------------------------------------------


def test_a_clean_end_leaves_nothing(tmp_path):
    recovery = Recovery(tmp_path)
    recovery.begin()
    recovery.path.write_text("x")
    assert recovery.leftovers() == []
    recovery.end()
    assert list(tmp_path.iterdir()) == []


def test_running_programs_are_left_alone(tmp_path):
    one, two = Recovery(tmp_path), Recovery(tmp_path)
    one.begin()
    one.path.write_text("x")
    assert two.leftovers() == []
    one.end()


def test_what_a_killed_program_left_is_found(tmp_path):
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from gencap_gui.recovery import Recovery\n"
        "r = Recovery(Path(sys.argv[1])); r.begin(); r.path.write_text('state')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=os.environ, check=False)
    recovery = Recovery(tmp_path)
    (left,) = recovery.leftovers()
    assert left.path.read_text() == "state"
    recovery.discard(left)
    assert recovery.leftovers() == []
    assert list(tmp_path.iterdir()) == []


def test_only_our_own_folders_are_discarded(tmp_path):
    recovery = Recovery(tmp_path / "autosave")
    other = tmp_path / "precious"
    other.mkdir()
    recovery.discard(replace_leftover(other / "autosave.gencap"))
    assert other.is_dir()


def replace_leftover(path):
    from gencap_gui.recovery import Leftover

    return replace(Leftover(Path(), 0.0), path=path)


def test_recent_files(tmp_path):
    recent = RecentFiles(tmp_path / "home" / "recent.json")
    assert recent.names() == []
    made = []
    for i in range(MOST_RECENT + 2):
        path = tmp_path / f"{i}.csv"
        path.write_text("x")
        made.append(str(path))
        recent.add(str(path))
    recent.add(made[5])
    assert recent.names()[0] == made[5]
    assert len(recent.names()) == MOST_RECENT
    Path(made[5]).unlink()
    assert made[5] not in recent.names()
    recent.clear()
    assert recent.names() == []


@pytest.mark.parametrize("text", ["", "{", "5", '[1, null, "nofile"]'])
def test_a_damaged_list_of_recent_files_is_empty(tmp_path, text):
    (tmp_path / "recent.json").write_text(text)
    assert RecentFiles(tmp_path / "recent.json").names() == []
