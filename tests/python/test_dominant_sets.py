"""Dominant sets: estimator, capacities, termination."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import gencap
from gencap import DominantSets, Pair, _core, best_termination
from gencap.termination import BinaryWeightsWarning, binary_trajectory

ESTIMATORS = [
    DominantSets(3, n_jobs=1),
    DominantSets(n_jobs=1),
    DominantSets(3, measure="sqeuclidean", n_jobs=1),
    DominantSets(3, measure="path", method="infection", n_jobs=1),
    DominantSets(2, measure="precomputed", n_jobs=1),
]


def outside(estimator):
    """Tell which checks hand vectors to an estimator of similarities."""
    if estimator.measure != "precomputed":
        return {}
    return {"check_clustering": "vectors instead of similarities"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=outside)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def gaussians(side, seed, n=500):
    """Three round Gaussians of 60, 20 and 20 % at the corners of a triangle."""
    rng = np.random.default_rng(seed)
    corners = side * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    truth = np.repeat([0, 1, 2], [n - 2 * (n // 5), n // 5, n // 5])
    return corners[truth] + rng.normal(size=(n, 2)), truth


def rbf(x, width=2.0):
    squared = ((x[:, None] - x) ** 2).sum(axis=2)
    return np.exp(-squared / (2 * width**2))


def rbf_pair(side, seed, n=500):
    return Pair(*(rbf(gaussians(side, [seed, i], n)[0]) for i in range(2)))


def plain(s, k, max_steps, cutoff, shift=0.0, shift_diagonal=False):
    """Peeling as the specification writes it down."""
    x = s + shift
    np.fill_diagonal(x, shift if shift_diagonal else 0.0)
    n = len(x)
    labels, shares, left = np.full(n, -1), [], np.ones(n, dtype=bool)
    while len(shares) < k and left.any():
        v = left / left.sum()
        if v @ x @ v <= 0:
            break
        for _ in range(max_steps):
            moved = v * (x @ v) / (v @ x @ v)
            moved /= moved.sum()
            change, v = np.abs(moved - v).sum(), moved
            if change < 1e-10:
                break
        core = left & (v >= cutoff)
        if not core.any():
            core[(v >= v.max() * (1 - 1e-9)).argmax()] = True
        labels[core] = len(shares)
        shares.append(np.where(core, v, 0.0))
        left &= ~core
    table = np.array(shares).reshape(-1, n).T
    if len(shares):
        payoffs = x @ table
        # The first of several that differ by rounding only.
        nearest = (payoffs >= payoffs.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
        labels[labels < 0] = nearest[labels < 0]
    return np.maximum(labels, 0), table


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(2, 25),
    k=st.integers(1, 4),
    steps=st.integers(1, 60),
    cutoff=st.sampled_from([1e-1, 1e-2, 1e-3]),
    shift=st.sampled_from([0.0, 0.5]),
    own=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_agrees_with_plain_numpy(n, k, steps, cutoff, shift, own, seed):
    s = np.random.default_rng(seed).random((n, n)) ** 3
    s = (s + s.T) / 2
    model = DominantSets(
        min(k, n),
        measure="precomputed",
        max_steps=steps,
        cutoff=cutoff,
        shift=shift,
        shift_diagonal=own,
        n_jobs=1,
    ).fit(s)
    labels, shares = plain(s, min(k, n), steps, cutoff, shift, own)
    # At most 60 steps on 25 numbers of size one.
    np.testing.assert_allclose(model.shares_, shares, atol=1e-10)
    np.testing.assert_array_equal(model.labels_, labels)
    assert ((model.shares_ >= 0) & (model.shares_ <= 1)).all()
    assert (model.shares_.sum(axis=0) <= 1 + 1e-12).all()


@settings(deadline=None, max_examples=30)
@given(n=st.integers(2, 20), seed=st.integers(0, 10**6))
def test_cohesion_never_falls(n, seed):
    s = np.random.default_rng(seed).random((n, n))
    s = s + s.T
    model = DominantSets(1, measure="precomputed", cutoff=1e-200, n_jobs=1)
    found = [
        clone(model).set_params(max_steps=steps).fit(s).cohesiveness_[0] for steps in range(1, 30)
    ]
    # Rounding of sums of 20 products of size one.
    assert (np.diff(found) > -1e-13).all()


@pytest.mark.parametrize("method", ["replicator", "infection"])
def test_order_of_objects_does_not_matter(method, rng):
    x, _ = gaussians(6.0, 3, 120)
    order = rng.permutation(len(x))
    model = DominantSets(3, measure="sqeuclidean", method=method, max_steps=200, cutoff=1e-3)
    one, two = clone(model).fit(x), clone(model).fit(x[order])
    np.testing.assert_array_equal(two.labels_, one.labels_[order])
    np.testing.assert_allclose(two.shares_, one.shares_[order], atol=1e-9)


def test_both_dynamics_settle_on_the_same_set():
    s = rbf(gaussians(8.0, 1, 60)[0], width=3.0)
    model = DominantSets(1, measure="precomputed", max_steps=200_000, cutoff=1e-7)
    slow, fast = clone(model).fit(s), clone(model).set_params(method="infection").fit(s)
    assert slow.converged_.all()
    assert fast.converged_.all()
    assert slow.cohesiveness_[0] == pytest.approx(fast.cohesiveness_[0], rel=1e-8)
    # |dv| < 1e-10 in one step, and convergence that takes tens of thousands of them.
    np.testing.assert_allclose(slow.shares_, fast.shares_, atol=1e-4)
    x = s - np.diag(np.diag(s))
    v = fast.shares_[:, 0] / fast.shares_.sum()
    np.testing.assert_allclose(v * (x @ v) / (v @ x @ v), v, atol=1e-9)


def test_representations_agree(rng):
    profiles = np.repeat(rng.normal(size=(3, 8)), [40, 30, 20], axis=0)
    x = profiles + 0.5 * rng.normal(size=(90, 8))
    model = DominantSets(3, measure="precomputed", cutoff=1e-3, max_steps=30)
    for measure in ("pearson", "sqeuclidean", "path", "euclidean"):
        lean = gencap.similarity(x, measure)
        s = lean.toarray()
        expected = clone(model).fit(s)
        twins = [lean, scipy.sparse.csr_array(s), gencap.similarity(s, "precomputed")]
        if measure == "euclidean":
            rows = _core.Similarity.rows(x, lean.offset)
            twins.append(gencap.Similarity(rows, measure="euclidean", offset=lean.offset))
        for method in ("replicator", "infection"):
            expected = clone(model).set_params(method=method).fit(s)
            for twin in twins:
                found = clone(model).set_params(method=method).fit(twin)
                np.testing.assert_array_equal(found.labels_, expected.labels_)
                np.testing.assert_allclose(found.shares_, expected.shares_, atol=1e-9)
                assert found.shift_ == pytest.approx(expected.shift_, abs=1e-12)


def test_measures_are_applied_to_vectors(rng):
    x, _ = gaussians(8.0, 0, 100)
    for measure in ("euclidean", "sqeuclidean", "path"):
        model = DominantSets(3, measure=measure, cutoff=1e-3)
        given_matrix = clone(model).set_params(measure="precomputed")
        s = gencap.similarity(x, measure).toarray()
        np.testing.assert_array_equal(
            clone(model).fit(x).labels_, given_matrix.fit(np.maximum((s + s.T) / 2, 0.0)).labels_
        )


@pytest.mark.parametrize(
    ("side", "bits", "spread"),
    # Means and, from side 6 on, spreads of specification section 8, row 4; the mean of 6 seeds lies
    # within three standard errors, and what was measured as constant within .01.
    [
        (10, 1.371, 0.002),
        (8, 1.367, 0.01),
        (6, 1.326, 3 * 0.019 / 6**0.5),
        (4, 0.580, 3 * 0.125 / 6**0.5),
    ],
)
def test_capacity_of_three_gaussians(side, bits, spread):
    model = DominantSets(3, measure="precomputed")
    found = [gencap.capacity(model, rbf_pair(side, seed)).raw_bits for seed in range(6)]
    assert np.mean(found) == pytest.approx(bits, abs=spread)


def test_capacity_of_vectors_and_of_given_similarities():
    pair = Pair(gaussians(10, 0)[0], gaussians(10, 1)[0])
    found = gencap.capacity(DominantSets(3, measure="path"), pair)
    assert found.weights == "hamming"
    given_pair = Pair(*(gencap.similarity(x, "path").toarray() for x in (pair.first, pair.second)))
    again = gencap.capacity(DominantSets(3, measure="precomputed"), given_pair)
    assert again.raw_bits == pytest.approx(found.raw_bits, abs=1e-12)


def test_nulls_of_given_similarities_permute_edges():
    model = DominantSets(3, measure="precomputed", n_jobs=1)
    found = gencap.capacity(
        model, rbf_pair(8, 0, 100), null="independent", null_draws=9, random_state=0
    )
    null = found.null["independent"]
    assert null.p_value == pytest.approx(0.1)
    assert null.draws.max() < 0.3 < found.bits


def test_order_selection_takes_dominant_sets():
    order = gencap.select_order(
        DominantSets(measure="precomputed"), rbf_pair(8, 0, 200), n_clusters=range(2, 6), null=None
    )
    assert order.bits.idxmax() == 3


def test_shift_auto_is_the_smallest_that_does(rng):
    x = rng.normal(size=(40, 6))
    s = np.corrcoef(x)
    model = DominantSets(2, measure="pearson").fit(x)
    assert model.shift_ == pytest.approx(-s.min(), abs=1e-12)
    np.fill_diagonal(s, -50.0)  # self-similarities do not count
    same = DominantSets(2, measure="precomputed").fit(s)
    assert same.shift_ == pytest.approx(model.shift_, abs=1e-12)
    np.testing.assert_array_equal(same.labels_, model.labels_)
    assert DominantSets(2, measure="precomputed").fit(np.abs(s)).shift_ == 0.0
    assert DominantSets(2, measure="euclidean").fit(x).shift_ == 0.0


def test_many_correlations_are_bounded_not_searched(rng):
    x = rng.normal(size=(4_500, 4))
    assert DominantSets(2, measure="pearson", max_steps=2).fit(x).shift_ == pytest.approx(1.0)


def test_given_offsets_are_not_trusted(rng):
    x = rng.normal(size=(30, 2))
    small = gencap.similarity(x, "euclidean", offset=1.0)
    lowest = small.toarray().min()
    assert lowest < 0
    assert DominantSets(2).fit(small).shift_ == pytest.approx(-lowest)
    assert DominantSets(2).fit(small.shifted(10.0)).shift_ == 0.0


def test_negative_similarities_need_a_shift(rng):
    x = rng.normal(size=(20, 5))
    with pytest.raises(ValueError, match=r"shift must make every similarity non-negative.*'auto'"):
        DominantSets(2, measure="pearson", shift=0.0).fit(x)
    with pytest.raises(ValueError, match="at least 3"):
        DominantSets(2, measure="precomputed", shift=1.0).fit(np.full((3, 3), -3.0))
    assert DominantSets(2, measure="pearson", shift=1.0).fit(x).shift_ == 1.0


def test_shifts_make_coarser_sets_unless_the_diagonal_moves_too():
    s = rbf(gaussians(6.0, 0, 60)[0])
    model = DominantSets(
        1, measure="precomputed", method="infection", max_steps=5000, cutoff=1e-6, shift=0.0
    )
    plain_set = clone(model).fit(s)
    coarse = clone(model).set_params(shift=0.3).fit(s)
    same = clone(model).set_params(shift=0.3, shift_diagonal=True).fit(s)
    assert coarse.in_core_.sum() > plain_set.in_core_.sum()
    np.testing.assert_allclose(same.shares_, plain_set.shares_, atol=1e-7)
    assert same.cohesiveness_[0] == pytest.approx(plain_set.cohesiveness_[0] + 0.3, abs=1e-9)


@pytest.mark.parametrize("method", ["replicator", "infection"])
def test_what_a_fitted_model_tells(method):
    x, _ = gaussians(8.0, 0, 150)
    frame = pd.DataFrame(x, columns=["length", "width"])
    model = DominantSets(3, method=method, random_state=4).fit(frame)
    k = model.n_clusters_
    assert k == len(np.unique(model.labels_)) == 3
    assert model.probabilities_.shape == model.shares_.shape == (150, k)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(model.probabilities_.argmax(axis=1), model.labels_)
    assert (model.cohesiveness_ > 0).all()
    assert len(model.n_steps_) == len(model.converged_) == k
    assert model.seed_ == 4
    assert list(model.feature_names_in_) == ["length", "width"]
    other = clone(model).set_params(n_jobs=1, random_state=None).fit(frame)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    np.testing.assert_array_equal(other.shares_, model.shares_)


def test_without_a_number_all_objects_with_company_are_peeled():
    s = np.kron(np.diag([3.0, 2.0, 1.0]), np.ones((4, 4)))
    model = DominantSets(measure="precomputed", max_steps=400).fit(s)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], 4))
    alone = DominantSets(measure="precomputed").fit(np.zeros((5, 5)))
    assert alone.n_clusters_ == 1
    assert alone.labels_.tolist() == [0] * 5
    np.testing.assert_array_equal(alone.probabilities_, np.ones((5, 1)))
    single = DominantSets(measure="precomputed").fit(np.ones((1, 1)))
    assert single.labels_.tolist() == [0]


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"n_clusters": 99}, ValueError, "n_clusters must be at most"),
        ({"max_steps": 0}, ValueError, "max_steps"),
        ({"cutoff": 0.0}, ValueError, "cutoff"),
        ({"cutoff": 1.0}, ValueError, "cutoff must lie below 1"),
        ({"method": "newton"}, ValueError, "method"),
        ({"measure": "taxi"}, ValueError, "measure"),
        ({"shift": "none"}, TypeError, "shift must be 'auto' or a number"),
        ({"shift": np.inf}, ValueError, "shift must be finite"),
        ({"measure": "precomputed"}, ValueError, "square"),
    ],
)
def test_mistakes_are_named(settings, error, words):
    model = DominantSets(**settings)
    with pytest.raises(error, match=words):
        model.fit(gaussians(5.0, 0, 20)[0])
    assert not hasattr(model, "labels_")


def test_a_run_can_be_cancelled():
    s = rbf(gaussians(3.0, 0, 1500)[0])
    model = DominantSets(3, measure="precomputed", max_steps=10**7, cutoff=1e-6)
    control = gencap.Control()
    timer = threading.Timer(0.3, control.cancel)
    timer.start()
    with pytest.raises(gencap.Cancelled):
        model.fit(s, progress=control)
    timer.join()
    assert not hasattr(model, "labels_")
    with pytest.raises(gencap.Cancelled):
        best_termination(model, Pair(s, s), progress=control)
    with pytest.raises(gencap.Cancelled):
        gencap.capacity(model, Pair(s, s), progress=control)


def test_termination_is_chosen_by_capacity():
    pair = rbf_pair(6, 0, 300)
    model = DominantSets(3, measure="precomputed")
    best = best_termination(model, pair)
    assert best.raw_bits.index.tolist() == [5, 10, 20, 40, 80, 200]
    assert best.raw_bits.columns.tolist() == [1e-3, 1e-4, 1e-5]
    assert best.n_clusters.shape == (6, 3)
    assert best.bits == best.raw_bits.to_numpy().max() == best.curve.max()
    for steps, cutoff in [(5, 1e-5), (200, 1e-3), (best.max_steps, best.cutoff)]:
        one = clone(model).set_params(max_steps=steps, cutoff=cutoff)
        bits = gencap.capacity(one, pair).raw_bits
        assert best.raw_bits.loc[steps, cutoff] == pytest.approx(bits, abs=1e-12)
    again = gencap.capacity(best.model, pair)
    assert again.bits == pytest.approx(best.bits, abs=1e-12)
    # Settled games leave tiny cores (specification, section 6).
    assert best.raw_bits.loc[200, 1e-3] < best.bits - 0.5
    assert 5 < best.max_steps < 200
    assert model.max_steps == 20


def test_termination_over_several_pairs():
    pairs = [rbf_pair(8, seed, 100) for seed in range(2)]
    model = DominantSets(3, measure="precomputed")
    mean = best_termination(model, pairs, max_steps=[20], cutoffs=[1e-4]).raw_bits.iloc[0, 0]
    single = [
        best_termination(model, pair, max_steps=[20], cutoffs=[1e-4]).raw_bits.iloc[0, 0]
        for pair in pairs
    ]
    assert mean == pytest.approx(np.mean(single), abs=1e-12)


def test_termination_names_mistakes():
    pair = rbf_pair(8, 0, 40)
    with pytest.raises(TypeError, match=r"gencap\.DominantSets"):
        best_termination(gencap.CentroidClustering(2), pair)
    with pytest.raises(ValueError, match="at least one value"):
        best_termination(DominantSets(2, measure="precomputed"), pair, max_steps=[])
    with pytest.raises(ValueError, match="max_steps"):
        best_termination(DominantSets(2, measure="precomputed"), pair, max_steps=[0])


def test_binary_weights_of_equal_instances():
    s = rbf(gaussians(10, 0, 200)[0])
    curve = binary_trajectory(DominantSets(3, measure="precomputed"), Pair(s, s))
    assert np.isfinite(curve).all()
    assert len(curve) == 3 * 20 + 1
    assert curve.iloc[-1] == pytest.approx(1.371, abs=1e-3)


def test_binary_weights_end_at_the_first_disagreement():
    pair, model = rbf_pair(4, 0, 200), DominantSets(3, measure="precomputed")
    with pytest.warns(BinaryWeightsWarning, match="minus infinity"):
        curve = binary_trajectory(model, pair)
    assert curve.iloc[-1] == -np.inf
    assert gencap.capacity(model, pair).bits > 0.1
    with pytest.raises(ValueError, match="replicator"):
        binary_trajectory(DominantSets(3, measure="precomputed", method="infection"), pair)
