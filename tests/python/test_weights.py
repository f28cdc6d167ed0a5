"""Weights over enumerated solutions: definitions, order, and what they can carry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

import gencap
from gencap.agreement import capacity_from_probabilities
from gencap.weights import (
    all_assignments,
    boltzmann,
    fermi,
    information,
    maximum_information,
    respects_order,
    zero_one,
)

FloatArray = NDArray[np.float64]
COSTS = arrays(np.float64, st.integers(1, 30), elements=st.floats(-50, 50))


def spin_costs(n_pairs: int, seed: int, n: int = 12, sigma: float = 0.8) -> list[FloatArray]:
    """Costs -sum_i c_i x_i of all c in {-1, 1}^n, where x is half +1, half -1, plus noise."""
    rng = np.random.default_rng(seed)
    spins = 2 * all_assignments(n, 2) - 1
    truth = np.where(np.arange(n) < n // 2, 1.0, -1.0)
    return [-(truth + sigma * rng.normal(size=(n_pairs, n))) @ spins.T for _ in range(2)]


def mutual_information(sigma: float) -> float:
    """I(X1; X2) in bits of two looks at a fair sign with Gaussian noise, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    p = 1 / (1 + np.exp(-2 * (1 + sigma * nodes) / sigma**2))
    overlap = np.outer(p, p) + np.outer(1 - p, 1 - p)
    return float(1 + weights @ np.log2(overlap) @ weights)


@given(COSTS, st.floats(0, 20), st.floats(0, 10))
def test_weights_follow_their_formulas(costs: FloatArray, beta: float, gamma: float) -> None:
    excess = costs - costs.min()
    np.testing.assert_allclose(boltzmann(costs, beta), -beta * excess, rtol=1e-12)
    logs = -np.logaddexp(0, beta * (excess - gamma))
    np.testing.assert_allclose(fermi(costs, beta, gamma), logs - logs.max(), atol=1e-9)
    expected = np.where(excess <= gamma, 0.0, -np.inf)
    np.testing.assert_array_equal(zero_one(costs, gamma), expected)


@given(COSTS, st.floats(0, 20), st.floats(0, 10))
def test_every_kind_respects_the_order(costs: FloatArray, beta: float, gamma: float) -> None:
    for weights in (boltzmann(costs, beta), fermi(costs, beta, gamma), zero_one(costs, gamma)):
        assert respects_order(costs, weights)
        assert weights.max() == 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 0)), min_size=1, max_size=12))
def test_order_equals_its_definition(pairs: list[tuple[int, int]]) -> None:
    expected = all(w >= v for r, w in pairs for s, v in pairs if r < s)
    assert respects_order([r for r, _ in pairs], [w for _, w in pairs]) is expected


def test_extreme_parameters_stay_finite() -> None:
    steep = fermi([0.0, 1.0, 1e8], beta=1e8, gamma=2.0)
    assert steep[0] == 0.0
    assert np.isfinite(steep).all()
    np.testing.assert_allclose(fermi([0.0, 1.0], 3.0, gamma=-500.0), [0.0, -3.0], atol=1e-9)


def test_all_assignments_are_all_and_different() -> None:
    table = all_assignments(4, 3)
    assert table.shape == (81, 4)
    assert len(np.unique(table, axis=0)) == 81
    assert set(np.unique(table)) == {0, 1, 2}
    np.testing.assert_array_equal(all_assignments(3, 1), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"got 3\*\*100; choose n = 13 or less"):
        all_assignments(100, 3)
    with pytest.raises(ValueError, match="n must be at least 1: got 0"):
        all_assignments(0, 3)


def test_information_equals_the_factorized_capacity() -> None:
    rng = np.random.default_rng(2)
    n, k, beta = 5, 3, 0.9
    h1, h2 = rng.normal(size=(2, n, k))
    solutions = all_assignments(n, k)
    costs = [h[np.arange(n), solutions].sum(axis=1) for h in (h1, h2)]
    found = information(boltzmann(costs[0], beta), boltzmann(costs[1], beta), n * math.log(k), n)
    P1, P2 = (np.exp(-beta * h) / np.exp(-beta * h).sum(axis=1, keepdims=True) for h in (h1, h2))
    even = np.full(k, 1 / k)
    expected = capacity_from_probabilities(P1, P2, masses=even, align=False)
    assert found == pytest.approx(expected, abs=1e-12)


def test_disjoint_sets_carry_minus_infinity() -> None:
    first, second = zero_one([0.0, 1.0], 0.5), zero_one([1.0, 0.0], 0.5)
    assert information(first, second, math.log(2), 1) == -math.inf
    assert information(first, first, math.log(2), 1) == 1.0
    both = zero_one([0.0, 1.0], 2.0)
    assert information(both, second, math.log(2), 1) == 0.0


def test_a_reversed_order_is_seen_though_it_carries_information() -> None:
    costs1, costs2 = spin_costs(20, seed=0)

    def reverse(costs: FloatArray, beta: float, gamma: float) -> FloatArray:
        logs = -np.logaddexp(0, -beta * (costs - costs.min() - gamma))
        return logs - logs.max()

    def mean(beta: float, gamma: float) -> float:
        pairs = zip(costs1, costs2, strict=True)
        weights = [(reverse(a, beta, gamma), reverse(b, beta, gamma)) for a, b in pairs]
        return float(np.mean([information(a, b, 12 * math.log(2), 12) for a, b in weights]))

    best = max(mean(beta, gamma) for beta in (1.0, 1.5, 2.0) for gamma in (20.0, 25.0, 30.0))
    # Forward weights carry 0.43 bits on these data; these reversed ones reach 0.418.
    assert best > 0.35
    assert not respects_order(costs1[0], reverse(costs1[0], 1.5, 25.0))
    assert respects_order(costs1[0], fermi(costs1[0], 1.5, 25.0))


def test_kinds_of_weights_on_noisy_signs() -> None:
    """The published comparison (n = 12, sigma 0.8): .308, .307 and .232 nats per object."""
    costs = spin_costs(60, seed=0)
    group = {"log_group_size": 12 * math.log(2), "n_objects": 12}
    found = {
        kind: maximum_information(*costs, kind, **group)
        for kind in ("boltzmann", "fermi", "zero_one")
    }
    nats = {kind: best.bits * math.log(2) for kind, best in found.items()}
    # 720 objects with a standard deviation of 0.55 nats: the means of 60 draws scatter by 0.021
    # around the population value 0.290; 0.07 is more than three of them.
    assert mutual_information(0.8) * math.log(2) == pytest.approx(0.290, abs=0.001)
    assert nats["boltzmann"] == pytest.approx(0.290, abs=0.07)
    assert nats["boltzmann"] == pytest.approx(0.308, abs=0.07)
    assert nats["fermi"] == pytest.approx(nats["boltzmann"], abs=0.02)
    assert nats["zero_one"] == pytest.approx(0.232, abs=0.07)
    assert nats["zero_one"] < min(nats["fermi"], nats["boltzmann"]) - 0.02
    # The best inverse temperature is that of the noise, 1 / sigma^2.
    assert found["boltzmann"].beta == pytest.approx(1 / 0.64, rel=0.25)
    assert found["boltzmann"].gamma is None
    assert found["zero_one"].beta is None


def test_the_maximum_is_that_of_a_dense_scan() -> None:
    costs1, costs2 = spin_costs(3, seed=4, n=6)
    group = {"log_group_size": 6 * math.log(2), "n_objects": 6}

    def mean(weigh: object, *parameters: float) -> float:
        rows = zip(costs1, costs2, strict=True)
        return float(
            np.mean(
                [
                    information(weigh(a, *parameters), weigh(b, *parameters), 6 * math.log(2), 6)
                    for a, b in rows
                ]
            )
        )

    best = maximum_information(costs1, costs2, **group)
    scan = max(mean(boltzmann, beta) for beta in np.linspace(0, 8, 401))
    assert best.bits == pytest.approx(scan, abs=1e-4)
    assert best.bits >= scan - 1e-6
    assert best.bits == pytest.approx(mean(boltzmann, best.beta), abs=1e-12)
    sets = maximum_information(costs1, costs2, "zero_one", **group)
    steps = np.concatenate([(c - c.min(axis=1, keepdims=True)).ravel() for c in (costs1, costs2)])
    assert sets.bits == pytest.approx(max(mean(zero_one, gamma) for gamma in steps), abs=1e-12)


def test_grids_of_the_caller_are_all_there_is() -> None:
    costs = spin_costs(2, seed=5, n=4)
    group = {"log_group_size": 4 * math.log(2), "n_objects": 4}
    best = maximum_information(*costs, "fermi", betas=[0.5, 1.0], gammas=[1.0], **group)
    assert best.beta in (0.5, 1.0)
    assert best.gamma == 1.0
    assert maximum_information(*costs, betas=[0.0], **group).bits == pytest.approx(0.0, abs=1e-12)


def test_equal_costs_carry_nothing() -> None:
    flat = np.zeros(16)
    for kind in ("boltzmann", "fermi", "zero_one"):
        best = maximum_information(flat, flat, kind, log_group_size=4 * math.log(2), n_objects=4)
        assert best.bits == pytest.approx(0.0, abs=1e-12)


def test_threads_change_nothing_and_progress_is_heard() -> None:
    costs = spin_costs(20, seed=6)
    group = {"log_group_size": 12 * math.log(2), "n_objects": 12}
    assert maximum_information(*costs, n_jobs=1, **group) == maximum_information(
        *costs, n_jobs=2, **group
    )
    control = gencap.Control()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        maximum_information(*costs, progress=control, **group)


def test_wrong_arguments_are_named() -> None:
    group = {"log_group_size": 1.0, "n_objects": 2}
    with pytest.raises(ValueError, match="beta must be non-negative: got -1"):
        boltzmann([0.0], -1.0)
    with pytest.raises(ValueError, match="gamma must be non-negative: got -1"):
        zero_one([0.0], -1.0)
    with pytest.raises(ValueError, match="gamma must be finite"):
        fermi([0.0], 1.0, math.inf)
    with pytest.raises(ValueError, match="costs must be finite, one for each solution"):
        boltzmann([0.0, math.nan], 1.0)
    with pytest.raises(ValueError, match=r"kind must be one of .*: got 'bose'"):
        maximum_information([0.0], [0.0], "bose", **group)
    with pytest.raises(ValueError, match="costs2 must have the shape of costs1"):
        maximum_information([0.0, 1.0], [0.0], **group)
    with pytest.raises(ValueError, match="log_weights2 must weigh the solutions"):
        information([0.0, 0.0], [0.0], 1.0, 2)
    with pytest.raises(ValueError, match="n_objects must be at least 1: got 0"):
        information([0.0], [0.0], 1.0, 0)
    with pytest.raises(ValueError, match="at least one above -inf"):
        information([-math.inf], [0.0], 1.0, 1)
    with pytest.raises(ValueError, match="log_weights must have one entry per cost"):
        respects_order([0.0, 1.0], [0.0])
    with pytest.raises(ValueError, match="betas must be non-negative finite numbers"):
        maximum_information([0.0], [0.0], betas=[-1.0], **group)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: all_assignments(2.5, 2), "n must be an integer: got 2.5"),
        (lambda: all_assignments(2, "k"), "k must be an integer: got 'k' of type str"),
        (lambda: boltzmann([0.0], "x"), "beta must be a number: got 'x' of type str"),
        (lambda: boltzmann(["a"], 1.0), r"costs must hold numbers: got \['a'\]"),
        (lambda: fermi([0.0], 1.0, None), "gamma must be a number: got None"),
        (lambda: zero_one([0.0], "x"), "gamma must be a number: got 'x'"),
        (lambda: information([0.0], [0.0], "x", 2), "log_group_size must be a number: got 'x'"),
        (lambda: information([0.0], [0.0], 1.0, "x"), "n_objects must be an integer: got 'x'"),
        (lambda: information(["a"], [0.0], 1.0, 2), "log_weights1 must hold numbers"),
    ],
)
def test_values_of_the_wrong_kind_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_threads_are_checked_like_everywhere() -> None:
    group = {"log_group_size": 1.0, "n_objects": 2}
    for bad, message in (("a", "n_jobs must be an integer or None: got 'a'"), (0, "not be 0")):
        with pytest.raises(ValueError, match=message):
            maximum_information([0.0, 1.0], [0.0, 1.0], n_jobs=bad, **group)
    assert maximum_information([0.0, 1.0], [0.0, 1.0], n_jobs=-2, **group) == maximum_information(
        [0.0, 1.0], [0.0, 1.0], n_jobs=1, **group
    )
    with pytest.raises(ValueError, match="betas must hold numbers: got 'a'"):
        maximum_information([0.0], [0.0], betas="a", **group)
