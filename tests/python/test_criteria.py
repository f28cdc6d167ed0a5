"""Criteria for any clusterer: closed forms, slow twins, known values, bad input."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import BayesianGaussianMixture
from sklearn.mixture import GaussianMixture as SklearnMixture

import gencap
from gencap.criteria import (
    Criterion,
    aic,
    bic,
    effective_dimension,
    gap_statistic,
    instability,
    mdl,
    random_distance,
)
from gencap.criteria._mixture import kernel_distances, partition_mixture
from gencap.criteria.stability import labeling_distance

PATIENT = gencap.Annealing(max_iter=2000)


def clouds(n: int, seed: int, distance: float = 6.0, k: int = 3, d: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centers = distance * np.vstack([np.zeros(d), np.eye(d)])[:k]
    return centers[np.arange(n) % k] + rng.normal(size=(n, d))


# --- likelihoods ---------------------------------------------------------------------------------


def test_prices_of_one_likelihood() -> None:
    x = clouds(80, 1)
    model = gencap.GaussianMixture(covariance="spherical", random_state=0)
    found = [criterion(model, x, [1, 3]) for criterion in (bic, aic, mdl)]
    details = found[0].details
    assert details is not None
    negative, phi = details.loc[3]
    assert phi == 3 * (2 + 1)
    assert found[0].values[3] == pytest.approx(2 * negative + phi * math.log(80))
    assert found[1].values[3] == pytest.approx(2 * negative + 2 * phi)
    assert found[2].values[3] == pytest.approx(negative / math.log(2) + phi / 2 * math.log2(80))
    assert [one.best for one in found] == [3, 3, 3]
    assert [one.name for one in found] == ["BIC", "AIC", "MDL"]


def test_mixtures_of_scikit_learn_keep_their_own_criterion() -> None:
    x = clouds(90, 2)
    model = SklearnMixture(covariance_type="full", random_state=3)
    seed = int(np.random.SeedSequence([3, 0]).generate_state(1)[0])
    fitted = SklearnMixture(3, covariance_type="full", random_state=seed).fit(x)
    assert bic(model, x, [3]).values[3] == pytest.approx(fitted.bic(x), rel=1e-10)
    assert aic(model, x, [3]).values[3] == pytest.approx(fitted.aic(x), rel=1e-10)


def slow_mixture(x: np.ndarray, labels: np.ndarray) -> tuple[float, int]:
    """-ln L of the spherical mixture of a partition, and its parameters, term by term."""
    n, d = x.shape
    kinds = sorted(set(labels.tolist()))
    means = [x[labels == t].mean(axis=0) for t in kinds]
    weights = [float((labels == t).mean()) for t in kinds]
    within = sum(
        float(((x[labels == t] - m) ** 2).sum()) for t, m in zip(kinds, means, strict=True)
    )
    variance = within / (n * d)
    total = 0.0
    for row in x:
        density = sum(
            w * math.exp(-float(((row - m) ** 2).sum()) / (2 * variance))
            for w, m in zip(weights, means, strict=True)
        )
        total -= math.log(density / (2 * math.pi * variance) ** (d / 2))
    return total, len(kinds) * d + 1 + len(kinds) - 1


@pytest.mark.parametrize("model", [KMeans(n_init=3), AgglomerativeClustering()])
def test_any_partition_is_a_spherical_mixture(model: object) -> None:
    x = clouds(60, 3)
    found = bic(model, x, range(1, 6), random_state=0)
    details = found.details
    assert details is not None
    labels = AgglomerativeClustering(3).fit(x).labels_
    negative, phi = slow_mixture(x, labels)
    # Both find the planted clusters, six standard deviations apart.
    assert tuple(details.loc[3]) == pytest.approx((negative, phi), rel=1e-10)
    assert found.best == 3


def test_clusters_of_similarities_in_effective_dimensions() -> None:
    x = clouds(60, 4, d=3)
    S = gencap.similarity(x, "sqeuclidean")
    labels = KMeans(3, n_init=3, random_state=0).fit(x).labels_
    codes = np.unique(labels, return_inverse=True)[1]
    # Distances by similarities are twice the squared ones: D = 2 d.
    means = np.stack([x[codes == t].mean(axis=0) for t in range(3)])
    squares = ((x[:, None] - means[None]) ** 2).sum(axis=2)
    assert kernel_distances(S, codes) == pytest.approx(2 * squares, abs=1e-9)
    model = gencap.PairwiseClustering(n_init=3, random_state=0)
    found = bic(model, x, range(1, 6))
    assert found.best == 3
    details = found.details
    assert details is not None
    d = effective_dimension(S)
    assert details.loc[3, "n_parameters"] == pytest.approx(3 * d + 1 + 2)
    assert details.loc[3, "negative_log_likelihood"] == pytest.approx(
        partition_mixture(2 * squares, codes, d), rel=1e-9
    )
    trace = bic(model, x, [3], dimension="trace").details
    assert trace is not None
    assert trace.loc[3, "n_parameters"] == pytest.approx(3 * effective_dimension(S, "trace") + 3)
    known = bic(model, x, [3], dimension=3.0).values[3]
    # In all three dimensions it is the mixture of vectors, but for the unit sqrt(2) of length.
    vectors = bic(KMeans(n_init=3, random_state=0), x, [3]).values[3]
    assert known - vectors == pytest.approx(60 * 3 * math.log(2), rel=1e-6)


def test_effective_dimensions() -> None:
    rng = np.random.default_rng(0)
    line = rng.normal(size=(40, 1)) @ rng.normal(size=(1, 5))
    assert effective_dimension(line @ line.T) == pytest.approx(1.0, abs=1e-6)
    x = rng.normal(size=(2000, 4)) * np.array([2.0, 1.0, 1.0, 1.0])
    values = np.linalg.eigvalsh(np.cov(x.T))
    gram = gencap.similarity(x, "inner")
    expected = values.sum() ** 2 / (values**2).sum()
    assert effective_dimension(gram) == pytest.approx(expected, rel=1e-6)
    assert effective_dimension(gram, "trace") == pytest.approx(values.sum() / values[-1], rel=1e-6)
    # Origin and unit of length do not matter.
    moved = gencap.similarity(3 * x + 7, "inner")
    assert effective_dimension(moved) == pytest.approx(expected, rel=1e-6)
    assert effective_dimension(gencap.similarity(x, "sqeuclidean")) == pytest.approx(expected, 1e-6)
    assert effective_dimension(np.ones((5, 5))) == 1.0


def test_negative_eigenvalues_do_not_count() -> None:
    # Centered: eigenvalues 1 and -1 along two directions.
    a = np.array([1.0, -1.0, 0.0, 0.0]) / math.sqrt(2)
    b = np.array([0.0, 0.0, 1.0, -1.0]) / math.sqrt(2)
    assert effective_dimension(np.outer(a, a) - np.outer(b, b)) == pytest.approx(1.0)
    assert effective_dimension(np.outer(a, a) + np.outer(b, b)) == pytest.approx(2.0)


def test_models_without_likelihood_are_refused() -> None:
    x = clouds(20, 5)
    with pytest.raises(TypeError, match="got CorrelationClustering"):
        bic(gencap.CorrelationClustering(), x)
    with pytest.raises(TypeError, match="how many parameters"):
        bic(BayesianGaussianMixture(), x)
    with pytest.raises(TypeError, match="scikit-learn clusterer"):
        aic("k-means", x)
    with pytest.raises(ValueError, match="got 21 for 20 rows"):
        aic(KMeans(), x, [21])
    with pytest.raises(ValueError, match="X must vary"):
        mdl(AgglomerativeClustering(), np.ones((6, 2)), [1])
    with pytest.raises(ValueError, match="dimension must be"):
        bic(gencap.PairwiseClustering(), x, [2], dimension=-1.0)
    with pytest.raises(ValueError, match="kind must be one of"):
        effective_dimension(np.eye(3), "rank")
    with pytest.raises(ValueError, match="at most 5,000 objects"):
        effective_dimension(gencap.similarity(np.zeros((5001, 1)), "inner"))


# --- gap -----------------------------------------------------------------------------------------


def test_gap_is_that_of_its_definition() -> None:
    x = clouds(45, 6)
    model = AgglomerativeClustering()
    found = gap_statistic(model, x, range(1, 6), n_references=4, random_state=2)

    def log_within(points: np.ndarray, k: int) -> float:
        labels = AgglomerativeClustering(k).fit(points).labels_
        parts = [points[labels == t] for t in range(k)]
        return math.log(sum(float(((p - p.mean(axis=0)) ** 2).sum()) for p in parts))

    boxes = [
        np.random.default_rng([2, b]).uniform(x.min(axis=0), x.max(axis=0), x.shape)
        for b in range(1, 5)
    ]
    for k in (1, 3):
        logs = np.array([log_within(box, k) for box in boxes])
        assert found.values[k] == pytest.approx(logs.mean() - log_within(x, k), rel=1e-10)
        assert found.spread[k] == pytest.approx(logs.std() * math.sqrt(1.25), rel=1e-10)
    assert found.best == 3
    assert found.largest


def test_rules_of_the_gap_differ_where_clusters_are_near() -> None:
    # An equilateral triangle with sides of four standard deviations.
    rng = np.random.default_rng(7)
    corners = 4.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])
    x = corners[np.arange(200) % 3] + rng.normal(size=(200, 2))
    model = gencap.CentroidClustering(annealing=PATIENT, random_state=0)
    found = gap_statistic(model, x, range(1, 6), n_references=8)
    assert found.rules == {"argmax": 3, "1-se": 1}
    assert gap_statistic(model, x, range(1, 6), n_references=8, rule="1-se").best == 1


def test_one_se_rule_takes_the_first_sufficient_number() -> None:
    from gencap.criteria.gap import _first_sufficient

    numbers = [1, 2, 3, 4]
    assert _first_sufficient(numbers, np.array([0.0, 1.0, 1.1, 1.3]), np.full(4, 0.05)) == 4
    assert _first_sufficient(numbers, np.array([0.0, 1.0, 1.1, 1.3]), np.full(4, 0.1)) == 2
    assert _first_sufficient(numbers, np.array([0.0, 1.0, 1.1, 1.3]), np.full(4, 2.0)) == 1


def test_box_along_principal_axes(rng: np.random.Generator) -> None:
    turn = np.array([[1.0, -1.0], [1.0, 1.0]]) / math.sqrt(2)
    x = (rng.uniform(-1, 1, (300, 2)) * np.array([20.0, 0.1])) @ turn
    model = KMeans(n_init=2, random_state=0)
    box = gap_statistic(model, x, [1, 2], n_references=5)
    along = gap_statistic(model, x, [1, 2], n_references=5, reference="pca")
    # A thin diagonal line has far less within than its upright box, not than its own.
    assert box.values[2] > along.values[2] + 0.3
    assert abs(along.values[1]) < 0.3


def test_gap_where_nothing_is_left_within() -> None:
    x = np.array([[0.0], [1.0], [5.0]])
    found = gap_statistic(AgglomerativeClustering(), x, [1, 2, 3], n_references=3, random_state=0)
    assert math.isnan(found.values[3])
    assert found.best in (1, 2)
    with pytest.raises(ValueError, match="X must vary"):
        gap_statistic(AgglomerativeClustering(), np.ones((4, 1)), [1, 2])


def test_gap_needs_vectors_and_references() -> None:
    x = clouds(12, 8)
    with pytest.raises(ValueError, match="similarities do not have"):
        gap_statistic(gencap.PairwiseClustering(measure="precomputed"), x @ x.T)
    with pytest.raises(ValueError, match="n_references must be at least 2"):
        gap_statistic(KMeans(), x, [2], n_references=1)
    with pytest.raises(ValueError, match="rule must be one of"):
        gap_statistic(KMeans(), x, [2], rule="elbow")


# --- instability ---------------------------------------------------------------------------------


def exact_random_distance(n: int, k: int) -> float:
    """Mean over all pairs of labelings; the second is fixed by symmetry only for its own law."""
    total = 0.0
    labelings = list(itertools.product(range(k), repeat=n))
    for one in labelings:
        for two in labelings:
            agree = max(
                sum(p[a] == b for a, b in zip(one, two, strict=True))
                for p in itertools.permutations(range(k))
            )
            total += 1.0 - agree / n
    return total / len(labelings) ** 2


@pytest.mark.parametrize(("n", "k"), [(4, 2), (6, 2), (4, 3)])
def test_random_labels_against_enumeration(n: int, k: int) -> None:
    # 20,000 draws of a number between 0 and 1/2: a standard error below .0015.
    assert random_distance(n, k, 20_000) == pytest.approx(exact_random_distance(n, k), abs=0.006)


@pytest.mark.parametrize(("k", "earlier"), [(2, 0.463), (3, 0.601), (4, 0.668), (10, 0.752)])
def test_random_labels_of_100_objects(k: int, earlier: float) -> None:
    # Measured before with few draws; for two labels the exact mean is .4602.
    assert random_distance(100, k, 2000) == pytest.approx(earlier, abs=0.006)
    if k == 2:
        agree = np.arange(101)
        law = np.array([math.comb(100, int(a)) for a in agree]) / 2.0**100
        exact = float((np.minimum(agree, 100 - agree) * law).sum() / 100)
        assert random_distance(100, 2, 20_000) == pytest.approx(exact, abs=0.001)


def test_labelings_are_matched_before_they_are_compared() -> None:
    one = np.array([0, 0, 1, 1, 2, 2])
    assert labeling_distance(one, np.array([2, 2, 0, 0, 1, 1])) == 0.0
    assert labeling_distance(one, np.array([2, 2, 0, 1, 1, 1])) == pytest.approx(1 / 6)
    assert labeling_distance(one, np.zeros(6, dtype=np.int64)) == pytest.approx(4 / 6)


def test_instability_of_halves_is_that_of_its_definition() -> None:
    x = clouds(80, 9, distance=4.0)
    (split,) = gencap.holdouts(x, 1)
    model = KMeans(n_init=3)
    found = instability(model, split, [1, 2, 4], classifier="centroid", random_state=6)
    seed = int(np.random.default_rng([6, 0, 4]).integers(2**31))
    first = KMeans(4, n_init=3, random_state=seed).fit(split.first)
    second = KMeans(4, n_init=3, random_state=seed).fit(split.second)
    carried = [
        min(range(4), key=lambda t: float(((row - first.cluster_centers_[t]) ** 2).sum()))
        for row in split.second
    ]
    agree = max(
        sum(p[a] == b for a, b in zip(carried, second.labels_, strict=True))
        for p in itertools.permutations(range(4))
    )
    raw = 1.0 - agree / len(split.second)
    details = found.details
    assert details is not None
    assert details.loc[4, "raw"] == pytest.approx(raw)
    assert found.values[4] == pytest.approx(raw / random_distance(40, 4, random_state=6))
    assert math.isnan(found.values[1])
    assert instability(model, split, [4], random_state=6, normalize=False).values[4] == (
        pytest.approx(raw)
    )


def test_separated_clusters_are_stable_and_noise_is_not(rng: np.random.Generator) -> None:
    model = gencap.CentroidClustering(annealing=PATIENT, n_init=3, random_state=0)
    found = instability(model, gencap.holdouts(clouds(150, 10), 3), range(1, 6))
    assert found.best == 3
    assert found.values[3] == 0.0
    noise = rng.normal(size=(60, 40))
    lost = instability(model, gencap.Pair(noise, rng.normal(size=(60, 40))), [2, 3])
    # Two independent measurements agree like random labels; one pair has a spread of .1.
    assert lost.values.min() > 0.75
    assert lost.values.max() < 1.25


def test_classifiers(rng: np.random.Generator) -> None:
    x = clouds(90, 11)
    splits = gencap.holdouts(x, 2)
    for model in (AgglomerativeClustering(), SklearnMixture(), gencap.PairwiseClustering(n_init=2)):
        assert instability(model, splits, [3], random_state=0).values[3] == 0.0
    for classifier in ("centroid", "nearest", "hungarian"):
        found = instability(AgglomerativeClustering(), splits, [3], classifier=classifier)
        # Matching one by one leaves some without a partner of their own cluster.
        assert found.values[3] < (0.5 if classifier == "hungarian" else 0.05)
    graph = gencap.datasets.correlation_graph(120, 3, noise=0.3, complexity=0.1, random_state=0)
    model = gencap.CorrelationClustering(shift=0.0, measure="precomputed", n_init=2)
    halves = gencap.holdouts(graph.first, 2, measure="precomputed")
    assert instability(model, halves, range(1, 5), random_state=0).best == 3
    assert instability(model, graph.pair, [3], random_state=0).values[3] == 0.0


def test_instability_names_what_is_wrong() -> None:
    x = clouds(30, 12)
    with pytest.raises(ValueError, match="use 'centroid' or 'nearest'"):
        instability(KMeans(), (x, x[:10]), [2], classifier="identity")
    with pytest.raises(ValueError, match="got 11 for 10 rows"):
        instability(KMeans(), (x, x[:10]), [11])
    with pytest.raises(ValueError, match="classifier must be one of"):
        instability(KMeans(), (x, x), [2], classifier="svm")
    with pytest.raises(ValueError, match="does not; choose one that does"):
        instability(DBSCAN(), (x, x), [2])
    with pytest.raises(ValueError, match="not defined for any number"):
        _ = instability(KMeans(random_state=0), (x, x), [1]).best


# --- all of them ---------------------------------------------------------------------------------


def test_threads_change_nothing() -> None:
    x = clouds(60, 13)
    model = gencap.CentroidClustering(random_state=0)
    splits = gencap.holdouts(x, 2)
    for call in (
        lambda jobs: gap_statistic(model, x, [1, 2, 3], n_references=3, n_jobs=jobs),
        lambda jobs: instability(model, splits, [1, 2, 3], n_jobs=jobs),
        lambda jobs: aic(model, x, [1, 2, 3], n_jobs=jobs),
    ):
        assert call(1).values.equals(call(2).values)


def test_progress_can_cancel() -> None:
    x, control = clouds(30, 14), gencap.Control()
    control.cancel()
    model = gencap.CentroidClustering(random_state=0)
    for call in (
        lambda: gap_statistic(model, x, [1, 2], progress=control),
        lambda: instability(model, (x, x), [2, 3], progress=control),
        lambda: mdl(model, x, [1, 2], progress=control),
    ):
        with pytest.raises(gencap.Cancelled):
            call()


def test_what_many_fits_say_is_said_once() -> None:
    x = np.repeat([[0.0], [1.0]], 10, axis=0)
    with pytest.warns(match=r"distinct clusters .* \(2 fits\)") as heard:
        gencap.transfer_costs(KMeans(n_init=1, random_state=0), [(x, x), (x, x)], [3], "soft")
    assert len(heard) == 1


def test_criteria_introduce_themselves() -> None:
    index = pd.Index([1, 2, 3], name="n_clusters")
    values = pd.Series([np.nan, 3.0, 2.0], index=index)
    small = Criterion("instability", values, values * 0)
    assert small.best == 3
    assert repr(small) == "<Criterion instability: best 3 of n_clusters 1 to 3; 2 to 3>"
    large = Criterion("gap", values, values * 0, largest=True)
    assert large.best == 2
    ruled = Criterion("gap", values, values * 0, True, {"argmax": 2, "1-se": 3}, "1-se")
    assert ruled.best == 3
    assert repr(ruled).endswith("argmax: 2, 1-se: 3>")
    assert large.best_per_sample == [2]
    assert repr(Criterion("x", values * np.nan, values)) == "<Criterion x: defined nowhere>"
