"""The exported script runs by itself and prints the numbers that were on the screen."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from gencap_gui.commands import (
    OpenData,
    RunAnalysis,
    Select,
    SetAnnealing,
    SetClusters,
    SetModels,
    SetSeed,
)
from gencap_gui.history import History, export_script
from gencap_gui.results import RunKey
from gencap_gui.session import Selection
from gencap_gui.settings import (
    AnnealingChoice,
    ClusterRange,
    DataSource,
    ImportOptions,
    InstanceChoice,
    ModelChoice,
)
from gencap_gui.tasks import analysis, data
from gencap_gui.tasks.state import State


def table(folder, name, seed):
    rng = np.random.default_rng(seed)
    centers = np.repeat([0.0, 4.0, 9.0], 25)[:, None]
    frame = pd.DataFrame(np.abs(rng.normal(size=(75, 5)) + centers), columns=list("abcde"))
    frame.insert(0, "gene", [f"g{i}" for i in range(75)])
    if seed == 0:
        frame.loc[4, "c"] = np.nan
    frame.to_csv(folder / name, index=False)
    return str(folder / name)


def sources(folder):
    options = ImportOptions((), "impute", ("log", "zscore_columns"))
    first = DataSource("file", table(folder, "one.csv", 0), options)
    second = DataSource("file", table(folder, "two.csv", 1), options)
    wine = DataSource("sample", "wine")
    return {
        "file, random halves": (first, InstanceChoice("random", 2)),
        "file, second file": (first, InstanceChoice("second", second=second)),
        "file, objects": (first, InstanceChoice("objects", measure="cosine")),
        "sample, interleaved": (wine, InstanceChoice("interleave")),
        "sample, its own": (DataSource("sample", "gaussians"), InstanceChoice("own")),
    }


@pytest.mark.parametrize(
    "case",
    [
        "file, random halves",
        "file, second file",
        "file, objects",
        "sample, interleaved",
        "sample, its own",
    ],
)
def test_the_script_prints_the_same_numbers(tmp_path, case):
    source, instances = sources(tmp_path)[case]
    history = History()
    history.do(OpenData(source, instances))
    history.do(SetModels(ModelChoice(("centroid", "gaussian", "dominant_sets"), ("pearson",))))
    history.do(SetClusters(ClusterRange(2, 3)))
    history.do(SetAnnealing(AnnealingChoice(n_steps=15, n_init=2)))
    history.do(SetSeed(11))
    history.do(RunAnalysis())
    key = RunKey("centroid", "", 3)
    history.do(Select(Selection(cluster=1, run=key)))
    tasks = history.document.analysis.tasks()
    shown = analysis.run(analysis.AnalysisTask(tasks), State(), data.Workspace())
    assert not any(result.error for result in shown)
    script = tmp_path / "script.py"
    script.write_text(export_script(history, "0"), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        capture_output=True,
        text=True,
        env=os.environ,
        cwd=tmp_path,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    rows = [line.split(",") for line in lines[1 : 1 + len(shown)]]
    assert [(r.key.model, r.key.measure, r.key.n_clusters) for r in shown] == [
        (model, measure, int(k)) for model, measure, k, *_ in rows
    ]
    # both print nine digits; the numbers themselves are equal to the last bit
    assert [f"{r.bits:.9f}" for r in shown] == [row[3] for row in rows]
    assert [f"{r.bits_sd:.9f}" for r in shown] == [row[4] for row in rows]
    ranking = analysis.ranking_table(shown)
    best = {(row.model, row.measure): row.n_clusters for row in ranking.itertuples()}
    assert f"# centroid : best number of clusters {best['centroid', '']}" in lines
    members = (shown[tasks.index(next(t for t in tasks if t.key == key))].labels == 1).sum()
    assert f"# cluster 2: {members} objects" in lines
