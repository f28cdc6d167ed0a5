"""Who belongs where, and how surely."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd

from gencap._validation import FloatArray

__all__ = ["Labeled", "cluster_probabilities", "label_table"]


class Labeled(Protocol):
    """A result with a cluster per object; `Capacity` and the solutions of `compare` are."""

    @property
    def labels(self) -> Any:
        """Cluster of each object, from 0."""
        ...

    @property
    def probabilities(self) -> Any:
        """Assignment probabilities, one column per cluster or per center."""
        ...

    @property
    def names(self) -> Any:
        """Names of the objects, or None."""
        ...


def cluster_probabilities(result: Labeled) -> FloatArray:
    """Return the probability of every effective cluster, those of coincident centers summed.

    Parameters
    ----------
    result : Capacity, or a solution of `compare`
        With labels and probabilities. Hard results without probabilities count as certain.

    Returns
    -------
    ndarray of shape (N, C)
        Column c belongs to the label c. NaN for the other clusters where a result of very many
        objects kept the probability of its own cluster only.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=60, variance=1.0, random_state=0)
    >>> result = gencap.capacity(gencap.CentroidClustering(4, random_state=0), data.pair)
    >>> bool(abs(cluster_probabilities(result).sum(axis=1) - 1).max() < 1e-9)
    True
    """
    labels = np.asarray(result.labels, dtype=np.int64)
    given = result.probabilities
    probabilities = np.zeros((len(labels), 0)) if given is None else np.asarray(given, dtype=float)
    n_labels = int(labels.max(initial=0)) + 1
    if probabilities.size == 0:
        return np.eye(n_labels)[labels]
    if n_labels > probabilities.shape[1]:
        # Of very many objects only the largest probability is kept.
        return np.where(np.eye(n_labels, dtype=bool)[labels], probabilities[:, :1], np.nan)
    groups = np.asarray(getattr(result, "groups", ()), dtype=np.int64)
    if len(groups) != probabilities.shape[1]:
        groups = np.arange(probabilities.shape[1])
    masses = np.zeros((len(labels), max(n_labels, int(groups.max()) + 1)))
    np.add.at(masses.T, groups, probabilities.T)
    # Sums of probabilities may exceed 1 by rounding.
    return np.minimum(masses, 1.0)


def label_table(result: Labeled, names: Any = None) -> pd.DataFrame:
    """Return one row per object: its cluster, how sure that is, and what else it might be.

    Clusters are counted from 1, as in figures and reports.

    Parameters
    ----------
    result : Capacity, or a solution of `compare`
        With labels and probabilities.
    names : sequence of N names, optional
        By default those of the result, else numbers from 1.

    Returns
    -------
    DataFrame
        name, cluster, confidence (probability of the cluster), second_choice (the next likely
        cluster; missing where there is only one, or where it was not kept) and second_confidence.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=60, variance=1.0, random_state=0)
    >>> result = gencap.capacity(gencap.CentroidClustering(4, random_state=0), data.pair)
    >>> list(label_table(result).columns)
    ['name', 'cluster', 'confidence', 'second_choice', 'second_confidence']
    """
    labels = np.asarray(result.labels, dtype=np.int64)
    masses = cluster_probabilities(result)
    rows = np.arange(len(labels))
    others = masses.copy()
    others[rows, labels] = -1.0
    second = others.argmax(axis=1)
    alone = masses.shape[1] < 2 or bool(np.isnan(masses).any())
    return pd.DataFrame(
        {
            "name": _names(names, result.names, len(labels)),
            "cluster": labels + 1,
            "confidence": masses[rows, labels],
            "second_choice": pd.array(
                [pd.NA] * len(labels) if alone else second + 1, dtype="Int64"
            ),
            "second_confidence": np.full(len(labels), np.nan) if alone else others[rows, second],
        }
    )


def _names(names: Any, found: Any, n_objects: int) -> Any:
    chosen = found if names is None else names
    if chosen is None:
        return np.arange(1, n_objects + 1)
    if len(chosen) != n_objects:
        raise ValueError(
            f"names must have one entry per labeled object: got {len(chosen)} for {n_objects} "
            "labels; pass the names of the labeled rows"
        )
    return np.asarray(chosen, dtype=object)
