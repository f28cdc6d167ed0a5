"""Transfer costs of vectors, against slow and obvious re-implementations."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture as SklearnMixture

import gencap
from gencap._carrying import VectorSpace, boltzmann, carry, random_argmin

MAPPINGS = ("identity", "nearest", "centroid", "soft", "soft_objects", "hungarian")
PATIENT = gencap.Annealing(max_iter=2000)


def triangle(n: int, seed: int, side: float = 5.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centers = side * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])
    first, second = (centers[np.arange(n) % 3] + rng.normal(size=(n, 2)) for _ in range(2))
    return first, second


def slow_cost(
    x1: np.ndarray, x2: np.ndarray, labels: np.ndarray, mapping: str, beta: float
) -> float:
    """The sums of the paper, term by term; no ties."""
    kinds = sorted(set(labels.tolist()))
    means = {t: x1[labels == t].mean(axis=0) for t in kinds}

    def d(a: np.ndarray, b: np.ndarray) -> float:
        return float(sum((p - q) ** 2 for p, q in zip(a, b, strict=True)))

    matched = linear_sum_assignment([[d(a, b) for a in x1] for b in x2])[1]
    total = 0.0
    for i, x in enumerate(x2):
        if mapping == "identity":
            total += d(means[labels[i]], x)
        elif mapping == "hungarian":
            total += d(means[labels[matched[i]]], x)
        elif mapping == "nearest":
            total += d(means[labels[min(range(len(x1)), key=lambda j: d(x1[j], x))]], x)
        elif mapping == "centroid":
            total += min(d(means[t], x) for t in kinds)
        elif mapping == "soft":
            w = {t: math.exp(-beta * d(means[t], x)) for t in kinds}
            total += sum(w[t] * d(means[t], x) for t in kinds) / sum(w.values())
        else:
            w = {j: math.exp(-beta * d(x1[j], x)) for j in range(len(x1))}
            total += sum(w[j] * d(means[labels[j]], x) for j in w) / sum(w.values())
    return total / len(x2)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_costs_are_the_sums_of_the_paper(mapping: str) -> None:
    x1, x2 = triangle(24, 1)
    model = KMeans(n_init=3, random_state=0)
    found = gencap.transfer_costs(model, (x1, x2), [1, 2, 4], mapping, random_state=5)
    beta = 0.75 / float(((x1 - x1.mean(axis=0)) ** 2).sum(axis=1).mean())
    for k in (1, 2, 4):
        seed = int(np.random.SeedSequence([5, 0]).generate_state(1)[0])
        labels = KMeans(k, n_init=3, random_state=seed).fit(x1).labels_
        expected = slow_cost(x1, x2, labels, mapping, beta)
        assert found.costs[k] == pytest.approx(expected, rel=1e-10)
        own = sum(
            float(((x1[labels == t] - x1[labels == t].mean(axis=0)) ** 2).sum()) for t in range(k)
        )
        assert found.train_costs[k] == pytest.approx(own / len(x1), rel=1e-10)
    if mapping.startswith("soft"):
        assert found.beta == pytest.approx(beta, rel=1e-12)
    else:
        assert math.isnan(found.beta)


@pytest.mark.parametrize("mapping", ["nearest", "centroid", "soft", "soft_objects"])
def test_samples_of_different_size(mapping: str) -> None:
    x1, x2 = triangle(40, 2)
    found = gencap.transfer_costs(
        gencap.CentroidClustering(random_state=0), (x1, x2[:13]), [1, 3], mapping
    )
    seed = int(np.random.SeedSequence([found.seed, 0]).generate_state(1)[0])
    labels = gencap.CentroidClustering(3, random_state=seed).fit(x1).labels_
    beta = 0.75 / found.train_costs[1]
    assert found.costs[3] == pytest.approx(slow_cost(x1, x2[:13], labels, mapping, beta), rel=1e-9)


@pytest.mark.parametrize("mapping", ["identity", "hungarian"])
def test_partners_need_equally_many_objects(mapping: str) -> None:
    x1, x2 = triangle(12, 3)
    with pytest.raises(ValueError, match="12 and 9; use 'nearest', 'centroid' or 'soft'"):
        gencap.transfer_costs(gencap.CentroidClustering(), (x1, x2[:9]), [2], mapping)


def test_temperatures() -> None:
    x1, x2 = triangle(50, 4)
    model, ks = gencap.CentroidClustering(random_state=0), [1, 3]
    largest = float(np.linalg.eigvalsh(np.cov(x1.T, bias=True))[-1])
    critical = gencap.transfer_costs(model, (x1, x2), ks, "soft", mode="critical", scale=0.5)
    assert critical.beta == pytest.approx(0.5 / (2 * largest), rel=1e-10)
    assert gencap.transfer_costs(model, (x1, x2), ks, "soft", beta=2.5).beta == 2.5
    cold = gencap.transfer_costs(model, (x1, x2), ks, "soft", beta=1e6)
    hard = gencap.transfer_costs(model, (x1, x2), ks, "centroid")
    assert cold.costs[3] == pytest.approx(hard.costs[3], rel=1e-9)


def test_isotropic_data_have_one_temperature_by_both_modes() -> None:
    x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    space = VectorSpace(x, x)
    # In two dimensions the mean cost is twice the variance along a direction.
    assert space.beta("mean", 0.75) == pytest.approx(space.beta("critical", 0.75), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_equal_clusters_are_found_by_identity_and_soft_mapping(seed: int) -> None:
    pair = gencap.Pair(*triangle(150, seed))
    model = gencap.CentroidClustering(annealing=PATIENT, random_state=0)
    assert gencap.transfer_costs(model, pair, range(1, 7)).best == 3
    assert gencap.transfer_costs(model, pair, range(1, 7), "soft").best == 3
    for mapping in ("nearest", "centroid", "hungarian"):
        assert gencap.transfer_costs(model, pair, range(1, 7), mapping).best >= 5


def test_automatic_mappings(rng: np.random.Generator) -> None:
    x1, x2 = triangle(30, 5)
    model = gencap.CentroidClustering(random_state=0)
    assert gencap.transfer_costs(model, gencap.Pair(x1, x2), [2]).mapping == "identity"
    assert gencap.transfer_costs(model, (x1, x2), [2]).mapping == "soft"
    with pytest.warns(gencap.OptimisticPairingWarning):
        optimistic = gencap.split_objects(x1)
    assert gencap.transfer_costs(model, optimistic, [2]).mapping == "soft"
    mixture = gencap.GaussianMixture(random_state=0)
    assert gencap.transfer_costs(mixture, (x1, x2), [2]).mapping == "density"


@pytest.mark.parametrize("covariance", ["spherical", "diag", "full"])
def test_mixtures_pay_their_negative_log_likelihood(covariance: str) -> None:
    x1, x2 = triangle(90, 6)
    model = gencap.GaussianMixture(covariance=covariance, random_state=0)
    found = gencap.transfer_costs(model, (x1, x2), [1, 3], random_state=2)
    assert found.unit == "nats per object"
    mean, n = x1.mean(axis=0), len(x1)
    spread = (x1 - mean).T @ (x1 - mean) / n
    floor = 1e-6 * x1.var(axis=0).mean()
    if covariance == "spherical":
        spread = np.eye(2) * np.trace(spread) / 2
    elif covariance == "diag":
        spread = np.diag(np.diag(spread))
    spread = spread + floor * np.eye(2)
    gaps = x2 - mean
    squares = np.einsum("ij,jk,ik->i", gaps, np.linalg.inv(spread), gaps).mean()
    expected = 0.5 * (2 * math.log(2 * math.pi) + np.linalg.slogdet(spread)[1] + squares)
    # The fit stops when nothing moves by more than 1e-4.
    assert found.costs[1] == pytest.approx(expected, rel=1e-6)
    assert found.best == 3


def test_mixtures_of_scikit_learn(rng: np.random.Generator) -> None:
    x1, x2 = triangle(120, 7)
    model = SklearnMixture(covariance_type="full", n_init=3)
    found = gencap.transfer_costs(model, (x1, x2), [1, 2, 3, 4], random_state=3)
    seed = int(np.random.SeedSequence([3, 0]).generate_state(1)[0])
    fitted = SklearnMixture(3, covariance_type="full", n_init=3, random_state=seed).fit(x1)
    assert found.costs[3] == pytest.approx(-fitted.score(x2), rel=1e-9)
    assert found.best == 3


def test_any_clusterer_is_priced_by_the_means_of_its_clusters() -> None:
    x1, x2 = triangle(45, 8)
    found = gencap.transfer_costs(AgglomerativeClustering(), (x1, x2), [3], "soft")
    labels = AgglomerativeClustering(3).fit(x1).labels_
    beta = 0.75 / float(((x1 - x1.mean(axis=0)) ** 2).sum(axis=1).mean())
    assert found.costs[3] == pytest.approx(slow_cost(x1, x2, labels, "soft", beta), rel=1e-10)


def test_empty_clusters_do_not_take_part() -> None:
    x = np.repeat([[0.0], [1.0]], 5, axis=0)
    model = gencap.CentroidClustering(random_state=0)
    found = gencap.transfer_costs(model, (x, x), [2, 4], "soft")
    assert found.effective[4] == 2.0
    assert found.costs[4] == pytest.approx(found.costs[2], abs=1e-12)
    assert found.best == 2


def test_constant_samples_cost_nothing() -> None:
    x = np.ones((6, 2))
    found = gencap.transfer_costs(gencap.CentroidClustering(random_state=0), (x, x), [1, 2], "soft")
    assert found.costs.tolist() == [0.0, 0.0]
    assert found.best == 1


def test_ties_are_broken_at_random(rng: np.random.Generator) -> None:
    values = np.tile([1.0, 0.0, 0.0, 2.0, 0.0], (3000, 1))
    counts = np.bincount(random_argmin(values, rng), minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0]
    # Three equally likely columns: a standard deviation of 26, five of them.
    assert counts[[1, 2, 4]] == pytest.approx(1000, abs=130)
    single = rng.normal(size=(200, 7))
    assert (random_argmin(single, rng) == single.argmin(axis=1)).all()


def test_duplicates_share_their_nearest_objects(rng: np.random.Generator) -> None:
    first = np.zeros((2, 1))
    space = VectorSpace(first, np.zeros((2000, 1)))
    weights = carry(space, np.array([0, 1]), "nearest", 0.0, rng)
    # A standard deviation of 22.
    assert weights.sum(axis=0) == pytest.approx(1000, abs=110)


def test_large_exponents_do_not_overflow() -> None:
    weights = boltzmann(np.array([[1e8, 1e8 + 1.0, 3e8]]), 1e3)
    assert weights[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_several_pairs_average() -> None:
    pairs = [triangle(40, seed) for seed in (1, 2, 3)]
    model = gencap.CentroidClustering(random_state=0)
    found = gencap.transfer_costs(model, list(pairs), [1, 3], "soft", random_state=4)
    alone = gencap.transfer_costs(model, pairs[0], [1, 3], "soft", random_state=4)
    assert found.per_pair[0].equals(alone.per_pair[0])
    assert found.costs[3] == pytest.approx(found.per_pair.loc[3].mean())
    assert found.spread[3] == pytest.approx(found.per_pair.loc[3].std())
    assert alone.spread.tolist() == [0.0, 0.0]
    assert found.best_per_pair == [3, 3, 3]


def test_threads_change_nothing_and_the_model_stays() -> None:
    model = gencap.CentroidClustering(5, random_state=0)
    one, two = (
        gencap.transfer_costs(model, triangle(60, 9), range(1, 5), "nearest", n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.per_pair.equals(two.per_pair)
    assert model.n_clusters == 5
    assert not hasattr(model, "labels_")


def test_result_introduces_itself() -> None:
    model = gencap.CentroidClustering(random_state=0)
    found = gencap.transfer_costs(model, triangle(60, 10), range(1, 5))
    assert repr(found).startswith("<TransferCosts: best 3 of n_clusters 1 to 4, mapping soft")
    frame = found.to_frame()
    assert frame.columns.tolist() == ["cost", "spread", "train_cost", "effective"]
    assert frame.index.name == "n_clusters"


def test_equal_costs_choose_the_fewest_clusters() -> None:
    index = pd.Index([2, 3, 4], name="n_clusters")
    table = pd.DataFrame({0: [2.0, 1.0 + 1e-13, 1.0]}, index=index)
    found = gencap.TransferCosts(table, table, table[0], "soft", "per object")
    assert found.best == 3


def test_progress_is_told_and_can_cancel() -> None:
    heard: list[gencap.Progress] = []
    model = gencap.CentroidClustering(random_state=0)
    gencap.transfer_costs(model, triangle(20, 1), [1, 2], progress=heard.append)
    assert (heard[-1].done, heard[-1].total) == (2, 2)
    control = gencap.Control()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        gencap.transfer_costs(model, triangle(20, 1), [1, 2], progress=control)


def test_bad_input_is_named(rng: np.random.Generator) -> None:
    x1, x2 = triangle(10, 1)
    model = gencap.CentroidClustering()
    with pytest.raises(ValueError, match="got 11 for 10 rows; choose 10 or fewer"):
        gencap.transfer_costs(model, (x1, x2), [2, 11])
    with pytest.raises(ValueError, match="mapping must be one of"):
        gencap.transfer_costs(model, (x1, x2), [2], "nearby")
    with pytest.raises(ValueError, match="at least one number"):
        gencap.transfer_costs(model, (x1, x2), [])
    with pytest.raises(ValueError, match="needs a model with a likelihood"):
        gencap.transfer_costs(model, (x1, x2), [2], "density")
    with pytest.raises(ValueError, match="without a mapping"):
        gencap.transfer_costs(gencap.GaussianMixture(), (x1, x2), [2], "soft")
    with pytest.raises(ValueError, match="different columns"):
        gencap.transfer_costs(model, gencap.split_features(rng.normal(size=(9, 4))), [2])
    with pytest.raises(ValueError, match="'auto' would take"):
        gencap.transfer_costs(model, [(x1, x2), gencap.Pair(x1, x2)], [2])
    with pytest.raises(ValueError, match="beta must be"):
        gencap.transfer_costs(model, (x1, x2), [2], "soft", beta=0.0)
    with pytest.raises(TypeError, match="scikit-learn clusterer"):
        gencap.transfer_costs("k-means", (x1, x2), [2])
    with pytest.raises(TypeError, match="DominantSets"):
        gencap.transfer_costs(gencap.DominantSets(), (x1, x2), [2])
    s = gencap.similarity(x1, "cosine")
    with pytest.raises(TypeError, match="clusters vectors"):
        gencap.transfer_costs(model, (s, s), [2])


# --- along the temperatures ----------------------------------------------------------------------


def test_curve_agrees_with_that_of_the_capacity() -> None:
    data = gencap.datasets.five_gaussians(n_objects=400, random_state=0)
    model = gencap.CentroidClustering(8, random_state=0)
    curve = gencap.transfer_curve(model, data.pair)
    measured = gencap.capacity(model, data.pair, coupling="independent").curve
    assert measured.transfer_cost is not None
    there = float(np.interp(np.log(1.0), np.log(measured.beta), measured.transfer_cost))
    here = float(np.interp(np.log(1.0), np.log(curve.beta), curve.costs))
    # Two grids of some 7 % a step, interpolated; other starts.
    assert here == pytest.approx(there, rel=0.02)
    assert curve.mapping == "identity"
    assert 0.6 < curve.best < 1.5


def test_curve_is_eq_94_at_every_temperature() -> None:
    x1, x2 = triangle(30, 11)
    model = gencap.CentroidClustering(3, random_state=0)
    curve = gencap.transfer_curve(model, gencap.Pair(x1, x2), random_state=6)
    seed = int(np.random.SeedSequence([6, 0]).generate_state(1)[0])
    run = gencap.CentroidClustering(3, random_state=seed, n_jobs=1).fit(x1).trajectory_
    for t in (0, len(run) // 2, len(run) - 1):
        total = 0.0
        for a, b in zip(x1, x2, strict=True):
            w = [math.exp(-run.betas[t] * float(((a - m) ** 2).sum())) for m in run.centroids[t]]
            d = [float(((b - m) ** 2).sum()) for m in run.centroids[t]]
            total += sum(p * q for p, q in zip(w, d, strict=True)) / sum(w)
        assert curve.costs[t] == pytest.approx(total / len(x2), rel=1e-8)


def test_curve_of_other_objects_and_other_units() -> None:
    x1, x2 = triangle(60, 12)
    soft = gencap.transfer_curve(gencap.CentroidClustering(3, random_state=0), (x1, x2[:25]))
    assert soft.mapping == "soft"
    # Cold, the soft mapping is that of the nearest centroid.
    hard = gencap.transfer_costs(
        gencap.CentroidClustering(random_state=0), (x1, x2[:25]), [3], "centroid"
    )
    assert soft.costs[-1] == pytest.approx(hard.costs[3], rel=0.02)
    mixture = gencap.GaussianMixture(3, variance=2.0, random_state=0)
    other = gencap.transfer_curve(mixture, (x1, x2[:25]))
    constant = math.log(2 * math.pi * 2.0)
    assert 4.0 * (other.costs[-1] - constant) == pytest.approx(soft.costs[-1], rel=0.02)
    both = gencap.transfer_curve(mixture, [(x1, x2), (x2, x1)])
    assert (both.spread >= 0.0).all()
    assert both.spread.max() > 0.0
    assert len(both.to_frame()) == len(both.beta)
    assert "temperatures" in repr(both)


def test_curves_refuse_models_without_centroids() -> None:
    x1, x2 = triangle(12, 1)
    with pytest.raises(TypeError, match="got PairwiseClustering"):
        gencap.transfer_curve(gencap.PairwiseClustering(), (x1, x2))
    with pytest.raises(TypeError, match="fixed covariances"):
        gencap.transfer_curve(gencap.GaussianMixture(covariance="full"), (x1, x2))
    with pytest.raises(ValueError, match="simulated_annealing"):
        gencap.transfer_curve(gencap.CentroidClustering(solver="simulated_annealing"), (x1, x2))
    with pytest.raises(ValueError, match="use 'soft'"):
        gencap.transfer_curve(gencap.CentroidClustering(), (x1, x2[:5]), "identity")
    with pytest.raises(ValueError, match="got 13"):
        gencap.transfer_curve(gencap.CentroidClustering(13), (x1, x2))
