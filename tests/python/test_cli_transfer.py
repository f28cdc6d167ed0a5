"""The command that chooses the number of clusters by transfer costs and criteria."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from gencap.cli import app


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    centers = 8.0 * np.eye(4)[np.arange(60) % 3]
    for name in ("one.csv", "two.csv"):
        frame = pd.DataFrame(centers + rng.normal(size=(60, 4)), columns=list("abcd"))
        frame.insert(0, "name", [f"object {i}" for i in range(60)])
        frame.to_csv(tmp_path / name, index=False)
    return tmp_path


def transfer(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["transfer", *arguments, "--quick", "--out", "out"])


@pytest.mark.parametrize(
    ("model", "criteria"),
    [
        ("centroid", ["BIC", "AIC", "gap", "instability"]),
        ("gaussian --covariance spherical", ["BIC", "AIC", "gap", "instability"]),
        ("pairwise", ["BIC", "AIC", "gap", "instability"]),
        ("correlation", ["gap", "instability"]),
    ],
)
def test_one_file_gives_table_choices_and_files(
    here: Path, model: str, criteria: list[str]
) -> None:
    result = transfer("one.csv", "--clusters", "1-4", "--model", *model.split())
    assert result.exit_code == 0, result.output
    # Correlation clustering depends on its shift, a guess here.
    best = 4 if model == "correlation" else 3
    assert f"Number of clusters: transfer {best}" in result.output
    table = pd.read_csv(here / "out" / "tables" / "transfer.csv", index_col="n_clusters")
    assert table.index.tolist() == [1, 2, 3, 4]
    assert set(criteria) <= set(table.columns)
    document = json.loads((here / "out" / "transfer.json").read_text())
    assert document["best"]["transfer"] == best
    assert list(document["best"]) == ["transfer", *criteria]
    assert document["files"] == ["one.csv"]
    for kind in ("png", "svg"):
        assert (here / "out" / "figures" / f"transfer.{kind}").stat().st_size > 1000


def test_two_files_are_two_measurements(here: Path) -> None:
    result = transfer("one.csv", "two.csv", "--clusters", "2-4", "--scale", "standard")
    assert result.exit_code == 0, result.output
    document = json.loads((here / "out" / "transfer.json").read_text())
    assert document["mapping"] == "identity"
    assert document["best"]["transfer"] == 3


def test_mapping_is_passed_on(here: Path) -> None:
    result = transfer("one.csv", "--mapping", "nearest", "--clusters", "2")
    assert "mapping: nearest" in " ".join(result.output.split())
    refused = transfer("one.csv", "--model", "gaussian", "--mapping", "soft", "--clusters", "2")
    assert refused.exit_code == 2
    assert "without a mapping" in refused.output


def test_same_seed_same_table(here: Path) -> None:
    tables = []
    for jobs in ("1", "2"):
        assert transfer("one.csv", "--clusters", "1-3", "--jobs", jobs).exit_code == 0
        tables.append((here / "out" / "tables" / "transfer.csv").read_bytes())
    assert tables[0] == tables[1]


def test_few_rows_cut_the_default_and_refuse_a_choice(here: Path) -> None:
    frame = pd.read_csv(here / "one.csv").head(9)
    frame.to_csv(here / "few.csv", index=False)
    cut = transfer("few.csv")
    assert cut.exit_code == 0, cut.output
    assert "at most 4 clusters were tried" in " ".join(cut.output.split())
    refused = transfer("few.csv", "--clusters", "2-6")
    assert refused.exit_code == 2
    assert "choose 4 or fewer" in refused.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv"], "none.csv"),
        (["one.csv", "two.csv", "--splits", "3"], "two files were given"),
        (["one.csv", "--covariance", "full"], "--covariance belongs to"),
        (["one.csv", "--measure", "cosine"], "--measure belongs to"),
        (["one.csv", "--mapping", "nearby"], "nearby"),
    ],
)
def test_mistakes_are_named(here: Path, arguments: list[str], words: str) -> None:
    result = transfer(*arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert not (here / "out").exists()
