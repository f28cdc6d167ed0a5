"""Generators of the published experiments, and real data sets that need no download."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gencap._validation import check_choice
from gencap.datasets._dataset import Dataset
from gencap.datasets.controls import common_factor, independent_columns, kary_code
from gencap.datasets.graphs import correlation_graph, two_structure_graph
from gencap.datasets.information import mutual_information
from gencap.datasets.mixtures import five_gaussians, gaussians, two_gaussians_high_dimension
from gencap.datasets.real import REAL, load

__all__ = [
    "Dataset",
    "common_factor",
    "correlation_graph",
    "five_gaussians",
    "gaussians",
    "independent_columns",
    "kary_code",
    "load",
    "make",
    "mutual_information",
    "names",
    "two_gaussians_high_dimension",
    "two_structure_graph",
]

_MAKERS: dict[str, Callable[..., Dataset]] = {
    "gaussians": gaussians,
    "five_gaussians": five_gaussians,
    "two_gaussians_high_dimension": two_gaussians_high_dimension,
    "common_factor": common_factor,
    "independent_columns": independent_columns,
    "kary_code": kary_code,
    "correlation_graph": correlation_graph,
    "two_structure_graph": two_structure_graph,
    **{name: partial(load, name) for name in REAL},
}


def names() -> tuple[str, ...]:
    """Return the names that `make` knows.

    Examples
    --------
    >>> "wine" in names()
    True
    """
    return tuple(_MAKERS)


def make(name: str, **options: Any) -> Dataset:
    """Make a data set by name.

    Parameters
    ----------
    name : str
        One of `names()`.
    **options
        Arguments of the generator of that name, or of `load`.

    Examples
    --------
    >>> make("gaussians", variance=1.0, random_state=0).n_objects
    800
    """
    return _MAKERS[check_choice(name, "name", _MAKERS)](**options)
