"""What the objects of a cluster have in common: mean and spread of every column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gencap._validation import check_labels, check_matrix

__all__ = ["cluster_profiles"]


def cluster_profiles(X: Any, labels: Any, columns: Any = None) -> pd.DataFrame:
    """Return mean and spread of every column in every cluster.

    Parameters
    ----------
    X : array-like or DataFrame of shape (N, D)
        The objects.
    labels : array-like of shape (N,)
        Cluster of every object; the table repeats the labels as they are.
    columns : sequence of D names, optional
        By default those of the DataFrame, else numbers from 1.

    Returns
    -------
    DataFrame
        One row per cluster and column: cluster, column, mean, sd (with n - 1; NaN for a single
        object), n. Clusters are sorted by label, columns as in `X`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"heat": [1.0, 3.0, 9.0], "cold": [0.0, 0.0, 4.0]})
    >>> cluster_profiles(X, [1, 1, 2])
       cluster column  mean        sd  n
    0        1   heat   2.0  1.414214  2
    1        1   cold   0.0  0.000000  2
    2        2   heat   9.0       NaN  1
    3        2   cold   4.0       NaN  1
    """
    table = check_matrix(X, "X")
    codes = check_labels(labels, "labels")
    rows, n_columns = table.shape
    if len(codes) != rows:
        raise ValueError(f"labels must have one entry per row: got {len(codes)} for {rows} rows")
    names = _column_names(columns, table.columns, n_columns)
    given = np.asarray(labels)
    _, first = np.unique(codes, return_index=True)
    parts = []
    for code, where in enumerate(first):
        members = table.values[codes == code]
        one = len(members) == 1
        sd = np.full(n_columns, np.nan) if one else members.std(axis=0, ddof=1)
        part = {"cluster": [given[where]] * n_columns, "column": names}
        parts.append(
            pd.DataFrame({**part, "mean": members.mean(axis=0), "sd": sd, "n": len(members)})
        )
    return pd.concat(parts, ignore_index=True)


def _column_names(columns: Any, found: Any, n_columns: int) -> list[Any]:
    if columns is None:
        return list(found) if found is not None else list(range(1, n_columns + 1))
    names = list(columns)
    if len(names) != n_columns:
        raise ValueError(
            f"columns must name every column: got {len(names)} names for {n_columns} columns"
        )
    return names
