"""Pairs keep track of rows and columns; splits are partitions; twins keep the pipeline."""

from __future__ import annotations

import copy
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gencap.instances import Instances, Pair
from gencap.splits import (
    MOST_PER_SIDE,
    OptimisticPairingWarning,
    random_feature_splits,
    split_features,
    split_objects,
)


def quiet_split(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimisticPairingWarning)
        return split_objects(*args, **options)


def numbered(rows, columns):
    """A table whose cells tell where they stand: row + column / 1000."""
    return np.arange(rows)[:, None] + np.arange(columns) / 1000.0


def frame(values, index=None, columns=None):
    return pd.DataFrame(values, index=index, columns=columns)


# Pair


def test_a_pair_borrows_the_arrays_and_protects_its_own_view():
    X = numbered(5, 2)
    pair = Pair(X, X + 1.0)
    assert np.shares_memory(pair.first, X)
    assert X.flags.writeable
    for array in (pair.first, pair.second, pair.index1, pair.index2):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        pair.first = X  # frozen
    assert pair.n_objects == 5
    assert pair.names is None
    assert not pair.optimistic
    assert list(pair.pairs()) == [pair]
    np.testing.assert_array_equal(pair.index2, np.arange(5))


def test_different_row_counts_name_both():
    with pytest.raises(ValueError, match="first has 5 rows, second has 1,200; keep the objects"):
        Pair(np.zeros((5, 2)), np.zeros((1200, 2)))


def test_bad_instances_are_named():
    with pytest.raises(ValueError, match="second must hold finite numbers: found 1 NaN"):
        Pair(np.zeros((2, 2)), [[1.0, np.nan], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        (np.zeros((3, 2)), np.zeros((3, 2)), True),
        (np.zeros((3, 2)), np.zeros((3, 4)), False),
        (frame(np.zeros((3, 2)), columns=["a", "b"]), np.zeros((3, 2)), True),
        (
            frame(np.zeros((3, 2)), columns=["a", "b"]),
            frame(np.zeros((3, 2)), columns=["a", "c"]),
            False,
        ),
        # two slices of one unnamed frame are different columns of equal number
        (frame(np.zeros((3, 4))).iloc[:, :2], frame(np.zeros((3, 4))).iloc[:, 2:], False),
        (
            frame(np.zeros((3, 2)), columns=["a", "a"]),
            frame(np.zeros((3, 2)), columns=["a", "a"]),
            True,
        ),
    ],
)
def test_whether_both_live_in_one_space(first, second, shared):
    assert Pair(first, second).same_columns is shared


def test_the_caller_may_decide_the_space():
    X = np.zeros((3, 2))
    assert Pair(X, X, same_columns=False).same_columns is False
    with pytest.raises(ValueError, match="first has 2, second has 3"):
        Pair(X, np.zeros((3, 3)), same_columns=True)


def test_rows_of_frames_are_matched_by_name():
    first = frame(numbered(4, 2), index=list("abcd"), columns=["x", "y"])
    second = first.iloc[[2, 0, 3, 1]]
    pair = Pair(first, second)
    np.testing.assert_array_equal(pair.second, pair.first)
    np.testing.assert_array_equal(second.to_numpy()[pair.index2], pair.second)
    assert list(pair.names) == list("abcd")


def test_shuffled_rows_of_an_unnamed_frame_are_matched_too():
    first = frame(numbered(6, 2))
    pair = Pair(first, first.sample(frac=1.0, random_state=1))
    np.testing.assert_array_equal(pair.second, pair.first)


def test_columns_in_another_order_are_matched_by_name():
    first = frame(numbered(4, 3), columns=["x", "y", "z"])
    pair = Pair(first, first[["z", "x", "y"]])
    np.testing.assert_array_equal(pair.second, pair.first)
    assert pair.same_columns
    assert list(pair.columns2) == ["x", "y", "z"]


def test_other_row_names_are_an_error():
    first = frame(numbered(3, 2), index=list("abc"))
    with pytest.raises(ValueError, match="1 row names of first are not in second, for example 'a'"):
        Pair(first, frame(numbered(3, 2), index=list("bcd")))


def test_repeated_names_in_another_order_are_an_error_but_in_the_same_order_fine():
    first = frame(numbered(3, 2), index=list("aab"))
    assert list(Pair(first, first).names) == list("aab")
    with pytest.raises(ValueError, match="some names repeat"):
        Pair(first, first.iloc[::-1])


def test_names_against_no_names_go_by_position():
    named = frame(numbered(3, 2), index=list("abc"))
    for other in (numbered(3, 2), frame(numbered(3, 2))):
        assert list(Pair(named, other).names) == list("abc")
        assert list(Pair(other, named).names) == list("abc")
        np.testing.assert_array_equal(Pair(other, named).second, numbered(3, 2))


@given(st.permutations(range(6)))
def test_any_order_of_names_is_undone(order):
    first = frame(numbered(6, 2), index=[f"g{i}" for i in range(6)])
    pair = Pair(first, first.iloc[list(order)])
    np.testing.assert_array_equal(pair.first, pair.second)
    np.testing.assert_array_equal(np.asarray(order)[pair.index2], np.arange(6))


def test_pairs_can_be_sent_to_another_process():
    pair = quiet_split(numbered(6, 2))
    twin = copy.deepcopy(pair)  # goes the road of serialization
    np.testing.assert_array_equal(twin.second, pair.second)
    assert twin.optimistic


def test_representations_tell_what_matters():
    assert repr(Pair(np.zeros((3, 2)), np.zeros((3, 2)))) == "<Pair of 3 objects, 2 and 2 columns>"
    assert repr(split_features(np.zeros((3, 3)))).endswith("2 and 1 columns, different columns>")
    assert repr(quiet_split(np.zeros((4, 2)))).endswith("optimistic>")


# Instances


def test_instances_yield_all_pairs_in_order():
    arrays = [numbered(4, 2) + 10.0 * q for q in range(4)]
    instances = Instances(arrays)
    pairs = list(instances.pairs())
    assert (len(instances), instances.n_objects, len(pairs)) == (4, 4, 6)
    for pair, (a, b) in zip(pairs, itertools.combinations(range(4), 2), strict=True):
        np.testing.assert_array_equal(pair.first, arrays[a])
        np.testing.assert_array_equal(pair.second, arrays[b])
    assert not instances.optimistic
    assert repr(instances) == "<Instances: 4 measurements of 4 objects>"


def test_instances_match_rows_by_name_and_say_which_one_is_wrong():
    first = frame(numbered(4, 2), index=list("abcd"))
    instances = Instances([first, first.iloc[::-1], first.iloc[[1, 0, 2, 3]]])
    for pair in instances.pairs():
        np.testing.assert_array_equal(pair.first, pair.second)
    assert list(instances.names) == list("abcd")
    with pytest.raises(ValueError, match=r"measurements\[0\] has 4 rows, measurements\[2\] has 3"):
        Instances([first, first, first.iloc[:3]])
    with pytest.raises(ValueError, match=r"at least two measurements.*got 1"):
        Instances([first])


def test_instances_may_mix_spaces():
    instances = Instances([np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 5))])
    assert [pair.same_columns for pair in instances.pairs()] == [True, False, False]


def test_instances_resample_jointly(rng):
    shared = rng.normal(size=(5000, 1))
    noisy = [shared + 0.1 * rng.normal(size=(5000, 1)) for _ in range(3)]
    for kind, low, high in (("gaussian", 0.97, 1.0), ("independent", -0.075, 0.075)):
        twin = Instances(noisy).resample(kind, rng)
        for pair in twin.pairs():
            # independent: 5 standard errors of 1/sqrt(5000) = 0.014; gaussian: truth 0.990
            assert low < np.corrcoef(pair.first[:, 0], pair.second[:, 0])[0, 1] < high


# feature splits


@given(st.integers(2, 12), st.integers(1, 5), st.integers(0, 2**32))
def test_feature_splits_are_partitions_of_the_columns(columns, rows, seed):
    X = numbered(rows, columns)
    splits = [split_features(X), split_features(X, "random", random_state=seed)]
    for pair in splits:
        both = np.concatenate([pair.columns1, pair.columns2]).astype(int)
        assert sorted(both) == list(range(columns))
        assert 0 <= len(pair.columns1) - len(pair.columns2) <= 1
        np.testing.assert_array_equal(np.hstack([pair.first, pair.second]), X[:, both])
        np.testing.assert_array_equal(pair.index1, np.arange(rows))
        np.testing.assert_array_equal(pair.index2, np.arange(rows))
        assert not pair.same_columns
        assert not pair.optimistic
        assert pair.first.flags.c_contiguous
        assert pair.second.flags.c_contiguous


def test_interleaving_keeps_names_and_labels():
    table = frame(numbered(3, 5), index=list("abc"), columns=list("vwxyz"))
    pair = split_features(table)
    assert list(pair.columns1) == ["v", "x", "z"]
    assert list(pair.columns2) == ["w", "y"]
    assert list(pair.names) == list("abc")


def test_random_splits_repeat_with_the_seed_and_differ_without():
    X = numbered(3, 20)
    a, b = (split_features(X, "random", random_state=5) for _ in range(2))
    np.testing.assert_array_equal(a.columns1, b.columns1)
    # one in 184,756 splits would coincide by chance
    other = split_features(X, "random", random_state=6)
    assert list(a.columns1) != list(other.columns1)


def test_more_random_splits_extend_the_list():
    X = numbered(3, 20)
    few, many = (random_feature_splits(X, n, random_state=1) for n in (2, 5))
    for a, b in zip(few, many, strict=False):
        assert list(a.columns1) == list(b.columns1)
    assert len({tuple(pair.columns1) for pair in many}) == 5
    with pytest.raises(ValueError, match="n_splits must be at least 1"):
        random_feature_splits(X, 0)


def test_one_column_cannot_be_split():
    for split in (split_features, lambda X: random_feature_splits(X, 2)):
        with pytest.raises(ValueError, match=r"at least 2 columns.*Pair"):
            split(np.zeros((5, 1)))


def test_unknown_ways_are_refused():
    with pytest.raises(ValueError, match="how must be one of 'interleave', 'random': got 'half'"):
        split_features(np.zeros((5, 2)), how="half")
    with pytest.raises(ValueError, match="measure must be one of"):
        split_objects(np.zeros((5, 2)), measure="manhattan")


# object splits


def test_object_splits_warn_and_are_marked():
    with pytest.warns(OptimisticPairingWarning, match="bits come out too high"):
        pair = split_objects(numbered(10, 2))
    assert pair.optimistic
    assert pair.same_columns


@given(
    st.integers(2, 15),
    st.sampled_from(["euclidean", "sqeuclidean", "cosine", "pearson"]),
    st.integers(0, 2**32),
)
def test_object_splits_use_every_row_once_and_map_back(rows, measure, seed):
    X = np.random.default_rng(seed).normal(size=(rows, 4))
    pair = quiet_split(X, measure, random_state=seed)
    used = np.concatenate([pair.index1, pair.index2])
    assert len(used) == len(set(used)) == 2 * (rows // 2)
    np.testing.assert_array_equal(pair.first, X[pair.index1])
    np.testing.assert_array_equal(pair.second, X[pair.index2])


@pytest.mark.parametrize("measure", ["euclidean", "sqeuclidean", "cosine", "pearson"])
def test_the_matching_is_the_cheapest_of_all(measure, rng):
    def distance(a, b):
        if measure.endswith("euclidean"):
            squared = ((a - b) ** 2).sum()
            return squared if measure == "sqeuclidean" else squared**0.5
        if measure == "pearson":
            a, b = a - a.mean(), b - b.mean()
        return 1.0 - a @ b / np.sqrt((a @ a) * (b @ b))

    for seed in range(5):
        pair = quiet_split(rng.normal(size=(12, 3)), measure, random_state=seed)
        costs = [
            sum(distance(a, pair.second[j]) for a, j in zip(pair.first, order, strict=True))
            for order in itertools.permutations(range(6))
        ]
        # the identity comes first; rounding apart it is the minimum
        assert costs[0] <= min(costs) + 1e-12


def test_rows_without_direction_are_matched_without_nan():
    X = np.vstack([np.zeros((3, 4)), np.ones((3, 4)), np.eye(4)])
    for measure in ("cosine", "pearson"):
        assert quiet_split(X, measure).n_objects == 5


def test_object_splits_follow_the_seed():
    X = np.random.default_rng(0).normal(size=(40, 2))
    np.testing.assert_array_equal(quiet_split(X).index1, quiet_split(X, random_state=0).index1)
    assert list(quiet_split(X).index1) != list(quiet_split(X, random_state=1).index1)


def test_object_splits_keep_names_of_the_first_half():
    table = frame(numbered(7, 2), index=list("abcdefg"), columns=["x", "y"])
    pair = quiet_split(table)
    assert list(pair.names) == list(table.index[pair.index1])
    assert list(pair.columns1) == list(pair.columns2) == ["x", "y"]


def test_too_many_or_too_few_objects():
    with pytest.raises(ValueError, match="at most 5,000 objects a side: X has 10,002 rows"):
        split_objects(np.zeros((2 * MOST_PER_SIDE + 2, 1)))
    with pytest.raises(ValueError, match="minimum of 2"):
        split_objects(np.zeros((1, 3)))


# resampling


def test_twins_keep_shape_names_and_kind_of_pair(rng):
    table = frame(
        rng.normal(size=(30, 5)), index=[f"g{i}" for i in range(30)], columns=list("vwxyz")
    )
    for pair in (split_features(table), Pair(table, table.to_numpy() + 1.0)):
        for kind in ("independent", "gaussian"):
            twin = pair.resample(kind, rng)
            assert twin.first.shape == pair.first.shape
            assert twin.second.shape == pair.second.shape
            assert twin.same_columns is pair.same_columns
            assert list(twin.names) == list(pair.names)
            assert list(twin.columns1) == list(pair.columns1)
            assert twin.first.flags.c_contiguous
            assert twin.second.flags.c_contiguous
            assert not twin.first.flags.writeable


def test_independent_twins_permute_every_column_of_both(rng):
    pair = split_features(rng.normal(size=(50, 4)))
    twin = pair.resample("independent", rng)
    for before, after in ((pair.first, twin.first), (pair.second, twin.second)):
        np.testing.assert_array_equal(np.sort(after, axis=0), np.sort(before, axis=0))
        assert not np.array_equal(before, after)


def test_gaussian_twins_keep_the_covariance_across_instances(rng):
    shared = rng.exponential(size=(20_000, 1))
    pair = Pair(shared + rng.normal(size=(20_000, 2)), 0.5 * shared + rng.normal(size=(20_000, 2)))
    joint = np.cov(np.hstack([pair.first, pair.second]).T)
    twin = pair.resample("gaussian", rng)
    # entries are at most 2 with standard errors below 2 sqrt(2/20000) = 0.02; 5 of them
    assert np.abs(np.cov(np.hstack([twin.first, twin.second]).T) - joint).max() < 0.1
    scrambled = pair.resample("independent", rng)
    across = np.cov(np.hstack([scrambled.first, scrambled.second]).T)[:2, 2:]
    assert np.abs(across).max() < 0.1
    assert np.abs(joint[:2, 2:]).min() > 0.4


def test_twins_of_object_splits_are_split_and_matched_again(rng):
    X = np.random.default_rng(1).normal(size=(41, 3))
    pair = quiet_split(X)
    twin = pair.resample("independent", rng)  # any warning would fail the test
    assert twin.optimistic
    assert twin.n_objects == 20
    assert set(twin.index1) != set(pair.index1)
    values = {round(x, 12) for x in X[:, 0]}
    assert {round(x, 12) for x in np.concatenate([twin.first[:, 0], twin.second[:, 0]])} <= values
    # matched: partners are closer than partners drawn at random (chance of failure below 1e-6)
    matched = np.linalg.norm(twin.first - twin.second, axis=1).mean()
    shuffled = np.linalg.norm(twin.first - np.roll(twin.second, 1, axis=0), axis=1).mean()
    assert matched < 0.8 * shuffled
    assert twin.resample("gaussian", rng).n_objects == 20


def test_twins_repeat_with_the_generator():
    pair = split_features(np.random.default_rng(0).normal(size=(20, 4)))
    a, b = (pair.resample("gaussian", np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(a.first, b.first)
    with pytest.raises(ValueError, match="kind must be one of"):
        pair.resample("bootstrap", np.random.default_rng(0))
