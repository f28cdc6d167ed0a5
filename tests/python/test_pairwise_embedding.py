"""Pairwise clustering by embedding: the same costs as among similarities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import gencap
from gencap.embedding import kmeans_vectors

SEPARATED = gencap.datasets.gaussians(n_objects=120, variance=0.3, random_state=0)


def kmeans_cost(Y: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> float:
    """Sum of squared distances to the means, as slowly as can be."""
    total = 0.0
    for label in np.unique(labels):
        members = Y[labels == label]
        total += float(((members - members.mean(axis=0)) ** 2).sum())
    return total


def every_graph(rng: np.random.Generator, n: int = 25) -> dict[str, gencap.Similarity]:
    X = rng.normal(size=(n, 3))
    noise = rng.normal(size=(n, n))
    found = {
        m: gencap.similarity(X, m)  # type: ignore[arg-type]
        for m in ("sqeuclidean", "euclidean", "pearson", "cosine", "inner", "path")
    }
    found["rows"] = gencap.similarity(X, "euclidean", dense=False)
    found["noise"] = gencap.similarity(noise + noise.T, "precomputed")
    graph = scipy.sparse.csr_array((noise + noise.T) * (abs(noise + noise.T) > 1.5))
    found["sparse"] = gencap.similarity(graph, "precomputed")
    return found | {f"shifted {k}": S.shifted(2.5) for k, S in found.items()}


@pytest.mark.parametrize("kind", list(every_graph(np.random.default_rng(0))))
def test_costs_of_any_labels_differ_by_the_known_terms(kind: str, rng: np.random.Generator) -> None:
    S = every_graph(rng)[kind]
    n = len(S)
    Y, lowest = kmeans_vectors(S)
    assert lowest <= 0.0
    if "noise" in kind:
        assert lowest < 0.0
    for k in (1, 2, 3, 5, n):
        for _ in range(5):
            # Some clusters stay empty: with 25 objects and 25 labels always.
            labels = rng.integers(0, k, size=n)
            filled = len(np.unique(labels))
            model = gencap.PairwiseClustering(k)
            expected = kmeans_cost(Y, labels) - S.diagonal.sum() / 2 + lowest * (n - filled)
            scale = np.abs(S.toarray()).max() * n
            assert model.cost(labels, S) == pytest.approx(expected, abs=1e-9 * scale)


def test_the_shift_depends_on_the_number_of_clusters(rng: np.random.Generator) -> None:
    """Leaving out l (N - K) would favor one number of clusters over another."""
    S = every_graph(rng)["noise"]
    Y, lowest = kmeans_vectors(S)
    gaps = []
    for k in (2, 5):
        labels = np.arange(len(S)) % k
        gaps.append(gencap.PairwiseClustering(k).cost(labels, S) - kmeans_cost(Y, labels))
    assert gaps[0] - gaps[1] == pytest.approx(3 * lowest, rel=1e-9)


@pytest.mark.parametrize("measure", ["sqeuclidean", "euclidean", "path", "inner"])
def test_both_roads_find_the_same_clusters(measure: str) -> None:
    X = SEPARATED.first
    settings: dict[str, Any] = {"measure": measure, "random_state": 0}
    field = gencap.PairwiseClustering(4, n_init=4, **settings).fit(X)
    vectors = gencap.PairwiseClustering(4, n_init=4, solver="embedding", **settings).fit(X)
    assert vectors.cost_ == pytest.approx(field.cost_, rel=1e-9)
    assert gencap.hamming_capacity(field.labels_, vectors.labels_) == pytest.approx(
        gencap.hamming_capacity(field.labels_, field.labels_)
    )
    assert vectors.cost_ == pytest.approx(vectors.cost(vectors.labels_, X), rel=1e-12)
    assert vectors.n_clusters_ == 4
    assert vectors.probabilities_.shape == (len(X), 4)
    assert vectors.trajectory_.centroids.shape[2] == kmeans_vectors(vectors.open(X))[0].shape[1]


def test_relations_that_are_no_distances_are_embedded_too(rng: np.random.Generator) -> None:
    graph = gencap.datasets.correlation_graph(90, 3, complexity=0.0, noise=0.2, random_state=0)
    assert kmeans_vectors(gencap.similarity(graph.first, "precomputed"))[1] < -1.0
    found = gencap.PairwiseClustering(
        3, measure="precomputed", solver="embedding", n_init=3, random_state=0
    ).fit(graph.first)
    field = gencap.PairwiseClustering(3, measure="precomputed", n_init=3, random_state=0)
    assert found.cost_ == pytest.approx(field.fit(graph.first).cost_, rel=1e-9)
    assert gencap.hamming_capacity(found.labels_, graph.truth) == pytest.approx(np.log2(3))


def test_many_objects_need_vectors_of_their_own(rng: np.random.Generator) -> None:
    S = gencap.similarity(scipy.sparse.eye_array(5_001), "precomputed")
    with pytest.raises(ValueError, match="all eigenvectors of 5,001 objects"):
        gencap.PairwiseClustering(2, solver="embedding").fit(S)
    X = np.vstack([rng.normal(size=(3_000, 2)), rng.normal(size=(3_000, 2)) + 20.0])
    model = gencap.PairwiseClustering(2, solver="embedding", n_init=1, random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert len(np.unique(model.labels_[:3_000])) == 1


def test_annealing_yields_the_steps_among_vectors() -> None:
    X = SEPARATED.first
    model = gencap.PairwiseClustering(4, solver="embedding", n_init=1, random_state=0)
    steps = list(model.anneal(X))
    run = model.fit(X).trajectory_
    assert [step.beta for step in steps] == run.betas.tolist()
    assert [step.cost for step in steps] == run.costs.tolist()


def test_capacity_among_vectors_is_that_of_similarities() -> None:
    pair = SEPARATED.pair
    model = gencap.PairwiseClustering(4, solver="embedding", n_init=2, random_state=0)
    found = gencap.capacity(model, pair, null="gaussian", null_draws=2)
    field = gencap.capacity(model.set_params(solver="mean_field"), pair)
    # Four separated sources carry 2 bits on both roads, up to the sizes of the sources.
    assert found.bits == pytest.approx(field.bits, abs=1e-2)
    assert found.n_clusters == 4
    assert found.coupling == "merge"
    assert "gaussian" in found.null
    names = gencap.Instances([pair.first, pair.second, pair.first])
    three = gencap.capacity(model.set_params(solver="embedding"), names)
    assert len(three.bits_per_pair) == 3


def test_order_and_steps_among_vectors() -> None:
    model = gencap.PairwiseClustering(solver="embedding", n_init=1, random_state=0)
    order = gencap.select_order(model, SEPARATED.pair, [1, 2, 4, 6])
    assert order.best == 4
    seen: list[gencap.LiveStep] = []
    found = gencap.capacity(model.set_params(n_clusters=4), SEPARATED.pair, live=seen.append)
    assert found.curve is not None
    assert [step.beta for step in seen] == found.curve.beta.tolist()
    assert order.capacities[4].bits == found.bits


def test_pairs_of_similarities_are_embedded(rng: np.random.Generator) -> None:
    pair = gencap.Pair(
        *(gencap.similarity(x, "euclidean") for x in (SEPARATED.first, SEPARATED.second))
    )
    model = gencap.PairwiseClustering(4, solver="embedding", n_init=2, random_state=0)
    found = gencap.capacity(model, pair, null="independent", null_draws=2)
    assert found.bits == pytest.approx(2.0, abs=0.05)
    assert found.null["independent"].bits < 0.5
