"""What a report is made of: one data set, its results, and what to say beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gencap.results import Capacity, Order
from gencap.summaries import cluster_probabilities

__all__ = ["Study"]

Setting = str | int | float | bool | None


@dataclass(frozen=True, eq=False)
class Study:
    """One data set with its capacity results, ready to be reported.

    Parameters
    ----------
    title, description : str
        Name of the data set, and a sentence about where it comes from.
    order : Order
        Capacity against the number of clusters.
    best : Capacity
        The result shown in detail, normally ``chosen(order)``.
    data : ndarray of shape (N, D)
        What the scatter shows; row i is the object of ``best.labels[i]``.
    names : ndarray of shape (N,) or None
        Names of the objects; row numbers stand in for them.
    columns : ndarray of shape (D,) or None
        Names of the columns of `data`.
    truth : ndarray of shape (N,) or None
        Known classes, shown beside the clusters and never used to find them.
    settings : mapping of str to scalar
        How the numbers were made.
    notes : tuple of str
        Warnings a reader must see.
    seconds : float
        Time the computation took.

    Raises
    ------
    ValueError
        If the lengths of `data`, `names`, `columns` or `truth` do not fit ``best.labels``.
    """

    title: str
    description: str
    order: Order
    best: Capacity
    data: NDArray[np.float64]
    names: NDArray[np.object_] | None = None
    columns: NDArray[np.object_] | None = None
    truth: NDArray[np.object_] | NDArray[np.int64] | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def __post_init__(self) -> None:
        n_objects = len(self.best.labels)
        if self.data.ndim != 2 or len(self.data) != n_objects:
            raise ValueError(
                f"data must have one row per labeled object: got shape {self.data.shape} "
                f"for {n_objects} labels; pass the rows the labels belong to"
            )
        for name, values in (("names", self.names), ("truth", self.truth)):
            if values is not None and len(values) != n_objects:
                raise ValueError(
                    f"{name} must have one entry per labeled object: got {len(values)} "
                    f"for {n_objects} labels; pass the entries of the labeled rows"
                )
        if self.columns is not None and len(self.columns) != self.data.shape[1]:
            raise ValueError(
                f"columns must have one entry per column of data: got {len(self.columns)} "
                f"for {self.data.shape[1]} columns; pass one name per column, or None"
            )

    @property
    def confidence(self) -> NDArray[np.float64]:
        """Probability of each object's own cluster at the optimum, coincident centers summed."""
        return np.asarray(cluster_probabilities(self.best).max(axis=1), dtype=np.float64)
