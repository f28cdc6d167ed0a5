"""Weights over solution spaces small enough to enumerate, and the information they carry."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gencap import _core
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    InputTypeError,
    check_choice,
    check_integer,
    check_n_jobs,
)

__all__ = [
    "MaximumInformation",
    "all_assignments",
    "boltzmann",
    "fermi",
    "information",
    "maximum_information",
    "respects_order",
    "zero_one",
]

Kind = Literal["boltzmann", "fermi", "zero_one"]
KINDS: tuple[Kind, ...] = ("boltzmann", "fermi", "zero_one")

MAX_SOLUTIONS = 2**22
MAX_THRESHOLDS = 2**16
REFINEMENTS = 5


@dataclass(frozen=True)
class MaximumInformation:
    """The most informative weights of a kind.

    Parameters
    ----------
    bits : float
        Information in bits per object, averaged over the pairs of instances; it may be negative.
    beta : float or None
        Inverse temperature of the maximum; None for 0/1 weights.
    gamma : float or None
        Threshold of the maximum; None for Boltzmann weights.
    """

    bits: float
    beta: float | None
    gamma: float | None


def boltzmann(costs: ArrayLike, beta: float) -> FloatArray:
    """Log weights -beta (R - Rmin).

    Parameters
    ----------
    costs : array-like of shape (S,)
        Cost R of every solution.
    beta : float
        Inverse temperature, 1 / cost, non-negative.

    Returns
    -------
    ndarray of shape (S,)
        Natural logarithms of the weights; the largest is 0.

    Examples
    --------
    >>> from gencap.weights import boltzmann
    >>> boltzmann([3.0, 2.0, 5.0], beta=2.0).tolist()
    [-2.0, 0.0, -6.0]
    """
    return _core.log_weights("boltzmann", _costs(costs, "costs"), _beta(beta), 0.0)


def fermi(costs: ArrayLike, beta: float, gamma: float) -> FloatArray:
    """Log weights of 1 / (1 + exp(beta (R - Rmin - gamma))), scaled to a largest weight of 1.

    Parameters
    ----------
    costs : array-like of shape (S,)
        Cost R of every solution.
    beta : float
        Steepness, 1 / cost, non-negative.
    gamma : float
        Cost above the minimum at which the weight has fallen to one half (before scaling).

    Returns
    -------
    ndarray of shape (S,)
        Natural logarithms of the weights; the largest is 0.

    Notes
    -----
    Large `beta` gives 0/1 weights, very negative `gamma` Boltzmann weights.

    Examples
    --------
    >>> from gencap.weights import fermi
    >>> fermi([0.0, 1.0, 3.0], beta=2.0, gamma=1.0).round(3).tolist()
    [0.0, -0.566, -3.891]
    """
    return _core.log_weights(
        "fermi", _costs(costs, "costs"), _beta(beta), check_number(gamma, "gamma")
    )


def zero_one(costs: ArrayLike, gamma: float) -> FloatArray:
    """Log weights of the set R <= Rmin + gamma: 0 inside, -inf outside.

    Parameters
    ----------
    costs : array-like of shape (S,)
        Cost R of every solution.
    gamma : float
        Largest accepted cost above the minimum, non-negative.

    Returns
    -------
    ndarray of shape (S,)
        Natural logarithms of the weights; the largest is 0.

    Examples
    --------
    >>> from gencap.weights import zero_one
    >>> zero_one([3.0, 2.0, 5.0], gamma=1.0).tolist()
    [0.0, 0.0, -inf]
    """
    if check_number(gamma, "gamma") < 0.0:
        raise ValueError(
            f"gamma must be non-negative: got {gamma:g}, which accepts nothing; choose 0 or more"
        )
    return _core.log_weights("zero_one", _costs(costs, "costs"), 0.0, float(gamma))


def all_assignments(n: int, k: int) -> NDArray[np.int64]:
    """All k**n assignments of `n` objects to `k` labels, one per row, in counting order.

    Parameters
    ----------
    n, k : int
        Number of objects and of labels; at most 2**22 assignments.

    Returns
    -------
    ndarray of shape (k**n, n)

    Examples
    --------
    >>> from gencap.weights import all_assignments
    >>> all_assignments(2, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    n, k = check_integer(n, "n"), check_integer(k, "k")
    # k**n itself may be astronomically large: compare logarithms first.
    if n * math.log2(k) > math.log2(MAX_SOLUTIONS):
        most = int(math.log2(MAX_SOLUTIONS) / math.log2(k))
        raise ValueError(
            f"n must leave at most 2**22 assignments: got {k}**{n}; choose n = {most} or less"
        )
    codes = np.arange(k**n, dtype=np.int64)[:, None]
    return codes // k ** np.arange(n, dtype=np.int64) % k


def information(
    log_weights1: ArrayLike, log_weights2: ArrayLike, log_group_size: float, n_objects: int
) -> float:
    """Information between two instances, in bits per object.

    Parameters
    ----------
    log_weights1, log_weights2 : array-like of shape (S,)
        Natural logarithms of the weights of the same solutions on both instances; -inf is allowed.
    log_group_size : float
        ln of the number of transformations |T|: n ln K for relabelings of every object, the
        logarithm of the multinomial coefficient for permutations of the objects.
    n_objects : int
        Number of objects n.

    Returns
    -------
    float
        (1/n) log2(|T| Z12 / (Z1 Z2)), where Z1, Z2 and Z12 sum the weights and their products. -inf
        where no solution has weight on both instances.

    Examples
    --------
    >>> import math
    >>> from gencap.weights import information, zero_one
    >>> certain = zero_one([0.0, 1.0, 1.0, 1.0], gamma=0.5)
    >>> information(certain, certain, math.log(4), n_objects=2)
    1.0
    """
    first = _log_weights(log_weights1, "log_weights1")
    second = _log_weights(log_weights2, "log_weights2")
    if len(first) != len(second):
        raise ValueError(
            f"log_weights2 must weigh the solutions of log_weights1: got {len(second)} for "
            f"{len(first)}; enumerate the same solutions on both instances"
        )
    n_objects = check_integer(n_objects, "n_objects")
    size = check_number(log_group_size, "log_group_size")
    return _core.weights_information(first, second, size, n_objects)


def respects_order(costs: ArrayLike, log_weights: ArrayLike) -> bool:
    """Tell whether lower cost never has lower weight.

    Information cannot: weights in reversed order agree between instances as well.

    Parameters
    ----------
    costs, log_weights : array-like of shape (S,)
        Cost and log weight of every solution. Solutions of equal cost may have any weights.

    Returns
    -------
    bool

    Examples
    --------
    >>> from gencap.weights import boltzmann, respects_order
    >>> costs = [3.0, 2.0, 5.0]
    >>> respects_order(costs, boltzmann(costs, beta=1.0))
    True
    >>> respects_order(costs, -boltzmann(costs, beta=1.0))
    False
    """
    values = _costs(costs, "costs")
    weights = _log_weights(log_weights, "log_weights")
    if len(values) != len(weights):
        raise ValueError(
            f"log_weights must have one entry per cost: got {len(weights)} for {len(values)}; "
            "weigh every solution"
        )
    return _core.respects_order(values, weights)


def maximum_information(
    costs1: ArrayLike,
    costs2: ArrayLike,
    kind: Kind = "boltzmann",
    *,
    log_group_size: float,
    n_objects: int,
    betas: ArrayLike | None = None,
    gammas: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> MaximumInformation:
    """Capacity of a kind of weights: the largest mean information over its parameters.

    Parameters
    ----------
    costs1, costs2 : array-like of shape (S,) or (pairs, S)
        Costs of the same solutions on both instances. With several pairs the information is
        averaged first and maximized after (Eq. 46).
    kind : {"boltzmann", "fermi", "zero_one"}
        The kind of weights.
    log_group_size, n_objects : float, int
        As in `information`.
    betas, gammas : array-like, optional
        Parameters to try. By default a geometric grid of betas around the inverse standard
        deviation of the costs, of gammas from 0 to the largest cost difference, both refined around
        the best; for 0/1 weights every threshold at which a set changes (an even choice of 2**16
        beyond that).
    n_jobs : int, optional
        Threads; None or -1 for all cores.
    progress : callable or Control, optional
        Receives `Progress`; raising cancels.

    Returns
    -------
    MaximumInformation

    Examples
    --------
    >>> import math
    >>> from gencap.weights import all_assignments, maximum_information
    >>> spins = 2 * all_assignments(4, 2) - 1
    >>> x1, x2 = [1.2, 0.9, -1.1, -0.2], [0.7, 1.4, -0.8, 0.1]
    >>> best = maximum_information(
    ...     -spins @ x1, -spins @ x2, log_group_size=4 * math.log(2), n_objects=4
    ... )
    >>> round(best.bits, 3), round(best.beta, 2)
    (0.683, 2.57)
    """
    check_choice(kind, "kind", KINDS)
    first, second = _cost_tables(costs1, costs2)
    n_objects = check_integer(n_objects, "n_objects")
    size = check_number(log_group_size, "log_group_size")
    control, threads = as_control(progress), check_n_jobs(n_jobs)

    def evaluate(parameters: FloatArray) -> FloatArray:
        report = control.report(f"Information of {kind} weights")
        return _core.mean_information(
            kind, first, second, parameters, size, n_objects, threads, control.switches, report
        )

    excess = [table - table.min(axis=1, keepdims=True) for table in (first, second)]
    grids = _grids(kind, excess, betas, gammas)
    best, bits = _best(evaluate, grids)
    # A grid given by the caller is all there is; 0/1 weights have no slope to follow.
    refine = (kind != "zero_one" and betas is None, kind == "fermi" and gammas is None)
    for _ in range(REFINEMENTS if any(refine) else 0):
        grids = [
            _finer(grid, value) if wanted else np.array([value])
            for grid, value, wanted in zip(grids, best, refine, strict=True)
        ]
        candidate, reached = _best(evaluate, grids)
        if reached > bits:
            best, bits = candidate, reached
    beta, gamma = best
    return MaximumInformation(
        bits, None if kind == "zero_one" else beta, None if kind == "boltzmann" else gamma
    )


def _best(
    evaluate: Callable[[FloatArray], FloatArray], grids: list[FloatArray]
) -> tuple[tuple[float, float], float]:
    """Evaluate all pairs of parameters; the first of equal maxima wins."""
    parameters = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, 2)
    bits = evaluate(np.ascontiguousarray(parameters))
    at = int(bits.argmax())
    return (float(parameters[at, 0]), float(parameters[at, 1])), float(bits[at])


def _grids(
    kind: Kind, excess: list[FloatArray], betas: ArrayLike | None, gammas: ArrayLike | None
) -> list[FloatArray]:
    """Candidate betas and gammas; a parameter that the kind lacks has the one value 0."""
    nothing = np.zeros(1)
    spread = math.sqrt(np.mean([table.var(axis=1).mean() for table in excess]))
    default_betas = np.geomspace(1e-2, 1e4, 41) / spread if spread > 0.0 else nothing
    beta_grid = nothing if kind == "zero_one" else _grid(betas, "betas", default_betas)
    if kind == "boltzmann":
        return [beta_grid, nothing]
    if kind == "fermi":
        largest = max(float(table.max()) for table in excess)
        return [beta_grid, _grid(gammas, "gammas", np.geomspace(1e-2, 1.0, 9) * largest)]
    steps = np.unique(np.concatenate([table.ravel() for table in excess]))
    if len(steps) > MAX_THRESHOLDS:
        steps = steps[np.linspace(0, len(steps) - 1, MAX_THRESHOLDS).astype(np.intp)]
    return [beta_grid, _grid(gammas, "gammas", steps)]


def _grid(values: ArrayLike | None, name: str, default: FloatArray) -> FloatArray:
    if values is None:
        return np.unique(np.append(default, 0.0))
    grid = np.unique(_floats(values, name))
    if not len(grid) or not np.all((grid >= 0.0) & np.isfinite(grid)):
        raise ValueError(
            f"{name} must be non-negative finite numbers: got "
            f"{np.array2string(grid, threshold=8)}; pass at least one"
        )
    return grid


def _finer(grid: FloatArray, value: float) -> FloatArray:
    """Seven points between the neighbors of `value`, and `value` itself."""
    at = int(np.searchsorted(grid, value))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    return np.unique(np.append(np.linspace(low, high, 7), value))


def _cost_tables(costs1: ArrayLike, costs2: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first = np.atleast_2d(_floats(costs1, "costs1"))
    second = np.atleast_2d(_floats(costs2, "costs2"))
    if first.shape != second.shape or first.ndim != 2:
        raise ValueError(
            f"costs2 must have the shape of costs1: got {second.shape} and {first.shape}; "
            "enumerate the same solutions on both instances"
        )
    for table, name in ((first, "costs1"), (second, "costs2")):
        _costs(table.ravel(), name)
    return first, second


def _costs(values: ArrayLike, name: str) -> FloatArray:
    array = _floats(values, name)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite, one for each solution: got shape {array.shape} with "
            f"{int((~np.isfinite(array)).sum())} values that are not finite; "
            "leave out impossible solutions"
        )
    return array


def _log_weights(values: ArrayLike, name: str) -> FloatArray:
    array = _floats(values, name)
    if array.ndim != 1 or np.isnan(array).any() or not (array.max(initial=-np.inf) > -np.inf):
        raise ValueError(
            f"{name} must be a list of log weights, at least one above -inf: got shape "
            f"{array.shape} with {int(np.isnan(array).sum())} NaN; pass one number per solution"
        )
    if array.max() == np.inf:
        raise ValueError(f"{name} must not contain +inf: scale the largest weight to 1, log 0")
    return array


def _beta(value: float) -> float:
    if check_number(value, "beta") < 0.0:
        raise ValueError(
            f"beta must be non-negative: got {value:g}, which prefers high costs; choose 0 or more"
        )
    return float(value)


def check_number(value: Any, name: str) -> float:
    """Return `value` as a finite float; booleans and text are refused."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise InputTypeError(
            f"{name} must be a number: got {value!r} of type {type(value).__name__}; "
            "pass an int or a float"
        )
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite: got {value}; pass a finite number")
    return float(value)


def _floats(values: ArrayLike, name: str) -> FloatArray:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"{name} must hold numbers: got {values!r:.80}; pass an array of floats"
        ) from None
