"""One file for a comparison: what is written comes back, what is foreign is refused."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import gencap
from gencap import Annealing, compare, load
from gencap.comparison import archive
from gencap.io import InputError


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(3)
    values = 4.0 * rng.standard_normal((3, 6))[np.arange(45) % 3] + rng.standard_normal((45, 6))
    frame = pd.DataFrame(values, index=[f"gene {i}" for i in range(45)])
    return compare(
        frame,
        ["centroid", "correlation", "ratio_cut", "dominant_sets"],
        ["pearson"],
        [2, 3, 4],
        n_splits=2,
        null_draws=1,
        final_draws=5,
        annealing=Annealing(n_steps=20, tol=1e-2, max_iter=20),
        n_jobs=2,
    )


@pytest.fixture
def file(found, tmp_path):
    return found.save(tmp_path / "study.gencap")


def test_everything_comes_back(found, file):
    again = load(file)
    pd.testing.assert_frame_equal(again.table, found.table, check_exact=True)
    pd.testing.assert_frame_equal(again.split_bits, found.split_bits, check_exact=True)
    assert again.scans.keys() == found.scans.keys()
    for key, scan in found.scans.items():
        pd.testing.assert_frame_equal(again.scans[key], scan, check_exact=True)
    assert repr(again.winner) == repr(found.winner)
    assert again.settings == found.settings
    assert again.versions == found.versions
    assert again.seed == found.seed
    assert again.notes == found.notes
    assert again.timings == found.timings
    assert again.verdict == found.verdict
    assert again.corrected == found.corrected
    assert again.names.tolist() == found.names.tolist()
    assert repr(again) == repr(found)


def test_arrays_come_back(found, file):
    again = load(file)
    assert len(again.curves) == len(found.curves)
    for one, two in zip(again.curves.values(), found.curves.values(), strict=True):
        assert np.array_equal(one.bits, two.bits)
        assert np.array_equal(one.beta, two.beta)
    for kind, null in found.null.items():
        assert np.array_equal(again.null[kind].draws, null.draws)
        assert again.null[kind].p_value == null.p_value
    for key, solution in found.solutions.items():
        other = again.solutions[key]
        assert np.array_equal(other.labels, solution.labels)
        assert np.array_equal(other.probabilities, solution.probabilities)
        assert other.names.tolist() == solution.names.tolist()
        assert other.n_clusters == solution.n_clusters


def test_what_can_be_asked_of_a_result_can_be_asked_of_a_loaded_one(found, file):
    again = load(file)
    pd.testing.assert_frame_equal(again.ranking(), found.ranking())
    pd.testing.assert_frame_equal(again.differences(), found.differences())
    assert again.best.equals(found.best)
    assert again.order("ratio_cut", "pearson").best == found.order("ratio_cut", "pearson").best
    assert again.forecast(n_jobs=1) == found.forecast(n_jobs=1)


def test_the_file_is_json_and_npy_without_machine_names(file, tmp_path):
    with zipfile.ZipFile(file) as packed:
        names = packed.namelist()
        text = packed.read("comparison.json").decode()
    assert all(archive.NAMES.fullmatch(name) for name in names)
    described = json.loads(text, parse_constant=lambda token: pytest.fail(f"{token} is no JSON"))
    assert described["versions"]["gencap"] == gencap.__version__
    assert str(tmp_path) not in text


def test_equal_results_are_equal_bytes(found, file, tmp_path):
    assert found.save(tmp_path / "again.gencap").read_bytes() == file.read_bytes()
    assert load(file).save(tmp_path / "third.gencap").read_bytes() == file.read_bytes()


def test_a_failed_write_leaves_the_old_file(found, file, monkeypatch):
    before = file.read_bytes()

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(np, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        found.save(file)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


# --- foreign and damaged files ---------------------------------------------------------------


def rewritten(file, change):
    """The same archive with its entries changed by `change(dict of name to bytes)`."""
    with zipfile.ZipFile(file) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    change(entries)
    with zipfile.ZipFile(file, "w") as packed:
        for name, raw in entries.items():
            packed.writestr(name, raw)
    return file


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.gencap is not a file"):
        load(tmp_path / "none.gencap")
    with pytest.raises(InputError, match="is not a file"):
        load(tmp_path)


@pytest.mark.parametrize("raw", [b"", b"gene,x\na,1\n", b"PK\x03\x04 cut"])
def test_other_files_are_refused(tmp_path, raw):
    path = tmp_path / "other.gencap"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"other\.gencap is no file of gencap"):
        load(path)


def test_other_archives_are_refused(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match=r"holds 'readme\.txt'"):
        load(path)


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/passwd", "arrays/../x.npy", "arrays/a.npy"])
def test_strange_names_are_refused(file, name):
    with pytest.raises(InputError, match="no file of gencap"):
        load(rewritten(file, lambda entries: entries.update({name: b"x"})))


@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_a_cut_file_is_damaged(file, keep):
    raw = file.read_bytes()
    file.write_bytes(raw[: int(keep * len(raw))])
    with pytest.raises(InputError, match="damaged"):
        load(file)


def test_flipped_bytes_never_pass_for_a_result(found, file):
    raw = file.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(raw), size=60):
        changed = bytearray(raw)
        changed[place] ^= 0x55
        file.write_bytes(bytes(changed))
        try:
            again = load(file)
        except InputError:
            continue
        # Bytes that mean nothing, such as dates, may change; numbers may not.
        pd.testing.assert_frame_equal(again.table, found.table, check_exact=True)


def test_pickled_arrays_are_refused(file):
    raw = io.BytesIO()
    np.save(raw, np.array([print, None], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="damaged"):
        load(rewritten(file, lambda entries: entries.update({"arrays/0.npy": raw.getvalue()})))


def test_bombs_are_refused_before_they_are_unpacked(file, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(InputError, match="more than gencap reads"):
        load(file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format_version": 99}, "update gencap"),
        ({"format": "something else"}, "no file of gencap"),
        ({"verdict": "perhaps"}, "verdict 'perhaps' is unknown"),
        ({"seed": "x"}, "damaged"),
        ({"table": {"model": [1, 2], "bits": ["a", "b"]}}, "damaged"),
        ({"winner": [1]}, "damaged"),
        ({"null": [{"kind": "gaussian", "draws": 10**6, "p_value": 0.1}]}, "damaged"),
    ],
)
def test_wrong_contents_are_refused(file, change, said):
    def edit(entries):
        described = json.loads(entries["comparison.json"])
        entries["comparison.json"] = json.dumps({**described, **change}).encode()

    with pytest.raises(InputError, match=said):
        load(rewritten(file, edit))
