"""What a comparison takes, what it leaves out, what it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.cluster import KMeans

import gencap
from gencap import Annealing, Pair, PairwiseClustering, compare, similarity

FAST = Annealing(n_steps=20, tol=1e-2, max_iter=20)


def clusters(n=60, d=6, seed=0, distance=4.0):
    rng = np.random.default_rng([5, seed])
    centers = distance * rng.standard_normal((3, d))
    return centers[np.arange(n) % 3] + rng.standard_normal((n, d))


def quick(data, models=("centroid", "correlation"), measures=("pearson",), k=(2, 3, 4), **more):
    options = {"n_splits": 2, "null_draws": 1, "final_draws": 5, "annealing": FAST, "n_jobs": 2}
    return compare(data, models, measures, k, **{**options, **more})


# --- what it takes ---------------------------------------------------------------------------


def test_a_second_measurement_is_one_pair():
    rng = np.random.default_rng(0)
    first = clusters()
    found = quick(first, second=first + 0.1 * rng.standard_normal(first.shape), final_draws=0)
    assert (found.table["n_splits"] == 1).all()
    assert found.table["bits_sd"].isna().all()
    assert found.settings["instances"] == "two measurements"


def test_lists_of_pairs_and_instances_are_averaged():
    data = clusters()
    noisy = [data + 0.1 * np.random.default_rng(i).standard_normal(data.shape) for i in range(3)]
    pairs = [Pair(noisy[0], noisy[1]), Pair(noisy[1], noisy[2])]
    assert (quick(pairs, final_draws=0).table["n_splits"] == 2).all()
    assert (quick(gencap.Instances(noisy), final_draws=0).table["n_splits"] == 3).all()


def test_data_sets_go_by_name():
    found = quick("iris", ["centroid"], final_draws=0)
    assert found.settings["n_objects"] == 150
    graphs = quick("correlation_graph", ["correlation"], None, k=[2, 3], final_draws=0)
    assert set(graphs.table["measure"]) == {"precomputed"}
    with pytest.raises(ValueError, match="not the name of a data set"):
        quick("no such set")


def test_one_column_splits_the_objects_and_says_so():
    data = np.concatenate([np.zeros(30), np.full(30, 9.0)])[:, None]
    data += np.random.default_rng(0).standard_normal(data.shape)
    found = quick(data, ["centroid"], final_draws=0)
    assert found.table["optimistic"].all()
    assert any("one column" in note for note in found.notes)
    assert any("ptimistic" in note for note in found.notes)
    assert found.settings["n_objects"] == 30


def test_pearson_of_two_columns_is_left_out_unless_named():
    data = clusters(40, 4)
    found = quick(data, ["correlation"], None, final_draws=0)
    assert "pearson" not in set(found.table["measure"])
    assert any("pearson was left out" in note for note in found.notes)
    named = quick(data, ["correlation"], ["pearson"], final_draws=0)
    assert set(named.table["measure"]) == {"pearson"}


def test_scikit_learn_clusterers_take_part():
    found = quick(clusters(), ["centroid", KMeans(n_init=1, random_state=0)], final_draws=3)
    rows = found.table[found.table["model"] == "KMeans"]
    assert rows["beta"].isna().all()
    assert rows.set_index("n_clusters").loc[3, "bits"] > 1.0
    assert ("KMeans", "") in found.solutions


def test_models_with_settings_of_their_own_keep_them_and_their_names_differ():
    models = [
        PairwiseClustering(measure="cosine", annealing=FAST, n_init=1),
        PairwiseClustering(measure="cosine", annealing=FAST, n_init=2),
    ]
    found = quick(clusters(40), models, None, final_draws=0, null_draws=0)
    assert set(found.table["model"]) == {"pairwise", "pairwise (2)"}
    assert set(found.table["measure"]) == {"cosine"}


def sparse_graphs(n=60, seed=0):
    """Two noisy measurements of three blocks."""
    rng = np.random.default_rng(seed)
    same = (np.arange(n)[:, None] % 3) == (np.arange(n)[None, :] % 3)
    out = []
    for _ in range(2):
        edges = np.triu(rng.random((n, n)) < np.where(same, 0.6, 0.05), 1)
        out.append(scipy.sparse.csr_array((edges + edges.T).astype(float)))
    return out


@pytest.mark.parametrize("form", ["sparse", "similarity", "pair", "tuples"])
def test_graphs_are_compared_by_the_models_that_can(form):
    first, second = sparse_graphs()
    data, other, measures = first, second, None
    if form == "similarity":
        data, other = (similarity(x, "precomputed") for x in (first, second))
    if form == "pair":
        data, other = Pair(first.toarray(), second.toarray()), None
        measures = ["precomputed"]
    if form == "tuples":
        data, other = [(first, second)], None
    found = quick(data, ["correlation", "pairwise"], measures, second=other, final_draws=9)
    assert set(found.table["measure"]) == {"precomputed"}
    assert found.best["n_clusters"] == 3
    assert found.verdict == "structure"
    assert "cannot tell" in found.verdict_text
    assert "gaussian" not in found.null
    assert found.table["null_gaussian"].isna().all()


def test_vector_models_are_left_out_of_graphs():
    first, second = sparse_graphs()
    found = quick(first, ["centroid", "correlation"], None, second=second, final_draws=0)
    assert set(found.table["model"]) == {"correlation"}
    assert any("Centroid was left out" in note for note in found.notes)


def test_the_edges_of_a_single_graph_are_halved_and_it_says_so():
    graph = sparse_graphs(90)[0]
    found = quick(graph, ["correlation"], None, n_splits=2, final_draws=9)
    assert found.table["optimistic"].all()
    assert (found.table["n_splits"] == 2).all()
    assert found.settings["instances"] == "random halves of the edges"
    assert any("Optimistic instances" in note for note in found.notes)
    assert found.best["n_clusters"] == 3
    with pytest.raises(TypeError, match="second="):
        quick(similarity(graph, "precomputed"), ["correlation"], None)


# --- what it refuses or mends ----------------------------------------------------------------


def test_more_clusters_than_objects_are_cut_by_default_and_refused_if_asked_for():
    data = clusters(6)
    found = compare(data, "centroid", n_splits=1, null_draws=0, final_draws=0)
    assert found.table["n_clusters"].tolist() == [2, 3, 4, 5, 6]
    assert any("At most 6 clusters" in note for note in found.notes)
    with pytest.raises(ValueError, match=r"got 9 for 6 objects .* choose 6 or fewer"):
        quick(data, k=[2, 9])


def test_one_cluster_is_not_shown():
    found = quick(clusters(), ["centroid"], k=range(1, 4), final_draws=0)
    assert found.table["n_clusters"].tolist() == [2, 3]
    with pytest.raises(ValueError, match="2 or more"):
        quick(clusters(), k=[1])


def test_one_row_is_refused():
    with pytest.raises(ValueError, match=r"1 row.*transpose"):
        quick(np.ones((1, 6)))


def test_missing_values_are_named():
    data = clusters()
    data[3, 2] = np.nan
    with pytest.raises(ValueError, match="missing"):
        quick(data)


def test_a_constant_matrix_has_no_structure():
    models = ("centroid", "pairwise", "normalized_cut", "ratio_cut", "correlation", "dominant_sets")
    found = quick(np.ones((20, 6)), models, ("sqeuclidean", "pearson", "path"))
    assert found.verdict == "none"
    assert found.best["bits"] == 0.0
    assert any("identical" in note for note in found.notes)


def test_names_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="models must be one of"):
        quick(clusters(), ["kmeans"])
    with pytest.raises(ValueError, match="measures must be one of"):
        quick(clusters(), ["correlation"], ["manhattan"])
    with pytest.raises(ValueError, match="split must be one of"):
        quick(clusters(), split="columns")
    with pytest.raises(TypeError, match="names or scikit-learn clusterers"):
        quick(clusters(), [3])
    with pytest.raises(ValueError, match="at least one model"):
        quick(clusters(), [])
    with pytest.raises(ValueError, match="data are vectors"):
        quick(clusters(), ["correlation"], ["precomputed"])


def test_duplicated_names_do_no_harm():
    frame = pd.DataFrame(clusters(), index=["same"] * 60, columns=["x"] * 6)
    found = quick(frame, ["centroid"], final_draws=0)
    assert found.solutions["centroid", ""].names.tolist() == ["same"] * 60


def test_of_many_objects_dense_measures_are_left_out(monkeypatch):
    monkeypatch.setattr("gencap.comparison.plan.LARGE", 50)
    found = quick(clusters(), ["correlation"], ["euclidean", "pearson"], final_draws=0)
    assert set(found.table["measure"]) == {"pearson"}
    assert any("euclidean was left out" in n and "sqeuclidean" in n for n in found.notes)
    with pytest.raises(ValueError, match="nothing is left to compare"):
        quick(clusters(), ["correlation"], ["euclidean"], final_draws=0)


def test_of_many_objects_only_the_largest_probability_is_kept(monkeypatch):
    monkeypatch.setattr("gencap.comparison.tasks.MOST_PROBABILITIES", 50)
    found = quick(clusters(), ["centroid"], final_draws=0)
    solution = found.solutions["centroid", ""]
    assert solution.probabilities.shape == (60, 1)
    assert solution.confidence.shape == (60,)
