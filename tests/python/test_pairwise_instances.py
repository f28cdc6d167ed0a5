"""Pairs of similarities: given, sparse, halved; their nulls, capacities and copies."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.optimize import linear_sum_assignment

import gencap
from gencap._relations import permuted, profile_distances
from gencap.instances import resample_together
from gencap.nulls import permute_sparse

MEASURES = ("pearson", "cosine", "inner", "sqeuclidean", "path")


def every_kind(rng: np.random.Generator, n: int = 30) -> dict[str, gencap.Similarity]:
    """One similarity per representation, all with a shift."""
    X = rng.normal(size=(n, 4)) + 3.0
    graph = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.2))
    sparse = scipy.sparse.csr_array(graph + graph.T)
    far = gencap.similarity(X, "euclidean", dense=False, shift=0.3)
    found = {m: gencap.similarity(X, m, shift=0.3) for m in (*MEASURES, "euclidean")}  # type: ignore[arg-type]
    found |= {"rows": far, "sparse": gencap.similarity(sparse, "precomputed", shift=0.3)}
    forest = scipy.sparse.csr_array(np.diag(np.arange(1.0, n), 1) * (np.arange(n) != 10)[:, None])
    return found | {"forest": gencap.similarity(forest, "path", shift=0.3)}


KINDS = tuple(every_kind(np.random.default_rng(0)))


def planted(rng: np.random.Generator, n: int = 90, noise: float = 0.0) -> Any:
    """A sparse graph of three blocks whose edges are inside them."""
    truth = np.arange(n) % 3
    present = np.triu(rng.random((n, n)) < 0.3, 1) & (truth[:, None] == truth)
    present |= np.triu(rng.random((n, n)) < noise, 1)
    weights = np.where(present, rng.random((n, n)) + 0.5, 0.0)
    return scipy.sparse.csr_array(weights + weights.T), truth


def halve(X: Any, *args: Any, **settings: Any) -> gencap.Pair:
    with pytest.warns(gencap.OptimisticPairingWarning):
        return gencap.split_objects(X, *args, **settings)


# Copies


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("send", [copy.deepcopy, lambda S: pickle.loads(pickle.dumps(S))])
def test_copies_are_the_same_to_the_last_bit(
    kind: str, send: Any, rng: np.random.Generator
) -> None:
    S = every_kind(rng)[kind]
    twin = send(S)
    assert repr(twin) == repr(S)
    np.testing.assert_array_equal(twin.toarray(), S.toarray())
    np.testing.assert_array_equal(twin.diagonal, S.diagonal)
    Q = rng.random((len(S), 3))
    np.testing.assert_array_equal(twin @ Q, S @ Q)


def test_copies_keep_names_and_share_no_memory(rng: np.random.Generator) -> None:
    frame = pd.DataFrame(rng.random((4, 3)), index=list("abcd"))
    for measure in ("pearson", "euclidean"):
        S = gencap.similarity(frame, measure)  # type: ignore[arg-type]
        assert list(pickle.loads(pickle.dumps(S)).names) == list("abcd")
    matrix = np.eye(4)
    S = gencap.similarity(matrix, "precomputed")
    twin = copy.deepcopy(S)
    matrix[0, 0] = 7.0
    assert S.toarray()[0, 0] == 7.0
    assert twin.toarray()[0, 0] == 1.0


def test_models_give_the_same_on_a_copy(rng: np.random.Generator) -> None:
    for S in every_kind(rng).values():
        model = gencap.PairwiseClustering(3, n_init=2, random_state=0)
        one, two = (model.fit(graph).cost_ for graph in (S, pickle.loads(pickle.dumps(S))))
        assert one == two


# Parts of a similarity


@pytest.mark.parametrize("kind", KINDS)
def test_taking_objects_keeps_every_entry(kind: str, rng: np.random.Generator) -> None:
    S = every_kind(rng)[kind]
    full = S.toarray()
    for size in (1, 2, 13, len(S)):
        index = rng.permutation(len(S))[:size]
        part = S.take(index)
        assert part.representation == S.representation
        # Inner products of centered vectors are rounded in another order: 1e-12 of 30 is enough.
        np.testing.assert_allclose(part.toarray(), full[np.ix_(index, index)], rtol=0, atol=1e-12)
        Q = rng.random((size, 2))
        np.testing.assert_allclose(part @ Q, full[np.ix_(index, index)] @ Q, rtol=0, atol=1e-11)
        columns = rng.permutation(len(S))[:7]
        block = S.block(index, columns)
        np.testing.assert_allclose(block, full[np.ix_(index, columns)], rtol=0, atol=1e-12)


def test_models_run_on_a_part(rng: np.random.Generator) -> None:
    for S in every_kind(rng).values():
        part = S.take(np.arange(0, len(S), 2))
        model = gencap.CorrelationClustering(3, n_init=2, shift=-1.0, random_state=0).fit(part)
        dense = gencap.similarity(part.toarray(), "precomputed")
        assert model.cost(model.labels_, dense) == pytest.approx(model.cost_, rel=1e-9)


def test_what_cannot_be_taken_is_said(rng: np.random.Generator) -> None:
    S = gencap.similarity(rng.random((5, 2)), "inner")
    for index, words in (
        ([0, 0], "none of them twice"),
        ([], "at least one object"),
        ([5], "between 0 and 4: got 5"),
        ([-1], "between 0 and 4: got -1"),
        ([0.5], "list of positions"),
    ):
        with pytest.raises(ValueError, match=words):
            S.take(index)
    assert S.block([], [1]).shape == (0, 1)


def test_names_follow_the_objects(rng: np.random.Generator) -> None:
    S = gencap.similarity(pd.DataFrame(rng.random((4, 3)), index=list("abcd")))
    names = S.take([3, 1]).names
    assert names is not None
    assert names.tolist() == ["d", "b"]


# Pairs


def test_a_pair_of_similarities(rng: np.random.Generator) -> None:
    S = gencap.similarity(rng.random((6, 3)))
    pair = gencap.Pair(S, S.shifted(1.0))
    assert pair.first is S
    assert pair.is_pairwise
    assert not pair.same_columns
    assert pair.n_objects == 6
    assert pair.cross is None
    assert repr(pair) == "<Pair of 6 objects, similarities low-rank and low-rank>"
    sparse = scipy.sparse.coo_matrix(np.eye(4))
    pair = gencap.Pair(sparse, sparse)
    assert scipy.sparse.issparse(pair.first)
    assert pair.n_objects == 4
    assert repr(pair) == "<Pair of 4 objects, similarities sparse and sparse>"
    assert not gencap.Pair(np.eye(4), np.eye(4)).is_pairwise


def test_similarities_are_matched_by_name(rng: np.random.Generator) -> None:
    X = pd.DataFrame(rng.random((4, 3)), index=list("abcd"))
    other = X.iloc[[2, 0, 3, 1]]
    one, two = gencap.similarity(X), gencap.similarity(other)
    pair = gencap.Pair(one, two)
    np.testing.assert_allclose(pair.second.toarray(), one.toarray(), rtol=0, atol=1e-15)
    assert pair.index2.tolist() == [1, 3, 0, 2]
    assert pair.names is not None
    assert pair.names.tolist() == list("abcd")
    strange = gencap.similarity(X.rename(index={"a": "z"}))
    with pytest.raises(ValueError, match="1 row names of first are not in second"):
        gencap.Pair(one, strange)
    triple = gencap.Instances([one, two, one])
    for made in triple.pairs():
        np.testing.assert_allclose(made.second.toarray(), one.toarray(), rtol=0, atol=1e-15)


def test_pairs_that_do_not_fit_together(rng: np.random.Generator) -> None:
    S = gencap.similarity(rng.random((6, 3)))
    with pytest.raises(TypeError, match="first holds similarities, second is a table"):
        gencap.Pair(S, np.eye(6))
    with pytest.raises(TypeError, match="second holds similarities, first is a table"):
        gencap.Pair(np.eye(6), S)
    with pytest.raises(ValueError, match="first has 6, second has 5"):
        gencap.Pair(S, S.take(range(5)))
    with pytest.raises(ValueError, match="similarities have no columns"):
        gencap.Pair(S, S, same_columns=True)
    with pytest.raises(ValueError, match="must be a square matrix"):
        gencap.Pair(scipy.sparse.csr_array((3, 4)), scipy.sparse.csr_array((3, 4)))
    with pytest.raises(TypeError, match="clusters vectors, but the pair holds similarities"):
        gencap.capacity(gencap.CentroidClustering(2), gencap.Pair(S, S))


# Capacities


def test_capacity_does_not_depend_on_how_a_similarity_is_kept(rng: np.random.Generator) -> None:
    first, truth = planted(rng, noise=0.05)
    second, _ = planted(rng, noise=0.05)
    model = gencap.CorrelationClustering(
        3, measure="precomputed", shift=-0.2, n_init=2, random_state=0
    )
    dense = gencap.capacity(model, gencap.Pair(first.toarray(), second.toarray()))
    sparse = gencap.capacity(model, gencap.Pair(first, second))
    known = [gencap.similarity(graph, "precomputed") for graph in (first, second)]
    kept = gencap.capacity(model, gencap.Pair(*known))
    # Sums of 90 terms in another order: 1e-9 is the bound that all representations must meet.
    assert sparse.bits == pytest.approx(dense.bits, abs=1e-9)
    assert kept.bits == pytest.approx(dense.bits, abs=1e-9)
    # What the blocks leave: log2(3) bits, and the clustering found is the planted one.
    assert dense.bits == pytest.approx(np.log2(3), abs=0.05)
    assert gencap.hamming_capacity(kept.labels, truth) > 1.4


def test_shifts_of_similarities_add_to_the_models(rng: np.random.Generator) -> None:
    first, second = (planted(rng, noise=0.05)[0] for _ in range(2))
    settings: dict[str, Any] = {"measure": "precomputed", "n_init": 2, "random_state": 0}
    plain = gencap.capacity(
        gencap.CorrelationClustering(3, shift=-0.2, **settings), gencap.Pair(first, second)
    )
    one = gencap.similarity(first, "precomputed", shift=-0.2)
    two = gencap.similarity(second, "precomputed", shift=-0.2)
    held = gencap.capacity(
        gencap.CorrelationClustering(3, shift=0.0, **settings), gencap.Pair(one, two)
    )
    assert held.bits == plain.bits
    # Each instance has a shift of its own: only together with the second's are they the same.
    mixed = gencap.Pair(one, two.shifted(0.2))
    other = gencap.capacity(gencap.CorrelationClustering(3, shift=0.0, **settings), mixed)
    assert other.curve is not None
    assert held.curve is not None
    assert not np.array_equal(other.curve.agreement, held.curve.agreement)


def test_order_of_a_sparse_graph_has_a_verdict(rng: np.random.Generator) -> None:
    pair = gencap.Pair(planted(rng, 60, 0.02)[0], planted(rng, 60, 0.02)[0])
    model = gencap.NormalizedCut(measure="precomputed", n_init=2, random_state=0)
    order = gencap.select_order(model, pair, [2, 3, 4], null="independent", null_draws=3)
    assert order.pairwise
    assert order.best == 3
    assert order.verdict == "clusters"
    assert order.null["independent"].bits < 0.2 < order.bits[3]
    with pytest.raises(ValueError, match="null 'gaussian' needs vectors"):
        gencap.select_order(model, pair, [2, 3], null="gaussian", null_draws=1)
    assert gencap.select_order(model, pair, [2, 3]).verdict == "uncalibrated"


def test_a_graph_without_clusters_has_no_reliable_structure(rng: np.random.Generator) -> None:
    graphs = [permute_sparse(planted(rng, 60, 0.1)[0], rng) for _ in range(2)]
    model = gencap.CorrelationClustering(measure="precomputed", n_init=2, random_state=0)
    order = gencap.select_order(
        model, gencap.Pair(*graphs), [2, 3], null="independent", null_draws=3
    )
    assert order.verdict == "none"


def test_one_null_decides_for_similarities_and_two_for_vectors() -> None:
    data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    order = gencap.select_order(gencap.CentroidClustering(random_state=0), data.pair, [2, 4])
    null = {"independent": gencap.NullResult("independent", np.zeros(99), 0.01)}
    weak = {"independent": gencap.NullResult("independent", np.zeros(99), 0.5)}
    make = gencap.Order
    assert make(order.capacities, 4, null).verdict == "uncalibrated"
    assert make(order.capacities, 4, null, pairwise=True).verdict == "clusters"
    assert make(order.capacities, 4, weak, pairwise=True).verdict == "none"
    assert make(order.capacities, 4, {}, pairwise=True).verdict == "uncalibrated"
    assert make(order.capacities, 1, null, pairwise=True).verdict == "none"


def test_other_libraries_get_the_matrix(rng: np.random.Generator) -> None:
    from sklearn.cluster import SpectralClustering

    graphs = [gencap.similarity(planted(rng, 60)[0], "precomputed") for _ in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the blocks are not connected
        model = SpectralClustering(3, affinity="precomputed", random_state=0)
        found = gencap.capacity(model, gencap.Pair(*graphs))
    assert found.bits == pytest.approx(np.log2(3), abs=0.01)


def test_dominant_sets_on_a_pair_of_similarities(rng: np.random.Generator) -> None:
    graphs = [planted(rng, 60)[0] for _ in range(2)]
    model = gencap.DominantSets(3, measure="precomputed")
    sparse = gencap.capacity(model, gencap.Pair(*graphs))
    dense = gencap.capacity(model, gencap.Pair(*(graph.toarray() for graph in graphs)))
    assert sparse.bits == pytest.approx(dense.bits, abs=1e-9)
    assert sparse.bits > 0.1


# Nulls


def test_edges_of_a_sparse_graph_go_anywhere(rng: np.random.Generator) -> None:
    S, truth = planted(rng, 60)
    S = scipy.sparse.csr_array(S + scipy.sparse.diags_array(np.arange(60.0)))
    twin = permute_sparse(S, rng)
    upper = [scipy.sparse.triu(graph, 1) for graph in (S, twin)]
    np.testing.assert_array_equal(np.sort(upper[0].data), np.sort(upper[1].data))
    np.testing.assert_array_equal(twin.diagonal(), S.diagonal())
    assert (twin != twin.T).nnz == 0
    # A third of all pairs is within blocks; by then 5 standard deviations are below one half.
    inside = truth[upper[1].coords[0]] == truth[upper[1].coords[1]]
    assert inside.mean() < 0.5


def test_every_place_is_as_likely_as_every_other() -> None:
    rng = np.random.default_rng(5)
    S = scipy.sparse.csr_array(
        scipy.sparse.coo_array(([1.0, 2.0, 1.0, 2.0], ([0, 0, 1, 2], [1, 2, 0, 0])), shape=(5, 5))
    )
    seen = np.zeros((5, 5))
    for _ in range(2000):
        seen += permute_sparse(S, rng).toarray() == 2.0
    counts = seen[np.triu_indices(5, 1)]
    assert counts.sum() == 2000
    # Ten places, 200 each with a spread of 13.4: five of these.
    assert np.abs(counts - 200).max() < 67


def test_pairs_of_a_large_graph_are_numbered_without_gaps() -> None:
    from gencap.nulls import _pair_at

    n = 4
    i, j = _pair_at(np.arange(6), n)
    assert sorted(zip(i.tolist(), j.tolist(), strict=True)) == [
        (a, b) for a in range(n) for b in range(a + 1, n)
    ]
    n = 3_000_000
    total = n * (n - 1) // 2
    ends = np.array([0, 1, 2, total - 2, total - 1])
    i, j = _pair_at(ends, n)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [
        (n - 2, n - 1),
        (n - 3, n - 1),
        (n - 3, n - 2),
        (0, 2),
        (0, 1),
    ]


def test_twins_of_every_kind(rng: np.random.Generator) -> None:
    for kind, S in every_kind(rng).items():
        twin = permuted(S, rng)
        upper = np.triu_indices(len(S), 1)
        found, before = np.sort(twin.toarray()[upper]), np.sort(S.toarray()[upper])
        np.testing.assert_allclose(found, before, rtol=0, atol=1e-12)
        np.testing.assert_allclose(twin.diagonal, S.diagonal, rtol=0, atol=1e-12)
        assert twin.representation == ("sparse" if kind == "sparse" else "dense")
        pair = gencap.Pair(S, S).resample("independent", rng)
        assert not np.array_equal(pair.first.toarray(), pair.second.toarray())


def test_similarities_have_no_gaussian_twin(rng: np.random.Generator) -> None:
    S = gencap.similarity(rng.random((6, 3)))
    for measured in (gencap.Pair(S, S), gencap.Instances([S, S])):
        with pytest.raises(ValueError, match="null 'gaussian' needs vectors"):
            measured.resample("gaussian", rng)
        assert measured.resample("independent", rng).n_objects == 6


# Halves of a similarity


@pytest.mark.parametrize("kind", KINDS)
def test_halves_are_parts_of_the_whole(kind: str, rng: np.random.Generator) -> None:
    S = every_kind(rng, 31)[kind]
    full = S.toarray()
    pair = halve(S, random_state=3)
    assert pair.n_objects == 15
    assert pair.optimistic
    assert pair.is_pairwise
    assert pair.cross is not None
    one, two = pair.index1, pair.index2
    assert len(set(one) | set(two)) == 30
    for found, index in ((pair.first, one), (pair.second, two)):
        assert found.representation == S.representation
        np.testing.assert_allclose(found.toarray(), full[np.ix_(index, index)], atol=1e-12)
    np.testing.assert_allclose(pair.cross, full[np.ix_(one, two)], atol=1e-12)
    # No other pairing of the same halves has closer profiles.
    gaps = profile_distances(S, one, two)
    best = gaps[linear_sum_assignment(gaps)].sum()
    assert gaps.diagonal().sum() == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_profiles_leave_out_what_two_objects_do_not_share(rng: np.random.Generator) -> None:
    S = every_kind(rng)["sqeuclidean"]
    full, rows, columns = S.toarray(), np.array([0, 5]), np.array([7, 2, 9])
    found = profile_distances(S, rows, columns)
    for a, i in enumerate(rows):
        for b, j in enumerate(columns):
            others = [k for k in range(len(S)) if k not in (i, j)]
            slow = ((full[i, others] - full[j, others]) ** 2).sum()
            # Sums of squares near 1e4 cancel: 1e-9 of them is left.
            assert found[a, b] == pytest.approx(slow, rel=1e-9, abs=1e-6)


def test_matrices_and_sparse_graphs_are_halved_alike(rng: np.random.Generator) -> None:
    S, _ = planted(rng, 40, 0.1)
    dense = halve(S.toarray(), "precomputed", random_state=1)
    sparse = halve(S, "precomputed", random_state=1)
    kept = halve(gencap.similarity(S, "precomputed"), random_state=1)
    for pair in (sparse, kept):
        np.testing.assert_array_equal(pair.index2, dense.index2)
        np.testing.assert_array_equal(pair.cross, dense.cross)
        assert pair.first.representation == "sparse"
    with pytest.raises(TypeError, match="say measure='precomputed'"):
        gencap.split_objects(S)
    with pytest.raises(ValueError, match="at least 2 objects"):
        gencap.split_objects(np.eye(1), "precomputed")
    assert halve(rng.random((8, 2))).cross is None


def test_halves_of_a_noisy_graph_are_matched_by_cluster() -> None:
    """Profiles find the partners where the edges between the halves do not."""
    graph = gencap.datasets.correlation_graph(300, 3, complexity=0.2, noise=0.6, random_state=0)
    pair = halve(graph.first, "precomputed", random_state=0)
    same = np.mean(graph.truth[pair.index1] == graph.truth[pair.index2])
    # By chance a third; 300 profiles of 300 edges leave little doubt.
    assert same > 0.9
    found = gencap.capacity(
        gencap.CorrelationClustering(3, shift=0.0, n_init=3, random_state=0), pair
    )
    assert found.optimistic
    assert found.bits > 0.5


def test_twins_of_halves_are_split_afresh(rng: np.random.Generator) -> None:
    S, _ = planted(rng, 180, 0.02)
    pair = halve(S, "precomputed", random_state=0)
    twin = pair.resample("independent", rng)
    assert twin.optimistic
    assert twin.cross is not None
    assert twin.cross.shape == (90, 90)
    assert not np.array_equal(twin.index1, pair.index1)
    # Several splits of one graph share the twin of that graph.
    again = pair._source.rebuild(pair._source.matrix, np.random.default_rng(9))  # type: ignore[union-attr]
    one, two = resample_together([pair, again], "independent", rng, edges=True)
    common = [i for i in one.index1 if i in set(two.index1)]
    at = [list(p.index1) for p in (one, two)]
    blocks = [
        p.first.block([where.index(i) for i in common], [where.index(i) for i in common])
        for p, where in zip((one, two), at, strict=True)
    ]
    np.testing.assert_array_equal(*blocks)
    found = gencap.capacity(
        gencap.CorrelationClustering(3, shift=-0.2, n_init=1, random_state=0),
        pair,
        null="independent",
        null_draws=3,
    )
    assert found.bits > found.null["independent"].bits
