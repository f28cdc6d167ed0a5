"""Carrying a clustering of one sample over to the objects of another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.special import softmax

from gencap._validation import FloatArray, IntArray
from gencap.similarity import Similarity

__all__ = [
    "HARD",
    "SOFT",
    "EdgeSpace",
    "KernelSpace",
    "Space",
    "VectorSpace",
    "carry",
    "cross_similarity",
    "indicators",
    "random_argmin",
]

HARD = ("identity", "nearest", "centroid", "hungarian")
# Eq. 14 (centroids) and Eq. 13 (objects) of the transfer-cost paper: not close to each other.
SOFT = ("soft", "soft_objects")
# The bijection needs a dense matrix and time cubic in its side.
MOST_MATCHED = 5_000
# Numbers of a block of distances between objects.
BLOCK = 4_000_000


class Space(ABC):
    """How far the objects of a second sample are from those of a first, and from its clusters."""

    sizes: tuple[int, int]

    @abstractmethod
    def to_clusters(self, codes: IntArray) -> FloatArray:
        """Return the costs (N2, L) of every second object in every cluster of the first."""

    @abstractmethod
    def to_objects(self, rows: slice) -> FloatArray:
        """Return the distances of some second objects to all first ones."""

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the distances between objects in blocks of rows."""
        step = max(1, BLOCK // max(1, self.sizes[0]))
        for start in range(0, self.sizes[1], step):
            rows = slice(start, min(start + step, self.sizes[1]))
            yield rows, self.to_objects(rows)


class MetricSpace(Space):
    """A space in which clusters have means, so that costs are distances from them."""

    @abstractmethod
    def own(self, codes: IntArray) -> FloatArray:
        """Return the costs (N1,) of the first objects in their own clusters."""

    @abstractmethod
    def largest_variance(self) -> float:
        """Return the largest variance of the first sample along a direction."""

    def beta(self, mode: str, scale: float) -> float:
        """Return the inverse temperature of the soft mappings.

        "mean": scale over the mean cost per object with one cluster; "critical": scale times the
        inverse temperature 1 / (2 lambda_max) at which annealing splits the first cluster.
        """
        cost = 2.0 * self.largest_variance() if mode == "critical" else self.single_cost()
        return scale / cost if cost > 0.0 else 0.0

    def single_cost(self) -> float:
        """Return the mean cost per object of the first sample with one cluster."""
        return float(self.own(np.zeros(self.sizes[0], dtype=np.int64)).mean())


class VectorSpace(MetricSpace):
    """Vectors with squared Euclidean distances."""

    def __init__(self, first: FloatArray, second: FloatArray) -> None:
        self.first, self.second = first, second
        self.sizes = (len(first), len(second))

    def means(self, codes: IntArray) -> FloatArray:
        """Return the mean of every cluster of the first sample."""
        middle = self.first.mean(axis=0)
        sums = indicators(codes).T @ (self.first - middle)
        found: FloatArray = sums / np.bincount(codes)[:, None] + middle
        return found

    def to_clusters(self, codes: IntArray) -> FloatArray:
        found: FloatArray = cdist(self.second, self.means(codes), "sqeuclidean")
        return found

    def to_objects(self, rows: slice) -> FloatArray:
        found: FloatArray = cdist(self.second[rows], self.first, "sqeuclidean")
        return found

    def own(self, codes: IntArray) -> FloatArray:
        gaps = self.first - self.means(codes)[codes]
        found: FloatArray = np.einsum("ij,ij->i", gaps, gaps)
        return found

    def largest_variance(self) -> float:
        gaps = self.first - self.first.mean(axis=0)
        return float(np.linalg.norm(gaps, 2) ** 2 / len(gaps))


class KernelSpace(MetricSpace):
    """Similarities read as inner products; costs are half the squared distances.

    With them the costs of pairwise clustering are those of k-means, up to a constant.
    """

    def __init__(self, first: Similarity, diagonal: FloatArray, cross: Any) -> None:
        self.first, self.diagonal, self.cross = first, diagonal, cross
        self.sizes = (len(first), len(diagonal))

    def _norms(self, shares: FloatArray) -> FloatArray:
        """Half the squared lengths of the cluster means."""
        found: FloatArray = 0.5 * np.einsum("ik,ik->k", shares, self.first @ shares)
        return found

    def to_clusters(self, codes: IntArray) -> FloatArray:
        shares = indicators(codes) / np.bincount(codes)
        inner = np.asarray(self.cross.T @ shares)
        found: FloatArray = 0.5 * self.diagonal[:, None] - inner + self._norms(shares)
        return found

    def to_objects(self, rows: slice) -> FloatArray:
        edges = _dense(self.cross[:, rows]).T
        found: FloatArray = 0.5 * (self.diagonal[rows, None] + self.first.diagonal) - edges
        return found

    def own(self, codes: IntArray) -> FloatArray:
        shares = indicators(codes) / np.bincount(codes)
        inner = (self.first @ shares)[np.arange(len(codes)), codes]
        found: FloatArray = 0.5 * self.first.diagonal - inner + self._norms(shares)[codes]
        return found

    def largest_variance(self) -> float:
        gram = self.first.toarray()
        gram -= gram.mean(axis=0)
        gram -= gram.mean(axis=1, keepdims=True)
        # Half the squared distances: half the eigenvalues.
        return max(0.0, float(np.linalg.eigvalsh(gram)[-1])) / (2.0 * len(gram))


class EdgeSpace(Space):
    """Edges between the samples: the more positive ones to a cluster, the nearer (Eqs. 9, 10)."""

    def __init__(self, cross: Any, shift: float, sign: float = 1.0) -> None:
        self.cross, self.shift, self.sign = cross, shift, sign
        self.sizes = (int(cross.shape[0]), int(cross.shape[1]))

    def to_clusters(self, codes: IntArray) -> FloatArray:
        edges = np.asarray(self.cross.T @ indicators(codes))
        found: FloatArray = -self.sign * (edges + self.shift * np.bincount(codes))
        return found

    def to_objects(self, rows: slice) -> FloatArray:
        found: FloatArray = -self.sign * _dense(self.cross[:, rows]).T
        return found


def carry(
    space: Space, codes: IntArray, mapping: str, beta: float, rng: np.random.Generator
) -> FloatArray:
    """Return the weights (N2, L) with which second objects belong to the clusters of the first.

    `codes` number the clusters 0 to L - 1 without gaps: empty clusters do not take part.
    """
    if mapping == "soft":
        return boltzmann(space.to_clusters(codes), beta)
    if mapping == "soft_objects":
        members = indicators(codes)
        parts = [boltzmann(d, beta) @ members for _, d in space.blocks()]
        return np.concatenate(parts)
    return indicators(_LABELINGS[mapping](space, codes, rng), int(codes.max()) + 1)


def boltzmann(costs: FloatArray, beta: float) -> FloatArray:
    """Return exp(-beta d) / Z in every row, whatever the size of beta d."""
    lowest = costs.min(axis=1, keepdims=True)
    found: FloatArray = softmax(-beta * (costs - lowest), axis=1)
    return found


def _identity(space: Space, codes: IntArray, rng: np.random.Generator) -> IntArray:
    return codes


def _nearest(space: Space, codes: IntArray, rng: np.random.Generator) -> IntArray:
    partner = np.concatenate([random_argmin(d, rng) for _, d in space.blocks()])
    found: IntArray = codes[partner]
    return found


def _centroid(space: Space, codes: IntArray, rng: np.random.Generator) -> IntArray:
    return random_argmin(space.to_clusters(codes), rng)


def _hungarian(space: Space, codes: IntArray, rng: np.random.Generator) -> IntArray:
    if max(space.sizes) > MOST_MATCHED:
        raise ValueError(
            f"mapping 'hungarian' matches at most {MOST_MATCHED:,} objects a side: got "
            f"{max(space.sizes):,}; use 'nearest' or 'centroid', or fewer objects"
        )
    # Ties are broken by the order of the objects, which therefore must not carry meaning.
    order = rng.permutation(space.sizes[0])
    distances = space.to_objects(slice(0, space.sizes[1]))[:, order]
    found: IntArray = codes[order[linear_sum_assignment(distances)[1]]]
    return found


_LABELINGS: dict[str, Callable[[Space, IntArray, np.random.Generator], IntArray]] = {
    "identity": _identity,
    "nearest": _nearest,
    "centroid": _centroid,
    "hungarian": _hungarian,
}


def random_argmin(values: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return the column of the least value in every row; a random one where several are least."""
    least = values == values.min(axis=1, keepdims=True)
    counts = least.sum(axis=1)
    wanted = np.floor(rng.random(len(values)) * counts).astype(np.int64) + 1
    found: IntArray = (np.cumsum(least, axis=1) == wanted[:, None]).argmax(axis=1)
    return found


def indicators(codes: IntArray, size: int | None = None) -> FloatArray:
    """Return the labels as columns of zeros and ones."""
    found: FloatArray = np.eye(int(codes.max()) + 1 if size is None else size)[codes]
    return found


def cross_similarity(
    first: FloatArray, second: FloatArray, measure: str, offset: float
) -> FloatArray:
    """Compare the rows of two tables, with the constant v of the first one's similarity."""
    if measure in ("euclidean", "sqeuclidean"):
        found: FloatArray = offset - cdist(
            first, second, "euclidean" if measure == "euclidean" else "sqeuclidean"
        )
        return found
    if measure == "path":
        raise ValueError(
            "measure 'path' does not tell how near two separate samples are; make the similarity "
            "of all objects first, gencap.similarity(X, 'path'), and split it with gencap.holdouts"
        )
    if measure == "pearson":
        first, second = (x - x.mean(axis=1, keepdims=True) for x in (first, second))
    if measure in ("pearson", "cosine"):
        first, second = _unit_rows(first), _unit_rows(second)
    product: FloatArray = first @ second.T
    return product


def _unit_rows(values: FloatArray) -> FloatArray:
    length = np.linalg.norm(values, axis=1, keepdims=True)
    found: FloatArray = values / np.where(length > 0.0, length, 1.0)
    return found


def _dense(block: Any) -> FloatArray:
    found: FloatArray = block if isinstance(block, np.ndarray) else block.toarray()
    return found
