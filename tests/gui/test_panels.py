"""Panels and dialogs by themselves: they show what they are given and tell what is edited."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialogButtonBox,
)

from gencap_gui.methods import METHODS, SAMPLES
from gencap_gui.results import DataSummary
from gencap_gui.session import Document
from gencap_gui.settings import (
    AnnealingChoice,
    ClusterRange,
    DataSource,
    ImportOptions,
    InstanceChoice,
    ModelChoice,
)
from gencap_gui.tasks.clock import RunProgress
from gencap_gui.tasks.data import Preview
from gencap_gui.theme import DARK, LIGHT, cluster_color
from gencap_gui.widgets.about import AboutDialog
from gencap_gui.widgets.data_panel import DataPanel
from gencap_gui.widgets.help import PAGES, HelpWindow
from gencap_gui.widgets.import_dialog import ImportDialog
from gencap_gui.widgets.instance_panel import InstancePanel
from gencap_gui.widgets.log_panel import MOST_LINES, LogPanel
from gencap_gui.widgets.model_panel import ModelPanel
from gencap_gui.widgets.palette import CommandPalette, PaletteEntry
from gencap_gui.widgets.pictures import PICTURES, draw_picture
from gencap_gui.widgets.run_bar import RunBar, time_words

LEFT = Qt.MouseButton.LeftButton


def add(qtbot, widget):
    qtbot.addWidget(widget)
    return widget


def preview(n_columns=2, gaps=1, smallest=0.0):
    head = pd.DataFrame({"gene": ["a", "b"], "kind": ["p", "q"], "x": [1.0, np.nan], "y": [3, 4]})
    roles = {"gene": "name", "kind": "label", "x": "feature", "y": "feature"}
    more = [f"z{i}" for i in range(n_columns - 2)]
    head = pd.concat([head, pd.DataFrame(0.5, index=head.index, columns=more)], axis=1)
    roles |= dict.fromkeys(more, "feature")
    return Preview(
        "/data/genes.csv", head, 200, roles, {"x": gaps, "y": 0}, gaps, smallest, ("a note",), "d"
    )


@pytest.mark.parametrize(
    "make",
    [
        DataPanel,
        InstancePanel,
        ModelPanel,
        RunBar,
        lambda: ImportDialog(preview()),
        lambda: HelpWindow(LIGHT),
        lambda: CommandPalette([]),
        AboutDialog,
    ],
)
def test_every_control_has_an_accessible_name_or_text(qtbot, make):
    widget = add(qtbot, make())
    found = 0
    for kind in (QAbstractButton, QAbstractSpinBox, QComboBox):
        for control in widget.findChildren(kind):
            if control.objectName().startswith("qt_") or isinstance(
                control.parent(), QAbstractSpinBox | QComboBox
            ):
                continue
            assert control.accessibleName() or getattr(control, "text", str)(), control
            found += 1
    assert found or isinstance(widget, CommandPalette | HelpWindow)


@pytest.mark.parametrize("make", [DataPanel, InstancePanel, ModelPanel, RunBar])
def test_every_control_explains_itself(qtbot, make):
    widget = add(qtbot, make())
    for kind in (QAbstractButton, QAbstractSpinBox, QComboBox):
        for control in widget.findChildren(kind):
            own = control.accessibleName() and not control.objectName().startswith("qt_")
            if own:
                assert len(control.toolTip()) > 15, control.accessibleName()


# --- data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", list(SAMPLES))
def test_samples_are_one_click_away(qtbot, key):
    panel = add(qtbot, DataPanel())
    with qtbot.waitSignal(panel.sampleRequested) as caught:
        qtbot.mouseClick(panel.sample_buttons[key], LEFT)
    assert caught.args == [key]


def test_the_panel_tells_what_is_open(qtbot):
    panel = add(qtbot, DataPanel())
    assert "No data" in panel.summary.text()
    assert not panel.options_button.isEnabled()
    panel.set_summary(DataSummary("a<b.csv", 12_000, 3, notes=("2 rows left out",)), is_file=True)
    assert "a&lt;b.csv" in panel.summary.text()
    assert "12,000 objects" in panel.summary.text()
    assert panel.notes.text() == "2 rows left out"
    assert panel.options_button.isEnabled()


def test_recent_files_can_be_opened(qtbot):
    panel = add(qtbot, DataPanel())
    panel.set_recent([])
    assert not panel.recent_button.isEnabled()
    panel.set_recent(["/data/x.csv", "/data/y.csv"])
    with qtbot.waitSignal(panel.fileRequested) as caught:
        panel.recent_menu.actions()[1].trigger()
    assert caught.args == ["/data/y.csv"]


def drag(path):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path)])
    return mime


@pytest.mark.parametrize(
    ("path", "taken"),
    [("/d/a.csv", True), ("/d/a.XLSX", True), ("/d/a.gencap", True), ("/d/a.exe", False)],
)
def test_files_can_be_dropped(qtbot, path, taken):
    panel = add(qtbot, DataPanel())
    heard = []
    panel.fileRequested.connect(heard.append)
    mime = drag(path)
    at, none = QPointF(5, 5), Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at.toPoint(), Qt.DropAction.CopyAction, mime, LEFT, none)
    panel.drop.dragEnterEvent(enter)
    assert bool(panel.drop.property("over")) == taken
    panel.drop.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, mime, LEFT, none))
    assert heard == ([path] if taken else [])
    assert not panel.drop.property("over")


# --- import dialog ------------------------------------------------------------------------------


def test_the_dialog_begins_with_the_guess(qtbot):
    dialog = add(qtbot, ImportDialog(preview()))
    assert dialog.source() == DataSource(
        "file",
        "/data/genes.csv",
        ImportOptions(
            (("gene", "name"), ("kind", "label"), ("x", "feature"), ("y", "feature")), "drop"
        ),
    )
    assert "2 features of 200 objects, of which 1 have gaps" in dialog.outcome.text()
    assert dialog._model.data(dialog._model.index(1, 2)) == "–"
    assert dialog._model.headerData(0, Qt.Orientation.Horizontal) == "gene"


def test_there_is_one_name_and_one_label(qtbot):
    dialog = add(qtbot, ImportDialog(preview()))
    box = dialog.role_boxes["kind"]
    box.setCurrentIndex(box.findData("name"))
    assert dialog.roles_chosen()["gene"] == "ignore"
    assert dialog.roles_chosen()["kind"] == "name"


def test_without_features_nothing_can_be_opened(qtbot):
    dialog = add(qtbot, ImportDialog(preview()))
    button = dialog.buttons.button(QDialogButtonBox.StandardButton.Open)
    assert button.isEnabled()
    for label in ("x", "y"):
        box = dialog.role_boxes[label]
        box.setCurrentIndex(box.findData("ignore"))
    assert not button.isEnabled()
    assert "at least one column" in dialog.outcome.text()


def test_transforms_keep_their_order_and_options_come_back(qtbot):
    dialog = add(qtbot, ImportDialog(preview()))
    for key in ("rank", "log"):
        dialog.transforms[key].setChecked(True)
    dialog.missing.setCurrentIndex(dialog.missing.findData("impute"))
    options = dialog.options()
    assert options.transforms == ("log", "rank")
    again = add(qtbot, ImportDialog(preview(), options))
    assert again.options() == options


def test_no_logarithm_of_negative_numbers(qtbot):
    assert not add(qtbot, ImportDialog(preview(smallest=-5.0))).transforms["log"].isEnabled()


def test_wide_tables_keep_all_columns(qtbot):
    dialog = add(qtbot, ImportDialog(preview(n_columns=900)))
    assert len(dialog.role_boxes) == 500
    assert len(dialog.roles_chosen()) == 902


# --- instances ----------------------------------------------------------------------------------


def test_choosing_instances(qtbot):
    panel = add(qtbot, InstancePanel())
    panel.set_choice(InstanceChoice("interleave"), n_columns=5)
    for how in ("random", "objects"):
        with qtbot.waitSignal(panel.edited) as caught:
            panel.buttons[how].click()
        assert caught.args[0].how == how
    panel.set_choice(InstanceChoice("random"), n_columns=5)
    with qtbot.waitSignal(panel.edited) as caught:
        panel.splits.setValue(7)
    assert caught.args == [InstanceChoice("random", 7)]


def test_a_second_file_is_asked_for_first(qtbot):
    panel = add(qtbot, InstancePanel())
    edited = []
    panel.edited.connect(edited.append)
    with qtbot.waitSignal(panel.secondRequested):
        panel.buttons["second"].click()
    assert edited == []
    assert panel.buttons["interleave"].isChecked()
    second = InstanceChoice("second", second=DataSource("file", "/d/b.csv"))
    panel.set_choice(second)
    assert panel.second.text() == "b.csv"


def test_what_the_data_does_not_allow_is_off(qtbot):
    panel = add(qtbot, InstancePanel())
    panel.set_choice(InstanceChoice("objects"), n_columns=1)
    assert not panel.buttons["interleave"].isEnabled()
    assert panel.buttons["objects"].isEnabled()
    assert panel.warning.isVisibleTo(panel)
    panel.set_choice(InstanceChoice("own"), has_own=True)
    assert panel.buttons["own"].isVisibleTo(panel)
    assert not panel.buttons["random"].isEnabled()
    assert not panel.warning.isVisibleTo(panel)


def test_showing_a_choice_is_no_edit(qtbot):
    panel = add(qtbot, InstancePanel())
    edited = []
    panel.edited.connect(edited.append)
    panel.set_choice(InstanceChoice("random", 9, "cosine"), n_columns=4)
    assert edited == []
    assert panel.splits.value() == 9


# --- models -------------------------------------------------------------------------------------


def test_every_method_can_be_ticked(qtbot):
    panel = add(qtbot, ModelPanel())
    for key in METHODS:
        if key == "centroid":
            continue
        panel.set_document(Document())
        with qtbot.waitSignal(panel.modelsEdited) as caught:
            panel.methods[key].click()
        assert set(caught.args[0].models) == {"centroid", key}


def test_measures_are_for_methods_that_use_them(qtbot):
    panel = add(qtbot, ModelPanel())
    assert not panel.measure_part.isEnabled()
    panel.set_document(Document(models=ModelChoice(("ratio_cut",), ("pearson", "path"))))
    assert panel.measure_part.isEnabled()
    assert panel.power.isEnabled()
    assert panel.count.text() == "14 runs in all"
    panel.set_document(Document(models=ModelChoice(())))
    assert "at least one method" in panel.count.text()
    panel.set_document(Document(models=ModelChoice(("pairwise",), ())))
    assert "at least one similarity" in panel.count.text()


def test_the_range_of_clusters_stays_a_range(qtbot):
    panel = add(qtbot, ModelPanel())
    with qtbot.waitSignal(panel.clustersEdited) as caught:
        panel.low.setValue(12)
    assert caught.args == [ClusterRange(12, 12)]
    panel.set_document(Document(clusters=ClusterRange(5, 9)))
    with qtbot.waitSignal(panel.clustersEdited) as caught:
        panel.high.setValue(3)
    assert caught.args == [ClusterRange(3, 3)]


def test_more_settings(qtbot):
    panel = add(qtbot, ModelPanel())
    panel.set_document(Document(models=ModelChoice(("ratio_cut",))))
    with qtbot.waitSignal(panel.modelsEdited) as caught:
        panel.power.setValue(1.7)
    assert caught.args[0].power == pytest.approx(1.7)
    with qtbot.waitSignal(panel.modelsEdited) as caught:
        panel.auto_shift.click()
    assert caught.args[0].shift == 0.0
    with qtbot.waitSignal(panel.annealingEdited) as caught:
        panel.steps.setValue(33)
    assert caught.args == [AnnealingChoice(n_steps=33)]
    with qtbot.waitSignal(panel.annealingEdited) as caught:
        panel.starts.setValue(4)
    assert caught.args == [AnnealingChoice(n_init=4)]
    with qtbot.waitSignal(panel.seedEdited) as caught:
        panel.seed.setValue(99)
    assert caught.args == [99]


def test_showing_a_document_is_no_edit(qtbot):
    panel = add(qtbot, ModelPanel())
    heard = []
    for name in ("modelsEdited", "clustersEdited", "annealingEdited", "seedEdited"):
        getattr(panel, name).connect(heard.append)
    panel.set_document(
        Document(
            models=ModelChoice(("max_cut",), ("cosine",), -1.5, 1.9, "diag"),
            clusters=ClusterRange(3, 4),
            annealing=AnnealingChoice(7, 3, 0.2),
            seed=5,
        )
    )
    assert heard == []
    assert panel.shift.value() == -1.5
    assert panel.covariance.currentData() == "diag"


# --- run bar and log ----------------------------------------------------------------------------


def test_buttons_follow_the_state(qtbot):
    bar = add(qtbot, RunBar())
    assert not bar.run.isEnabled()
    bar.set_ready(True)
    assert bar.run.isEnabled()
    bar.set_state("running")
    assert not bar.run.isEnabled()
    assert bar.stop.isEnabled()
    with qtbot.waitSignal(bar.pauseRequested):
        bar.pause.click()
    bar.set_state("paused")
    assert bar.pause.text() == "Resume"
    with qtbot.waitSignal(bar.resumeRequested):
        bar.pause.click()
    with qtbot.waitSignal(bar.stopRequested):
        bar.stop.click()
    bar.set_state("idle")
    assert not bar.stop.isEnabled()


def test_progress_and_remaining_time(qtbot):
    bar = add(qtbot, RunBar())
    bar.set_state("running")
    bar.set_progress(RunProgress(0.25, 75.0, "k-means, 3 clusters"))
    assert bar.bar.value() == 250
    assert bar.left.text() == "1 min 15 s left"
    assert bar.text.text() == "k-means, 3 clusters"
    bar.set_progress(RunProgress(0.3, None, "x"))
    assert bar.left.text() == ""
    bar.set_state("paused")
    bar.set_progress(RunProgress(0.3, 5.0, "x"))
    assert bar.left.text() == "paused"


def test_durations_in_words():
    assert [time_words(s) for s in (0, 0.2, 59.5, 61, 3600, 86_000)] == [
        "0 s",
        "1 s",
        "1 min 0 s",
        "1 min 1 s",
        "1 h 0 min",
        "23 h 53 min",
    ]


def test_the_log_keeps_the_newest(qtbot):
    log = add(qtbot, LogPanel())
    for i in range(MOST_LINES + 5):
        log.add("info", f"line {i}")
    log.add("error", "bad")
    log.apply_theme(DARK)
    assert len(log.lines()) == MOST_LINES
    assert log.lines()[-1].endswith("Error: bad")
    assert log.lines()[0].endswith("line 6")
    document = log.text.document()
    first, last = document.firstBlock(), document.lastBlock()
    for block, color in ((first, DARK.foreground), (last, DARK.warning)):
        piece = block.begin().fragment().charFormat().foreground().color().name()
        assert piece == color.lower()


# --- palette, help, about, pictures -------------------------------------------------------------


def test_the_palette_finds_and_calls(qtbot):
    called = []
    entries = [
        PaletteEntry(title, "", lambda title=title: called.append(title))
        for title in ("Open data …", "Export as Python script …", "Show: Ranking", "Run")
    ]
    palette = add(qtbot, CommandPalette(entries))
    palette.show()
    qtbot.keyClicks(palette.search, "scr exp")
    assert palette.list.count() == 1
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert called == ["Export as Python script …"]
    assert not palette.isVisible()


def test_the_palette_moves_with_arrows_and_bears_no_match(qtbot):
    called = []
    entries = [PaletteEntry(t, "", lambda t=t: called.append(t)) for t in ("aa", "ab", "ac")]
    palette = add(qtbot, CommandPalette(entries))
    qtbot.keyClick(palette.search, Qt.Key.Key_Up)
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert called == ["ac"]
    palette.search.setText("zzz")
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert called == ["ac"]


@pytest.mark.parametrize("name", list(PAGES))
def test_help_pages(qtbot, name):
    window = add(qtbot, HelpWindow(LIGHT))
    window.open_page(name)
    assert PAGES[name][0] in window.page.toPlainText()
    window.apply_theme(DARK)
    assert PAGES[name][0] in window.page.toPlainText()


def test_pages_on_bits_temperature_and_capacity_have_pictures():
    for name in ("bits", "temperature", "capacity", "instances"):
        assert f'<img src="{name}">' in PAGES[name][1]
        assert name in PICTURES


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("name", list(PICTURES))
def test_pictures_are_drawn_in_the_theme(qtbot, name, theme):
    image = draw_picture(name, theme)
    colors = {
        image.pixelColor(x, y).name().lower()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    }
    assert theme.background.lower() in colors
    assert {theme.accent.lower(), cluster_color(theme, 0).lower()} & colors


def test_about_shows_versions(qtbot):
    dialog = add(qtbot, AboutDialog())
    for name in ("gencap", "gencap-gui", "Python", "Qt for Python", "numpy"):
        assert f"{name}: " in dialog.versions.text()
