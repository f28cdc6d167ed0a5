"""The report of a comparison: figures, page, tables, words."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from comparison_samples import HEIGHTS, make_comparison, make_data, make_solution

from gencap.io import InputError
from gencap.report._coclustering_matrix import coclustering_matrix
from gencap.report._compared import best_solutions, candidate_title
from gencap.report._comparison_page import _shapes
from gencap.report._comparison_words import (
    comparison_sentence,
    comparison_warnings,
    lead_sentence,
)
from gencap.report._order_panels import order_panels
from gencap.report._profile_panels import _across, _middle, profile_panels
from gencap.report._ranking_bars import ranking_bars
from gencap.report._scan_panels import scan_panels
from gencap.report._spectra import spectra
from gencap.report.comparison import (
    comparison_plots,
    comparison_to_html,
    plot_comparison,
    write_comparison,
)

PNG = b"\x89PNG"
FEW = {("correlation", "pearson", math.nan): 1.5, ("pairwise", "pearson", math.nan): 1.2}


def draws_cleanly(plot):
    """Render both formats; any warning is an error under this suite's settings."""
    return plot.png().startswith(PNG) and b"<svg" in plot.svg()[:400]


@pytest.fixture(scope="module")
def comparison():
    return make_comparison()


@pytest.fixture(scope="module")
def data():
    return pd.DataFrame(make_data(), columns=[f"hour {i}" for i in range(8)])


@pytest.fixture(scope="module")
def folder(comparison, data, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "out"
    write_comparison(
        out, comparison, data, name="genes", description="Made up.", settings={"command": "test"}
    )
    return out


# --- words -----------------------------------------------------------------------------------


def test_the_sentence_has_winner_bits_and_nulls(comparison):
    text = comparison_sentence(comparison)
    assert text.startswith("Correlation clustering, Pearson with 5 clusters carries 1.52 ± 0.06")
    assert "independent columns: 0.01" in text
    assert "Gaussian continuum: 0.35" in text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("clusters", "more than any structureless twin"),
        ("continuum", "sections of a continuum"),
        ("uncalibrated", "draw the nulls"),
        ("structure", "random places"),
        ("none", "no more than chance"),
    ],
)
def test_every_verdict_has_its_sentence(verdict, words):
    assert words in comparison_sentence(make_comparison(verdict=verdict))


def test_nothing_measured_is_said():
    empty = make_comparison(heights={("centroid", "", math.nan): 0.0}, verdict="none")
    assert empty.winner is None
    assert "No model could be measured" in comparison_sentence(empty)


def test_a_clear_lead_is_more_than_noise(comparison):
    # 0.11 bits apart, noise of 0.04 on five splits: standard error near 0.025.
    text = lead_sentence(comparison)
    assert "ahead of Adaptive Ratio Cut (p = 1.2), Pearson" in text
    assert "paired over 5 splits" in text
    assert "more than the noise" in text


def test_a_small_lead_is_within_noise():
    close = {("pairwise", "pearson", math.nan): 1.001, ("pairwise", "path", math.nan): 1.0}
    assert "equally good" in lead_sentence(make_comparison(heights=close))


def test_one_split_cannot_tell():
    assert "single split" in lead_sentence(make_comparison(n_splits=1))


def test_one_candidate_leads_nobody():
    alone = make_comparison(heights={("pairwise", "pearson", math.nan): 1.0})
    assert lead_sentence(alone) == ""


def test_warnings_add_what_the_notes_do_not_say():
    assert comparison_warnings(make_comparison()) == ["Something was left out."]
    optimistic = make_comparison(optimistic=True)
    assert any("Optimistic pairing" in w for w in comparison_warnings(optimistic))
    told = make_comparison(optimistic=True, notes=("an optimistic pairing",))
    assert len(comparison_warnings(told)) == 1
    edge = make_comparison(ks=range(2, 5))
    assert any("largest number of clusters tried" in w for w in comparison_warnings(edge))
    bare = make_comparison(verdict="uncalibrated")
    assert any("No null distribution" in w for w in comparison_warnings(bare))


# --- figures ---------------------------------------------------------------------------------


def test_the_ranking_draws_every_candidate(comparison):
    plot = ranking_bars(comparison)
    assert draws_cleanly(plot)
    assert len(plot.table) == len(HEIGHTS)
    labels = [t.get_text() for t in plot.figure.axes[0].get_yticklabels()]
    assert labels[0] == "Correlation clustering, Pearson"


def test_a_long_ranking_is_cut_in_the_drawing_only():
    many = {(f"my very own estimator number {i}", "pearson", math.nan): 1.0 for i in range(40)}
    plot = ranking_bars(make_comparison(heights=many))
    assert len(plot.table) == 40
    assert len(plot.figure.axes[0].get_yticklabels()) == 30
    assert "best 30 of 40" in plot.caption
    assert draws_cleanly(plot)


def test_one_panel_per_model_with_the_winner_first(comparison):
    plot = order_panels(comparison)
    assert draws_cleanly(plot)
    titles = [axes.get_title(loc="left") for axes in plot.figure.axes]
    assert titles[0] == "Correlation clustering"
    assert len(titles) == 6
    heights = {axes.get_ylim() for axes in plot.figure.axes}
    assert len(heights) == 1  # one scale for all


@pytest.mark.parametrize("ks", [[2], [2, 3], range(2, 16)])
def test_panels_with_few_and_many_clusters(ks):
    assert draws_cleanly(order_panels(make_comparison(ks=ks)))


def test_scans_of_shift_and_power(comparison):
    plot = scan_panels(comparison)
    assert draws_cleanly(plot)
    assert len(plot.figure.axes) == 5
    assert {"model", "measure", "shift", "p", "bits"} <= set(plot.table.columns)
    labels = {axes.get_xlabel() for axes in plot.figure.axes}
    assert labels == {"power p", "shift of the similarities"}


def test_no_scan_no_figure():
    assert scan_panels(make_comparison(scans={})) is None
    single = pd.DataFrame({"shift": [0.0], "n_clusters": [2], "bits": [1.0], "bits_sd": [0.1]})
    assert scan_panels(make_comparison(scans={("correlation", "pearson"): single})) is None


def test_the_best_two_are_compared(comparison):
    titles = [title for title, _ in best_solutions(comparison)]
    assert titles[0] == "Correlation clustering, Pearson"
    assert titles[1] == "Adaptive Ratio Cut (p = 1.2), Pearson"
    plot = coclustering_matrix(comparison)
    assert draws_cleanly(plot)
    assert plot.heavy
    assert plot.table.to_numpy().sum() == 120


def test_solutions_of_other_objects_are_no_rivals(comparison):
    other = make_solution(np.arange(120) % 3, index=np.arange(120) + 5)
    solutions = {k: other for k in comparison.solutions}
    solutions["correlation", "pearson"] = comparison.solutions["correlation", "pearson"]
    assert coclustering_matrix(replace(comparison, solutions=solutions)) is None


def test_many_objects_are_thinned_out_in_the_matrix():
    big = make_comparison(n_objects=5_000)
    plot = coclustering_matrix(big)
    assert "800 of 5,000" in plot.caption


@pytest.mark.parametrize(("columns", "named"), [(1, True), (2, False), (79, True), (300, False)])
def test_profiles_of_any_width(columns, named):
    data = np.random.default_rng(0).standard_normal((60, columns))
    names = [f"condition {i}" for i in range(columns)] if named else None
    plot = profile_panels(data, np.arange(60) % 7, names)
    assert draws_cleanly(plot)
    assert len(plot.table) == 7 * columns
    assert set(plot.table["cluster"]) == set(range(1, 8))


def test_profiles_are_tables_in_the_users_units():
    data = np.array([[1.0, 1000.0], [3.0, 5000.0], [9.0, 9000.0], [5.0, 2000.0]])
    plot = profile_panels(data, np.array([0, 0, 1, 1]))
    assert plot.table["mean"].tolist() == [2.0, 3000.0, 7.0, 5500.0]
    assert "units differ" in plot.caption
    rows = profile_panels(data, np.array([0, 0, 1, 1]), measure="pearson")
    assert "compares patterns" in rows.caption
    assert rows.table["mean"].tolist() == [2.0, 3000.0, 7.0, 5500.0]


def test_only_the_largest_of_many_clusters_are_drawn():
    labels = np.repeat(np.arange(25), 4)
    plot = profile_panels(np.random.default_rng(0).standard_normal((100, 3)), labels)
    assert len(plot.figure.axes) == 16
    assert "9 smallest clusters are left out" in plot.caption
    assert len(plot.table) == 75


@pytest.mark.parametrize(
    ("panels", "columns", "across"), [(5, 8, 5), (6, 20, 3), (4, 79, 2), (1, 4, 1), (7, 8, 4)]
)
def test_panels_leave_few_places_empty(panels, columns, across):
    assert _across(panels, columns) == across


def test_long_names_keep_their_ends():
    assert _middle("a rather long condition number 12") == "a rather…number 12"
    assert _middle("short") == "short"


def test_spectra_have_a_line_per_measure():
    plot = spectra(make_data(), ["pearson", "", "path", "pearson"])
    assert draws_cleanly(plot)
    assert list(plot.table.columns) == ["pearson", "path"]
    assert plot.table.index.name == "number"
    assert spectra(make_data(), [""]) is None
    assert spectra(make_data()[:2], ["pearson"]) is None


def test_spectra_of_many_objects_take_a_sample(monkeypatch):
    monkeypatch.setattr("gencap.report._spectra.MOST_OBJECTS", 50)
    plot = spectra(make_data(), ["pearson"])
    assert "50 of 120 objects" in plot.caption


def test_constant_data_have_a_spectrum_of_nothing():
    assert draws_cleanly(spectra(np.ones((10, 3)), ["sqeuclidean", "path"]))


def test_halves_go_in_twos_and_alone_take_their_text_beside(comparison, data):
    plots = comparison_plots(comparison)
    names = [plot.name for plot in plots]
    assert names == ["ranking", "order", "scans", "curve", "coclustering"]
    assert _shapes(plots) == ["wide", "wide", "wide", "half", "half"]
    assert _shapes(plots[:4]) == ["wide", "wide", "wide", "side"]


# --- page and files --------------------------------------------------------------------------


def test_folder_has_page_figures_tables_and_json(folder):
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    tables = {"comparison", "ranking-candidates", "ranking-models", "ranking-measures", "labels",
              "differences", "bits-per-split", "profiles", "scans", "null", "spectra",
              "coclustering", "curve", "scatter"}  # fmt: skip
    assert {f"tables/{name}.csv" for name in tables} <= found
    figures = ("ranking", "order", "scans", "curve", "spectra", "scatter", "coclustering")
    for name in (*figures, "profiles"):
        assert {f"figures/{name}.png", f"figures/{name}.svg"} <= found
    assert {"report.html", "results.json"} <= found


def test_the_verdict_comes_first_and_nothing_is_fetched(folder):
    page = (folder / "report.html").read_text()
    body = page[page.index("<body>") :]
    assert body.index('class="headline">clusters') < body.index("Every model and measure")
    assert body.index("Every model and measure") < body.index("<figure")
    assert not re.findall(r'(?:src|href)="(?!data:|#)', page)
    assert "<script" not in page
    assert body.count("<figure") == 8


def test_labels_have_the_users_names_and_confidence(folder):
    labels = pd.read_csv(folder / "tables" / "labels.csv")
    assert labels["name"].iloc[0] == "gene 0"
    assert len(labels) == 120
    assert labels["confidence"].between(0, 1).all()
    assert labels["cluster"].min() == 1


def test_json_is_strict_and_complete(folder):
    text = (folder / "results.json").read_text()
    document = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert document["verdict"] == "clusters"
    assert document["winner"] == {
        "model": "correlation", "measure": "pearson", "p": None, "n_clusters": 5,
    }  # fmt: skip
    assert len(document["tables"]["comparison"]["bits"]) == len(HEIGHTS) * 7
    assert document["null"]["gaussian"]["corrected_p_value"] == 0.02
    assert document["seed"] == 7


def test_the_table_survives_the_file(folder, comparison):
    back = pd.read_csv(
        folder / "tables" / "comparison.csv", keep_default_na=False, na_values=["NaN", ""]
    )
    np.testing.assert_allclose(back["bits"], comparison.table["bits"])
    assert len(back) == len(comparison.table)


def test_names_from_files_are_escaped(tmp_path, data):
    names = np.array(["<b>gene</b> & co"] * 120, dtype=object)
    solutions = {
        ("correlation", "pearson"): make_solution(np.arange(120) % 3, names),
    }
    bad = make_comparison(heights=FEW, solutions=solutions, notes=("<script>alert(1)</script>",))
    page = write_comparison(tmp_path / "o", bad, data, name="<i>evil</i>").read_text()
    assert "<script>" not in page
    assert "<i>evil" not in page
    assert "&lt;b&gt;gene" in page


def test_known_classes_are_shown_beside(tmp_path, data):
    comparison = make_comparison(heights=FEW)
    truth = np.array(["early", "late"] * 60)
    write_comparison(tmp_path / "o", comparison, data, truth=truth)
    table = pd.read_csv(tmp_path / "o" / "tables" / "scatter.csv")
    assert set(table["known_class"]) == {"early", "late"}


def test_profiles_can_be_in_other_units_than_the_clustering(tmp_path, data):
    comparison = make_comparison(heights=FEW)
    write_comparison(tmp_path / "o", comparison, data, original=1000.0 * data)
    profiles = pd.read_csv(tmp_path / "o" / "tables" / "profiles.csv")
    assert profiles["mean"].abs().max() > 1000


def test_half_of_the_rows_are_shown_where_half_were_clustered(tmp_path, data):
    index = np.arange(0, 120, 2)
    half = make_solution(np.arange(60) % 3, names=None, index=index)
    split = make_comparison(heights=FEW, solutions={("correlation", "pearson"): half})
    write_comparison(tmp_path / "o", split, data)
    assert len(pd.read_csv(tmp_path / "o" / "tables" / "scatter.csv")) == 60


def test_without_the_data_profiles_and_scatter_are_left_out(tmp_path, comparison):
    write_comparison(tmp_path / "o", comparison)
    found = {p.stem for p in (tmp_path / "o" / "figures").iterdir()}
    assert found == {"ranking", "order", "scans", "curve", "coclustering"}


@pytest.mark.parametrize("verdict", ["none", "uncalibrated"])
def test_nothing_measured_still_makes_a_page(tmp_path, data, verdict):
    empty = make_comparison(heights={("centroid", "", math.nan): 0.0}, verdict=verdict, null={})
    page = write_comparison(tmp_path / "o", empty, data).read_text()
    assert "No model could be measured" in page
    assert not (tmp_path / "o" / "figures").exists()


def test_nothing_is_written_where_drawing_fails(tmp_path, comparison, monkeypatch):
    monkeypatch.setattr("gencap.report.comparison.render_comparison", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_comparison(tmp_path / "o", comparison)
    assert not (tmp_path / "o").exists()


def test_a_file_in_the_way_is_named(tmp_path, comparison):
    (tmp_path / "o").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        write_comparison(tmp_path / "o", comparison)


def test_methods_of_the_comparison_lead_here(tmp_path, comparison):
    page = comparison.to_html(tmp_path / "page.html")
    assert page == tmp_path / "page.html"
    assert "tables/labels.csv" not in page.read_text()
    assert len(comparison.plot().axes) == 6
    assert comparison_to_html(comparison, tmp_path / "b.html", make_data()).exists()


def test_plots_by_kind(comparison):
    assert len(plot_comparison(comparison, "ranking").axes) == 1
    assert len(plot_comparison(comparison, "scans").axes) == 5
    with pytest.raises(ValueError, match="kind must be one of"):
        plot_comparison(comparison, "pie")
    with pytest.raises(ValueError, match="nothing was scanned"):
        plot_comparison(make_comparison(scans={}), "scans")
    empty = make_comparison(heights={("centroid", "", math.nan): 0.0}, verdict="none")
    with pytest.raises(ValueError, match="nothing was measured"):
        plot_comparison(empty)


def test_titles_of_users_own_estimators_are_their_names():
    assert candidate_title("KMeans", "") == "KMeans"
    assert candidate_title("correlation", "precomputed") == (
        "Correlation clustering, given similarities"
    )
