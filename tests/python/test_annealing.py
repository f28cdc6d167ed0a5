"""Annealing: critical temperatures, free energies, trajectories, trees of splits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gencap import Annealing, AnnealingStep, CentroidClustering, GaussianMixture, Trajectory
from gencap.annealing import split_tree

FIELDS = ("free_energies", "costs", "n_clusters", "softness", "masses", "groups", "centroids")


def three_blobs(rng, n=60, spread=0.5):
    return np.vstack([rng.normal(c, spread, (n, 2)) for c in [(-4, 0), (4, 0), (0, 6)]])


# Critical temperature


@pytest.mark.parametrize("scales", [(3.0, 1.0, 0.5), (1.0, 0.9, 0.2)])
def test_the_first_split_happens_at_the_critical_temperature(scales, rng):
    X = rng.normal(size=(500, 3)) * scales + 40.0
    largest = np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1]
    critical = 1.0 / (2.0 * largest)
    fine = Annealing(
        start=0.9 * critical,
        stop=1.1 * critical,
        n_steps=201,
        max_iter=20_000,
        tol=1e-7,
        noise=1e-4,
    )
    run = CentroidClustering(2, annealing=fine, random_state=0).fit(X).trajectory_
    gap = np.linalg.norm(run.centroids[:, 0] - run.centroids[:, 1], axis=1) / np.sqrt(largest)
    # Above T_c noise of 1e-4 dies out (slowly near T_c); below it the gap grows like a square root.
    first = run.betas[np.argmax(gap > 0.05)]
    assert first / critical == pytest.approx(1.0, abs=0.015)
    assert gap[run.betas < 0.98 * critical].max() < 0.01
    assert gap[run.betas > 1.03 * critical].min() > 0.1


def test_the_default_schedule_starts_below_the_critical_value(rng):
    X = rng.normal(size=(200, 2)) * (2.0, 1.0)
    largest = np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1]
    run = CentroidClustering(3, random_state=0).fit(X).trajectory_
    assert run.betas[0] == pytest.approx(0.9 / (2 * largest), rel=1e-9)
    assert run.betas[-1] <= 50.0 / (2 * largest) * (1 + 1e-9)
    np.testing.assert_allclose(run.betas[1:] / run.betas[:-1], (50 / 0.9) ** (1 / 59), rtol=1e-9)
    assert run.n_clusters[0] == 1


def test_annealing_ends_when_assignments_are_hard(rng):
    run = CentroidClustering(3, random_state=0).fit(three_blobs(rng)).trajectory_
    assert run.softness[-1] < 1e-3
    assert (run.softness[:-1] >= 1e-3).all()


def test_start_and_stop_are_obeyed(rng):
    X = three_blobs(rng)
    chosen = Annealing(start=0.01, stop=5.0, n_steps=9)
    run = CentroidClustering(3, annealing=chosen, random_state=0).fit(X).trajectory_
    np.testing.assert_allclose(run.betas, np.geomspace(0.01, 5.0, 9))
    single = CentroidClustering(3, annealing=Annealing(stop=2.0, n_steps=1)).fit(X).trajectory_
    np.testing.assert_allclose(single.betas, [2.0])
    warm = CentroidClustering(3, annealing=Annealing(stop=1e-4, n_steps=5)).fit(X).trajectory_
    assert (np.diff(warm.betas) >= 0).all()
    assert warm.betas[-1] == pytest.approx(1e-4)


# Trajectories


@pytest.mark.parametrize("solver", ["mean_field", "gibbs", "metropolis", "collapsed_gibbs"])
def test_trajectories_are_complete(solver, rng):
    X = three_blobs(rng)
    run = CentroidClustering(5, solver=solver, random_state=0).fit(X).trajectory_
    t = len(run)
    assert isinstance(run, Trajectory)
    for name in ("betas", "free_energies", "costs", "n_clusters", "softness", "n_iter"):
        assert getattr(run, name).shape == (t,)
    assert run.masses.shape == run.groups.shape == (t, 5)
    assert run.centroids.shape == (t, 5, 2)
    assert run.covariances is None
    np.testing.assert_allclose(run.masses.sum(axis=1), 1.0, atol=1e-12)
    assert (run.n_clusters >= 1).all()
    assert (run.n_clusters <= 5).all()
    np.testing.assert_array_equal(run.groups.max(axis=1) + 1 >= run.n_clusters, True)
    # F = E cost - S / beta with 0 <= S <= N ln K.
    entropy = run.betas * (run.costs - run.free_energies)
    assert (entropy > -1e-6).all()
    assert (entropy < len(X) * np.log(5) + 1e-6).all()


def test_free_energy_and_cost_along_the_annealing(rng):
    X = three_blobs(rng)
    slow = Annealing(n_steps=120, noise=1e-6, tol=1e-8, max_iter=5000)
    run = CentroidClustering(3, annealing=slow, random_state=0).fit(X).trajectory_
    # At a minimum of F in the centroids, d(beta F)/d beta = cost also along the path.
    log_z = -run.betas * run.free_energies
    slope = -(log_z[2:] - log_z[:-2]) / (run.betas[2:] - run.betas[:-2])
    smooth = run.n_clusters[2:] == run.n_clusters[:-2]
    # Steps of 3 %: central differences are good to a few per mill away from splits.
    error = np.abs(slope - run.costs[1:-1])[smooth] / run.costs[1:-1][smooth]
    assert np.median(error) < 2e-3
    # The free energy rises with beta (less entropy to gain), the cost falls.
    assert (np.diff(run.free_energies) > 0).all()
    assert (np.diff(run.costs) < 1e-6 * run.costs[0]).all()


@pytest.mark.parametrize("covariance", ["spherical", "diag", "full"])
def test_covariances_have_the_shape_that_was_asked_for(covariance, rng):
    X = three_blobs(rng)
    run = GaussianMixture(3, covariance=covariance, random_state=0).fit(X).trajectory_
    shape = {"spherical": (3, 1), "diag": (3, 2), "full": (3, 2, 2)}[covariance]
    assert run.covariances.shape == (len(run), *shape)
    assert run.betas[-1] == pytest.approx(1.0)
    assert (np.diff(run.betas) > 0).all()


def test_one_column_keeps_its_covariances(rng):
    X = rng.normal(size=(50, 1))
    for covariance, shape in (("spherical", (2, 1)), ("diag", (2, 1)), ("full", (2, 1, 1))):
        model = GaussianMixture(2, covariance=covariance, random_state=0).fit(X)
        assert model.covariances_.shape == shape


@pytest.mark.parametrize(
    "model",
    [
        CentroidClustering(4),
        CentroidClustering(4, n_init=3),
        CentroidClustering(4, solver="gibbs", n_init=2),
        CentroidClustering(4, solver="metropolis"),
        CentroidClustering(6, mass_constrained=True),
        CentroidClustering(4, annealing=Annealing(stop=0.5, n_steps=12)),
        GaussianMixture(3, covariance="full"),
    ],
    ids=str,
)
def test_the_generator_is_the_trajectory(model, rng):
    X = three_blobs(rng, n=25)
    model.set_params(random_state=3)
    run = model.fit(X).trajectory_
    steps = list(model.anneal(X))
    assert all(isinstance(step, AnnealingStep) for step in steps)
    if model.heats:
        # Free covariances are followed from beta = 1 downwards.
        steps.reverse()
    np.testing.assert_array_equal([step.beta for step in steps], run.betas)
    for name in ("masses", "groups", "centroids", "softness", "n_clusters", "n_iter", "converged"):
        np.testing.assert_array_equal([getattr(step, name) for step in steps], getattr(run, name))
    np.testing.assert_array_equal([step.free_energy for step in steps], run.free_energies)
    np.testing.assert_array_equal([step.cost for step in steps], run.costs)
    if model.heats:
        np.testing.assert_array_equal([step.covariances for step in steps], run.covariances)


def test_the_generator_yields_while_it_runs(rng):
    steps = CentroidClustering(2, random_state=0).anneal(three_blobs(rng))
    first = next(steps)
    assert first.n_clusters == 1
    second = next(steps)
    assert second.beta > first.beta
    steps.close()


def test_searching_for_one_assignment_has_no_steps(rng):
    with pytest.raises(ValueError, match="use solver='metropolis' or 'collapsed_gibbs'"):
        next(CentroidClustering(2, solver="simulated_annealing").anneal(three_blobs(rng)))


def test_restarts_can_only_help(rng):
    X = rng.normal(size=(80, 2))
    model = CentroidClustering(6, solver="gibbs", n_init=8, random_state=0).fit(X)
    assert model.restart_costs_.shape == (8,)
    assert model.trajectory_.costs[-1] == model.restart_costs_.min()


# The tree of splits


def groups_of(rows):
    """Number groups in the order in which they appear, as the core does."""
    out = []
    for row in rows:
        seen = {}
        out.append([seen.setdefault(int(value), len(seen)) for value in row])
    return np.array(out, dtype=np.int64)


@given(
    arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.integers(0, 3))
)
def test_split_trees_are_trees(rows):
    groups = groups_of(rows)
    n_steps, k = groups.shape
    betas = np.arange(1.0, n_steps + 1)
    splits = split_tree(betas, groups)
    assert len(splits) <= k - 1
    children = [split.child for split in splits]
    assert len(set(children)) == len(children)
    assert 0 not in children
    born = {0: -np.inf} | {split.child: split.beta for split in splits}
    assert [split.beta for split in splits] == sorted(split.beta for split in splits)
    for split in splits:
        # A branch leaves a branch that is there already, and is named by its lowest centroid.
        assert split.parent in born
        assert born[split.parent] <= split.beta
        assert split.parent < split.child
        assert split.beta in betas
    # The groups of the last temperature are the leaves.
    assert len(splits) == groups[-1].max()


@given(st.lists(st.integers(0, 5), min_size=5, max_size=5), st.integers(2, 6))
def test_nested_groups_split_when_they_separate(cuts, n_steps):
    """Centroid c leaves centroid c - 1 at step cuts[c - 1]; nothing ever joins again."""
    k = len(cuts) + 1
    rows = [np.cumsum([0] + [int(t >= cut) for cut in cuts]) for t in range(n_steps)]
    splits = split_tree(np.arange(n_steps, dtype=float), groups_of(rows))
    expected = {c + 1: float(cut) for c, cut in enumerate(cuts) if cut < n_steps}
    assert {split.child: split.beta for split in splits} == expected
    assert k - 1 >= len(splits)


@given(
    arrays(np.int64, st.tuples(st.integers(1, 8), st.just(5)), elements=st.integers(0, 3)),
    st.data(),
)
def test_slots_without_mass_take_no_part(rows, data):
    groups = groups_of(rows)
    mask = data.draw(arrays(np.bool_, groups.shape))
    mask[:, 0] = True
    splits = split_tree(np.arange(len(groups), dtype=float), groups, mask.astype(float))
    held = set(np.flatnonzero(mask[-1]))
    assert {split.child for split in splits} | {split.parent for split in splits} <= held
    assert len(splits) == len({groups[-1][c] for c in held}) - 1
    assert len({split.child for split in splits}) == len(splits)
    # With mass everywhere the masses change nothing.
    full = np.ones(groups.shape)
    betas = np.arange(len(groups), dtype=float)
    assert split_tree(betas, groups, full) == split_tree(betas, groups)


def test_a_group_that_flickers_is_one_branch():
    groups = np.array([[0, 0], [0, 1], [0, 0], [0, 1], [0, 1]])
    assert split_tree(np.arange(5.0), groups) == ((0, 1, 3.0),)


def test_planted_clusters_split_in_the_order_of_their_distance(rng):
    centers = [(-20, 0), (20, -3), (20, 3)]
    X = np.vstack([rng.normal(c, 0.5, (50, 2)) for c in centers])
    model = CentroidClustering(3, random_state=0).fit(X)
    first, second = model.trajectory_.splits
    assert first.beta < second.beta
    # The first split separates left from right, the second the two on the right.
    x = model.cluster_centers_[:, 0]
    apart = {first.parent, first.child}
    assert {second.parent, second.child} & apart
    assert np.sign(x[second.parent]) == np.sign(x[second.child]) == 1.0
    # The pair splits where its own variance 9 + 0.25 reaches the temperature: 1 / (2 * 9.25); by
    # then groups must also be 1.5 thermal widths apart.
    assert 0.9 / 18.5 < second.beta < 2.5 / 18.5


# Weighted centroids


def test_weighted_centroids_find_the_number_of_clusters(rng):
    X = three_blobs(rng)
    # The clusters' own critical value is 1 / (2 * 0.25) = 2: nothing splits before it.
    model = CentroidClustering(
        8, mass_constrained=True, annealing=Annealing(stop=1.0), random_state=0
    ).fit(X)
    assert model.n_clusters_ == 3
    assert model.weights_.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(np.sort(model.weights_)[-3:], 1 / 3, atol=0.01)
    run = model.trajectory_
    np.testing.assert_allclose(run.masses.sum(axis=1), 1.0, atol=1e-12)
    assert run.n_clusters[0] == 1
    assert (run.n_clusters[run.betas > 0.15] == 3).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.cost_ == pytest.approx(CentroidClustering(3, random_state=0).fit(X).cost_)


def test_empty_slots_are_no_branches(rng):
    model = CentroidClustering(
        8, mass_constrained=True, annealing=Annealing(stop=1.0), random_state=0
    ).fit(three_blobs(rng))
    run = model.trajectory_
    assert len(run.splits) == 2
    held = set(np.flatnonzero(run.masses[-1] > 0))
    assert {0} | {split.child for split in run.splits} == held
    # A slot without mass waits where some centroid with mass is.
    for t in (0, len(run) // 2, len(run) - 1):
        active = run.centroids[t][run.masses[t] > 0]
        for waiting in run.centroids[t][run.masses[t] == 0]:
            assert (waiting == active).all(axis=1).any()


def test_weighted_centroids_go_on_to_the_end_of_the_schedule(rng):
    # A single centroid is "hard" at once; the run must not end there.
    model = CentroidClustering(4, mass_constrained=True, random_state=0).fit(three_blobs(rng))
    assert len(model.trajectory_) == 60
    assert model.n_clusters_ >= 3


# Degenerate data


def test_identical_points(rng):
    for model in (CentroidClustering(3), GaussianMixture(3, covariance="full")):
        fitted = model.set_params(random_state=0).fit(np.full((6, 2), 4.0))
        assert fitted.n_clusters_ == 1
        np.testing.assert_allclose(fitted.cluster_centers_, 4.0)
        assert np.isfinite(fitted.cost_)


def test_clusters_as_many_as_points(rng):
    X = rng.normal(size=(8, 3))
    model = CentroidClustering(8, random_state=0, n_init=5).fit(X)
    assert model.n_clusters_ == 8
    assert model.cost_ == pytest.approx(0.0, abs=1e-20)


def test_offsets_do_not_cost_digits(rng):
    X = three_blobs(rng)
    near = CentroidClustering(3, random_state=0).fit(X)
    far = CentroidClustering(3, random_state=0).fit(X + 1e6)
    np.testing.assert_array_equal(near.labels_, far.labels_)
    assert far.cost_ == pytest.approx(near.cost_, rel=1e-8)
    np.testing.assert_allclose(far.cluster_centers_ - 1e6, near.cluster_centers_, atol=1e-8)
