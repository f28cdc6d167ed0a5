"""What the graph models need to know about a similarity before they choose its shift."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gencap._validation import FloatArray
from gencap.similarity import Similarity

__all__ = ["off_diagonal", "smallest"]

# Up to this many objects statistics look at every pair, beyond it at some columns.
EVERY_PAIR = 2_000
SAMPLED_COLUMNS = 256
# Up to this many objects a bound is not good enough.
EXACT = 20_000


def smallest(similarity: Similarity) -> float:
    """Return the smallest similarity, or for many objects the smallest possible one.

    Distances become similarities of at least 0, and correlations cannot be below -1: the pairs
    themselves are looked at only where that helps and is quick.

    Examples
    --------
    >>> import gencap
    >>> round(smallest(gencap.similarity([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], "pearson")), 9)
    -1.0
    """
    shift, n = similarity.shift, similarity.n_objects
    if similarity.measure in ("euclidean", "sqeuclidean", "path"):
        return shift
    if similarity.measure in ("pearson", "cosine") and n > EXACT:
        return shift - 1.0
    stored = similarity.smallest_stored(diagonal=True)
    if stored is not None:
        return stored
    if similarity.representation == "sparse":
        values = similarity.core.parts()[2]
        return shift + min(float(values.min(initial=np.inf)), np.inf if len(values) == n * n else 0)
    blocks = range(0, n, SAMPLED_COLUMNS)
    return min(
        float(_columns(similarity, range(start, min(start + SAMPLED_COLUMNS, n))).min())
        for start in blocks
    )


def off_diagonal(similarity: Similarity) -> FloatArray:
    """Return the similarities of different objects: all of them, or those of some objects.

    Examples
    --------
    >>> import gencap
    >>> off_diagonal(gencap.similarity([[5.0, 1.0], [1.0, 7.0]], "precomputed"))
    array([1., 1.])
    """
    n = similarity.n_objects
    which = np.arange(n)
    if n > EVERY_PAIR:
        which = np.linspace(0, n - 1, SAMPLED_COLUMNS).astype(np.int64)
    values = _columns(similarity, which.tolist())
    kept: FloatArray = values[np.arange(n)[:, None] != which[None, :]]
    return kept


def _columns(similarity: Similarity, which: Sequence[int]) -> FloatArray:
    unit = np.zeros((similarity.n_objects, len(which)))
    unit[list(which), np.arange(len(which))] = 1.0
    return similarity @ unit
