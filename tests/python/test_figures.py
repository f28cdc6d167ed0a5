"""Figures: awkward results are drawn without a warning, and every number stays in the table."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pandas as pd
import pytest
from report_samples import (
    make_capacity,
    make_curve,
    make_nulls,
    make_order,
    make_study,
    make_trajectory,
)

from gencap.report import capacity_curve, order_curve, plots_of, scatter, split_diagram
from gencap.report._canvas import MARKERS, OKABE_ITO, for_display, marker, palette, plain
from gencap.results import NullResult, Order

PNG = b"\x89PNG"


def draws_cleanly(plot):
    """Render both formats; any warning is an error under this suite's settings."""
    png, svg = plot.png(), plot.svg()
    return png.startswith(PNG) and b"<svg" in svg[:400]


def test_curve_draws_and_its_table_is_unclipped():
    capacity = make_capacity(bits=1.5)
    plot = capacity_curve(capacity, make_nulls())
    assert draws_cleanly(plot)
    assert plot.table["bits"].min() == pytest.approx(-70.0)
    low, high = plot.figure.axes[0].get_ylim()
    assert low == pytest.approx(-0.3 * high)
    assert high > 2.0  # the entropy line, log2(4) bits, is inside


def test_curve_with_infinite_and_missing_values():
    curve = make_curve()
    bits, agreement = curve.bits.copy(), curve.agreement.copy()
    bits[-5:], agreement[-5:] = -np.inf, -np.inf
    bits[3] = np.nan
    broken = dataclasses.replace(curve, bits=bits, agreement=agreement)
    plot = capacity_curve(make_capacity(curve=broken))
    assert draws_cleanly(plot)
    assert np.isneginf(plot.table["bits"].iloc[-1])


@pytest.mark.parametrize("n_steps", [1, 2])
def test_curve_with_few_temperatures(n_steps):
    curve = make_curve(n_steps=n_steps)
    assert draws_cleanly(capacity_curve(make_capacity(curve=curve)))


def test_curve_without_temperatures():
    plot = capacity_curve(make_capacity(curve=None, beta=float("nan"), weights="hamming"))
    assert draws_cleanly(plot)
    assert len(plot.table) == 1


def test_curve_of_nothing():
    zero = make_curve(bits=0.0)
    flat = dataclasses.replace(zero, bits=zero.bits * 0, agreement=-zero.entropy)
    plot = capacity_curve(make_capacity(bits=0.0, curve=flat, beta=0.0))
    assert draws_cleanly(plot)


def test_curve_falls_back_on_its_own_nulls():
    capacity = make_capacity(null=make_nulls())
    labels = [t.get_text() for t in capacity_curve(capacity).figure.axes[0].get_legend().texts]
    assert "null: Gaussian continuum" in labels
    labels = [t.get_text() for t in capacity_curve(capacity, {}).figure.axes[0].get_legend().texts]
    assert not any("null" in label for label in labels)


def test_order_marks_the_choice_and_keeps_every_number():
    order = make_order(best=4)
    plot = order_curve(order)
    assert draws_cleanly(plot)
    assert plot.table.index[plot.table["chosen"]].tolist() == [4]
    pd.testing.assert_series_equal(plot.table["bits"], order.bits)
    labels = [t.get_text() for t in plot.figure.axes[0].get_legend().texts]
    assert "choice K* = 4" in labels


def test_order_table_carries_nulls_per_k():
    capacities = {k: make_capacity(k, null=make_nulls()) for k in (2, 3)}
    table = order_curve(Order(capacities, 2)).table
    assert table["null_gaussian"].tolist() == pytest.approx(
        [capacities[2].null["gaussian"].bits] * 2
    )


@pytest.mark.parametrize(
    "order",
    [
        make_order(best=1, heights={1: 0.0}),
        make_order(best=1, heights={1: 0.0, 2: 0.0, 3: -0.4}),
        make_order(best=2, heights={2: 1.0}, null={}),
        make_order(best=3, heights={3: 1.0}, bits_per_pair=np.zeros(0)),
        make_order(best=2, heights={k: 0.5 for k in range(2, 41)}),
    ],
    ids=["K=1 only", "all zero", "no null", "no pairs", "many K"],
)
def test_order_edge_cases(order):
    assert draws_cleanly(order_curve(order))


def test_split_diagram_draws_one_row_per_temperature_and_center():
    trajectory = make_trajectory(n_clusters=5, n_columns=3)
    plot = split_diagram(trajectory, beta=1.0)
    assert draws_cleanly(plot)
    assert len(plot.table) == len(trajectory) * 5
    left, right = plot.figure.axes[0].get_xlim()
    assert left > right  # cooling goes from left to right


def test_split_diagram_projects_on_the_widest_axis():
    trajectory = make_trajectory(n_clusters=4, n_columns=3)
    position = split_diagram(trajectory).table["position"].to_numpy()
    rows = trajectory.centroids.reshape(-1, 3)
    widest = np.linalg.eigvalsh(np.cov(rows.T))[-1]
    # Same sum of squares in another order of summation: 1e-9 relative covers the rounding.
    assert position.var(ddof=1) == pytest.approx(widest, rel=1e-9)


def test_split_diagram_of_a_chosen_coordinate():
    trajectory = make_trajectory(n_clusters=3, n_columns=2)
    table = split_diagram(trajectory, coordinate=1).table
    np.testing.assert_array_equal(table["position"], trajectory.centroids[:, :, 1].ravel())


def test_split_diagram_colors_follow_the_optimum():
    trajectory = make_trajectory(n_clusters=4)
    early = split_diagram(trajectory, beta=float(trajectory.betas[0])).table
    late = split_diagram(trajectory, beta=float(trajectory.betas[-1])).table
    assert early["group_at_optimum"].nunique() == 1
    assert late["group_at_optimum"].nunique() == 4


@pytest.mark.parametrize("beta", [None, 0.0, float("nan"), float("inf"), 1e9])
def test_split_diagram_with_odd_optima(beta):
    assert draws_cleanly(split_diagram(make_trajectory(), beta))


@pytest.mark.parametrize(("n_clusters", "n_steps", "n_columns"), [(1, 60, 2), (4, 1, 2), (3, 2, 1)])
def test_split_diagram_edge_cases(n_clusters, n_steps, n_columns):
    trajectory = make_trajectory(n_clusters, n_steps, n_columns)
    assert draws_cleanly(split_diagram(trajectory, 1.0))


@pytest.mark.parametrize("n_columns", [1, 2, 3, 700])
def test_scatter_of_any_width(n_columns):
    plot = scatter(make_study(n_columns=n_columns))
    assert draws_cleanly(plot)
    assert len(plot.table) == 300


def test_scatter_shows_principal_components():
    study = make_study(n_columns=5)
    table = scatter(study).table
    covariance = np.cov(study.data.T)
    expected = np.linalg.eigvalsh(covariance)[::-1][:2]
    # Same eigenvalues from two Gram matrices: agreement to rounding.
    assert table[["x", "y"]].var().to_numpy() == pytest.approx(expected, rel=1e-9)


def test_scatter_of_wide_data_agrees_with_tall_route():
    rng = np.random.default_rng(0)
    data = rng.standard_normal((40, 60)) * np.r_[9.0, 5.0, np.ones(58)]
    capacity = make_capacity(2, n_objects=40)
    study = make_study(order=Order({2: capacity}, 2), data=data)
    plane = scatter(study).table[["x", "y"]].to_numpy()
    left, values, _ = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(plane), np.abs(left[:, :2] * values[:2]), atol=1e-8)


@pytest.mark.parametrize("data", [np.zeros((300, 3)), np.ones((300, 2))])
def test_scatter_of_identical_points(data):
    assert draws_cleanly(scatter(make_study(data=data)))


def test_scatter_with_25_clusters_tells_all_apart():
    capacity = make_capacity(25, n_objects=2000)
    study = make_study(order=Order({25: capacity}, 25, make_nulls()))
    plot = scatter(study)
    assert draws_cleanly(plot)
    texts = [t.get_text() for t in plot.figure.axes[0].get_legend().texts]
    assert texts[-1].startswith("12 more")
    looks = {(color, marker(i, 25)) for i, color in enumerate(palette(25))}
    assert len(looks) == 25


def test_many_points_become_pixels():
    light, heavy = make_study(n_objects=300), make_study(n_objects=10_000)
    assert not scatter(light).heavy
    plot = scatter(heavy)
    assert plot.heavy
    svg = plot.svg()
    assert b"<image" in svg
    assert len(svg) < 2_000_000  # 10,000 vector circles would take several times as much


def test_huge_scatter_draws_a_sample_and_tabulates_all(monkeypatch):
    monkeypatch.setattr("gencap.report._scatter.MOST_DRAWN", 100)
    plot = scatter(make_study(n_objects=300))
    drawn = sum(len(c.get_offsets()) for c in plot.figure.axes[0].collections)
    assert drawn == 100
    assert len(plot.table) == 300
    assert "100 of 300 are drawn" in plot.caption


def test_scatter_with_names_that_look_like_markup():
    columns = np.array(["$\\frac{1}{", "x" * 500], dtype=object)
    truth = np.array(["$", "a$b$c", "\x1b[31m", "名前"], dtype=object)
    study = make_study(columns=columns)
    study = dataclasses.replace(study, truth=truth[study.best.labels])
    assert draws_cleanly(scatter(study))


def test_figures_leave_matplotlib_as_it_was():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    for plot in plots_of(make_study()):
        plot.png()
    assert dict(mpl.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()


def test_figures_are_reproducible():
    study = make_study()
    first = [plot.svg() for plot in plots_of(study)]
    second = [plot.svg() for plot in plots_of(study)]
    assert first == second


# --- small helpers -------------------------------------------------------------------------------


def test_palette_is_color_blind_safe_up_to_eight():
    assert palette(8) == list(OKABE_ITO)
    assert len(set(palette(20))) == 20
    assert len(palette(45)) == 45


def test_markers_vary_where_colors_repeat():
    assert {marker(i, 8) for i in range(8)} == {"o"}
    assert marker(0, 25) != marker(20, 25)
    assert marker(0, 10_000) in MARKERS


def test_plain_text():
    assert plain("a$b") == r"a\$b"
    assert plain("tab\tnew\nline") == "tab new line"
    assert len(plain("x" * 100, 10)) == 10
    assert plain("a\ud800\x1b") == "a"


def test_for_display_clips_one_height_beyond_the_window():
    shown = for_display(np.array([-np.inf, -70.0, 0.5, np.inf]), -1.0, 1.0)
    assert shown.tolist() == [-3.0, -3.0, 0.5, 3.0]


def test_null_of_one_draw_is_drawn():
    null = {"gaussian": NullResult("gaussian", np.array([0.2]), 0.5)}
    assert draws_cleanly(order_curve(make_order(null=null)))
