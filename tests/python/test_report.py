"""Reports: figures for awkward results, a page that is safe and self-contained, strict files."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from report_samples import (
    make_capacity,
    make_curve,
    make_data,
    make_nulls,
    make_order,
    make_study,
    make_trajectory,
)

from gencap.io import InputError
from gencap.report import (
    Study,
    chosen,
    plots_of,
    render_html,
    results_document,
    verdict_sentence,
    warnings_of,
    write_report,
)
from gencap.results import Order

# --- words ---------------------------------------------------------------------------------------


def test_verdict_of_clusters_states_every_number():
    order = make_order(best=4)
    sentence = verdict_sentence(order)
    best = order.capacities[4]
    assert f"4 clusters carry {best.bits:.2f} ± {best.bits_sd:.2f} bits per object" in sentence
    for null in order.null.values():
        assert f"{null.bits:.2f} ± {null.bits_sd:.2f} bits, p ≤ 0.01" in sentence


def test_verdict_of_a_continuum():
    order = make_order(null=make_nulls(p_gaussian=0.4))
    assert order.verdict == "continuum"
    assert "gradient" in verdict_sentence(order)
    assert "p = 0.4" in verdict_sentence(order)


def test_verdict_without_structure_and_without_null():
    nothing = make_order(best=1, heights={1: 0.0, 2: -0.1})
    assert "0.00" in verdict_sentence(nothing)
    assert "carry" not in verdict_sentence(nothing)
    uncalibrated = make_order(null={})
    assert "nulls" in verdict_sentence(uncalibrated)


def test_one_cluster_chosen_but_not_tried():
    order = make_order(best=1, heights={2: -0.1, 3: -0.2})
    assert chosen(order) is order.capacities[2]
    study = make_study(order=order, best=chosen(order), data=np.zeros((300, 2)))
    assert order.verdict_text in page_of(study).text


def test_warnings_name_what_is_wrong():
    capacity = make_capacity(3, optimistic=True, plateau=True, bits_per_pair=np.ones(1))
    capacity = dataclasses.replace(capacity, trajectories=(make_trajectory(3, converged=False),))
    order = Order({2: make_capacity(2), 3: capacity}, 3)
    said = "\n".join(warnings_of(make_study(order=order, notes=("Column 2 is constant.",))))
    for fragment in (
        "Column 2 is constant.",
        "Optimistic pairing",
        "largest number of clusters tried",
        "no error bars",
        "No null distribution",
        "plateau",
        "60 of 60 temperatures did not converge",
    ):
        assert fragment in said


def test_a_few_slow_temperatures_are_no_warning():
    trajectory = make_trajectory(4)
    slow = dataclasses.replace(trajectory, converged=np.arange(60) % 20 != 0)
    order = make_order(trajectories=(slow, trajectory))
    study = make_study(order=order)
    assert warnings_of(study) == []
    assert "3 of 120 temperatures" in page_of(study).text


def test_a_clean_study_has_no_warnings():
    assert warnings_of(make_study()) == []


# --- study ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("data", np.zeros((7, 2))),
        ("data", np.zeros(300)),
        ("names", np.array(["a"], dtype=object)),
        ("truth", np.zeros(3)),
        ("columns", np.array(["a"], dtype=object)),
    ],
)
def test_study_refuses_what_does_not_fit(field, value):
    with pytest.raises(ValueError, match=f"{field} must have one"):
        make_study(**{field: value})


def test_confidence_is_the_largest_probability():
    study = make_study()
    np.testing.assert_array_equal(study.confidence, study.best.probabilities.max(axis=1))
    merged = make_capacity(groups=np.array([0, 0, 1, 1]))
    halves = merged.probabilities.reshape(300, 2, 2).sum(axis=2)
    np.testing.assert_allclose(
        make_study(order=Order({4: merged}, 4)).confidence, halves.max(axis=1)
    )
    bare = make_capacity(probabilities=np.zeros((300, 0)))
    assert make_study(order=Order({4: bare}, 4)).confidence.tolist() == [1.0] * 300


# --- page ----------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Collect tags, addresses and text; complain about tags that do not nest."""

    VOID = frozenset({"meta", "img", "br", "link", "input", "hr"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.sources, self.words, self.open, self.ids = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [v for k, v in attrs if k in ("src", "href")]
        self.ids += [v for k, v in attrs if k == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


def page_of(*studies):
    return Page(render_html(studies, [plots_of(s) for s in studies]))


EVIL = "<script>alert('x')</script>"


def test_page_escapes_names_from_files():
    study = make_study(
        title=EVIL,
        description=EVIL,
        notes=(EVIL,),
        settings={EVIL: EVIL},
        columns=np.array([EVIL, EVIL], dtype=object),
    )
    study = dataclasses.replace(
        study, truth=np.array([EVIL, "b"], dtype=object)[study.best.labels % 2]
    )
    page = page_of(study)
    assert "script" not in page.tags
    assert EVIL in page.text


def test_page_is_self_contained():
    page = page_of(make_study(), make_study("Second", n_objects=3_000))
    assert page.tags.count("img") == 8
    assert all(s.startswith(("data:image/", "#")) for s in page.sources)
    assert any(s.startswith("data:image/png") for s in page.sources)
    assert {"link", "script", "iframe"}.isdisjoint(page.tags)


def test_page_links_to_its_sections():
    page = page_of(make_study("First"), make_study("Second"))
    targets = {s[1:] for s in page.sources if s.startswith("#")}
    assert targets == {"study-1", "study-2", "reading", "made"}
    assert targets <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_page_states_verdict_numbers_settings_and_versions():
    study = make_study(notes=("Column 2 is constant.",))
    text = page_of(study).text
    assert study.order.verdict_text in text
    assert verdict_sentence(study.order) in text
    for fragment in ("Column 2 is constant.", "seed", "12.3 s", "scikit-learn", "A bit is one"):
        assert fragment in text


def test_without_clusters_the_strongest_search_is_shown():
    one = make_capacity(1, 0.0, curve=None, trajectories=(), beta=0.0)
    order = Order({1: one, 2: make_capacity(2, -0.2), 3: make_capacity(3, -0.1)}, 1, make_nulls())
    plots = plots_of(make_study(order=order))
    assert [plot.name for plot in plots] == ["order", "curve", "splits", "scatter"]
    assert "Shown for K = 3" in plots[1].caption
    alone = plots_of(make_study(order=Order({1: one}, 1, make_nulls())))
    assert [plot.name for plot in alone] == ["order", "scatter"]


def test_page_has_both_color_schemes_and_print():
    html = render_html([make_study()], [plots_of(make_study())])
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


@pytest.mark.parametrize(
    "order",
    [
        make_order(best=1, heights={1: 0.0}),
        make_order(best=1, heights={1: 0.0, 2: -1.0}, null={}),
        make_order(best=2, heights={2: 1.0}, curve=None, trajectories=()),
    ],
    ids=["K=1 only", "no null", "no annealing"],
)
def test_page_of_odd_results(order):
    page = page_of(make_study(order=order))
    assert order.verdict_text in page.text


# --- files ---------------------------------------------------------------------------------------


def refuse(constant):
    raise AssertionError(f"{constant} is not strict JSON")


def test_report_folder(tmp_path):
    study = make_study("Wine & cheese", truth=np.arange(300) % 3)
    page = write_report(tmp_path / "out", [study, make_study("Wine & cheese")])
    found = {str(p.relative_to(tmp_path / "out")) for p in page.parent.rglob("*") if p.is_file()}
    assert page == tmp_path / "out" / "report.html"
    for name in ("order", "curve", "splits", "scatter"):
        for slug in ("wine-cheese", "wine-cheese-2"):
            assert {f"figures/{slug}-{name}.png", f"figures/{slug}-{name}.svg"} <= found
            assert f"tables/{slug}-{name}.csv" in found
    assert {"results.json", "tables/wine-cheese-labels.csv", "tables/wine-cheese-null.csv"} <= found
    assert "tables/wine-cheese-classes.csv" in found
    assert not [name for name in found if name.startswith(".")]


def test_labels_table_has_names_clusters_and_confidence(tmp_path):
    names = np.array([f"gene, {i}" for i in range(300)], dtype=object)
    study = make_study(names=names)
    write_report(tmp_path, [study])
    table = pd.read_csv(tmp_path / "tables/synthetic-labels.csv")
    assert list(table.columns) == ["object", "cluster", "confidence"]
    assert table["object"].tolist() == names.tolist()
    assert (table["cluster"] == study.best.labels + 1).all()
    np.testing.assert_allclose(table["confidence"], study.confidence)


def test_results_are_strict_json(tmp_path):
    curve = make_curve()
    curve = dataclasses.replace(curve, bits=np.where(curve.bits < -9, -np.inf, curve.bits))
    order = make_order(curve=curve, bits_per_pair=np.zeros(0), beta=float("nan"))
    names = np.array([np.nan, None, 3, *["x"] * 297], dtype=object)
    write_report(
        tmp_path, [make_study(order=order, names=names)], settings={"level": np.float64("nan")}
    )
    text = (tmp_path / "results.json").read_text()
    document = json.loads(text, parse_constant=refuse)
    study = document["studies"][0]
    assert document["format"] == "gencap-report"
    assert study["capacities"]["4"]["curve"]["bits"][-1] is None
    assert study["capacities"]["4"]["bits_sd"] is None
    assert len(study["labels"]["object"]) == 300


def test_document_repeats_the_numbers():
    study = make_study()
    document = results_document([study])["studies"][0]
    assert document["best"] == study.order.best
    assert document["capacities"]["4"]["bits"] == study.best.bits
    assert document["null"]["gaussian"]["draws"] == study.order.null["gaussian"].draws.tolist()


def test_failure_leaves_nothing(tmp_path, monkeypatch):
    from gencap.report import files

    def broken(*args, **kwargs):
        raise RuntimeError("no page")

    monkeypatch.setattr(files, "render_html", broken)
    with pytest.raises(RuntimeError, match="no page"):
        write_report(tmp_path / "out", [make_study()])
    assert list(tmp_path.iterdir()) == []


def test_folder_that_is_a_file(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        write_report(tmp_path / "out", [make_study()])
    assert (tmp_path / "out").read_text() == "mine"


def test_report_needs_a_study(tmp_path):
    with pytest.raises(ValueError, match="studies must hold at least one"):
        write_report(tmp_path / "out", [])
    assert list(tmp_path.iterdir()) == []


def test_title_from_a_file_name_that_is_no_text(tmp_path):
    page = write_report(tmp_path, [make_study("caf\udce9")])
    assert "caf?" in page.read_text()


def test_other_files_in_the_folder_stay(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    write_report(tmp_path, [make_study()])
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_no_machine_paths_in_the_report(tmp_path):
    write_report(tmp_path, [make_study()], settings={"files": "a.csv"})
    for path in tmp_path.rglob("*"):
        if path.suffix in (".html", ".json", ".csv", ".svg"):
            assert str(tmp_path) not in path.read_text()


def test_importing_reports_does_not_load_matplotlib():
    import subprocess

    code = "import gencap.report, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_samples_are_studies():
    study = make_study()
    assert isinstance(study, Study)
    assert make_data(study.best.labels).shape == (300, 2)
