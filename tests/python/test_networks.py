"""Sparse graphs in all the forms they come in, and their halves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from gencap._square import AsymmetryWarning
from gencap.networks import Network, edge_halves, edge_network, neighbor_network, open_network

RING = scipy.sparse.csr_array(np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1))


def annotated(**known):
    """What AnnData looks like from outside."""
    names = pd.Index([f"cell {i}" for i in range(6)])
    return SimpleNamespace(obsp={"connectivities": RING}, obs_names=names, **known)


def test_sparse_and_dense_graphs_are_the_same():
    sparse, dense = open_network(RING), open_network(RING.toarray())
    assert (sparse.weights != dense.weights).nnz == 0
    assert sparse.n_objects == 6
    assert sparse.n_edges == 6
    assert sparse.density == pytest.approx(12 / 30)


def test_loops_are_dropped():
    with_loops = scipy.sparse.csr_array(RING + 5.0 * scipy.sparse.eye_array(6))
    assert (open_network(with_loops).weights != RING).nnz == 0


def test_a_graph_one_way_becomes_symmetric_with_a_warning():
    one_way = scipy.sparse.csr_array(np.roll(np.eye(5), 1, axis=1))
    with pytest.warns(AsymmetryWarning):
        found = open_network(one_way).weights
    assert (found != found.T).nnz == 0


def test_frames_of_similarities_keep_their_names():
    names = list("abcdef")
    frame = pd.DataFrame(RING.toarray(), index=names, columns=names)
    assert open_network(frame).names.tolist() == names


def test_a_square_frame_of_edges_is_no_matrix():
    frame = pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"]})
    assert open_network(frame).n_objects == 3


@pytest.mark.parametrize("make", [lambda t: t, lambda t: t.to_numpy()])
def test_edges_by_name(make):
    table = pd.DataFrame(
        {"from": ["b", "a", "c"], "to": ["a", "c", "a"], "weight": [2.0, 1.0, 4.0]}
    )
    net = edge_network(make(table))
    assert net.names.tolist() == ["a", "b", "c"]
    assert net.weights.toarray().tolist() == [[0, 2, 5], [2, 0, 0], [5, 0, 0]]


def test_edges_by_number_and_loops():
    net = edge_network(np.array([[10, 20], [20, 20], [20, 30]]))
    assert net.names.tolist() == [10, 20, 30]
    assert net.n_edges == 2


def test_names_of_several_kinds_stay_in_order():
    net = edge_network(pd.DataFrame({"from": ["x", 3], "to": [3, "a"]}))
    assert net.names.tolist() == ["x", 3, "a"]


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        (np.zeros((0, 2)), "at least one row"),
        (np.zeros((4, 5)), "4 rows and 5 columns"),
        (pd.DataFrame({"from": ["a", None], "to": ["b", "c"]}), "row 1 lacks one"),
        ([["a", "b", 1.0], ["b", "c", "heavy"]], "row 1 has 'heavy'"),
        ([["a", "b", np.inf]], "row 0 has 'inf'"),
        ([["a", "a"]], "no edge between different objects"),
    ],
)
def test_bad_edges_are_named(edges, words):
    with pytest.raises(ValueError, match=words):
        edge_network(edges)


def test_annotated_data_by_its_looks():
    table = np.arange(12.0).reshape(6, 2)
    net = open_network(annotated(X=table))
    assert net.names[2] == "cell 2"
    assert (net.features == table).all()
    assert open_network(annotated()).features is None
    with pytest.raises(ValueError, match=r"no \.obsp\['distances'\].*connectivities"):
        open_network(annotated(), obsp="distances")


def test_features_must_fit():
    with pytest.raises(ValueError, match="5 rows for 6 objects"):
        open_network(RING, features=np.zeros((5, 2)))


def test_opening_a_network_again_changes_nothing():
    net = open_network(RING)
    assert open_network(net) is net
    assert open_network(net, features=np.ones((6, 3))).features.shape == (6, 3)


def test_neighbors_are_the_nearest(rng):
    x = rng.normal(size=(40, 3))
    net = neighbor_network(x, 4)
    distance = cdist(x, x)
    np.fill_diagonal(distance, np.inf)
    expected = np.zeros((40, 40))
    np.put_along_axis(expected, np.argsort(distance, axis=1)[:, :4], 1.0, axis=1)
    assert (net.weights.toarray() == np.maximum(expected, expected.T)).all()


def test_wide_tables_are_reduced_and_sparse_ones_too(rng):
    centers = np.repeat(np.eye(3) * 10, 20, axis=0)
    x = np.hstack([centers, rng.normal(size=(60, 90))])
    truth = np.repeat(np.arange(3), 20)
    for table in (x, scipy.sparse.csr_matrix(x)):
        rows, columns = neighbor_network(table, 5, random_state=0).weights.nonzero()
        # Chance would leave a third of the edges inside; separated groups leave nearly all.
        assert (truth[rows] == truth[columns]).mean() > 0.9


def test_too_many_neighbors():
    with pytest.raises(ValueError, match="choose 3 or fewer"):
        neighbor_network(np.zeros((4, 1)), 4)


@given(st.integers(0, 2**32 - 1), st.integers(5, 40))
def test_halves_deal_every_edge_once(seed, n):
    rng = np.random.default_rng(seed)
    dense = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    dense[0, 1], dense[1, 2] = 0.3, 0.7
    whole = open_network(scipy.sparse.csr_array(dense + dense.T))
    one, two = edge_halves(whole, seed)
    assert abs(one.n_edges - two.n_edges) <= 1
    assert (one.weights.multiply(two.weights)).nnz == 0
    # Each entry comes from one half only: no rounding.
    assert ((one.weights + two.weights) != whole.weights).nnz == 0
    again, _ = edge_halves(whole, seed)
    assert (again.weights != one.weights).nnz == 0


def test_one_edge_cannot_be_halved():
    with pytest.raises(ValueError, match="two edges"):
        edge_halves(edge_network([[0, 1]]))


def test_repr_says_what_it_is():
    assert repr(Network(RING)) == "<Network of 6 objects, 6 edges>"
