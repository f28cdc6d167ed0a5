"""Singletons of Ratio Cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gencap import reproduction
from gencap.models import AdaptiveRatioCut
from gencap.reproduction import fig23


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig23")


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_only_high_powers_split_off_single_objects(
    result: reproduction.ReproductionResult,
) -> None:
    cuts = result.tables["cuts"]
    single = cuts[cuts["smallest"] == 1]
    assert set(single["p"]) <= {1.8, 2.0}
    assert set(single["variance"]) <= {0.3, 0.4}
    # Four samples of p = 2 at .3 and .4, all of them, as in four earlier samples of each.
    assert (single["p"] == 2.0).sum() == 4
    # Balanced clusters: 200 objects each, few of which lie on the wrong side.
    assert cuts.loc[cuts["smallest"] > 1, "smallest"].between(190, 200).all()


def test_singletons_need_their_own_start(result: reproduction.ReproductionResult) -> None:
    cuts = result.tables["cuts"]
    single = cuts["smallest"] == 1
    assert (cuts.loc[single, "annealed_cost"] > 1.001 * cuts.loc[single, "cost"]).all()
    np.testing.assert_allclose(cuts.loc[~single, "annealed_cost"], cuts.loc[~single, "cost"])
    # No cut is dearer than the planted one.
    assert (cuts["cost"] <= cuts["planted_cost"] * (1 + 1e-12)).all()


def test_clouds_are_as_described() -> None:
    x, cloud = fig23.two_clouds(0.2, 3)
    assert x.shape == (400, 2)
    assert cloud.sum() == 200
    gap = x[cloud == 1].mean(axis=0) - x[cloud == 0].mean(axis=0)
    # Standard error sqrt(2 * .2 / 200) = .045 in each direction.
    np.testing.assert_allclose(gap, [3.0, 0.0], atol=0.2)
    assert x[cloud == 0].var() == pytest.approx(0.2, rel=0.3)


def test_condition_compares_the_two_costs() -> None:
    x, cloud = fig23.two_clouds(0.4, 0)
    least, planted = fig23._degrees(x, cloud)
    model = AdaptiveRatioCut(2, p=2.0, measure="euclidean")
    assert model.cost(cloud, x) == pytest.approx(4.0 * planted / 400)
    alone = np.zeros(400, dtype=int)
    distances = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    alone[distances.sum(axis=1).argmax()] = 1
    assert model.cost(alone, x) == pytest.approx(least * (1 + 1 / 399))


def test_wrong_findings_are_noticed(result: reproduction.ReproductionResult) -> None:
    def verdicts(cuts: pd.DataFrame) -> list[bool]:
        return [row.passed for row in fig23._rows(cuts)]

    balanced = result.tables["cuts"].assign(smallest=200)
    assert verdicts(balanced)[0] is False
    single = result.tables["cuts"].assign(smallest=1)
    assert verdicts(single)[1] is False
    assert verdicts(single)[3:6] == [False, False, False]


def test_figure_is_drawn(result: reproduction.ReproductionResult) -> None:
    lines = result.figures()["sizes"].axes[0].lines
    assert len(lines) == len(fig23.QUICK_POWERS)
