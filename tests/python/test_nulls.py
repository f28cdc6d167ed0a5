"""Null twins keep what they promise and lose the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gencap.nulls import NULLS, gaussian_twin, permute_columns, resample_matrix

TABLES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8),
    elements=st.floats(-1e6, 1e6),
)


@given(TABLES, st.integers(0, 2**32))
def test_permutation_keeps_every_column_as_a_multiset(X, seed):
    before = X.copy()
    twin = permute_columns(X, np.random.default_rng(seed))
    np.testing.assert_array_equal(np.sort(twin, axis=0), np.sort(X, axis=0))
    np.testing.assert_array_equal(X, before)


@given(TABLES, st.integers(0, 2**32), st.sampled_from(sorted(NULLS)))
def test_twins_are_finite_repeatable_and_leave_the_data_alone(X, seed, kind):
    X.flags.writeable = False
    twin = resample_matrix(X, kind, np.random.default_rng(seed))
    assert twin.shape == X.shape
    assert twin.flags.writeable
    assert np.isfinite(twin).all()
    np.testing.assert_array_equal(twin, resample_matrix(X, kind, np.random.default_rng(seed)))


@given(TABLES, st.integers(0, 2**32))
def test_constant_columns_stay_exactly_constant(X, seed):
    X[:, 0] = 0.1
    np.testing.assert_array_equal(gaussian_twin(X, np.random.default_rng(seed))[:, 0], 0.1)


def test_permutation_destroys_the_correlation_of_columns(rng):
    x = rng.normal(size=20_000)
    twin = permute_columns(np.column_stack([x, x]), rng)
    # standard error of a correlation of 0 is 1/sqrt(N) = 0.007; 5 of them
    assert abs(np.corrcoef(twin.T)[0, 1]) < 0.036


def test_permutations_of_columns_are_uniform_and_independent(rng):
    X = np.column_stack([np.arange(3.0), np.arange(3.0)])
    draws = [tuple(permute_columns(X, rng).T.ravel()) for _ in range(7200)]
    _, counts = np.unique(draws, axis=0, return_counts=True)
    assert len(counts) == 36
    # chi-square with 35 degrees of freedom exceeds 80 with probability 2e-5; seed fixed
    assert ((counts - 200.0) ** 2 / 200.0).sum() < 80.0


def test_gaussian_twin_has_the_mean_and_covariance_of_the_data(rng):
    mixing = rng.normal(size=(4, 4)) * np.array([1.0, 10.0, 1e-3, 100.0])
    X = rng.exponential(size=(40_000, 4)) @ mixing + np.array([5.0, -3.0, 0.0, 1e4])
    twin = gaussian_twin(X, rng)
    scale = X.std(axis=0)
    # standard errors 1/sqrt(N) = 0.005 for means, at most sqrt(2/N) = 0.007 for covariances, in
    # units of the scale; 5 of them
    assert np.abs((twin.mean(axis=0) - X.mean(axis=0)) / scale).max() < 0.025
    difference = (np.cov(twin.T) - np.cov(X.T)) / np.outer(scale, scale)
    assert np.abs(difference).max() < 0.036


def test_gaussian_twin_is_gaussian_where_the_data_is_not(rng):
    X = rng.choice([-1.0, 1.0], size=(40_000, 1)) + 0.01 * rng.normal(size=(40_000, 1))
    twin = gaussian_twin(X, rng)
    # kurtosis 3 with standard error sqrt(24/N) = 0.024, the data have 1
    standardized = (twin - twin.mean()) / twin.std()
    assert abs((standardized**4).mean() - 3.0) < 0.13
    assert (((X - X.mean()) / X.std()) ** 4).mean() < 1.1


def test_wide_tables_keep_their_covariance_without_forming_it(rng):
    loading = rng.normal(size=(2, 60))
    X = rng.normal(size=(30, 2)) @ loading + 3.0
    draws = np.vstack([gaussian_twin(X, rng) for _ in range(400)])
    # rank 2 stays rank 2: nothing leaks out of the span of the data
    assert np.linalg.matrix_rank(draws - X.mean(axis=0), tol=1e-8 * np.abs(draws).max() * 100) == 2
    size = np.linalg.norm(np.cov(X.T))
    # 12,000 rows: relative Frobenius error of a rank-2 covariance about sqrt(3/12000) = 0.016
    assert np.linalg.norm(np.cov(draws.T) - np.cov(X.T)) / size < 0.08


def test_singular_and_tall_tables(rng):
    x = rng.normal(size=(500, 1))
    twin = gaussian_twin(np.hstack([x, 2.0 * x, 7.0 - x]), rng)
    # exact linear relations survive, up to the square root of the rounding of the eigenvalues
    np.testing.assert_allclose(twin[:, 1], 2.0 * twin[:, 0], atol=1e-6)
    np.testing.assert_allclose(twin[:, 2], 7.0 - twin[:, 0], atol=1e-6)


def test_both_factorizations_have_the_same_law(rng):
    X = rng.normal(size=(12, 12)) @ rng.normal(size=(12, 12))
    square = np.vstack([gaussian_twin(X, rng) for _ in range(3000)])
    wide = np.hstack([X, np.ones((12, 1))])
    other = np.vstack([gaussian_twin(wide, rng)[:, :12] for _ in range(3000)])
    scale = np.sqrt(np.outer(X.var(axis=0), X.var(axis=0)))
    # 36,000 rows each: standard error of the difference at most sqrt(4/36000) = 0.0105
    assert np.abs((np.cov(square.T) - np.cov(other.T)) / scale).max() < 0.055


def test_blocks_of_rows_make_no_seam(rng, monkeypatch):
    X = rng.normal(size=(100, 3))
    whole = gaussian_twin(X, np.random.default_rng(1))
    monkeypatch.setattr("gencap.nulls.BLOCK", 7)
    np.testing.assert_allclose(gaussian_twin(X, np.random.default_rng(1)), whole, rtol=1e-12)


def test_unknown_kinds_are_refused(rng):
    with pytest.raises(ValueError, match="kind must be one of 'independent', 'gaussian': got 'g"):
        resample_matrix(np.eye(3), "gausian", rng)
