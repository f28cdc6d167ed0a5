"""Clustering models: scikit-learn estimators that anneal."""

from gencap.models._base import AnnealedClusterer
from gencap.models.centroid import CentroidClustering
from gencap.models.mixture import GaussianMixture

__all__ = ["AnnealedClusterer", "CentroidClustering", "GaussianMixture"]
