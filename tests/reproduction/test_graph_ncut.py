"""Normalized Cut and pairwise clustering on four Gaussians."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gencap import datasets, reproduction
from gencap._progress import Control
from gencap.models import PairwiseClustering
from gencap.reproduction import ncut
from gencap.reproduction._result import Setting
from gencap.results import Order


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("ncut")


@pytest.fixture(scope="module")
def order() -> Order:
    samples = [datasets.gaussians(120, variance=1.0, random_state=seed) for seed in (0, 1)]
    setting = Setting(quick=True, seed=0, threads=2, control=Control())
    return ncut._order(PairwiseClustering(n_init=2), samples, (4, 5, 6, 7, 8), setting)


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_two_and_one_and_a_half_bits(result: reproduction.ReproductionResult) -> None:
    for model in ("pairwise", "normalized cut"):
        # Uneven draws of 400 objects lower the entropy by some .005.
        assert result.tables[f"{model}, variance 1"].loc[4, "bits"] == pytest.approx(2.0, abs=0.02)
        # Theory 1.4946; three samples, each with a spread of .05 to .08.
        bits = result.tables[f"{model}, variance 5"].loc[4, "bits"]
        assert bits == pytest.approx(1.4946, abs=0.12)


def test_models_nearly_agree(result: reproduction.ReproductionResult) -> None:
    pairwise, cut = (
        result.tables[f"{model}, variance 5"].loc[4, "bits"]
        for model in ("pairwise", "normalized cut")
    )
    # Earlier -.005 and -.007.
    assert abs(pairwise - cut) < 0.02


def scaled(order: Order, k: int, factor: float) -> Order:
    one = order.capacities[k]
    bits = {"bits": one.bits * factor, "bits_per_pair": one.bits_per_pair * factor}
    return Order({**order.capacities, k: dataclasses.replace(one, **bits)}, order.best)


def test_wrong_findings_are_noticed(order: Order) -> None:
    def rows(pairwise: Order, cut: Order) -> list[bool]:
        found = ncut._models_rows(pairwise, cut, "", 1.9995, overlap=False)
        return [row.passed for row in found]

    # 120 objects are drawn less evenly than 400: the entropies are a little lower.
    level = 1.9995 / order.bits[4]
    assert rows(scaled(order, 4, level), scaled(order, 4, level)) == [True, True]
    assert rows(scaled(order, 4, 0.9), scaled(order, 4, 0.9)) == [False, True]
    assert rows(scaled(order, 4, level), scaled(order, 4, 0.9)) == [True, False]


def test_a_flat_curve_has_no_dip(order: Order) -> None:
    flat = order
    for k in (5, 6, 7, 8):
        flat = scaled(flat, k, flat.bits[4] / flat.bits[k])
    assert [row.passed for row in ncut._beyond_rows(flat)] == [False, True]
    dipped = scaled(scaled(scaled(flat, 5, 0.95), 6, 0.95), 7, 0.95)
    assert [row.passed for row in ncut._beyond_rows(dipped)] == [True, True]
    assert [row.passed for row in ncut._beyond_rows(scaled(dipped, 8, 0.9))] == [True, False]


def test_figure_is_drawn(result: reproduction.ReproductionResult) -> None:
    axes = result.figures()["capacity"].axes[0]
    assert np.isfinite(np.asarray(axes.lines[0].get_ydata(), dtype=float)).all()
