"""What every generator returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gencap._validation import FloatArray, IntArray, ObjectArray
from gencap.instances import Pair
from gencap.splits import split_features

__all__ = ["Dataset", "from_table"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Two measurements of the same objects, with what is known about them.

    Parameters
    ----------
    first, second : ndarray of shape (N, D1) and (N, D2)
        The measurements; labels of shape (N,) for codes.
    truth : ndarray of shape (N,), int64
        Group each object comes from; all 0 where there are no groups.
    description : str
        One sentence for a person.
    information : float or None
        Population mutual information of the two measurements in bits per object, where known.
    data : ndarray of shape (N, D) or None
        The whole table, where the two measurements are halves of its columns.
    columns : ndarray of shape (D,) or None
        Names of the columns of `data`.
    centers : ndarray of shape (K, D) or None
        True centers of the sources.
    """

    first: Any
    second: Any
    truth: IntArray
    description: str
    information: float | None = None
    data: FloatArray | None = None
    columns: ObjectArray | None = None
    centers: FloatArray | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.truth)

    @property
    def pair(self) -> Pair:
        """The two measurements as a `Pair`; labels become indicator vectors."""
        if self.data is not None:
            return split_features(self._table())
        if self.first.ndim == 1:
            size = int(max(self.first.max(), self.second.max())) + 1
            return Pair(np.eye(size)[self.first], np.eye(size)[self.second])
        return Pair(self.first, self.second)

    def _table(self) -> Any:
        if self.columns is None:
            return self.data
        return pd.DataFrame(self.data, columns=pd.Index(self.columns))

    def __repr__(self) -> str:
        return f"<Dataset of {self.n_objects:,} objects: {self.description}>"


def from_table(
    data: FloatArray,
    truth: IntArray,
    description: str,
    information: float | None = None,
    columns: ObjectArray | None = None,
) -> Dataset:
    """Make the data set whose two measurements are the even and the odd columns of `data`."""
    halves = split_features(data)
    return Dataset(
        first=halves.first,
        second=halves.second,
        truth=np.asarray(truth, dtype=np.int64),
        description=description,
        information=information,
        data=data,
        columns=columns,
    )
