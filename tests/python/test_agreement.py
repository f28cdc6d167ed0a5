"""Agreement of given solutions against enumeration, definitions and invariances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gencap.agreement import capacity_from_probabilities, hamming_capacity

FloatArray = NDArray[np.float64]


def softmax(potentials: FloatArray, beta: float) -> FloatArray:
    logs = -beta * (potentials - potentials.min(axis=1, keepdims=True))
    weights = np.exp(logs)
    return weights / weights.sum(axis=1, keepdims=True)


def entropy(masses: FloatArray) -> float:
    p = masses[masses > 0] / masses.sum()
    return float(-(p * np.log2(p)).sum())


def potentials(rng: np.random.Generator, n: int, k: int) -> tuple[FloatArray, FloatArray]:
    shared = rng.normal(size=(n, k))
    return shared + 0.5 * rng.normal(size=(n, k)), shared + 0.5 * rng.normal(size=(n, k))


@pytest.mark.parametrize(("n", "k", "beta"), [(1, 2, 0.5), (4, 3, 1.0), (8, 2, 3.0), (8, 3, 0.7)])
def test_factorized_sums_equal_sums_over_all_assignments(n: int, k: int, beta: float) -> None:
    h1, h2 = potentials(np.random.default_rng(n + k), n, k)
    rows = np.arange(n)
    solutions = [np.array(c) for c in itertools.product(range(k), repeat=n)]
    w1 = np.array([np.exp(-beta * h1[rows, c].sum()) for c in solutions])
    w2 = np.array([np.exp(-beta * h2[rows, c].sum()) for c in solutions])
    # Eq. 62: the partition sum of all assignments is a product over objects.
    assert np.log(w1.sum()) == pytest.approx(
        np.log(np.exp(-beta * h1).sum(axis=1)).sum(), abs=1e-10
    )
    P1, P2 = softmax(h1, beta), softmax(h2, beta)
    agreement = np.log2((w1 * w2).sum() / (w1.sum() * w2.sum())) / n
    expected = entropy((P1.mean(axis=0) + P2.mean(axis=0)) / 2) + agreement
    # Some 6,561 weights summed: relative rounding stays far below 1e-10.
    assert capacity_from_probabilities(P1, P2, align=False) == pytest.approx(expected, abs=1e-10)


def test_adding_a_number_to_every_row_of_potentials_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    h1, h2 = potentials(rng, 50, 4)
    a = rng.normal(size=(50, 1)) * 10
    plain = capacity_from_probabilities(softmax(h1, 1.5), softmax(h2, 1.5))
    moved = capacity_from_probabilities(softmax(h1 + a, 1.5), softmax(h2 + a, 1.5))
    assert moved == pytest.approx(plain, abs=1e-10)


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 30))
def test_order_of_objects_and_of_clusters_does_not_matter(seed: int, k: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    h1, h2 = potentials(rng, n, k)
    P1, P2 = softmax(h1, 2.0), softmax(h2, 2.0)
    plain = capacity_from_probabilities(P1, P2)
    objects, clusters = rng.permutation(n), rng.permutation(k)
    assert capacity_from_probabilities(P1[objects], P2[objects]) == pytest.approx(plain, abs=1e-10)
    assert capacity_from_probabilities(P1, P2[:, clusters]) == pytest.approx(plain, abs=1e-10)
    assert capacity_from_probabilities(P2, P1) == pytest.approx(plain, abs=1e-10)


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 20))
def test_alignment_is_the_best_of_all_permutations(seed: int, k: int, n: int) -> None:
    h1, h2 = potentials(np.random.default_rng(seed), n, k)
    P1, P2 = softmax(h1, 1.0), softmax(h2, 1.0)[:, ::-1]
    table = P1.T @ P2
    best = max(
        itertools.permutations(range(k)), key=lambda order: table[np.arange(k), list(order)].sum()
    )
    expected = capacity_from_probabilities(P1, P2[:, list(best)], align=False)
    assert capacity_from_probabilities(P1, P2) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_equal_centroids_carry_nothing(k: int) -> None:
    same = np.full((20, k), 1 / k)
    assert capacity_from_probabilities(same, same) == pytest.approx(0.0, abs=1e-12)


def test_limits_of_the_temperature() -> None:
    h1, h2 = potentials(np.random.default_rng(3), 40, 3)
    assert capacity_from_probabilities(softmax(h1, 0.0), softmax(h2, 0.0)) == pytest.approx(0.0)
    sizes = np.bincount(h1.argmin(axis=1), minlength=3)
    cold = softmax(h1, 1e9)
    assert capacity_from_probabilities(cold, cold) == pytest.approx(entropy(sizes), abs=1e-9)
    assert (h1.argmin(axis=1) != h2.argmin(axis=1)).any()
    assert capacity_from_probabilities(cold, softmax(h2, 1e9)) == -math.inf


def test_masses_give_the_entropy() -> None:
    P = np.eye(2)[[0, 0, 1, 1]]
    assert capacity_from_probabilities(P, P, masses=[0.5, 0.5]) == pytest.approx(1.0)
    assert capacity_from_probabilities(P, P, masses=[3, 1]) == pytest.approx(
        entropy(np.array([3, 1]))
    )


def test_narrower_solutions_are_padded() -> None:
    rng = np.random.default_rng(4)
    P1 = rng.dirichlet(np.ones(4), size=30)
    P2 = rng.dirichlet(np.ones(2), size=30)
    padded = np.hstack([P2, np.zeros((30, 2))])
    assert capacity_from_probabilities(P1, P2) == capacity_from_probabilities(P1, padded)


def test_frames_lists_and_other_orders_are_the_same_as_arrays() -> None:
    P = np.random.default_rng(5).dirichlet(np.ones(3), size=20)
    plain = capacity_from_probabilities(P, P)
    assert capacity_from_probabilities(pd.DataFrame(P), P.tolist()) == plain
    assert capacity_from_probabilities(np.asfortranarray(P), P) == pytest.approx(plain, abs=1e-14)
    single = P.astype(np.float32)
    assert capacity_from_probabilities(single, single) == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize(
    ("P1", "P2", "message"),
    [
        ([[1.0, 0.0]], [[1.0, 0.0]] * 2, "P2 must have one row per object of P1: got 2 rows for 1"),
        ([[0.6, 0.6]], [[1.0, 0.0]], "P1 must have rows that sum to 1: row 0 sums to 1.2"),
        ([[1.0, 0.0]], [[1.5, -0.5]], r"got P2\[0, 1\] = -0.5"),
        ([[math.nan, 1.0]], [[1.0, 0.0]], "P1 must hold finite numbers: found 1 NaN"),
        ([1.0, 0.0], [[1.0, 0.0]], "P1 must be a 2-D table"),
        (np.zeros((0, 2)), np.zeros((0, 2)), r"P1 has 0 sample\(s\)"),
        ([["a", "b"]], [[1.0, 0.0]], "P1 must hold numbers"),
    ],
)
def test_wrong_probabilities_are_named(P1: FloatArray, P2: FloatArray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        capacity_from_probabilities(P1, P2)


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ([], r"one entry per cluster: got shape \(0,\) for 2 clusters; pass a list of 2"),
        ([0.2] * 5, r"one entry per cluster: got shape \(5,\) for 2 clusters; pass a list of 2"),
        ([1.0], r"one entry per cluster: got shape \(1,\)"),
        ([[0.5, 0.5]], r"one entry per cluster: got shape \(1, 2\)"),
        ([0.0, 0.0], "masses must be non-negative and not all 0"),
        ([-1.0, 2.0], "masses must be non-negative and not all 0"),
        ([math.nan, 1.0], "masses must hold finite numbers: found 1 NaN"),
        (["a", "b"], "masses must hold numbers"),
    ],
)
def test_wrong_masses_are_named(masses: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        capacity_from_probabilities([[0.5, 0.5]], [[0.5, 0.5]], masses=masses)
    # The wider solution counts, on whichever side it is.
    with pytest.raises(ValueError, match="masses must"):
        capacity_from_probabilities([[1.0]], [[0.5, 0.5]], masses=masses)
    with pytest.raises(ValueError, match="masses must"):
        capacity_from_probabilities([[0.5, 0.5]], [[1.0]], masses=masses)


def hamming_by_definition(first: list[int], second: list[int], k: int) -> float:
    """Eq. 87 with the disagreement minimized over all relabelings into k labels."""
    n = len(first)
    orders = itertools.permutations(range(k))
    d = min(sum(p[a] != b for a, b in zip(first, second, strict=True)) for p in orders) / n
    h = (entropy(np.bincount(first)) + entropy(np.bincount(second))) / 2
    if k == 1:
        return 0.0
    kept = (1 - d) * math.log2(1 - d) if d < 1 else 0.0
    return h + kept + (d * math.log2(d / (k - 1)) if d > 0 else 0.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25))
def test_hamming_equals_its_definition(pairs: list[tuple[int, int]]) -> None:
    first, second = ([p[side] for p in pairs] for side in (0, 1))
    k = max(len(set(first)), len(set(second)))
    coded = [[sorted(set(labels)).index(v) for v in labels] for labels in (first, second)]
    expected = hamming_by_definition(coded[0], coded[1], k)
    assert hamming_capacity(first, second) == pytest.approx(expected, abs=1e-12)
    assert hamming_capacity(first, second, n_clusters=4) == pytest.approx(
        hamming_by_definition(coded[0], coded[1], 4), abs=1e-12
    )


def test_hamming_edge_cases() -> None:
    assert hamming_capacity([7] * 5, ["x"] * 5) == 0.0
    assert hamming_capacity([0, 1, 2], [2, 0, 1]) == pytest.approx(math.log2(3))
    # Two clusters against one: H is the mean of 0.811 and 0, d = 1/4.
    assert hamming_capacity([0, 0, 0, 1], [5, 5, 5, 5]) == pytest.approx(
        0.8113 / 2 - 0.8113, abs=1e-4
    )


def test_labels_may_be_anything_hashable() -> None:
    expected = hamming_capacity([0, 0, 1, 1, 2], [1, 1, 0, 2, 2])
    names = np.array(["a", "b", "c"])
    assert hamming_capacity(names[[0, 0, 1, 1, 2]], [(1,), (1,), "x", "y", "y"]) == expected
    assert hamming_capacity(pd.Series([-1, -1, 3, 3, 4]), [1.0, 1.0, 0.0, 2.0, 2.0]) == expected
    assert hamming_capacity(pd.Categorical(names[[0, 0, 1, 1, 2]]), [1, 1, 0, 2, 2]) == expected


@pytest.mark.parametrize(
    ("first", "second", "k", "message"),
    [
        ([0, 1], [0], None, "labels2 must have one label per object of labels1: got 1 for 2"),
        ([], [], None, "labels1 is empty: give one label per object"),
        ([0, 1, 2], [0, 0, 0], 2, "got 2 for 3 labels; choose 3 or more"),
        ([0, 1], [0, 1], 2.5, "n_clusters must be an integer: got 2.5"),
        ([[0], [1]], [0, 1], None, "labels1 must be 1-D with one hashable label per object"),
        (
            [0.0, math.nan],
            [0, 1],
            None,
            "labels1 must label every object: 1 label missing, the first at row 1",
        ),
        ("ab", [0, 1], None, "labels1 must be a list of labels, one per object: got 'ab'"),
        ([0, 1], [0, pd.NA], None, "labels2 must label every object: 1 label missing"),
    ],
)
def test_wrong_labels_are_named(
    first: list[int], second: list[int], k: int | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        hamming_capacity(first, second, n_clusters=k)
