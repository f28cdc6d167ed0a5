"""Constants added to all similarities."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gencap import Pair, datasets, reproduction
from gencap.capacity import capacity
from gencap.models import AdaptiveRatioCut, PairwiseClustering
from gencap.reproduction import shift_invariance
from gencap.results import Capacity


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("shift_invariance")


def bits(result: reproduction.ReproductionResult, model: str) -> np.ndarray:
    table = result.tables["capacities"]
    return table.loc[table["model"] == model, "bits"].to_numpy()


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_pairwise_and_ratio_cut_do_not_notice(result: reproduction.ReproductionResult) -> None:
    # Rounding of shifted sums only.
    assert np.ptp(bits(result, "pairwise")) < 1e-6
    assert np.ptp(bits(result, "ratio cut")) < 1e-6
    # Two separated sources, drawn unevenly: almost one bit.
    assert bits(result, "ratio cut")[0] == pytest.approx(1.0, abs=0.05)


def test_normalized_and_adaptive_cuts_notice(result: reproduction.ReproductionResult) -> None:
    assert np.ptp(bits(result, "normalized cut")) > 1e-3
    assert np.ptp(bits(result, "adaptive ratio cut, p = 1.5")) > 1e-3
    # Normalized Cut tends to pairwise clustering, as degrees become equal.
    gaps = np.abs(bits(result, "normalized cut") - bits(result, "pairwise")[0])
    assert gaps[0] > gaps[1] > gaps[2]


@pytest.mark.parametrize("seed", [0, 2, 4, 7])
def test_ratio_cut_does_not_notice_where_clusters_empty(seed: int) -> None:
    # Overlapping sources: single objects are split off and clusters run empty on the way there.
    # With sums divided by vanishing sizes, rounding moved samples by up to .3 bits.
    data = datasets.gaussians(200, variance=5, random_state=seed)
    first, second = (shift_invariance.similarity_of(x) for x in (data.first, data.second))
    model = AdaptiveRatioCut(4, p=2.0, measure="precomputed", n_init=1, random_state=0)
    raw = [
        capacity(model, Pair(first + shift, second + shift)).raw_bits for shift in (0.0, 0.5, 5.0)
    ]
    # Rounding is 1e-16 of a shifted degree, divided by the trace of 1e-6 and multiplied by beta;
    # 1e-6 bits were seen.
    assert np.ptp(raw) < 1e-5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", shift_invariance.INVARIANT)
def test_costs_change_by_constants_for_any_labels(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = shift_invariance.similarity_of(rng.normal(size=(40, 2)))
    n_clusters = shift_invariance.MODELS[name]().n_clusters
    labels = rng.permutation(np.arange(40) % n_clusters)
    assert shift_invariance._cost_row(name, s, labels).passed


@pytest.mark.parametrize("name", shift_invariance.INVARIANT)
def test_an_empty_cluster_keeps_the_constants(name: str) -> None:
    rng = np.random.default_rng(7)
    s = shift_invariance.similarity_of(rng.normal(size=(30, 2)))
    n_clusters = shift_invariance.MODELS[name]().n_clusters
    assert shift_invariance._cost_row(name, s, np.arange(30) % (n_clusters - 1)).passed


def test_a_shift_without_the_diagonal_is_noticed() -> None:
    """The diagonal enters with 1 / n_k: costs then depend on the number of clusters."""
    rng = np.random.default_rng(8)
    s = shift_invariance.similarity_of(rng.normal(size=(30, 2)))
    model = shift_invariance.MODELS["pairwise"]()
    labels = (np.arange(30) >= 10).astype(int)
    change = model.cost(labels, s + 5.0 * (1.0 - np.eye(30))) - model.cost(labels, s)
    # -s (N - 2) / 2 in place of -s N / 2, for two clusters.
    assert change == pytest.approx(-70.0)


def test_similarities_are_scaled() -> None:
    s = shift_invariance.similarity_of(np.array([[0.0], [1.0], [2.0]]))
    np.testing.assert_allclose(s, [[1.0, 0.75, 0.0], [0.75, 1.0, 0.75], [0.0, 0.75, 1.0]])


def test_wrong_findings_are_noticed() -> None:
    data = datasets.gaussians(60, variance=1.0, random_state=0)
    one = capacity(PairwiseClustering(4, n_init=1, random_state=0), data.pair)
    found: dict[tuple[str, float], Capacity] = {
        (model, shift): one
        for model in shift_invariance.MODELS
        for shift in shift_invariance.SHIFTS
    }
    verdicts = [row.passed for row in shift_invariance._capacity_rows(found)]
    # Nothing changes: right for the first two models, wrong for the others.
    assert verdicts == [True, True, False, False, True]
    found["pairwise", 5.0] = dataclasses.replace(one, raw_bits=one.raw_bits - 0.01)
    turned = one.probabilities[:, ::-1]
    found["ratio cut", 5.0] = dataclasses.replace(one, probabilities=turned)
    verdicts = [row.passed for row in shift_invariance._capacity_rows(found)]
    assert verdicts[:2] == [False, False]


def test_figure_is_drawn(result: reproduction.ReproductionResult) -> None:
    assert len(result.figures()["shift"].axes[0].lines) == len(shift_invariance.MODELS)
