"""What reports need to know of a comparison, and what its parts are called."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd

from gencap._validation import FloatArray, IntArray, ObjectArray
from gencap.report._canvas import MUTED, OKABE_ITO
from gencap.results import NullResult, Order

__all__ = [
    "ComparisonLike",
    "SolutionLike",
    "best_solutions",
    "candidate_title",
    "measure_title",
    "model_title",
]

MODEL_TITLES = {
    "centroid": "Centroids (k-means)",
    "gaussian": "Gaussian mixture",
    "pairwise": "Pairwise clustering",
    "normalized_cut": "Normalized Cut",
    "ratio_cut": "Adaptive Ratio Cut",
    "correlation": "Correlation clustering",
    "max_cut": "Max Cut",
    "dominant_sets": "Dominant sets",
}
MEASURE_TITLES = {
    "euclidean": "Euclidean",
    "sqeuclidean": "squared Euclidean",
    "pearson": "Pearson",
    "cosine": "cosine",
    "inner": "inner product",
    "path": "path-based",
    "precomputed": "given similarities",
}
# One color and marker per measure in every figure; models without a measure are black.
MEASURE_LOOK = {
    "": (OKABE_ITO[7], "o"),
    "euclidean": (OKABE_ITO[0], "s"),
    "sqeuclidean": (OKABE_ITO[5], "D"),
    "pearson": (OKABE_ITO[1], "^"),
    "cosine": (OKABE_ITO[3], "v"),
    "inner": (OKABE_ITO[4], "P"),
    "path": (OKABE_ITO[2], "X"),
    "precomputed": (OKABE_ITO[0], "s"),
}


class SolutionLike(Protocol):
    """The clusters of one candidate on the first split."""

    @property
    def labels(self) -> IntArray: ...
    @property
    def probabilities(self) -> FloatArray: ...
    @property
    def confidence(self) -> FloatArray: ...
    @property
    def n_clusters(self) -> int: ...
    @property
    def p(self) -> float: ...
    @property
    def names(self) -> ObjectArray | None: ...
    @property
    def index(self) -> IntArray: ...


class ComparisonLike(Protocol):
    """A comparison as reports see it; `gencap.comparison.Comparison` is one."""

    @property
    def table(self) -> pd.DataFrame: ...
    @property
    def split_bits(self) -> pd.DataFrame: ...
    @property
    def scans(self) -> Mapping[tuple[str, str], pd.DataFrame]: ...
    @property
    def solutions(self) -> Mapping[tuple[str, str], SolutionLike]: ...
    @property
    def winner(self) -> tuple[str, str, float, int] | None: ...
    @property
    def null(self) -> Mapping[str, NullResult]: ...
    @property
    def corrected(self) -> Mapping[str, float]: ...
    @property
    def verdict(self) -> str: ...
    @property
    def verdict_text(self) -> str: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...
    @property
    def versions(self) -> Mapping[str, str]: ...
    @property
    def seed(self) -> int: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def names(self) -> ObjectArray | None: ...
    def ranking(self, by: str = ...) -> pd.DataFrame: ...
    def differences(self) -> pd.DataFrame: ...
    def order(self, model: str, measure: str = ..., p: float | None = ...) -> Order: ...


def model_title(model: str) -> str:
    """Return what a model is called in print; a user's own estimators keep their name."""
    return MODEL_TITLES.get(model, model)


def measure_title(measure: str) -> str:
    """Return what a measure is called in print."""
    return MEASURE_TITLES.get(measure, measure) if measure else "vectors as they are"


def candidate_title(model: str, measure: str, p: float = math.nan) -> str:
    """Return what a candidate is called in print.

    Examples
    --------
    >>> candidate_title("ratio_cut", "path", 1.2)
    'Adaptive Ratio Cut (p = 1.2), path-based'
    >>> candidate_title("centroid", "")
    'Centroids (k-means)'
    """
    power = "" if math.isnan(p) else f" (p = {p:g})"
    return model_title(model) + power + (f", {measure_title(measure)}" if measure else "")


def row_title(row: Any) -> str:
    """Return the title of a row of a comparison's table."""
    return candidate_title(str(row["model"]), str(row["measure"]), float(row["p"]))


def look(measure: str) -> tuple[str, str]:
    """Return color and marker of a measure."""
    return MEASURE_LOOK.get(measure, (MUTED, "o"))


def best_solutions(comparison: ComparisonLike, most: int = 2) -> list[tuple[str, SolutionLike]]:
    """Return titles and clusters of the best candidates that cluster the same objects."""
    found: list[tuple[str, SolutionLike]] = []
    seen: set[tuple[str, str]] = set()
    for _, row in comparison.ranking("candidate").iterrows():
        key = (str(row["model"]), str(row["measure"]))
        solution = comparison.solutions.get(key)
        if solution is None or key in seen:
            continue
        if found and not np.array_equal(solution.index, found[0][1].index):
            continue
        seen.add(key)
        found.append((candidate_title(*key, float(solution.p)), solution))
        if len(found) == most:
            break
    return found
