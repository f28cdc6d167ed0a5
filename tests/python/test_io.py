"""Tables come in whole or with a clear refusal; results go out whole or not at all."""

from __future__ import annotations

import gzip
import importlib.util

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gencap import io
from gencap.io import InputError, read_table, write_results

VALUES = np.array([[1.5, -2.0], [3.0, 4e-3], [5.25, 6.0]])
FRAME = pd.DataFrame(VALUES, index=pd.Index(["a", "b", "c"], name="gene"), columns=["x", "y"])


def put(folder, text, name="t.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".xlsx":
        frame.to_excel(path)
    else:
        frame.to_csv(path, sep="\t" if ".tsv" in path.name else ",")


# formats


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "T.CSV", "t.parquet", "t.xlsx"]
)
def test_every_format_keeps_numbers_names_and_columns(tmp_path, name):
    write(FRAME, tmp_path / name)
    table = read_table(tmp_path / name)
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.values.dtype == np.float64
    assert table.values.flags.c_contiguous
    assert list(table.names) == ["a", "b", "c"]
    assert list(table.columns) == ["x", "y"]
    assert table.path == tmp_path / name
    assert table.notes == ()


def test_npy_has_numbers_only(tmp_path):
    np.save(tmp_path / "t.npy", VALUES.astype(np.float32))
    table = read_table(str(tmp_path / "t.npy"))
    np.testing.assert_array_equal(table.values, VALUES.astype(np.float32))
    assert table.names is None
    assert table.columns is None


def test_a_table_becomes_a_frame(tmp_path):
    write(FRAME, tmp_path / "t.csv")
    frame = read_table(tmp_path / "t.csv").to_frame()
    pd.testing.assert_frame_equal(frame, FRAME, check_names=False, check_index_type=False)


def test_parquet_without_index_takes_the_first_text_column(tmp_path):
    FRAME.reset_index().to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet").names) == ["a", "b", "c"]


def test_xlsx_without_header(tmp_path):
    pd.DataFrame(VALUES).to_excel(tmp_path / "t.xlsx", header=False, index=False)
    table = read_table(tmp_path / "t.xlsx")
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.columns is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(hnp.arrays(np.float64, (3, 2), elements=st.floats(-1e90, 1e90)))
def test_numbers_survive(tmp_path, values):
    pd.DataFrame(values, columns=["x", "y"]).to_csv(tmp_path / "t.csv", index=False)
    # older pandas parse the last digits less exactly, and numbers next to 0 poorly
    np.testing.assert_allclose(
        read_table(tmp_path / "t.csv").values, values, rtol=1e-14, atol=1e-290
    )


# headers, names, delimiters


@pytest.mark.parametrize(
    ("text", "columns", "names", "shape"),
    [
        ("1,2\n3,4\n", None, None, (2, 2)),
        ("x,y\n1,2\n3,4\n", ["x", "y"], None, (2, 2)),
        ("g,x,y\na,1,2\nb,3,4\n", ["x", "y"], ["a", "b"], (2, 2)),
        ("a,1.5,2\nb,3,4\n", None, ["a", "b"], (2, 2)),
        ("x,y,label\n1,2,p\n3,4,q\n", ["x", "y"], ["p", "q"], (2, 2)),
        (",0,1\n0,1.5,2\n1,3,4\n", ["0", "1"], ["0", "1"], (2, 2)),
        ("x,y\na,1,2\nb,3,4\n", ["x", "y"], ["a", "b"], (2, 2)),
        ('"x, first",y\n1,2\n', ["x, first", "y"], None, (1, 2)),
        ("x,x\n1,2\n", ["x", "x.1"], None, (1, 2)),
        ("x\n1\n2\n", ["x"], None, (2, 1)),
        ("1\n2\n3\n", None, None, (3, 1)),
        ("1,2\n", None, None, (1, 2)),
        ("country,1990,1991\nA,0.5,0.7\nB,3,1\n", ["1990", "1991"], ["A", "B"], (2, 2)),
        ("\ufeffx,y\r\n1,2\r\n", ["x", "y"], None, (1, 2)),
        ("\n\nx,y\n1,2\n\n3,4\n", ["x", "y"], None, (2, 2)),
        ("x;y\n1,5;2\n3;4\n", ["x", "y"], None, (2, 2)),
        ("1,5;2,5\n3,5;4,5\n", None, None, (2, 2)),
        ("x\ty\n1\t2\n", ["x", "y"], None, (1, 2)),
        ("x, y\n1, 2\n", ["x", "y"], None, (1, 2)),
        ("x,flag\n1,True\n2,False\n", ["x", "flag"], None, (2, 2)),
    ],
)
def test_headers_names_and_delimiters(tmp_path, text, columns, names, shape):
    table = read_table(put(tmp_path, text))
    assert table.values.shape == shape
    assert (None if table.columns is None else list(table.columns)) == columns
    assert (None if table.names is None else list(table.names)) == names


def test_decimal_commas(tmp_path):
    table = read_table(put(tmp_path, "x;y\n1,5;2\n-3,25;4\n"))
    np.testing.assert_array_equal(table.values, [[1.5, 2.0], [-3.25, 4.0]])


def test_text_files_may_use_blanks(tmp_path):
    np.savetxt(tmp_path / "t.txt", VALUES)
    np.testing.assert_array_equal(read_table(tmp_path / "t.txt").values, VALUES)


def test_utf16_from_spreadsheets(tmp_path):
    path = put(tmp_path, "g\tx\nä\t1\nb\t2\n".encode("utf-16"), "t.tsv")
    assert list(read_table(path).names) == ["ä", "b"]


def test_files_longer_than_the_inspected_head(tmp_path, rng):
    values = rng.normal(size=(5000, 4)).round(6)
    path = tmp_path / "t.csv"
    pd.DataFrame(values, columns=list("wxyz")).to_csv(path, index=False)
    assert path.stat().st_size > io.HEAD_BYTES
    np.testing.assert_allclose(read_table(path).values, values, rtol=1e-14)


def test_a_character_cut_by_the_inspected_head_does_no_harm(tmp_path):
    rows = "".join(f"{'ä' * 7}{i},1\n" for i in range(6000))
    for offset in range(2):
        path = put(tmp_path, "n" * (1 + offset) + ",x\n" + rows)
        assert len(read_table(path).values) == 6000


# notes


def test_notes_tell_what_deserves_a_look(tmp_path):
    def notes(text):
        return " | ".join(read_table(put(tmp_path, text)).notes)

    assert notes("g,x\na,1\na,2\nb,3\n") == "1 of 3 names repeat an earlier name"
    assert "1 objects have no name" in notes("g,x\na,1\n,2\nb,3\n")
    assert "was read as data; if it is a header" in notes("0,1,2\n5,6,7\n8,9,9\n")
    assert "was read as the header" in notes("c,1990,1991\nA,0.5,0.7\n")
    assert "column 'id' counts the rows" in notes("id,x\n1,5\n2,6\n3,9\n")
    assert notes("x,y\n1,2\n3,5\n") == ""


# refusals


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "x,y\n", "header but no rows"),
        ("t.csv", "x,y\n1,2\n3,\n", r"1 NaN .*data row 2, column 'y' \(counted from 1"),
        ("t.csv", "g,x,y\na,1,NA\nb,,2\n", r"2 NaN .*data row 1, column 'y'"),
        ("t.csv", "x,y\n1,2\n3,inf\n", "infinity"),
        ("t.csv", "1,2\n3,\n", r"t\.csv: table must .*data row 2, column 2 "),
        ("t.csv", "1,2\n3,4\nx,6\n8,1\n5,5\n", r"column 1 \(for example 'x' in data row 3"),
        ("t.csv", "x,y\n1,2\n3,4,5\n", "not a regular table.*line 3"),
        (
            "t.csv",
            "g,x,kind\na,1,p\nb,2,q\n",
            r"in column 'kind' \(for example 'p' in data row 1\)",
        ),
        ("t.csv", "g,k,l\na,p,1\nb,q,?\n", "'k' .*'l' "),
        ("t.csv", "x,y\n1,2\n?,3\n5,6\n", r"column 'x' \(for example '\?' in data row 2\)"),
        ("t.csv", "g\na\nb\n", "no column of numbers"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a binary file"),
        ("t.csv", b"x,y\n\xe4,1\nb,2\n", "not UTF-8 text"),
        ("t.csv", b"\xff" * 200_000, "not UTF-8 text; save it"),
        ("t.csv.gz", b"x,y\n1,2\n", "not a complete gzip file"),
        ("t.csv.gz", gzip.compress(b"x,y\n1,2\n" * 999)[:-12], "not a complete gzip file"),
        ("t.npy", "x,y\n1,2\n", "not an NPY file of plain numbers"),
        ("t.npy", b"\x93NUMPY\x01\0", "not an NPY file of plain numbers"),
        ("t.parquet", "x,y\n1,2\n", "not a readable Parquet file"),
        ("t.xlsx", "x,y\n1,2\n", "not a readable XLSX file"),
        ("t.docx", "x", "from the ending '.docx'; supported are CSV"),
        ("t", "x", "from no ending; supported are CSV"),
        ("t.gz", "x", "from the ending '.gz'"),
    ],
)
def test_refusals_name_the_file_the_finding_and_a_remedy(tmp_path, name, text, message):
    path = put(tmp_path, text, name)
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_refusals_name_the_file_once(tmp_path):
    np.save(tmp_path / "flat.npy", np.zeros(3))
    np.save(tmp_path / "holes.npy", np.full((2, 2), np.nan))
    paths = [put(tmp_path, "x,y\n1,2\n3,\n", "holes.csv"), *tmp_path.glob("*.npy")]
    assert len(paths) == 3
    for path in paths:
        with pytest.raises(InputError) as caught:
            read_table(path)
        assert str(caught.value).count(path.name) == 1
        assert str(caught.value).startswith(f"{path}: table must ")


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.csv does not exist; check"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        read_table(tmp_path)
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path / "d.csv")


def test_files_without_permission(tmp_path, monkeypatch):
    path = put(tmp_path, "1,2\n")

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    # tests may run as root, who may read everything
    monkeypatch.setattr(io.Path, "open", refuse)
    with pytest.raises(InputError, match="Permission denied; check its permissions"):
        read_table(path)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), "Reshape your data"),
        (np.array([["a"]]), "must hold numbers"),
        (np.array([[np.nan]]), "1 NaN"),
        (np.zeros((0, 2)), "0 sample"),
        (np.array([[1j]]), "Complex data not supported"),
    ],
)
def test_npy_files_are_checked_like_arrays(tmp_path, array, message):
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "t.npy")


def test_npy_of_objects_and_archives_are_refused(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[{}]]), allow_pickle=True)
    with pytest.raises(InputError, match="plain numbers"):
        read_table(tmp_path / "t.npy")
    np.savez(tmp_path / "u.npz", a=VALUES)
    (tmp_path / "u.npz").rename(tmp_path / "u.npy")
    with pytest.raises(InputError, match="NPZ archive"):
        read_table(tmp_path / "u.npy")


@pytest.mark.parametrize(("name", "extra"), [("t.parquet", "parquet"), ("t.xlsx", "excel")])
def test_missing_extras_are_named(tmp_path, monkeypatch, name, extra):
    path = put(tmp_path, "x", name)
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None)
    with pytest.raises(InputError, match=rf"pip install 'gencap\[{extra}\]'"):
        read_table(path)


# writing


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_results_appear_with_subfolders(tmp_path):
    files = {"report.html": "<p>ä</p>", "figures/a.png": b"\x89PNG", "b.csv": "x\n"}
    paths = write_results(tmp_path / "deep" / "out", files)
    assert [path.name for path in paths] == ["report.html", "a.png", "b.csv"]
    assert paths[0].read_text(encoding="utf-8") == "<p>ä</p>"
    assert paths[1].read_bytes() == b"\x89PNG"
    assert listing(tmp_path / "deep") == [
        "out",
        "out/b.csv",
        "out/figures",
        "out/figures/a.png",
        "out/report.html",
    ]


def test_existing_folders_keep_other_files_and_lose_old_versions(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep")
    (out / "a.txt").write_text("old")
    write_results(out, {"a.txt": "new", "sub/b.txt": "b"})
    assert (out / "mine.txt").read_text() == "keep"
    assert (out / "a.txt").read_text() == "new"
    assert listing(tmp_path) == ["out", "out/a.txt", "out/mine.txt", "out/sub", "out/sub/b.txt"]


def test_new_folders_have_ordinary_permissions(tmp_path):
    (tmp_path / "plain").mkdir()
    write_results(tmp_path / "out", {"a.txt": "a"})
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("existing", [False, True])
def test_a_failure_leaves_nothing_behind(tmp_path, monkeypatch, existing):
    out = tmp_path / "out"
    if existing:
        write_results(out, {"a.txt": "old"})
    before = listing(tmp_path)
    original = io.Path.write_bytes

    def full_disk(path, content):
        if path.name == "b.txt":
            raise OSError(28, "No space left on device")
        return original(path, content)

    monkeypatch.setattr(io.Path, "write_bytes", full_disk)
    with pytest.raises(InputError, match=r"cannot write to .*out: No space left on device"):
        write_results(out, {"a.txt": "new", "b.txt": "b"})
    assert listing(tmp_path) == before
    if existing:
        assert (out / "a.txt").read_text() == "old"


def test_content_of_the_wrong_type_leaves_nothing_behind(tmp_path):
    with pytest.raises(TypeError):
        write_results(tmp_path / "out", {"a.txt": "a", "b.txt": 3})
    assert listing(tmp_path) == []


def test_places_that_are_no_folders(tmp_path):
    put(tmp_path, "x", "file")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="is a file, not a folder"):
            write_results(folder, {"a": "a"})
    (tmp_path / "out" / "a").mkdir(parents=True)
    with pytest.raises(InputError, match="is a folder; move it"):
        write_results(tmp_path / "out", {"a": "a"})


@pytest.mark.parametrize("name", ["../a", "/a", "x/../../a", ""])
def test_names_that_lead_outside(tmp_path, name):
    with pytest.raises(InputError, match="must lie inside"):
        write_results(tmp_path / "out", {name: "a"})
    assert listing(tmp_path) == []
