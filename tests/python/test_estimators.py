"""The models as scikit-learn citizens."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import gencap
from gencap import Annealing, CentroidClustering, GaussianMixture

# One thread and few temperatures: the checks fit hundreds of tiny tables.
QUICK = {"annealing": Annealing(n_steps=20), "random_state": 0, "n_jobs": 1}
ESTIMATORS = [
    CentroidClustering(random_state=0, n_jobs=1),
    CentroidClustering(3, solver="gibbs", **QUICK),
    CentroidClustering(3, solver="metropolis", **QUICK),
    CentroidClustering(3, solver="collapsed_gibbs", **QUICK),
    CentroidClustering(3, solver="simulated_annealing", **QUICK),
    CentroidClustering(3, mass_constrained=True, **QUICK),
    CentroidClustering(3, n_init=3, **QUICK),
    GaussianMixture(2, covariance="fixed", **QUICK),
    GaussianMixture(2, covariance="spherical", **QUICK),
    GaussianMixture(2, covariance="diag", **QUICK),
    GaussianMixture(2, covariance="full", **QUICK),
    GaussianMixture(2, covariance="full", solver="gibbs", **QUICK),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda estimator: {})
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def frame(rng):
    values = np.vstack([rng.normal(0, 1, (20, 3)), rng.normal(8, 1, (20, 3))])
    names = [f"object {i}" for i in range(40)]
    return pd.DataFrame(values, index=names, columns=["length", "width", "height"])


@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_what_a_fitted_model_tells(model, frame):
    fitted = clone(model).fit(frame)
    n, k = 40, model.n_clusters
    assert fitted.labels_.shape == (n,)
    assert np.issubdtype(fitted.labels_.dtype, np.integer)
    assert fitted.probabilities_.shape == (n, k)
    np.testing.assert_allclose(fitted.probabilities_.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(fitted.probabilities_.argmax(axis=1), fitted.labels_)
    assert fitted.cluster_centers_.shape == (k, 3)
    assert fitted.n_clusters_ == len(np.unique(fitted.labels_)) <= k
    assert fitted.cost_ == pytest.approx(fitted.cost(fitted.labels_, frame), rel=1e-12)
    assert fitted.seed_ == 0
    assert fitted.shift_ is None
    assert fitted.n_iter_ >= 1
    assert list(fitted.feature_names_in_) == ["length", "width", "height"]
    np.testing.assert_array_equal(fitted.predict(frame), fitted.labels_)
    np.testing.assert_allclose(fitted.predict_proba(frame), fitted.probabilities_, atol=1e-12)
    np.testing.assert_array_equal(clone(model).fit_predict(frame), fitted.labels_)


def test_frames_arrays_and_lists_are_one(frame):
    model = CentroidClustering(2, random_state=1)
    labels = model.fit(frame).labels_
    for other in (frame.to_numpy(), np.asfortranarray(frame), frame.to_numpy().tolist()):
        np.testing.assert_array_equal(clone(model).fit(other).labels_, labels)
    assert not hasattr(clone(model).fit(frame.to_numpy()), "feature_names_in_")


def test_other_columns_are_refused(frame):
    model = CentroidClustering(2, random_state=0).fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"length": "depth"}))
    with pytest.raises(ValueError, match="2 features"):
        CentroidClustering(2, random_state=0).fit(frame.to_numpy()).predict(np.zeros((1, 2)))


def test_parameters_are_stored_as_given():
    annealing = Annealing(n_steps=7)
    model = GaussianMixture(5, covariance="diag", variance=2.0, annealing=annealing, n_init=3)
    params = model.get_params()
    assert params["annealing"] is annealing
    assert (params["n_clusters"], params["covariance"], params["variance"]) == (5, "diag", 2.0)
    twin = clone(model).set_params(n_clusters=2, covariance="full")
    assert (twin.n_clusters, twin.covariance, twin.n_init) == (2, "full", 3)
    assert model.n_clusters == 5


def test_models_stand_in_pipelines(frame):
    labels = make_pipeline(StandardScaler(), CentroidClustering(2, random_state=0)).fit_predict(
        frame
    )
    assert sorted(np.bincount(labels)) == [20, 20]


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (CentroidClustering(0), ValueError, "n_clusters must be at least 1: got 0"),
        (CentroidClustering(-2), ValueError, "n_clusters must be at least 1: got -2"),
        (CentroidClustering(2.5), TypeError, "n_clusters must be an integer: got 2.5"),
        (CentroidClustering("two"), TypeError, "n_clusters must be an integer: got 'two'"),
        (CentroidClustering(True), TypeError, "n_clusters must be an integer: got True"),
        (CentroidClustering(41), ValueError, "got 41 for 40 rows; choose 40 or fewer"),
        (CentroidClustering(solver="gibs"), ValueError, "solver must .* did you mean 'gibbs'"),
        (CentroidClustering(n_init=0), ValueError, "n_init must be at least 1"),
        (CentroidClustering(n_jobs=0), ValueError, "n_jobs must not be 0"),
        (CentroidClustering(random_state="x"), TypeError, "random_state must be None"),
        (CentroidClustering(annealing=3), TypeError, "annealing must be a gencap.Annealing"),
        (CentroidClustering(annealing=Annealing(n_steps=0)), ValueError, "n_steps"),
        (CentroidClustering(annealing=Annealing(tol=0.0)), ValueError, "tol must be a finite"),
        (CentroidClustering(annealing=Annealing(noise=-1.0)), ValueError, "noise must be 0 or"),
        (CentroidClustering(annealing=Annealing(start="cold")), TypeError, "start must be a"),
        (CentroidClustering(annealing=Annealing(start=2.0, stop=1.0)), ValueError, "stop is 1"),
        (CentroidClustering(annealing=Annealing(keep=0)), ValueError, "keep must be at least 1"),
        (GaussianMixture(covariance="tied"), ValueError, "covariance must be one of"),
        (GaussianMixture(variance=-1.0), ValueError, "variance must be a finite number above 0"),
        (GaussianMixture(reg_covar=-1.0, covariance="full"), ValueError, "reg_covar"),
        (GaussianMixture(solver="metropolis", covariance="full"), ValueError, "solver"),
        (GaussianMixture(solver="simulated_annealing"), ValueError, "solver must be one of"),
        (GaussianMixture(mass_constrained=True, covariance="diag"), ValueError, "mass_constrained"),
        (CentroidClustering(mass_constrained=True, solver="gibbs"), ValueError, "mass_constrained"),
    ],
    ids=str,
)
def test_unusable_parameters_are_named(model, error, message, frame):
    with pytest.raises(error, match=message):
        model.fit(frame)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0, 3.0], "X"),
        ([[1.0, np.nan], [0.0, 1.0]], "X must hold finite numbers"),
        ([[1.0, np.inf], [0.0, 1.0]], "X must hold finite numbers"),
        (np.zeros((0, 2)), "X"),
        ([["a", "b"], ["c", "d"]], "X"),
    ],
)
def test_unusable_tables_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        CentroidClustering(2).fit(X)


def test_a_model_that_did_not_converge_says_so(frame):
    model = CentroidClustering(2, random_state=0, annealing=Annealing(max_iter=1, stop=0.02))
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model.fit(frame)
    assert not model.converged_


def test_an_unfitted_model_says_so(frame):
    with pytest.raises(NotFittedError):
        CentroidClustering().predict(frame)


class Enough(Exception):
    """Raised by a callback to stop a fit."""


def stop(progress):
    raise Enough


def test_a_stopped_fit_leaves_an_unfitted_model(frame):
    model = CentroidClustering(2, annealing=Annealing(stop=0.1, n_steps=10**6, tol=1e-300))
    with pytest.raises(Enough):
        model.fit(frame, progress=stop)
    with pytest.raises(NotFittedError):
        model.predict(frame)
    assert not hasattr(model, "labels_")


def test_a_stopped_fit_leaves_the_model_as_it_was(frame):
    model = CentroidClustering(2, random_state=0).fit(frame)
    before = model.predict(frame)
    model.set_params(annealing=Annealing(stop=0.1, n_steps=10**6, tol=1e-300), random_state=5)
    with pytest.raises(Enough):
        model.fit(frame.to_numpy()[:, :2], progress=stop)
    assert model.seed_ == 0
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(frame), before)


def test_generators_as_random_state(frame):
    one = CentroidClustering(2, random_state=np.random.default_rng(3)).fit(frame)
    two = CentroidClustering(2, random_state=np.random.default_rng(3)).fit(frame)
    assert one.seed_ == two.seed_
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    free = [CentroidClustering(2).fit(frame).seed_ for _ in range(2)]
    assert free[0] != free[1]


def test_names_reach_the_results(frame):
    again = frame + 0.01
    pair = gencap.Pair(frame, again.iloc[::-1])
    found = gencap.capacity(CentroidClustering(2, random_state=0), pair)
    assert list(found.names) == list(frame.index)
    np.testing.assert_array_equal(pair.second, again.to_numpy())
