"""Give clusters the same numbers, and so the same colors, all along an annealing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gencap_gui.results import FloatArray, IntArray

__all__ = ["assigned", "branch_numbers", "leads", "relabeled"]


def leads(groups: IntArray) -> IntArray:
    """Replace group numbers by the lowest member of the group; works along the last axis.

    Examples
    --------
    >>> leads(np.array([[0, 0, 0], [1, 0, 1]])).tolist()
    [[0, 0, 0], [0, 1, 0]]
    """
    together = groups[..., :, None] == groups[..., None, :]
    return np.asarray(together.argmax(axis=-1), dtype=np.int64)


def branch_numbers(groups: IntArray, best: IntArray, kinds: IntArray) -> IntArray:
    """Give branches of an annealing numbers; the optimum's clusters keep theirs.

    Parameters
    ----------
    groups : ndarray of shape (T, K)
        Group of each slot at every temperature.
    best : ndarray of shape (K,)
        Groups at the optimum.
    kinds : ndarray
        Group number of each cluster at the optimum, in the order of their labels.

    Returns
    -------
    ndarray of shape (T, K)
        Branch of each slot: a branch is named by its lowest slot, and slots that lead a cluster
        at the optimum have its label.
    """
    slots = np.arange(groups.shape[1])
    number = np.full(len(slots), -1, dtype=np.int64)
    for label, kind in enumerate(kinds):
        members = np.flatnonzero(best == kind)
        if len(members):
            number[members[0]] = label
    free = number < 0
    number[free] = len(kinds) + np.arange(free.sum())
    return np.asarray(number[leads(groups)])


def assigned(
    probabilities: FloatArray, branches: IntArray
) -> tuple[np.ndarray[Any, np.dtype[np.int16]], np.ndarray[Any, np.dtype[np.float32]]]:
    """Return the likeliest branch of each object and its probability.

    `probabilities` has shape (N, K), `branches` (K,); slots of one branch are added up.
    """
    numbers, columns = np.unique(branches, return_inverse=True)
    summed = probabilities @ np.eye(len(numbers))[columns]
    likeliest = summed.argmax(axis=1)
    confidence = np.take_along_axis(summed, likeliest[:, None], axis=1)[:, 0]
    return numbers[likeliest].astype(np.int16), confidence.astype(np.float32)


def relabeled(probabilities: FloatArray, groups: IntArray, kinds: IntArray) -> IntArray:
    """Return labels of another instance, in the numbers of the first one's clusters.

    Groups that the first instance does not use get numbers of their own.
    """
    size = int(groups.max()) + 1
    likeliest = (probabilities @ np.eye(size)[groups]).argmax(axis=1)
    number = np.full(size, -1, dtype=np.int64)
    number[kinds] = np.arange(len(kinds))
    free = number < 0
    number[free] = len(kinds) + np.arange(free.sum())
    _, codes = np.unique(number[likeliest], return_inverse=True)
    known = number[likeliest] < len(kinds)
    return np.where(known, number[likeliest], len(kinds) + codes).astype(np.int64)
