"""How many dimensions a matrix of similarities really has."""

from __future__ import annotations

from typing import Any

import numpy as np

from gencap._validation import check_choice
from gencap.similarity import Similarity, similarity

__all__ = ["effective_dimension"]

# Eigenvalues take time cubic in the number of objects.
MOST_OBJECTS = 5_000


def effective_dimension(S: Any, kind: str = "participation") -> float:
    """Effective number of dimensions of objects that are known by their similarities.

    Parameters
    ----------
    S : Similarity or array-like of shape (N, N)
        Similarities, read as inner products of the objects; at most 5,000 objects.
    kind : {"participation", "trace"}
        The participation ratio tr^2 / tr(S^2), or tr / lambda_max (Eq. 150 of the thesis).

    Returns
    -------
    float
        Between 1 and N - 1; 1 where all objects are the same.

    Notes
    -----
    The eigenvalues are those of the centered matrix, negative ones set to 0. They are not those of
    the constant-shifted matrix: the shift would inflate the trace.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, Eq. 150.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> round(effective_dimension(X @ X.T), 6), round(effective_dimension(X @ X.T, "trace"), 6)
    (2.0, 2.0)
    """
    check_choice(kind, "kind", ("participation", "trace"))
    graph = S if isinstance(S, Similarity) else similarity(S, "precomputed")
    if len(graph) > MOST_OBJECTS:
        raise ValueError(
            f"effective_dimension takes at most {MOST_OBJECTS:,} objects: got {len(graph):,}; give "
            "a random sample of them"
        )
    gram = graph.toarray()
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    values = np.maximum(np.linalg.eigvalsh(gram), 0.0)
    largest = float(values.max(initial=0.0))
    if largest <= 0.0:
        return 1.0
    shares = values / largest
    total = float(shares.sum())
    return total if kind == "trace" else total**2 / float((shares**2).sum())
