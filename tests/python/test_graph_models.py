"""Models on similarities: costs against loops, fits, estimator checks, errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import gencap
from gencap import (
    AdaptiveRatioCut,
    Annealing,
    CorrelationClustering,
    MaxCut,
    NormalizedCut,
    PairwiseClustering,
)

QUICK = {"n_init": 2, "random_state": 0, "n_jobs": 1}
VECTORS = [
    CorrelationClustering(2, measure="sqeuclidean", **QUICK),
    PairwiseClustering(2, **QUICK),
    PairwiseClustering(2, solver="gibbs", **QUICK),
    PairwiseClustering(2, solver="embedding", **QUICK),
    NormalizedCut(2, **QUICK),
    AdaptiveRatioCut(2, p=1.2, **QUICK),
    MaxCut(2, **QUICK),
]
PRECOMPUTED = [
    CorrelationClustering(2, measure="precomputed", **QUICK),
    PairwiseClustering(2, measure="precomputed", **QUICK),
    NormalizedCut(2, measure="precomputed", **QUICK),
    AdaptiveRatioCut(2, measure="precomputed", shift="auto", **QUICK),
    MaxCut(2, measure="precomputed", **QUICK),
]
ALL = [CorrelationClustering, PairwiseClustering, NormalizedCut, AdaptiveRatioCut, MaxCut]


def expected_failures(estimator):
    if estimator.measure == "precomputed":
        return {"check_clustering": "the check hands over vectors where similarities are expected"}
    if isinstance(estimator, MaxCut):
        return {
            "check_clustering": "Max Cut puts similar objects apart: it cannot find the blobs",
        }
    return {}


@parametrize_with_checks(VECTORS + PRECOMPUTED, expected_failed_checks=expected_failures)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::gencap.AsymmetryWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def blobs(rng):
    return np.vstack([rng.normal(center, 1.0, (25, 4)) for center in (0.0, 6.0, 12.0)])


def blocks(sizes, within=1.0, between=-1.0):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return np.where(truth[:, None] == truth[None, :], within, between), truth


def naive_cost(model, S, labels):
    """The definitions of the five costs, by loops; S carries the shift."""
    n, k = len(S), model.n_clusters
    inside = [np.flatnonzero(labels == c) for c in range(k)]
    pairs = sum(S[i, j] for i in range(n) for j in range(i) if labels[i] == labels[j])
    sizes = [len(members) for members in inside]
    links = [[S[np.ix_(a, b)].sum() for b in inside] for a in inside]
    volumes = [S[members].sum() for members in inside]
    if isinstance(model, CorrelationClustering):
        return -pairs
    if isinstance(model, MaxCut):
        return pairs
    if isinstance(model, PairwiseClustering):
        return -0.5 * sum(links[c][c] / sizes[c] for c in range(k))
    if isinstance(model, NormalizedCut):
        return k - sum(links[c][c] / volumes[c] for c in range(k))
    r = -1.0 / (model.p - 1.0)
    return sum(
        links[u][v] * (sizes[u] ** r + sizes[v] ** r) ** (model.p - 1.0)
        for u in range(k)
        for v in range(u)
    )


@pytest.mark.parametrize("kind", ALL)
def test_costs_are_their_definitions(kind, rng):
    S = rng.random((20, 20))
    S = S + S.T
    labels = rng.integers(0, 3, 20)
    model = kind(3, measure="precomputed")
    if kind is not PairwiseClustering and kind is not MaxCut:
        model.set_params(shift=0.3)
        expected = naive_cost(model, S + 0.3, labels)
    else:
        expected = naive_cost(model, S, labels)
    assert model.cost(labels, S) == pytest.approx(expected, rel=1e-12)


def test_pairwise_clustering_is_k_means_on_squared_distances(blobs):
    labels = np.repeat([0, 1, 2], 25)
    other = np.roll(labels, 5)
    pairwise, centroid = PairwiseClustering(3), gencap.CentroidClustering(3)
    change = pairwise.cost(other, blobs) - pairwise.cost(labels, blobs)
    assert change == pytest.approx(centroid.cost(other, blobs) - centroid.cost(labels, blobs))


@pytest.mark.parametrize("model", VECTORS[:-1], ids=str)
def test_blobs_are_found(model, blobs):
    fitted = clone(model).set_params(n_clusters=3, n_init=4).fit(blobs)
    # One object on the rim may follow the sizes instead of its distance.
    assert adjusted_rand_score(np.repeat([0, 1, 2], 25), fitted.labels_) > 0.9
    assert fitted.probabilities_.shape == (75, 3)
    np.testing.assert_allclose(fitted.probabilities_.sum(axis=1), 1.0, atol=1e-12)
    assert fitted.cost_ == pytest.approx(fitted.cost(fitted.labels_, blobs), rel=1e-9)
    # Embedded vectors end at a temperature, soft by up to 0.001; the others in labels.
    close = 1e-3 if model.solver == "embedding" else 1e-11
    assert fitted.cost_ == pytest.approx(fitted.restart_costs_.min(), rel=close)
    assert fitted.seed_ == 0
    assert fitted.converged_
    run = fitted.trajectory_
    assert np.all(np.diff(run.betas) > 0)
    assert run.softness[-1] < 1e-3
    assert run.n_clusters[-1] == fitted.n_clusters_ == 3
    # Graphs have no centroids; embedded vectors have them among their four columns.
    assert run.centroids.shape == (len(run), 3, 4 if model.solver == "embedding" else 0)
    if model.solver == "mean_field":
        assert run.n_clusters[0] == 1


@pytest.mark.parametrize("measure", ["euclidean", "sqeuclidean", "cosine", "path", "inner"])
def test_every_representation_gives_the_dense_answer(measure, blobs):
    shifted = blobs - 6.0
    dense = gencap.similarity(shifted, measure).toarray()
    model = PairwiseClustering(3, measure=measure, random_state=1, n_init=3)
    sparse = scipy.sparse.csr_array(dense)
    known = clone(model).set_params(measure="precomputed")
    costs = [
        model.fit(shifted).cost_,
        known.fit(dense).cost_,
        known.fit(sparse).cost_,
        known.fit(gencap.similarity(dense, "precomputed")).cost_,
    ]
    np.testing.assert_allclose(costs, costs[0], rtol=1e-9)


def test_a_similarity_keeps_its_own_shift(blobs):
    S = gencap.similarity(blobs, "pearson")
    model = CorrelationClustering(3, shift=0.1, random_state=0, n_init=2)
    moved = clone(model).set_params(shift=0.0).fit(S.shifted(0.1))
    assert moved.cost_ == pytest.approx(model.fit(S).cost_, rel=1e-12)
    assert (model.shift_, moved.shift_) == (0.1, 0.0)


def test_automatic_shifts(blobs):
    S = gencap.similarity(blobs, "pearson").toarray()
    off = S[~np.eye(len(S), dtype=bool)]
    fitted = CorrelationClustering(2, **QUICK).fit(blobs)
    assert fitted.shift_ == pytest.approx(-np.quantile(off, 0.75), abs=1e-12)
    fitted = NormalizedCut(2, measure="pearson", **QUICK).fit(blobs)
    assert fitted.shift_ == pytest.approx(-S.min(), abs=1e-12)
    assert NormalizedCut(2, **QUICK).fit(blobs).shift_ == 0.0


def test_correlation_clustering_keeps_empty_clusters():
    S, truth = blocks([10, 20])
    fitted = CorrelationClustering(4, shift=0.0, measure="precomputed", **QUICK).fit(S)
    assert fitted.n_clusters_ == 2
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0
    one = CorrelationClustering(3, shift=0.0, measure="precomputed", **QUICK).fit(np.ones((6, 6)))
    assert one.n_clusters_ == 1


def test_ratio_cut_takes_singletons_and_small_powers_do_not():
    S, _ = blocks([15, 15], 1.0, 0.4)
    S[0, 1:] = S[1:, 0] = 0.3
    model = AdaptiveRatioCut(2, p=2.0, measure="precomputed", random_state=0)
    assert sorted(np.bincount(model.fit(S).labels_)) == [1, 29]
    assert min(np.bincount(clone(model).set_params(p=1.1).fit(S).labels_)) > 10
    assert min(np.bincount(clone(model).set_params(p=1.0).fit(S).labels_)) > 10


def test_isolated_objects_and_empty_graphs_stay_finite():
    S, _ = blocks([5, 5], 1.0, 0.1)
    S[3], S[:, 3] = 0.0, 0.0
    for kind in ALL:
        fitted = kind(2, measure="precomputed", **QUICK).fit(S)
        assert np.isfinite(fitted.cost_), kind
        assert np.isfinite(fitted.probabilities_).all(), kind
        assert np.isfinite(kind(3, measure="precomputed", **QUICK).fit(np.zeros((5, 5))).cost_)
        assert np.isfinite(kind(5, measure="precomputed", **QUICK).fit(S[:5, :5]).cost_)
        assert kind(1, measure="precomputed", **QUICK).fit(S).n_clusters_ == 1


@pytest.mark.parametrize("kind", ALL)
def test_results_do_not_depend_on_threads_and_repeat(kind, blobs):
    model = kind(3, random_state=5, n_init=3, n_jobs=1)
    one, two = clone(model).fit(blobs), clone(model).set_params(n_jobs=3).fit(blobs)
    np.testing.assert_array_equal(one.probabilities_, two.probabilities_)
    np.testing.assert_array_equal(one.restart_costs_, two.restart_costs_)


def test_steps_are_those_of_the_trajectory(blobs):
    model = PairwiseClustering(3, **QUICK)
    steps = list(model.anneal(blobs))
    run = model.fit(blobs).trajectory_
    np.testing.assert_array_equal([step.beta for step in steps], run.betas)
    np.testing.assert_array_equal([step.cost for step in steps], run.costs)


def test_the_schedule_can_be_given(blobs):
    annealing = Annealing(start=0.01, stop=0.02, n_steps=4, tol=1e-3)
    model = PairwiseClustering(2, annealing=annealing, n_init=1, random_state=0)
    np.testing.assert_allclose(model.fit(blobs).trajectory_.betas[[0, -1]], [0.01, 0.02])
    assert len(model.trajectory_) == 4


def test_frames_keep_their_names(blobs):
    frame = pd.DataFrame(blobs, columns=list("abcd"))
    fitted = PairwiseClustering(3, **QUICK).fit(frame)
    assert list(fitted.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(fitted.labels_, PairwiseClustering(3, **QUICK).fit(blobs).labels_)


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (PairwiseClustering(2, measure="precomputed"), np.zeros((3, 2)), "square"),
        (PairwiseClustering(2, measure="euclid"), np.eye(3), "did you mean 'euclidean'"),
        (PairwiseClustering(4), np.eye(3), "got 4 for 3 rows"),
        (PairwiseClustering(2, measure="precomputed"), np.full((2, 2), np.nan), "NaN"),
        (PairwiseClustering(2, solver="metropolis"), np.eye(3), "solver must be one of"),
        (PairwiseClustering(2, n_init=0), np.eye(3), "n_init must be at least 1"),
        (CorrelationClustering(2, shift="both"), np.eye(3), "shift must be 'auto' or a number"),
        (CorrelationClustering(2, shift=np.inf), np.eye(3), "shift must be finite"),
        (AdaptiveRatioCut(2, p=0.5), np.eye(3), "p must be at least 1"),
        (NormalizedCut(2, shift=-1.0, measure="precomputed"), np.eye(3), "negative degree"),
    ],
)
def test_bad_input_is_explained(model, X, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X)


def test_an_asymmetric_matrix_is_symmetrized_with_a_warning(rng):
    S = rng.random((10, 10))
    model = PairwiseClustering(2, measure="precomputed", **QUICK)
    with pytest.warns(gencap.AsymmetryWarning):
        cost = clone(model).fit(S).cost_
    assert cost == pytest.approx(clone(model).fit((S + S.T) / 2).cost_, rel=1e-12)


def test_wrong_schedules_and_labels_are_refused(blobs):
    with pytest.raises(TypeError, match=r"annealing must be a gencap\.Annealing"):
        PairwiseClustering(2, annealing=30).fit(blobs)
    with pytest.raises(ValueError, match="got 2 labels for 75 objects"):
        PairwiseClustering(2).cost([0, 1], blobs)


def test_cancelling_a_fit_leaves_the_model_as_it_was(blobs):
    model = PairwiseClustering(2, **QUICK)
    control = gencap.Control()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        model.fit(blobs, progress=control)
    assert not hasattr(model, "labels_")
