"""Graphs with planted clusters: edges of +1 and -1, some of them random."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from gencap._validation import FloatArray, InputTypeError, IntArray, check_integer, check_seed
from gencap.datasets._dataset import Dataset

__all__ = ["correlation_graph", "two_structure_graph"]


def correlation_graph(
    n_objects: int = 500,
    n_clusters: int = 5,
    *,
    sizes: Sequence[int] | None = None,
    complexity: float = 0.35,
    noise: float = 0.74,
    random_state: Any = None,
) -> Dataset:
    """Two noisy copies of a graph whose clusters are planted.

    Edges within clusters are +1, all others -1. In each copy by itself, edges between clusters
    become +1 with probability `complexity`, then every edge is replaced by a fair coin with
    probability `noise`. Use ``measure="precomputed"``.

    Parameters
    ----------
    n_objects, n_clusters : int
        Objects, in clusters as equal as possible.
    sizes : sequence of int, optional
        Cluster sizes; then `n_objects` and `n_clusters` are not read.
    complexity : float in [0, 1]
        Share xi of edges between clusters that pretend to be within.
    noise : float in [0, 1]
        Share eta of random edges. At 1,500 objects .75, .85 and .95 are easy, hard and hopeless;
        at 500 objects .567, .74 and .913 are as hard.
    random_state : None, int or Generator
        Seed of the draw.

    Returns
    -------
    Dataset
        `first` and `second` are symmetric (N, N) with a zero diagonal.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 6.3.

    Examples
    --------
    >>> graph = correlation_graph(100, 4, noise=0.0, complexity=0.0, random_state=0)
    >>> graph.first.shape, int(graph.first[0, 1]), int(graph.first[0, 99])
    ((100, 100), 1, -1)
    """
    if sizes is None:
        n_objects = check_integer(n_objects, "n_objects", minimum=2)
        n_clusters = check_integer(n_clusters, "n_clusters")
        truth = np.sort(np.arange(n_objects, dtype=np.int64) % n_clusters)
    else:
        counts = [check_integer(size, "sizes") for size in sizes]
        truth = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    xi, eta = _share(complexity, "complexity"), _share(noise, "noise")
    rng = np.random.default_rng(check_seed(random_state))
    within = truth[:, None] == truth[None, :]

    def copy() -> FloatArray:
        planted = within | (rng.random(within.shape) < xi)
        return _noisy(np.where(planted, 1.0, -1.0), (-1.0, 1.0), eta, rng)

    description = f"correlation graph of {truth.max() + 1} clusters, {eta:.0%} of the edges random"
    return Dataset(copy(), copy(), truth, description)


def two_structure_graph(
    n_objects: int = 400, *, noise: float = 0.5, random_state: Any = None
) -> Dataset:
    """Two noisy copies of a graph that Min Cut and Max Cut split in different ways.

    Four equal parts with edges +1 within, +2 between parts 1-2 and 3-4, -1 between 1-4 and 2-3, -2
    between 1-3 and 2-4; each edge is replaced by one of -2, -1, 1, 2 with probability `noise`.
    Min Cut separates parts 1, 2 from 3, 4 and Max Cut 1, 3 from 2, 4.

    Parameters
    ----------
    n_objects : int
        Objects, in four parts as equal as possible.
    noise : float in [0, 1]
        Share of random edges.
    random_state : None, int or Generator
        Seed of the draw.

    Returns
    -------
    Dataset
        `truth` numbers the four parts.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, Eq. 148.

    Examples
    --------
    >>> graph = two_structure_graph(8, noise=0.0, random_state=0)
    >>> graph.first[0].astype(int).tolist()
    [0, 1, 2, 2, -2, -2, -1, -1]
    """
    n_objects = check_integer(n_objects, "n_objects", minimum=4)
    eta = _share(noise, "noise")
    truth: IntArray = np.sort(np.arange(n_objects, dtype=np.int64) % 4)
    # Eq. 148: weights by the parts of both ends.
    weights = np.array([[1, 2, -2, -1], [2, 1, -1, -2], [-2, -1, 1, 2], [-1, -2, 2, 1]], float)
    rng = np.random.default_rng(check_seed(random_state))
    perfect = weights[truth[:, None], truth[None, :]]
    first = _noisy(perfect, (-2.0, -1.0, 1.0, 2.0), eta, rng)
    second = _noisy(perfect, (-2.0, -1.0, 1.0, 2.0), eta, rng)
    description = f"graph with two structures, {eta:.0%} of the edges random"
    return Dataset(first, second, truth, description)


def _noisy(
    edges: FloatArray, values: Sequence[float], share: float, rng: np.random.Generator
) -> FloatArray:
    """Replace a share of the edges by random ones; the upper triangle decides."""
    random = rng.choice(values, size=edges.shape)
    upper = np.triu(np.where(rng.random(edges.shape) < share, random, edges), 1)
    return upper + upper.T


def _share(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(f"{name} must be a number between 0 and 1: got {value!r}")
    if not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1: got {value!r}")
    return float(value)
