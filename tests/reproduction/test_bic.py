"""BIC of gencap's mixtures, against scikit-learn's densities and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.mixture import GaussianMixture as SklearnMixture

import gencap
from gencap.criteria import Criterion, bic


def square(n_objects: int, seed: int, variance: float = 1.0) -> np.ndarray:
    return gencap.datasets.gaussians(n_objects, variance=variance, random_state=seed).first


def fitted(model: gencap.GaussianMixture, x: np.ndarray, seed: int) -> gencap.GaussianMixture:
    """The fit that `bic` makes of its first sample."""
    own = int(np.random.SeedSequence([seed, 0]).generate_state(1)[0])
    schedule = gencap.Annealing(n_steps=20, max_iter=10_000, stop=1.0)
    return clone(model).set_params(random_state=own, annealing=schedule).fit(x)


def slow_bic(model: gencap.GaussianMixture, x: np.ndarray) -> float:
    """-2 ln L + phi ln N with scikit-learn's densities at the fitted parameters."""
    k, n = model.n_clusters, len(x)
    kind = "spherical" if model.covariance == "fixed" else model.covariance
    other = SklearnMixture(k, covariance_type=kind)
    other.weights_, other.means_ = np.full(k, 1 / k), model.cluster_centers_
    if model.covariance == "fixed":
        other.covariances_ = np.full(k, model.variance)
    else:
        other.covariances_ = (
            np.squeeze(model.covariances_, -1) if kind == "spherical" else (model.covariances_)
        )
    if kind == "full":
        other.precisions_cholesky_ = np.stack(
            [np.linalg.inv(np.linalg.cholesky(c)).T for c in other.covariances_]
        )
    else:
        other.precisions_cholesky_ = 1 / np.sqrt(other.covariances_)
    free = other._n_parameters() - (k - 1)  # scikit-learn counts the weights
    if model.covariance == "fixed":
        free -= k
    return float(-2 * other.score_samples(x).sum() + free * math.log(n))


@pytest.mark.parametrize("covariance", ["fixed", "spherical", "diag", "full"])
@pytest.mark.parametrize("k", [1, 3, 4])
def test_agrees_with_densities_of_scikit_learn(covariance: str, k: int) -> None:
    x = square(300, seed=1)
    model = gencap.GaussianMixture(k, covariance=covariance, variance=1.5, random_state=0)
    found = bic(model, x, [k], random_state=7)
    # The free energy and a sum of 300 densities differ by rounding only.
    assert found.values[k] == pytest.approx(slow_bic(fitted(model, x, seed=7), x), rel=1e-10)


def test_one_component_is_the_closed_form(rng: np.random.Generator) -> None:
    x = rng.normal(3.0, 2.0, (200, 3))
    squares = float(((x - x.mean(axis=0)) ** 2).sum())
    expected = 600 * math.log(2 * math.pi * 4.0) + squares / 4.0 + 3 * math.log(200)
    model = gencap.GaussianMixture(variance=4.0, random_state=0)
    assert bic(model, x, [1]).values[1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("variance", [1.0, 5.0])
def test_four_sources_are_found(variance: float) -> None:
    model = gencap.GaussianMixture(variance=variance, random_state=0)
    found = bic(model, square(800, seed=2, variance=variance), range(1, 8))
    assert found.best == 4
    assert found.values.index.tolist() == list(range(1, 8))


def test_data_narrower_than_the_model_are_one_cluster(rng: np.random.Generator) -> None:
    # The critical inverse temperature lies above 1, where the schedule ends.
    x = rng.normal(0.0, 0.1, (150, 2))
    found = bic(gencap.GaussianMixture(variance=1.0, random_state=0), x, [1, 2, 3])
    assert found.best == 1
    # More components coincide and only pay for their parameters: 2 ln 150 each.
    steps = np.diff(found.values.to_numpy())
    assert steps == pytest.approx(2 * math.log(150), abs=1e-3)


def test_several_samples_give_mean_and_spread() -> None:
    samples = [square(200, seed) for seed in (3, 4, 5)]
    model = gencap.GaussianMixture(random_state=0)
    both = bic(model, samples, [2, 4], random_state=1)
    alone = bic(model, samples[0], [2, 4], random_state=1)
    assert (alone.spread == 0.0).all()
    assert (both.spread > 0.0).all()
    # A different set of three gives a different mean; the first sample alone keeps its value.
    assert bic(model, samples[:1], [2, 4], random_state=1).values.equals(alone.values)
    assert both.values[4] != alone.values[4]


def test_frames_and_lists_of_rows_are_one_sample() -> None:
    x = square(60, seed=6)
    model = gencap.GaussianMixture(random_state=0)
    expected = bic(model, x, [2]).values[2]
    assert bic(model, pd.DataFrame(x, columns=["a", "b"]), [2]).values[2] == expected
    assert bic(model, x.tolist(), [2]).values[2] == expected


def test_threads_change_nothing_and_the_model_stays() -> None:
    x = square(150, seed=7)
    model = gencap.GaussianMixture(3, random_state=0)
    one, two = (bic(model, x, range(1, 5), n_jobs=jobs) for jobs in (1, 2))
    assert one.values.equals(two.values)
    assert model.n_clusters == 3
    assert model.annealing is None
    assert not hasattr(model, "cluster_centers_")


def test_progress_is_told_and_can_cancel() -> None:
    heard: list[gencap.Progress] = []
    bic(gencap.GaussianMixture(random_state=0), square(50, 8), [1, 2], progress=heard.append)
    assert (heard[-1].done, heard[-1].total) == (2, 2)
    control = gencap.Control()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        bic(gencap.GaussianMixture(), square(50, 8), [1, 2], progress=control)


def test_inputs_without_a_likelihood_are_refused() -> None:
    x = square(20, 9)
    with pytest.raises(TypeError, match="got CorrelationClustering"):
        bic(gencap.CorrelationClustering(), x)
    with pytest.raises(TypeError, match="got DominantSets"):
        bic(gencap.DominantSets(), x)
    with pytest.raises(ValueError, match="mass_constrained must be False"):
        bic(gencap.GaussianMixture(mass_constrained=True), x)
    with pytest.raises(ValueError, match="at least one number"):
        bic(gencap.GaussianMixture(), x, [])
    with pytest.raises(ValueError, match="21"):
        bic(gencap.GaussianMixture(), x, [2, 21])


def test_best_is_the_smallest_value() -> None:
    values = pd.Series([3.0, 1.0, 2.0], index=pd.Index([2, 5, 9], name="n_clusters"))
    criterion = Criterion("BIC", values, values * 0)
    assert criterion.best == 5
    assert criterion.to_frame().loc[9, "value"] == 2.0
