"""Check and convert what users hand in: the one place that words input errors."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

import joblib
import numpy as np
import pandas as pd
import scipy.sparse
from numpy.typing import NDArray

__all__ = [
    "FloatArray",
    "InputTypeError",
    "IntArray",
    "Matrix",
    "ObjectArray",
    "check_choice",
    "check_integer",
    "check_labels",
    "check_matrix",
    "check_n_clusters",
    "check_n_jobs",
    "check_positive",
    "check_seed",
    "describe_degenerate",
    "file_label",
]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
ObjectArray: TypeAlias = NDArray[np.object_]


class InputTypeError(TypeError, ValueError):
    """A value of the wrong type; a ValueError too, so that one clause catches all bad input."""


# Costs are squares summed over rows and columns; beyond this the sums leave float64.
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class Matrix:
    """A checked table.

    Parameters
    ----------
    values : ndarray of shape (N, D)
        Finite, float64, C-contiguous; the caller's own memory where it already was so.
    names : ndarray of shape (N,) or None
        Names of the rows: the index of a DataFrame unless it merely counts the rows.
    columns : ndarray of shape (D,) or None
        Column labels of a DataFrame.
    """

    values: FloatArray
    names: ObjectArray | None = None
    columns: ObjectArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        rows, columns = self.values.shape
        return rows, columns


def check_matrix(
    X: Any, name: str, *, min_rows: int = 1, min_columns: int = 1, from_file: bool = False
) -> Matrix:
    """Turn `X` into a finite float64 table or say what is wrong with it.

    Parameters
    ----------
    X : array-like of shape (N, D), DataFrame or Matrix
        Numbers of any real type.
    name : str
        What the caller calls the argument; every message starts with it.
    min_rows, min_columns : int
        Smallest shape that makes sense.
    from_file : bool
        Whether messages count rows and columns from 1, as a reader of the file does.

    Returns
    -------
    Matrix
        The values, without a copy where possible, and the names.

    Raises
    ------
    InputTypeError
        For sparse input and for cells that are neither numbers nor text.
    ValueError
        For everything else: shape, text, complex numbers, NaN, infinity.

    Examples
    --------
    >>> check_matrix([[1, 2], [3, 4]], "X").values
    array([[1., 2.],
           [3., 4.]])
    """
    if isinstance(X, Matrix):
        matrix = X
    elif isinstance(X, pd.DataFrame):
        names = None if is_default_index(X.index) else _objects(X.index)
        matrix = Matrix(_frame_values(X, name), names, _objects(X.columns))
    else:
        matrix = Matrix(_array_values(X, name))
    _check_shape(matrix.values, name, min_rows, min_columns)
    _check_finite(matrix, name, from_file)
    return matrix


def is_default_index(index: pd.Index[Any]) -> bool:
    """Tell whether a DataFrame's index merely counts the rows from 0."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _objects(index: pd.Index[Any]) -> ObjectArray:
    labels = np.empty(len(index), dtype=object)
    labels[:] = index.tolist()
    return labels


def _frame_values(frame: pd.DataFrame, name: str) -> FloatArray:
    if any(pd.api.types.is_complex_dtype(kind) for kind in frame.dtypes):
        raise ValueError(f"Complex data not supported: {name} has complex columns; pass real ones")
    text = [label for label, column in frame.items() if not _holds_numbers(column)]
    if text:
        raise ValueError(
            f"{name} must hold numbers only: {_plural(len(text), 'column')} not numeric, "
            f"{_listed(text)}; drop with {name}.select_dtypes('number') or encode as numbers"
        )
    if any(pd.api.types.is_object_dtype(kind) for kind in frame.dtypes):
        return np.ascontiguousarray(_numbers_of_objects(frame.to_numpy(dtype=object), name))
    return np.ascontiguousarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))


def _holds_numbers(column: pd.Series[Any]) -> bool:
    if not pd.api.types.is_object_dtype(column.dtype):
        return pd.api.types.is_numeric_dtype(column.dtype)
    numeric = {"boolean", "decimal", "empty", "floating", "integer", "mixed-integer-float"}
    return pd.api.types.infer_dtype(column, skipna=True) in numeric


def _array_values(X: Any, name: str) -> FloatArray:
    if scipy.sparse.issparse(X):
        raise InputTypeError(
            f"{name} must be a dense table: got a sparse {type(X).__name__}; "
            f"sparse input is not supported here, pass {name}.toarray() if it fits in memory"
        )
    try:
        array = X if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} must be a table with rows of equal length: got rows of different lengths"
        ) from None
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}; pass real")
    if array.dtype.kind in "USMmV":
        raise ValueError(
            f"{name} must hold numbers: got an array of dtype {array.dtype}; "
            f"convert it with {name}.astype(float) or encode the categories"
        )
    if array.dtype.kind == "O":
        array = _numbers_of_objects(array, name)
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(np.float64), np.nan)
    # numpy warns when long doubles overflow; the finiteness check words that better
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(np.asarray(array), dtype=np.float64) if array.ndim else array


def _numbers_of_objects(array: Any, name: str) -> FloatArray:
    for position, cell in np.ndenumerate(array):
        if isinstance(cell, str | bytes):
            raise ValueError(
                f"{name} must hold numbers: found the text {cell!r} at position {position}; "
                "could not convert string to float, encode or drop it"
            )
        if isinstance(cell, complex | np.complexfloating):
            raise ValueError(f"Complex data not supported: {name} holds {cell!r} at {position}")
    try:
        return np.asarray(np.where(pd.isna(array), np.nan, array), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} must hold numbers: {error}") from None


def _check_shape(values: FloatArray, name: str, min_rows: int, min_columns: int) -> None:
    if values.ndim < 2:
        found = f"a 1-D array of shape {values.shape}" if values.ndim else "a single value"
        raise ValueError(
            f"{name} must be a 2-D table of objects by features: got {found}. Reshape your data: "
            f"{name}.reshape(-1, 1) for one feature, {name}.reshape(1, -1) for one object"
        )
    if values.ndim > 2:
        raise ValueError(
            f"{name} must be a 2-D table of objects by features: got {values.ndim} dimensions, "
            f"shape {values.shape}; flatten with {name}.reshape(len({name}), -1)"
        )
    rows, columns = values.shape
    for count, least, what, part in (
        (rows, min_rows, "sample", "row"),
        (columns, min_columns, "feature", "column"),
    ):
        if count < least:
            raise ValueError(
                f"{name} has {count} {what}(s) (shape={values.shape}) while a minimum of {least} "
                f"is required. Give at least {_plural(least, part)}"
            )


def _check_finite(matrix: Matrix, name: str, from_file: bool) -> None:
    values = matrix.values
    # min and max propagate NaN, so that two passes without temporaries clear the usual case
    if values.min() >= -LARGEST and values.max() <= LARGEST:
        return
    remedies = (
        (np.isnan(values), "NaN (missing) {}", "drop those rows or fill them in first"),
        (np.isinf(values), "infinity (inf) {}", "replace or drop them"),
        (np.abs(values) > LARGEST, f"{{}} beyond {LARGEST:g}", "rescale the columns"),
    )
    for bad, what, remedy in remedies:
        count = int(bad.sum())
        if count:
            row, column = (int(i) for i in np.unravel_index(bad.argmax(), bad.shape))
            found = f"{count:,} {what.format('value' if count == 1 else 'values')}"
            where = _cell_of_file if from_file else _cell
            raise ValueError(
                f"{name} must hold finite numbers: found {found}, "
                f"the first at {where(matrix, row, column)}; {remedy}"
            )


def _cell_of_file(matrix: Matrix, row: int, column: int) -> str:
    """Name a cell as someone who looks at the file counts."""
    label = column if matrix.columns is None else matrix.columns[column]
    return f"data row {row + 1}, column {file_label(label)} (counted from 1, header not included)"


def file_label(label: Any) -> str:
    """Return a column's name as the file has it; positions count from 1."""
    return str(label + 1) if isinstance(label, int | np.integer) else repr(label)


def _cell(matrix: Matrix, row: int, column: int) -> str:
    where = f"row {row}"
    if matrix.names is not None:
        where += f" ({matrix.names[row]!r})"
    where += f", column {column}"
    if matrix.columns is not None:
        where += f" ({matrix.columns[column]!r})"
    return where


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count:,} {what}s"


def _listed(items: Collection[Any], most: int = 5) -> str:
    shown = ", ".join(repr(item) for item in list(items)[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def check_labels(labels: Any, name: str) -> IntArray:
    """Encode one label per object as 0 .. L-1, in sorted order where the labels have one.

    Parameters
    ----------
    labels : array-like of shape (N,)
        Any hashable values: numbers, text, tuples.
    name : str
        What the caller calls the argument.

    Returns
    -------
    ndarray of shape (N,), int64

    Examples
    --------
    >>> check_labels(["b", "a", "b"], "truth")
    array([1, 0, 1])
    """
    if isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
        raise ValueError(f"{name} must be a list of labels, one per object: got {labels!r}")
    try:
        series = pd.Series(labels) if not isinstance(labels, pd.Series) else labels
        codes, kinds = pd.factorize(series, use_na_sentinel=True)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be 1-D with one hashable label per object: "
            f"got {type(labels).__name__} of shape {_shape_text(labels)}"
        ) from None
    if len(codes) == 0:
        raise ValueError(f"{name} is empty: give one label per object")
    missing = codes < 0
    if missing.any():
        raise ValueError(
            f"{name} must label every object: {_plural(int(missing.sum()), 'label')} missing, "
            f"the first at row {int(missing.argmax())}; give them a label of their own"
        )
    try:
        order = sorted(range(len(kinds)), key=lambda i: kinds[i])
    except TypeError:  # labels without an order keep that of their first appearance
        order = list(range(len(kinds)))
    rank = np.empty(len(kinds), dtype=np.int64)
    rank[order] = np.arange(len(kinds))
    return rank[codes]


def _shape_text(labels: Any) -> str:
    try:
        return str(np.shape(labels))
    except ValueError:
        return "that varies from row to row"


def check_integer(value: Any, name: str, *, minimum: int = 1) -> int:
    """Return `value` as an int of at least `minimum`; booleans and fractions are refused.

    Examples
    --------
    >>> check_integer(3, "n_splits")
    3
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise InputTypeError(
            f"{name} must be an integer: got {value!r} of type {type(value).__name__}; "
            f"give a whole number of at least {minimum}"
        )
    if (number := int(value)) < minimum:
        raise ValueError(f"{name} must be at least {minimum}: got {number}")
    return number


def check_n_clusters(k: Any, n_objects: int) -> int:
    """Return the number of clusters as an int between 1 and `n_objects`.

    Examples
    --------
    >>> check_n_clusters(3, 10)
    3
    """
    count = check_integer(k, "n_clusters")
    if count > n_objects:
        raise ValueError(
            f"n_clusters must be at most the number of objects: got {count} for {n_objects} rows; "
            f"choose {n_objects} or fewer (n_samples = {n_objects})"
        )
    return count


def check_seed(random_state: Any) -> int:
    """Turn any usual `random_state` into one integer in [0, 2**63).

    Parameters
    ----------
    random_state : None, int, Generator, RandomState or SeedSequence
        None draws fresh entropy; a generator is advanced by one draw.

    Examples
    --------
    >>> check_seed(7)
    7
    """
    if random_state is None:
        random_state = np.random.SeedSequence()
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint64)[0] >> 1)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1, dtype=np.int64, endpoint=True))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**63 - 1, dtype=np.int64))
    if isinstance(random_state, bool | np.bool_) or not isinstance(random_state, numbers.Integral):
        raise InputTypeError(
            "random_state must be None, an integer or a numpy Generator: "
            f"got {random_state!r} of type {type(random_state).__name__}"
        )
    seed = int(random_state)
    if not 0 <= seed < 2**63:
        raise ValueError(f"random_state must lie in [0, 2**63): got {seed}")
    return seed


def check_n_jobs(n_jobs: Any) -> int:
    """Return a number of threads; None and -1 mean all cores this process may use.

    As in joblib, -2 leaves one core free, and so on. More threads than those cores would only cost
    memory and time: larger numbers mean all cores as well.

    Examples
    --------
    >>> check_n_jobs(1)
    1
    >>> check_n_jobs(10**6) == check_n_jobs(None)
    True
    """
    cores = int(joblib.cpu_count())
    if n_jobs is None:
        return cores
    if isinstance(n_jobs, bool | np.bool_) or not isinstance(n_jobs, numbers.Integral):
        raise InputTypeError(
            f"n_jobs must be an integer or None: got {n_jobs!r}; -1 takes all cores"
        )
    threads = int(n_jobs)
    if threads == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, or -1 for all cores")
    return min(threads, cores) if threads > 0 else max(1, cores + 1 + threads)


def check_positive(value: Any, name: str) -> float:
    """Return `value` as a finite float above 0.

    Examples
    --------
    >>> check_positive(2, "variance")
    2.0
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise InputTypeError(
            f"{name} must be a number above 0: got {value!r} of type {type(value).__name__}"
        )
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name} must be a finite number above 0: got {value!r}")
    return number


def check_choice(value: Any, name: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`.

    Examples
    --------
    >>> check_choice("random", "how", ["interleave", "random"])
    'random'
    """
    if isinstance(value, str) and value in choices:
        return value
    close = difflib.get_close_matches(str(value), list(choices), n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"{name} must be one of {_listed(choices, 20)}: got {value!r}{hint}")


def describe_degenerate(matrix: Matrix | FloatArray) -> list[str]:
    """Say what is legal but suspicious: constant columns, identical and duplicate rows.

    Parameters
    ----------
    matrix : Matrix or ndarray of shape (N, D)
        A table that passed `check_matrix`.

    Returns
    -------
    list of str
        One sentence per finding; empty when nothing stands out.

    Examples
    --------
    >>> describe_degenerate(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]]))
    ['1 of 2 columns is constant and carries no information: column 0']
    """
    table = matrix if isinstance(matrix, Matrix) else Matrix(matrix)
    values = table.values
    rows, columns = values.shape
    if rows < 2:
        return []
    constant = np.flatnonzero((values == values[0]).all(axis=0))
    if len(constant) == columns:
        return [f"all {rows:,} rows are identical: there is nothing to cluster"]
    findings = []
    if len(constant):
        labels = constant.tolist() if table.columns is None else list(table.columns[constant])
        verb, noun = ("is", "column") if len(constant) == 1 else ("are", "columns")
        findings.append(
            f"{len(constant)} of {columns} columns {verb} constant and "
            f"{'carries' if verb == 'is' else 'carry'} no information: {noun} {_listed(labels)}"
        )
    # adding 0.0 makes -0.0 and 0.0 hash alike
    hashes = pd.util.hash_pandas_object(pd.DataFrame(values + 0.0), index=False)
    repeated = int(hashes.duplicated().sum())
    if repeated:
        findings.append(
            f"{repeated:,} of {rows:,} rows ({repeated / rows:.1%}) repeat an earlier row exactly; "
            "repeated objects agree without noise, which can inflate the bits"
        )
    return findings
