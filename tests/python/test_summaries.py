"""Planes, paths, co-clustering, profiles, label tables and spectra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from report_samples import make_capacity
from sklearn.decomposition import PCA

import gencap
from gencap.summaries import (
    center_paths,
    cluster_probabilities,
    cluster_profiles,
    coclustering,
    eigenspectrum,
    label_table,
    ordered_similarity,
    project,
)

# --- project ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(50, 4), (7, 30), (30, 30), (5, 2)])
def test_the_plane_is_that_of_scikit_learn(rng, shape) -> None:
    X = rng.standard_normal(shape) * np.arange(1, shape[1] + 1)
    ours, theirs = project(X), PCA(2).fit(X)
    # Axes have no sign; eigenvectors of a Gram matrix lose half the digits where gaps are small.
    np.testing.assert_allclose(abs(ours.coordinates), abs(theirs.transform(X)), atol=1e-6)
    np.testing.assert_allclose(ours.explained, theirs.explained_variance_ratio_, atol=1e-9)
    assert ours.kind == "pca"


def test_random_projection_finds_the_same_plane(rng, monkeypatch) -> None:
    X = rng.standard_normal((60, 40))
    X[:, :2] *= 20  # two axes stand out, so the plane is well defined
    exact = project(X)
    monkeypatch.setattr("gencap.summaries._projection.EXACT_SIDE", 10)
    rough = project(X, random_state=3)
    np.testing.assert_allclose(rough.coordinates, exact.coordinates, atol=1e-3)
    np.testing.assert_allclose(project(X, random_state=3).coordinates, rough.coordinates)


def test_the_largest_coordinate_of_every_axis_is_positive(rng) -> None:
    plane = project(rng.standard_normal((40, 5))).coordinates
    assert (plane[abs(plane).argmax(axis=0), [0, 1]] > 0).all()


def test_one_column_fills_the_second_axis_with_zeros() -> None:
    plane = project([[1.0], [2.0], [6.0]])
    np.testing.assert_allclose(abs(plane.coordinates[:, 0]), [2.0, 1.0, 3.0])
    assert not plane.coordinates[:, 1].any()
    np.testing.assert_allclose(plane.explained, [1.0, 0.0])


@pytest.mark.parametrize("X", [np.ones((6, 3)), np.zeros((1, 4)), np.ones((1, 1))])
def test_nothing_varies(X) -> None:
    plane = project(X)
    assert plane.coordinates.shape == (len(X), 2)
    np.testing.assert_allclose(plane.coordinates, 0.0, atol=1e-12)
    np.testing.assert_allclose(plane.explained, 0.0)


def test_many_rows_need_no_square_matrix(rng) -> None:
    X = rng.standard_normal((100_000, 3))
    plane = project(X)
    assert plane.coordinates.shape == (100_000, 2)
    # All axes are alike: each holds a third, to the precision of 100,000 draws.
    np.testing.assert_allclose(plane.explained, 1 / 3, atol=0.01)


@pytest.mark.parametrize("measure", ["pearson", "path", "cosine", "sqeuclidean"])
def test_many_rows_can_be_embedded_by_measures_with_a_cheap_form(rng, measure) -> None:
    X = np.vstack([rng.standard_normal((1500, 4)), rng.standard_normal((1500, 4)) + 12])
    plane = project(X, measure=measure)
    assert plane.kind == "embedding"
    assert plane.coordinates.shape == (3000, 2)
    assert np.isfinite(plane.coordinates).all()
    assert 0 < plane.explained[0] <= 1


def test_distances_without_a_cheap_form_are_refused_for_many_rows(monkeypatch) -> None:
    monkeypatch.setattr("gencap.summaries._spectrum.MOST_ON_THE_FLY", 50)
    X = np.random.default_rng(0).standard_normal((60, 2))
    rows = gencap.similarity(X, "euclidean", dense=False)
    with pytest.raises(ValueError, match=r"'euclidean' has no cheap form for 60 objects"):
        project(rows)


def test_squared_distances_are_embedded_where_the_components_are(rng) -> None:
    X = rng.standard_normal((30, 6)) * np.arange(1, 7)
    plain, embedded = project(X), project(X, measure="sqeuclidean")
    # Scaling: W = Q S Q / 2 with S = -|x - y|^2 is the Gram matrix of the centered rows.
    np.testing.assert_allclose(abs(embedded.coordinates), abs(plain.coordinates), atol=1e-8)
    np.testing.assert_allclose(embedded.explained, plain.explained, atol=1e-10)


def test_lanczos_and_full_decomposition_agree(rng, monkeypatch) -> None:
    X = rng.standard_normal((120, 5)) * [9, 5, 3, 2, 1]
    full = project(X, measure="path").coordinates
    monkeypatch.setattr("gencap.summaries._spectrum.SMALL", 10)
    # tolerance of the Lanczos iteration is 1e-8 of the eigenvalue; vectors have its root
    np.testing.assert_allclose(project(X, measure="path").coordinates, full, atol=1e-4)


def test_similarities_that_no_vectors_have_still_make_a_plane() -> None:
    S = np.array([[0.0, -1.0, 5.0], [-1.0, 0.0, -3.0], [5.0, -3.0, 0.0]])
    plane = project(gencap.similarity(S, "precomputed"))
    assert plane.explained.sum() <= 1.0 + 1e-12
    assert np.isfinite(plane.coordinates).all()


def test_centers_and_memberships_meet_at_the_cluster_means(rng) -> None:
    X = rng.standard_normal((40, 3))
    labels = np.arange(40) % 4
    plane = project(X)
    means = np.array([X[labels == k].mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(
        plane.project_centers(means), plane.project_memberships(np.eye(4)[labels]), atol=1e-12
    )


def test_an_empty_cluster_has_no_place(rng) -> None:
    plane = project(rng.standard_normal((4, 3)))
    places = plane.project_memberships(np.eye(2)[[0, 0, 0, 0]])
    assert np.isfinite(places[0]).all()
    assert np.isnan(places[1]).all()


def test_what_does_not_fit_the_plane_is_refused(rng) -> None:
    X = rng.standard_normal((10, 3))
    with pytest.raises(ValueError, match=r"3 columns of the projected table: got 2"):
        project(X).project_centers(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="project_memberships"):
        project(X, measure="pearson").project_centers(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"one row per projected object"):
        project(X).project_memberships(np.ones((9, 2)))
    with pytest.raises(ValueError, match="n_components"):
        project(X, 0)


# --- center_paths ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def four() -> gencap.datasets.Dataset:
    return gencap.datasets.gaussians(n_objects=60, variance=1.0, random_state=0)


def test_centroids_start_together_and_end_at_the_sources(four) -> None:
    found = gencap.capacity(gencap.CentroidClustering(4, random_state=0), four.pair)
    paths = center_paths(found, four.first)
    assert paths.coordinates.shape == (len(found.curve.beta), 4, 2)
    assert paths.masses.shape == paths.groups.shape == (len(paths.beta), 4)
    start, end = paths.coordinates[0], paths.coordinates[-1]
    # Sources lie 8 apart; before the first split all centers are at the mean.
    assert np.ptp(start, axis=0).max() < 1.0
    gaps = np.linalg.norm(end[:, None] - end, axis=2)[~np.eye(4, dtype=bool)]
    assert gaps.min() > 5.0


def test_graph_models_need_their_probabilities(four) -> None:
    model = gencap.PairwiseClustering(3, random_state=0)
    with pytest.raises(ValueError, match='keep="probabilities"'):
        center_paths(gencap.capacity(model, four.pair), four.first)
    kept = gencap.capacity(model, four.pair, keep="probabilities")
    paths = center_paths(kept, four.first)
    assert paths.coordinates.shape == (len(paths.beta), 3, 2)
    last = project(four.first).project_memberships(kept.path_probabilities[-1])
    np.testing.assert_allclose(paths.coordinates[-1], last)


def test_a_plane_of_similarities_takes_memberships(four) -> None:
    model = gencap.CentroidClustering(4, random_state=0)
    kept = gencap.capacity(model, four.pair, keep="probabilities")
    paths = center_paths(kept, four.first, measure="path")
    assert np.isfinite(paths.coordinates[-1]).all()


def test_the_plane_can_be_given(four) -> None:
    found = gencap.capacity(gencap.CentroidClustering(2, random_state=0), four.pair)
    plane = project(four.first)
    given = center_paths(found, None, projection=plane).coordinates
    np.testing.assert_array_equal(given, center_paths(found, four.first).coordinates)


def test_centers_of_another_space_are_refused(four) -> None:
    found = gencap.capacity(gencap.CentroidClustering(2, random_state=0), four.pair)
    with pytest.raises(ValueError, match=r"whose 2 columns the centers live: got 3 columns"):
        center_paths(found, np.random.default_rng(0).standard_normal((60, 3)))
    with pytest.raises(ValueError, match="got an embedding"):
        center_paths(found, four.first, measure="pearson")


def test_results_without_an_annealing_are_refused() -> None:
    with pytest.raises(ValueError, match="no annealing"):
        center_paths(make_capacity(trajectories=()), np.zeros((3, 2)))


# --- coclustering ----------------------------------------------------------------------------


def naive_codes(a, b, order):
    return [[int(a[i] == a[j]) + 2 * int(b[i] == b[j]) for j in order] for i in order]


def test_codes_against_two_loops(rng) -> None:
    a, b = rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    both = coclustering(a, b)
    assert sorted(both.order) == list(range(30))
    np.testing.assert_array_equal(both.codes, naive_codes(a, b, both.order))
    upper = both.codes[np.triu_indices(30, 1)]
    for code in range(4):
        assert both.shares[code] == pytest.approx((upper == code).mean())


def test_the_reference_makes_blocks_largest_first() -> None:
    a = np.array(["x", "y", "y", "x", "y", "z"])
    both = coclustering(a, [0, 1, 1, 0, 0, 0])
    assert a[both.order].tolist() == ["y", "y", "y", "x", "x", "z"]
    assert both.borders.tolist() == [3, 5]
    # within the block of y, the larger cluster of the alternative (0) comes first
    assert both.order.tolist() == [4, 1, 2, 0, 3, 5]


def test_equal_clusterings_know_two_colors(rng) -> None:
    a = rng.integers(0, 5, 40)
    both = coclustering(a, 10 - a)
    assert set(both.codes.ravel()) == {0, 3}
    assert both.shares[1] == both.shares[2] == 0.0


def test_many_objects_are_thinned_out_evenly(rng) -> None:
    a = np.repeat([0, 1, 2], [60_000, 30_000, 10_000])
    b = rng.integers(0, 3, 100_000)
    both = coclustering(a, b, max_objects=100)
    assert both.codes.shape == (100, 100)
    assert both.n_objects == 100_000
    assert both.borders.tolist() == [60, 90]
    # shares are of all pairs: P(same a) = 0.46, independent of b with P(same b) = 1/3
    assert both.shares[3] == pytest.approx(0.46 / 3, abs=0.005)


def test_a_given_order_is_kept(rng) -> None:
    both = coclustering([0, 1, 0], [0, 0, 1], order=[2, 1])
    assert both.order.tolist() == [2, 1]
    assert both.codes.tolist() == [[3, 0], [0, 3]]


@pytest.mark.parametrize("order", [[0, 3], [-1], [[0]], [0.5], []])
def test_orders_that_name_no_objects_are_refused(order) -> None:
    with pytest.raises(ValueError, match="order must list objects"):
        coclustering([0, 1, 0], [0, 0, 1], order=order)


def test_clusterings_of_different_objects_are_refused() -> None:
    with pytest.raises(ValueError, match="got 2 and 3 labels"):
        coclustering([0, 1], [0, 1, 1])


def test_one_object() -> None:
    both = coclustering([4], [2])
    assert both.codes.tolist() == [[3]]
    assert both.shares == {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0}


# --- ordered_similarity ----------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["pearson", "euclidean", "sqeuclidean", "path", "cosine"])
def test_thinned_similarities_are_entries_of_the_whole(rng, measure) -> None:
    X = rng.standard_normal((150, 4))
    labels = rng.integers(0, 3, 150)
    matrix, order = ordered_similarity(X, labels, measure, max_objects=90)
    S = gencap.similarity(X, measure, dense=False)
    np.testing.assert_allclose(matrix, S.toarray()[np.ix_(order, order)], atol=1e-9)
    assert matrix.shape == (90, 90)
    sizes = np.bincount(labels)
    assert (np.diff(sizes[labels[order]]) <= 0).all()


def test_similarities_as_they_are(rng) -> None:
    S = rng.standard_normal((6, 6))
    S = S + S.T
    labels = [1, 0, 1, 0, 0, 2]
    matrix, order = ordered_similarity(S, labels)
    assert order.tolist() == [1, 3, 4, 0, 2, 5]
    np.testing.assert_allclose(matrix, S[np.ix_(order, order)])
    thin, some = ordered_similarity(gencap.similarity(S, "precomputed"), labels, max_objects=3)
    np.testing.assert_allclose(thin, S[np.ix_(some, some)])


def test_labels_of_other_objects_are_refused(rng) -> None:
    with pytest.raises(ValueError, match=r"got 3 for 4 objects"):
        ordered_similarity(rng.standard_normal((4, 2)), [0, 1, 0], "pearson")


# --- cluster_profiles ------------------------------------------------------------------------


def test_profiles_against_pandas(rng) -> None:
    X = pd.DataFrame(rng.standard_normal((30, 3)), columns=["a", "b", "c"])
    labels = np.array(["low", "high", "mid"])[rng.integers(0, 3, 30)]
    profiles = cluster_profiles(X, labels)
    grouped = X.groupby(labels)
    for kind, expected in (("mean", grouped.mean()), ("sd", grouped.std())):
        wide = profiles.pivot(index="cluster", columns="column", values=kind)
        np.testing.assert_allclose(wide.to_numpy(), expected.to_numpy())
    assert list(profiles.columns) == ["cluster", "column", "mean", "sd", "n"]
    assert profiles.groupby("cluster")["n"].first().sum() == 30
    assert list(profiles["column"][:3]) == ["a", "b", "c"]


def test_columns_without_names_are_numbered() -> None:
    assert cluster_profiles(np.eye(2), [0, 0])["column"].tolist() == [1, 2]
    named = cluster_profiles(np.eye(2), [0, 0], columns=["x", "y"])
    assert named["column"].tolist() == ["x", "y"]


def test_columns_with_equal_names_stay_apart() -> None:
    X = pd.DataFrame([[1.0, 5.0], [3.0, 7.0]], columns=["t", "t"])
    assert cluster_profiles(X, [0, 0])["mean"].tolist() == [2.0, 6.0]


def test_profiles_refuse_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="got 3 for 2 rows"):
        cluster_profiles(np.eye(2), [0, 0, 1])
    with pytest.raises(ValueError, match="got 1 names for 2 columns"):
        cluster_profiles(np.eye(2), [0, 0], columns=["x"])


# --- label_table -----------------------------------------------------------------------------


def hard(labels, probabilities, groups, names=None):
    return replace(
        make_capacity(),
        labels=np.asarray(labels),
        probabilities=np.asarray(probabilities, dtype=float),
        groups=np.asarray(groups),
        names=names,
    )


def test_coincident_centers_are_one_cluster() -> None:
    result = hard([0, 1], [[0.5, 0.4, 0.1], [0.1, 0.1, 0.8]], [0, 0, 1])
    np.testing.assert_allclose(cluster_probabilities(result), [[0.9, 0.1], [0.2, 0.8]])
    table = label_table(result, names=["a", "b"])
    assert table["name"].tolist() == ["a", "b"]
    assert table["cluster"].tolist() == [1, 2]
    assert table["second_choice"].tolist() == [2, 1]
    np.testing.assert_allclose(table["confidence"], [0.9, 0.8])
    np.testing.assert_allclose(table["second_confidence"], [0.1, 0.2])


def test_names_come_from_the_result_or_count_from_one() -> None:
    result = hard([0, 0], [[1.0], [1.0]], [0], names=np.array(["p", "q"], dtype=object))
    assert label_table(result)["name"].tolist() == ["p", "q"]
    assert label_table(replace(result, names=None))["name"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="got 1 for 2 labels"):
        label_table(result, names=["only"])


def test_a_single_cluster_has_no_second_choice() -> None:
    table = label_table(hard([0, 0], [[1.0], [1.0]], [0]))
    assert table["second_choice"].isna().all()
    assert table["second_confidence"].isna().all()


def test_hard_labels_are_certain() -> None:
    table = label_table(hard([0, 2], np.zeros((2, 0)), np.zeros(0, dtype=int)))
    assert table["confidence"].tolist() == [1.0, 1.0]
    assert table["cluster"].tolist() == [1, 3]


def test_confidence_of_a_real_result(four) -> None:
    found = gencap.capacity(gencap.CentroidClustering(4, random_state=0), four.pair)
    table = label_table(found)
    assert (table["confidence"] + table["second_confidence"] <= 1 + 1e-9).all()
    assert (table["confidence"] >= table["second_confidence"]).all()
    assert (table["cluster"].to_numpy() == found.labels + 1).all()


# --- eigenspectrum ---------------------------------------------------------------------------


def test_spectrum_of_squared_distances_is_that_of_the_covariance(rng) -> None:
    X = rng.standard_normal((50, 4))
    values = eigenspectrum(X, 10, measure="sqeuclidean")
    gram = np.linalg.eigvalsh(np.cov(X.T) * 49)[::-1]
    np.testing.assert_allclose(values[:4], gram, rtol=1e-9)
    np.testing.assert_allclose(values[4:], 0.0, atol=1e-9)


def test_a_shift_changes_nothing(rng) -> None:
    S = gencap.similarity(rng.standard_normal((30, 3)), "euclidean")
    np.testing.assert_allclose(eigenspectrum(S, 5), eigenspectrum(S.shifted(3.0), 5), atol=1e-9)


def test_leading_values_without_the_matrix(rng, monkeypatch) -> None:
    X = rng.standard_normal((80, 12))
    full = eigenspectrum(X, 5, measure="pearson")
    monkeypatch.setattr("gencap.summaries._spectrum.SMALL", 10)
    np.testing.assert_allclose(eigenspectrum(X, 5, measure="pearson"), full, rtol=1e-6)


def test_no_more_values_than_objects() -> None:
    assert eigenspectrum(np.eye(3), 50).shape == (3,)
    with pytest.raises(ValueError, match="n_values"):
        eigenspectrum(np.eye(3), 0)


def test_path_distances_have_the_sharper_spectrum(rng) -> None:
    """Figure 56 of the thesis: the more informative measure confines to fewer dimensions."""
    X = np.vstack([rng.standard_normal((40, 8)) + 6 * np.eye(8)[k] for k in range(3)])
    path, euclid = (eigenspectrum(X, 20, measure=m) for m in ("path", "euclidean"))
    # share of the first two of the shown: three clusters span a plane
    assert path[:2].sum() / path.sum() > euclid[:2].sum() / euclid.sum()
