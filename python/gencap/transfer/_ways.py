"""How the solution of one sample is priced on another, for each kind of model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gencap._carrying import HARD, SOFT, MetricSpace, carry
from gencap._fitting import fit_clone, is_density, labels_of
from gencap._graph_input import off_diagonal
from gencap._opening import Opened
from gencap._progress import Control
from gencap._validation import FloatArray, IntArray
from gencap.models import (
    CorrelationClustering,
    DominantSets,
    GraphClusterer,
    MaxCut,
    PairwiseClustering,
)
from gencap.similarity import Similarity

__all__ = ["Priced", "price", "resolve", "soft_beta", "unit_of"]

DENSITY = "density"
# Models whose clusters attract (or repel) an object by its edges to them, Eqs. 9 and 10.
EDGE_MODELS = (CorrelationClustering, MaxCut)


@dataclass(frozen=True)
class Priced:
    """Cost of one solution on the sample it came from and on the other; clusters it uses."""

    train: float
    test: float
    clusters: int


def resolve(mapping: str, split: Opened) -> str:
    """Settle "auto", and refuse mappings that the model or the samples do not allow."""
    model = split.model
    if isinstance(model, DominantSets):
        raise TypeError(
            "model must minimize a cost, which DominantSets does not; use gencap.capacity or "
            "criteria.instability"
        )
    if is_density(model):
        return _density(model, mapping)
    found = _automatic(split) if mapping == "auto" else mapping
    if found == DENSITY:
        raise ValueError(
            f"mapping 'density' needs a model with a likelihood: got {type(model).__name__}; use "
            "gencap.GaussianMixture, or another mapping"
        )
    _check_graph(split, found)
    if found == "identity":
        _check_alike(split, found, "the same objects in both samples")
        if not isinstance(model, GraphClusterer):
            split.connected(found)
    else:
        split.connected(found)
    if found == "hungarian":
        _check_alike(split, found, "equally many objects in both samples")
    return found


def _density(model: Any, mapping: str) -> str:
    if mapping not in ("auto", DENSITY):
        raise ValueError(
            f"mapping must be 'auto' for {type(model).__name__}: its likelihood prices new objects "
            f"without a mapping; got {mapping!r}. Use CentroidClustering to try mappings"
        )
    return DENSITY


def _automatic(split: Opened) -> str:
    if split.paired:
        return "identity"
    if isinstance(split.model, EDGE_MODELS):
        return "centroid"
    if isinstance(split.model, GraphClusterer) and not isinstance(split.model, PairwiseClustering):
        return "nearest"
    return "soft"


def _check_alike(split: Opened, mapping: str, need: str) -> None:
    if split.sizes[0] != split.sizes[1]:
        raise ValueError(
            f"mapping {mapping!r} needs {need}: got {split.sizes[0]} and {split.sizes[1]}; use "
            "'nearest', 'centroid' or 'soft'"
        )


def _check_graph(split: Opened, mapping: str) -> None:
    model = split.model
    if not isinstance(model, GraphClusterer) or isinstance(model, PairwiseClustering):
        return
    if mapping in SOFT:
        raise ValueError(
            f"mapping {mapping!r} needs cluster means, which {type(model).__name__} has not; use "
            "'centroid' (most edges), 'nearest' or 'identity'"
        )
    if mapping == "centroid" and not isinstance(model, EDGE_MODELS):
        raise ValueError(
            f"mapping 'centroid' is defined for correlation and pairwise clustering and Max Cut: "
            f"got {type(model).__name__}; use 'nearest' or 'identity'"
        )


def unit_of(model: Any) -> str:
    """Say what the costs of a model are counted per."""
    if is_density(model):
        return "nats per object"
    return "per pair of objects" if isinstance(model, EDGE_MODELS) else "per object"


def soft_beta(split: Opened, mapping: str, beta: float | None, mode: str, scale: float) -> float:
    """Return the inverse temperature of a soft mapping; NaN for the others."""
    if mapping not in SOFT:
        return float("nan")
    if beta is not None:
        return beta
    space = split.connected(mapping)
    return space.beta(mode, scale) if isinstance(space, MetricSpace) else float("nan")


def price(split: Opened, k: int, mapping: str, beta: float, seed: int, control: Control) -> Priced:
    """Fit `k` clusters to the first sample and price them on both."""
    fitted = fit_clone(split.model, split.first, k, seed, control)
    if mapping == DENSITY:
        train, test = (-float(fitted.score_samples(x).mean()) for x in (split.first, split.second))
        return Priced(train, test, k)
    codes = labels_of(fitted, split.first)
    rng = np.random.default_rng([seed, k])
    size = int(codes.max()) + 1
    if mapping == "identity" and split.space is None:
        return Priced(*_on_graphs(split, codes, codes), size)
    weights = carry(split.connected(mapping), codes, mapping, beta, rng)
    if isinstance(split.space, MetricSpace):
        test = float(np.einsum("ik,ik->", weights, split.space.to_clusters(codes)))
        return Priced(float(split.space.own(codes).mean()), test / len(weights), size)
    return Priced(*_on_graphs(split, codes, weights.argmax(axis=1)), size)


def _on_graphs(split: Opened, first: IntArray, second: IntArray) -> tuple[float, float]:
    """Costs of a labeling of both graphs; labels that do not occur are empty clusters."""
    return (
        graph_cost(split.model, split.first, first),
        graph_cost(split.model, split.second, second),
    )


def graph_cost(model: GraphClusterer, graph: Similarity, codes: IntArray) -> float:
    """Cost per pair of objects (correlation, Max Cut: disagreements) or per object.

    Disagreements are Eq. 35 of the thesis, negative edges within plus positive edges between
    clusters; for edges of +1 and -1 that is Eq. 8 of the transfer-cost paper.
    """
    n = len(codes)
    total = model.cost(codes, graph)
    if not isinstance(model, EDGE_MODELS):
        return total / n
    pairs = max(1, n * (n - 1) // 2)
    edges: FloatArray = off_diagonal(graph) + float(getattr(model, "shift", 0.0))
    if not len(edges):
        return 0.0
    # sum over pairs (|X| + X) / 2 - sum within clusters X; Max Cut has the opposite signs.
    sign = -1.0 if isinstance(model, MaxCut) else 1.0
    return float(0.5 * (np.abs(edges) + sign * edges).mean()) + total / pairs


ALL = ("auto", DENSITY, *HARD, *SOFT)
