"""Classical criteria for the number of clusters, to hold the capacity against."""

from gencap.criteria._criterion import Criterion
from gencap.criteria.dimension import effective_dimension
from gencap.criteria.gap import gap_statistic
from gencap.criteria.likelihood import aic, bic, mdl
from gencap.criteria.stability import instability, random_distance

__all__ = [
    "Criterion",
    "aic",
    "bic",
    "effective_dimension",
    "gap_statistic",
    "instability",
    "mdl",
    "random_distance",
]
