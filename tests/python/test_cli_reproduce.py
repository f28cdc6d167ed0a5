"""The command that runs published experiments: tables, exit codes, files."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner

import gencap
from gencap._progress import Progress
from gencap.cli import app


@pytest.fixture
def runner():
    return CliRunner()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def stand_in(passed):
    def run(name, quick, progress):
        progress(Progress(1, 1, name))
        row = SimpleNamespace(quantity="capacity", paper="1.5", ours="1.499", verdict="agrees")
        return SimpleNamespace(
            name=name,
            title="Codes",
            rows=(row,),
            passed=passed,
            figures=dict,
            to_frame=lambda: pd.DataFrame([vars(row)]),
        )

    return SimpleNamespace(names=lambda: ["kary", "fig13"], run=run)


@pytest.fixture(params=[True, False])
def passed(request, monkeypatch):
    module = stand_in(request.param)
    monkeypatch.setitem(sys.modules, "gencap.reproduction", module)
    monkeypatch.setattr(gencap, "reproduction", module, raising=False)
    return request.param


def test_reproduce_one(runner, passed, here):
    result = runner.invoke(app, ["reproduce", "kary"])
    assert result.exit_code == (0 if passed else 1)
    assert "1.499" in result.output
    assert ("NOT reproduced" in result.output) is not passed
    assert files_in(here) == []


def test_reproduce_all_and_keep_the_tables(runner, passed, here):
    result = runner.invoke(app, ["reproduce", "--out", "kept"])
    assert result.exit_code == (0 if passed else 1)
    assert [f.replace(os.sep, "/") for f in files_in(here)] == [
        "kept/tables/fig13.csv",
        "kept/tables/kary.csv",
    ]


def test_reproduce_the_real_thing(runner, here):
    result = runner.invoke(app, ["reproduce", "kary", "--out", "kept"])
    assert result.exit_code == 0, result.output
    assert "kary: reproduced" in result.output
    assert os.path.join("kept", "tables", "kary.csv") in files_in(here)


def test_reproduce_lists_and_refuses(runner, passed):
    assert runner.invoke(app, ["reproduce", "--list"]).output.split() == ["kary", "fig13"]
    result = runner.invoke(app, ["reproduce", "fig99"])
    assert result.exit_code == 2
    assert "kary, fig13" in result.output
