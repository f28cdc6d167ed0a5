"""Every input error names the argument, the finding and a remedy; good input passes unchanged."""

from __future__ import annotations

import decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gencap import _validation as v

GOOD = np.arange(6.0).reshape(3, 2)


def test_a_contiguous_float64_array_is_not_copied():
    assert v.check_matrix(GOOD, "X").values is GOOD


@pytest.mark.parametrize(
    "X",
    [
        GOOD.tolist(),
        tuple(map(tuple, GOOD.tolist())),
        GOOD.astype(np.float32),
        GOOD.astype(np.int8),
        GOOD.astype(np.longdouble),
        np.asfortranarray(GOOD),
        np.repeat(GOOD, 2, axis=0)[::2],
        GOOD.astype(object),
        GOOD[::-1][::-1],
        np.ma.masked_array(GOOD),
        pd.DataFrame(GOOD),
        pd.DataFrame(GOOD).astype("Float64"),
        pd.DataFrame(GOOD).astype(object),
        pd.DataFrame(GOOD.astype(int)).map(decimal.Decimal),
    ],
)
def test_everything_that_is_a_table_of_numbers_is_accepted(X):
    matrix = v.check_matrix(X, "X")
    assert matrix.values.dtype == np.float64
    assert matrix.values.flags.c_contiguous
    np.testing.assert_array_equal(matrix.values, GOOD)


def test_read_only_input_stays_read_only_and_writable_input_writable():
    locked = GOOD.copy()
    locked.flags.writeable = False
    assert not v.check_matrix(locked, "X").values.flags.writeable
    free = GOOD.copy()
    assert v.check_matrix(free, "X").values.flags.writeable


def test_booleans_become_zero_and_one():
    np.testing.assert_array_equal(v.check_matrix([[True, False]], "X").values, [[1.0, 0.0]])


def test_a_checked_matrix_passes_through():
    matrix = v.check_matrix(GOOD, "X")
    assert v.check_matrix(matrix, "X") is matrix
    with pytest.raises(ValueError, match="minimum of 4"):
        v.check_matrix(matrix, "X", min_rows=4)


def test_names_come_from_the_index_unless_it_counts_rows():
    frame = pd.DataFrame(GOOD, columns=["a", "b"])
    assert v.check_matrix(frame, "X").names is None
    assert list(v.check_matrix(frame, "X").columns) == ["a", "b"]
    named = frame.set_axis(["x", "y", "z"])
    assert list(v.check_matrix(named, "X").names) == ["x", "y", "z"]
    # rows left by a selection still know where they came from
    assert list(v.check_matrix(frame.iloc[1:], "X").names) == [1, 2]
    pairs = frame.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]))
    assert v.check_matrix(pairs, "X").names[2] == ("b", 1)


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], ValueError, r"X must be a 2-D.*shape \(2,\).*Reshape your data"),
        (3.0, ValueError, "single value.*Reshape your data"),
        (pd.Series([1.0]), ValueError, "Reshape your data"),
        (np.zeros((2, 2, 2)), ValueError, r"3 dimensions, shape \(2, 2, 2\)"),
        (np.zeros((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1"),
        (
            np.zeros((4, 0)),
            ValueError,
            r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1 is required\.",
        ),
        ([], ValueError, "Reshape your data"),
        ([[1, 2], [3]], ValueError, "rows of different lengths"),
        ([["a", "b"]], ValueError, "X must hold numbers: got an array of dtype <U1"),
        ([["1", "2"]], ValueError, "astype"),
        (np.array([[1.0, "a"]], dtype=object), ValueError, r"'a' at position \(0, 1\)"),
        ([[1.0, {"a": 1}]], TypeError, "argument must be .* string.* number"),
        ([[1j, 2]], ValueError, "Complex data not supported"),
        (np.array([[1j, 2]], dtype=object), ValueError, "Complex data not supported"),
        (pd.DataFrame({"a": [1j]}), ValueError, "Complex data not supported"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), ValueError, "datetime64"),
        (scipy.sparse.csr_array(GOOD), TypeError, "sparse csr_array.*toarray"),
        (scipy.sparse.coo_matrix(GOOD), TypeError, "sparse"),
        (None, ValueError, "Reshape your data"),
        ([[1e200, 1e200]], ValueError, r"found 2 values beyond 1e\+100, the first at row 0"),
        ([[np.nan, np.nan]], ValueError, r"found 2 NaN \(missing\) values, the first at row 0"),
        ([[1.0, 1e200]], ValueError, r"1 value beyond 1e\+100.*row 0, column 1; rescale"),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(X, error, message):
    with pytest.raises(error, match=message):
        v.check_matrix(X, "X")


def test_type_errors_are_value_errors_too_so_that_one_clause_catches_all():
    with pytest.raises(ValueError, match="sparse"):
        v.check_matrix(scipy.sparse.csr_array(GOOD), "X")
    with pytest.raises(ValueError, match="integer"):
        v.check_n_clusters(2.5, 10)


@pytest.mark.parametrize(
    ("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_values_that_are_not_finite_are_counted_and_located(bad, word):
    X = np.zeros((5, 3))
    X[2, 1] = X[4, 0] = bad
    with pytest.raises(ValueError, match=f"data must.*2 {word}.*first at row 2, column 1; "):
        v.check_matrix(X, "data")
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=list("vwxyz"))
    with pytest.raises(ValueError, match=r"row 2 \('x'\), column 1 \('b'\)"):
        v.check_matrix(frame, "data")


@pytest.mark.parametrize(
    "X",
    [
        [[1.0, None]],
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        np.ma.masked_array(GOOD, mask=GOOD == 3.0),
        pd.DataFrame({"a": [1.0, pd.NA]}, dtype=object),
    ],
)
def test_every_kind_of_missing_value_counts_as_nan(X):
    with pytest.raises(ValueError, match="1 NaN"):
        v.check_matrix(X, "X")


def test_sums_that_overflow_do_not_count_as_infinity():
    X = np.full((1000, 10), 1e99)
    assert v.check_matrix(X, "X").values is X


def test_frames_name_their_text_columns():
    frame = pd.DataFrame({"a": [1.0], "kind": ["x"], "b": [2.0], "when": [pd.Timestamp(0)]})
    with pytest.raises(ValueError, match=r"2 columns not numeric, 'kind', 'when'; drop"):
        v.check_matrix(frame, "X")
    mixed = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, "x"]}, dtype=object)
    with pytest.raises(ValueError, match="1 column not numeric, 'b'"):
        v.check_matrix(mixed, "X")
    many = pd.DataFrame({str(i): ["x"] for i in range(9)})
    with pytest.raises(ValueError, match="and 4 more"):
        v.check_matrix(many, "X")


@given(hnp.arrays(np.float64, (4, 3), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_a_table_passes_exactly_if_all_cells_are_finite_and_moderate(X):
    if np.isfinite(X).all() and (np.abs(X) <= 1e100).all():
        assert v.check_matrix(X, "X").values is X
    else:
        with pytest.raises(ValueError, match="X must hold finite numbers"):
            v.check_matrix(X, "X")


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        ([3, 1, 3], [1, 0, 1]),
        (["b", "a", "b"], [1, 0, 1]),
        (np.array([0.5, -1.0]), [1, 0]),
        ([True, False], [1, 0]),
        ([(1, 2), (0, 5)], [1, 0]),
        (pd.Series(["y", "x"], index=[7, 8]), [1, 0]),
        (pd.Categorical(["y", "x"]), [1, 0]),
        (["x", 1, "x"], [0, 1, 0]),
        (range(3), [0, 1, 2]),
    ],
)
def test_labels_are_encoded_in_their_order(labels, codes):
    encoded = v.check_labels(labels, "truth")
    assert encoded.dtype == np.int64
    assert encoded.tolist() == codes


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "truth is empty"),
        (3, "truth must be a list of labels"),
        ("abc", "truth must be a list of labels"),
        ([[1, 2], [3, 4]], "truth must be 1-D"),
        (np.zeros((2, 2)), r"truth must be 1-D.*\(2, 2\)"),
        ([1.0, np.nan], "1 label missing, the first at row 1"),
        (["a", None, None], "2 labels missing, the first at row 1"),
        ([[1], [2, 3]], "varies from row to row"),
    ],
)
def test_labels_that_do_not_label_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        v.check_labels(labels, "truth")


@given(st.lists(st.integers(-5, 5), min_size=1))
def test_encoding_keeps_the_partition(labels):
    codes = v.check_labels(labels, "labels")
    distinct = sorted(set(labels))
    assert [distinct[code] for code in codes] == labels


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (12, "n_clusters must be at most the number of objects: got 12 for 10 rows; choose 10"),
        (0, "n_clusters must be at least 1: got 0"),
        (-3, "at least 1: got -3"),
        (2.0, "n_clusters must be an integer: got 2.0 of type float"),
        ("3", "must be an integer: got '3'"),
        (True, "must be an integer: got True"),
        (np.True_, "must be an integer"),
        (None, "must be an integer: got None"),
    ],
)
def test_bad_numbers_of_clusters(k, message):
    with pytest.raises(ValueError, match=message):
        v.check_n_clusters(k, 10)


def test_good_numbers_of_clusters_become_ints():
    assert type(v.check_n_clusters(np.int32(10), 10)) is int


def test_seeds_of_every_kind_lie_in_range_and_repeat():
    assert v.check_seed(0) == 0
    assert v.check_seed(np.int64(5)) == 5
    assert v.check_seed(2**63 - 1) == 2**63 - 1
    for make in (np.random.default_rng, np.random.RandomState, np.random.SeedSequence):
        seed = v.check_seed(make(3))
        assert type(seed) is int
        assert 0 <= seed < 2**63
        assert seed == v.check_seed(make(3))
        assert seed != v.check_seed(make(4))
    # two fresh 63-bit seeds coincide once in 1e19
    assert v.check_seed(None) != v.check_seed(None)


def test_a_generator_moves_on():
    generator = np.random.default_rng(0)
    assert v.check_seed(generator) != v.check_seed(generator)


@pytest.mark.parametrize("bad", [-1, 2**63, 1.5, "7", True])
def test_bad_seeds(bad):
    with pytest.raises(ValueError, match="random_state must"):
        v.check_seed(bad)


def test_numbers_of_threads():
    cores = v.check_n_jobs(None)
    assert cores >= 1
    assert v.check_n_jobs(-1) == cores
    assert v.check_n_jobs(-2) == max(1, cores - 1)
    assert v.check_n_jobs(-1000) == 1
    assert v.check_n_jobs(np.int64(3)) == min(3, cores)
    assert v.check_n_jobs(10**9) == cores
    for bad in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match="n_jobs must"):
            v.check_n_jobs(bad)


def test_positive_numbers():
    assert v.check_positive(np.float32(0.5), "tol") == 0.5
    for bad in (0, -1.0, np.nan, np.inf, "1", None, True):
        with pytest.raises(ValueError, match="tol must be a"):
            v.check_positive(bad, "tol")


def test_choices_suggest_the_nearest():
    assert v.check_choice("b", "mode", {"a": 1, "b": 2}) == "b"
    with pytest.raises(
        ValueError, match="mode must be one of 'merge', 'auto': got 'merg'; did you"
    ):
        v.check_choice("merg", "mode", ("merge", "auto"))
    with pytest.raises(ValueError, match=r"got 3$"):
        v.check_choice(3, "mode", ("merge", "auto"))


def test_degenerate_tables_are_described():
    assert v.describe_degenerate(np.random.default_rng(0).normal(size=(20, 3))) == []
    assert v.describe_degenerate(np.ones((1, 3))) == []
    (text,) = v.describe_degenerate(np.ones((4, 3)))
    assert text.startswith("all 4 rows are identical")
    matrix = v.check_matrix(
        pd.DataFrame({"a": [1.0, 2, 3, 4], "b": 5.0, "c": 0.0}, index=list("wxyz")), "X"
    )
    (text,) = v.describe_degenerate(matrix)
    assert text == "2 of 3 columns are constant and carry no information: columns 'b', 'c'"


def test_duplicate_rows_are_counted_whatever_the_sign_of_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 3.0], [0.0, 1.0]])
    (text,) = v.describe_degenerate(X)
    assert text.startswith("2 of 4 rows (50.0%) repeat an earlier row exactly")
