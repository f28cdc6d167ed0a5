"""Five Gaussians, ten centroids."""

from __future__ import annotations

import numpy as np
import pytest

from gencap import reproduction
from gencap.criteria import Criterion
from gencap.reproduction import fig13


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig13")


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()
    assert len(result.rows) == 11


def test_every_run_lies_where_earlier_runs_lay(result: reproduction.ReproductionResult) -> None:
    runs = result.tables["runs"]
    assert len(runs) == 8
    assert set(runs["solver"]) == {"mean_field", "gibbs"}
    # Ten earlier runs of each solver: 1.905 +- .030 bits, beta* .97 to .99 +- .057: three spreads.
    assert runs["bits"].between(1.81, 2.0).all()
    assert runs["beta"].between(0.8, 1.17).all()
    assert (runs["n_clusters"] == 5).all()
    assert runs["transfer_beta"].between(0.8, 1.25).all()


def test_solvers_agree_on_the_same_data(result: reproduction.ReproductionResult) -> None:
    by_seed = result.tables["runs"].pivot(index="seed", columns="solver", values="bits")
    # Earlier: -.0011 +- .0052 (6 runs); 0.03 is over five spreads.
    assert (by_seed["gibbs"] - by_seed["mean_field"]).abs().max() < 0.03


def test_curve_rises_to_one_maximum_and_costs_fall(
    result: reproduction.ReproductionResult,
) -> None:
    curve = result.tables["curve"]
    top = int(curve["bits"].argmax())
    assert curve["n_clusters"].iloc[0] == 1
    assert curve["n_clusters"].iloc[top] == 5
    assert curve["n_clusters"].iloc[-1] == 10
    assert curve["bits"].iloc[-1] < curve["bits"].iloc[top] - 0.5
    least = int(curve["transfer_cost"].argmin())
    assert abs(least - top) <= 2
    assert curve["transfer_cost"].iloc[[0, -1]].min() > curve["transfer_cost"].iloc[least] + 0.1


def test_centroids_start_together_and_end_apart(result: reproduction.ReproductionResult) -> None:
    paths = result.tables["centroids"].drop(columns="beta").to_numpy()
    assert np.ptp(paths[0]) < 0.05
    assert np.ptp(paths[-1]) > 5.0


def test_bic_is_least_at_five(result: reproduction.ReproductionResult) -> None:
    table = result.tables["bic"]
    assert table["value"].idxmin() == 5
    assert table.index.tolist() == list(range(1, 11))


def test_wrong_findings_are_noticed(result: reproduction.ReproductionResult) -> None:
    table = result.tables["bic"]
    right = Criterion("BIC", table["value"], table["spread"])
    doctored = {"n_clusters": 6.0, "transfer_beta": 1.4, "beta": 1.3, "bits": 2.1}
    for row, (column, value) in enumerate(doctored.items()):
        runs = result.tables["runs"].copy()
        runs[column] = value
        found = fig13._rows(runs, right, 1.9138, 2000)
        assert not found[row].passed, column
    wrong = Criterion("BIC", -table["value"], table["spread"])
    assert not fig13._rows(result.tables["runs"], wrong, 1.9138, 2000)[-1].passed


def test_figures_are_drawn(result: reproduction.ReproductionResult) -> None:
    figures = result.figures()
    assert set(figures) == {"hierarchy", "capacity", "bic"}
    assert len(figures["hierarchy"].axes[0].lines) == 10
