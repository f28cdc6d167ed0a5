"""Capacity of clusterers that give labels only: Hamming weights (Eq. 87)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from gencap import _core
from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray, IntArray
from gencap.agreement import hamming_capacity
from gencap.instances import Pair
from gencap.models import AnnealedClusterer, DominantSets
from gencap.results import Capacity
from gencap.similarity import Similarity

__all__ = ["fitted_capacity", "labels_capacity"]


def fitted_capacity(model: Any, pairs: Sequence[Pair], seed: int, control: Control) -> Capacity:
    """Capacity of any clusterer from the labels it gives to both instances (Eq. 87)."""
    size = getattr(model, "n_clusters", None)
    found = parallel_map(
        lambda x, watched: _fit_labels(model, x, seed, watched),
        [x for pair in pairs for x in (pair.first, pair.second)],
        threads=1,
        control=control,
        message=f"fitting {type(model).__name__}" + (f" with {size} clusters" if size else ""),
    )
    return labels_capacity(list(zip(found[::2], found[1::2], strict=True)), pairs, seed)


def labels_capacity(
    labels: list[tuple[IntArray, IntArray]],
    pairs: Sequence[Pair],
    seed: int,
    shift: float | None = None,
) -> Capacity:
    """Capacity of the labels of both instances of all pairs (Hamming weights)."""
    raw = np.array([hamming_capacity(one, two) for one, two in labels])
    mean = float(raw.mean())
    kinds, codes = np.unique(labels[0][0], return_inverse=True)
    one_hot = np.eye(len(kinds))[codes]
    others, second = np.unique(labels[0][1], return_inverse=True)
    second_hot = _aligned(one_hot, np.eye(len(others))[second])
    return Capacity(
        bits=max(0.0, mean),
        raw_bits=mean,
        beta=float("nan"),
        n_clusters=float(np.mean([len(np.unique(one)) for one, _ in labels])),
        curve=None,
        labels=codes.astype(np.int64),
        probabilities=one_hot,
        second_probabilities=second_hot,
        groups=np.arange(len(kinds)),
        weights="hamming",
        coupling="independent",
        bits_per_pair=raw,
        shift=shift,
        optimistic=any(pair.optimistic for pair in pairs),
        names=pairs[0].names,
        seed=seed,
    )


def _aligned(first: FloatArray, second: FloatArray) -> FloatArray:
    """Bring the columns of `second` into the order of `first`, padding the narrower one."""
    size = max(first.shape[1], second.shape[1])
    first = np.pad(first, ((0, 0), (0, size - first.shape[1])))
    second = np.pad(second, ((0, 0), (0, size - second.shape[1])))
    _, _, partner = _core.measure_agreement(first, second)
    return second[:, np.asarray(partner, dtype=np.int64)]


def _fit_labels(model: Any, x: Any, seed: int, control: Control) -> IntArray:
    """Labels of a clone of `model`; each instance is fitted by itself."""
    if not hasattr(model, "fit"):
        raise TypeError(
            f"model must be a gencap model or a scikit-learn clusterer: got {type(model).__name__}"
        )
    fresh = clone(model)
    if "random_state" in fresh.get_params() and fresh.get_params()["random_state"] is None:
        fresh.set_params(random_state=seed % 2**32)
    if isinstance(fresh, AnnealedClusterer | DominantSets):
        fresh.fit(x, progress=control)
    else:
        # Other libraries know matrices only, as their "precomputed" affinities.
        x = x.toarray() if isinstance(x, Similarity) else x
        fresh.fit(x)
    labels = fresh.labels_ if hasattr(fresh, "labels_") else fresh.predict(x)
    return np.asarray(labels)
