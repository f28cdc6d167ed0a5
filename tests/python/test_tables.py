"""Preparing tables: roles, missing values, transforms; and reading tables as they stand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gencap.io import InputError, read_frame, read_table
from gencap.tables import guess_roles, prepare_table

FRAME = pd.DataFrame(
    {
        "gene": ["a", "b", "c", "d"],
        "kind": ["p", "p", "q", "q"],
        "x": [1.0, 3.0, np.nan, 7.0],
        "y": [0.0, 1.0, 2.0, 5.0],
        "comment": ["", "", "", ""],
    }
)


def put(folder, text, name="t.csv"):
    path = folder / name
    path.write_text(text)
    return path


# --- reading as it stands ---------------------------------------------------------------------


def test_frames_keep_text_and_gaps(tmp_path):
    frame = read_frame(put(tmp_path, "gene,kind,x\na,p,1\nb,q,\n"))
    assert list(frame.columns) == ["gene", "kind", "x"]
    assert np.isnan(frame["x"][1])
    assert list(frame["kind"]) == ["p", "q"]


def test_columns_without_header_are_numbered_and_repeated_ones_told_apart(tmp_path):
    assert list(read_frame(put(tmp_path, "1,2\n3,4\n")).columns) == ["column 1", "column 2"]
    frame = read_frame(put(tmp_path, "x,x,\n1,2,3\n4,5,6\n"))
    assert list(frame.columns) == ["x", "x.1", "column 3"]


def test_npy_parquet_and_index(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6.0).reshape(3, 2))
    assert read_frame(tmp_path / "a.npy").shape == (3, 2)
    FRAME.set_index("gene").to_parquet(tmp_path / "a.parquet")
    assert list(read_frame(tmp_path / "a.parquet").columns) == list(FRAME.columns)
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    with pytest.raises(InputError, match="3 axes"):
        read_frame(tmp_path / "cube.npy")


def test_a_header_alone_or_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="no rows"):
        read_frame(put(tmp_path, "x,y\n"))
    with pytest.raises(InputError, match="does not exist"):
        read_frame(tmp_path / "none.csv")


def test_a_clean_file_prepares_to_what_read_table_reads(tmp_path):
    path = put(tmp_path, "gene,x,y\na,1,2\nb,3,4\nc,5,7\n")
    table, prepared = read_table(path), prepare_table(read_frame(path))
    np.testing.assert_array_equal(prepared.values, table.values)
    assert list(prepared.names) == list(table.names)
    assert list(prepared.columns) == list(table.columns)


# --- roles ------------------------------------------------------------------------------------


def test_guessed_roles():
    assert guess_roles(FRAME) == {
        "gene": "name",
        "kind": "label",
        "x": "feature",
        "y": "feature",
        "comment": "ignore",
    }


def test_few_texts_are_labels_even_alone():
    frame = pd.DataFrame({"x": range(9), "kind": ["p", "q", "r"] * 3})
    assert guess_roles(frame) == {"x": "feature", "kind": "label"}


def test_empty_columns_are_ignored():
    assert guess_roles(pd.DataFrame({"x": [1, 2], "y": [None, None]}))["y"] == "ignore"


def test_numbers_written_as_text_are_features():
    frame = pd.DataFrame({"x": ["1", "2", "n/a"]}, dtype=object)
    assert guess_roles(frame) == {"x": "feature"}


def test_columns_not_named_are_ignored_and_labels_kept():
    table = prepare_table(FRAME, {"y": "feature", "kind": "label"})
    assert list(table.columns) == ["y"]
    assert table.names is None
    assert list(table.known) == ["p", "p", "q", "q"]


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"z": "feature"}, "lacks"),
        ({"x": "fature"}, "fature"),
        ({"gene": "name", "kind": "name", "x": "feature"}, "one column only"),
        ({"gene": "name"}, "at least one column"),
    ],
)
def test_bad_roles(roles, words):
    with pytest.raises(ValueError, match=words):
        prepare_table(FRAME, roles)


def test_repeated_columns_are_refused():
    with pytest.raises(ValueError, match="twice"):
        prepare_table(pd.DataFrame([[1, 2]], columns=["x", "x"]))


# --- missing values ---------------------------------------------------------------------------


def test_missing_values_are_refused_by_default():
    with pytest.raises(ValueError, match=r"1 missing value.*row 3.*'x'"):
        prepare_table(FRAME)


def test_dropping_says_how_many():
    table = prepare_table(FRAME, missing="drop")
    assert list(table.rows) == [0, 1, 3]
    assert list(table.names) == ["a", "b", "d"]
    assert list(table.known) == ["p", "p", "q"]
    assert table.n_missing == 1
    assert table.notes == ("1 of 4 rows has a missing value and was left out",)


def test_imputing_takes_the_median_and_says_how_many():
    table = prepare_table(FRAME, missing="impute")
    assert table.values[2, 0] == 3.0  # the median of 1, 3, 7
    assert table.notes == ("1 missing value in 1 row replaced by the median of the column",)


def test_text_and_infinity_count_as_missing():
    frame = pd.DataFrame({"x": [1.0, np.inf, 2.0], "y": ["1", "bad", "2"]}, dtype=object)
    table = prepare_table(frame, {"x": "feature", "y": "feature"}, "drop")
    np.testing.assert_array_equal(table.values, [[1, 1], [2, 2]])
    assert "1 cell of text" in table.notes[0]


def test_nothing_left():
    frame = pd.DataFrame({"x": [None, 1.0], "y": [1.0, None]})
    with pytest.raises(ValueError, match="leaves no row"):
        prepare_table(frame, missing="drop")
    with pytest.raises(ValueError, match="no number to impute"):
        prepare_table(
            pd.DataFrame({"x": [None, None], "y": [1.0, 2.0]}),
            {"x": "feature", "y": "feature"},
            "impute",
        )


# --- transforms -------------------------------------------------------------------------------


def test_log():
    frame = pd.DataFrame({"x": [0.0, 1.0, 3.0]})
    np.testing.assert_allclose(
        prepare_table(frame, transforms=["log"]).values[:, 0], [0.0, 1.0, 2.0]
    )
    with pytest.raises(ValueError, match="'log' needs values above -1"):
        prepare_table(pd.DataFrame({"x": [-1.0, 1.0]}), transforms=["log"])


@given(hnp.arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6)))
def test_zscores(values):
    frame = pd.DataFrame(values, columns=["x", "y", "z"])
    columns = prepare_table(frame, transforms=["zscore_columns"]).values
    rows = prepare_table(frame, transforms=["zscore_rows"]).values
    for scaled, original in ((columns, values), (rows.T, values.T)):
        # means cancel to about 1e-10 of the largest value, and spreads are relative to themselves
        for column, before in zip(scaled.T, original.T, strict=True):
            if np.ptp(before) == 0:
                assert (column == 0).all()
            elif np.ptp(before) > 1e-3:
                assert abs(column.mean()) < 1e-6
                assert abs(column.std() - 1) < 1e-6


def test_rank_and_order_of_transforms():
    frame = pd.DataFrame({"x": [10.0, 0.0, 5.0, 5.0]})
    table = prepare_table(frame, transforms=["log", "rank"])
    np.testing.assert_allclose(table.values[:, 0], np.array([4.0, 1.0, 2.5, 2.5]) / 5)
    assert len(table.notes) == 2


def test_unknown_words_are_refused():
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    with pytest.raises(ValueError, match="transforms"):
        prepare_table(frame, transforms=["sqrt"])
    with pytest.raises(ValueError, match="missing"):
        prepare_table(frame, missing="ignore")


def test_to_frame_shares_the_numbers():
    table = prepare_table(FRAME, missing="drop")
    frame = table.to_frame()
    assert np.shares_memory(frame.to_numpy(), table.values)
    assert list(frame.index) == ["a", "b", "d"]
