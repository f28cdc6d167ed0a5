"""Inputs that fit together badly, or not into floats at all: said, never suffered in silence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from gencap import (
    Annealing,
    CentroidClustering,
    GaussianMixture,
    InstanceMismatchWarning,
    OptimisticPairingWarning,
    Pair,
    capacity,
    datasets,
    random_feature_splits,
    select_order,
    split_features,
    split_objects,
)
from gencap.instances import resample_together

MODEL = CentroidClustering(4, random_state=0)


@pytest.fixture(scope="module")
def data():
    return datasets.gaussians(n_objects=100, random_state=0)


@pytest.mark.parametrize("factor", [1e80, 1e95, 1e-160])
@pytest.mark.parametrize("model", [MODEL, GaussianMixture(3, covariance="full", random_state=0)])
def test_scales_beyond_floats_are_refused(data, factor, model):
    with pytest.raises(ValueError, match=r"X has a largest variance of .*; rescale the columns"):
        capacity(model, Pair(data.first * factor, data.second * factor))
    with pytest.raises(ValueError, match="rescale the columns"):
        model.fit(data.first * factor)


@pytest.mark.parametrize("factor", [1e60, 1e-60])
def test_large_and_small_scales_are_only_units(data, factor):
    usual = capacity(MODEL, data.pair)
    scaled = capacity(MODEL, Pair(data.first * factor, data.second * factor))
    assert scaled.bits == pytest.approx(usual.bits, abs=1e-6)
    assert scaled.beta * factor**2 == pytest.approx(usual.beta, rel=1e-6)


@pytest.mark.parametrize("settings", [{"stop": 1e308}, {"noise": 1e200}])
def test_settings_that_overflow_end_with_an_error(data, settings):
    model = CentroidClustering(3, random_state=0, annealing=Annealing(**settings))
    with pytest.raises(ValueError, match="costs overflow at beta"):
        capacity(model, data.pair)


def test_an_offset_between_measurements_is_said(data):
    with pytest.warns(InstanceMismatchWarning, match=r"differ by 2\d\.\d standard deviations"):
        capacity(MODEL, Pair(data.first, data.second + 100.0))
    with pytest.warns(InstanceMismatchWarning, match="center each measurement"):
        select_order(MODEL, Pair(data.first, data.second + 100.0), [2])
    usual = capacity(MODEL, data.pair)
    apart = capacity(MODEL, Pair(data.first, data.second + 100.0, same_columns=False))
    # Different spaces have no common origin; merge and centroids differ by sampling only.
    assert apart.bits == pytest.approx(usual.bits, abs=0.15)


def test_unequal_scales_are_said_and_still_annealed_to_the_end():
    table = datasets.load("wine").data
    pair = split_features(table)
    model = CentroidClustering(3, random_state=0)
    with pytest.warns(InstanceMismatchWarning, match="differ by a factor of 59"):
        found = capacity(model, Pair(pair.first, pair.second * 64.0, same_columns=False))
    # A grid made for the larger spread alone ends before the smaller one splits: 0 bits.
    assert found.bits > 0.4


def test_matching_measurements_are_not_warned_of(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        capacity(MODEL, data.pair)


def test_a_constant_measurement_has_no_bits(data):
    assert capacity(MODEL, Pair(data.first, np.ones_like(data.second))).bits < 0.01


def object_splits(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimisticPairingWarning)
        return [split_objects(X, random_state=seed) for seed in range(3)]


@pytest.mark.parametrize("make", [lambda X: list(random_feature_splits(X, 3, 0)), object_splits])
def test_pairs_of_one_table_share_one_null_twin(make):
    X = np.random.default_rng(0).normal(size=(40, 6))
    twins = resample_together(make(X), "independent", np.random.default_rng(1))
    values = [{*pair.first.ravel().tolist(), *pair.second.ravel().tolist()} for pair in twins]
    assert len(twins) == 3
    # A permuted table: the same cells in the same rows for every split of it.
    rows = [
        {tuple(sorted(np.r_[a, b].tolist())) for a, b in zip(pair.first, pair.second, strict=True)}
        for pair in twins
    ]
    assert values[0] == values[1] == values[2]
    if not twins[0].optimistic:
        assert rows[0] == rows[1] == rows[2]


def test_pairs_of_different_tables_get_twins_of_their_own():
    rng = np.random.default_rng(0)
    pairs = [Pair(rng.normal(size=(9, 2)), rng.normal(size=(9, 2))) for _ in range(2)]
    one, two = resample_together(pairs, "gaussian", rng)
    assert not np.array_equal(one.first, two.first)
