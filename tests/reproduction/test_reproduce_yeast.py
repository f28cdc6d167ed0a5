"""The yeast study: skipped without its data; with them our ranking beside the thesis'."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from gencap import reproduction
from gencap.reproduction import yeast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from comparison_samples import make_comparison

HEIGHTS = {
    (model, measure, yeast.POWER if model == "ratio_cut" else np.nan): 1.0 - 0.1 * i - 0.01 * j
    for i, measure in enumerate(yeast.MEASURES)
    for j, model in enumerate(yeast.MODELS)
}


def test_without_data_it_is_skipped_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GENCAP_DATA", raising=False)
    result = reproduction.run("yeast")
    assert result.passed
    assert "skipped: set GENCAP_DATA" in result.rows[0].verdict
    assert result.figures() == {}


def test_a_folder_without_the_file_is_no_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GENCAP_DATA", str(tmp_path))
    assert yeast.data_file() is None


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, dict[str, object]]:
    """Data with a comparison that is made up: objects split 0.5 bits above feature halves."""
    rows = "\n".join(f"gene{i},{i},{i * i % 7},{i % 3}" for i in range(20))
    (tmp_path / "yeast.csv").write_text("name,a,b,c\n" + rows + "\n")
    monkeypatch.setenv("GENCAP_DATA", str(tmp_path))
    monkeypatch.setattr(yeast, "FILE", "yeast.csv")
    asked: dict[str, dict[str, object]] = {}

    def compare(table: object, **settings: object) -> object:
        asked[str(settings["split"])] = settings
        more = 0.5 if settings["split"] == "objects" else 0.0
        heights = {key: height + more for key, height in HEIGHTS.items()}
        return make_comparison(heights=heights, verdict="uncalibrated", null={})

    monkeypatch.setattr(yeast, "compare", compare)
    return asked


def test_rankings_stand_beside_those_of_the_thesis(measured: dict[str, dict[str, object]]) -> None:
    result = reproduction.run("yeast")
    rows = {row.quantity: row for row in result.rows}
    ranked = rows["measures, halves of the genes, matched"]
    assert (ranked.paper, ranked.ours) == ("path, pearson, euclidean",) * 2
    assert ranked.verdict == "for comparison: same order"
    methods = rows["methods, halves of the genes, matched"]
    assert methods.ours == "CC, ARC, PC, DS, NCut"
    assert rows["CC with path, objects split"].paper == "2.76 ± 0.085 bits, K = 13"
    assert rows["CC with path, objects split"].ours.startswith("1.50 ±")
    assert rows["bits of the winner, objects against conditions"].verdict.startswith("agrees")
    assert "25 splits" in rows["the full study, K = 2..15, 25 splits"].ours
    assert result.passed


def test_both_splits_are_run_in_their_quick_form(measured: dict[str, dict[str, object]]) -> None:
    reproduction.run("yeast", random_state=4)
    assert set(measured) == {"objects", "random"}
    for settings in measured.values():
        assert settings["n_splits"] == 5
        assert len(tuple(settings["n_clusters"])) == 6  # type: ignore[arg-type]
        assert settings["n_init"] == 2
        assert settings["powers"] == (1.2,)
        assert settings["random_state"] == 4
        assert settings["final_draws"] == 0
    reproduction.run("yeast", quick=False)
    assert list(measured["objects"]["n_clusters"]) == list(range(2, 16))  # type: ignore[call-overload]
    assert measured["objects"]["n_splits"] == 25


def test_the_figure_shows_both_splits(measured: dict[str, dict[str, object]]) -> None:
    figure = reproduction.run("yeast").figures()["ranking"]
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(yeast.SPLITS.values())
    assert len(figure.axes[0].get_yticklabels()) == 15
