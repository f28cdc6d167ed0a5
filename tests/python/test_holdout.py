"""Samples to learn from and to try on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import gencap
from gencap.holdout import as_holdouts


def test_halves_are_disjoint_and_complete(rng: np.random.Generator) -> None:
    x = rng.normal(size=(31, 3))
    for split in gencap.holdouts(x, 4, test_size=0.3, random_state=1):
        assert sorted([*split.index1, *split.index2]) == list(range(31))
        assert split.sizes == (22, 9)
        assert (split.first == x[split.index1]).all()
        assert (split.second == x[split.index2]).all()
        assert not split.paired


def test_splits_depend_on_seed_and_place_only(rng: np.random.Generator) -> None:
    x = rng.normal(size=(20, 2))
    few, many = gencap.holdouts(x, 2, random_state=3), gencap.holdouts(x, 5, random_state=3)
    assert (few[1].index1 == many[1].index1).all()
    assert (few[0].index1 != many[1].index1).any()
    assert (gencap.holdouts(x, 1, random_state=4)[0].index1 != few[0].index1).any()


@pytest.mark.parametrize("form", ["dense", "sparse", "similarity"])
def test_graphs_are_cut_with_the_edges_between(form: str, rng: np.random.Generator) -> None:
    s = rng.normal(size=(11, 11))
    s = s + s.T
    given = {
        "dense": s,
        "sparse": scipy.sparse.csr_array(s),
        "similarity": gencap.similarity(s, "precomputed"),
    }[form]
    (split,) = gencap.holdouts(given, 1, measure="precomputed")
    for part, rows, columns in (
        (split.first, split.index1, split.index1),
        (split.second, split.index2, split.index2),
        (split.cross, split.index1, split.index2),
    ):
        block = part.toarray() if scipy.sparse.issparse(part) else part
        assert block == pytest.approx(s[np.ix_(rows, columns)], abs=1e-15)


def test_pairs_by_identity_are_told_from_pairs_by_proximity(rng: np.random.Generator) -> None:
    x = rng.normal(size=(20, 4))
    assert as_holdouts(gencap.Pair(x, x + 1))[0].paired
    halves = as_holdouts(gencap.split_features(x))[0]
    assert halves.paired
    assert not halves.same_columns
    with pytest.warns(gencap.OptimisticPairingWarning):
        optimistic = gencap.split_objects(x)
    assert not as_holdouts(optimistic)[0].paired


def test_several_forms_in_one_list(rng: np.random.Generator) -> None:
    x = rng.normal(size=(9, 2))
    triple = gencap.Instances([x, x + 1, x + 2])
    assert len(as_holdouts(triple)) == 3
    mixed = as_holdouts([(x, x[:4]), gencap.Pair(x, x), gencap.holdouts(x, 1)[0]])
    assert [one.sizes for one in mixed] == [(9, 4), (9, 9), (5, 4)]


def test_frames_with_other_columns_are_other_spaces() -> None:
    one = pd.DataFrame(np.zeros((3, 2)), columns=["a", "b"])
    two = pd.DataFrame(np.zeros((4, 2)), columns=["a", "c"])
    assert not as_holdouts((one, two))[0].same_columns
    assert as_holdouts((one, one))[0].same_columns


def test_bad_input_is_named() -> None:
    x = np.zeros((6, 2))
    with pytest.raises(ValueError, match="test_size must lie between 0 and 1"):
        gencap.holdouts(x, test_size=1.0)
    with pytest.raises(ValueError, match="leaves a part of 6 objects empty"):
        gencap.holdouts(x, test_size=0.1)
    with pytest.raises(ValueError, match="square matrix"):
        gencap.holdouts(x, measure="precomputed")
    with pytest.raises(ValueError, match="n_splits must be at least 1"):
        gencap.holdouts(x, 0)
    with pytest.raises(TypeError, match="make some with"):
        as_holdouts(x)
    with pytest.raises(TypeError, match="got list"):
        as_holdouts([x, x])
    with pytest.raises(ValueError, match="transpose it"):
        gencap.Holdout(np.zeros((4, 2)), np.zeros((3, 2)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="one matrix per pair"):
        as_holdouts([(x, x), (x, x)], np.zeros((6, 6)))
