"""Fitting clones of any clusterer with a given number of clusters."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone

from gencap._progress import Control
from gencap._validation import IntArray, check_integer
from gencap.models import AnnealedClusterer, DominantSets, GaussianMixture, GraphClusterer

__all__ = ["cluster_numbers", "fit_clone", "is_density", "labels_of", "said_once", "size_parameter"]


def size_parameter(model: Any) -> str:
    """Return what the model calls its number of clusters."""
    if not hasattr(model, "fit") or not hasattr(model, "get_params"):
        raise TypeError(
            f"model must be a gencap model or a scikit-learn clusterer: got {type(model).__name__}"
        )
    known = model.get_params(deep=False)
    for name in ("n_clusters", "n_components"):
        if name in known:
            return name
    raise ValueError(
        f"model must take a number of clusters, n_clusters or n_components: {type(model).__name__} "
        "does not; choose one that does"
    )


def cluster_numbers(n_clusters: Iterable[int], n_objects: int, least: int = 1) -> list[int]:
    """Return the numbers of clusters to try, rising, each once and none above `n_objects`."""
    given = [n_clusters] if isinstance(n_clusters, int) else n_clusters
    numbers = sorted({check_integer(k, "n_clusters", minimum=least) for k in given})
    if not numbers:
        raise ValueError("n_clusters must name at least one number of clusters: got none")
    if numbers[-1] > n_objects:
        raise ValueError(
            f"n_clusters must be at most the number of objects: got {numbers[-1]} for {n_objects} "
            f"rows; choose {n_objects} or fewer"
        )
    return numbers


def is_density(model: Any) -> bool:
    """Whether the fitted model gives every point of the space a likelihood."""
    return isinstance(model, GaussianMixture) or (
        hasattr(model, "score_samples") and "n_components" in model.get_params(deep=False)
    )


def fit_clone(model: Any, x: Any, k: int, seed: int, control: Control) -> Any:
    """Fit a clone of `model` with `k` clusters, on one thread and with a seed of its own."""
    fresh = clone(model)
    known = fresh.get_params(deep=False)
    settings: dict[str, Any] = {size_parameter(fresh): k}
    if "random_state" in known:
        settings["random_state"] = seed % 2**32
    ours = isinstance(fresh, AnnealedClusterer | GraphClusterer | DominantSets)
    if ours:
        settings["n_jobs"] = 1
    fresh.set_params(**settings)
    if ours:
        return fresh.fit(x, progress=control)
    return fresh.fit(x)


def labels_of(fitted: Any, x: Any) -> IntArray:
    """Return the labels of the fitted objects as 0 to L - 1; clusters without objects are gone."""
    labels = fitted.labels_ if hasattr(fitted, "labels_") else fitted.predict(x)
    found: IntArray = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)
    return found


@contextmanager
def said_once() -> Iterator[None]:
    """Repeat what many fits warn of once, with the number of times it was said.

    The filters of warnings belong to the whole process: to be entered on the caller's thread,
    around all fits.
    """
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    times = Counter((one.category, str(one.message)) for one in heard)
    for (category, text), count in times.items():
        warnings.warn(text if count == 1 else f"{text} ({count} fits)", category, stacklevel=4)
