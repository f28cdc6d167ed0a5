"""How results introduce themselves: a few lines, however large they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans

from gencap import Annealing, CentroidClustering, capacity, datasets, select_order
from gencap.results import Curve, NullResult, Order


@pytest.fixture(scope="module")
def pairs():
    return [datasets.gaussians(120, variance=1.0, random_state=seed).pair for seed in range(3)]


@pytest.fixture(scope="module")
def model():
    return CentroidClustering(4, annealing=Annealing(n_steps=30), random_state=0)


@pytest.fixture(scope="module")
def found(model, pairs):
    return capacity(model, pairs, null="both", null_draws=3, keep="probabilities")


@pytest.fixture(scope="module")
def order(model, pairs):
    return select_order(model, pairs, range(1, 6), null="both", null_draws=3)


def assert_short(result):
    lines = repr(result).splitlines()
    assert str(result) == repr(result)
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert repr(result).endswith(">")
    assert 1 <= len(lines) <= 3
    assert max(len(line) for line in lines) <= 140
    assert "array(" not in repr(result)


def test_all_results_are_short(found, order):
    null = found.null["gaussian"]
    for result in (found, order, found.curve, null, *found.trajectories):
        assert_short(result)


def test_a_capacity_tells_its_bits_and_how(found):
    text = repr(found)
    assert f"{found.bits:.3f} ± {found.bits_sd:.2g} bits" in text
    for part in (f"n_clusters {found.n_clusters:.3g}", f"beta {found.beta:.4g}", "3 pairs",
                 "coupling centroids", "boltzmann", "120 objects", "gaussian null",
                 "independent null", f"p = {found.null['gaussian'].p_value:.2g}"):  # fmt: skip
        assert part in text
    marked = repr(replace(found, optimistic=True, plateau=True))
    assert "plateau, optimistic pairing" in marked
    assert "optimistic" not in repr(replace(found, optimistic=False))


def test_a_single_pair_has_no_spread_to_tell(model, pairs):
    for one in (model, KMeans(4, n_init=1, random_state=0), CentroidClustering(1)):
        text = repr(capacity(one, pairs[0]))
        assert "±" not in text
        assert "pairs" not in text
        assert len(text.splitlines()) == 2


def test_an_order_tells_the_choice_and_the_verdict(order):
    text = repr(order)
    chosen = order.capacities[order.best]
    assert f"best {order.best}, {order.verdict_text}; {chosen.bits:.3f}" in text
    assert "n_clusters 1 to 5, 5 tried" in text
    assert "gaussian null" in text
    # 1 is the answer without structure, also where it was not tried.
    assert repr(Order({}, 1)) == "<Order: best 1, no reliable structure>"


def test_a_curve_tells_its_maximum(found):
    curve = found.curve
    assert f"{len(curve.beta)} temperatures" in repr(curve)
    assert f"at most {curve.bits.max():.3f} bits" in repr(curve)
    empty = np.zeros(0)
    assert repr(Curve(empty, empty, empty, empty, empty)) == "<Curve: no temperatures>"


def test_a_trajectory_tells_its_range(found):
    run = found.trajectories[0]
    text = repr(run)
    assert f"{len(run)} temperatures, beta {run.betas[0]:.4g} to {run.betas[-1]:.4g}" in text
    assert "centroids 4 x 2" in text
    none = {name: getattr(run, name)[:0] for name in ("betas", "centroids")}
    assert repr(replace(run, **none)) == "<Trajectory: no temperatures>"


def test_a_null_tells_its_draws():
    one = NullResult("gaussian", np.array([0.5]), 0.5)
    assert repr(one) == "<NullResult: gaussian null 0.500 ± 0 bits per object (1 draw), p = 0.5>"
    two = NullResult("independent", np.array([-1.0, 0.5]), 1 / 3)
    assert "0.250 ± 0.35 bits per object (2 draws), p = 0.33" in repr(two)
    assert repr(NullResult("gaussian", np.zeros(0), 1.0)) == "<NullResult: gaussian null, no draws>"
