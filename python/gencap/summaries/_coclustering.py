"""Two clusterings of the same objects, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gencap._validation import IntArray, check_integer, check_labels

__all__ = ["CODES", "CoClustering", "coclustering", "cluster_order", "evenly"]

CODES = ("apart in both", "together in the first only", "together in the second only", "together")


@dataclass(frozen=True, eq=False)
class CoClustering:
    """Which pairs of objects two clusterings put together.

    Parameters
    ----------
    order : ndarray of shape (M,)
        The objects shown, in the order of the rows and columns of `codes`.
    codes : ndarray of uint8, shape (M, M)
        0 apart in both, 1 together in the first only, 2 in the second only, 3 together in both.
    n_objects : int
        Number of objects N; M is smaller where the matrix was thinned out.
    shares : mapping of int to float
        Share of each code among all N (N - 1) / 2 pairs, shown or not.
    borders : ndarray
        Positions in `order` at which the next cluster of the first clustering begins.
    """

    order: IntArray
    codes: NDArray[np.uint8]
    n_objects: int
    shares: Mapping[int, float]
    borders: IntArray


def coclustering(
    labels_a: Any, labels_b: Any, order: Any = None, *, max_objects: int = 2_000
) -> CoClustering:
    """Compare two clusterings by their co-clustering matrices (thesis, Eq. 151 and Fig. 41).

    Parameters
    ----------
    labels_a, labels_b : array-like of shape (N,)
        Cluster of every object; the first is the reference.
    order : array-like of int, optional
        Objects in the order to show them. By default the reference's clusters, largest first, and
        within them the second clustering's.
    max_objects : int
        Most rows of the matrix; of more objects an even choice is shown.

    Returns
    -------
    CoClustering

    Examples
    --------
    >>> both = coclustering([0, 0, 1, 1], [0, 0, 0, 1])
    >>> both.codes
    array([[3, 3, 2, 0],
           [3, 3, 2, 0],
           [2, 2, 3, 1],
           [0, 0, 1, 3]], dtype=uint8)
    """
    a, b = check_labels(labels_a, "labels_a"), check_labels(labels_b, "labels_b")
    if len(a) != len(b):
        raise ValueError(
            f"labels_a and labels_b must label the same objects: got {len(a)} and {len(b)} labels"
        )
    shown = cluster_order(a, b) if order is None else _check_order(order, len(a))
    shown = evenly(shown, check_integer(max_objects, "max_objects"))
    one, two = a[shown], b[shown]
    codes = (one[:, None] == one).astype(np.uint8)
    codes += 2 * (two[:, None] == two).astype(np.uint8)
    borders = np.flatnonzero(np.diff(one)) + 1
    return CoClustering(shown, codes, len(a), _shares(a, b), borders)


def cluster_order(labels: IntArray, within: IntArray | None = None) -> IntArray:
    """Return the objects cluster by cluster, largest first, each sorted by a second clustering."""
    second = np.zeros_like(labels) if within is None else within
    size_a, size_b = np.bincount(labels), np.bincount(second)
    keys = (second, -size_b[second], labels, -size_a[labels])
    return np.lexsort(keys).astype(np.int64)


def evenly(order: IntArray, most: int) -> IntArray:
    """Return at most `most` entries, evenly spaced: every cluster keeps its share."""
    if len(order) <= most:
        return order
    return order[(np.arange(most) * len(order)) // most]


def _check_order(order: Any, n_objects: int) -> IntArray:
    given = np.asarray(order)
    whole = given.ndim == 1 and given.dtype.kind in "iu" and len(given) > 0
    if not whole or given.min() < 0 or given.max() >= n_objects:
        raise ValueError(
            f"order must list objects by row number, from 0 to {n_objects - 1}: got "
            f"an array of shape {given.shape} and type {given.dtype}"
        )
    return given.astype(np.int64)


def _shares(a: IntArray, b: IntArray) -> dict[int, float]:
    """Count pairs by the contingency table: no N x N matrix is needed."""
    n = len(a)
    cells = np.bincount(a * (int(b.max()) + 1) + b)

    def pairs(counts: IntArray) -> int:
        return int((counts * (counts - 1) // 2).sum())

    both, in_a, in_b = pairs(cells), pairs(np.bincount(a)), pairs(np.bincount(b))
    counted = (n * (n - 1) // 2 - in_a - in_b + both, in_a - both, in_b - both, both)
    total = max(1, n * (n - 1) // 2)
    return {code: count / total for code, count in enumerate(counted)}
