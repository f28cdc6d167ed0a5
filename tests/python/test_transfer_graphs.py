"""Transfer costs on similarities, against slow and obvious re-implementations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import gencap
from gencap._carrying import EdgeSpace, KernelSpace, VectorSpace, cross_similarity
from gencap.transfer._ways import graph_cost


def graph(n: int, noise: float, seed: int, clusters: int = 3) -> np.ndarray:
    return gencap.datasets.correlation_graph(
        n, clusters, complexity=0.2, noise=noise, random_state=seed
    ).first


def slow_disagreements(labels: np.ndarray, x: np.ndarray) -> float:
    """Eq. 8: negative edges within plus positive edges between clusters, per pair."""
    n, total = len(labels), 0.0
    for i in range(n):
        for j in range(i):
            same = labels[i] == labels[j]
            total += (abs(x[i, j]) - x[i, j]) / 2 if same else (abs(x[i, j]) + x[i, j]) / 2
    return total / (n * (n - 1) / 2)


def slow_labels(labels: np.ndarray, cross: np.ndarray) -> np.ndarray:
    """Eqs. 9 and 10, as printed but for X_ij -> X_i'j."""
    out = []
    for column in cross.T:
        costs = {}
        for v in set(labels.tolist()):
            within = column[labels == v]
            between = column[labels != v]
            costs[v] = -0.5 * (within - 1).sum() + 0.5 * (between + 1).sum()
        out.append(min(costs, key=lambda v: costs[v]))
    return np.array(out)


def correlation(**settings: object) -> gencap.CorrelationClustering:
    return gencap.CorrelationClustering(
        **{"shift": 0.0, "measure": "precomputed", "n_init": 2, "random_state": 0, **settings}
    )


def test_edges_between_the_halves_carry_the_labels() -> None:
    # An odd number of edges to each cluster would tie rarely; ties are excluded by real weights.
    rng = np.random.default_rng(0)
    s = graph(41, 0.3, 1) + 0.01 * rng.normal(size=(41, 41))
    s = (s + s.T) / 2
    np.fill_diagonal(s, 0.0)
    (split,) = gencap.holdouts(s, 1, test_size=0.4, measure="precomputed")
    found = gencap.transfer_costs(correlation(), split, [1, 2, 3], random_state=3)
    assert found.mapping == "centroid"
    assert found.unit == "per pair of objects"
    seed = int(np.random.SeedSequence([3, 0]).generate_state(1)[0])
    for k in (1, 2, 3):
        labels = correlation(random_state=seed).set_params(n_clusters=k).fit(split.first).labels_
        carried = slow_labels(labels, split.cross)
        expected = slow_disagreements(carried, split.second)
        assert found.costs[k] == pytest.approx(expected, rel=1e-10)
        assert found.train_costs[k] == pytest.approx(
            slow_disagreements(labels, split.first), rel=1e-10
        )


def test_shift_belongs_to_every_edge() -> None:
    s = graph(30, 0.2, 2) + 0.5
    np.fill_diagonal(s, 0.0)
    shifted = s - 0.5 * (1 - np.eye(30))
    (split,) = gencap.holdouts(s, 1, measure="precomputed")
    (other,) = gencap.holdouts(shifted, 1, measure="precomputed")
    other = gencap.Holdout(other.first, other.second, split.cross - 0.5)
    one = gencap.transfer_costs(correlation(shift=-0.5), split, [1, 2, 3], random_state=1)
    two = gencap.transfer_costs(correlation(), other, [1, 2, 3], random_state=1)
    assert one.costs.to_numpy() == pytest.approx(two.costs.to_numpy(), rel=1e-9)


def test_automatic_shift_is_that_of_the_first_sample(rng: np.random.Generator) -> None:
    x1, x2 = rng.normal(size=(30, 5)), rng.normal(size=(20, 5))
    auto = gencap.CorrelationClustering(n_init=1, random_state=0)
    given = gencap.CorrelationClustering(
        n_init=1, random_state=0, shift=auto.shift_for([gencap.similarity(x1, "pearson")])
    )
    one, two = (gencap.transfer_costs(m, (x1, x2), [1, 3]).costs for m in (auto, given))
    assert one.equals(two)


def test_planted_clusters_and_empty_ones() -> None:
    splits = [gencap.holdouts(graph(200, 0.4, s), 1, measure="precomputed")[0] for s in range(2)]
    found = gencap.transfer_costs(correlation(), splits, range(1, 7))
    assert found.best == 3
    assert found.effective[6] == pytest.approx(3.0, abs=0.51)
    assert found.costs[6] == pytest.approx(found.costs[3], rel=0.01)


@pytest.mark.parametrize("mapping", ["identity", "centroid", "nearest", "hungarian"])
def test_sparse_edges_do_as_well(mapping: str) -> None:
    s = graph(40, 0.2, 4)
    s[np.abs(np.subtract.outer(np.arange(40), np.arange(40))) > 25] = 0.0
    (dense,) = gencap.holdouts(s, 1, measure="precomputed")
    sparse = gencap.Holdout(
        scipy.sparse.csr_array(dense.first),
        scipy.sparse.csr_array(dense.second),
        scipy.sparse.csr_array(dense.cross),
    )
    one, two = (
        gencap.transfer_costs(correlation(), split, [1, 3], mapping, random_state=2).costs
        for split in (dense, sparse)
    )
    assert one.to_numpy() == pytest.approx(two.to_numpy(), rel=1e-9)


def test_cross_may_come_from_the_pair_or_the_call() -> None:
    s = graph(30, 0.2, 5)
    (split,) = gencap.holdouts(s, 1, measure="precomputed")
    bare = (split.first, split.second)
    one = gencap.transfer_costs(correlation(), split, [2, 3])
    two = gencap.transfer_costs(correlation(), bare, [2, 3], cross=split.cross)
    assert one.costs.equals(two.costs)
    several = gencap.transfer_costs(
        correlation(), [bare, bare], [2, 3], cross=[split.cross, split.cross]
    )
    assert several.per_pair[0].equals(one.per_pair[0])
    with pytest.raises(ValueError, match="give them as cross="):
        gencap.transfer_costs(correlation(), bare, [2])


def test_measured_twice_means_identity() -> None:
    data = gencap.datasets.correlation_graph(60, 3, noise=0.3, complexity=0.1, random_state=0)
    found = gencap.transfer_costs(correlation(), data.pair, range(1, 5), random_state=1)
    assert found.mapping == "identity"
    assert found.best == 3
    seed = int(np.random.SeedSequence([1, 0]).generate_state(1)[0])
    labels = correlation(random_state=seed, n_clusters=2).fit(data.first).labels_
    assert found.costs[2] == pytest.approx(slow_disagreements(labels, data.second), rel=1e-10)


# --- pairwise clustering -------------------------------------------------------------------------


def test_pairwise_costs_on_squared_distances_are_those_of_k_means(
    rng: np.random.Generator,
) -> None:
    x1, x2 = rng.normal(size=(20, 3)), rng.normal(size=(14, 3))
    codes = np.arange(20) % 4
    S = gencap.similarity(x1, "sqeuclidean")
    cross = cross_similarity(x1, x2, "sqeuclidean", S.offset)
    kernel = KernelSpace(S, np.full(14, S.offset), cross)
    vectors = VectorSpace(x1, x2)
    # Distances are differences of similarities of size v: rounding at 1e-13 v.
    assert kernel.to_clusters(codes) == pytest.approx(vectors.to_clusters(codes), abs=1e-9)
    assert kernel.own(codes) == pytest.approx(vectors.own(codes), abs=1e-9)
    assert kernel.to_objects(slice(0, 5)) == pytest.approx(
        vectors.to_objects(slice(0, 5)), abs=1e-9
    )
    assert kernel.single_cost() == pytest.approx(vectors.single_cost(), rel=1e-9)
    assert kernel.largest_variance() == pytest.approx(vectors.largest_variance(), rel=1e-9)


def test_pairwise_clustering_of_halves() -> None:
    data = gencap.datasets.gaussians(n_objects=160, variance=1.0, random_state=0)
    (split,) = gencap.holdouts(data.first, 1)
    model = gencap.PairwiseClustering(n_init=3, random_state=0)
    found = gencap.transfer_costs(model, split, range(1, 7))
    assert found.mapping == "soft"
    assert found.best == 4
    # From the whole similarity, cut: the same numbers, apart from v.
    S = gencap.similarity(data.first, "sqeuclidean").toarray()
    cut = gencap.Holdout(
        S[np.ix_(split.index1, split.index1)],
        S[np.ix_(split.index2, split.index2)],
        S[np.ix_(split.index1, split.index2)],
    )
    other = gencap.PairwiseClustering(n_init=3, random_state=0, measure="precomputed")
    again = gencap.transfer_costs(other, cut, range(1, 7))
    assert again.costs[4] == pytest.approx(found.costs[4], rel=1e-6)


def test_pairwise_clustering_of_feature_halves_is_the_models_cost(
    rng: np.random.Generator,
) -> None:
    x = rng.normal(size=(30, 8))
    x[:15] += np.tile([3.0, -3.0, -3.0, 3.0], 2)
    pair = gencap.split_features(x)
    model = gencap.PairwiseClustering(measure="pearson", n_init=2)
    found = gencap.transfer_costs(model, pair, [1, 2, 3], random_state=2)
    assert found.mapping == "identity"
    seed = int(np.random.SeedSequence([2, 0]).generate_state(1)[0])
    fitted = gencap.PairwiseClustering(2, measure="pearson", n_init=2, random_state=seed)
    labels = fitted.fit(pair.first).labels_
    s2 = np.corrcoef(pair.second)
    slow = -0.5 * sum(
        s2[np.ix_(labels == t, labels == t)].sum() / (labels == t).sum() for t in (0, 1)
    )
    assert found.costs[2] == pytest.approx(slow / 30, rel=1e-9)
    assert found.costs[2] < found.costs[1]


@pytest.mark.parametrize("measure", ["pearson", "cosine", "inner", "euclidean", "sqeuclidean"])
def test_similarities_between_tables_are_those_of_one_table(
    measure: str, rng: np.random.Generator
) -> None:
    x = rng.normal(size=(12, 4))
    S = gencap.similarity(x, measure)  # type: ignore[arg-type]
    block = cross_similarity(x[:7], x[7:], measure, S.offset)
    assert block == pytest.approx(S.toarray()[:7, 7:], abs=1e-9)


# --- other models --------------------------------------------------------------------------------


def test_max_cut_repels() -> None:
    rng = np.random.default_rng(1)
    s = rng.normal(size=(9, 9))
    s = s + s.T
    labels = np.array([0, 0, 1, 1, 0, 1, 0, 1, 1])
    model = gencap.MaxCut(2, measure="precomputed")
    cost = graph_cost(model, gencap.similarity(s, "precomputed"), labels)
    assert cost == pytest.approx(slow_disagreements(labels, -s), rel=1e-10)
    space = EdgeSpace(s[:5, 5:], 0.0, -1.0)
    by_hand = np.stack([s[:5, 5:][labels[:5] == v].sum(axis=0) for v in (0, 1)], axis=1)
    assert space.to_clusters(labels[:5]) == pytest.approx(by_hand)


@pytest.mark.parametrize("model", [gencap.NormalizedCut, gencap.AdaptiveRatioCut])
def test_cuts_are_carried_by_objects(model: type, rng: np.random.Generator) -> None:
    x = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 8])
    splits = gencap.holdouts(x, 2)
    one = model(measure="euclidean", n_init=1, random_state=0)
    found = gencap.transfer_costs(one, splits, [2, 3])
    assert found.mapping == "nearest"
    assert np.isfinite(found.costs).all()
    with pytest.raises(ValueError, match="use 'nearest' or 'identity'"):
        gencap.transfer_costs(one, splits, [2], "centroid")
    with pytest.raises(ValueError, match="needs cluster means"):
        gencap.transfer_costs(one, splits, [2], "soft")


def test_paths_between_separate_samples_are_unknown(rng: np.random.Generator) -> None:
    x = rng.normal(size=(12, 2))
    model = gencap.PairwiseClustering(measure="path", n_init=1, random_state=0)
    with pytest.raises(ValueError, match="needs the similarities between the samples"):
        gencap.transfer_costs(model, (x, x + 0.1), [2])
    with pytest.raises(ValueError, match=r"gencap\.holdouts"):
        cross_similarity(x, x, "path", 0.0)
    whole = gencap.holdouts(gencap.similarity(x, "path"), 1)
    other = gencap.PairwiseClustering(measure="precomputed", n_init=1, random_state=0)
    assert gencap.transfer_costs(other, whole, [1, 2]).mapping == "soft"


def test_threads_change_nothing() -> None:
    splits = gencap.holdouts(graph(40, 0.5, 6), 2, measure="precomputed")
    one, two = (
        gencap.transfer_costs(correlation(), splits, [1, 2, 3], n_jobs=jobs) for jobs in (1, 2)
    )
    assert one.per_pair.equals(two.per_pair)


def test_halves_of_a_similarity_bring_their_edges() -> None:
    s = graph(80, 0.3, 7)
    with pytest.warns(gencap.OptimisticPairingWarning):
        pair = gencap.split_objects(gencap.similarity(s, "precomputed"))
    assert pair.cross == pytest.approx(s[np.ix_(pair.index1, pair.index2)])
    found = gencap.transfer_costs(correlation(), pair, range(1, 5))
    # Matched by proximity: not the same objects, so the edges decide.
    assert found.mapping == "centroid"
    assert found.best == 3
