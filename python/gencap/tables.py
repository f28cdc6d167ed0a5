"""Prepare a table for clustering: roles of columns, missing values, transforms.

What the application's import dialog offers, as functions, so that a script can repeat it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from gencap._validation import FloatArray, IntArray, ObjectArray, check_choice

__all__ = [
    "MISSING",
    "ROLES",
    "TRANSFORMS",
    "PreparedTable",
    "guess_roles",
    "prepare_table",
]

ROLES = ("name", "feature", "label", "ignore")
MISSING = ("error", "drop", "impute")


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Numbers ready for clustering.

    Parameters
    ----------
    values : ndarray of shape (N, D)
        Finite numbers, transformed.
    names : ndarray of shape (N,) or None
        The objects' names.
    columns : ndarray of shape (D,)
        Names of the features.
    known : ndarray of shape (N,) or None
        Known labels as they stand in the table, for comparison only.
    rows : ndarray of shape (N,)
        Which rows of the table were kept.
    n_missing : int
        Missing feature cells that were found.
    notes : tuple of str
        What was done, in sentences.
    """

    values: FloatArray
    names: ObjectArray | None
    columns: ObjectArray
    known: ObjectArray | None
    rows: IntArray
    n_missing: int = 0
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return features as a DataFrame, rows named; the form that splits and pairs take."""
        index = None if self.names is None else pd.Index(self.names)
        return pd.DataFrame(self.values, index=index, columns=pd.Index(self.columns), copy=False)


def guess_roles(frame: pd.DataFrame) -> dict[str, str]:
    """Guess what each column is for: names, features, known labels, or nothing.

    The first text column with a different text in (almost) every row holds the names; other text
    columns with few texts are known labels, further ones are ignored; numbers are features. Where
    only one text column exists, it holds the names.

    Parameters
    ----------
    frame : DataFrame
        A table as `gencap.io.read_frame` returns it.

    Returns
    -------
    dict of str to str
        Role by column: "name", "feature", "label" or "ignore"; at most one name and one label.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gene": ["a", "b", "c"], "kind": ["p", "p", "q"], "x": [1, 2, 3]})
    >>> guess_roles(frame)
    {'gene': 'name', 'kind': 'label', 'x': 'feature'}
    """
    _check_unique(frame)
    roles: dict[str, str] = {}
    text: list[str] = []
    for label in frame.columns:
        column = frame[label]
        if column.notna().sum() == 0:
            roles[label] = "ignore"
        elif _is_text(column):
            roles[label] = "ignore"
            text.append(label)
        else:
            roles[label] = "feature"
    distinct = {label: frame[label].nunique() for label in text}
    named = next((label for label in text if distinct[label] > 0.9 * len(frame)), None)
    if named is None and len(text) == 1 and distinct[text[0]] > max(2, len(frame) // 2):
        named = text[0]
    if named is not None:
        roles[named] = "name"
    for label in text:
        if label != named and 1 < distinct[label] <= max(2, len(frame) // 2):
            roles[label] = "label"
            break
    return roles


def prepare_table(
    frame: pd.DataFrame,
    roles: Mapping[str, str] | None = None,
    missing: str = "error",
    transforms: Sequence[str] = (),
) -> PreparedTable:
    """Turn a table into numbers ready for clustering.

    Parameters
    ----------
    frame : DataFrame
        A table as `gencap.io.read_frame` returns it.
    roles : mapping of str to str, optional
        "name", "feature", "label" or "ignore" by column; columns not named are ignored. None:
        `guess_roles`.
    missing : {"error", "drop", "impute"}
        Refuse missing feature values, leave out the rows that have any, or put the median of the
        column in their place. Text and infinite numbers in a feature count as missing.
    transforms : sequence of str
        Applied in this order: "log" (log2(1 + x)), "zscore_columns" (every column to mean 0 and
        variance 1), "zscore_rows" (every row likewise: shapes of profiles are compared), "rank"
        (ranks within each column divided by N + 1).

    Returns
    -------
    PreparedTable

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gene": ["a", "b", "c"], "x": [1.0, None, 3.0], "y": [0.0, 1.0, 7.0]})
    >>> table = prepare_table(frame, missing="drop", transforms=["log"])
    >>> table.values.tolist(), table.names.tolist(), table.notes[0]
    ([[1.0, 0.0], [2.0, 3.0]], ['a', 'c'], '1 of 3 rows has a missing value and was left out')
    """
    _check_unique(frame)
    check_choice(missing, "missing", MISSING)
    chosen = guess_roles(frame) if roles is None else _checked_roles(frame, roles)
    features = [label for label in frame.columns if chosen.get(label) == "feature"]
    if not features:
        raise ValueError(
            "roles must make at least one column a feature: got none; choose a column of numbers"
        )
    notes: list[str] = []
    values = _numbers(frame, features, notes)
    gaps = ~np.isfinite(values)
    rows = np.arange(len(frame))
    if gaps.any():
        values, rows = _filled(values, gaps, features, missing, notes)
    for transform in transforms:
        step = TRANSFORMS[check_choice(transform, "transforms", TRANSFORMS)]
        values = step(values, features)
        notes.append(_TRANSFORM_NOTES[transform])
    return PreparedTable(
        np.ascontiguousarray(values),
        _texts(frame, chosen, "name", rows),
        np.array(features, dtype=object),
        _texts(frame, chosen, "label", rows),
        rows,
        int(gaps.sum()),
        tuple(notes),
    )


def _check_unique(frame: pd.DataFrame) -> None:
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(
            f"frame must have different column labels: got {twice!r} twice; rename one of them"
        )


def _checked_roles(frame: pd.DataFrame, roles: Mapping[str, str]) -> dict[str, str]:
    for label, role in roles.items():
        if label not in frame.columns:
            raise ValueError(
                f"roles names the column {label!r}, which the table lacks; it has "
                f"{', '.join(map(str, frame.columns[:5]))}" + (", ..." * (frame.shape[1] > 5))
            )
        check_choice(role, f"roles[{label!r}]", ROLES)
    for role in ("name", "label"):
        holders = [label for label, given in roles.items() if given == role]
        if len(holders) > 1:
            raise ValueError(
                f"roles may give {role!r} to one column only: got {', '.join(holders)}; choose one"
            )
    return dict(roles)


def _is_text(column: pd.Series[Any]) -> bool:
    """Whether most cells of a column are no numbers."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
        return False
    numbers = pd.to_numeric(column.astype(object), errors="coerce").notna().sum()
    return bool(numbers <= 0.5 * column.notna().sum())


def _numbers(frame: pd.DataFrame, features: Sequence[str], notes: list[str]) -> FloatArray:
    values = np.empty((len(frame), len(features)))
    text = 0
    for j, label in enumerate(features):
        column = frame[label]
        numbers = pd.to_numeric(column.astype(object), errors="coerce")
        text += int((numbers.isna() & column.notna()).sum())
        values[:, j] = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    if text:
        notes.append(f"{_count(text, 'cell')} of text among the features count as missing")
    return values


def _filled(
    values: FloatArray, gaps: Any, features: Sequence[str], missing: str, notes: list[str]
) -> tuple[FloatArray, IntArray]:
    """Deal with missing values; return the values and the rows that stay."""
    cells, damaged = int(gaps.sum()), gaps.any(axis=1)
    if missing == "error":
        row, column = np.argwhere(gaps)[0]
        raise ValueError(
            f"frame has {_count(cells, 'missing value')}, the first in data row {row + 1}, column "
            f"{features[column]!r}; use missing='drop' or missing='impute'"
        )
    if missing == "drop":
        kept = np.flatnonzero(~damaged)
        if not len(kept):
            raise ValueError(
                "missing='drop' leaves no row: every row has a missing value; use "
                "missing='impute', or ignore the columns with most gaps"
            )
        verb = (
            "has a missing value and was" if damaged.sum() == 1 else "have missing values and were"
        )
        total = f"{len(values):,} rows"
        notes.append(f"{damaged.sum():,} of {total} {verb} left out")
        return values[kept], kept
    empty = gaps.all(axis=0)
    if empty.any():
        raise ValueError(
            f"column {features[int(empty.argmax())]!r} has no number to impute from; ignore it"
        )
    filled = np.where(gaps, np.nan, values)
    filled = np.where(gaps, np.nanmedian(filled, axis=0), values)
    notes.append(
        f"{_count(cells, 'missing value')} in {_count(int(damaged.sum()), 'row')} replaced by the "
        "median of the column"
    )
    return filled, np.arange(len(values))


def _texts(
    frame: pd.DataFrame, roles: Mapping[str, str], role: str, rows: IntArray
) -> ObjectArray | None:
    holder = next((label for label in frame.columns if roles.get(label) == role), None)
    if holder is None:
        return None
    texts = np.empty(len(rows), dtype=object)
    texts[:] = ["" if pd.isna(cell) else str(cell) for cell in frame[holder].iloc[rows]]
    return texts


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _log(values: FloatArray, features: Sequence[str]) -> FloatArray:
    low = values.min(axis=0)
    if (low <= -1).any():
        column = int(low.argmin())
        raise ValueError(
            f"transform 'log' needs values above -1: column {features[column]!r} has "
            f"{low[column]:.4g}; leave 'log' out for data that are logarithms already"
        )
    return np.asarray(np.log2(1.0 + values))


def _zscore_columns(values: FloatArray, features: Sequence[str]) -> FloatArray:
    constant = (values == values[0]).all(axis=0)
    centered = np.where(constant, 0.0, values - values.mean(axis=0))
    # Squares of very small numbers vanish: bring every column to size 1 before measuring spread.
    size = np.abs(centered).max(axis=0)
    centered = centered / np.where(size > 0, size, 1.0)
    spread = centered.std(axis=0)
    return np.asarray(centered / np.where(spread > 0, spread, 1.0))


def _zscore_rows(values: FloatArray, features: Sequence[str]) -> FloatArray:
    return _zscore_columns(values.T, features).T


def _rank(values: FloatArray, features: Sequence[str]) -> FloatArray:
    return np.asarray(rankdata(values, axis=0) / (len(values) + 1), dtype=np.float64)


TRANSFORMS: dict[str, Callable[[FloatArray, Sequence[str]], FloatArray]] = {
    "log": _log,
    "zscore_columns": _zscore_columns,
    "zscore_rows": _zscore_rows,
    "rank": _rank,
}

_TRANSFORM_NOTES = {
    "log": "values became log2(1 + x)",
    "zscore_columns": "every column was scaled to mean 0 and variance 1",
    "zscore_rows": "every row was scaled to mean 0 and variance 1",
    "rank": "values became ranks within their column, divided by N + 1",
}
