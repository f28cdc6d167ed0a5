"""The command line: exit codes, messages, and no partial files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import pytest
from click.testing import CliRunner
from comparison_samples import make_comparison
from report_samples import fake_select

import gencap
from gencap import study as studies
from gencap._progress import Progress
from gencap.cli import app
from gencap.cli._app import printable
from gencap.cli._options import cluster_range, writable_folder
from gencap.cli._screen import Watch

FEW = {("correlation", "pearson", np.nan): 1.5, ("pairwise", "pearson", np.nan): 1.2}


@pytest.fixture
def runner():
    return CliRunner()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(here):
    rng = np.random.default_rng(0)
    rows = [
        f"object {i}," + ",".join(f"{v:.4f}" for v in rng.standard_normal(4)) for i in range(30)
    ]
    (here / "table.csv").write_text("name,a,b,c,d\n" + "\n".join(rows) + "\n")
    return here / "table.csv"


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(studies, "_select", fake_select)


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


# --- help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    ["demo", "compare", "capacity", "transfer", "resolution", "gui", "reproduce", "info"],
)
def test_help_shows_a_runnable_example(runner, command):
    result = runner.invoke(app, [command, "--help"])
    assert result.exit_code == 0
    examples = result.output.split("Example")[1]
    lines = [line.split() for line in examples.splitlines() if line.strip().startswith("gencap ")]
    assert lines
    for words in lines:
        known = app.commands[words[1]]
        options = {option for p in known.params for option in (*p.opts, *p.secondary_opts)}
        assert {w for w in words if w.startswith("--")} <= options


def test_no_command_shows_the_commands(runner):
    result = runner.invoke(app, [])
    assert result.exit_code == 2
    for name in ("capacity", "compare", "demo", "info", "reproduce"):
        assert name in result.output


def test_version(runner):
    result = runner.invoke(app, ["--version"])
    assert gencap.__version__ in result.output


def test_info(runner):
    result = runner.invoke(app, ["info"])
    assert result.exit_code == 0
    for fragment in (gencap.__version__, np.__version__, "scikit-learn", "threads", "docs/"):
        assert fragment in result.output


def test_info_names_missing_extras(runner, monkeypatch):
    from gencap.cli import info

    monkeypatch.setattr(info, "has", lambda module: False)
    assert "gencap[parquet]" in runner.invoke(app, ["info"]).output


# --- capacity ------------------------------------------------------------------------------------


def test_capacity_writes_a_report(runner, fake, table, here):
    result = runner.invoke(app, ["capacity", "table.csv", "--clusters", "1-3", "--quick"])
    assert result.exit_code == 0, result.output
    assert "Verdict: clusters" in result.output
    assert "gencap-out/report.html" in result.output.replace(os.sep, "/")
    assert "gencap-out/results.json" in [f.replace(os.sep, "/") for f in files_in(here)]
    document = json.loads((here / "gencap-out/results.json").read_text())
    study = document["studies"][0]
    assert study["title"] == "table"
    assert study["labels"]["object"][0] == "object 0"
    assert sorted(study["capacities"]) == ["1", "2", "3"]
    assert study["settings"]["pairs"] == 3
    assert str(here) not in (here / "gencap-out/report.html").read_text()


def test_capacity_of_two_files(runner, fake, table, here):
    (here / "again.csv").write_text(table.read_text())
    result = runner.invoke(
        app, ["capacity", "table.csv", "again.csv", "--clusters", "2", "--out", "o"]
    )
    assert result.exit_code == 0, result.output
    document = json.loads((here / "o/results.json").read_text())
    assert document["settings"]["files"] == "table.csv and again.csv"
    assert "no error bars" in result.output


def test_capacity_shows_warnings_as_notes(runner, fake, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = runner.invoke(app, ["capacity", "table.csv", "--split", "objects", "--quick"])
    assert result.exit_code == 0, result.output
    assert result.output.count("Note: Optimistic pairing") == 1
    assert "OptimisticPairingWarning" not in result.output


def test_quick_counts_can_be_overruled(runner, fake, table, here):
    arguments = ["capacity", "table.csv", "--quick", "--splits", "2", "--null-draws", "0"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    study = json.loads((here / "gencap-out/results.json").read_text())["studies"][0]
    assert (study["settings"]["pairs"], study["settings"]["null draws"]) == (2, 0)
    assert study["verdict"] == "uncalibrated"


BAD = {
    "missing file": (["capacity", "nowhere.csv"], "nowhere.csv"),
    "folder": (["capacity", "."], "folder"),
    "range": (["capacity", "table.csv", "--clusters", "ten"], "--clusters"),
    "zero clusters": (["capacity", "table.csv", "--clusters", "0-3"], "upward from 1"),
    "backward": (["capacity", "table.csv", "--clusters", "5-2"], "upward"),
    "model": (["capacity", "table.csv", "--model", "magic"], "--model"),
    "covariance": (["capacity", "table.csv", "--covariance", "full"], "covariance applies"),
    "splits of two": (["capacity", "table.csv", "table.csv", "--splits", "3"], "two files"),
    "no splits": (["capacity", "table.csv", "--splits", "0"], "--splits"),
    "seed": (["capacity", "table.csv", "--seed", "-1"], "--seed"),
    "out is a file": (["capacity", "table.csv", "--out", "table.csv"], "is a file"),
    "out in a file": (["capacity", "table.csv", "--out", "table.csv/deep"], "is a file"),
    "no command": (["analyze"], "analyze"),
    "nan": (["capacity", "nan.csv"], "nan.csv"),
    "empty": (["capacity", "empty.csv"], "empty"),
    "binary": (["capacity", "binary.csv"], "binary.csv"),
    "text": (["capacity", "text.csv"], "text.csv"),
    "one column": (["capacity", "column.csv"], "--split objects"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_an_error_with_code_2(runner, fake, table, here, case):
    (here / "nan.csv").write_text("a,b\n1,2\n,4\n")
    (here / "empty.csv").write_text("")
    (here / "binary.csv").write_bytes(bytes(range(256)) * 8)
    (here / "text.csv").write_text("a,b,c\nx,y,1\nz,w,2\n")
    (here / "column.csv").write_text("a\n1\n2\n3\n")
    before = files_in(here)
    arguments, fragment = BAD[case]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert "Error: " in result.output
    assert fragment in result.output
    assert "Traceback" not in result.output
    assert files_in(here) == before
    assert sorted(p.name for p in here.iterdir() if p.is_dir()) == []


def failing(error):
    def select(plan, pairs, progress):
        raise error

    return select


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ValueError("n_clusters must be at most 30: got 40"), 2, "Error: n_clusters must be"),
        (KeyboardInterrupt(), 130, "Cancelled"),
        (gencap.Cancelled("stopped"), 130, "Cancelled"),
        (click.Abort(), 130, "Cancelled"),
        (RuntimeError("broken"), 1, "Internal error: RuntimeError: broken"),
        (MemoryError(), 1, "Error: not enough memory"),
        (PermissionError(13, "Permission denied", "x"), 2, "Error: Permission denied: x"),
    ],
)
def test_failures_leave_a_message_a_code_and_no_files(
    runner, table, here, monkeypatch, error, code, message
):
    monkeypatch.setattr(studies, "_select", failing(error))
    monkeypatch.delenv("GENCAP_TRACEBACK", raising=False)
    result = runner.invoke(app, ["capacity", "table.csv", "--quick"])
    assert result.exit_code == code
    assert message in result.output
    assert "Traceback" not in result.output
    assert files_in(here) == ["table.csv"]
    assert not (here / "gencap-out").exists()


def test_traceback_on_demand(runner, table, monkeypatch):
    monkeypatch.setattr(studies, "_select", failing(RuntimeError("broken")))
    hint = runner.invoke(app, ["capacity", "table.csv"]).output
    assert "GENCAP_TRACEBACK=1" in hint
    result = runner.invoke(app, ["capacity", "table.csv"], env={"GENCAP_TRACEBACK": "1"})
    assert result.exit_code == 1
    assert "Traceback" in result.output


def test_output_has_no_control_characters(runner, fake, here):
    rows = "\n".join(f"o{i},{i}.5,{i * i}.25" for i in range(12))
    (here / "a.csv").write_text(f"name,a,b\n{rows}\n")
    result = runner.invoke(app, ["capacity", "a.csv", "--quick"])
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert max(len(line) for line in result.output.splitlines()) <= 80


def test_names_cannot_drive_the_terminal():
    assert (
        printable("\x1b[31mred\x07") == "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"
    )
    assert printable("plain\ntext") == "plain\ntext"


def test_capacity_end_to_end(runner, here):
    """The real search on data with three clear groups: no part is stood in for."""
    rng = np.random.default_rng(0)
    groups = np.arange(90) % 3
    values = 6.0 * np.eye(3)[groups][:, [0, 1, 2, 0, 1, 2]] + rng.standard_normal((90, 6))
    np.save(here / "groups.npy", values)
    arguments = [
        "capacity",
        "groups.npy",
        "--clusters",
        "1-4",
        "--splits",
        "2",
        "--null-draws",
        "3",
    ]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    study = json.loads((here / "gencap-out/results.json").read_text())["studies"][0]
    # Halves that miss one of the three group axes still separate three centers at distance 6;
    # log2(3) = 1.58 bits is the most, and a few confused objects may cost some of it.
    assert study["best"] == 3
    assert 1.2 < study["capacities"]["3"]["bits"] <= np.log2(3) + 1e-9
    labels = np.array(study["labels"]["cluster"])
    assert all(len(set(labels[groups == g])) == 1 for g in range(3))
    assert study["capacities"]["3"]["curve"]["beta"]
    assert len(list((here / "gencap-out/figures").glob("groups-*.svg"))) == 4


def test_capacity_refuses_more_clusters_than_objects(runner, table, here):
    result = runner.invoke(app, ["capacity", "table.csv", "--clusters", "31", "--null-draws", "0"])
    assert result.exit_code == 2
    assert "--clusters: got up to 31, but table.csv has 30 rows; choose 30 or" in result.output
    assert files_in(here) == ["table.csv"]


def test_more_clusters_than_objects_in_halves_of_the_rows(runner, table):
    arguments = ["capacity", "table.csv", "--split", "objects", "--clusters", "2,16"]
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    words = " ".join(result.output.split())
    assert "got up to 16, but table.csv has 30 rows, 15 in each half; choose 15" in words


@pytest.mark.parametrize(("split", "most"), [("random", 6), ("objects", 3)])
def test_default_clusters_keep_to_the_rows(runner, fake, here, split, most):
    rng = np.random.default_rng(0)
    np.save(here / "small.npy", rng.standard_normal((6, 4)))
    result = runner.invoke(app, ["capacity", "small.npy", "--quick", "--split", split])
    assert result.exit_code == 0, result.output
    study = json.loads((here / "gencap-out/results.json").read_text())["studies"][0]
    assert [int(k) for k in study["capacities"]] == list(range(1, most + 1))
    assert f"at most {most} clusters were tried" in " ".join(result.output.split())


def test_out_is_tried_before_the_work(runner, table, here, monkeypatch):
    """A full or read-only file system says no although the permissions say yes."""
    monkeypatch.setattr(studies, "_select", failing(AssertionError("the work began")))

    def refuse(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    result = runner.invoke(app, ["capacity", "table.csv", "--out", "new/deep"])
    assert result.exit_code == 2
    assert "cannot be written: No space left on device" in " ".join(result.output.split())
    assert [p.name for p in here.iterdir()] == ["table.csv"]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder nobody can write to")
def test_out_where_nobody_may_write(runner, table, here, monkeypatch):
    monkeypatch.setattr(studies, "_select", failing(AssertionError("the work began")))
    result = runner.invoke(app, ["capacity", "table.csv", "--out", "/proc/gencap-out"])
    assert result.exit_code == 2
    assert "/proc/gencap-out cannot be written" in " ".join(result.output.split())


def test_trying_a_folder_leaves_what_is_there(here):
    (here / "kept").mkdir()
    (here / "kept/file").write_text("old")
    for name in ("kept", ".", "a/b/c", "kept/d"):
        assert str(writable_folder(None, None, name)) == name
    assert files_in(here) == [os.path.join("kept", "file")]
    assert [p.name for p in here.iterdir()] == ["kept"]


# --- demo ----------------------------------------------------------------------------------------


def test_demo_compares_and_studies(runner, fake, here, monkeypatch):
    asked = {}

    def compare(data, **settings):
        asked.update(settings, data=data)
        return make_comparison(heights=FEW, n_objects=len(data))

    monkeypatch.setattr(gencap, "compare", compare)
    result = runner.invoke(app, ["demo", "--quick", "--out", "shown", "--seed", "3"])
    assert result.exit_code == 0, result.output
    assert result.output.count("Verdict:") == 2
    assert asked["data"].shape == (178, 13)
    assert len(asked["models"]) == 6
    assert asked["random_state"] == 3
    wine = json.loads((here / "shown/results.json").read_text())
    assert wine["name"] == "Wine"
    page = (here / "shown/report.html").read_text()
    assert "cultivar" in page
    made = json.loads((here / "shown/four-gaussians/results.json").read_text())["studies"][0]
    assert made["n_objects"] == 200
    assert "1.49" in made["description"]


def test_demo_with_a_bad_seed(runner, here):
    result = runner.invoke(app, ["demo", "--seed", "many"])
    assert result.exit_code == 2
    assert files_in(here) == []


# --- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1-4", (1, 2, 3, 4)), ("4", (4,)), ("2,3,5-6", (2, 3, 5, 6)), ("3, 2-3", (2, 3))],
)
def test_cluster_range(text, expected):
    context = click.Context(app)
    assert cluster_range(context, app.params[0] if app.params else None, text) == expected


@pytest.mark.parametrize("text", ["", "a", "1-", "-3", "1..4", "2001", "1-1e9"])
def test_cluster_range_refuses(text):
    with pytest.raises(click.BadParameter):
        cluster_range(click.Context(app), None, text)


def test_watch_is_quiet_in_a_pipe(capsys):
    with Watch("title\x1b[2J") as watch:
        watch(Progress(1, 10, "annealing"))
    heard = capsys.readouterr()
    assert heard.out == ""
    assert "\x1b" not in heard.err


def test_watch_estimates_what_is_left(capsys, monkeypatch):
    from gencap.cli import _screen

    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(_screen, "time", clock)
    with Watch("title") as watch:
        watch(Progress(5, 5, "before"))
        clock.now = 100.0
        watch(Progress(0, 4, "annealing"))
        clock.now = 120.0
        watch(Progress(1, 4, "annealing"))
    assert "annealing: 25%, about 60 s left" in capsys.readouterr().err


def test_watch_draws_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with Watch("title") as watch:
        assert watch.lively
        watch(Progress(0, 0, "starting"))
        watch(Progress(3, 10, "annealing"))
        assert watch.bars.tasks[0].completed == 3
        watch(Progress(1, 10, "nulls"))
        assert watch.bars.tasks[0].completed == 1
        assert watch.bars.tasks[0].description == "title: nulls"


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_process_in_a_plain_terminal(variables):
    environment = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-m", "gencap", "info"], capture_output=True, env=environment, check=False
    )
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout


def test_process_with_an_ascii_terminal():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "gencap", "info"], capture_output=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr


SLEEPER = """
import time
from gencap import study
from gencap.cli import main
def select(plan, pairs, progress):
    print("ready", flush=True)
    time.sleep(60)
study._select = select
import sys
sys.argv = ["gencap", "capacity", "table.csv"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_interrupt_says_cancelled_and_leaves_nothing(table, here):
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "Cancelled"
    assert "Traceback" not in err
    assert files_in(here) == ["table.csv"]


# --- gui ------------------------------------------------------------------------------------------


def test_gui_starts_a_program_of_its_own(runner, monkeypatch):
    started = []

    def start(command, **_):
        started.append(command)
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr(subprocess, "run", start)
    assert runner.invoke(app, ["gui", "cells.csv"]).exit_code == 3
    assert started == [[sys.executable, "-m", "gencap_gui", "cells.csv"]]


def test_gui_says_how_to_install_it(runner, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = runner.invoke(app, ["gui"])
    assert done.exit_code == 1
    assert "pip install gencap-gui" in done.output
