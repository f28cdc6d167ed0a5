"""The capacity of centroid models: exact sums, invariances, the truth, edge cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

import gencap
from gencap import (
    Annealing,
    CentroidClustering,
    GaussianMixture,
    Instances,
    Pair,
    capacity,
    datasets,
    random_feature_splits,
)

LN2 = np.log(2.0)
SQUARE = np.array([(-4.0, -4.0), (-4.0, 4.0), (4.0, -4.0), (4.0, 4.0)])


def curves_by_enumeration(pair, found):
    """Agreement, soft entropy and joint sum at every temperature from all K^N assignments."""
    n = pair.n_objects
    k = found.trajectories[0].centroids.shape[1]
    codes = np.array(list(itertools.product(range(k), repeat=n)))
    rows = np.arange(n)
    out = []
    for t, beta in enumerate(found.curve.beta):
        costs, masses, tables = [], [], []
        for x, run in zip((pair.first, pair.second), found.trajectories, strict=True):
            h = ((x[:, None, :] - run.centroids[t][None]) ** 2).sum(axis=2)
            costs.append(h)
            log_p = -beta * h[rows, codes].sum(axis=1)
            weights = np.exp(log_p - logsumexp(log_p))
            p = np.array([[weights[codes[:, i] == c].sum() for c in range(k)] for i in rows])
            masses.append(p.mean(axis=0))
            tables.append(p)
        orders = [list(order) for order in itertools.permutations(range(k))]
        overlap = tables[0].T @ tables[1]
        order = max(orders, key=lambda order: sum(overlap[a, order[a]] for a in range(k)))
        joint = costs[0] + costs[1][:, order]
        sums = [logsumexp(-beta * h[rows, codes].sum(axis=1)) for h in (joint, *costs)]
        mass = (masses[0] + masses[1][order]) / 2
        entropy = -sum(p * np.log2(p) for p in mass if p > 0)
        out.append(((sums[0] - sums[1] - sums[2]) / (n * LN2), entropy))
    return np.array(out)


# Exact sums


@pytest.mark.parametrize(("n", "k"), [(4, 2), (6, 3), (8, 3)])
@pytest.mark.parametrize("coupling", ["centroids", "independent", "responsibilities"])
def test_the_curve_equals_the_enumeration(n, k, coupling, rng):
    first = rng.normal(size=(n, 2)) * 2 + 5
    pair = Pair(first, first + 0.4 * rng.normal(size=(n, 2)))
    model = CentroidClustering(k, annealing=Annealing(n_steps=12), random_state=1)
    found = capacity(model, pair, coupling)
    exact = curves_by_enumeration(pair, found)
    # 1e-10 is the rounding of the sums themselves, over at most 6561 assignments.
    np.testing.assert_allclose(found.curve.agreement, exact[:, 0], atol=1e-10)
    # H belongs to the last temperature, all along the curve.
    np.testing.assert_allclose(found.curve.entropy, exact[-1, 1], atol=1e-10)
    np.testing.assert_allclose(found.curve.bits, exact[:, 0] + exact[-1, 1], atol=1e-10)
    assert found.raw_bits == pytest.approx((exact[:, 0] + exact[-1, 1]).max(), abs=1e-10)


def test_free_energy_of_the_trajectory_equals_the_enumeration(rng):
    X = rng.normal(size=(8, 2)) + 7
    run = CentroidClustering(3, annealing=Annealing(n_steps=8), random_state=0).fit(X).trajectory_
    codes = np.array(list(itertools.product(range(3), repeat=8)))
    for t, beta in enumerate(run.betas):
        h = ((X[:, None] - run.centroids[t][None]) ** 2).sum(axis=2)
        costs = h[np.arange(8), codes].sum(axis=1)
        log_z = logsumexp(-beta * costs)
        assert run.free_energies[t] == pytest.approx(-log_z / beta, abs=1e-10)
        assert run.costs[t] == pytest.approx(np.exp(-beta * costs - log_z) @ costs, abs=1e-10)


def test_probabilities_reproduce_the_curve():
    data = datasets.gaussians(200, random_state=3)
    found = capacity(CentroidClustering(4, random_state=0), data.pair)
    best = int(np.argmax(found.curve.bits))
    again = np.log2((found.probabilities * found.second_probabilities).sum(axis=1)).mean()
    assert again == pytest.approx(found.curve.agreement[best], abs=1e-10)
    # Columns of both are aligned already, at this and at the last temperature.
    assert gencap.capacity_from_probabilities(
        found.probabilities, found.second_probabilities, align=False
    ) == pytest.approx(
        gencap.capacity_from_probabilities(found.probabilities, found.second_probabilities),
        abs=1e-12,
    )
    np.testing.assert_array_equal(np.unique(found.labels), np.arange(4))
    effective = np.stack(
        [found.probabilities[:, found.groups == g].sum(axis=1) for g in np.unique(found.groups)]
    )
    np.testing.assert_array_equal(effective.argmax(axis=0), found.labels)


# Invariances


@pytest.fixture(scope="module")
def overlapping():
    return datasets.gaussians(300, random_state=11)


@pytest.fixture(scope="module")
def plain(overlapping):
    return capacity(CentroidClustering(4, random_state=0), overlapping.pair)


def test_translation_changes_nothing(overlapping, plain):
    moved = Pair(overlapping.first + 1e6, overlapping.second + 1e6)
    found = capacity(CentroidClustering(4, random_state=0), moved)
    # Coordinates of 1e6 are rounded to 1e-10; bits depend on them smoothly.
    assert found.bits == pytest.approx(plain.bits, abs=1e-8)
    assert found.beta == pytest.approx(plain.beta, rel=1e-8)


def test_scaling_the_data_scales_beta(overlapping, plain):
    scaled = Pair(overlapping.first * 7.0, overlapping.second * 7.0)
    found = capacity(CentroidClustering(4, random_state=0), scaled)
    assert found.bits == pytest.approx(plain.bits, abs=1e-10)
    assert found.beta * 49.0 == pytest.approx(plain.beta, rel=1e-10)


def test_rotation_changes_what_noise_and_tolerance_can(overlapping, plain):
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    turned = Pair(overlapping.first @ turn, overlapping.second @ turn)
    found = capacity(CentroidClustering(4, random_state=0), turned)
    # The perturbation is drawn in other directions, EM stops at 1e-4 of the radius: measured 1e-6.
    assert found.bits == pytest.approx(plain.bits, abs=1e-3)


def test_order_of_objects_does_not_matter(overlapping, plain, rng):
    order = rng.permutation(300)
    moved = Pair(overlapping.first[order], overlapping.second[order])
    found = capacity(CentroidClustering(4, random_state=0), moved)
    # Sums in another order: rounding only, as long as EM takes the same number of steps.
    assert found.bits == pytest.approx(plain.bits, abs=1e-9)
    np.testing.assert_allclose(found.probabilities, plain.probabilities[order], atol=1e-9)


def test_the_unit_of_the_variance_is_the_unit_of_beta(overlapping, plain):
    found = capacity(GaussianMixture(4, variance=3.0, random_state=0), overlapping.pair)
    assert found.bits == pytest.approx(plain.bits, abs=1e-9)
    assert found.beta == pytest.approx(6.0 * plain.beta, rel=1e-9)


def test_swapping_the_instances_changes_little(overlapping, plain):
    found = capacity(
        CentroidClustering(4, random_state=0), Pair(overlapping.second, overlapping.first)
    )
    # Which run leads changes where EM stops, within its tolerance: measured 4e-6 bits.
    assert found.bits == pytest.approx(plain.bits, abs=1e-3)


def test_any_table_is_left_as_it_is(overlapping):
    first, second = overlapping.first.copy(), overlapping.second.copy()
    first.flags.writeable = second.flags.writeable = False
    capacity(CentroidClustering(3, random_state=0), Pair(first, second), null="both", null_draws=2)
    np.testing.assert_array_equal(first, overlapping.first)
    np.testing.assert_array_equal(second, overlapping.second)


# The truth


def mutual_information(centers, variance, step=0.2, reach=9.0):
    """I(X1; X2) of two noisy measurements of a random center, by a plain grid over both."""
    scale = np.sqrt(variance)
    ticks = [
        np.arange(c.min() - reach * scale, c.max() + reach * scale, step * scale)
        for c in np.asarray(centers).T
    ]
    points = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, len(ticks))
    cell = np.prod([t[1] - t[0] for t in ticks])
    gaps = ((points[:, None] - centers[None]) ** 2).sum(axis=2)
    density = np.exp(-gaps / (2 * variance)) / (2 * np.pi * variance) ** (len(ticks) / 2)
    marginal = density.mean(axis=1)
    # p(x1, x2) = mean_k p_k(x1) p_k(x2): entropies of the parts, the joint one blockwise.
    alone = -(marginal * np.log2(np.maximum(marginal, 1e-300))).sum() * cell
    joint = 0.0
    for rows in np.array_split(np.arange(len(points)), 40):
        both = density[rows] @ density.T / len(centers)
        joint -= (both * np.log2(np.maximum(both, 1e-300))).sum() * cell**2
    return 2 * alone - joint


def test_the_integral_is_the_published_one():
    # In one dimension the same rule is cheap and exact; 1.4946 is its value in the plane, because
    # the square is the product of two independent pairs of sources.
    line = np.array([[-4.0], [4.0]])
    assert 2 * mutual_information(line, 5.0, step=0.02) == pytest.approx(1.4946, abs=5e-5)
    assert mutual_information(SQUARE, 5.0) == pytest.approx(1.4946, abs=5e-4)
    assert 2 * mutual_information(line, 1.0, step=0.02) == pytest.approx(1.9995, abs=5e-5)


@pytest.fixture(scope="module")
def five_seeds():
    return [datasets.gaussians(800, variance=5.0, random_state=seed).pair for seed in range(5)]


@pytest.fixture(scope="module")
def annealed(five_seeds):
    return [capacity(CentroidClustering(4, random_state=s), p) for s, p in enumerate(five_seeds)]


def test_four_overlapping_gaussians_carry_their_mutual_information(annealed):
    truth = 2 * mutual_information(np.array([[-4.0], [4.0]]), 5.0, step=0.02)
    bits = np.array([c.bits for c in annealed])
    # Spread of a single run .036 (10 seeds): a mean of 5 is off by .016, and .05 is three of it.
    assert abs(bits.mean() - truth) < 0.05
    assert ((bits > 1.38) & (bits < 1.62)).all()
    # The optimum lies at 1/(2 variance) = 0.1; J is flat there, grid steps are 7 %.
    assert all(0.07 < c.beta < 0.14 for c in annealed)
    assert all(c.n_clusters == 4 and not c.plateau for c in annealed)


@pytest.mark.parametrize("solver", ["gibbs", "metropolis", "collapsed_gibbs"])
def test_samplers_find_the_same_capacity(solver, five_seeds, annealed):
    for seed, (pair, reference) in enumerate(zip(five_seeds, annealed, strict=True)):
        found = capacity(CentroidClustering(4, solver=solver, random_state=seed), pair)
        # Measured differences: at most .001 (gibbs), .003 (metropolis), .001 (collapsed_gibbs).
        assert abs(found.bits - reference.bits) < 0.03


@pytest.mark.parametrize("covariance", ["fixed", "spherical", "diag", "full"])
def test_gaussian_mixtures_find_the_same_capacity(covariance, five_seeds, annealed):
    for seed, (pair, reference) in enumerate(zip(five_seeds, annealed, strict=True)):
        found = capacity(GaussianMixture(4, covariance=covariance, random_state=seed), pair)
        # Estimated covariances cost something: measured -.035 at most, spread of the truth .036.
        assert abs(found.bits - reference.bits) < 0.06
        assert found.n_clusters == 4
        if covariance != "fixed":
            assert found.curve.beta[-1] == pytest.approx(1.0, abs=1e-12)
            # The optimum is the end of the range, not a sign of perfect agreement.
            assert found.beta == pytest.approx(1.0, abs=0.2)
            assert not found.plateau


@pytest.mark.parametrize("k", [4, 5, 6, 7, 8, 12])
def test_separated_gaussians_saturate_at_two_bits(k):
    for seed in range(2):
        pair = datasets.gaussians(800, variance=1.0, random_state=seed).pair
        found = capacity(CentroidClustering(k, random_state=seed), pair)
        assert 1.98 < found.bits <= 2.01
        assert found.n_clusters == 4


def test_too_few_clusters_lose_bits():
    pair = datasets.gaussians(800, variance=1.0, random_state=0).pair
    assert capacity(CentroidClustering(2, random_state=0), pair).bits == pytest.approx(
        1.0, abs=0.02
    )
    assert capacity(CentroidClustering(3, random_state=0), pair).bits < 1.6


@pytest.mark.parametrize(
    ("coupling", "least"),
    # Independent runs may place surplus centroids on different sources: 1.80 at K = 5.
    [("centroids", 1.98), ("merge", 1.98), ("responsibilities", 1.98), ("independent", 1.6)],
)
def test_couplings_on_separated_gaussians(coupling, least):
    pair = datasets.gaussians(800, variance=1.0, random_state=0).pair
    for k in (4, 5, 8):
        found = capacity(CentroidClustering(k, random_state=0), pair, coupling)
        assert found.coupling == coupling
        assert (1.98 if k == 4 else least) < found.bits < 2.01


def test_five_gaussians_found_by_ten_centroids():
    data = datasets.five_gaussians(2000, random_state=0)
    found = capacity(CentroidClustering(10, random_state=0), data.pair)
    assert 1.82 < found.bits < 2.0
    assert 0.85 < found.beta < 1.15
    assert found.n_clusters == 5
    # The transfer cost is minimal near the same temperature (measured within 10 %).
    cheapest = found.curve.beta[np.argmin(found.curve.transfer_cost)]
    assert cheapest == pytest.approx(found.beta, rel=0.25)


def test_high_dimensional_noise_carries_nothing():
    data = datasets.two_gaussians_high_dimension(n_features=3000, random_state=0)
    assert capacity(CentroidClustering(2, random_state=0), data.pair, "independent").bits < 0.02


def test_feature_halves_are_merged():
    rng = np.random.default_rng(2)
    source = rng.integers(4, size=600)
    centers = np.repeat(SQUARE, 2, axis=1)
    # Columns 0, 1 repeat the first coordinate and 2, 3 the second: every half sees the square.
    X = centers[source] + rng.normal(size=(600, 4))
    pair = gencap.split_features(X)
    assert not pair.same_columns
    for k in (4, 5, 8):
        found = capacity(CentroidClustering(k, random_state=0), pair)
        assert found.coupling == "merge"
        assert found.curve.transfer_cost is None
        assert 1.95 < found.bits < 2.01
        assert found.n_clusters == 4
        assert found.probabilities.shape == found.second_probabilities.shape
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(found.second_probabilities.sum(axis=1), 1.0, atol=1e-12)
    with pytest.raises(ValueError, match=r"coupling is 'centroids'.*use 'merge'"):
        capacity(CentroidClustering(4), pair, "centroids")


def test_unrelated_instances_carry_nothing(rng):
    pair = Pair(rng.normal(size=(400, 2)), rng.normal(size=(400, 2)))
    found = capacity(CentroidClustering(3, random_state=0), pair)
    # The maximum over temperatures of a curve that falls from 0: what is left is sampling noise.
    assert found.bits < 0.02
    assert found.raw_bits <= found.bits


# What several pairs, options and edges give


def test_three_measurements_average_over_pairs(rng):
    source = rng.integers(4, size=300)
    measured = [SQUARE[source] + rng.normal(size=(300, 2)) * s for s in (1.0, 2.0, 2.5)]
    instances = Instances(measured)
    model = CentroidClustering(4, random_state=0)
    together = capacity(model, instances)
    assert together.bits_per_pair.shape == (3,)
    as_list = capacity(model, [Pair(measured[a], measured[b]) for a, b in ((0, 1), (0, 2), (1, 2))])
    assert together.raw_bits == as_list.raw_bits
    # The curves are averaged before the maximum is taken: never above the mean of the maxima.
    assert together.raw_bits <= together.bits_per_pair.mean() + 1e-12
    assert together.raw_bits == pytest.approx(together.bits_per_pair.mean(), abs=0.05)
    assert together.bits_sd == pytest.approx(together.bits_per_pair.std(ddof=1))
    # The pair of the better measurements carries more.
    assert together.bits_per_pair.argmax() == 0
    np.testing.assert_allclose(
        together.curve.bits, together.curve.entropy + together.curve.agreement, atol=1e-12
    )


def test_one_pair_has_no_error_bar():
    data = datasets.gaussians(100, random_state=0)
    found = capacity(CentroidClustering(2, random_state=0), data.pair)
    assert np.isnan(found.bits_sd)
    np.testing.assert_allclose(found.bits_per_pair, [found.raw_bits])


def test_feature_splits_give_error_bars(rng):
    source = rng.integers(3, size=150)
    X = 3.0 * np.eye(3)[source].repeat(4, axis=1) + rng.normal(size=(150, 12))
    splits = random_feature_splits(X, 4, random_state=0)
    found = capacity(CentroidClustering(3, random_state=0), splits)
    assert found.coupling == "merge"
    assert found.bits_per_pair.shape == (4,)
    assert found.bits_sd > 0
    # A single split is the first of them, on a grid of its own.
    alone = capacity(CentroidClustering(3, random_state=0), splits[0])
    assert alone.raw_bits == pytest.approx(found.bits_per_pair[0], abs=0.05)


def test_optimistic_pairs_stay_marked(rng):
    X = rng.normal(size=(60, 2))
    with pytest.warns(gencap.OptimisticPairingWarning):
        pair = gencap.split_objects(X, random_state=0)
    for model in (CentroidClustering(2, random_state=0), CentroidClustering(1)):
        assert capacity(model, pair).optimistic
    assert not capacity(CentroidClustering(2), Pair(X, X)).optimistic


def test_one_cluster_carries_nothing(rng):
    X = rng.normal(size=(20, 2))
    found = capacity(CentroidClustering(1), Pair(X, X))
    assert (found.bits, found.raw_bits, found.n_clusters) == (0.0, 0.0, 1.0)
    assert found.curve is None
    np.testing.assert_array_equal(found.labels, np.zeros(20))


def test_keeping_probabilities_of_the_whole_path():
    data = datasets.gaussians(60, random_state=0)
    model = CentroidClustering(3, random_state=0, annealing=Annealing(n_steps=15))
    found = capacity(model, data.pair, keep="probabilities")
    assert found.path_probabilities.shape == (len(found.trajectories[0]), 60, 3)
    np.testing.assert_allclose(found.path_probabilities.sum(axis=2), 1.0, atol=1e-12)
    np.testing.assert_allclose(
        found.path_probabilities.mean(axis=1), found.trajectories[0].masses, atol=1e-12
    )
    assert capacity(model, data.pair).path_probabilities is None


@pytest.mark.parametrize("k", [6, 8])
@pytest.mark.parametrize("coupling", ["centroids", "merge", "independent"])
def test_fewer_distinct_points_than_clusters(k, coupling):
    X = np.repeat([(0.0, 0.0), (0.0, 5.0), (5.0, 0.0), (5.0, 5.0)], 50, axis=0)
    found = capacity(CentroidClustering(k, random_state=1), Pair(X, X), coupling)
    assert found.bits == pytest.approx(2.0, abs=1e-6)
    assert found.n_clusters == 4
    assert found.plateau


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1])
@pytest.mark.parametrize("model", [CentroidClustering(3), GaussianMixture(2, covariance="full")])
def test_identical_points_carry_nothing(value, model):
    X = np.full((7, 3), value)
    found = capacity(model.set_params(random_state=0), Pair(X, X))
    assert found.raw_bits == pytest.approx(0.0, abs=1e-9)


def test_more_columns_than_rows_and_as_many_clusters_as_rows(rng):
    X = rng.normal(size=(10, 40))
    pair = Pair(X, X + 0.01 * rng.normal(size=(10, 40)))
    assert 0.5 < capacity(CentroidClustering(3, random_state=0), pair).bits <= np.log2(3)
    found = capacity(CentroidClustering(10, random_state=0), Pair(X, X))
    # Every object its own cluster: log2 N bits.
    assert found.bits == pytest.approx(np.log2(10), abs=1e-3)


def test_constant_columns_change_nothing(rng):
    data = datasets.gaussians(100, random_state=1)
    wide = [np.column_stack([x, np.full(100, 3.0)]) for x in (data.first, data.second)]
    model = CentroidClustering(4, random_state=0)
    # Noise is drawn for three columns instead of two: another path to the same optimum.
    assert capacity(model, Pair(*wide)).bits == pytest.approx(
        capacity(model, data.pair).bits, abs=5e-3
    )


def test_a_curve_that_is_cut_off_is_no_plateau():
    data = datasets.gaussians(200, variance=1.0, random_state=0)
    cut = CentroidClustering(4, random_state=0, annealing=Annealing(stop=0.1))
    found = capacity(cut, data.pair)
    assert np.argmax(found.curve.bits) == len(found.curve.bits) - 1
    assert found.beta == pytest.approx(0.1)
    assert not found.plateau
    whole = capacity(CentroidClustering(4, random_state=0), data.pair)
    assert whole.plateau or whole.curve.bits[-1] < whole.raw_bits - 1e-3


def test_no_disagreement_is_a_plateau():
    X = datasets.gaussians(100, variance=0.1, random_state=0).first
    found = capacity(CentroidClustering(4, random_state=0), Pair(X, X))
    assert found.plateau
    # The start of the plateau is reported, not its end.
    assert found.beta < found.curve.beta[-1]
    assert found.bits == pytest.approx(2.0, abs=0.1)


def test_mass_constrained_models_are_refused():
    data = datasets.gaussians(50, random_state=0)
    with pytest.raises(ValueError, match="mass_constrained makes capacities too large; fit with"):
        capacity(CentroidClustering(4, mass_constrained=True), data.pair)


@pytest.mark.parametrize(
    ("model", "options", "error", "message"),
    [
        (CentroidClustering(0), {}, ValueError, "n_clusters must be at least 1"),
        (CentroidClustering(31), {}, ValueError, "got 31 for 30 rows; choose 30 or fewer"),
        (CentroidClustering("a"), {}, TypeError, "n_clusters must be an integer"),
        (CentroidClustering(2), {"coupling": "merged"}, ValueError, "coupling .*'merge'"),
        (CentroidClustering(2), {"null": "normal"}, ValueError, "null must be one of"),
        (CentroidClustering(2), {"null": ["gauss"]}, ValueError, "null must be one of"),
        (CentroidClustering(2), {"keep": "all"}, ValueError, "keep must be one of"),
        (CentroidClustering(2), {"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        (CentroidClustering(2), {"random_state": -1}, ValueError, "random_state must lie in"),
        (CentroidClustering(2), {"null": "both", "null_draws": 0}, ValueError, "null_draws"),
        ("k-means", {}, TypeError, "model must be a gencap model"),
    ],
    ids=str,
)
def test_unusable_arguments_are_named(model, options, error, message):
    pair = datasets.gaussians(30, random_state=0).pair
    with pytest.raises(error, match=message):
        capacity(model, pair, **options)


@pytest.mark.parametrize("pair", [None, np.zeros((3, 2)), [], [np.zeros((3, 2))]], ids=str)
def test_unusable_measurements_are_named(pair):
    with pytest.raises(TypeError, match=r"pair must be a gencap\.Pair"):
        capacity(CentroidClustering(2), pair)
