"""Clustering models: scikit-learn estimators that anneal."""

from gencap.models._base import AnnealedClusterer
from gencap.models._graph import GraphClusterer
from gencap.models.centroid import CentroidClustering
from gencap.models.correlation import CorrelationClustering
from gencap.models.dominant_sets import DominantSets
from gencap.models.max_cut import MaxCut
from gencap.models.mixture import GaussianMixture
from gencap.models.normalized_cut import NormalizedCut
from gencap.models.pairwise import PairwiseClustering
from gencap.models.ratio_cut import AdaptiveRatioCut

__all__ = [
    "AdaptiveRatioCut",
    "AnnealedClusterer",
    "CentroidClustering",
    "CorrelationClustering",
    "DominantSets",
    "GaussianMixture",
    "GraphClusterer",
    "MaxCut",
    "NormalizedCut",
    "PairwiseClustering",
]
