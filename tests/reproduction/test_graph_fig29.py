"""Shifts of a graph with clusters of 100, 200 and 300 objects."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gencap import datasets, reproduction
from gencap.models import CorrelationClustering
from gencap.reproduction import fig29
from gencap.results import Scan


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig29")


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_all_bits_are_kept_up_to_the_edge(result: reproduction.ReproductionResult) -> None:
    clean, noisy = (result.tables[f"noise {noise:g}"]["bits"] for noise in (0.0, 0.4))
    # 1.4591 is the entropy of the planted sizes; earlier 1.459 without spread.
    np.testing.assert_allclose(clean[-1.5:0.9], 1.4591, atol=0.005)
    np.testing.assert_allclose(noisy[-0.5:0.5], 1.4591, atol=0.005)
    assert clean[1.5:].max() == 0.0
    assert noisy[0.7:].max() == 0.0


def test_large_negative_shifts_cost_bits(result: reproduction.ReproductionResult) -> None:
    table = result.tables["noise 0.4"]
    # Earlier, four graphs: 1.309 +- .003, 1.258 +- .001 and 1.217 +- .001.
    assert table.loc[-1.5, "bits"] == pytest.approx(1.309, abs=0.015)
    assert table.loc[-2.0, "bits"] == pytest.approx(1.258, abs=0.01)
    assert table.loc[-3.0, "bits"] == pytest.approx(1.217, abs=0.01)
    # More even clusters: the entropy rises while the bits fall.
    assert table.loc[-3.0, "entropy"] == pytest.approx(1.579, abs=0.01)
    assert table["entropy"][:-1.5].is_monotonic_decreasing


def test_planted_clusters_are_barely_best_at_minus_two() -> None:
    graph = datasets.correlation_graph(sizes=(100, 200, 300), complexity=0.0, noise=0.0)
    model = CorrelationClustering(3, shift=-2.0, measure="precomputed")
    moved = graph.truth.copy()
    moved[-1] = 0
    assert model.cost(moved, graph.first) - model.cost(graph.truth, graph.first) == 1.0


def changed(bits: dict[float, float]) -> Scan:
    one = reproduction_capacity()
    return Scan(
        "shift", {shift: dataclasses.replace(one, bits=value) for shift, value in bits.items()}
    )


def reproduction_capacity() -> fig29.Any:
    graph = datasets.correlation_graph(30, 3, complexity=0.0, noise=0.0, random_state=0)
    model = CorrelationClustering(3, measure="precomputed", random_state=0)
    return next(iter(fig29.scan(model, graph.pair, shift=[0.0]).capacities.values()))


def test_wrong_findings_are_noticed() -> None:
    right = {-3.0: 1.217, -2.0: 1.258, 0.0: fig29.PLANTED_BITS, 0.7: 0.0}
    assert [row.passed for row in fig29._rows(changed(right), 0.4)] == [True] * 4
    assert not fig29._rows(changed({**right, 0.0: 1.44}), 0.4)[0].passed
    assert not fig29._rows(changed({**right, 0.7: 0.5}), 0.4)[1].passed
    assert not fig29._rows(changed({**right, -3.0: 1.459}), 0.4)[2].passed


def test_figure_is_drawn(result: reproduction.ReproductionResult) -> None:
    assert len(result.figures()["shift"].axes[0].lines) == 4
