"""Capacity of two given solutions: soft assignments (Eq. 65) or hard labels (Eq. 87)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from gencap import _core

__all__ = ["capacity_from_probabilities", "hamming_capacity"]

ROW_TOLERANCE = 1e-6


def capacity_from_probabilities(
    P1: ArrayLike, P2: ArrayLike, masses: ArrayLike | None = None, align: bool = True
) -> float:
    """Capacity of two soft clusterings of the same objects, in bits per object.

    Parameters
    ----------
    P1, P2 : array-like of shape (N, K1) and (N, K2)
        Assignment probabilities on the first and the second instance; row i is object i in both
        and sums to 1. The narrower array is padded with columns of zeros.
    masses : array-like of shape (K,), optional
        Cluster masses or sizes from which H is computed (they are scaled to sum to 1). By default
        the mean column masses of `P1` and the aligned `P2`.
    align : bool, default True
        Match the columns of `P2` to those of `P1` first, by optimal assignment on P1^T P2.

    Returns
    -------
    float
        H + (1/N) sum_i log2 sum_k P1_ik P2_ik. It may be negative, and is -inf when the two rows of
        some object have no cluster in common.

    Raises
    ------
    ValueError
        If the arrays do not hold probabilities of the same objects.

    See Also
    --------
    hamming_capacity : the same question for hard labels.

    Notes
    -----
    This is Eq. 65 of the thesis at one temperature. The capacity of a model is its maximum over
    temperatures, with H taken at the last one: pass those masses as `masses`.

    Examples
    --------
    >>> import gencap.agreement as agreement
    >>> certain = [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> agreement.capacity_from_probabilities(certain, certain)
    1.0
    >>> swapped = [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> agreement.capacity_from_probabilities(certain, swapped)
    1.0
    >>> agreement.capacity_from_probabilities(certain, swapped, align=False)
    -inf
    >>> unsure = [[0.5, 0.5]] * 4
    >>> agreement.capacity_from_probabilities(unsure, unsure)
    0.0
    """
    first = _probabilities(P1, "P1")
    second = _probabilities(P2, "P2")
    if len(first) != len(second):
        raise ValueError(
            f"P2 must have one row per object of P1: got {len(second)} rows for {len(first)}; "
            "pass two solutions for the same objects"
        )
    bits, found_masses, _ = _core.measure_agreement(first, second, not align)
    chosen = found_masses if masses is None else _masses(masses)
    return _core.entropy(chosen) + bits


def hamming_capacity(
    labels1: Iterable[Hashable], labels2: Iterable[Hashable], n_clusters: int | None = None
) -> float:
    """Capacity of two hard labelings of the same objects, in bits per object.

    Parameters
    ----------
    labels1, labels2 : sequence of hashables, length N
        Cluster labels on the first and the second instance: numbers, strings, anything hashable.
        Names need not correspond. A noise label (-1 in some scikit-learn clusterers) is a label
        like any other.
    n_clusters : int, optional
        Number of clusters K; by default the larger number of different labels of the two.

    Returns
    -------
    float
        H + (1-d) log2(1-d) + d log2(d/(K-1)) with d the fraction of objects that disagree after
        optimal relabeling and H the mean of both label entropies. 0 for one cluster, H for d = 0;
        it may be negative.

    Raises
    ------
    ValueError
        If the lengths differ, a labeling is empty, or there are more labels than `n_clusters`.

    See Also
    --------
    capacity_from_probabilities : the same question for soft assignments.

    Notes
    -----
    Eq. 87 of the thesis. Where the labelings have different numbers of clusters, objects in
    unmatched clusters count as disagreements.

    Examples
    --------
    >>> import gencap.agreement as agreement
    >>> agreement.hamming_capacity([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> round(agreement.hamming_capacity([0] * 10 + [1] * 10, [0] * 9 + [1] * 11), 4)
    0.71
    """
    first = _codes(labels1, "labels1")
    second = _codes(labels2, "labels2")
    if len(first) != len(second):
        raise ValueError(
            f"labels2 must have one label per object of labels1: got {len(second)} for "
            f"{len(first)}; pass two labelings of the same objects"
        )
    if n_clusters is not None and (isinstance(n_clusters, bool) or int(n_clusters) != n_clusters):
        raise ValueError(f"n_clusters must be a whole number: got {n_clusters!r}; choose 1 or more")
    n_labels = 1 + max(int(first.max()), int(second.max()))
    if n_clusters is not None and n_clusters < n_labels:
        raise ValueError(
            f"n_clusters must be at least the number of labels: got {n_clusters} for {n_labels} "
            f"labels; choose {n_labels} or more, or leave it out"
        )
    return _core.hamming_capacity(first, second, None if n_clusters is None else int(n_clusters))[0]


def _probabilities(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Check one N x K array of probabilities; NaN fails every comparison and is refused too."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{name} must be a table of objects by clusters: got shape {array.shape}; "
            "pass one row per object and one column per cluster"
        )
    bad = np.argwhere(~((array >= 0.0) & np.isfinite(array)))
    if len(bad):
        i, k = bad[0]
        raise ValueError(
            f"{name} must hold probabilities: got {name}[{i}, {k}] = {array[i, k]:g}; "
            "pass non-negative finite numbers"
        )
    off = np.abs(array.sum(axis=1) - 1.0)
    worst = int(off.argmax())
    if off[worst] > ROW_TOLERANCE:
        raise ValueError(
            f"{name} must have rows that sum to 1: row {worst} sums to {array[worst].sum():.7g}; "
            "divide each row by its sum"
        )
    return array


def _masses(values: ArrayLike) -> NDArray[np.float64]:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.all((array >= 0.0) & np.isfinite(array)) or array.sum() <= 0.0:
        raise ValueError(
            f"masses must be a list of cluster masses: got {np.array2string(array, threshold=8)}; "
            "pass non-negative numbers, at least one of them positive"
        )
    return array


def _codes(labels: Iterable[Hashable], name: str) -> NDArray[np.uintp]:
    """Return numbers 0, 1, ... for labels of any kind, in order of appearance."""
    codes: dict[Hashable, int] = {}
    values = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    if not values:
        raise ValueError(f"{name} must label at least one object: got none; pass one label each")
    try:
        numbered = [codes.setdefault(label, len(codes)) for label in values]
    except TypeError as error:
        raise ValueError(
            f"{name} must hold one hashable label per object: {error}; "
            "pass a one-dimensional list of numbers or strings"
        ) from None
    if any(label is pd.NA or label != label for label in codes):
        raise ValueError(
            f"{name} must not contain NaN: NaN equals no label, not even itself; "
            "give objects without a cluster a label such as -1"
        )
    return np.asarray(numbered, dtype=np.uintp)
