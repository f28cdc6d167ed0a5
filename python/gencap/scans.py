"""Capacity along one parameter: the shift of similarities, the power of a cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.base import clone

from gencap._progress import ProgressCallback, as_control
from gencap._validation import check_n_jobs, check_seed
from gencap.capacity import Measurements, as_measurements, measure
from gencap.results import Scan

__all__ = ["scan"]


def scan(
    model: Any,
    pair: Measurements,
    *,
    coupling: str = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    **parameter: Iterable[float],
) -> Scan:
    """Measure the capacity for several values of one numeric parameter.

    Graph models also start from the solution found for the neighboring value, so that a curve is
    smooth where the solutions are.

    Parameters
    ----------
    model : estimator
        A gencap model; it is cloned, never changed.
    pair : Pair, Instances, FeatureSplits or list of Pair
        As in `capacity`.
    coupling, random_state, n_jobs, progress
        As in `capacity`.
    **parameter : iterable of float
        The parameter's name with its values, such as ``shift=[-1, 0, 1]`` or ``p=[1.2, 1.6, 2]``.

    Returns
    -------
    Scan

    Examples
    --------
    >>> import gencap
    >>> graph = gencap.datasets.correlation_graph(90, 3, complexity=0.0, noise=0.1, random_state=0)
    >>> model = gencap.CorrelationClustering(3, measure="precomputed", random_state=0)
    >>> gencap.scan(model, graph.pair, shift=[0.0, 2.0]).bits.round(2).tolist()
    [1.58, 0.0]
    """
    control, threads = as_control(progress), check_n_jobs(n_jobs)
    if len(parameter) != 1:
        raise TypeError(
            f"scan takes the values of one parameter, such as shift=[0.0, 0.5]: got "
            f"{sorted(parameter) or 'none'}"
        )
    name, given = next(iter(parameter.items()))
    if name not in model.get_params():
        raise ValueError(
            f"{type(model).__name__} has no parameter {name!r}: choose one of "
            f"{sorted(model.get_params())}"
        )
    values = sorted({float(value) for value in given})
    if not values:
        raise ValueError(f"{name} must name at least one value: got none")
    own = getattr(model, "random_state", None)
    seed = check_seed(own if random_state is None else random_state)
    models = [clone(model).set_params(**{name: value}) for value in values]
    found = measure(
        models,
        as_measurements(pair),
        coupling,
        seed=seed,
        threads=threads,
        control=control,
        along=name,
    )
    return Scan(name, dict(zip(values, found, strict=True)))
