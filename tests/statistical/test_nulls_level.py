"""How often the calibrations are wrong: on independent columns, on a continuum, on clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import gencap
from gencap import Annealing, CentroidClustering, capacity, datasets, select_order, split_features

DRAWS = 99
QUICK = Annealing(n_steps=15)


def model(k=2, seed=0):
    return CentroidClustering(k, annealing=QUICK, random_state=seed, n_jobs=1)


def exceeds(pair, k, kind, draws=DRAWS, seed=0):
    """p <= 1 / (1 + draws), decided by the first draw that reaches the observed value.

    The draws are those that `capacity` makes; the rest of them could not change the answer.
    """
    observed = capacity(model(k), pair, n_jobs=1).raw_bits
    index = gencap.nulls.KINDS.index(kind)
    for draw in range(draws):
        twin = pair.resample(kind, np.random.default_rng([seed, index, draw]))
        if capacity(model(k), twin, n_jobs=1).raw_bits >= observed:
            return False
    return True


def independent(seed, n=60, d=6):
    return split_features(np.random.default_rng([77, seed]).normal(size=(n, d)))


def test_stopping_early_changes_no_decision():
    for seed in range(3):
        for k in (2, 3):
            pair = independent(seed)
            full = capacity(model(k), pair, null="independent", null_draws=19, n_jobs=1)
            decided = full.null["independent"].p_value <= 1 / 20
            assert decided == exceeds(pair, k, "independent", draws=19)
    data = datasets.gaussians(60, variance=1.0, random_state=0).pair
    assert exceeds(data, 2, "independent", draws=19)


@pytest.mark.parametrize("coupling_free", [True, False], ids=["feature halves", "two measurements"])
def test_independent_columns_rarely_exceed_their_null(coupling_free):
    """At level 0.01 at most 5 of 100 sets; a correct test has more with probability 0.0005."""
    assert binom(100, 0.01).sf(5) < 1e-3
    wrong = 0
    for seed in range(100):
        if coupling_free:
            pair = independent(seed)
        else:
            rng = np.random.default_rng([78, seed])
            pair = gencap.Pair(rng.normal(size=(50, 2)), rng.normal(size=(50, 2)))
        wrong += exceeds(pair, 2, "independent")
    assert wrong <= 5


def test_skewed_margins_do_not_mislead():
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng([79, seed])
        # Two modes in every column: each alone looks clustered, together nothing is shared.
        X = rng.normal(size=(60, 4)) + 6.0 * (rng.random((60, 4)) < 0.3)
        wrong += exceeds(split_features(X), 2, "independent")
    assert wrong <= 2  # P(more than 2 of 20 at level 0.01) = 0.001


def calibrated(pair, numbers, seed=0):
    return select_order(
        CentroidClustering(annealing=QUICK, random_state=seed),
        pair,
        numbers,
        null="both",
        null_draws=DRAWS,
    )


def test_a_continuum_is_called_a_continuum():
    """Four seeds at level 0.01: a wrong "clusters" among them has probability about 0.04."""
    for seed in range(4):
        data = datasets.common_factor(120, 8, random_state=seed)
        order = calibrated(data.pair, range(1, 5))
        assert order.best >= 2
        assert order.bits.max() > 0.1
        assert order.null["independent"].p_value == 0.01
        assert order.verdict == "continuum", order.null["gaussian"].p_value


def test_the_gaussian_null_is_not_exceeded_too_often_by_gaussians():
    """Its covariance is estimated, so the level is not exact: measured 0 of 200."""
    wrong = 0
    for seed in range(40):
        pair = datasets.common_factor(60, 6, random_state=seed).pair
        wrong += exceeds(pair, 3, "gaussian")
    assert wrong <= 3  # P(more than 3 of 40 at level 0.01) = 0.0006


@pytest.mark.parametrize("variance", [1.0, 2.0])
def test_separated_gaussians_are_called_clusters(variance):
    for seed in range(2):
        pair = datasets.gaussians(150, variance=variance, random_state=seed).pair
        order = calibrated(pair, range(2, 6))
        assert order.verdict == "clusters"
        assert order.null["gaussian"].bits < order.bits.max() - 0.2


def test_independent_columns_are_called_nothing():
    for seed in range(3):
        order = calibrated(independent(seed, n=100), range(1, 5))
        assert order.verdict == "none"
        # The independent null itself carries next to nothing.
        assert order.null["independent"].bits < 0.05
