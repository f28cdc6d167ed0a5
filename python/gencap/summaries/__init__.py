"""What a clustering looks like: planes, paths, matrices, profiles and tables to show.

Pure functions on arrays and results. Reports and the app draw what they return; nothing here draws.
"""

from gencap.summaries._center_paths import CenterPaths, center_paths
from gencap.summaries._coclustering import CoClustering, cluster_order, coclustering
from gencap.summaries._labels import cluster_probabilities, label_table
from gencap.summaries._ordered import ordered_similarity
from gencap.summaries._profiles import cluster_profiles
from gencap.summaries._projection import Projection, project
from gencap.summaries._spectrum import eigenspectrum

__all__ = [
    "CenterPaths",
    "CoClustering",
    "Projection",
    "center_paths",
    "cluster_order",
    "cluster_probabilities",
    "cluster_profiles",
    "coclustering",
    "eigenspectrum",
    "label_table",
    "ordered_similarity",
    "project",
]
