"""K-ary codes: generalization capacity is Shannon's capacity."""

from __future__ import annotations

import numpy as np
import pytest

from gencap import channel, reproduction
from gencap.reproduction import kary


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("kary")


def blahut_arimoto(matrix: np.ndarray, start: np.ndarray) -> float:
    """Capacity in bits by alternating maximization, until both bounds meet."""
    p = start
    for _ in range(20_000):
        ratios = np.log(matrix / (p @ matrix))
        gains = np.exp((matrix * ratios).sum(axis=1))
        if np.log2(gains.max() / (p @ gains)) < 1e-11:
            break
        p = p * gains / (p @ gains)
    return float(np.log2(p @ gains))


def test_passes_with_every_route(result: reproduction.ReproductionResult) -> None:
    assert result.passed
    verdicts = [row.verdict for row in result.rows]
    assert verdicts == ["agrees"] * 3 + ["agrees (corrected reading)"]


def test_covers_the_published_range(result: reproduction.ReproductionResult) -> None:
    table = result.tables["capacities"]
    assert sorted(table["n_symbols"].unique()) == list(range(2, 27))
    assert table["error_rate"].min() == pytest.approx(0.001)
    assert table["error_rate"].max() == pytest.approx(0.95)
    useful = table[table["useful"]]
    # Closed forms in double precision; 1e-9 is the accuracy asked for, 1e-14 what they have.
    assert np.allclose(useful["searched"], useful["shannon"], atol=1e-9, rtol=0)
    assert np.allclose(useful["closed_form"], useful["shannon"], atol=1e-9, rtol=0)
    assert (table[~table["useful"]]["closed_form"] == 0.0).all()
    assert table[~table["useful"]]["shannon"].max() == pytest.approx(0.7136, abs=1e-4)


@pytest.mark.parametrize(("k", "delta"), [(2, 0.11), (3, 0.4), (7, 0.02), (5, 0.7)])
def test_shannon_capacity_by_blahut_and_arimoto(
    k: int, delta: float, rng: np.random.Generator
) -> None:
    matrix = np.full((k, k), delta / (k - 1))
    np.fill_diagonal(matrix, 1 - delta)
    start = rng.dirichlet(np.full(k, 5.0))
    # The iteration ends with bounds 1e-11 apart.
    assert kary.shannon_capacity(k, delta) == pytest.approx(blahut_arimoto(matrix, start), abs=1e-9)


@pytest.mark.parametrize(("k", "delta"), [(2, 0.001), (2, 0.499), (26, 0.3), (26, 0.96)])
def test_search_finds_the_closed_form_optimum(k: int, delta: float) -> None:
    bits, beta = kary.best_information(k, delta)
    assert bits == pytest.approx(channel.kary_capacity(k, delta), abs=1e-12)
    # A maximum is flat: its place is known to the square root of the rounding, 1e-8, over a
    # curvature that is small near the useless channel.
    assert beta == pytest.approx(channel.kary_optimal_beta(k, delta), abs=1e-2)


def test_a_wrong_capacity_is_noticed(result: reproduction.ReproductionResult) -> None:
    table = result.tables["capacities"].copy()
    table.loc[3, "closed_form"] += 1e-8
    rows = kary._rows(table)
    assert [row.passed for row in rows] == [True, False, True, True]
    table = result.tables["capacities"].copy()
    table["closed_form"] = table["shannon"]
    assert not kary._rows(table)[3].passed


def test_figure_shows_five_alphabets(result: reproduction.ReproductionResult) -> None:
    figure = result.figures()["capacities"]
    assert len(figure.axes[0].lines) == 10
