"""K-ary codes against Shannon's channel, and the coding experiment against its bound."""

from __future__ import annotations

import itertools
import math
from typing import Any

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
GROUPS = ("relabeling", "permutation")


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
    with pytest.raises(ValueError, match="n_symbols must be at least 1: got 0"):
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
    with pytest.raises(ValueError, match="rate must be at least 0: got -1"):
        coding_experiment_from_probabilities(P, P, -1.0)
    with pytest.raises(ValueError, match=r"P2 must have the shape of P1: got \(1, 39, 2\)"):
        coding_experiment_from_probabilities(P, P[1:], 0.1)
    with pytest.raises(ValueError, match="n_trials must be at least 1: got 0"):
        coding_experiment_from_probabilities(P, P, 0.1, 0)
    with pytest.raises(ValueError, match="P1 must have rows that sum to 1"):
        coding_experiment_from_probabilities(2 * P, P, 0.1)
    with pytest.raises(ValueError, match="P1 must be objects by clusters"):
        coding_experiment_from_probabilities(P[0], P, 0.1)
    with pytest.raises(
        ValueError, match="transformations must be one of 'relabeling', 'permutation'"
    ):
        coding_experiment_from_probabilities(P, P, 0.1, transformations="all")
    with pytest.raises(ValueError, match=r"random_state must lie in \[0, 2\*\*63\): got -1"):
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kary_capacity("a", 0.1), "n_symbols must be an integer: got 'a' of type str"),
        (lambda: kary_capacity(2.5, 0.1), "n_symbols must be an integer: got 2.5"),
        (lambda: kary_capacity(2, "x"), "error_rate must be a number: got 'x' of type str"),
        (lambda: kary_capacity(2, math.nan), "error_rate must be finite: got nan"),
        (lambda: kary_optimal_beta(True, 0.1), "n_symbols must be an integer: got True"),
        (lambda: kary_information("b", 2, 0.1), "beta must be a number or an array .*: got 'b'"),
    ],
)
def test_values_of_the_wrong_kind_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rate": "a"}, "rate must be a number: got 'a' of type str"),
        ({"rate": math.inf}, "rate must be finite: got inf"),
        ({"n_trials": 2.5}, "n_trials must be an integer: got 2.5"),
        ({"n_jobs": "a"}, "n_jobs must be an integer or None: got 'a'"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"random_state": "a"}, "random_state must be None, an integer or a numpy Generator"),
        ({"transformations": "relabelling"}, "did you mean 'relabeling'"),
    ],
)
def test_settings_are_checked_before_any_work(settings: dict[str, Any], message: str) -> None:
    P = np.full((4, 2), 0.5)
    with pytest.raises(ValueError, match=message):
        coding_experiment_from_probabilities(P, P, **{"rate": 0.1, **settings})
    data = gencap.datasets.gaussians(n_objects=4, random_state=0)
    seen: list[gencap.Progress] = []
    with pytest.raises(ValueError, match=message):
        coding_experiment(
            gencap.CentroidClustering(2), data.pair, progress=seen.append,
            **{"rate": 0.1, **settings},
        )  # fmt: skip
    assert seen == []


def test_one_core_can_be_left_free() -> None:
    P1, P2 = flip_pairs(1, 10, 2, 0.1, seed=0)
    some = coding_experiment_from_probabilities(P1, P2, 0.3, 50, random_state=0, n_jobs=-2)
    one = coding_experiment_from_probabilities(P1, P2, 0.3, 50, random_state=0, n_jobs=1)
    assert some.n_errors == one.n_errors


def test_probabilities_of_the_wrong_kind_are_named() -> None:
    good = [[0.5, 0.5]]
    with pytest.raises(ValueError, match="P1 must hold numbers"):
        coding_experiment_from_probabilities([["a", "b"]], good, 0.1)
    with pytest.raises(ValueError, match="P2 must be objects by clusters"):
        coding_experiment_from_probabilities(good, [[0.5, 0.5], [1.0]], 0.1)


def gaussians(seed: int, n_objects: int = 16) -> gencap.Pair:
    return gencap.datasets.gaussians(n_objects, variance=2.0, random_state=seed).pair


def same(one: Any, two: Any) -> bool:
    return (one.n_errors, one.information, one.bounds.tolist()) == (
        two.n_errors,
        two.information,
        two.bounds.tolist(),
    )


def test_a_model_sends_what_its_capacity_found() -> None:
    model, pairs = gencap.CentroidClustering(4), [gaussians(0), gaussians(1)]
    found = [gencap.capacity(model, pair, random_state=5) for pair in pairs]
    direct = coding_experiment_from_probabilities(
        [one.probabilities for one in found],
        [one.second_probabilities for one in found],
        0.5,
        200,
        random_state=5,
    )
    sent = coding_experiment(model, pairs, 0.5, 200, random_state=5)
    assert same(sent, direct)
    assert (sent.n_pairs, sent.n_objects, sent.seed) == (2, 16, 5)
    # Far below the capacity of sources 10 apart: the bound itself is small.
    assert sent.error_rate <= sent.bound + 5 * math.sqrt(sent.bound / 200)
    assert sent.bound < 0.2 < sent.information


def test_random_state_determines_everything() -> None:
    # Overlapping sources and K = 6: other seeds of the annealing find other solutions.
    pair = gencap.datasets.gaussians(20, variance=20.0, random_state=3).pair
    model = gencap.CentroidClustering(6)

    def send(random_state: Any, **settings: Any) -> Any:
        return coding_experiment(model, pair, 0.5, 100, random_state=random_state, **settings)

    assert same(send(1, n_jobs=1), send(1, n_jobs=2))
    assert same(send(np.random.default_rng(1)), send(np.random.default_rng(1)))
    assert len({send(seed).information for seed in range(5)}) > 1
    own = gencap.CentroidClustering(6, random_state=1)
    assert same(coding_experiment(own, pair, 0.5, 100), send(1))


def test_feature_splits_with_different_numbers_of_clusters() -> None:
    wine = gencap.datasets.load("wine").data[::9]
    splits = gencap.random_feature_splits(wine, 4, random_state=0)
    model = gencap.CentroidClustering(4)
    found = [gencap.capacity(model, pair, random_state=2) for pair in splits]
    widths = [one.probabilities.shape[1] for one in found]
    assert len(set(widths)) > 1
    sent = coding_experiment(model, splits, 0.2, 102, random_state=2)
    assert (sent.n_pairs, sent.n_trials, len(sent.bounds)) == (4, 102, 4)
    # Every pair has the group of its own clusters: log2 K + (1/N) sum_i log2 sum_k P1_ik P2_ik.
    overlaps = [np.log2((f.probabilities * f.second_probabilities).sum(axis=1)) for f in found]
    bits = [math.log2(k) + o.mean() for k, o in zip(widths, overlaps, strict=True)]
    assert sent.information == pytest.approx(np.mean(bits), abs=1e-12)
    others = sent.n_codewords - 1
    bounds = [min(1.0, others * 2.0 ** (-len(wine) * b)) for b in bits]
    np.testing.assert_allclose(sent.bounds, bounds, rtol=1e-9)
    assert same(sent, coding_experiment(model, list(splits), 0.2, 102, random_state=2))
    # Fewer messages than pairs leave some pairs silent, but not out of the bound.
    assert len(coding_experiment(model, splits, 0.2, 1, random_state=2).bounds) == 4


def test_empty_clusters_add_no_bits() -> None:
    """A pair in one cluster carries nothing, whatever the number of clusters on other pairs."""
    one = np.zeros((12, 3))
    clear = gaussians(0, 12)
    pairs = [gencap.Pair(clear.first, clear.second), gencap.Pair(one, one)]
    model = gencap.CentroidClustering(3)
    alone = coding_experiment(model, pairs[:1], 0.5, 50, random_state=0)
    both = coding_experiment(model, pairs, 0.5, 100, random_state=0)
    assert both.bounds[1] == 1.0
    assert both.n_errors >= 50
    assert both.information == pytest.approx(alone.information / 2, abs=1e-9)


def test_instances_are_all_their_pairs() -> None:
    pair = gaussians(4, 12)
    rng = np.random.default_rng(0)
    third = pair.first + rng.normal(size=pair.first.shape)
    many = gencap.Instances([pair.first, pair.second, third])
    model = gencap.CentroidClustering(3)
    sent = coding_experiment(model, many, 0.3, 60, random_state=0)
    assert sent.n_pairs == 3
    assert same(sent, coding_experiment(model, list(many.pairs()), 0.3, 60, random_state=0))


def test_labels_of_other_clusterers_are_a_code_too() -> None:
    from sklearn.cluster import AgglomerativeClustering

    # The threshold finds more clusters on the second instance, which is wider.
    pair = gaussians(0)
    wider = gencap.Pair(pair.first, 3 * pair.second)
    model = AgglomerativeClustering(n_clusters=None, distance_threshold=12.0)
    found = gencap.capacity(model, wider)
    assert found.probabilities.shape[1] < found.second_probabilities.shape[1]
    assert coding_experiment(model, wider, 0.2, 20, random_state=0).n_trials == 20


def test_wrong_pairs_are_named() -> None:
    model = gencap.CentroidClustering(2)
    with pytest.raises(TypeError, match=r"pair must be a gencap\.Pair"):
        coding_experiment(model, np.zeros((3, 2)), 0.1)
    with pytest.raises(ValueError, match="equally many objects: got 12 and 16; run one"):
        coding_experiment(model, [gaussians(0, 12), gaussians(0, 16)], 0.1)
