"""Dominant sets of three Gaussian sources."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from gencap import reproduction
from gencap.models import DominantSets
from gencap.reproduction import fig25
from gencap.termination import CUTOFFS, STEPS, Termination


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig25")


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_all_bits_apart_fewer_with_overlap(result: reproduction.ReproductionResult) -> None:
    bits = result.tables["capacity"]["bits"]
    assert bits[10.0] == pytest.approx(1.371, abs=0.002)
    # Earlier 1.326 +- .019 and .580 +- .125 for single samples.
    assert bits[6.0] == pytest.approx(1.326, abs=0.06)
    assert bits[4.0] == pytest.approx(0.58, abs=0.3)
    assert bits[2.0] < 0.05
    assert bits.is_monotonic_decreasing


def test_the_best_termination_lies_in_between(result: reproduction.ReproductionResult) -> None:
    steps = result.tables["steps"]
    assert list(steps.index) == list(STEPS)
    for side in (10.0, 8.0, 6.0, 4.0):
        assert steps[side].idxmax() == 20
        # Settled games leave cores: nothing is left of 1.37 bits.
        assert steps.loc[200, side] < 0.1
    table = result.tables["capacity"]
    assert (table["best_bits"] >= table["bits"]).all()
    assert (table["held_out_bits"] <= table["best_bits"] + 1e-12).all()
    assert result.tables["termination, side 4"].shape == (len(STEPS), len(CUTOFFS))


def test_three_clusters_are_best(result: reproduction.ReproductionResult) -> None:
    numbers = result.tables["number of clusters"]
    assert (numbers.idxmax() == 3).all()


def test_sources_are_as_described() -> None:
    pair = fig25.three_sources(10.0, 3)
    s = pair.first
    assert s.shape == (500, 500)
    assert not np.array_equal(s, pair.second)
    # Within a source d^2 has mean 4: exp(-4/8) at the mean, E exp(-d^2/8) = 1 / (1 + 1/2).
    assert s[:300, :300].mean() == pytest.approx(2 / 3, abs=0.03)
    assert s[:300, 300:].max() < 0.1
    assert s[300:400, 400:].max() < 0.1
    assert pytest.approx(1.371, abs=1e-3) == fig25.PLANTED_BITS


def termination(bits: pd.DataFrame, steps: int, cutoff: float) -> Termination:
    return Termination(bits, bits, DominantSets(3, max_steps=steps, cutoff=cutoff))


def test_wrong_findings_are_noticed() -> None:
    flat = pd.DataFrame(
        np.full((len(STEPS), len(CUTOFFS)), 0.5), index=list(STEPS), columns=list(CUTOFFS)
    )
    found = {side: [termination(flat, 5, 1e-3)] * 2 for side in fig25.SIDES}
    defaults = [row.passed for row in fig25._default_rows(found)]
    # .5 bits everywhere: wrong apart, right by chance at 4, and never rising.
    assert defaults == [False, False, False, True, True]
    best = fig25._best_rows(found)
    assert [row.passed for row in best] == [False, True, True]
    late = [termination(flat + 0.5, 20, 1e-4)] * 2
    assert [row.passed for row in fig25._best_rows({**found, 10.0: late})][1] is False
    rising = dict(
        zip(fig25.SIDES, [[termination(flat + i, 20, 1e-4)] * 2 for i in range(6)], strict=True)
    )
    assert fig25._default_rows(rising)[-1].passed is False
    numbers = pd.DataFrame({6.0: [0.1, 0.2], 4.0: [0.2, 0.1]}, index=[2, 3])
    assert fig25._number_row(numbers).passed is False


def test_held_out_bits_are_those_of_another_sample() -> None:
    bits = pd.DataFrame([[1.0, 0.2]], index=[20], columns=[1e-3, 1e-4])
    runs = [termination(bits, 20, 1e-3), termination(bits[[1e-3, 1e-4]] * 2, 20, 1e-4)]
    # The first at the second's cut-off, the second at the first's.
    assert fig25._held_out(runs) == pytest.approx((0.2 + 2.0) / 2)


def test_figures_are_drawn(result: reproduction.ReproductionResult) -> None:
    figures = result.figures()
    assert set(figures) == {"separation", "steps"}
    assert len(figures["steps"].axes[0].lines) == len(fig25.SIDES)
    assert dataclasses.is_dataclass(result)
