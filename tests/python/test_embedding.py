"""Constant shift embedding: its identities, its spectrum, and large problems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import gencap

SEEDS = st.integers(0, 2**32 - 1)


def random_distances(seed: int, n: int) -> np.ndarray:
    """Symmetric, zero diagonal, otherwise arbitrary: no vectors have these squared distances."""
    D = np.random.default_rng(seed).uniform(0, 4, size=(n, n))
    D = np.triu(D, 1)
    return D + D.T


def squared_gaps(vectors: np.ndarray) -> np.ndarray:
    return cdist(vectors, vectors, "sqeuclidean")


def pairwise_cost(S: np.ndarray, labels: np.ndarray) -> float:
    """R^PC = -1/2 sum_k A_k / n_k."""
    members = [np.flatnonzero(labels == k) for k in np.unique(labels)]
    return -0.5 * sum(S[np.ix_(m, m)].sum() / len(m) for m in members)


def kmeans_cost(vectors: np.ndarray, labels: np.ndarray) -> float:
    groups = (vectors[labels == k] for k in np.unique(labels))
    return float(sum(((y - y.mean(axis=0)) ** 2).sum() for y in groups))


@given(seed=SEEDS, n=st.integers(1, 12))
def test_squared_distances_are_the_given_ones_plus_the_shift(seed: int, n: int) -> None:
    D = random_distances(seed, n)
    found = gencap.constant_shift_embedding(D.max() - D)
    expected = D + found.shift * (1 - np.eye(n))
    np.testing.assert_allclose(squared_gaps(found.vectors), expected, atol=1e-9)
    # the shift is minus twice the lowest eigenvalue of W = -Q D Q / 2
    Q = np.eye(n) - 1 / n
    spectrum = np.linalg.eigvalsh(-Q @ D @ Q / 2)
    np.testing.assert_allclose(found.eigenvalues, spectrum[::-1], atol=1e-12)
    assert found.shift == pytest.approx(max(0.0, -2 * spectrum[0]), abs=1e-9)


@given(seed=SEEDS, n=st.integers(2, 12), k=st.integers(1, 4))
def test_costs_of_pairwise_clustering_and_of_the_vectors_agree(seed: int, n: int, k: int) -> None:
    D = random_distances(seed, n)
    found = gencap.constant_shift_embedding(-D)
    labels = np.random.default_rng(seed).integers(k, size=n)
    used = len(np.unique(labels))
    # R^PC(c, -D) - lowest (N - K') = sum_i |y_i - mu_c(i)|^2, shift = -2 lowest
    expected = pairwise_cost(-D, labels) + 0.5 * found.shift * (n - used)
    assert kmeans_cost(found.vectors, labels) == pytest.approx(expected, abs=1e-9)


@given(seed=SEEDS, shift=st.floats(-5, 5, allow_nan=False))
def test_differences_of_costs_agree_for_any_similarity(seed: int, shift: float) -> None:
    rng = np.random.default_rng(seed)
    S = rng.normal(size=(9, 9))
    S = S + S.T
    found = gencap.constant_shift_embedding(gencap.similarity(S, "precomputed", shift=shift))
    # the diagonal counts too; both labelings have three clusters
    first, second = rng.permutation(np.repeat([0, 1, 2], 3)), rng.permutation(np.arange(9) % 3)
    expected = pairwise_cost(S, first) - pairwise_cost(S, second)
    difference = kmeans_cost(found.vectors, first) - kmeans_cost(found.vectors, second)
    assert difference == pytest.approx(expected, abs=1e-9)


def test_squared_euclidean_distances_return_the_vectors(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    found = gencap.constant_shift_embedding(gencap.similarity(X, "sqeuclidean"))
    assert found.shift == 0.0
    assert found.vectors.shape == (60, 2)
    np.testing.assert_allclose(squared_gaps(found.vectors), cdist(X, X, "sqeuclidean"), atol=1e-9)
    variances = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1] * len(X)
    np.testing.assert_allclose(found.eigenvalues[:2], variances, rtol=1e-10)


def test_plain_distances_need_no_shift_and_all_dimensions(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    found = gencap.constant_shift_embedding(gencap.similarity(X, "euclidean"))
    assert found.shift == 0.0
    assert found.vectors.shape == (30, 29)
    np.testing.assert_allclose(squared_gaps(found.vectors), cdist(X, X), atol=1e-9)


def test_leading_components_are_those_of_the_whole(rng: np.random.Generator) -> None:
    S = gencap.similarity(rng.normal(size=(40, 3)), "euclidean")
    whole, some = (gencap.constant_shift_embedding(S, n) for n in (None, 4))
    assert some.vectors.shape == (40, 4)
    assert np.array_equal(some.vectors, whole.vectors[:, :4])
    assert np.array_equal(np.asarray(some), some.vectors)
    assert len(some.eigenvalues) == 40


@pytest.mark.parametrize("indefinite", [False, True])
def test_many_objects_need_no_matrix(
    indefinite: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(150, 4)) * [4, 3, 2, 1]
    S = gencap.similarity(X, "sqeuclidean")
    if indefinite:
        noise = rng.normal(size=(150, 150))
        S = gencap.similarity(S.toarray() + noise + noise.T, "precomputed")
    whole = gencap.constant_shift_embedding(S, 3)
    monkeypatch.setattr("gencap.embedding.FULL_SPECTRUM", 100)
    some = gencap.constant_shift_embedding(S, 3)
    # Lanczos stops at machine precision of the largest eigenvalue, about 2400
    assert some.shift == pytest.approx(whole.shift, abs=1e-7)
    np.testing.assert_allclose(some.vectors, whole.vectors, atol=1e-7)
    np.testing.assert_allclose(some.eigenvalues, whole.eigenvalues[:3], rtol=1e-10)
    with pytest.raises(ValueError, match="n_components must be given for more than 100 objects"):
        gencap.constant_shift_embedding(S)


def test_equal_objects_get_one_column_of_zeros() -> None:
    for n in (1, 5):
        found = gencap.constant_shift_embedding(np.ones((n, n)))
        assert found.vectors.tolist() == [[0.0]] * n
        assert found.shift == 0.0


def test_n_components_must_make_sense() -> None:
    with pytest.raises(ValueError, match="n_components must be at least 1"):
        gencap.constant_shift_embedding(np.eye(3), 0)
