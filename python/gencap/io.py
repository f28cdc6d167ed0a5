"""Read tables from files, and write results all at once or not at all."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import importlib.util
import os
import secrets
import shutil
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gencap._delimited import (
    HEAD_ROWS,
    drop_partial_line,
    has_header,
    head_rows,
    header_labels,
    separator_of,
)
from gencap._validation import (
    FloatArray,
    ObjectArray,
    check_matrix,
    file_label,
    is_default_index,
)

__all__ = ["InputError", "Table", "read_frame", "read_table", "write_results"]

TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
SUPPORTED = "CSV, TSV, TXT (also with .gz), NPY, Parquet, XLSX"
# Enough of a text file to see its delimiter and header, and whether it is text at all.
HEAD_BYTES = 65_536


class InputError(ValueError):
    """A file or folder that cannot be used; the message says why and what would do."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of numbers read from a file.

    Parameters
    ----------
    values : ndarray of shape (N, D)
        Finite numbers.
    names : ndarray of shape (N,) or None
        Row names, from the first text column.
    columns : ndarray of shape (D,) or None
        Column names, from the header.
    path : Path
        Where it came from.
    notes : tuple of str
        What the reader decided or found worth a look.
    """

    values: FloatArray
    names: ObjectArray | None
    columns: ObjectArray | None
    path: Path
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame with names and columns, sharing the numbers."""
        index = None if self.names is None else pd.Index(self.names)
        columns = None if self.columns is None else pd.Index(self.columns)
        return pd.DataFrame(self.values, index=index, columns=columns, copy=False)


def read_table(path: str | os.PathLike[str]) -> Table:
    r"""Read a table of numbers; the first text column holds the row names.

    Parameters
    ----------
    path : path-like
        A CSV, TSV or TXT file (also compressed, .gz), NPY, Parquet or XLSX. Parquet and XLSX need
        the extras ``gencap[parquet]`` and ``gencap[excel]``.

    Returns
    -------
    Table
        Finite float64 values with names and notes.

    Raises
    ------
    InputError
        Where the file is missing, unreadable, empty, binary, or holds missing values or text in
        other columns than the first text column.

    Notes
    -----
    A first row of numbers only is data, not a header. A first column without a header, as pandas
    and R write it, holds row names even if they are numbers. In text files separated by semicolons,
    decimal commas are understood.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("gene,x,y\na,1,2\nb,3,4\n")
    >>> table = read_table(folder / "a.csv")
    >>> table.values.tolist(), table.names.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], ['a', 'b'])
    """
    path = Path(path)
    reader = _reader(path)
    _check_readable(path)
    notes: list[str] = []
    with _worded(path):
        frame = reader(path, notes)
        if isinstance(frame, np.ndarray):
            return Table(check_matrix(frame, "table", from_file=True).values, None, None, path)
        return _table(frame, path, notes)


def read_frame(path: str | os.PathLike[str]) -> pd.DataFrame:
    r"""Read a table as it stands, with text columns and missing cells, to be prepared later.

    Parameters
    ----------
    path : path-like
        A file of any kind that `read_table` reads.

    Returns
    -------
    DataFrame
        Rows numbered from 0; every column has a unique text label ("column 1" and so on where the
        file has none). What the reader found worth a look is in ``frame.attrs["notes"]``.

    Raises
    ------
    InputError
        Where the file is missing, unreadable or empty.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("gene,kind,x\na,p,1\nb,q,\n")
    >>> read_frame(path)
      gene kind    x
    0    a    p  1.0
    1    b    q  NaN
    """
    path = Path(path)
    reader = _reader(path)
    _check_readable(path)
    notes: list[str] = []
    with _worded(path):
        found = reader(path, notes)
        if isinstance(found, np.ndarray) and found.ndim not in (1, 2):
            raise InputError(f"{path} holds an array of {found.ndim} axes; a table has 2")
        frame = pd.DataFrame(found)
        if frame.shape[0] == 0:
            raise InputError(f"{path} has a header but no rows; add at least one")
        if not is_default_index(frame.index):
            frame = frame.reset_index()
    labels = [
        f"column {j + 1}" if isinstance(label, int | np.integer) or str(label) == "" else str(label)
        for j, label in enumerate(frame.columns)
    ]
    frame.columns = pd.Index(header_labels(labels), dtype=object)
    frame.attrs["notes"] = tuple(notes)
    return frame


@contextlib.contextmanager
def _worded(path: Path) -> Iterator[None]:
    """Turn what readers raise into an `InputError` that names the file."""
    try:
        yield
    except InputError:
        raise
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a complete gzip file: {error}; compress it anew") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it with encoding UTF-8") from None
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot read {path}: {reason}; check the file") from None
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: {error}") from None


def _reader(path: Path) -> Callable[[Path, list[str]], Any]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-1] if suffixes else ""
    if kind == ".gz" and len(suffixes) > 1 and suffixes[-2] in TEXT:
        return _read_text
    readers = {".npy": _read_npy, ".parquet": _read_parquet, ".pq": _read_parquet}
    readers |= {".xlsx": _read_xlsx} | dict.fromkeys(TEXT, _read_text)
    if kind in readers:
        return readers[kind]
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it")
    found = f"the ending {kind!r}" if kind else "no ending"
    raise InputError(f"cannot tell the format of {path} from {found}; supported are {SUPPORTED}")


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it")
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError(f"{path} is empty; give a file with at least one row of numbers")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the spelling and the folder") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; check its permissions") from None


def _read_npy(path: Path, notes: list[str]) -> Any:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        first = str(error).splitlines()[0]
        raise InputError(
            f"{path} is not an NPY file of plain numbers ({first}); write it with numpy.save"
        ) from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise InputError(f"{path} is an NPZ archive; save a single array with numpy.save")
    return array


def _read_parquet(path: Path, notes: list[str]) -> pd.DataFrame:
    _need("pyarrow", "parquet", path)
    try:
        return pd.read_parquet(path, engine="pyarrow")
    except Exception as error:  # pyarrow's own exceptions cannot be named without importing it
        raise InputError(f"{path} is not a readable Parquet file: {_first_line(error)}") from None


def _read_xlsx(path: Path, notes: list[str]) -> pd.DataFrame:
    _need("openpyxl", "excel", path)
    try:
        with warnings.catch_warnings():
            # openpyxl warns about styles and validations, which numbers do not need
            warnings.simplefilter("ignore")
            grid = pd.read_excel(path, header=None, dtype=object, engine="openpyxl")
    except Exception as error:  # damaged archives fail in many ways inside zipfile and openpyxl
        raise InputError(f"{path} is not a readable XLSX file: {_first_line(error)}") from None
    if grid.empty:
        raise InputError(f"{path} has an empty first sheet; put the table there")
    rows = [
        ["" if pd.isna(cell) else str(cell) for cell in row]
        for row in grid.head(HEAD_ROWS).to_numpy(dtype=object)
    ]
    named = has_header(rows, notes)
    body = (grid.iloc[1:].reset_index(drop=True) if named else grid).infer_objects()
    body.columns = pd.Index(header_labels(rows[0]) if named else range(grid.shape[1]))
    return body


def _need(module: str, extra: str, path: Path) -> None:
    if importlib.util.find_spec(module) is None:
        raise InputError(
            f"reading {path} needs the package {module}: pip install 'gencap[{extra}]', "
            "or save the table as CSV"
        )


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return f"{lines[0] if lines else type(error).__name__}; write it anew or save it as CSV"


def _read_text(path: Path, notes: list[str]) -> pd.DataFrame:
    zipped = path.suffix.lower() == ".gz"
    ending = Path(path.stem).suffix.lower() if zipped else path.suffix.lower()
    with gzip.open(path, "rb") if zipped else path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    if b"\0" in head and encoding != "utf-16":
        raise InputError(f"{path} is a binary file, not text; supported are {SUPPORTED}")
    whole = len(head) < HEAD_BYTES
    # the incremental decoder waits for the rest of a character that the head cuts in two
    decoder = codecs.getincrementaldecoder(encoding)()
    text = drop_partial_line(decoder.decode(head, final=whole), whole)
    if not text.strip():
        raise InputError(f"{path} is empty; give a file with at least one row of numbers")
    separator = separator_of(text, TEXT[ending])
    rows = head_rows(text, separator)
    named = has_header(rows, notes)
    columns: list[Any] = header_labels(rows[0]) if named else list(range(len(rows[0])))
    if named and len(rows) > 1 and len(rows[1]) == len(columns) + 1:
        columns = ["", *columns]  # R leaves out the header of the row names
    comma = separator == ";" and any("," in cell for row in rows[1:] for cell in row)
    try:
        frame = pd.read_csv(
            path,
            sep=separator,
            header=0 if named else None,
            names=list(range(len(columns))),
            index_col=False,
            decimal="," if comma else ".",
            encoding=encoding,
            compression="gzip" if zipped else None,
            low_memory=False,
            skipinitialspace=True,
        )
    except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError) as error:
        raise InputError(
            f"{path} is not a regular table: {' '.join(str(error).split())}; "
            "give every row the same number of cells"
        ) from None
    frame.columns = pd.Index(columns)
    return frame


def _table(frame: pd.DataFrame, path: Path, notes: list[str]) -> Table:
    if frame.shape[0] == 0:
        raise InputError(f"{path} has a header but no rows; add at least one")
    names = None if is_default_index(frame.index) else frame.index.to_series()
    if names is None and frame.shape[1] and frame.columns[0] == "":
        names, frame = frame.iloc[:, 0], frame.iloc[:, 1:]
    text = [j for j in range(frame.shape[1]) if _is_text(frame.iloc[:, j])]
    if names is None and text and _share_of_numbers(frame.iloc[:, text[0]]) <= 0.5:
        names = frame.iloc[:, text[0]]
        frame = frame.drop(columns=frame.columns[text[0]])
        text = [j - 1 for j in text[1:]]
    if text:
        raise InputError(f"{path}: {_describe_text(frame.iloc[:, text])}")
    if frame.shape[1] == 0:
        raise InputError(f"{path} has no column of numbers; add at least one")
    _note_counter(frame, notes)
    columns = None if _is_numbered(frame.columns) else frame.columns
    checked = check_matrix(frame, "table", from_file=True)
    labels = None if names is None else _names(names, notes)
    return Table(
        checked.values, labels, None if columns is None else checked.columns, path, tuple(notes)
    )


def _is_text(column: pd.Series[Any]) -> bool:
    kind = column.dtype
    if pd.api.types.is_object_dtype(kind):
        return bool(column.map(lambda cell: isinstance(cell, str)).any())
    return not pd.api.types.is_numeric_dtype(kind)


def _share_of_numbers(column: pd.Series[Any]) -> float:
    """Share of cells that are numbers; most of them means a damaged column, not names."""
    return float(pd.to_numeric(column.astype(object), errors="coerce").notna().mean())


def _describe_text(frame: pd.DataFrame) -> str:
    parts = []
    for label, column in frame.items():
        bad = pd.to_numeric(column.astype(object), errors="coerce").isna() & column.notna()
        row = int(bad.to_numpy().argmax())
        example = f"for example {column.iloc[row]!r} in data row {row + 1}"
        parts.append(f"{file_label(label)} ({example})")
    noun = "column" if len(parts) == 1 else "columns"
    shown = ", ".join(parts[:5]) + (f" and {len(parts) - 5} more" if len(parts) > 5 else "")
    return (
        f"text where numbers are expected, in {noun} {shown}; only one text column may hold the "
        "row names: remove the others or encode them as numbers"
    )


def _is_numbered(columns: pd.Index[Any]) -> bool:
    """Tell whether the columns have positions only (from files without a header)."""
    return all(isinstance(label, int | np.integer) for label in columns)


def _note_counter(frame: pd.DataFrame, notes: list[str]) -> None:
    """Warn of a first column that merely counts the rows and is no measurement."""
    first = frame.iloc[:, 0].to_numpy()
    if frame.shape[1] > 1 and len(first) > 2 and first.dtype.kind in "if":
        if (np.diff(first) == 1).all() and first[0] in (0, 1):
            notes.append(
                f"column {frame.columns[0]!r} counts the rows and is used as a measurement; remove "
                "it if it is a row number"
            )


def _names(names: pd.Series[Any], notes: list[str]) -> ObjectArray:
    missing = int(names.isna().sum())
    if missing:
        notes.append(f"{missing:,} objects have no name")
    labels = np.empty(len(names), dtype=object)
    labels[:] = ["" if pd.isna(name) else str(name) for name in names.tolist()]
    repeated = int(pd.Series(labels).duplicated().sum())
    if repeated:
        notes.append(f"{repeated:,} of {len(labels):,} names repeat an earlier name")
    return labels


def write_results(
    folder: str | os.PathLike[str], files: Mapping[str, str | bytes]
) -> tuple[Path, ...]:
    """Write files into `folder` so that either all of them appear or none.

    Parameters
    ----------
    folder : path-like
        Created with its parents where needed; other files in it stay.
    files : mapping of str to str or bytes
        Content by name, which may lie in subfolders ("figures/curve.png"); text becomes UTF-8.

    Returns
    -------
    tuple of Path
        The files written, in the order given.

    Raises
    ------
    InputError
        Where the folder cannot be written.

    Notes
    -----
    Everything is written to a hidden sibling first. A new folder then appears by one rename; in an
    existing one each file is replaced by a rename.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "results"
    >>> [path.name for path in write_results(out, {"a.txt": "hello"})]
    ['a.txt']
    """
    target = Path(folder)
    _check_target(target, files)
    staging = target.parent / f".{target.name}.{secrets.token_hex(4)}"
    try:
        staging.mkdir(parents=True)
        for name, content in files.items():
            path = staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if not target.exists():
            staging.rename(target)
        for name in files if staging.exists() else ():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (staging / name).replace(target / name)
    except OSError as error:
        raise InputError(
            f"cannot write to {target}: {error.strerror}; choose another folder"
        ) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return tuple(target / name for name in files)


def _check_target(target: Path, files: Mapping[str, str | bytes]) -> None:
    for ancestor in (target, *target.parents):
        if ancestor.exists() and not ancestor.is_dir():
            raise InputError(f"{ancestor} is a file, not a folder; choose another folder")
    for name in files:
        if Path(name).is_absolute() or ".." in Path(name).parts or not Path(name).parts:
            raise InputError(f"file name {name!r} must lie inside {target}; use a relative name")
        if (target / name).is_dir():
            raise InputError(f"{target / name} is a folder; move it or choose another folder")
