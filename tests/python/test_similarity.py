"""Similarities: every measure and representation against plain numpy, and what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist, pdist, squareform

import gencap
from gencap import similarity as module_or_function
from gencap.similarity import MEASURES

# Rows on a coarse grid: duplicates, ties and constant rows are common.
COARSE = st.integers(-3, 3).map(float)
FINE = st.floats(-10, 10, allow_nan=False, width=32)
TABLES = st.tuples(st.integers(1, 12), st.integers(1, 4)).flatmap(
    lambda shape: st.one_of(arrays(float, shape, elements=e) for e in (COARSE, FINE))
)
VECTOR_MEASURES = [name for name in MEASURES if name != "precomputed"]
# Entries are at most a few hundred, sums have a dozen terms.
CLOSE = 1e-9


def floyd_warshall(D: np.ndarray) -> np.ndarray:
    best = D.copy()
    for via in range(len(D)):
        best = np.minimum(best, np.maximum(best[:, [via]], best[[via], :]))
    np.fill_diagonal(best, 0.0)
    return best


def pearson(a: np.ndarray, b: np.ndarray) -> float:
    if (a == a[0]).all() or (b == b[0]).all():
        return 0.0
    # A common scale keeps the squares of small numbers from vanishing.
    a, b = ((v - v.mean()) / np.abs(v - v.mean()).max() for v in (a, b))
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    if not a.any() or not b.any():
        return 0.0
    a, b = (v / np.abs(v).max() for v in (a, b))
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def naive(X: np.ndarray, measure: str) -> np.ndarray:
    """The similarity by its definition, one entry after the other."""
    if measure == "inner":
        return X @ X.T
    if measure in ("pearson", "cosine"):
        pick = pearson if measure == "pearson" else cosine
        return np.array([[pick(a, b) for b in X] for a in X])
    D = cdist(X, X, "sqeuclidean" if measure == "sqeuclidean" else "euclidean")
    if measure == "path":
        D = floyd_warshall(D)
    return D.max() - D


@pytest.mark.parametrize("measure", VECTOR_MEASURES)
@given(X=TABLES, seed=st.integers(0, 99))
def test_measures_agree_with_their_definition(measure: Any, X: np.ndarray, seed: int) -> None:
    S = gencap.similarity(X, measure)
    expected = naive(X, measure)
    # a nearly constant row has a correlation, but no digit of it is certain
    spread = X.max(axis=1) - X.min(axis=1)
    certain = measure != "pearson" or not ((spread > 0) & (spread < 1e-6 * abs(X).max())).any()
    if not certain:
        return
    np.testing.assert_allclose(S.toarray(), expected, atol=CLOSE)
    Q = np.random.default_rng(seed).normal(size=(len(X), 3))
    np.testing.assert_allclose(S @ Q, expected @ Q, atol=CLOSE)
    np.testing.assert_allclose(S.diagonal, np.diag(expected), atol=CLOSE)
    np.testing.assert_allclose(Q.T @ S, Q.T @ expected, atol=CLOSE)
    np.testing.assert_allclose(S.degrees(), expected.sum(axis=0), atol=CLOSE)


@pytest.mark.parametrize("measure", VECTOR_MEASURES)
@given(X=TABLES, shift=st.floats(-5, 5, allow_nan=False))
def test_shift_and_representation_change_nothing_else(
    measure: Any, X: np.ndarray, shift: float
) -> None:
    S = gencap.similarity(X, measure)
    others = [
        gencap.similarity(X, measure, shift=shift, dense=True),
        gencap.similarity(X, measure, shift=shift, dense=False, n_jobs=2),
        gencap.similarity(S, shift=shift),
        gencap.similarity(S.toarray(), "precomputed", shift=shift),
        gencap.similarity(scipy.sparse.csr_array(S.toarray()), "precomputed", shift=shift),
    ]
    assert others[0].is_dense
    assert others[1].is_dense is False
    assert others[4].representation == "sparse"
    expected = S.toarray() + shift
    q = np.linspace(-1, 1, len(X))
    for other in others:
        assert other.shift == shift
        np.testing.assert_allclose(other.toarray(), expected, atol=CLOSE)
        np.testing.assert_allclose(other @ q, expected @ q, atol=CLOSE)
        np.testing.assert_allclose(other.diagonal, np.diag(expected), atol=CLOSE)


def test_representations_and_offsets(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    kinds = {name: gencap.similarity(X, name).representation for name in VECTOR_MEASURES}
    assert kinds == {
        "euclidean": "dense",
        "sqeuclidean": "low_rank",
        "pearson": "low_rank",
        "cosine": "low_rank",
        "inner": "low_rank",
        "path": "tree",
    }
    D = pdist(X)
    # the distances are computed alike, up to the order of three additions
    assert gencap.similarity(X, "euclidean").offset == pytest.approx(D.max(), rel=1e-14)
    assert gencap.similarity(X, "sqeuclidean").offset == pytest.approx(D.max() ** 2, rel=1e-14)
    assert gencap.similarity(X, "path").offset == linkage(X, "single")[-1, 2]
    assert gencap.similarity(X, "pearson").offset == 0
    given_v = gencap.similarity(X, "euclidean", offset=50.0, dense=False)
    assert given_v.representation == "rows"
    np.testing.assert_allclose(given_v.toarray(), 50 - squareform(D), atol=1e-12)


def test_many_objects_get_a_bound_as_offset(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10_001, 2))
    S = gencap.similarity(X, "sqeuclidean")
    largest = max(cdist(X[i : i + 500], X, "sqeuclidean").max() for i in range(0, 10_001, 500))
    assert largest <= S.offset <= 4 * largest
    assert S.shape == (10_001, 10_001)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gencap._validation.joblib.cpu_count", lambda: 2)
        rows = gencap.similarity(X, "euclidean", dense=False)
    assert rows.offset == pytest.approx(np.sqrt(S.offset))
    q = rng.normal(size=(10_001, 1))
    sample = [0, 5000, 10_000]
    expected = (rows.offset - cdist(X[sample], X)) @ q
    # sums of ten thousand numbers of size ten
    np.testing.assert_allclose((rows @ q)[sample], expected, atol=1e-8)


@pytest.mark.parametrize("measure", ["pearson", "sqeuclidean", "path", "precomputed"])
def test_large_products_need_no_matrix(measure: Any, rng: np.random.Generator) -> None:
    n = 30_000
    X: Any = rng.normal(size=(n, 3))
    if measure == "precomputed":
        ones = scipy.sparse.coo_array((np.ones(n), (np.arange(n), rng.integers(n, size=n))))
        X = scipy.sparse.csr_array(ones, shape=(n, n))
        X = X + X.T
    S = gencap.similarity(X, measure)
    # a matrix would take 7 GB
    total = S.degrees()
    assert total.shape == (n,)
    # symmetric: 1^T (S q) = (S 1)^T q
    q = rng.normal(size=n)
    assert (S @ q).sum() == pytest.approx(total @ q, rel=1e-6, abs=1e-6 * abs(total).max())


def test_low_rank_far_from_the_origin_keeps_its_digits(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    near = gencap.similarity(X, "sqeuclidean").toarray()
    far = gencap.similarity(X + 1e6, "sqeuclidean").toarray()
    # X + 1e6 itself is rounded to 1e-10
    np.testing.assert_allclose(far, near, atol=1e-8)


def test_names_come_from_the_frame() -> None:
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 5.0]], index=["a", "b"])
    assert gencap.similarity(frame, "cosine").names.tolist() == ["a", "b"]
    square = pd.DataFrame(np.eye(2), index=["a", "b"], columns=["a", "b"])
    assert gencap.similarity(square, "precomputed").names.tolist() == ["a", "b"]


def test_a_symmetric_matrix_is_not_copied() -> None:
    matrix = np.eye(4)
    S = gencap.similarity(matrix, "precomputed")
    matrix[2, 2] = 5.0
    assert (S @ np.ones(4))[2] == 5.0
    matrix.flags.writeable = False
    assert (S @ np.ones(4))[2] == 5.0
    S.toarray()[0, 0] = 9.0
    assert (S @ np.ones(4))[0] == 1.0


def test_threads_give_the_same_bits(rng: np.random.Generator) -> None:
    X, q = rng.normal(size=(4000, 6)), rng.normal(size=(4000, 3))
    for measure in VECTOR_MEASURES:
        one, two = (gencap.similarity(X, measure, n_jobs=jobs) @ q for jobs in (1, 2))
        assert np.array_equal(one, two), measure


@pytest.mark.parametrize("sparse", [False, True])
def test_asymmetric_input_is_symmetrized_with_a_warning(sparse: bool) -> None:
    matrix = np.array([[1.0, 0.2, 0.0], [0.4, 1.0, 0.0], [0.5, 0.0, 1.0]])
    given_matrix = scipy.sparse.csr_array(matrix) if sparse else matrix
    with pytest.warns(gencap.AsymmetryWarning, match=r"X\[.*going on with \(X \+ X.T\) / 2"):
        S = gencap.similarity(given_matrix, "precomputed")
    np.testing.assert_allclose(S.toarray(), (matrix + matrix.T) / 2, atol=1e-15)
    assert matrix[1, 0] == 0.4, "the caller's matrix stays as it was"


@given(X=TABLES)
def test_rounding_is_no_asymmetry(X: np.ndarray) -> None:
    matrix = X @ X.T + 1.0
    matrix[0, -1] *= 1 + 1e-14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S = gencap.similarity(matrix, "precomputed").toarray()
    assert np.array_equal(S, S.T)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"X must be a square matrix .* got shape \(2, 3\)"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), "X must hold finite numbers: found 1 NaN"),
        (np.array([[1.0, np.inf], [0.0, 1.0]]), "X must hold finite numbers: found 1 infinity"),
        (np.empty((0, 0)), "X has 0 sample"),
        (scipy.sparse.csr_array((2, 3)), r"X must be a square matrix .* got shape \(2, 3\)"),
        (scipy.sparse.csr_array(np.array([[0, np.nan], [1, 0]])), "found 1 NaN.*row 0, column 1"),
        (scipy.sparse.csr_array(np.array([[0, 1j], [1j, 0]])), "X must hold real numbers"),
        (np.ones(3), "X must be a 2-D table"),
    ],
)
def test_bad_matrices_are_refused(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gencap.similarity(matrix, "precomputed")


def test_bad_arguments_are_refused() -> None:
    X = np.eye(3)
    with pytest.raises(ValueError, match="measure"):
        gencap.similarity(X, "manhattan")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="offset belongs to the distances"):
        gencap.similarity(X, "pearson", offset=1.0)
    with pytest.raises(ValueError, match="finite"):
        gencap.similarity([[1.0, np.nan]], "pearson")
    with pytest.raises(ValueError, match="dense table"):
        gencap.similarity(scipy.sparse.eye_array(3), "pearson")
    S = gencap.similarity(X)
    with pytest.raises(ValueError, match="Q must have one row per object: got shape"):
        S @ np.ones(2)
    assert callable(module_or_function)


def test_a_cancelled_control_stops_the_work(rng: np.random.Generator) -> None:
    control = gencap.Control()
    control.cancel()
    X = rng.normal(size=(200, 2))
    for measure in ("path", "euclidean", "sqeuclidean"):
        with pytest.raises(gencap.Cancelled):
            gencap.similarity(X, measure, progress=control)  # type: ignore[arg-type]
    with pytest.raises(gencap.Cancelled):
        gencap.path_distances(squareform(pdist(X)), progress=control)


@given(X=TABLES)
def test_path_distances_are_minimax(X: np.ndarray) -> None:
    D = cdist(X, X)
    found = gencap.path_distances(D)
    assert np.array_equal(found, floyd_warshall(D))
    # an ultrametric: the two largest sides of every triangle are equal
    assert (found[:, :, None] <= np.maximum(found[:, None, :], found[None]) + 1e-12).all()
    # "path" similarities are their complement, and positive semidefinite
    S = gencap.similarity(X, "path")
    np.testing.assert_allclose(S.toarray(), S.offset - found, atol=1e-12)
    assert np.linalg.eigvalsh(S.toarray()).min() > -1e-9


def test_path_distances_agree_with_single_linkage(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 3))
    expected = squareform(cophenet(linkage(X, "single")))
    np.testing.assert_allclose(gencap.path_distances(cdist(X, X)), expected, atol=1e-13)


def test_disconnected_graphs(rng: np.random.Generator) -> None:
    D = scipy.sparse.csr_array(
        np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 3], [0, 0, 0, 0]], dtype=float)
    )
    inf = np.inf
    expected = [[0, 1, inf, inf], [1, 0, inf, inf], [inf, inf, 0, 3], [inf, inf, 3, 0]]
    assert gencap.path_distances(D).tolist() == expected
    S = gencap.similarity(D, "path")
    assert S.offset == 3
    assert S.toarray().tolist() == [[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 3]]


def test_distances_must_not_be_negative() -> None:
    with pytest.raises(ValueError, match=r"D must hold distances, .* found -1 at row 0, column 1"):
        gencap.path_distances([[0, -1], [-1, 0]])
    with pytest.raises(ValueError, match="D must hold distances"):
        gencap.path_distances(scipy.sparse.csr_array(np.array([[0, -1.0], [-1, 0]])))
    with pytest.raises(ValueError, match="square"):
        gencap.path_distances(np.ones((2, 3)))
    with pytest.raises(ValueError, match="infinity"):
        gencap.path_distances([[0, np.inf], [np.inf, 0]])


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_objects(n: int) -> None:
    X = np.arange(2.0 * n).reshape(n, 2)
    for measure in VECTOR_MEASURES:
        assert gencap.similarity(X, measure).toarray().shape == (n, n)
    assert gencap.path_distances(cdist(X, X)).shape == (n, n)


def test_repr_says_what_it_is() -> None:
    S = gencap.similarity(np.eye(3), "cosine", shift=0.5)
    text = "Similarity(3 x 3, measure='cosine', representation='low_rank', offset=0, shift=0.5)"
    assert repr(S) == text
    assert len(S) == S.n_objects == 3
