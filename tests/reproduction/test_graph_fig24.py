"""Trajectories of dominant sets with binary weights."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from gencap import reproduction
from gencap.models import DominantSets
from gencap.reproduction import fig24
from gencap.reproduction.fig25 import three_sources
from gencap.termination import BinaryWeightsWarning, binary_trajectory


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    # The warning that the curve is of no use is expected here and not passed on.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return reproduction.run("fig24")


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_all_bits_or_minus_infinity(result: reproduction.ReproductionResult) -> None:
    apart, overlap = result.tables["separated"], result.tables["overlapping"]
    # Entropy of shares .6, .2, .2.
    np.testing.assert_allclose(fig24._final(apart), 1.371, atol=0.001)
    assert np.isneginf(fig24._final(overlap)).all()
    # The first cluster of twenty steps is consistent even where sources overlap.
    assert np.isfinite(overlap.iloc[: fig24.STEPS]).all(axis=None)
    # Three clusters of twenty steps, and the final labels.
    assert len(apart) == 3 * fig24.STEPS + 1
    assert (result.tables["hamming"]["overlapping"] > 0.2).all()
    np.testing.assert_allclose(result.tables["hamming"]["separated"], 1.371, atol=0.001)


def test_one_inconsistent_object_is_enough() -> None:
    pair = three_sources(fig24.APART, 1)
    model = DominantSets(3, max_steps=fig24.STEPS, measure="precomputed")
    assert binary_trajectory_of(model, pair.first, pair.second) == pytest.approx(1.371, abs=1e-3)
    # Two objects of different sources change places in the second measurement.
    order = np.arange(500)
    order[[0, 450]] = 450, 0
    swapped = pair.second[np.ix_(order, order)]
    assert np.isneginf(binary_trajectory_of(model, pair.first, swapped))


def binary_trajectory_of(model: DominantSets, first: np.ndarray, second: np.ndarray) -> float:
    from gencap import Pair

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BinaryWeightsWarning)
        return float(binary_trajectory(model, Pair(first, second)).iloc[-1])


def test_wrong_findings_are_noticed() -> None:
    finite = pd.DataFrame({0: [1.371, 0.3, 1.371], 1: [1.371, 1.371, np.nan]})
    lost = pd.DataFrame({0: [1.0, -np.inf], 1: [-np.inf, -np.inf]})
    hamming = {"separated": [1.371], "overlapping": [0.5, 0.6]}

    def verdicts(apart: pd.DataFrame, overlap: pd.DataFrame, bits: list[float]) -> list[bool]:
        paths = {"separated": apart, "overlapping": overlap}
        return [row.passed for row in fig24._rows(paths, {**hamming, "overlapping": bits})]

    assert verdicts(finite, lost, [0.5, 0.6]) == [True, True, True, True]
    assert verdicts(lost, finite, [0.5, -0.1]) == [False, False, True, False]
    assert fig24._lost(lost) == [0.5, 1.0]


def test_figure_marks_what_is_lost(result: reproduction.ReproductionResult) -> None:
    left, right = result.figures()["trajectories"].axes
    marks = [len(axes.lines[1].get_xdata()) for axes in (left, right)]
    assert 0 < marks[0] < marks[1]
