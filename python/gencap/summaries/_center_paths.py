"""How cluster centers move apart while the temperature falls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gencap._validation import FloatArray, IntArray
from gencap.results import Capacity
from gencap.similarity import Measure
from gencap.summaries._projection import Projection, project

__all__ = ["CenterPaths", "center_paths"]


@dataclass(frozen=True, eq=False)
class CenterPaths:
    """Cluster centers in the plane at every temperature.

    Parameters
    ----------
    beta : ndarray of shape (T,)
        Inverse temperatures, rising.
    coordinates : ndarray of shape (T, K, 2)
        Places of the centers; NaN where a cluster is empty.
    groups : ndarray of shape (T, K)
        Centers with equal numbers are one effective cluster.
    masses : ndarray of shape (T, K)
        Share of the objects in each cluster.
    """

    beta: FloatArray
    coordinates: FloatArray
    groups: IntArray
    masses: FloatArray


def center_paths(
    capacity: Capacity,
    X: Any,
    *,
    projection: Projection | None = None,
    measure: Measure | None = None,
) -> CenterPaths:
    """Follow the cluster centers of the first instance through the annealing.

    Models with centroids are followed by their trajectory. Models on similarities have none; their
    centers are the weighted means of the objects, which needs ``keep="probabilities"``.

    Parameters
    ----------
    capacity : Capacity
        A result with an annealing.
    X : array-like of shape (N, D), or Similarity
        What spans the plane: the first instance (``pair.first``) for centroids, any table of the
        same objects for probabilities.
    projection : Projection, optional
        The plane, where it exists already.
    measure : str, optional
        Passed to `project`.

    Returns
    -------
    CenterPaths

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=60, variance=1.0, random_state=0)
    >>> result = gencap.capacity(gencap.CentroidClustering(4, random_state=0), data.pair)
    >>> paths = center_paths(result, data.first)
    >>> paths.coordinates.shape == (len(paths.beta), 4, 2)
    True
    """
    if not capacity.trajectories or not len(capacity.trajectories[0]):
        raise ValueError(
            "capacity has no annealing to follow: only gencap's own models with temperatures have "
            f"one, this result has {capacity.weights} weights and no trajectory"
        )
    run = capacity.trajectories[0]
    plane = projection if projection is not None else project(X, 2, measure)
    n_columns = run.centroids.shape[2]
    fits = plane.center is not None and n_columns == len(plane.center)
    if n_columns and fits:
        places = plane.project_centers(run.centroids)
    elif capacity.path_probabilities is not None:
        places = plane.project_memberships(capacity.path_probabilities)
    elif n_columns:
        found = "an embedding" if plane.center is None else f"{len(plane.center)} columns"
        raise ValueError(
            f"X must be the first instance, in whose {n_columns} columns the centers live: got "
            f'{found}; pass pair.first, or compute the capacity with keep="probabilities"'
        )
    else:
        raise ValueError(
            "capacity keeps no probabilities along the annealing, and its model has no centroids; "
            'compute it with keep="probabilities"'
        )
    return CenterPaths(run.betas, places, run.groups, run.masses)
