"""Four Gaussians on a square."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gencap import datasets, reproduction
from gencap._progress import Control
from gencap.reproduction import fig18
from gencap.reproduction._result import Setting
from gencap.results import Order


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig18")


@pytest.fixture(scope="module")
def order() -> Order:
    samples = [datasets.gaussians(400, variance=1.0, random_state=seed) for seed in (0, 1)]
    setting = Setting(quick=True, seed=0, threads=2, control=Control())
    return fig18._order(samples, "mean_field", (1, 2, 3, 4, 5, 6, 7, 8, 12), setting)


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_two_bits_and_no_more(result: reproduction.ReproductionResult) -> None:
    table = result.tables["capacity, variance 1"]
    assert table.loc[1, "bits"] == 0.0
    # Earlier (10 runs): 1.000; 1.999 to 2.000 +- .002 for K = 4 to 12.
    assert table.loc[2, "bits"] == pytest.approx(1.0, abs=0.01)
    assert table.loc[4:, "bits"].between(1.98, 2.005).all()
    assert (table.loc[4:, "effective"] == 4).all()


def test_one_and_a_half_bits_with_a_dip(result: reproduction.ReproductionResult) -> None:
    table = result.tables["capacity, variance 5"]
    # Population value 1.4946, spread of a run .036: three standard errors of three runs, .062.
    assert table.loc[4, "bits"] == pytest.approx(1.4946, abs=0.07)
    assert table.loc[[5, 6, 7], "bits"].mean() < table.loc[4, "bits"] - 0.02
    assert table.loc[[8, 12], "bits"].mean() > table.loc[[5, 6, 7], "bits"].mean()
    # Earlier: .759 +- .027.
    assert table.loc[2, "bits"] == pytest.approx(0.759, abs=0.06)


def test_bic_chooses_four(result: reproduction.ReproductionResult) -> None:
    for words in ("variance 1", "variance 5"):
        assert result.tables[f"bic, {words}"]["value"].idxmin() == 4


def test_solvers_agree(result: reproduction.ReproductionResult) -> None:
    annealed = result.tables["capacity, variance 5"]["bits"]
    sampled = result.tables["capacity by Gibbs sampling, variance 5"]["bits"]
    # Earlier: .0002 +- .0013 at K = 4, .0015 +- .0063 at K = 8; means of three runs.
    assert abs(sampled[4] - annealed[4]) < 0.01
    assert abs(sampled[8] - annealed[8]) < 0.02


def test_optimum_is_at_the_noise_level(result: reproduction.ReproductionResult) -> None:
    # beta* = 1 / (2 variance) = 0.1; the grid is 7 % wide.
    assert result.tables["capacity, variance 5"].loc[4, "beta"] == pytest.approx(0.1, rel=0.15)


def scaled(order: Order, k: int, factor: float) -> Order:
    """The same findings with the bits of one K changed."""
    one = order.capacities[k]
    bits = {"bits": one.bits * factor, "bits_per_pair": one.bits_per_pair * factor}
    return Order({**order.capacities, k: dataclasses.replace(one, **bits)}, order.best)


def test_wrong_findings_are_noticed(order: Order) -> None:
    assert all(row.passed for row in fig18._separated(order))
    assert not fig18._separated(scaled(order, 4, 0.9))[0].passed
    assert not fig18._separated(scaled(order, 7, 1.1))[1].passed
    assert not fig18._separated(Order(order.capacities, 5))[3].passed
    # The well-separated sources show neither 1.5 bits nor a dip.
    verdicts = [row.passed for row in fig18._overlapping(order, 1.4946)]
    assert verdicts[0] is False
    assert verdicts[2] is False
    assert not fig18._solvers_row(order, scaled(order, 4, 1.01)).passed


def test_figures_are_drawn(result: reproduction.ReproductionResult) -> None:
    figures = result.figures()
    assert set(figures) == {"capacity", "bic", "curve"}
    assert np.isfinite(figures["curve"].axes[0].lines[0].get_ydata()).all()
