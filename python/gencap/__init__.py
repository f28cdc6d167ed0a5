"""Bits of reliable information per object: how much of a clustering is real."""

from gencap import (
    channel,
    comparison,
    criteria,
    datasets,
    networks,
    sampling,
    summaries,
    tables,
    weights,
)
from gencap._core import __version__
from gencap._mismatch import InstanceMismatchWarning
from gencap._progress import Cancelled, Control, Progress
from gencap._square import AsymmetryWarning
from gencap.agreement import capacity_from_probabilities, hamming_capacity
from gencap.annealing import Annealing
from gencap.capacity import capacity
from gencap.comparison import Comparison, Forecast, Solution, compare, load
from gencap.embedding import Embedding, constant_shift_embedding
from gencap.holdout import Holdout, holdouts
from gencap.instances import Instances, Pair
from gencap.models import (
    AdaptiveRatioCut,
    CentroidClustering,
    CorrelationClustering,
    DominantSets,
    GaussianMixture,
    MaxCut,
    NormalizedCut,
    PairwiseClustering,
)
from gencap.resolution import Resolution, select_resolution
from gencap.results import (
    AnnealingStep,
    Capacity,
    Curve,
    LiveStep,
    NullResult,
    Order,
    Scan,
    Split,
    Trajectory,
)
from gencap.scans import scan
from gencap.selection import select_order
from gencap.similarity import Similarity, path_distances, similarity
from gencap.splits import (
    OptimisticPairingWarning,
    random_feature_splits,
    split_features,
    split_objects,
)
from gencap.termination import Termination, best_termination
from gencap.transfer import TransferCosts, TransferCurve, transfer_costs, transfer_curve

__all__ = [
    "PairwiseClustering",
    "NormalizedCut",
    "MaxCut",
    "CorrelationClustering",
    "AdaptiveRatioCut",
    "Annealing",
    "AnnealingStep",
    "AsymmetryWarning",
    "Cancelled",
    "Capacity",
    "CentroidClustering",
    "Control",
    "Curve",
    "Embedding",
    "GaussianMixture",
    "InstanceMismatchWarning",
    "Instances",
    "LiveStep",
    "NullResult",
    "OptimisticPairingWarning",
    "Order",
    "Pair",
    "Progress",
    "Resolution",
    "Scan",
    "Similarity",
    "Split",
    "Trajectory",
    "__version__",
    "capacity",
    "capacity_from_probabilities",
    "channel",
    "comparison",
    "constant_shift_embedding",
    "criteria",
    "datasets",
    "hamming_capacity",
    "networks",
    "path_distances",
    "random_feature_splits",
    "sampling",
    "scan",
    "select_order",
    "select_resolution",
    "similarity",
    "split_features",
    "split_objects",
    "summaries",
    "tables",
    "weights",
    "DominantSets",
    "Termination",
    "best_termination",
    "Holdout",
    "holdouts",
    "TransferCosts",
    "TransferCurve",
    "transfer_costs",
    "transfer_curve",
    "Comparison",
    "Forecast",
    "Solution",
    "compare",
    "load",
]
