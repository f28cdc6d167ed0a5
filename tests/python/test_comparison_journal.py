"""The journal: an interrupted comparison goes on where it stopped, and nowhere else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from gencap import Annealing, compare
from gencap.comparison.journal import FILE, Journal
from gencap.comparison.tasks import Outcome
from gencap.io import InputError

TIMES = ["seconds", "bits_per_second"]
SETTINGS = {
    "models": ("centroid", "correlation", "ratio_cut"),
    "measures": ("pearson",),
    "n_clusters": (2, 3, 4),
    "n_splits": 2,
    "null_draws": 1,
    "final_draws": 5,
    "annealing": Annealing(n_steps=20, tol=1e-2, max_iter=20),
}


def data():
    rng = np.random.default_rng(3)
    return 4.0 * rng.standard_normal((3, 6))[np.arange(90) % 3] + rng.standard_normal((90, 6))


def run(folder=None, **more):
    return compare(data(), out=folder, n_jobs=2, **{**SETTINGS, **more})


def same(one, two):
    pd.testing.assert_frame_equal(
        one.table.drop(columns=TIMES), two.table.drop(columns=TIMES), check_exact=True
    )
    pd.testing.assert_frame_equal(one.split_bits, two.split_bits, check_exact=True)
    assert one.verdict == two.verdict
    assert one.corrected == two.corrected
    for kind, null in one.null.items():
        assert null.draws.tolist() == two.null[kind].draws.tolist()
    for key, solution in one.solutions.items():
        assert np.array_equal(solution.probabilities, two.solutions[key].probabilities)


@pytest.fixture(scope="module")
def whole():
    return run()


PROGRAM = """
import sys, time
sys.path.insert(0, {tests!r})
from test_comparison_journal import run
run(sys.argv[1], progress=lambda p: time.sleep(0.02))
"""


def killed_in_the_middle(folder, enough):
    """Start a comparison in a process of its own and kill it once some tasks are done."""
    program = PROGRAM.format(tests=os.path.dirname(__file__))
    child = subprocess.Popen([sys.executable, "-c", program, str(folder)])
    path = folder / FILE
    try:
        for _ in range(1200):
            if path.exists() and path.read_bytes().count(b"\n") > enough:
                break
            assert child.poll() is None, "it ended before it could be killed"
            time.sleep(0.05)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == -signal.SIGKILL
    return path.read_bytes().count(b"\n")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes die otherwise here")
def test_a_killed_comparison_goes_on_and_ends_with_the_same_table(tmp_path, whole):
    lines = killed_in_the_middle(tmp_path, 6)
    again = run(tmp_path)
    same(whole, again)
    assert any("taken over" in note for note in again.notes)
    assert (tmp_path / FILE).read_bytes().count(b"\n") > lines


def test_a_finished_comparison_is_read_and_not_run_again(tmp_path, whole, monkeypatch):
    same(whole, run(tmp_path))

    def refuse(*_):
        raise AssertionError("nothing is left to run")

    monkeypatch.setattr("gencap.comparison.runner.run_task", refuse)
    second = run(tmp_path)
    same(whole, second)
    # Even the seconds are those of the run that was made.
    assert run(tmp_path).table.equals(second.table)


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_half_written_last_line_is_dropped(tmp_path, whole, cut):
    run(tmp_path)
    path = tmp_path / FILE
    before = path.read_bytes()
    path.write_bytes(before[:-cut])
    same(whole, run(tmp_path))
    # The last task ran again: the same line but for its seconds, so that all lines are whole.
    lines = path.read_bytes().splitlines()
    assert len(lines) == len(before.splitlines())
    assert lines[:-1] == before.splitlines()[:-1]


def test_damage_in_the_middle_ends_what_is_used(tmp_path, whole):
    run(tmp_path)
    path = tmp_path / FILE
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(bytes(raw))
    same(whole, run(tmp_path))


def test_a_file_cut_in_its_first_line_begins_anew(tmp_path):
    (tmp_path / FILE).write_bytes(b'1234abcd {"gencap jour')
    assert run(tmp_path).table.shape[0] == 12


def test_more_draws_use_what_is_there(tmp_path):
    run(tmp_path, final_draws=0)
    lines = (tmp_path / FILE).read_bytes().count(b"\n")
    found = run(tmp_path, final_draws=3)
    assert len(found.null["gaussian"].draws) == 3
    assert (tmp_path / FILE).read_bytes().count(b"\n") >= lines + 6


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_clusters": (2, 3)}, r"n_clusters was \[2, 3, 4\], now it is \[2, 3\]"),
        ({"random_state": 1}, "the data differ; random_state was 0, now it is 1"),
        ({"models": ("centroid",)}, "models was"),
        ({"annealing": Annealing(n_steps=21)}, "model settings differ"),
    ],
)
def test_a_journal_of_another_plan_is_refused(tmp_path, change, said):
    assert len(run(tmp_path, final_draws=0, null_draws=0).table) == 12
    with pytest.raises(InputError, match=said) as caught:
        run(tmp_path, final_draws=0, null_draws=0, **change)
    assert "choose another output folder" in str(caught.value)


def test_other_data_are_refused(tmp_path):
    run(tmp_path, final_draws=0, null_draws=0)
    with pytest.raises(InputError, match="the data differ"):
        compare(data() + 1.0, out=tmp_path, **{**SETTINGS, "final_draws": 0, "null_draws": 0})


def test_a_foreign_file_is_left_alone(tmp_path):
    (tmp_path / FILE).write_text("my own notes\n")
    with pytest.raises(InputError, match="no journal of gencap"):
        run(tmp_path)
    assert (tmp_path / FILE).read_text() == "my own notes\n"


def test_outcomes_come_back_as_they_were(tmp_path):
    rng = np.random.default_rng(0)
    runs = [{"k": 2, "raw": 0.1 + 0.2, "beta": float("nan"), "effective": 2.0, "sweeps": 3}]
    arrays = {"beta 2": rng.random(7), "labels 2": np.arange(5, dtype=np.int32)}
    journal = Journal(tmp_path, {"a": 1})
    journal.add(Outcome("key", 1.5, float("-inf"), runs, arrays))
    journal.close()
    journal = Journal(tmp_path, {"a": 1})
    outcome = journal["key"]
    journal.close()
    assert outcome.runs[0]["raw"] == 0.1 + 0.2
    assert np.isnan(outcome.runs[0]["beta"])
    assert outcome.shift == float("-inf")
    assert np.array_equal(outcome.arrays["beta 2"], arrays["beta 2"])
    assert outcome.arrays["labels 2"].dtype == np.int32


def test_a_journal_without_a_folder_is_kept_in_memory():
    journal = Journal(None, {})
    journal.add(Outcome("key", 0.0, 0.0, []))
    assert "key" in journal
    assert len(journal) == 1
    journal.close()
