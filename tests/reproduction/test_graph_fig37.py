"""Mean field against Gibbs sampling on graphs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gencap import datasets, reproduction
from gencap.capacity import capacity
from gencap.models import CorrelationClustering
from gencap.reproduction import fig37
from gencap.results import Capacity


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig37")


@pytest.fixture(scope="module")
def one() -> Capacity:
    graph = datasets.correlation_graph(100, 5, noise=0.1, random_state=0)
    return capacity(CorrelationClustering(5, shift=0.0, measure="precomputed"), graph.pair)


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_curves_meet_at_their_tops(result: reproduction.ReproductionResult) -> None:
    for noise, n_clusters in fig37.CASES:
        table = result.tables[f"curves, noise {noise:g}, K = {n_clusters}"]
        tops = table.groupby("solver")["bits"].max()
        # Means of two graphs; single ones differed by up to .016.
        assert abs(tops["gibbs"] - tops["mean_field"]) < 0.035
        places = table.loc[table.groupby("solver")["bits"].idxmax(), "beta"]
        # A curve that is flat at its top has no sharp place; the grid is 13 % wide.
        assert places.max() / places.min() < 2.0


def test_bits_are_those_of_planted_graphs(result: reproduction.ReproductionResult) -> None:
    easy = result.tables["curves, noise 0.567, K = 5"]
    hard = result.tables["curves, noise 0.74, K = 5"]
    assert easy["bits"].max() == pytest.approx(np.log2(5), abs=0.03)
    # Earlier 2.00 to 2.16.
    assert 1.92 < hard["bits"].max() < 2.24


def test_distance_ignores_names(one: Capacity) -> None:
    renamed = dataclasses.replace(one, labels=(one.labels + 2) % 5)
    assert fig37._distance(one, renamed) == 0.0
    moved = one.labels.copy()
    moved[:10] = (moved[:10] + 1) % 5
    assert fig37._distance(one, dataclasses.replace(one, labels=moved)) == pytest.approx(0.1)


def test_wrong_findings_are_noticed(one: Capacity) -> None:
    same = {"mean_field": one, "gibbs": one}
    assert all(row.passed for row in fig37._rows(same, 0.74, 5))
    lower = dataclasses.replace(one, bits_per_pair=one.bits_per_pair - 0.1)
    assert not fig37._rows({"mean_field": one, "gibbs": lower}, 0.74, 5)[0].passed
    mixed = dataclasses.replace(one, labels=np.roll(one.labels, 10))
    assert not fig37._rows({"mean_field": one, "gibbs": mixed}, 0.74, 5)[1].passed


def test_figures_are_drawn(result: reproduction.ReproductionResult) -> None:
    figures = result.figures()
    assert len(figures) == len(fig37.CASES)
    assert all(len(figure.axes[0].lines) == 2 for figure in figures.values())
