"""Capacity of two given solutions: soft assignments (Eq. 65) or hard labels (Eq. 87)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from gencap import _core
from gencap._validation import FloatArray, check_integer, check_labels, check_matrix

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
    masses : array-like of shape (max(K1, K2),), optional
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
        If the arrays do not hold probabilities of the same objects, or `masses` has not one entry
        per cluster.

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
    first = check_probabilities(P1, "P1")
    second = check_probabilities(P2, "P2")
    if len(first) != len(second):
        raise ValueError(
            f"P2 must have one row per object of P1: got {len(second)} rows for {len(first)}; "
            "pass two solutions for the same objects"
        )
    bits, found_masses, _ = _core.measure_agreement(first, second, not align)
    if masses is not None:
        found_masses = _masses(masses, max(first.shape[1], second.shape[1]))
    return _core.entropy(found_masses) + bits


def hamming_capacity(
    labels1: Sequence[Hashable] | ArrayLike,
    labels2: Sequence[Hashable] | ArrayLike,
    n_clusters: int | None = None,
) -> float:
    """Capacity of two hard labelings of the same objects, in bits per object.

    Parameters
    ----------
    labels1, labels2 : sequence of hashables, length N
        Cluster labels on the first and the second instance: numbers, strings, anything hashable.
        Names need not correspond. A noise label (-1 in some scikit-learn clusterers) is a label
        like any other; missing labels (None, NaN) are refused.
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
    first = check_labels(labels1, "labels1").astype(np.uintp)
    second = check_labels(labels2, "labels2").astype(np.uintp)
    if len(first) != len(second):
        raise ValueError(
            f"labels2 must have one label per object of labels1: got {len(second)} for "
            f"{len(first)}; pass two labelings of the same objects"
        )
    if n_clusters is not None:
        n_clusters = check_integer(n_clusters, "n_clusters")
    n_labels = 1 + max(int(first.max()), int(second.max()))
    if n_clusters is not None and n_clusters < n_labels:
        raise ValueError(
            f"n_clusters must be at least the number of labels: got {n_clusters} for {n_labels} "
            f"labels; choose {n_labels} or more, or leave it out"
        )
    return _core.hamming_capacity(first, second, n_clusters)[0]


def check_probabilities(values: ArrayLike, name: str) -> FloatArray:
    """Return an N x K table of probabilities, or say what is wrong with it."""
    array = check_matrix(values, name).values
    bad = np.argwhere(array < 0.0)
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


def _masses(values: ArrayLike, n_clusters: int) -> FloatArray:
    if np.shape(values) != (n_clusters,):
        raise ValueError(
            f"masses must have one entry per cluster: got shape {np.shape(values)} for "
            f"{n_clusters} clusters; pass a list of {n_clusters}"
        )
    array: FloatArray = check_matrix(np.reshape(values, (1, -1)), "masses").values[0]
    if (array < 0.0).any() or array.sum() <= 0.0:
        raise ValueError(
            f"masses must be non-negative and not all 0: got {np.array2string(array, threshold=8)}"
            "; pass cluster sizes or fractions"
        )
    return array
