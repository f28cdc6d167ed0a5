"""The resolution of a sparse graph, chosen by capacity."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.metrics import adjusted_rand_score

import gencap
from gencap.networks import neighbor_network
from gencap.resolution import EDGE_HALVES, FEATURE_HALVES, GIVEN, Resolution, select_resolution


def blocks(rng, sizes=(30, 40, 50), inside=0.5, outside=0.02):
    """A random graph with denser groups."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(truth[:, None] == truth, inside, outside)
    upper = np.triu(rng.random(chance.shape) < chance, 1).astype(float)
    return scipy.sparse.csr_array(upper + upper.T), truth


@pytest.fixture(scope="module")
def planted():
    graph, truth = blocks(np.random.default_rng(5))
    with pytest.warns(gencap.OptimisticPairingWarning, match="halves of one graph's edges"):
        found = select_resolution(graph, n_clusters=8, n_splits=2, random_state=0)
    return graph, truth, found


def test_planted_groups_are_found(planted):
    _, truth, found = planted
    assert isinstance(found, Resolution)
    assert found.optimistic
    assert found.instances == EDGE_HALVES
    # Three groups of 30, 40, 50 hold 1.555 bits; half of the edges leaves few objects in doubt.
    assert 1.35 < found.bits[found.best] <= 1.556
    assert adjusted_rand_score(found.labels, truth) > 0.95
    assert np.bincount(found.labels).tolist() == sorted(np.bincount(truth), reverse=True)


def test_the_choice_is_the_coarsest_within_the_tolerance(planted):
    found = planted[2]
    top = found.bits.max()
    spread = found.bits_sd[found.bits.idxmax()]
    slack = max(0.01, spread)
    enough = found.bits[found.bits >= top - slack]
    assert found.best in enough.index
    # Coarser ones were passed over only because the cold clusters of the whole graph are too few.
    for value in enough.index[enough.index < found.best]:
        model = gencap.CorrelationClustering(
            8, shift=-value, measure="precomputed", solver="search", n_init=2, random_state=0
        )
        sizes = np.bincount(model.fit(planted[0]).labels_)
        shares = sizes[sizes > 0] / sizes.sum()
        assert -(shares * np.log2(shares)).sum() < 0.9 * found.bits[value] - slack
    assert found.best in found.values
    assert found.to_frame().columns.tolist() == ["resolution", "bits", "bits_sd", "n_clusters"]


def test_labels_compared_agree_with_the_annealing(planted):
    graph, truth, annealed = planted
    with pytest.warns(gencap.OptimisticPairingWarning):
        searched = select_resolution(
            graph, n_clusters=8, n_splits=2, weights="hamming", random_state=0
        )
    assert {c.weights for c in searched.capacities.values()} == {"hamming"}
    assert adjusted_rand_score(searched.labels, truth) > 0.95
    # Weights on one labeling each: never far from the maximum over temperatures.
    assert abs(searched.bits.max() - annealed.bits.max()) < 0.25


def test_features_give_honest_halves(rng):
    centers = 3.0 * rng.normal(size=(4, 12))
    truth = np.repeat(np.arange(4), 30)
    x = centers[truth] + rng.normal(size=(120, 12))
    for found in (
        select_resolution(features=x, n_clusters=8, n_splits=2, n_neighbors=8, random_state=1),
        select_resolution(
            neighbor_network(x, 8), n_clusters=8, n_splits=2, n_neighbors=8, random_state=1
        ),
    ):
        assert found.instances == FEATURE_HALVES
        assert not found.optimistic
        assert adjusted_rand_score(found.labels, truth) > 0.9
        assert found.bits[found.best] > 1.6


def test_a_second_graph_is_taken_as_it_is(rng):
    first, truth = blocks(rng)
    second, _ = blocks(rng)
    found = select_resolution(first, second=second, n_clusters=6, random_state=0)
    assert found.instances == GIVEN
    assert not found.optimistic
    assert adjusted_rand_score(found.labels, truth) > 0.95
    assert np.isnan(found.bits_sd[found.best])


def test_a_random_graph_has_no_reliable_structure(rng):
    graph, _ = blocks(rng, inside=0.1, outside=0.1)
    other, _ = blocks(rng, inside=0.1, outside=0.1)
    found = select_resolution(graph, second=other, n_clusters=6, null_draws=19, random_state=0)
    assert found.verdict_text == "no reliable structure"


def test_planted_groups_exceed_random_graphs(rng):
    first, _ = blocks(rng)
    second, _ = blocks(rng)
    unit = first.sum() / (120 * 119)
    found = select_resolution(
        first,
        second=second,
        resolutions=[unit, 2 * unit],
        n_clusters=6,
        null_draws=19,
        random_state=0,
    )
    assert found.null["independent"].p_value == pytest.approx(0.05)
    assert found.verdict_text == "clusters"


def test_names_come_along(rng):
    graph, _ = blocks(rng, sizes=(15, 15))
    rows, columns = scipy.sparse.triu(graph).nonzero()
    edges = pd.DataFrame({"from": [f"n{i}" for i in rows], "to": [f"n{i}" for i in columns]})
    with pytest.warns(gencap.OptimisticPairingWarning):
        found = select_resolution(
            edges, n_clusters=4, n_splits=1, resolutions=[0.2], random_state=0
        )
    assert sorted(found.names) == sorted({*edges["from"], *edges["to"]})
    cells = SimpleNamespace(
        obsp={"connectivities": graph}, obs_names=pd.Index([f"c{i}" for i in range(30)])
    )
    with pytest.warns(gencap.OptimisticPairingWarning):
        found = select_resolution(
            cells, n_clusters=4, n_splits=1, resolutions=[0.2], random_state=0
        )
    assert found.names[3] == "c3"


def test_threads_do_not_change_a_bit(rng):
    first, _ = blocks(rng, sizes=(20, 20))
    second, _ = blocks(rng, sizes=(20, 20))
    for weights in ("boltzmann", "hamming"):
        one, two, eight = (
            select_resolution(
                first,
                second=second,
                resolutions=[0.1, 0.3],
                n_clusters=4,
                weights=weights,
                random_state=3,
                n_jobs=jobs,
            )
            for jobs in (1, 2, 8)
        )
        assert one.to_frame().equals(two.to_frame())
        assert one.to_frame().equals(eight.to_frame())
        assert (one.labels == eight.labels).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "both missing"),
        ({"graph": np.eye(5)}, "no edge between different objects"),
        ({"features": np.ones((9, 2)), "n_neighbors": 9}, "choose 8 or fewer"),
        ({"features": np.ones((9, 2)), "n_neighbors": 2, "resolutions": []}, "at least one"),
        ({"features": np.ones((9, 2)), "n_neighbors": 2, "weights": "votes"}, "weights"),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        select_resolution(**arguments)


def test_second_graph_of_another_size(rng):
    graph, _ = blocks(rng, sizes=(10, 10))
    other, _ = blocks(rng, sizes=(10, 12))
    with pytest.raises(ValueError, match="got 22 for 20"):
        select_resolution(graph, second=other)


def test_it_can_be_cancelled(rng):
    graph, _ = blocks(rng, sizes=(60, 60))
    other, _ = blocks(rng, sizes=(60, 60))

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select_resolution(graph, second=other, n_clusters=20, n_init=20, progress=stop)
