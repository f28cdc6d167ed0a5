"""The cost functions of the models, and what fitting them finds."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.mixture
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from gencap import Annealing, CentroidClustering, GaussianMixture, _core, datasets


@pytest.fixture
def blobs(rng):
    truth = np.repeat([0, 1, 2], [30, 50, 20])
    X = np.array([(-5.0, 0.0), (5.0, 1.0), (0.0, 7.0)])[truth] + rng.normal(size=(100, 2))
    return X, truth


def sum_of_squares(X, labels):
    groups = [X[labels == label] for label in np.unique(labels)]
    return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)


# Costs


def test_cost_is_the_within_cluster_sum_of_squares(blobs, rng):
    X, truth = blobs
    for labels in (truth, rng.integers(4, size=100), np.zeros(100, dtype=int), np.arange(100)):
        expected = sum_of_squares(X, labels)
        assert CentroidClustering().cost(labels, X) == pytest.approx(expected, abs=1e-9)
        # Digits are kept far from the origin.
        assert CentroidClustering().cost(labels, X + 1e6) == pytest.approx(expected, abs=1e-4)


def test_cost_takes_any_labels(blobs):
    X, truth = blobs
    names = np.array(["left", "right", "top"])[truth]
    assert CentroidClustering().cost(names, X) == CentroidClustering().cost(truth, X)
    with pytest.raises(ValueError, match="labels must have one entry per row of X: got 99 labels"):
        CentroidClustering().cost(names[:-1], X)


@pytest.mark.parametrize("covariance", ["fixed", "spherical", "diag", "full"])
def test_cost_is_the_negative_log_density(covariance, blobs):
    X, truth = blobs
    model = GaussianMixture(covariance=covariance, variance=2.5, reg_covar=0.0)
    expected = 0.0
    for label in range(3):
        group = X[truth == label]
        cov = {
            "fixed": 2.5 * np.eye(2),
            "spherical": group.var(axis=0).mean() * np.eye(2),
            "diag": np.diag(group.var(axis=0)),
            "full": np.cov(group.T, bias=True),
        }[covariance]
        expected -= multivariate_normal(group.mean(axis=0), cov).logpdf(group).sum()
    assert model.cost(truth, X) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("covariance", ["fixed", "spherical", "diag", "full"])
def test_probabilities_are_normalized_densities(covariance, blobs):
    X, _ = blobs
    model = GaussianMixture(3, covariance=covariance, variance=1.5, random_state=0).fit(X)
    log_density = np.empty((100, 3))
    for k in range(3):
        if covariance == "fixed":
            cov = 1.5 * np.eye(2)
        elif covariance == "full":
            cov = model.covariances_[k]
        else:
            cov = np.eye(2) * model.covariances_[k]
        log_density[:, k] = multivariate_normal(model.cluster_centers_[k], cov).logpdf(X)
    weights = np.exp(model.beta_ * (log_density - log_density.max(axis=1, keepdims=True)))
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.probabilities_, expected, atol=1e-9)
    np.testing.assert_allclose(
        _core.potentials(
            X,
            model.core_params(),
            model.cluster_centers_,
            np.zeros((3, 0)) if covariance == "fixed" else model.covariances_.reshape(3, -1),
        ),
        -log_density,
        atol=1e-9,
    )


# Fits


@pytest.mark.parametrize(
    "solver", ["mean_field", "gibbs", "metropolis", "collapsed_gibbs", "simulated_annealing"]
)
def test_separated_clusters_are_found(solver, blobs):
    X, truth = blobs
    model = CentroidClustering(3, solver=solver, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    assert model.cost_ == pytest.approx(sum_of_squares(X, truth))
    assert model.n_clusters_ == 3
    for k in range(3):
        # Samplers average ten sweeps: an object that was away in some of them moves the centroid
        # by up to 8 / 20 times its share.
        np.testing.assert_allclose(
            model.cluster_centers_[k], X[model.labels_ == k].mean(axis=0), atol=0.2
        )


def test_annealing_needs_no_restarts_where_kmeans_does(rng):
    centers = rng.uniform(-20, 20, size=(8, 2))
    X = centers[rng.integers(8, size=400)] + rng.normal(size=(400, 2))
    best = KMeans(8, n_init=50, random_state=0).fit(X).inertia_
    cost = CentroidClustering(8, random_state=0).fit(X).cost_
    # One annealing against the best of fifty k-means; single k-means runs are often 50 % worse.
    assert cost < 1.05 * best


@pytest.mark.parametrize("covariance", ["spherical", "diag", "full"])
def test_covariances_are_those_of_the_clusters(covariance, rng):
    truth = np.repeat([0, 1], 400)
    scales = np.array([(1.0, 3.0), (0.5, 0.5)])[truth]
    X = np.array([(0.0, 0.0), (15.0, 0.0)])[truth] + scales * rng.normal(size=(800, 2))
    model = GaussianMixture(2, covariance=covariance, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1.0
    for k in range(2):
        group = X[model.labels_ == k]
        cov = np.cov(group.T, bias=True)
        expected = {
            "spherical": [np.trace(cov) / 2],
            "diag": np.diag(cov),
            "full": cov,
        }[covariance]
        # The regularization adds 1e-6 of the mean variance (28).
        np.testing.assert_allclose(model.covariances_[k], expected, atol=1e-3)


def test_mixtures_agree_with_scikit_learn_at_beta_one():
    data = datasets.gaussians(600, variance=2.0, random_state=4)
    ours = GaussianMixture(4, covariance="full", random_state=0).fit(data.first)
    theirs = sklearn.mixture.GaussianMixture(4, random_state=0, n_init=3).fit(data.first)
    assert adjusted_rand_score(ours.labels_, theirs.predict(data.first)) > 0.97
    assert ours.beta_ == pytest.approx(1.0)


def test_fixed_variance_is_kmeans_in_other_units(blobs):
    X, _ = blobs
    plain = CentroidClustering(3, random_state=0).fit(X)
    mixture = GaussianMixture(3, variance=4.0, random_state=0).fit(X)
    np.testing.assert_allclose(mixture.cluster_centers_, plain.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(mixture.trajectory_.betas, 8.0 * plain.trajectory_.betas)
    constant = 0.5 * 100 * 2 * np.log(2 * np.pi * 4.0)
    assert mixture.cost_ == pytest.approx(plain.cost_ / 8.0 + constant)


def test_one_cluster_is_the_mean(blobs):
    X, _ = blobs
    model = CentroidClustering(1, random_state=0).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, X.mean(axis=0)[None], atol=1e-9)
    assert model.cost_ == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())


def test_a_single_row():
    model = CentroidClustering(1, random_state=0).fit([[3.0, 4.0]])
    np.testing.assert_allclose(model.cluster_centers_, [[3.0, 4.0]])
    assert model.cost_ == 0.0


def test_constant_columns_and_wide_tables(rng):
    X = rng.normal(size=(12, 30))
    X[:6] += 4.0
    X[:, 3] = 7.0
    for model in (
        CentroidClustering(2, random_state=0),
        GaussianMixture(2, covariance="diag", random_state=0),
        GaussianMixture(2, covariance="full", random_state=0),
    ):
        labels = model.fit(X).labels_
        assert sorted(np.bincount(labels, minlength=2)) == [6, 6]
        assert np.isfinite(model.cost_)


def test_new_rows_go_to_the_nearest_center(blobs, rng):
    X, _ = blobs
    new = rng.uniform(-10, 10, size=(50, 2))
    for solver in ("mean_field", "simulated_annealing"):
        model = CentroidClustering(3, solver=solver, random_state=0).fit(X)
        gaps = ((new[:, None] - model.cluster_centers_[None]) ** 2).sum(axis=2)
        np.testing.assert_array_equal(model.predict(new), gaps.argmin(axis=1))


def test_sampling_solvers_average_their_sweeps(blobs):
    X, _ = blobs
    # Many kept sweeps at one temperature: the mean-field solution up to sampling noise.
    here = {"start": 0.15, "stop": 0.15, "n_steps": 1}
    many = Annealing(**here, burn_in=200, keep=2000)
    truth = Annealing(**here, max_iter=1000, tol=1e-9)
    model = CentroidClustering(2, annealing=truth, random_state=1).fit(X).cluster_centers_
    for solver in ("gibbs", "metropolis", "collapsed_gibbs"):
        found = CentroidClustering(2, solver=solver, annealing=many, random_state=0).fit(X)
        # Means over 2000 dependent sweeps; a finite sample also shifts them by order 1 / n_k.
        first = found.cluster_centers_[np.argsort(found.cluster_centers_[:, 0])]
        np.testing.assert_allclose(first, model[np.argsort(model[:, 0])], atol=0.15)
