"""``gencap compare``: what users hand in, what they read, and how a run goes on."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from comparison_samples import make_comparison

import gencap
from gencap._progress import Cancelled, Progress
from gencap.cli import app
from gencap.cli._journal import FILE, FINISHED
from gencap.cli._tables import open_table
from gencap.io import InputError

FEW = {("correlation", "pearson", np.nan): 1.5, ("pairwise", "pearson", np.nan): 1.2}


@pytest.fixture
def runner():
    return CliRunner()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_table(path, n_rows=40, n_columns=6, seed=0, names=None, **columns):
    rng = np.random.default_rng(seed)
    centers = 3.0 * rng.standard_normal((3, n_columns))
    values = centers[np.arange(n_rows) % 3] + rng.standard_normal((n_rows, n_columns))
    frame = pd.DataFrame(values, columns=[f"c{j}" for j in range(n_columns)])
    for name, cells in columns.items():
        frame.insert(0, name, cells)
    frame.insert(0, "name", names or [f"object {i}" for i in range(n_rows)])
    frame.to_csv(path, index=False)
    return frame


@pytest.fixture
def table(here):
    write_table(here / "table.csv")
    return here / "table.csv"


@pytest.fixture
def fake(monkeypatch):
    """Stand for the comparison: remembers what it was asked for."""
    asked = {}

    def compare(data, **settings):
        asked.update(settings, data=data)
        settings["announce"](type("Forecast", (), {"text": "about 4 min"})())
        settings["progress"](Progress(1, 2, "comparing"))
        (settings["out"]).mkdir(parents=True, exist_ok=True)
        return make_comparison(heights=FEW, n_objects=len(data), notes=())

    monkeypatch.setattr(gencap, "compare", compare)
    return asked


def run(runner, *arguments):
    return runner.invoke(app, ["compare", *map(str, arguments)])


def words(result):
    """Output with its line breaks taken out: terminals wrap where they like."""
    return " ".join(result.output.split())


# --- what is asked for ------------------------------------------------------------------------


def test_defaults(runner, table, fake):
    result = run(runner, table)
    assert result.exit_code == 0, result.output
    assert list(fake["n_clusters"]) == list(range(2, 11))
    assert (fake["n_splits"], fake["final_draws"]) == (5, 99)
    assert fake["measures"] == ("euclidean", "pearson", "path")
    assert "correlation" in fake["models"]
    assert fake["second"] is None
    assert fake["client"] is None
    assert list(fake["data"].index[:2]) == ["object 0", "object 1"]


def test_quick_is_that_of_the_library(runner, table, fake):
    assert run(runner, table, "--quick").exit_code == 0
    quick = gencap.comparison.QUICK
    assert len(fake["n_clusters"]) == 6
    assert fake["n_splits"] == 5
    assert fake["n_init"] == 2
    assert fake["final_draws"] == 19
    assert fake["annealing"] == quick["annealing"]


def test_full_has_the_size_of_the_thesis(runner, table, fake):
    assert run(runner, table, "--full").exit_code == 0
    assert list(fake["n_clusters"]) == list(range(2, 16))
    assert (fake["n_splits"], fake["final_draws"]) == (25, 99)


def test_options_win_over_defaults(runner, table, fake):
    result = run(
        runner, table, "--quick", "--models", "pairwise, centroid", "--measures", "cosine",
        "--clusters", "2,4-5", "--splits", 3, "--split", "objects", "--seed", 9, "--jobs", 1,
        "--scheduler", "tcp://somewhere:8786",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert fake["models"] == ("pairwise", "centroid")
    assert fake["measures"] == ("cosine",)
    assert fake["n_clusters"] == (2, 4, 5)
    assert (fake["n_splits"], fake["split"], fake["random_state"], fake["n_jobs"]) == (
        3, "objects", 9, 1,
    )  # fmt: skip
    assert fake["client"] == "tcp://somewhere:8786"


def test_few_rows_cut_the_default_numbers_of_clusters(runner, here, fake):
    write_table(here / "few.csv", n_rows=5)
    assert run(runner, "few.csv").exit_code == 0
    assert fake["n_clusters"] == (2, 3, 4, 5)


def test_many_rows_take_squared_distances(runner, here, fake, monkeypatch):
    monkeypatch.setattr("gencap.cli.compare.MANY_OBJECTS", 20)
    write_table(here / "many.csv")
    assert run(runner, "many.csv").exit_code == 0
    assert fake["measures"] == ("sqeuclidean", "pearson", "path")


def test_scale_standardizes_what_is_compared(runner, table, fake):
    run(runner, table, "--scale", "standard")
    np.testing.assert_allclose(fake["data"].to_numpy().std(axis=0), 1.0)
    profiles = pd.read_csv("gencap-out/tables/profiles.csv")
    # the profiles keep the user's units, in which groups lie 3 from the middle
    assert profiles["sd"].max() > 2.0


def test_a_second_file_is_the_second_measurement(runner, here, table, fake):
    write_table(here / "again.csv", seed=1)
    assert run(runner, table, "again.csv").exit_code == 0
    assert fake["second"].shape == (40, 6)
    result = run(runner, table, "again.csv", "--splits", 3)
    assert result.exit_code == 2
    assert "two files were given" in result.output


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--models", "kmeans", "there is no 'kmeans'"),
        ("--models", "correlaton", "did you mean correlation?"),
        ("--measures", ",", "choose from"),
        ("--clusters", "5-2", "go upward"),
        ("--split", "rows", "'random'"),
        ("--missing", "zero", "'impute'"),
        ("--splits", "0", "0 is not in the range"),
    ],
)
def test_bad_options_are_named(runner, table, here, option, value, message):
    result = run(runner, table, option, value)
    assert result.exit_code == 2
    assert message in words(result)
    assert not (here / "gencap-out").exists()


def test_help_has_runnable_examples(runner):
    text = run(runner, "--help").output
    lines = [line.split() for line in text.splitlines() if line.strip().startswith("gencap ")]
    assert len(lines) == 3
    known = {option for p in app.commands["compare"].params for option in p.opts}
    for line in lines:
        assert {word for word in line if word.startswith("--")} <= known


# --- what is read -----------------------------------------------------------------------------


def test_forecast_first_then_verdict_rankings_lead_and_report(runner, table, fake):
    text = words(run(runner, table))
    places = [
        text.index(part)
        for part in ("about 4 min", "Verdict: clusters", "Ranking", "Ranking of models",
                     "Ranking of measures", "The winner against the next", "Report: gencap-out")
    ]  # fmt: skip
    assert places == sorted(places)
    assert "paired over 5 splits" in text


def test_report_and_archive_are_written(runner, table, fake, here):
    run(runner, table)
    document = json.loads((here / "gencap-out/results.json").read_text())
    assert document["name"] == "table"
    back = gencap.load(here / "gencap-out" / FINISHED)
    assert back.winner[:2] == ("correlation", "pearson")
    page = (here / "gencap-out/report.html").read_text()
    assert "Read from table.csv." in page
    assert os.fspath(here) not in page  # folders are nobody else's business


def test_notes_are_printed_once(runner, here, fake):
    write_table(here / "t.csv", kind=["p", "q"] * 20)
    text = words(run(runner, "t.csv"))
    assert text.count("'kind' holds text") == 1
    assert "shown as known classes" in (here / "gencap-out/report.html").read_text()


# --- awkward tables ---------------------------------------------------------------------------


def test_clean_tables_are_read_as_everywhere(table):
    opened = open_table(table, "auto")
    assert opened.frame.shape == (40, 6)
    assert opened.known is None
    assert opened.notes == []


def test_missing_cells_are_filled_in_and_counted(here):
    frame = write_table(here / "t.csv")
    frame.iloc[[1, 2, 3], 2] = np.nan
    frame.to_csv(here / "t.csv", index=False)
    opened = open_table(here / "t.csv", "auto")
    assert opened.frame.shape == (40, 6)
    median = frame.iloc[:, 2].median()
    np.testing.assert_allclose(opened.frame.iloc[[1, 2, 3], 1], median)
    assert "3 missing values in 3 rows replaced by the median" in opened.notes[-1]
    assert "1.25%" in opened.notes[-1]
    dropped = open_table(here / "t.csv", "drop")
    assert list(dropped.frame.index[:2]) == ["object 0", "object 4"]
    assert "3 of 40 rows have missing values and were left out" in dropped.notes[-1]
    with pytest.raises(InputError, match="--missing drop or impute"):
        open_table(here / "t.csv", "error")


def test_too_many_missing_cells_need_a_word(here):
    frame = write_table(here / "t.csv")
    frame.iloc[::2, 1:4] = np.nan
    frame.to_csv(here / "t.csv", index=False)
    with pytest.raises(InputError, match="25% of the cells are missing"):
        open_table(here / "t.csv", "auto")
    assert open_table(here / "t.csv", "impute").frame.shape == (40, 6)
    assert len(open_table(here / "t.csv", "drop").frame) == 20


def test_text_columns_are_classes_or_left_out(here):
    write_table(here / "t.csv", comment=[f"note {i}" for i in range(40)], kind=["p", "q"] * 20)
    opened = open_table(here / "t.csv", "auto")
    assert opened.frame.shape == (40, 6)
    assert opened.known.tolist()[:2] == ["p", "q"]
    assert opened.frame.index[0] == "object 0"
    said = " ".join(opened.notes)
    assert "column 'comment' without numbers was left out" in said
    assert "column 'kind' holds text and is shown as known classes" in said


def test_repeated_names_are_said_and_kept(here):
    write_table(here / "t.csv", names=["a", "a", *[f"o{i}" for i in range(38)]])
    opened = open_table(here / "t.csv", "auto")
    assert list(opened.frame.index[:2]) == ["a", "a"]
    assert "1 of 40 names repeat an earlier name" in " ".join(opened.notes)
    frame = write_table(here / "u.csv", names=["a", "a", *[f"o{i}" for i in range(38)]])
    frame.iloc[5, 3] = np.nan
    frame.to_csv(here / "u.csv", index=False)
    assert "1 of 40 names repeat" in " ".join(open_table(here / "u.csv", "auto").notes)


def test_unnamed_first_column_holds_names_even_with_gaps(here):
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((6, 2)), columns=["x", "y"])
    frame.iloc[2, 1] = np.nan
    frame.to_csv(here / "t.csv")  # pandas writes the row numbers without a header
    opened = open_table(here / "t.csv", "auto")
    assert list(opened.frame.columns) == ["x", "y"]
    assert list(opened.frame.index[:2]) == ["0", "1"]


def test_unreadable_files_are_named(runner, here):
    for name, content, message in (
        ("gone.csv", None, "does not exist"),
        ("empty.csv", "", "is empty"),
        ("words.csv", "a,b\nx,y\nz,w\n", "feature"),
    ):
        if content is not None:
            (here / name).write_text(content)
        result = run(runner, name)
        assert result.exit_code == 2
        assert message in words(result)
        assert not (here / "gencap-out").exists()


def test_one_row_is_refused(runner, here):
    (here / "one.csv").write_text("name,a,b,c\nx,1,2,3\n")
    result = run(runner, "one.csv", "--quick")
    assert result.exit_code == 2
    assert "1 row" in result.output
    assert "transpose" in words(result)


def test_a_constant_matrix_has_no_structure(runner, here):
    rows = "\n".join(f"o{i},1,2,3,4" for i in range(20))
    (here / "flat.csv").write_text(f"name,a,b,c,d\n{rows}\n")
    result = run(runner, "flat.csv", "--quick", "--models", "centroid,pairwise", "--measures",
                 "pearson", "--splits", 2, "--clusters", "2-3")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Verdict: no reliable structure" in result.output
    assert "identical: there is nothing to cluster" in words(result)
    assert (here / "gencap-out/report.html").exists()


def test_real_clusters_end_to_end(runner, here):
    write_table(here / "three.csv", n_rows=90, n_columns=10)
    with (here / "three.csv").open("rb") as plain, gzip.open(here / "three.csv.gz", "wb") as packed:
        packed.write(plain.read())
    arguments = ("three.csv.gz", "--quick", "--models", "centroid,correlation", "--measures",
                 "pearson,euclidean", "--split", "interleave", "--clusters", "2-3")  # fmt: skip
    result = run(runner, *arguments)
    assert result.exit_code == 0, result.output
    assert "Verdict: clusters" in result.output
    document = json.loads((here / "gencap-out/results.json").read_text())
    assert document["winner"]["n_clusters"] == 3
    labels = pd.read_csv(here / "gencap-out/tables/labels.csv")
    # centers lie some ten standard deviations apart: no object is misplaced
    assert (labels["cluster"].to_numpy()[::3] == labels["cluster"].iloc[0]).all()
    assert labels["name"].iloc[3] == "object 3"
    again = run(runner, *arguments)
    assert "An earlier run left" in again.output
    second = json.loads((here / "gencap-out/results.json").read_text())
    timed = ("seconds", "bits_per_second")
    for one in (document, second):
        for name in timed:
            one["tables"]["comparison"].pop(name)
    assert document["tables"]["comparison"] == second["tables"]["comparison"]


# --- going on ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [KeyboardInterrupt, Cancelled])
def test_interrupted_runs_say_how_to_go_on(runner, table, here, monkeypatch, stop):
    def compare(data, out, **settings):
        out.mkdir()
        (out / FILE).write_text("header\ntask\n")
        raise stop

    monkeypatch.setattr(gencap, "compare", compare)
    result = run(runner, table)
    assert result.exit_code == 130
    assert "kept in gencap-out/journal.jsonl" in words(result)
    assert "the same command goes on" in words(result)
    assert (here / "gencap-out" / FILE).exists()


def test_fresh_begins_anew(runner, table, here, fake):
    (here / "gencap-out").mkdir()
    journal = here / "gencap-out" / FILE
    journal.write_text("header\ntask\ntask\n")
    assert "left 2 finished tasks" in words(run(runner, table))
    assert journal.exists()
    assert "finished tasks" not in words(run(runner, table, "--fresh"))
    assert not journal.exists()


def other_plan(monkeypatch, calls):
    def compare(data, out, **settings):
        calls.append(out)
        if (out / FILE).exists():
            raise InputError("journal.jsonl belongs to another comparison: the data differ")
        return make_comparison(heights=FEW, n_objects=len(data))

    monkeypatch.setattr(gencap, "compare", compare)


def test_unfinished_work_of_another_comparison_is_not_thrown_away(runner, table, here, monkeypatch):
    calls = []
    other_plan(monkeypatch, calls)
    (here / "gencap-out").mkdir()
    (here / "gencap-out" / FILE).write_text("header\ntask\n")
    result = run(runner, table)
    assert result.exit_code == 2
    assert "--fresh begins anew" in words(result)
    assert (here / "gencap-out" / FILE).exists()
    assert len(calls) == 1


def test_finished_work_of_another_comparison_makes_way(runner, table, here, monkeypatch):
    calls = []
    other_plan(monkeypatch, calls)
    (here / "gencap-out").mkdir()
    journal, finished = here / "gencap-out" / FILE, here / "gencap-out" / FINISHED
    journal.write_text("header\ntask\n")
    finished.write_bytes(b"results")
    os.utime(journal, (1_000, 1_000))
    result = run(runner, table)
    assert result.exit_code == 0, result.output
    assert len(calls) == 2
