"""Generators have the law they claim, and the information they state is that law's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfc, logsumexp

from gencap import datasets
from gencap.datasets.information import STEPS
from gencap.datasets.mixtures import FIVE_CENTERS, SQUARE


def binary_information(half_distance, variance):
    """I(X1; X2) in bits for two equally likely sources at +-a, by entropies (another road)."""

    def entropy(a):
        def integrand(x):
            p = sum(np.exp(-((x - s * a) ** 2) / (2 * variance)) for s in (-1, 1))
            p /= 2.0 * np.sqrt(2.0 * np.pi * variance)
            return -p * np.log2(p) if p > 0.0 else 0.0

        reach = a + 12.0 * variance**0.5
        return quad(integrand, -reach, reach, epsabs=1e-11, limit=500, points=[-a, 0.0, a])[0]

    # the sum of two measurements holds all of the dependence: centers +-sqrt(2) a, same variance
    noise = 0.5 * np.log2(2.0 * np.pi * np.e * variance)
    return 2.0 * entropy(half_distance) - entropy(2.0**0.5 * half_distance) - noise


def sampled_information(centers, variance, weights, n, rng):
    """Monte Carlo estimate of I(X1; X2) and its standard error."""
    centers = np.asarray(centers, dtype=float)
    source = rng.choice(len(centers), size=n, p=weights)
    logs = []
    for _ in range(2):
        x = centers[source] + variance**0.5 * rng.normal(size=(n, centers.shape[1]))
        logs.append(-((x[:, None] - centers) ** 2).sum(axis=2) / (2.0 * variance))
    joint = logsumexp(logs[0] + logs[1], axis=1, b=weights)
    ratio = joint - sum(logsumexp(one, axis=1, b=weights) for one in logs)
    return ratio.mean() / np.log(2.0), ratio.std() / np.sqrt(n) / np.log(2.0)


# information


@pytest.mark.parametrize(("variance", "bits"), [(1.0, 1.9995), (5.0, 1.4946)])
def test_square_has_the_known_information_and_factorizes(variance, bits):
    found = datasets.mutual_information(SQUARE, variance)
    # given to four places
    assert abs(found - bits) < 5e-5
    # two independent binary axes; quadrature good to 1e-9
    assert abs(found - 2.0 * binary_information(4.0, variance)) < 1e-8


@pytest.mark.parametrize("half_distance", [0.01, 0.3, 1.0, 2.0, 5.0, 30.0])
def test_two_sources_agree_with_entropies_by_another_quadrature(half_distance):
    found = datasets.mutual_information([[half_distance], [-half_distance]], 1.0)
    assert abs(found - binary_information(half_distance, 1.0)) < 1e-8


def test_five_sources_agree_with_sampling(rng):
    found = datasets.mutual_information(FIVE_CENTERS, 0.5)
    mean, error = sampled_information(FIVE_CENTERS, 0.5, np.full(5, 0.2), 400_000, rng)
    assert error < 0.0015
    assert abs(found - mean) < 5.0 * error
    assert abs(found - 1.9138) < 5e-5


def test_unequal_weights_agree_with_sampling(rng):
    centers, weights = [(0, 0), (2, 1), (-1, 3)], np.array([0.6, 0.3, 0.1])
    found = datasets.mutual_information(centers, 1.5, weights)
    mean, error = sampled_information(centers, 1.5, weights, 400_000, rng)
    assert abs(found - mean) < 5.0 * error


@pytest.mark.parametrize("rank", [2, 3])
def test_the_step_of_the_grid_does_not_matter(monkeypatch, rank):
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * rank)).reshape(rank, -1).T
    found = datasets.mutual_information(corners, 0.7)
    monkeypatch.setitem(STEPS, rank, STEPS[rank] * 0.85)
    assert abs(datasets.mutual_information(corners, 0.7) - found) < 1e-9
    # and every axis counts by itself
    assert abs(found - rank * binary_information(1.0, 0.7)) < 1e-6


def test_limits():
    assert datasets.mutual_information([[1.0, 2.0]], 1.0) == 0.0
    assert datasets.mutual_information([[1.0], [1.0]], 1.0) == 0.0
    far = datasets.mutual_information(1e3 * np.eye(4), 1.0)
    assert abs(far - 2.0) < 1e-12
    weights = np.array([0.5, 0.25, 0.25])
    apart = datasets.mutual_information(1e3 * np.arange(3.0)[:, None], 1.0, weights)
    assert abs(apart - 1.5) < 1e-12
    # a source without mass does not exist
    assert datasets.mutual_information([[0.0], [9.0], [1.0]], 1.0, [1, 0, 1]) == pytest.approx(
        datasets.mutual_information([[0.0], [1.0]], 1.0), abs=1e-12
    )


@settings(max_examples=20)
@given(st.floats(0.0, 6.28), st.floats(-50.0, 50.0), st.floats(0.2, 5.0))
def test_information_ignores_rotation_shift_scale_and_idle_dimensions(angle, shift, scale):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    centers = np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 3.0)])
    moved = scale * (centers @ turn.T) + shift
    idle = np.hstack([moved, np.full((3, 4), 7.0)])
    found = datasets.mutual_information(idle, scale**2)
    assert abs(found - datasets.mutual_information(centers, 1.0)) < 1e-9


def test_information_refuses_what_it_cannot_integrate():
    with pytest.raises(ValueError, match=r"centers must span at most 3 dimensions.*they span 4"):
        datasets.mutual_information(np.eye(5), 1.0)
    with pytest.raises(ValueError, match="variance must be a finite number above 0"):
        datasets.mutual_information(SQUARE, 0.0)
    for bad in ([1.0], [1.0, -1.0, 1.0, 1.0], [0.0] * 4, [np.nan] * 4):
        with pytest.raises(ValueError, match="weights must"):
            datasets.mutual_information(SQUARE, 1.0, bad)


# mixtures


def test_gaussians_are_two_noisy_measurements_of_shared_sources():
    data = datasets.gaussians(n_objects=40_000, random_state=0)
    centers = np.array(SQUARE)
    np.testing.assert_array_equal(data.centers, centers)
    for measured in (data.first, data.second):
        noise = measured - centers[data.truth]
        # variance 5 with standard error 5 sqrt(2/80000) = 0.025
        assert abs(noise.var() - 5.0) < 0.125
        assert np.abs(noise.mean(axis=0)).max() < 5.0 * np.sqrt(5.0 / 40_000)
    across = ((data.first - centers[data.truth]) * (data.second - centers[data.truth])).mean()
    assert abs(across) < 5.0 * 5.0 / np.sqrt(80_000)
    # 10,000 a source with standard deviation 87
    assert np.abs(np.bincount(data.truth) - 10_000).max() < 440
    assert data.information == pytest.approx(1.4946, abs=5e-5)
    assert data.pair.same_columns


def test_weights_and_centers_are_free():
    data = datasets.gaussians(
        1000, centers=[[0.0] * 5, [9.0] * 5], variance=0.1, weights=[3, 1], random_state=1
    )
    # binomial standard deviation 13.7
    assert abs((data.truth == 0).sum() - 750) < 70
    assert data.first.shape == (1000, 5)
    assert datasets.gaussians(10, centers=np.eye(6), random_state=0).information is None


def test_five_gaussians_are_those_of_the_thesis():
    data = datasets.five_gaussians(50_000, random_state=3)
    assert len(np.unique(data.truth)) == 5
    means = np.array([data.first[data.truth == k].mean(axis=0) for k in range(5)])
    # standard error sqrt(0.5/10000) = 0.007
    assert np.abs(means - FIVE_CENTERS).max() < 0.035
    assert abs((data.first - data.centers[data.truth]).var() - 0.5) < 0.012


@pytest.mark.parametrize("n_features", [2, 100, 500])
def test_high_dimension_is_parametrized_by_its_separation(n_features):
    data = datasets.two_gaussians_high_dimension(
        n_features=n_features, separation=3.0, variance=0.8, random_state=0
    )
    first, second = data.centers
    assert abs(first @ second) < 1e-12
    assert np.linalg.norm(first) == pytest.approx(np.linalg.norm(second), rel=1e-12)
    u = np.linalg.norm(first - second) / np.sqrt(2.0 * 0.8)
    assert u == pytest.approx(3.0, rel=1e-12)
    # the information depends on u only: centers +-u/sqrt(2) in standard deviations
    assert abs(data.information - binary_information(3.0 / np.sqrt(2.0), 1.0)) < 1e-8


def test_high_dimension_shrinks_by_default_and_has_its_bayes_error():
    data = datasets.two_gaussians_high_dimension(20_000, 400, random_state=0)
    difference = data.centers[0] - data.centers[1]
    assert np.linalg.norm(difference) == pytest.approx(2.5, rel=1e-12)  # u = 2.5, sigma_0 = 1/2
    middle = data.centers.mean(axis=0)
    wrong = ((data.first - middle) @ difference < 0) != (data.truth == 1)
    expected = erfc(2.5 / 2.0) / 2.0
    # binomial standard error sqrt(0.0385 * 0.96 / 20000) = 0.0014
    assert abs(wrong.mean() - expected) < 0.007


# controls


@pytest.mark.parametrize(("features", "strength"), [(16, 1.0), (7, 0.5)])
def test_common_factor_has_the_stated_covariance_and_information(features, strength):
    data = datasets.common_factor(40_000, features, strength, random_state=0)
    covariance = np.cov(data.data.T)
    expected = np.eye(features) + strength**2
    # standard error at most 2 sqrt(2/40000) = 0.014
    assert np.abs(covariance - expected).max() < 0.07
    # Gaussian information from determinants: log det S11 + log det S22 - log det S, halved
    odd = np.arange(features) % 2 == 1
    parts = [np.linalg.slogdet(expected[np.ix_(m, m)])[1] for m in (odd, ~odd)]
    bits = 0.5 * (sum(parts) - np.linalg.slogdet(expected)[1]) / np.log(2.0)
    assert data.information == pytest.approx(bits, rel=1e-9)
    assert set(data.truth) == {0}


def test_independent_columns_are_uncorrelated():
    data = datasets.independent_columns(40_000, 5, random_state=0)
    # standard errors 0.005 and 0.007
    assert np.abs(np.cov(data.data.T) - np.eye(5)).max() < 0.036
    assert data.information == 0.0


def test_tables_are_interleaved():
    data = datasets.independent_columns(10, 5, random_state=0)
    np.testing.assert_array_equal(data.first, data.data[:, ::2])
    np.testing.assert_array_equal(data.second, data.data[:, 1::2])
    assert not data.pair.same_columns
    np.testing.assert_array_equal(data.pair.first, data.first)


@given(st.integers(1, 200), st.integers(2, 9), st.floats(0.0, 1.0), st.integers(0, 2**32))
def test_codes_differ_in_exactly_the_stated_share(n, symbols, rate, seed):
    code = datasets.kary_code(n, symbols, rate, random_state=seed)
    assert (code.first != code.second).sum() == round(rate * n)
    for labels in (code.first, code.second):
        assert labels.min() >= 0
        assert labels.max() < symbols
    assert np.ptp(np.bincount(code.first, minlength=symbols)) <= 1
    assert 0.0 <= code.information <= np.log2(symbols) + 1e-12


def test_code_information_is_that_of_the_joint_table():
    code = datasets.kary_code(n_symbols=3, error_rate=0.2)
    joint = (np.full((3, 3), 0.1) + np.diag([0.7] * 3)) / 3.0
    assert code.information == pytest.approx((joint * np.log2(joint * 9.0)).sum(), rel=1e-12)
    assert datasets.kary_code(n_symbols=8, error_rate=0.0).information == pytest.approx(3.0)
    assert datasets.kary_code(n_symbols=2, error_rate=0.5).information == pytest.approx(0.0)


def test_wrong_symbols_are_uniform():
    code = datasets.kary_code(30_000, 4, 1.0, random_state=0)
    steps = np.bincount((code.second - code.first) % 4, minlength=4)
    assert steps[0] == 0
    # 10,000 each with standard deviation 82
    assert np.abs(steps[1:] - 10_000).max() < 410


def test_codes_become_indicator_vectors_in_a_pair():
    pair = datasets.kary_code(20, 4, 0.1, random_state=0).pair
    assert pair.first.shape == pair.second.shape == (20, 4)
    np.testing.assert_array_equal(pair.first.sum(axis=1), 1.0)


@pytest.mark.parametrize("rate", [-0.1, 1.1, np.nan, "0.1", True])
def test_bad_error_rates(rate):
    with pytest.raises(ValueError, match="error_rate must"):
        datasets.kary_code(error_rate=rate)


# real data and the registry


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("wine", (178, 13), 3),
        ("digits", (1797, 64), 10),
        ("iris", (150, 4), 3),
        ("breast_cancer", (569, 30), 2),
    ],
)
def test_real_sets(name, shape, classes):
    data = datasets.load(name)
    assert data.data.shape == shape
    assert len(np.unique(data.truth)) == classes
    assert data.truth.dtype == np.int64
    np.testing.assert_allclose(data.data.mean(axis=0), 0.0, atol=1e-12)
    deviations = data.data.std(axis=0)
    assert np.all(np.isclose(deviations, 1.0) | (deviations == 0.0))
    raw = datasets.load(name, standardize=False)
    assert raw.data.mean() > 0.5
    assert len(raw.columns) == shape[1]
    assert list(raw.pair.columns1) == list(raw.columns[::2])
    assert data.information is None


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'iris'"):
        datasets.load("irris")
    with pytest.raises(ValueError, match="did you mean 'five_gaussians'"):
        datasets.make("five_gausians")


@pytest.mark.parametrize("name", datasets.names())
def test_every_named_set_is_complete_and_repeatable(name):
    options = {} if name in ("wine", "digits", "iris", "breast_cancer") else {"random_state": 4}
    a, b = (datasets.make(name, **options) for _ in range(2))
    np.testing.assert_array_equal(a.first, b.first)
    np.testing.assert_array_equal(a.second, b.second)
    assert a.n_objects == len(a.first) == len(a.second) == len(a.truth) == a.pair.n_objects
    assert a.description in repr(a)
    assert not a.pair.optimistic
    if options:
        other = datasets.make(name, random_state=5)
        assert not np.array_equal(a.first, other.first)


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.gaussians(0),
        lambda: datasets.gaussians(10.5),
        lambda: datasets.common_factor(n_features=1),
        lambda: datasets.independent_columns(n_features=1),
        lambda: datasets.kary_code(n_symbols=1),
        lambda: datasets.two_gaussians_high_dimension(separation=-1.0),
        lambda: datasets.two_gaussians_high_dimension(n_features=1),
        lambda: datasets.gaussians(variance=-1.0),
    ],
)
def test_bad_parameters_are_refused(call):
    with pytest.raises(ValueError, match="must be"):
        call()
