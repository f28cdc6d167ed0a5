"""What a model sees of two samples: their vectors or similarities, and the way between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from gencap._carrying import EdgeSpace, KernelSpace, Space, VectorSpace, cross_similarity
from gencap._progress import Control
from gencap.holdout import Holdout
from gencap.models import (
    CorrelationClustering,
    GraphClusterer,
    MaxCut,
    PairwiseClustering,
)
from gencap.similarity import Similarity, similarity

__all__ = ["Opened", "open_split"]

DISTANCES = ("euclidean", "sqeuclidean")


@dataclass(frozen=True, eq=False)
class Opened:
    """A model with two samples in the form it is fitted to.

    Parameters
    ----------
    model : estimator
        The model, its shift settled.
    first, second : ndarray or Similarity
        The samples.
    space : Space or None
        Distances from the second sample to the first; None where nothing connects them but the
        rows.
    paired : bool
        Whether row i is the same object in both.
    sizes : tuple of int
        Objects in both.
    """

    model: Any
    first: Any
    second: Any
    space: Space | None
    paired: bool
    sizes: tuple[int, int]

    def connected(self, mapping: str) -> Space:
        """Return the space, or say what is missing for a mapping that needs it."""
        if self.space is None:
            if isinstance(self.model, GraphClusterer):
                raise ValueError(
                    f"mapping {mapping!r} needs the similarities between the samples: give them as "
                    "cross= (N1 x N2, rows of the first), split one similarity with "
                    "gencap.holdouts, or use mapping='identity' for the same objects measured twice"
                )
            raise ValueError(
                f"mapping {mapping!r} needs both samples in one vector space, but they have "
                "different columns; split the rows with gencap.holdouts, or use "
                "gencap.PairwiseClustering, which needs similarities only"
            )
        return self.space


def open_split(model: Any, split: Holdout, control: Control) -> Opened:
    """Turn two samples into what `model` is fitted to, on one scale of similarities."""
    if isinstance(model, GraphClusterer):
        return _open_graphs(model, split, control)
    for x, name in ((split.first, "first"), (split.second, "second")):
        if not isinstance(x, np.ndarray):
            raise TypeError(
                f"{name} holds similarities, but {type(model).__name__} clusters vectors; use "
                "gencap.PairwiseClustering or gencap.CorrelationClustering"
            )
    space = VectorSpace(split.first, split.second) if split.same_columns else None
    return Opened(model, split.first, split.second, space, split.paired, split.sizes)


def _open_graphs(model: GraphClusterer, split: Holdout, control: Control) -> Opened:
    first = model.open(split.first, control)
    related = split.same_columns and not model.is_pairwise and isinstance(split.first, np.ndarray)
    if related and model.measure in DISTANCES:
        # The same v as in the first sample: what counts as similar must not change in between.
        second = similarity(split.second, model.measure, offset=first.offset, n_jobs=1)  # type: ignore[arg-type]
    else:
        second = model.open(split.second, control)
    cross = split.cross
    if cross is None and related and not split.paired and model.measure != "path":
        cross = cross_similarity(split.first, split.second, model.measure, first.offset)
    settled = clone(model)
    if "shift" in model.get_params():
        # Correlation clustering decides from the first sample; the others must suit both.
        seen = [first] if isinstance(model, CorrelationClustering) else [first, second]
        settled.set_params(shift=model.shift_for(seen))
    space = None if cross is None else _space(settled, first, second, cross)
    return Opened(settled, first, second, space, split.paired, split.sizes)


def _space(model: GraphClusterer, first: Similarity, second: Similarity, cross: Any) -> Space:
    if isinstance(model, PairwiseClustering):
        return KernelSpace(first, second.diagonal, cross)
    sign = -1.0 if isinstance(model, MaxCut) else 1.0
    return EdgeSpace(cross, float(getattr(model, "shift", 0.0)) + first.shift, sign)
