"""K-ary codes against Shannon's channel, and the coding experiment against its bound."""

from __future__ import annotations

import itertools
import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

import gencap
from gencap.channel import (
    coding_experiment,
    coding_experiment_from_probabilities,
    kary_capacity,
    kary_information,
    kary_optimal_beta,
)

FloatArray = NDArray[np.float64]
GROUPS = ("relabelling", "permutation")


def blahut_arimoto(channel: FloatArray, n_steps: int = 200) -> float:
    """Capacity in bits of a discrete channel p(y | x), rows x."""
    source = np.linspace(1, 2, len(channel))
    source /= source.sum()
    for _ in range(n_steps):
        output = source @ channel
        ratio = np.where(channel > 0, np.log(np.where(channel > 0, channel / output, 1.0)), 0.0)
        divergence = (channel * ratio).sum(axis=1)
        source = source * np.exp(divergence)
        source /= source.sum()
    return float((source * divergence).sum() / math.log(2))


def symmetric(k: int, delta: float) -> FloatArray:
    return np.where(np.eye(k, dtype=bool), 1 - delta, delta / max(k - 1, 1))


@pytest.mark.parametrize("k", [2, 3, 5, 26])
@pytest.mark.parametrize("delta", [0.0, 0.001, 0.1, 0.3])
def test_capacity_is_found_by_blahut_and_arimoto(k: int, delta: float) -> None:
    # 200 steps from an uneven source suffice up to delta = 0.3; near 1 - 1/K the steps become
    # too small, which the next test does not mind.
    assert kary_capacity(k, delta) == pytest.approx(blahut_arimoto(symmetric(k, delta)), abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 5, 26])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.99, 0.9999])
def test_capacity_is_the_mutual_information_of_an_even_source(k: int, share: float) -> None:
    delta = share * (1 - 1 / k)
    channel = symmetric(k, delta)
    divergences = (channel * np.log2(channel / channel.mean(axis=0))).sum(axis=1)
    # All inputs equally informative: no other source can do better (Kuhn and Tucker).
    np.testing.assert_allclose(divergences, divergences[0], atol=1e-12)
    assert kary_capacity(k, delta) == pytest.approx(divergences.mean(), abs=1e-9)


@given(st.integers(2, 40), st.floats(1e-6, 1.0))
def test_capacity_is_the_maximum_of_the_information(k: int, delta: float) -> None:
    best = kary_optimal_beta(k, delta)
    capacity = kary_capacity(k, delta)
    assert kary_information(best, k, delta) == pytest.approx(capacity, abs=1e-9)
    curve = kary_information(np.linspace(0.0, 40.0, 801), k, delta)
    # The closed form may lose 1e-15 to rounding.
    assert curve.max() <= capacity + 1e-12
    assert capacity >= 0.0


@pytest.mark.parametrize(("k", "delta"), [(2, 0.1), (4, 0.3), (10, 0.7)])
def test_optimal_beta_by_search(k: int, delta: float) -> None:
    found = minimize_scalar(
        lambda beta: -kary_information(beta, k, delta),
        bounds=(0, 20),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert kary_optimal_beta(k, delta) == pytest.approx(found.x, abs=1e-5)


def test_information_by_the_sums_over_symbols() -> None:
    k, delta, beta = 4, 0.2, 1.7
    weights = np.where(np.eye(k, dtype=bool), 1.0, math.exp(-beta))
    P = weights / weights.sum(axis=1, keepdims=True)
    agree, differ = np.log2(P[0] @ P[0]), np.log2(P[0] @ P[1])
    expected = 2 + (1 - delta) * agree + delta * differ
    assert kary_information(beta, k, delta) == pytest.approx(expected, abs=1e-12)


def test_edges_of_the_closed_forms() -> None:
    assert kary_capacity(4, 0.0) == 2.0
    assert kary_optimal_beta(4, 0.0) == math.inf
    assert kary_information(math.inf, 4, 0.0) == pytest.approx(2.0)
    assert kary_information(math.inf, 4, 0.1) == -math.inf
    assert kary_information(1000.0, 4, 0.0) == pytest.approx(2.0)
    # Formula 55 would give 0.714 here.
    assert kary_capacity(2, 0.95) == 0.0
    assert kary_optimal_beta(2, 0.95) == 0.0
    assert kary_capacity(3, 2 / 3) == 0.0
    assert (
        kary_capacity(1, 0.0) == kary_optimal_beta(1, 0.0) == kary_information(3.0, 1, 0.0) == 0.0
    )
    np.testing.assert_array_equal(kary_information(np.array([0.0, 5.0]), 1, 0.0), [0.0, 0.0])
    with pytest.raises(ValueError, match=r"error_rate must be a fraction: got 1\.5"):
        kary_capacity(2, 1.5)
    with pytest.raises(ValueError, match="n_symbols must be a positive whole number: got 0"):
        kary_capacity(0, 0.5)
    with pytest.raises(ValueError, match="beta must be non-negative: got -1"):
        kary_information(-1.0, 2, 0.5)


def flip_pairs(
    n_pairs: int, n: int, k: int, delta: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Symbols seen twice, the second time wrong with probability delta, at the best temperature."""
    rng = np.random.default_rng(seed)
    first = rng.integers(k, size=(n_pairs, n))
    wrong = rng.random(size=first.shape) < delta
    second = np.where(wrong, (first + rng.integers(1, k, size=first.shape)) % k, first)
    beta = kary_optimal_beta(k, delta)
    table = np.where(np.eye(k, dtype=bool), 1.0, math.exp(-beta))
    table /= table.sum(axis=1, keepdims=True)
    return table[first], table[second]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("rate", [0.1, 0.2, 0.3, 0.5])
def test_the_error_stays_below_the_bound(group: str, rate: float) -> None:
    n_trials = 1500
    P1, P2 = flip_pairs(n_trials, 20, 2, 0.05, seed=1)
    found = coding_experiment_from_probabilities(
        P1,
        P2,
        rate,
        n_trials,
        transformations=group,
        random_state=2,
    )
    # One message per pair, so the number of errors is a sum of independent events: five standard
    # deviations fail once in a million runs.
    spread = math.sqrt(found.bound * (1 - found.bound) / n_trials)
    assert found.error_rate <= found.bound + 5 * spread
    assert found.n_codewords == math.ceil(2 ** (20 * rate) - 1e-9)
    assert found.error_rate == found.n_errors / n_trials
    assert found.bound == pytest.approx(found.bounds.mean())


def test_the_bound_is_not_idle() -> None:
    P1, P2 = flip_pairs(1500, 20, 2, 0.05, seed=1)
    found = coding_experiment_from_probabilities(P1, P2, 0.3, 1500, random_state=2)
    assert 0.0 < found.error_rate < found.bound < 0.5


def test_errors_vanish_below_capacity_and_prevail_above() -> None:
    delta, n_trials = 0.1, 800
    capacity = kary_capacity(2, delta)

    def error(n: int, rate: float) -> float:
        P1, P2 = flip_pairs(n_trials, n, 2, delta, seed=n)
        return coding_experiment_from_probabilities(
            P1, P2, rate, n_trials, random_state=3
        ).error_rate

    below = [error(n, 0.4 * capacity) for n in (4, 12, 40)]
    above = [error(n, 1.8 * capacity) for n in (4, 12, 20)]
    # Neighbors differ by 0.06 or more, standard errors of 800 messages are at most 0.018 and fall
    # to 0.01 at the ends.
    assert below[0] > below[1] > below[2]
    assert below[2] < 0.02
    assert above[0] < above[1] < above[2]
    assert above[2] > 0.88


@pytest.mark.parametrize("group", GROUPS)
def test_information_is_exact(group: str) -> None:
    rng = np.random.default_rng(7)
    n, k = 5, 3
    P1, P2 = rng.dirichlet(np.ones(k), size=(2, n))
    if group == "permutation":
        orders = itertools.permutations(range(n))
        overlaps = [np.prod((P1 * P2[list(order)]).sum(axis=1)) for order in orders]
    else:
        turned = [[np.roll(P2[i], -t) @ P1[i] for t in range(k)] for i in range(n)]
        overlaps = [math.prod(choice) for choice in itertools.product(*turned)]
    k_true = np.prod((P1 * P2).sum(axis=1))
    expected = math.log2(k_true / np.mean(overlaps)) / n
    found = coding_experiment_from_probabilities(
        P1,
        P2,
        0.4,
        10,
        transformations=group,
        random_state=0,
    )
    assert found.information == pytest.approx(expected, abs=1e-12)
    bound = min(1.0, (found.n_codewords - 1) * np.mean(overlaps) / k_true)
    assert found.bound == pytest.approx(bound, abs=1e-12)


@pytest.mark.parametrize("group", GROUPS)
def test_error_rate_equals_its_exact_value(group: str) -> None:
    """With two codewords an error is an overlap of a random transformation at least as large."""
    rng = np.random.default_rng(8)
    n, k, n_trials = 4, 2, 20_000
    P1, P2 = rng.dirichlet(np.ones(k), size=(2, n))
    if group == "permutation":
        orders = itertools.permutations(range(n))
        logs = [np.log((P1 * P2[list(order)]).sum(axis=1)).sum() for order in orders]
    else:
        turned = [[math.log(np.roll(P2[i], -t) @ P1[i]) for t in range(k)] for i in range(n)]
        logs = [sum(choice) for choice in itertools.product(*turned)]
    exact = np.mean(np.array(logs) >= np.log((P1 * P2).sum(axis=1)).sum() - 1e-9)
    found = coding_experiment_from_probabilities(
        P1,
        P2,
        1 / n,
        n_trials,
        transformations=group,
        random_state=1,
    )
    assert found.n_codewords == 2
    # Five standard errors of 20,000 messages.
    assert found.error_rate == pytest.approx(
        exact, abs=5 * math.sqrt(exact * (1 - exact) / n_trials)
    )


def test_information_of_a_code_is_its_capacity() -> None:
    delta = 0.1
    P1, P2 = flip_pairs(400, 100, 4, delta, seed=9)
    found = coding_experiment_from_probabilities(P1, P2, 0.05, 1, random_state=0)
    # Mean over 40,000 symbols of a two-valued quantity: five standard errors.
    high, low = (kary_information(kary_optimal_beta(4, delta), 4, d) for d in (0.0, 1.0))
    spread = (high - low) * math.sqrt(delta * (1 - delta) / 40_000)
    assert found.information == pytest.approx(kary_capacity(4, delta), abs=5 * spread)


def test_the_seed_decides_and_threads_do_not() -> None:
    P1, P2 = flip_pairs(5, 16, 2, 0.1, seed=4)

    def errors(seed: object, n_jobs: int) -> int:
        return coding_experiment_from_probabilities(
            P1,
            P2,
            0.4,
            300,
            random_state=seed,
            n_jobs=n_jobs,
        ).n_errors

    assert errors(5, 1) == errors(5, 2)
    assert len({errors(seed, 2) for seed in range(6)}) > 1
    assert errors(np.random.default_rng(1), 1) == errors(np.random.default_rng(1), 1)
    assert errors(np.random.RandomState(1), 1) == errors(np.random.RandomState(1), 1)
    assert coding_experiment_from_probabilities(P1, P2, 0.1, 1).seed >= 0


def test_ties_and_impossible_objects_are_errors() -> None:
    flat = np.full((8, 2), 0.5)
    assert (
        coding_experiment_from_probabilities(flat, flat, 0.25, 50, random_state=0).error_rate == 1.0
    )
    never = coding_experiment_from_probabilities(
        np.eye(2)[[0, 0]], np.eye(2)[[1, 1]], 0.5, 20, random_state=0
    )
    assert (never.error_rate, never.bound, never.information) == (1.0, 1.0, -math.inf)
    alone = coding_experiment_from_probabilities(flat, flat, 0.0, 50, random_state=0)
    assert (alone.n_codewords, alone.error_rate, alone.bound) == (1, 0.0, 0.0)


def test_wrong_arguments_are_named() -> None:
    P = np.full((40, 2), 0.5)
    with pytest.raises(
        ValueError,
        match=r"40 objects \* 0.9 bits = 2\*\*36.0; choose a rate of at most 0.55, or at most 24",
    ):
        coding_experiment_from_probabilities(P, P, 0.9)
    with pytest.raises(ValueError, match="rate must be non-negative and finite: got -1"):
        coding_experiment_from_probabilities(P, P, -1.0)
    with pytest.raises(ValueError, match=r"P2 must have the shape of P1: got \(1, 39, 2\)"):
        coding_experiment_from_probabilities(P, P[1:], 0.1)
    with pytest.raises(ValueError, match="n_trials must be a positive whole number: got 0"):
        coding_experiment_from_probabilities(P, P, 0.1, 0)
    with pytest.raises(ValueError, match="P1 must have rows that sum to 1"):
        coding_experiment_from_probabilities(2 * P, P, 0.1)
    with pytest.raises(ValueError, match="P1 must be objects by clusters"):
        coding_experiment_from_probabilities(P[0], P, 0.1)
    with pytest.raises(ValueError, match="transformations must be 'relabelling' or 'permutation'"):
        coding_experiment_from_probabilities(P, P, 0.1, transformations="all")
    with pytest.raises(ValueError, match="random_state must be None"):
        coding_experiment_from_probabilities(P, P, 0.1, random_state=-1)
    many = np.full((300, 6), 1 / 6)
    with pytest.raises(ValueError, match="300 objects, 6 clusters"):
        coding_experiment_from_probabilities(many, many, 0.01, transformations="permutation")


def test_cancel_and_progress() -> None:
    P1, P2 = flip_pairs(1, 20, 2, 0.0001, seed=0)
    seen: list[gencap.Progress] = []

    def stop(progress: gencap.Progress) -> None:
        seen.append(progress)
        raise RuntimeError("enough")

    # 2^18 codewords for each of a million messages would take hours.
    with pytest.raises(RuntimeError, match="enough"):
        coding_experiment_from_probabilities(P1, P2, 0.9, 10**6, progress=stop)
    assert seen[0].total == 10**6 + 1
    assert seen[0].message == "Sending messages"


def test_models_go_through_their_capacity(monkeypatch: pytest.MonkeyPatch) -> None:
    P1, P2 = flip_pairs(2, 16, 2, 0.05, seed=3)
    asked: list[tuple[object, object]] = []

    def capacity(model: object, pair: int, **_: object) -> SimpleNamespace:
        asked.append((model, pair))
        return SimpleNamespace(probabilities=P1[pair], second_probabilities=P2[pair])

    module = ModuleType("gencap.capacity")
    module.capacity = capacity
    monkeypatch.setitem(sys.modules, "gencap.capacity", module)
    found = coding_experiment("model", [0, 1], 0.3, 100, random_state=1)
    direct = coding_experiment_from_probabilities(P1, P2, 0.3, 100, random_state=1)
    assert asked == [("model", 0), ("model", 1)]
    assert (found.n_errors, found.bound) == (direct.n_errors, direct.bound)
    single = coding_experiment("model", 0, 0.3, 100, random_state=1)
    assert single.n_pairs == 1
