"""The similarities, cluster by cluster: clusters show as blocks along the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from gencap._validation import FloatArray, IntArray, check_integer, check_labels, check_matrix
from gencap.similarity import Measure, Similarity, similarity
from gencap.summaries._coclustering import cluster_order, evenly

__all__ = ["ordered_similarity"]

# Columns taken from a similarity at once: N x 64 numbers.
BLOCK = 64


def ordered_similarity(
    S: Any, labels: Any, measure: Measure = "precomputed", max_objects: int = 2_000
) -> tuple[FloatArray, IntArray]:
    """Return the similarities with the objects sorted by cluster.

    Parameters
    ----------
    S : Similarity, or array-like
        Similarities; or vectors together with `measure`.
    labels : array-like of shape (N,)
        Cluster of every object; the largest cluster comes first.
    measure : str
        How the rows of `S` are compared, where it holds vectors.
    max_objects : int
        Most rows of the matrix; of more objects an even choice is shown, with the similarities
        they have among all objects.

    Returns
    -------
    matrix : ndarray of shape (M, M)
    order : ndarray of shape (M,)
        The object of each row.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [9.0], [1.0]])
    >>> matrix, order = ordered_similarity(X, [0, 1, 0], "sqeuclidean")
    >>> order
    array([0, 2, 1])
    """
    codes = check_labels(labels, "labels")
    order = evenly(cluster_order(codes), check_integer(max_objects, "max_objects"))
    rows: Any = S if isinstance(S, Similarity) or issparse(S) else check_matrix(S, "S").values
    n_objects = rows.shape[0]
    if n_objects != len(codes):
        raise ValueError(
            f"labels must have one entry per object: got {len(codes)} for {n_objects} objects"
        )
    if isinstance(S, Similarity) or measure in ("path", "precomputed"):
        relation = similarity(S, measure)
        if len(order) == n_objects:
            return relation.toarray()[np.ix_(order, order)], order
        return _block(relation, order), order
    # These compare two rows without regard to the others: only those that are shown are compared.
    chosen = similarity(rows[order], measure, dense=True, **_offset(rows, measure))
    return chosen.toarray(), order


def _offset(rows: FloatArray, measure: Measure) -> dict[str, Any]:
    """Return the v of all objects, so that a choice of them keeps the similarities v - d."""
    if measure not in ("euclidean", "sqeuclidean"):
        return {}
    return {"offset": similarity(rows, measure, dense=False).offset}


def _block(S: Similarity, order: IntArray) -> FloatArray:
    """Take rows and columns by multiplying with unit vectors, a few at a time."""
    out = np.empty((len(order), len(order)))
    for start in range(0, len(order), BLOCK):
        chosen = order[start : start + BLOCK]
        unit = np.zeros((len(S), len(chosen)))
        unit[chosen, np.arange(len(chosen))] = 1.0
        out[:, start : start + len(chosen)] = (S @ unit)[order]
    return out
