"""Capacity of graph models: planted graphs against the measured table of the specification."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import gencap
from gencap import (
    AdaptiveRatioCut,
    CorrelationClustering,
    MaxCut,
    NormalizedCut,
    Pair,
    PairwiseClustering,
)
from gencap.datasets import correlation_graph, two_structure_graph
from gencap.nulls import permute_edges

CORRELATION = CorrelationClustering(3, shift=0.0, measure="precomputed", random_state=0)


@pytest.fixture(scope="module")
def easy():
    return correlation_graph(90, 3, complexity=0.1, noise=0.3, random_state=1)


def shift_graph(noise):
    return correlation_graph(sizes=(100, 200, 300), complexity=0.0, noise=noise, random_state=1)


# Entropy of clusters of 100, 200 and 300 objects.
PERFECT = 1.4591


@pytest.mark.parametrize(
    ("noise", "best", "low", "high"),
    # Measured on three graphs each: 2.322; 2.099, 2.004 and 2.158; nothing positive.
    [(0.567, 5, 2.31, 2.33), (0.74, 5, 1.95, 2.2), (0.913, 1, 0.0, 0.0)],
)
def test_planted_clusters_are_counted(noise, best, low, high):
    graph = correlation_graph(500, 5, noise=noise, random_state=0)
    model = clone(CORRELATION).set_params(n_init=4)
    order = gencap.select_order(model, graph.pair, [1, 4, 5, 6, 8])
    assert order.best == best
    assert low <= order.bits[5] <= high
    if best == 5:
        assert order.capacities[5].n_clusters == 5
        # More clusters than there are cost little: the surplus stays empty.
        assert order.bits[8] > order.bits[5] - 0.1


@pytest.mark.parametrize("shift", [-1.0, -0.5, 0.0, 0.5, 0.9])
def test_a_perfect_graph_keeps_its_bits_under_small_shifts(shift):
    model = clone(CORRELATION).set_params(shift=shift, n_init=2)
    found = gencap.capacity(model, shift_graph(0.0).pair)
    assert found.bits == pytest.approx(PERFECT, abs=2e-3)
    assert found.shift == shift
    assert found.n_clusters == 3


@pytest.mark.parametrize(
    ("noise", "shift", "low", "high"),
    [
        (0.0, 1.5, 0.0, 0.0),
        (0.0, -3.0, 1.2, 1.34),
        (0.4, 0.5, 1.457, 1.461),
        (0.4, 0.7, 0.0, 0.0),
        # Four graphs gave 1.445 +- .007 and 1.258 +- .001; five of these are the margin.
        (0.4, -1.0, 1.41, 1.48),
        (0.4, -2.0, 1.25, 1.265),
    ],
)
def test_large_shifts_destroy_the_structure(noise, shift, low, high):
    model = clone(CORRELATION).set_params(shift=shift, n_init=4)
    assert low <= gencap.capacity(model, shift_graph(noise).pair).bits <= high


def test_min_cut_is_more_robust_than_max_cut():
    graph = two_structure_graph(noise=0.8, random_state=0)
    min_cut = gencap.capacity(clone(CORRELATION).set_params(n_clusters=2), graph.pair)
    max_cut = gencap.capacity(MaxCut(2, measure="precomputed", random_state=0), graph.pair)
    assert min_cut.bits > 0.99
    # Measured .180; a single graph of 400 objects scatters by some hundredths.
    assert max_cut.bits == pytest.approx(0.18, abs=0.1)
    upper = graph.truth // 2
    assert np.isin(min_cut.labels, [0, 1]).all()
    assert max((min_cut.labels == upper).mean(), (min_cut.labels != upper).mean()) > 0.99


def test_gibbs_sampling_agrees_with_mean_field():
    graph = correlation_graph(300, 3, complexity=0.2, noise=0.6, random_state=2)
    model = clone(CORRELATION).set_params(n_init=2)
    mean_field = gencap.capacity(model, graph.pair)
    gibbs = gencap.capacity(clone(model).set_params(solver="gibbs"), graph.pair)
    # Measured differences below .016 in the learnable regime; ten potentials are averaged here.
    assert gibbs.bits == pytest.approx(mean_field.bits, abs=0.03)


def test_pairwise_and_normalized_cuts_are_nearly_equal():
    data = gencap.datasets.gaussians(n_objects=400, variance=5.0, random_state=0)
    bits = [
        gencap.capacity(model, data.pair).bits
        for model in (
            PairwiseClustering(4, n_init=2, random_state=0),
            NormalizedCut(4, n_init=2, random_state=0),
            NormalizedCut(4, shift=5.0, n_init=2, random_state=0),
            gencap.CentroidClustering(4, random_state=0),
        )
    ]
    # Table: 1.487 and 1.482, 1.441 and 1.434 for two seeds; PC is k-means in other words.
    assert bits[0] == pytest.approx(1.47, abs=0.05)
    np.testing.assert_allclose(bits, bits[0], atol=0.02)


def test_a_shift_changes_nothing_for_pairwise_clustering(easy):
    pair = Pair(easy.first + 0.7, easy.second + 0.7)
    model = PairwiseClustering(3, measure="precomputed", random_state=0, n_init=2)
    plain, moved = gencap.capacity(model, easy.pair), gencap.capacity(model, pair)
    np.testing.assert_allclose(moved.curve.bits, plain.curve.bits, atol=1e-4)


def test_what_a_capacity_tells(easy):
    found = gencap.capacity(CORRELATION, easy.pair, keep="probabilities")
    curve = found.curve
    np.testing.assert_allclose(curve.bits, curve.entropy + curve.agreement, atol=1e-12)
    assert found.coupling == "independent"
    assert curve.bits[0] == pytest.approx(np.log2(3) - np.log2(3), abs=0.05)
    assert found.bits == pytest.approx(np.log2(3), abs=5e-3)
    assert found.path_probabilities.shape == (len(curve.beta), 90, 3)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0, atol=1e-12)
    step = int(np.flatnonzero(curve.beta == found.beta)[0])
    np.testing.assert_array_equal(found.path_probabilities[step], found.probabilities)
    # The bits at the optimum follow from the aligned probabilities and the final masses.
    again = gencap.capacity_from_probabilities(
        found.probabilities, found.second_probabilities, masses=[30, 30, 30], align=False
    )
    assert again == pytest.approx(curve.bits[step], abs=1e-4)
    assert len(np.unique(found.labels)) == 3


def test_one_cluster_carries_nothing(easy):
    found = gencap.capacity(clone(CORRELATION).set_params(n_clusters=1), easy.pair)
    assert (found.bits, found.n_clusters, found.coupling) == (0.0, 1.0, "independent")


def test_no_edges_no_bits():
    nothing = Pair(np.zeros((20, 20)), np.zeros((20, 20)))
    for kind in (CorrelationClustering, PairwiseClustering, NormalizedCut, AdaptiveRatioCut):
        assert gencap.capacity(kind(2, measure="precomputed", random_state=0), nothing).bits == 0.0
    alike = Pair(np.ones((20, 20)), np.ones((20, 20)))
    assert gencap.capacity(clone(CORRELATION), alike).bits == 0.0


def test_results_do_not_depend_on_threads(easy):
    model = clone(CORRELATION).set_params(n_init=3)
    one, four = (gencap.select_order(model, easy.pair, [2, 3, 5], n_jobs=n) for n in (1, 4))
    for k in (2, 3, 5):
        np.testing.assert_array_equal(one.capacities[k].curve.bits, four.capacities[k].curve.bits)


def test_several_pairs_are_averaged_before_the_maximum(easy):
    other = correlation_graph(90, 3, complexity=0.1, noise=0.5, random_state=7)
    both = gencap.capacity(CORRELATION, [easy.pair, other.pair])
    assert len(both.bits_per_pair) == 2
    assert both.raw_bits <= both.bits_per_pair.mean() + 1e-12


def test_the_shift_is_chosen_by_capacity(rng):
    center = np.repeat(rng.normal(0, 3, (3, 6)), 30, axis=0)
    pair = Pair(center + rng.normal(size=(90, 6)), center + rng.normal(size=(90, 6)))
    model = CorrelationClustering(3, random_state=0, n_init=2)
    chosen = gencap.capacity(model, pair)
    graphs = [gencap.similarity(x, "pearson") for x in (pair.first, pair.second)]
    candidates = model.shift_candidates(graphs)
    assert chosen.shift in candidates
    assert 0.0 in candidates
    assert len(candidates) == 7
    single = [
        gencap.capacity(clone(model).set_params(shift=shift), pair).raw_bits for shift in candidates
    ]
    assert chosen.raw_bits == pytest.approx(max(single), abs=1e-12)


def test_warm_starts_over_k_only_help(easy):
    model = clone(CORRELATION).set_params(n_init=1)
    order = gencap.select_order(model, easy.pair, [3, 4, 5])
    assert order.bits[5] == pytest.approx(order.bits[3], abs=0.02)


def test_edges_are_permuted_for_the_null(easy):
    found = gencap.capacity(CORRELATION, easy.pair, null="independent", null_draws=4)
    assert found.null["independent"].bits < 0.1
    assert found.null["independent"].p_value == pytest.approx(1 / 5)
    with pytest.raises(ValueError, match="null 'gaussian' needs vectors"):
        gencap.capacity(CORRELATION, easy.pair, null="both")
    rng = np.random.default_rng(0)
    twin = permute_edges(easy.first, rng)
    np.testing.assert_array_equal(twin, twin.T)
    assert twin.sum() == easy.first.sum()
    assert not np.array_equal(twin, easy.first)


def test_vectors_have_both_nulls(rng):
    center = np.repeat(rng.normal(0, 3, (3, 6)), 20, axis=0)
    pair = Pair(center + rng.normal(size=(60, 6)), center + rng.normal(size=(60, 6)))
    model = PairwiseClustering(3, random_state=0, n_init=1)
    order = gencap.select_order(model, pair, [2, 3], null="both", null_draws=3)
    assert order.best == 3
    assert order.null["independent"].bits < 0.2


def test_scans_follow_one_parameter():
    graph = correlation_graph(90, 3, complexity=0.0, noise=0.2, random_state=3)
    model = clone(CORRELATION).set_params(n_init=2)
    along = gencap.scan(model, graph.pair, shift=[2.0, 0.0, -0.5])
    assert along.values.tolist() == [-0.5, 0.0, 2.0]
    assert along.bits[2.0] == 0.0
    assert along.bits[0.0] == pytest.approx(np.log2(3), abs=5e-3)
    assert along.best in (-0.5, 0.0)
    assert along.parameter == "shift"
    assert [c.shift for c in along.capacities.values()] == [-0.5, 0.0, 2.0]
    cuts = AdaptiveRatioCut(3, measure="precomputed", shift=1.0, random_state=0, n_init=2)
    assert (gencap.scan(cuts, graph.pair, p=[1.2, 1.5]).bits > 1.5).all()
    with pytest.raises(TypeError, match="values of one parameter"):
        gencap.scan(model, graph.pair)
    with pytest.raises(ValueError, match="no parameter 'power'"):
        gencap.scan(model, graph.pair, power=[1.0])
    with pytest.raises(ValueError, match="shift must name at least one value"):
        gencap.scan(model, graph.pair, shift=[])


def test_bad_pairs_are_explained(easy):
    with pytest.raises(ValueError, match="graph models run independently"):
        gencap.capacity(CORRELATION, easy.pair, coupling="merge")
    with pytest.raises(ValueError, match="square"):
        gencap.capacity(CORRELATION, Pair(np.zeros((9, 2)), np.zeros((9, 2))))
    with pytest.raises(ValueError, match="got 99 for 90 rows"):
        gencap.capacity(clone(CORRELATION).set_params(n_clusters=99), easy.pair)


def test_cancelling_is_heard(easy):
    control = gencap.Control()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        gencap.capacity(CORRELATION, easy.pair, progress=control)


class TestGraphs:
    def test_edges_follow_their_probabilities(self):
        graph = correlation_graph(400, 4, complexity=0.35, noise=0.5, random_state=0)
        within = graph.truth[:, None] == graph.truth[None, :]
        off = ~np.eye(400, dtype=bool)
        for S in (graph.first, graph.second):
            np.testing.assert_array_equal(S, S.T)
            assert set(np.unique(S[off])) == {-1.0, 1.0}
            assert np.diagonal(S).tolist() == [0.0] * 400
            # Means .5 and .5 (2 * .35 - 1) = -.15; five standard errors of 20,000 edges at least.
            assert S[within & off].mean() == pytest.approx(0.5, abs=0.035)
            assert S[~within].mean() == pytest.approx(-0.15, abs=0.035)
        assert (graph.first != graph.second).any()

    def test_sizes_and_seeds(self):
        graph = correlation_graph(sizes=(2, 3), noise=0.0, complexity=0.0, random_state=0)
        assert np.bincount(graph.truth).tolist() == [2, 3]
        again = correlation_graph(60, 3, random_state=4)
        np.testing.assert_array_equal(again.first, correlation_graph(60, 3, random_state=4).first)
        assert again.pair.n_objects == 60

    def test_two_structures(self):
        graph = two_structure_graph(noise=0.0, random_state=0)
        S, part = graph.first, graph.truth
        assert S[np.ix_(part == 0, part == 1)].min() == 2
        assert S[np.ix_(part == 1, part == 3)].max() == -2
        np.testing.assert_array_equal(graph.first, graph.second)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"noise": 1.5}, "noise must lie between 0 and 1"),
            ({"complexity": "high"}, "complexity must be a number"),
            ({"n_objects": 1}, "n_objects must be at least 2"),
            ({"sizes": (0, 3)}, "sizes must be at least 1"),
        ],
    )
    def test_bad_options_are_explained(self, options, message):
        with pytest.raises(ValueError, match=message):
            correlation_graph(**options)
