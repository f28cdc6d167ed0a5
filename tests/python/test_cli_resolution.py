"""The command that chooses the resolution of a graph."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import adjusted_rand_score

from gencap.cli import app


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_edges(path, rng, sizes=(25, 25)):
    """Write a graph of two dense groups, objects by name."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(truth[:, None] == truth, 0.5, 0.03)
    rows, columns = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
    edges = pd.DataFrame({"from": [f"n{i:02}" for i in rows], "to": [f"n{i:02}" for i in columns]})
    edges.to_csv(path, index=False)
    return truth


def run(*arguments):
    return CliRunner().invoke(app, ["resolution", *map(str, arguments)])


def test_edges_to_clusters(here, rng):
    truth = write_edges(here / "one.csv", rng)
    write_edges(here / "two.csv", rng)
    done = run("one.csv", "two.csv", "--null-draws", 19, "--most-clusters", 5)
    assert done.exit_code == 0, done.output
    assert "Verdict: clusters" in done.output
    assert "<- chosen" in done.output
    labels = pd.read_csv(here / "gencap-out" / "labels.csv")
    assert labels["name"].tolist() == [f"n{i:02}" for i in range(50)]
    # One object of 50 may sit alone or on the other side.
    assert adjusted_rand_score(labels["cluster"], truth) > 0.9
    curve = pd.read_csv(here / "gencap-out" / "resolution.csv")
    assert curve["chosen"].sum() == 1
    for picture in ("resolution.png", "resolution.svg"):
        assert (here / "gencap-out" / picture).stat().st_size > 1000


def test_one_file_of_edges_is_marked_optimistic(here, rng):
    write_edges(here / "one.csv", rng)
    done = run("one.csv", "--null-draws", 0, "--splits", 1, "--resolutions", "0.1,0.2")
    assert done.exit_code == 0, done.output
    assert "optimistic" in done.output


def test_features_alone_make_the_graph(here, rng):
    centers = 4.0 * rng.normal(size=(3, 6))
    x = centers[np.repeat(np.arange(3), 20)] + rng.normal(size=(60, 6))
    pd.DataFrame(x, index=[f"cell {i}" for i in range(60)]).to_csv(here / "cells.csv")
    done = run("--features", "cells.csv", "--neighbors", 6, "--null-draws", 0, "--splits", 1)
    assert done.exit_code == 0, done.output
    assert "nearest neighbors from random halves" in done.output
    assert pd.read_csv(here / "gencap-out" / "labels.csv")["name"][3] == "cell 3"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b,c,d\n1,2,3,4\n", "2 columns"),
        ("from,to,weight\na,b,heavy\nb,c,1\n", "heavy"),
        ("from,to\na,a\n", "no edge"),
    ],
)
def test_bad_edges_leave_no_files(here, content, words):
    (here / "edges.csv").write_text(content)
    done = run("edges.csv")
    assert done.exit_code == 2
    assert words.replace("2 columns", "two columns") in done.output
    assert "edges.csv" in done.output
    assert not (here / "gencap-out").exists()


def test_nothing_given():
    done = run()
    assert done.exit_code == 2
    assert "--features" in done.output


def test_features_without_some_objects(here, rng):
    write_edges(here / "one.csv", rng)
    (here / "cells.csv").write_text("name,x,y\nn00,1,2\nn01,3,4\n")
    done = run("one.csv", "--features", "cells.csv")
    assert done.exit_code == 2
    assert "no row for 48 objects" in done.output


def test_numbers_that_are_none(here, rng):
    write_edges(here / "one.csv", rng)
    done = run("one.csv", "--resolutions", "fine")
    assert done.exit_code == 2
    assert "0.01,0.02,0.05" in done.output
