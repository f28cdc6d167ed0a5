"""The clustering methods, measures and sample data sets the application offers, in words."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MEASURES", "METHODS", "SAMPLES", "Measure", "Method", "Sample", "title_of"]


@dataclass(frozen=True)
class Method:
    """A clustering method.

    `model` is its public name in gencap; the switches tell which settings it has.
    """

    key: str
    title: str
    model: str
    explanation: str
    has_measure: bool = True
    has_shift: bool = False
    has_power: bool = False
    anneals: bool = True


@dataclass(frozen=True)
class Measure:
    """A measure of similarity between two objects."""

    key: str
    title: str
    explanation: str


@dataclass(frozen=True)
class Sample:
    """A data set that comes with gencap; `is_drawn` ones are random and get a fixed seed."""

    key: str
    title: str
    explanation: str
    is_drawn: bool = False


METHODS: dict[str, Method] = {
    method.key: method
    for method in (
        Method(
            "centroid",
            "k-means (annealed)",
            "CentroidClustering",
            "Cost of an object: its squared distance to the center of its cluster. Finds round "
            "clusters of similar width.",
            has_measure=False,
        ),
        Method(
            "gaussian",
            "Gaussian mixture",
            "GaussianMixture",
            "Cost of an object: how unlikely it is under the bell curve of its cluster, minus "
            "ln N(x | center, covariance).",
            has_measure=False,
        ),
        Method(
            "pairwise",
            "Pairwise clustering",
            "PairwiseClustering",
            "Cost of a cluster: the average dissimilarity between its members. Needs no "
            "coordinates, only a measure.",
        ),
        Method(
            "normalized_cut",
            "Normalized Cut",
            "NormalizedCut",
            "Cost of a cluster: the similarity cut to the outside, divided by all similarity of "
            "its members. Favors clusters of equal total similarity.",
            has_shift=True,
        ),
        Method(
            "ratio_cut",
            "Adaptive Ratio Cut",
            "AdaptiveRatioCut",
            "Cost of a cluster: the similarity cut to the outside, divided by a power of its size. "
            "p = 2 is Ratio Cut; p near 1 keeps clusters balanced (Cheeger Cut).",
            has_shift=True,
            has_power=True,
        ),
        Method(
            "correlation",
            "Correlation clustering",
            "CorrelationClustering",
            "Counts the pairs that disagree with the clustering: similar pairs put apart and "
            "dissimilar pairs put together.",
            has_shift=True,
        ),
        Method(
            "max_cut",
            "Max Cut",
            "MaxCut",
            "Puts dissimilar objects into different clusters: the most dissimilarity is cut.",
        ),
        Method(
            "dominant_sets",
            "Dominant sets",
            "DominantSets",
            "Takes out one cohesive group after the other, each a stable state of an evolutionary "
            "game between objects.",
            has_shift=True,
            anneals=False,
        ),
    )
}

MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure("euclidean", "Euclidean", "Straight-line distance between two rows."),
        Measure(
            "sqeuclidean",
            "Squared Euclidean",
            "Squared straight-line distance: far objects weigh more.",
        ),
        Measure(
            "pearson",
            "Pearson correlation",
            "Whether two profiles rise and fall together, whatever their level and size.",
        ),
        Measure("cosine", "Cosine", "The angle between two rows: their pattern, not their size."),
        Measure(
            "path",
            "Path-based",
            "Two objects are close if a chain of small steps joins them. Finds winding clusters.",
        ),
    )
}

SAMPLES: dict[str, Sample] = {
    sample.key: sample
    for sample in (
        Sample("wine", "Wine", "178 wines of 3 cultivars, 13 chemical values"),
        Sample("iris", "Iris", "150 irises of 3 species, 4 lengths"),
        Sample("digits", "Digits", "1,797 handwritten digits, 64 pixels"),
        Sample("breast_cancer", "Breast cancer", "569 tumors, 30 values of cell nuclei"),
        Sample(
            "gaussians", "Four Gaussian clouds", "800 points drawn from four sources, twice", True
        ),
        Sample(
            "five_gaussians", "Five Gaussian clouds", "Five sources of different distance", True
        ),
        Sample("common_factor", "A continuum", "Strong structure, but no clusters", True),
        Sample("independent_columns", "Noise", "No structure at all", True),
    )
}


def title_of(model: str, measure: str = "") -> str:
    """Return a method and its measure in words, as legends and logs show them."""
    method = METHODS[model].title if model in METHODS else model
    if not measure:
        return method
    return f"{method}, {MEASURES[measure].title if measure in MEASURES else measure}"
