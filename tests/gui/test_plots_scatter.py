"""The scatter of objects: colors, opacity, slider, decimation, hover, lasso."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
import sample_results as sample
from plot_tools import LEFT, click, draw, hover, pixel_of, press, select, shown
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gencap_gui.plots import ScatterView
from gencap_gui.plots._drag import inside
from gencap_gui.plots.scatter import ALPHAS, MOST_DRAWN, drawn_rows, opacity_level
from gencap_gui.session import Selection
from gencap_gui.theme import LIGHT, cluster_color


def visible_points(view: ScatterView) -> dict[int, int]:
    """Return the number of points drawn in each color."""
    counts: dict[int, int] = {}
    for (color, _), item in view._items.items():
        if item.isVisible():
            counts[color] = counts.get(color, 0) + len(item.getData()[0])
    return counts


def test_loaded_data_are_gray(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.loaded())
    assert visible_points(view) == {-1: 60}
    assert not view.slider_row.isVisible()
    assert "61 % of variance" in view.panel.getPlotItem().getAxis("bottom").labelText


def test_finished_run_is_colored_by_cluster(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    assert visible_points(view) == {0: 15, 1: 15, 2: 15, 3: 15}
    for (color, level), item in view._items.items():
        brush = item.opts["brush"]
        wanted = cluster_color(LIGHT, color) if color >= 0 else LIGHT.muted
        assert brush.color().name().upper() == wanted.upper()
        assert brush.color().alphaF() == pytest.approx(ALPHAS[level], abs=0.01)  # 8 bits


def test_opacity_rises_with_confidence() -> None:
    sure = np.array([0.25, 0.3, 0.5, 0.76, 1.0])
    levels = opacity_level(sure, np.array([0, 1, 2, 3, 3]))
    assert levels.tolist() == [0, 0, 1, 2, 2]
    assert list(ALPHAS) == sorted(ALPHAS)


def test_slider_scrubs_through_the_annealing(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    assert view.slider.maximum() == sample.N_STEPS - 1
    assert view.slider.value() == sample.BEST
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.slider.setValue(8)
    assert asked.args[0].step == 8
    select(qtbot, view, asked.args[0])
    assert visible_points(view) == {0: 30, 2: 30}
    assert view.slider_text.text() == f"β = {sample.BETA[8]:.4g}, 2 clusters"
    assert set(view.table()["cluster"]) == {1, 3}
    select(qtbot, view, Selection(step=0))
    assert visible_points(view) == {0: 60}


def test_slider_rests_beyond_the_memory_cap_and_says_so(qtbot: QtBot) -> None:
    run = replace(sample.finished_run(60), label_path=None, note="The slider shows the optimum.")
    results = replace(sample.finished(), runs=MappingProxyType({sample.KEY: run}))
    view = shown(qtbot, ScatterView, results)
    assert not view.slider.isEnabled()
    assert "The slider shows the optimum." in view._note.text()
    silent = replace(run, note="")
    draw(qtbot, view, replace(results, runs=MappingProxyType({sample.KEY: silent})))
    assert "not kept" in view._note.text()
    select(qtbot, view, Selection(step=2))
    assert visible_points(view) == {0: 15, 1: 15, 2: 15, 3: 15}


def test_live_labels_color_the_objects(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.running(count=3))
    assert visible_points(view) == {0: 60}
    for point in sample.live_points(8, 60)[3:]:
        view.append_live(point)
    view.flush()
    assert visible_points(view) == {0: 30, 2: 30}
    # Snapshots hold lighter points; those with labels stay.
    light = sample.running(count=8)
    run = replace(light.runs[sample.KEY], live=sample.live_points(8))
    draw(qtbot, view, replace(light, runs=MappingProxyType({sample.KEY: run})))
    assert visible_points(view) == {0: 30, 2: 30}


def test_many_points_are_decimated_and_the_table_is_whole(qtbot: QtBot) -> None:
    n_objects = MOST_DRAWN + 2_500
    view = shown(qtbot, ScatterView, replace(sample.finished(n_objects), similarity=None))
    assert sum(visible_points(view).values()) == MOST_DRAWN
    assert f"{MOST_DRAWN:,} of {n_objects:,} objects are drawn" in view._note.text()
    assert len(view.table()) == n_objects


def test_decimation_is_fixed_and_fair() -> None:
    assert drawn_rows(50).tolist() == list(range(50))
    rows = drawn_rows(40_000)
    assert len(rows) == MOST_DRAWN == len(set(rows.tolist()))
    np.testing.assert_array_equal(rows, drawn_rows(40_000))
    # Half of the rows from each half: standard deviation below 44 of 10,000; 6 of them.
    assert abs(np.count_nonzero(rows < 20_000) - 5_000) < 260


def test_one_item_for_each_cluster_and_opacity(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    assert len(view._items) <= 4 * len(ALPHAS)
    before = dict(view._items)
    select(qtbot, view, Selection(step=8))
    select(qtbot, view, Selection(step=9))
    assert all(view._items[key] is item for key, item in before.items())


def test_hovering_does_not_set_points_again(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    calls = []
    monkeypatch.setattr(view, "_set_points", lambda *_: calls.append(1))
    select(qtbot, view, Selection(hovered=3))
    select(qtbot, view, Selection(hovered=4, objects=frozenset({1})))
    assert calls == []


def test_mouse_over_an_object_asks_for_it(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    x, y = sample.projection(60).coordinates[11]
    asked = hover(qtbot, view, view.panel, x, y)
    assert asked.hovered == 11
    select(qtbot, view, asked)
    assert view.tip.isVisible()
    assert view.tip.toPlainText().startswith("gene 0011\ncluster 4")
    np.testing.assert_allclose([view.ring.getData()[0][0], view.ring.getData()[1][0]], [x, y])
    gone = hover(qtbot, view, view.panel, 0.0, 0.0)
    assert gone.hovered is None
    select(qtbot, view, gone)
    assert not view.tip.isVisible()


def test_click_selects_and_shift_adds(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    place = sample.projection(60).coordinates
    asked = click(qtbot, view, view.panel, *place[5])
    assert asked.objects == {5}
    select(qtbot, view, asked)
    assert len(view.rings.getData()[0]) == 1
    more = click(qtbot, view, view.panel, *place[8], held=Qt.KeyboardModifier.ShiftModifier)
    assert more.objects == {5, 8}
    select(qtbot, view, more)
    assert click(qtbot, view, view.panel, 0.0, 0.0).objects == frozenset()


def drag(qtbot: QtBot, view: ScatterView, places: list[tuple[float, float]]) -> None:
    """Drag the mouse along places in data units."""
    port = view.panel.viewport()
    points = [pixel_of(view.panel, *place) for place in places]
    qtbot.mousePress(port, LEFT, pos=points[0])
    # The scene tells a drag from a click by distance; small moves make it one.
    for point in points[1:]:
        for step in (QPoint(-6, -6), QPoint(0, 0)):
            qtbot.mouseMove(port, point + step)
    qtbot.mouseRelease(port, LEFT, pos=points[-1])


@pytest.mark.parametrize("tool", ["rectangle", "lasso"])
def test_outline_selects_what_is_inside(qtbot: QtBot, tool: str) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    next(b for b in view.tool_buttons.buttons() if b.property("tool") == tool).click()
    corners = np.array([(-8.0, -3.4), (-8.0, 3.6), (-0.5, 3.6), (-0.5, -3.4)])
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.box.outline.drawn.emit(corners, False)
    place = sample.projection(60).coordinates
    wanted = set(np.flatnonzero(place[:, 0] < -0.5).tolist())
    assert asked.args[0].objects == wanted
    select(qtbot, view, asked.args[0])
    assert len(view.rings.getData()[0]) == len(wanted)


@pytest.mark.parametrize("tool", ["rectangle", "lasso"])
def test_mouse_draws_the_outline(qtbot: QtBot, tool: str) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    view.set_tool(tool)
    way = [(-6.9, -2.9), (-6.9, 3.4), (-0.5, 3.4)]
    way += [(-0.5, -2.9)] if tool == "lasso" else []
    outlines = []
    view.box.outline.drawn.connect(lambda corners, more: outlines.append(corners))
    drag(qtbot, view, way)
    assert len(outlines) == 1
    middle = outlines[0].min(axis=0) / 2 + outlines[0].max(axis=0) / 2
    assert middle == pytest.approx([-3.7, 0.25], abs=0.6)  # within the pixels of a drag
    if tool == "rectangle":
        assert len(outlines[0]) == 4


def test_panning_draws_no_outline(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    outlines = []
    view.box.outline.drawn.connect(lambda corners, more: outlines.append(corners))
    before = view.panel.box.viewRange()[0]
    drag(qtbot, view, [(0.0, 0.0), (2.0, 0.0)])
    assert outlines == []
    assert view.panel.box.viewRange()[0] != before


def test_points_inside_a_polygon() -> None:
    x, y = np.array([0.5, 2.0, 0.5, -1.0]), np.array([0.5, 0.5, 3.0, 0.5])
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=np.float64)
    assert inside(x, y, square).tolist() == [True, False, False, False]
    # A dent in the outline is outside.
    dented = np.array([(0, 0), (1, 0), (1, 1), (0.5, 0.2), (0, 1)], dtype=np.float64)
    assert inside(x, y, dented).tolist() == [False] * 4
    assert not inside(x, y, square[:2]).any()


def test_cluster_selection_dims_the_others(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    select(qtbot, view, Selection(cluster=1))
    for (color, _), item in view._items.items():
        assert (item.opacity() == 1.0) == (color == 1)
    select(qtbot, view, Selection())
    assert all(item.opacity() == 1.0 for item in view._items.values())


def test_legend_counts_and_selects(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    assert view.legend.entries[2].text == "cluster 3 (15)"
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.legend.linkActivated.emit("cluster:2")
    assert asked.args[0].cluster == 2
    select(qtbot, view, asked.args[0])
    assert view.legend.entries[2].strong
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        view.legend.linkActivated.emit("cluster:2")
    assert asked.args[0].cluster is None


def test_keys_change_the_temperature(qtbot: QtBot) -> None:
    view = shown(qtbot, ScatterView, sample.finished())
    assert press(qtbot, view, view.panel, Qt.Key.Key_Left).step == sample.BEST - 1


def test_partial_projection_is_told(qtbot: QtBot) -> None:
    results = sample.finished(60)
    kept = np.arange(0, 60, 3)
    plane = replace(results.projection, coordinates=results.projection.coordinates[kept], kept=kept)
    view = shown(qtbot, ScatterView, replace(results, projection=plane))
    assert "20 of 60 objects" in view._note.text()
    assert view.table()["object"].tolist() == (kept + 1).tolist()
    x, y = plane.coordinates[4]
    assert click(qtbot, view, view.panel, x, y).objects == {12}
    select(qtbot, view, Selection(hovered=1))  # an object that is not in the plane
    assert not view.tip.isVisible()
