"""Choosing the number of clusters: the rule, the verdicts, other people's clusterers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import sklearn.mixture
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

import gencap
from gencap import (
    Annealing,
    Capacity,
    CentroidClustering,
    NullResult,
    Order,
    Pair,
    capacity,
    datasets,
    select_order,
    split_features,
)
from gencap._nulls import joint_p_value
from gencap.results import VERDICTS
from gencap.selection import best_order

QUICK = Annealing(n_steps=20)


def made_up(bits, per_pair=(), **fields):
    """A capacity with nothing but its bits."""
    return Capacity(
        bits=max(0.0, bits),
        raw_bits=bits,
        beta=1.0,
        n_clusters=1.0,
        curve=None,
        labels=np.zeros(1, dtype=np.int64),
        probabilities=np.ones((1, 1)),
        second_probabilities=np.ones((1, 1)),
        groups=np.zeros(1, dtype=np.int64),
        bits_per_pair=np.asarray(per_pair, dtype=float),
        **fields,
    )


def orders(bits, **fields):
    return {k: made_up(value, **fields) for k, value in bits.items()}


# The rule


@pytest.mark.parametrize(
    ("bits", "best"),
    [
        ({1: 0.0, 2: 0.8, 3: 1.2, 4: 1.1}, 3),
        # Within 0.01 bit of the best the smaller one wins.
        ({1: 0.0, 2: 1.191, 3: 1.2, 4: 1.205}, 3),
        ({1: 0.0, 2: 1.196, 3: 1.2, 4: 1.205}, 2),
        ({1: 0.0, 2: 1.199, 3: 1.2}, 2),
        # Nothing positive: no structure, whatever was tried.
        ({1: 0.0, 2: -0.3, 3: 0.0}, 1),
        ({2: -0.3, 3: -0.1}, 1),
        ({1: 0.0}, 1),
        # Positive, but not worth a second cluster.
        ({1: 0.0, 2: 0.004, 3: 0.006}, 1),
        ({3: 0.5}, 3),
    ],
)
def test_the_smallest_number_close_to_the_best(bits, best):
    assert best_order(orders(bits)) == best


def test_one_standard_deviation_counts_as_close():
    # sd of (1.0, 1.2, 1.4) is 0.2.
    capacities = {
        2: made_up(0.95, (0.9, 0.95, 1.0)),
        3: made_up(1.05, (1.0, 1.05, 1.1)),
        4: made_up(1.2, (1.0, 1.2, 1.4)),
    }
    assert capacities[4].bits_sd == pytest.approx(0.2)
    assert best_order(capacities) == 3
    # The spread that counts is the best one's own.
    narrow = {**capacities, 4: made_up(1.2, (1.19, 1.2, 1.21))}
    assert best_order(narrow) == 4


@given(st.dictionaries(st.integers(1, 12), st.floats(-2.0, 4.0), min_size=1))
def test_the_rule_on_any_numbers(bits):
    best = best_order(orders(bits))
    top = max(bits.values())
    if not any(k >= 2 and value > 0 for k, value in bits.items()):
        assert best == 1
        return
    floored = {k: max(0.0, value) for k, value in bits.items()}
    assert floored[best] >= max(v for k, v in floored.items() if k >= 2) - 0.01
    assert all(floored[k] < max(0.0, top) - 0.01 for k in bits if k < best) or best == 1


# Spread, nulls and verdicts


def test_spread_over_pairs():
    assert math.isnan(made_up(1.0).bits_sd)
    assert math.isnan(made_up(1.0, (1.0,)).bits_sd)
    assert made_up(1.0, (-3.0, 0.0)).bits_sd == 0.0  # floored at 0, as the bits are
    assert made_up(1.0, (0.0, 2.0)).bits_sd == pytest.approx(math.sqrt(2.0))


def null(p_value, draws=99):
    return NullResult("gaussian", np.linspace(-0.1, 0.1, draws), p_value)


def test_a_null_is_exceeded_at_the_level_its_draws_allow():
    assert null(0.01).is_exceeded()
    assert not null(0.02).is_exceeded()
    assert null(0.05, 19).is_exceeded()
    assert not null(0.1, 19).is_exceeded()
    assert null(0.04).is_exceeded(0.05)
    assert null(0.01).bits == pytest.approx(np.linspace(-0.1, 0.1, 99).clip(0).mean())
    assert NullResult("gaussian", np.array([0.3]), 0.5).bits_sd == 0.0


@pytest.mark.parametrize(
    ("best", "independent", "gaussian", "verdict"),
    [
        (4, 0.01, 0.01, "clusters"),
        (4, 0.01, 0.5, "continuum"),
        (4, 0.5, 0.01, "none"),
        (4, 0.5, 0.5, "none"),
        (1, 0.01, 0.01, "none"),
        (4, None, 0.01, "uncalibrated"),
        (4, 0.01, None, "uncalibrated"),
        (1, None, None, "none"),
    ],
)
def test_verdicts(best, independent, gaussian, verdict):
    drawn = {"independent": independent, "gaussian": gaussian}
    nulls = {kind: null(p) for kind, p in drawn.items() if p is not None}
    order = Order(orders({1: 0.0, 4: 1.0}), best, nulls)
    assert order.verdict == verdict
    assert order.verdict_text == VERDICTS[verdict]


# Selection on data


@pytest.fixture(scope="module")
def separated():
    return datasets.gaussians(200, variance=1.0, random_state=0)


def test_the_planted_number_is_chosen():
    # One pair of 200 objects is too few for differences of 0.01 bit: there surplus centroids gain
    # .01 to .04 bits by chance, and K = 5 to 8 is chosen (with 4 effective clusters).
    pair = datasets.gaussians(800, variance=1.0, random_state=0).pair
    order = select_order(CentroidClustering(random_state=0), pair, range(1, 8))
    assert order.best == 4
    assert isinstance(order.bits, pd.Series)
    assert list(order.bits.index) == list(range(1, 8))
    assert order.bits.index.name == "n_clusters"
    assert order.bits[1] == 0.0
    assert order.bits[4] == order.capacities[4].bits > 1.95
    assert order.verdict == "uncalibrated"
    frame = order.to_frame()
    assert list(frame.index) == list(range(1, 8))
    assert frame.loc[4, "effective"] == 4.0
    assert frame.loc[4, "n_pairs"] == 1


def test_unordered_and_repeated_numbers(separated):
    model = CentroidClustering(random_state=0, annealing=QUICK)
    order = select_order(model, separated.pair, [5, 2, 4, 2])
    assert list(order.capacities) == [2, 4, 5]
    assert model.n_clusters == 2  # the model itself is never changed
    alone = capacity(CentroidClustering(4, random_state=0, annealing=QUICK), separated.pair)
    assert order.capacities[4].raw_bits == alone.raw_bits


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ([], ValueError, "n_clusters must name at least one number of clusters"),
        ([0, 1], ValueError, "n_clusters must be at least 1: got 0"),
        ([2.5], TypeError, "n_clusters must be an integer"),
        (["two"], TypeError, "n_clusters must be an integer"),
        ([300], ValueError, "got 300 for 200 rows; choose 200 or fewer"),
    ],
)
def test_unusable_numbers_are_named(numbers, error, message, separated):
    with pytest.raises(error, match=message):
        select_order(CentroidClustering(), separated.pair, numbers)


def test_null_draws_are_measured_at_every_number(separated):
    model = CentroidClustering(random_state=0, annealing=QUICK)
    order = select_order(model, separated.pair, [2, 4], null="gaussian", null_draws=3)
    assert set(order.null) == {"gaussian"}
    for draw in range(3):
        # Each draw: the twin of the pair, measured like the pair itself.
        twin = separated.pair.resample("gaussian", np.random.default_rng([0, 1, draw]))
        for k in (2, 4):
            again = capacity(CentroidClustering(k, random_state=0, annealing=QUICK), twin)
            assert order.capacities[k].null["gaussian"].draws[draw] == again.raw_bits
    assert order.best == 4
    assert_array_equal(order.null["gaussian"].draws, order.capacities[4].null["gaussian"].draws)
    assert order.null["gaussian"].p_value == 0.25


def test_few_separated_clusters_are_not_hidden_by_a_fine_continuum():
    # Two groups ten standard deviations apart hold one bit. A Gaussian of the same covariance is
    # almost a line: cut into many pieces it reaches more than that bit, though less at K = 2.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)) + 10.0 * rng.integers(2, size=80)[:, None]
    model = CentroidClustering(random_state=0)
    order = select_order(model, split_features(X), range(1, 9), null="both", null_draws=19)
    finest = order.capacities[8].null["gaussian"].bits
    assert finest > order.bits[2] > order.capacities[2].null["gaussian"].bits
    assert (order.best, order.verdict) == (2, "clusters")


def test_the_joint_p_value_keeps_its_level_however_many_numbers_are_tried():
    # Exchangeable rows: each of the 20 values 1/20 .. 1 is equally likely, so that among 2,000 sets
    # 100 +- 9.7 lie at the lowest; five standard deviations.
    rng = np.random.default_rng(0)
    scales = np.array([0.01, 1.0, 5.0, 0.3])
    hits = 0
    for _ in range(2000):
        rows = scales * (rng.normal(size=(20, 4)) + rng.normal(size=(20, 1)))
        hits += joint_p_value(rows[0], rows[1:]) <= 1 / 20
    assert abs(hits - 100) < 5 * 9.75
    assert joint_p_value(np.zeros(2), np.full((19, 2), 1e-17)) == 1.0


# Any clusterer, by its labels


CLUSTERERS = [
    KMeans(4, n_init=3),
    AgglomerativeClustering(4),
    sklearn.mixture.GaussianMixture(4, n_init=2),
    CentroidClustering(4, solver="simulated_annealing"),
]


@pytest.mark.parametrize("model", CLUSTERERS, ids=str)
def test_any_clusterer_by_hamming_weights(model, separated):
    found = capacity(model, separated.pair, random_state=0)
    assert found.weights == "hamming"
    assert found.curve is None
    assert found.n_clusters == 4
    # 99.9 % of the objects agree in both instances; the entropy of the sizes is 1.99.
    assert 1.85 < found.bits <= 2.0
    agree = (found.probabilities == found.second_probabilities).all(axis=1)
    assert agree.mean() > 0.97
    labels = [p.argmax(axis=1) for p in (found.probabilities, found.second_probabilities)]
    assert gencap.hamming_capacity(*labels) == pytest.approx(found.raw_bits)
    again = capacity(model, separated.pair, random_state=0)
    assert again.raw_bits == found.raw_bits


def test_hamming_of_several_pairs_is_the_mean(separated):
    pairs = [separated.pair, Pair(separated.second, separated.first)]
    found = capacity(KMeans(4, n_init=1), pairs, random_state=0)
    assert found.raw_bits == pytest.approx(found.bits_per_pair.mean())
    assert len(found.bits_per_pair) == 2


def test_clusterers_that_choose_their_own_number(separated):
    found = capacity(DBSCAN(eps=0.7, min_samples=4), separated.pair)
    assert found.bits > 0
    assert found.probabilities.shape == found.second_probabilities.shape or found.n_clusters >= 2


def test_selection_with_scikit_learn(separated):
    order = select_order(KMeans(n_init=2), separated.pair, range(1, 7), random_state=0)
    assert order.best == 4
    assert order.bits[1] == 0.0


def test_calibrating_scikit_learn(separated):
    found = capacity(
        AgglomerativeClustering(4), separated.pair, null="both", null_draws=9, random_state=0
    )
    assert found.null["independent"].p_value == 0.1
    assert found.null["gaussian"].p_value == 0.1
    assert found.null["independent"].draws.shape == (9,)
