"""The search at zero temperature as users meet it: fits, capacities, errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import gencap
from gencap import (
    AdaptiveRatioCut,
    CorrelationClustering,
    MaxCut,
    NormalizedCut,
    PairwiseClustering,
)

ALL = [CorrelationClustering, PairwiseClustering, NormalizedCut, AdaptiveRatioCut, MaxCut]
SEARCH = {"solver": "search", "random_state": 0, "n_jobs": 1}


def expected_failures(estimator):
    if isinstance(estimator, MaxCut):
        return {"check_clustering": "Max Cut puts similar objects apart: it cannot find the blobs"}
    return {}


@parametrize_with_checks(
    [
        CorrelationClustering(2, measure="sqeuclidean", **SEARCH),
        NormalizedCut(2, **SEARCH),
        MaxCut(2, **SEARCH),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def blocks(rng):
    """A sparse graph of ten blocks of thirty objects."""
    kinds = np.repeat(np.arange(10), 30)
    chance = np.where(kinds[:, None] == kinds, 0.4, 0.01)
    upper = np.triu(rng.random(chance.shape) < chance, 1).astype(float)
    return scipy.sparse.csr_array(upper + upper.T), kinds


def test_a_fit_has_the_attributes_of_a_fit(blocks):
    graph, kinds = blocks
    model = CorrelationClustering(30, shift=-0.1, measure="precomputed", **SEARCH).fit(graph)
    assert adjusted_rand_score(kinds, model.labels_) == 1.0
    assert model.n_clusters_ == 10
    assert model.labels_.dtype == np.int64
    assert model.cost_ == pytest.approx(model.cost(model.labels_, graph), rel=1e-12)
    assert model.probabilities_.shape == (300, 30)
    assert (model.probabilities_.argmax(axis=1) == model.labels_).all()
    assert (model.probabilities_.sum(axis=1) == 1.0).all()
    assert len(model.restart_costs_) == 6
    assert model.cost_ == model.restart_costs_.min()
    assert (model.trajectory_, model.beta_, model.converged_) == (None, np.inf, True)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("n_jobs", [1, 2, 8])
def test_results_depend_on_the_seed_alone(blocks, form, n_jobs):
    given = blocks[0].toarray() if form == "dense" else blocks[0]
    settings = {"shift": -0.1, "measure": "precomputed", "solver": "search", "random_state": 3}
    expected = CorrelationClustering(8, n_jobs=1, **settings).fit(blocks[0])
    found = CorrelationClustering(8, n_jobs=n_jobs, **settings).fit(given)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.cost_ == pytest.approx(expected.cost_, rel=1e-9)


@pytest.mark.parametrize("kind", [CorrelationClustering, MaxCut])
def test_tiny_optima_are_exact(rng, kind):
    for _ in range(5):
        s = rng.normal(size=(7, 7))
        s = s + s.T
        given = {"shift": -0.2} if kind is CorrelationClustering else {}
        model = kind(3, measure="precomputed", n_init=10, **SEARCH, **given).fit(s)
        lowest = min(
            model.cost(np.array(labels), s) for labels in itertools.product(range(3), repeat=7)
        )
        assert model.cost_ == pytest.approx(lowest, abs=1e-12)


def test_search_is_not_above_annealing_on_a_sparse_graph(rng):
    x = rng.uniform(size=(400, 2))
    net = gencap.networks.neighbor_network(x, 8)
    given = {"shift": -0.05, "measure": "precomputed", "random_state": 0, "n_init": 2}
    annealed = CorrelationClustering(20, **given).fit(net.weights)
    found = CorrelationClustering(20, solver="search", **given).fit(net.weights)
    # A continuum has no clusters to fall into: local optima are many, and annealing is no better.
    assert found.cost_ < annealed.cost_


@pytest.mark.parametrize("kind", ALL)
def test_capacity_compares_labels(kind):
    data = gencap.datasets.gaussians(120, variance=1.0, random_state=0)
    model = kind(4, measure="sqeuclidean", n_init=3, **SEARCH)
    found = gencap.capacity(model, data.pair)
    assert (found.weights, found.curve) == ("hamming", None)
    again = gencap.capacity(model, data.pair, n_jobs=2)
    assert again.bits == found.bits
    if kind is not MaxCut:
        assert found.bits > 1.2


def test_capacity_chooses_among_shifts():
    graph = gencap.datasets.correlation_graph(200, 4, noise=0.4, random_state=1)
    model = CorrelationClustering(8, measure="precomputed", **SEARCH)
    found = gencap.capacity(model, graph.pair)
    assert found.bits == pytest.approx(2.0, abs=0.05)
    given = CorrelationClustering(8, measure="precomputed", shift=found.shift, **SEARCH)
    assert gencap.capacity(given, graph.pair).bits == found.bits
    for shift in (-2.0, 0.9):
        other = CorrelationClustering(8, measure="precomputed", shift=shift, **SEARCH)
        assert gencap.capacity(other, graph.pair).bits <= found.bits


def test_equal_instances_have_seeds_of_their_own():
    # All pairs alike: every split into equal halves is as good as any other.
    s = -np.ones((40, 40))
    found = gencap.capacity(
        CorrelationClustering(2, shift=0.0, measure="precomputed", n_init=1, **SEARCH),
        gencap.Pair(s, s.copy()),
    )
    assert found.bits < 0.5


def test_order_is_selected_from_labels():
    graph = gencap.datasets.correlation_graph(200, 4, noise=0.4, random_state=1)
    model = CorrelationClustering(2, shift=0.0, measure="precomputed", **SEARCH)
    order = gencap.select_order(model, graph.pair, n_clusters=range(1, 7))
    assert order.best == 4


def test_there_are_no_steps_to_yield(blocks):
    model = CorrelationClustering(3, shift=-0.1, measure="precomputed", **SEARCH)
    with pytest.raises(ValueError, match=r"'search' looks for one labeling .* 'gibbs'"):
        list(model.anneal(blocks[0]))


def test_progress_reports_and_cancels(blocks):
    graph = blocks[0]
    seen = []
    model = CorrelationClustering(12, shift=-0.1, measure="precomputed", n_init=1_500, **SEARCH)
    model.fit(graph, progress=seen.append)
    # Long enough for a report: rounds of all starts are counted.
    assert seen
    assert 0 < seen[-1].done
    assert seen[0].done <= seen[-1].done
    before = model.labels_.copy()
    control = gencap.Control()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        model.fit(graph, progress=control)
    np.testing.assert_array_equal(model.labels_, before)


def test_vectors_beyond_a_matrix_are_searched():
    data = gencap.datasets.gaussians(2_400, variance=0.2, random_state=0)
    model = CorrelationClustering(8, measure="sqeuclidean", n_init=2, **SEARCH)
    model.fit(data.first)
    assert adjusted_rand_score(data.truth, model.labels_) > 0.99
    dense = gencap.similarity(data.first, "sqeuclidean", dense=True)
    stored = CorrelationClustering(8, shift=model.shift_, n_init=2, **SEARCH).fit(dense)
    assert stored.cost_ == pytest.approx(model.cost_, rel=1e-9)
