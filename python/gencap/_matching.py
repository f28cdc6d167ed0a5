"""Match the rows and columns of two tables that describe the same objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gencap._validation import IntArray, Matrix, is_default_index

__all__ = ["match_columns", "match_rows", "share_columns", "take_rows"]


def match_rows(
    first: Any, second: Any, left: Matrix, right: Matrix, labels: tuple[str, str]
) -> IntArray | None:
    """Return the rows of `second` in the order of `first`, or None where they are in it."""
    a, b = labels
    if len(left.values) != len(right.values):
        raise ValueError(
            f"{a} and {b} must describe the same objects: {a} has {len(left.values):,} rows, "
            f"{b} has {len(right.values):,}; keep the objects that both contain, in one order"
        )
    if not (isinstance(first, pd.DataFrame) and isinstance(second, pd.DataFrame)):
        return None
    wanted, found = first.index, second.index
    if wanted.equals(found):
        return None
    if wanted.is_unique and found.is_unique:
        rows = found.get_indexer(wanted)
        if (rows >= 0).all():
            return np.asarray(rows, dtype=np.int64)
    elif sorted(map(str, wanted)) == sorted(map(str, found)):
        raise ValueError(
            f"{a} and {b} have the same row names in another order, and some names repeat, so the "
            "rows cannot be matched; make the names unique or sort both tables alike"
        )
    if is_default_index(wanted) or is_default_index(found):
        return None
    lacking = wanted.difference(found, sort=False)
    raise ValueError(
        f"{a} and {b} must describe the same objects: {len(lacking):,} row names of {a} are not in "
        f"{b}, for example {lacking[0]!r}; keep the common rows with .loc, or pass .to_numpy() to "
        "match by position"
    )


def take_rows(matrix: Matrix, rows: IntArray | None) -> Matrix:
    """Return `matrix` with its rows in the order `rows`."""
    if rows is None:
        return matrix
    names = None if matrix.names is None else matrix.names[rows]
    return Matrix(matrix.values[rows], names, matrix.columns)


def match_columns(left: Matrix, right: Matrix) -> Matrix:
    """Bring equal column names of `right` into the order of `left`."""
    if left.columns is None or right.columns is None or left.shape[1] != right.shape[1]:
        return right
    wanted, found = pd.Index(left.columns), pd.Index(right.columns)
    if wanted.equals(found) or not (wanted.is_unique and found.is_unique):
        return right
    order = found.get_indexer(wanted)
    if (order < 0).any():
        return right
    return Matrix(np.ascontiguousarray(right.values[:, order]), right.names, left.columns)


def share_columns(left: Matrix, right: Matrix) -> bool:
    """Tell whether both tables live in one vector space, as far as names and shape say."""
    if left.shape[1] != right.shape[1]:
        return False
    if left.columns is None or right.columns is None:
        return True
    return pd.Index(left.columns).equals(pd.Index(right.columns))
