"""Names, descriptions, results and verdicts of the reproductions."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import gencap
from gencap import reproduction
from gencap.reproduction import Row, _result


def test_names_are_those_of_the_experiments() -> None:
    parametric = ["kary", "fig13", "fig16", "fig18"]
    graphs = [
        "ncut",
        "fig23",
        "fig24",
        "fig25",
        "fig27",
        "fig29",
        "fig31",
        "fig37",
        "shift_invariance",
    ]
    transfer = ["mtc1", "mtc5", "mtc6", "criteria"]
    assert reproduction.names() == parametric + graphs + transfer + ["yeast"]


@pytest.mark.parametrize("name", reproduction.names())
def test_descriptions_name_title_and_source(name: str) -> None:
    title, source, text = reproduction.describe(name).splitlines()
    assert title
    assert "thesis" in source
    assert len(text) > 100


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="fig13"):
        reproduction.run("fig99")
    with pytest.raises(ValueError, match="kary"):
        reproduction.describe("fig99")


def test_result_is_frozen_and_complete() -> None:
    result = reproduction.run("kary", random_state=5)
    assert (result.name, result.quick, result.seed) == ("kary", True, 5)
    assert result.seconds > 0.0
    assert result.to_frame().columns.tolist() == ["quantity", "paper", "ours", "verdict"]
    assert len(result.to_frame()) == len(result.rows)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.passed = False  # type: ignore[misc]


def test_progress_is_told_and_can_cancel() -> None:
    heard: list[gencap.Progress] = []
    reproduction.run("kary", progress=heard.append)
    assert heard[-1].done == heard[-1].total == 25

    def stop(progress: gencap.Progress) -> None:
        raise KeyboardInterrupt

    for name in reproduction.names():
        with pytest.raises(KeyboardInterrupt):
            reproduction.run(name, progress=stop)


def test_a_single_row_that_differs_fails_the_experiment() -> None:
    assert Row("q", "1", "1", _result.verdict(True)).passed
    assert Row("q", "1", "1", _result.verdict(np.True_, corrected=True)).passed
    assert Row("q", "1", "2", _result.beside("differs, known")).passed
    assert not Row("q", "1", "2", _result.verdict(False)).passed
    assert _result.verdict(False, remark="flat") == "differs"
    assert _result.verdict(True, remark="flat") == "agrees (flat)"
    assert _result.verdict(True, corrected=True) == "agrees (corrected reading)"


def test_spread_is_mean_and_sample_deviation() -> None:
    assert _result.spread([1.0, 2.0, 3.0], 2) == "2.00 ± 1.00 (3 runs)"
    assert _result.spread([0.5]) == "0.500 (1 run)"


def test_seeds_do_not_depend_on_their_number() -> None:
    assert _result.seeds_of(3, 5)[:2] == _result.seeds_of(3, 2)
    assert len(set(_result.seeds_of(3, 50) + _result.seeds_of(4, 50))) == 100


def test_importing_draws_nothing() -> None:
    code = "import sys, gencap.reproduction; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
