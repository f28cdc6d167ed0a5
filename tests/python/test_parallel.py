"""Threads change when things are computed, never what."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from gencap import (
    Annealing,
    Cancelled,
    CentroidClustering,
    Control,
    GaussianMixture,
    capacity,
    datasets,
    random_feature_splits,
    select_order,
)
from gencap._parallel import parallel_map

THREADS = (1, 2, 8)


def same(results):
    """Assert that all results of a kind are equal to the last bit."""
    first = results[0]
    for other in results[1:]:
        for a, b in zip(first, other, strict=True):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


MODELS = [
    CentroidClustering(4, n_init=3, random_state=1),
    CentroidClustering(4, solver="gibbs", n_init=3, random_state=1),
    CentroidClustering(4, solver="metropolis", n_init=2, random_state=1),
    CentroidClustering(4, solver="collapsed_gibbs", n_init=2, random_state=1),
    CentroidClustering(4, solver="simulated_annealing", n_init=3, random_state=1),
    CentroidClustering(6, mass_constrained=True, random_state=1),
    GaussianMixture(3, covariance="full", n_init=2, random_state=1),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_fits_have_the_same_bits(model):
    X = datasets.gaussians(3000, random_state=2).first
    quick = model.set_params(annealing=Annealing(n_steps=8, burn_in=2, keep=2))

    def fitted(n_jobs):
        quick.set_params(n_jobs=n_jobs).fit(X)
        return quick.labels_, quick.probabilities_, quick.cluster_centers_, quick.restart_costs_

    same([fitted(n_jobs) for n_jobs in THREADS])


@pytest.mark.parametrize("solver", ["mean_field", "gibbs"])
def test_large_tables_have_the_same_bits(solver):
    # From 20,000 objects on the blocks of one run share the threads.
    data = datasets.gaussians(21_000, random_state=3)
    schedule = Annealing(n_steps=5, burn_in=1, keep=1, max_iter=10)
    model = CentroidClustering(4, solver=solver, n_init=2, annealing=schedule, random_state=0)

    def measured(n_jobs):
        found = capacity(model, data.pair, n_jobs=n_jobs)
        return found.curve.bits, found.probabilities, found.trajectories[1].centroids

    same([measured(n_jobs) for n_jobs in THREADS])


@pytest.mark.parametrize("coupling", ["centroids", "merge", "independent"])
def test_capacities_have_the_same_bits(coupling):
    pairs = [datasets.gaussians(150, random_state=seed).pair for seed in range(3)]
    model = CentroidClustering(4, n_init=2, annealing=Annealing(n_steps=12), random_state=0)

    def measured(n_jobs):
        found = capacity(
            model, pairs, coupling, null="both", null_draws=3, n_jobs=n_jobs, random_state=9
        )
        draws = [found.null[kind].draws for kind in ("independent", "gaussian")]
        return found.curve.bits, found.bits_per_pair, found.labels, *draws

    same([measured(n_jobs) for n_jobs in THREADS])


@pytest.mark.parametrize("solver", ["mean_field", "gibbs"])
def test_selections_have_the_same_bits(solver):
    table = datasets.common_factor(80, 8, random_state=0).data
    splits = random_feature_splits(table, 3, random_state=0)
    schedule = Annealing(n_steps=15, burn_in=2, keep=2)
    model = CentroidClustering(solver=solver, annealing=schedule, random_state=4)

    def chosen(n_jobs):
        order = select_order(model, splits, range(1, 5), null="both", null_draws=4, n_jobs=n_jobs)
        draws = [order.null[kind].draws for kind in ("independent", "gaussian")]
        return order.best, order.bits.to_numpy(), *draws

    same([chosen(n_jobs) for n_jobs in THREADS])


def test_a_pair_does_not_depend_on_its_company():
    pairs = [datasets.gaussians(100, random_state=seed).pair for seed in range(3)]
    schedule = Annealing(start=0.02, stop=1.0, n_steps=15)
    model = CentroidClustering(4, annealing=schedule, random_state=0)
    # On one grid of temperatures pair q draws from the seed and from q only.
    two, three = capacity(model, pairs[:2]), capacity(model, pairs)
    np.testing.assert_array_equal(two.bits_per_pair, three.bits_per_pair[:2])
    # Nor does a number of clusters depend on the others that were tried.
    few = select_order(model, pairs, [3, 4])
    many = select_order(model, pairs, range(1, 7))
    assert few.capacities[4].raw_bits == many.capacities[4].raw_bits == three.raw_bits


def test_restarts_do_not_depend_on_their_number():
    X = datasets.gaussians(200, random_state=1).first
    model = CentroidClustering(5, solver="gibbs", annealing=Annealing(n_steps=10), random_state=2)
    six = model.set_params(n_init=6).fit(X).restart_costs_
    twenty = model.set_params(n_init=20).fit(X).restart_costs_
    np.testing.assert_array_equal(twenty[:6], six)
    assert len(set(twenty)) > 1


def test_seeds_decide():
    data = datasets.gaussians(200, random_state=1)
    schedule = Annealing(n_steps=10, burn_in=2, keep=2)

    def centers(seed):
        model = CentroidClustering(4, solver="gibbs", annealing=schedule, random_state=seed)
        return model.fit(data.first).cluster_centers_

    np.testing.assert_array_equal(centers(1), centers(1))
    assert (centers(1) != centers(2)).any()
    model = CentroidClustering(4, solver="gibbs", annealing=schedule, random_state=1)
    assert (
        capacity(model, data.pair).raw_bits
        == capacity(model.set_params(random_state=None), data.pair, random_state=1).raw_bits
    )
    assert capacity(model, data.pair, random_state=1).raw_bits != pytest.approx(
        capacity(model, data.pair, random_state=2).raw_bits, abs=1e-12
    )


# The map itself


@pytest.mark.parametrize("threads", THREADS)
def test_results_keep_their_order(threads):
    heard = []
    squares = parallel_map(
        lambda item, silent: item**2,
        range(20),
        threads=threads,
        control=Control(heard.append),
        message="squaring",
    )
    assert squares == [item**2 for item in range(20)]
    assert heard[0].done == 0
    assert (heard[-1].done, heard[-1].total, heard[-1].message) == (20, 20, "squaring")


def test_nothing_to_do():
    assert parallel_map(lambda i, c: i, [], threads=4, control=Control(), message="") == []


@pytest.mark.parametrize("threads", THREADS)
def test_an_error_in_a_job_stops_all(threads):
    started = []

    def job(item, silent):
        started.append(item)
        if item == 2:
            raise KeyError("broken")
        while item > 2 and not silent.cancelled:
            time.sleep(0.001)
        return item

    control = Control()
    with pytest.raises(KeyError, match="broken"):
        parallel_map(job, range(1000), threads=threads, control=control, message="")
    # Those that had begun hear of it; the others never begin.
    assert len(started) <= 3 + 2 * threads


def test_jobs_hear_of_a_cancel():
    control = Control()
    both = threading.Barrier(2, timeout=30)

    def job(item, silent):
        if item == 0:
            both.wait()
            control.cancel()
        else:
            both.wait()
        while True:
            silent(None)

    with pytest.raises(Cancelled):
        parallel_map(job, [0, 1], threads=2, control=control, message="")
