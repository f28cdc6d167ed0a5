"""Clustering as communication: K-ary codes in closed form, and sender and receiver for real."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from gencap import _core
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    InputTypeError,
    check_choice,
    check_integer,
    check_n_jobs,
    check_seed,
)
from gencap.agreement import check_probabilities
from gencap.capacity import Measurements, as_measurements, capacity, model_seed, pairs_of
from gencap.weights import check_number

__all__ = [
    "CodingResult",
    "coding_experiment",
    "coding_experiment_from_probabilities",
    "kary_capacity",
    "kary_information",
    "kary_optimal_beta",
]

Transformations = Literal["relabeling", "permutation"]
GROUPS = ("relabeling", "permutation")
LOG2_MAX_CODEWORDS = 22


def kary_capacity(n_symbols: int, error_rate: float) -> float:
    """Capacity of a code over `n_symbols` symbols, in bits per symbol (Eq. 55).

    Parameters
    ----------
    n_symbols : int
        Alphabet size K.
    error_rate : float
        Fraction delta of symbols that differ between the two instances, in [0, 1].

    Returns
    -------
    float
        log2 K + (1-delta) log2(1-delta) + delta log2(delta/(K-1)), the capacity of the K-ary
        symmetric channel. 0 for delta >= 1 - 1/K, where no beta >= 0 gives anything, and for K = 1.

    Examples
    --------
    >>> from gencap.channel import kary_capacity
    >>> kary_capacity(4, 0.0)
    2.0
    >>> round(kary_capacity(2, 0.11), 3)
    0.5
    >>> kary_capacity(2, 0.95)
    0.0
    """
    check_integer(n_symbols, "n_symbols")
    delta = _error_rate(error_rate)
    if n_symbols == 1 or delta >= 1.0 - 1.0 / n_symbols:
        return 0.0
    kept = (1.0 - delta) * math.log2(1.0 - delta)
    lost = delta * math.log2(delta / (n_symbols - 1)) if delta > 0.0 else 0.0
    # Just below 1 - 1/K rounding may leave -1e-16.
    return max(0.0, math.log2(n_symbols) + kept + lost)


@overload
def kary_information(beta: float, n_symbols: int, error_rate: float) -> float: ...
@overload
def kary_information(beta: FloatArray, n_symbols: int, error_rate: float) -> FloatArray: ...
def kary_information(
    beta: float | FloatArray, n_symbols: int, error_rate: float
) -> float | FloatArray:
    """J(beta) of a K-ary code, in bits per symbol (Eq. 54).

    Parameters
    ----------
    beta : float or ndarray
        Inverse temperature, non-negative; infinity is allowed.
    n_symbols, error_rate : int, float
        As in `kary_capacity`.

    Returns
    -------
    float or ndarray
        log2 K + (1-delta) log2(1-d2) + delta log2(d2/(K-1)), where d2 is the probability that two
        draws from softmax weights exp(-beta [k != x]) differ. -inf for beta = inf and delta > 0.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap.channel import kary_information, kary_optimal_beta
    >>> kary_information(0.0, 3, 0.1)
    0.0
    >>> best = kary_optimal_beta(3, 0.1)
    >>> curve = kary_information(np.linspace(0, 9, 50), 3, 0.1)
    >>> bool(np.all(curve <= kary_information(best, 3, 0.1)))
    True
    """
    check_integer(n_symbols, "n_symbols")
    delta = _error_rate(error_rate)
    betas = _betas(beta)
    others = n_symbols - 1
    if others == 0:
        bits = np.zeros_like(betas)
    else:
        # With u = e^-beta: 1 - d2 = (1 + (K-1) u^2) / (1 + (K-1) u)^2 and
        # d2/(K-1) = u (2 + (K-2) u) / (1 + (K-1) u)^2; no difference of near numbers anywhere.
        u = np.exp(-betas)
        norm = 2.0 * np.log1p(others * u)
        nats = math.log(n_symbols) + (1.0 - delta) * (np.log1p(others * u * u) - norm)
        if delta > 0.0:
            nats = nats + delta * (np.log(2.0 + (others - 1) * u) - betas - norm)
        # J(0) is exactly 0; rounding of the logarithms would leave some 1e-16.
        bits = np.where(betas == 0.0, 0.0, nats / math.log(2.0))
    return float(bits) if betas.ndim == 0 else bits


def kary_optimal_beta(n_symbols: int, error_rate: float) -> float:
    """Inverse temperature at which `kary_information` is maximal.

    Parameters
    ----------
    n_symbols, error_rate : int, float
        As in `kary_capacity`.

    Returns
    -------
    float
        ln((K-1)(1-eps)/eps) with eps = (K-1)/K (1 - sqrt(1 - delta K/(K-1))); infinity for
        delta = 0, and 0 for delta >= 1 - 1/K and for K = 1.

    Examples
    --------
    >>> from gencap.channel import kary_optimal_beta
    >>> kary_optimal_beta(2, 0.0)
    inf
    >>> round(kary_optimal_beta(2, 0.18), 4)
    2.1972
    """
    check_integer(n_symbols, "n_symbols")
    delta = _error_rate(error_rate)
    if n_symbols == 1 or delta >= 1.0 - 1.0 / n_symbols:
        return 0.0
    if delta == 0.0:
        return math.inf
    ratio = n_symbols / (n_symbols - 1)
    x = delta * ratio
    # 1 - sqrt(1 - x) = x / (1 + sqrt(1 - x)) keeps its digits for small x.
    eps = x / (1.0 + math.sqrt(1.0 - x)) / ratio
    return max(0.0, math.log((n_symbols - 1) * (1.0 - eps) / eps))


@dataclass(frozen=True, eq=False)
class CodingResult:
    """Outcome of a coding experiment.

    Parameters
    ----------
    error_rate : float
        Fraction of messages decoded wrongly; ties count as errors.
    error_rate_se : float
        Its binomial standard error.
    bound : float
        Mean over pairs of min(1, (M-1) E_tau k_tau / k): an upper bound of the expected error rate.
    information : float
        Mean over pairs of (1/N) log2(k / E_tau k_tau), in bits per object: the rate below which
        the error vanishes as objects are added.
    rate : float
        Bits per object that were asked for.
    n_codewords, n_objects, n_pairs, n_trials, n_errors : int
        M, N, the number of pairs of instances, of messages and of errors.
    transformations : str
        "relabeling" or "permutation".
    seed : int
        The seed everything random was derived from.
    bounds : ndarray of shape (n_pairs,)
        The bound of every single pair.
    """

    error_rate: float
    error_rate_se: float
    bound: float
    information: float
    rate: float
    n_codewords: int
    n_objects: int
    n_pairs: int
    n_trials: int
    n_errors: int
    transformations: str
    seed: int
    bounds: FloatArray = field(repr=False)


def coding_experiment(
    model: Any,
    pair: Measurements,
    rate: float,
    n_trials: int = 1000,
    *,
    transformations: Transformations = "relabeling",
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> CodingResult:
    """Send messages with a clustering model as the code, and count how often they are misread.

    The assignment probabilities are those of `model` at the inverse temperature of its capacity on
    each pair; the experiment is that of `coding_experiment_from_probabilities`.

    Parameters
    ----------
    model : gencap model
        Any model that `gencap.capacity` accepts.
    pair : Pair, Instances, FeatureSplits or list of Pair
        Two or more measurements of the same objects. Several make several pairs; all are used in
        turn. Relabelings of a pair turn the labels among the clusters found on that pair.
    rate, n_trials, transformations, n_jobs, progress
        As in `coding_experiment_from_probabilities`.
    random_state : int, Generator, RandomState or None
        Source of the seed of annealing, codebooks and messages; None takes the model's own.

    Returns
    -------
    CodingResult

    Examples
    --------
    >>> import gencap
    >>> from gencap.channel import coding_experiment
    >>> data = gencap.datasets.gaussians(n_objects=16, variance=1.0, random_state=0)
    >>> sent = coding_experiment(gencap.CentroidClustering(4), data.pair, 0.5, 200, random_state=0)
    >>> sent.n_codewords, sent.error_rate <= sent.bound < 0.01
    (256, True)
    """
    control = as_control(progress)
    pairs = pairs_of(as_measurements(pair))
    seed = model_seed(model) if random_state is None else random_state
    plan = _Plan.of(pairs[0].n_objects, rate, n_trials, transformations, seed, n_jobs)
    sizes = sorted({one.n_objects for one in pairs})
    if len(sizes) > 1:
        raise ValueError(
            f"pair must hold pairs with equally many objects: got {sizes[0]} and {sizes[-1]}; "
            "run one experiment for each number of objects"
        )
    found = [
        capacity(model, one, random_state=plan.seed, n_jobs=plan.threads, progress=control)
        for one in pairs
    ]
    tables = [_common_width(one.probabilities, one.second_probabilities) for one in found]
    return _send(tables, plan, control)


def coding_experiment_from_probabilities(
    P1: ArrayLike,
    P2: ArrayLike,
    rate: float,
    n_trials: int = 1000,
    *,
    transformations: Transformations = "relabeling",
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | Control | None = None,
) -> CodingResult:
    """Send messages with two soft clusterings as the code.

    For every message a codebook of M = ceil(2^(N rate)) random transformations is drawn. The sender
    applies one of them to the second instance; the receiver, who knows the codebook and the first
    instance, chooses the transformation with the largest overlap of weights.

    Parameters
    ----------
    P1, P2 : array-like of shape (N, K) or (pairs, N, K)
        Assignment probabilities on both instances, columns already aligned. With several pairs,
        message t uses pair t modulo their number.
    rate : float
        Bits per object, non-negative. N * rate is limited to 22: at most 2**22 codewords.
    n_trials : int, default 1000
        Number of messages.
    transformations : {"relabeling", "permutation"}
        Turn the labels of every object by a number of its own (K^N transformations), or permute the
        objects (N! of them).
    random_state : int, Generator, RandomState or None
        Source of the seed.
    n_jobs : int, optional
        Threads; None or -1 for all cores. The result does not depend on it.
    progress : callable or Control, optional
        Receives `Progress`; raising cancels.

    Returns
    -------
    CodingResult

    Raises
    ------
    ValueError
        If the arrays do not hold probabilities, the codebook would be too large, or, for
        permutations, N K (N+1)^(K-1) exceeds 10^9 (the exact mean overlap sums over all cluster
        sizes) or the pairs times N^2 exceed 2^25.

    Notes
    -----
    With k the overlap sum_c P1(c) P2(c), an error has probability at most (M-1) E_tau k_tau / k
    for each pair. E_tau k_tau is exact: K^-N for relabelings; for permutations the sum over
    cluster sizes m of f1(m) f2(m) / multinomial(m), f being the law of the sizes. The bound holds
    for the mean over pairs of this quantity, not for the exponential of the mean information.

    Examples
    --------
    >>> import numpy as np
    >>> from gencap.channel import coding_experiment_from_probabilities
    >>> sure = np.repeat([[[0.99, 0.01]]], 20, axis=1)
    >>> result = coding_experiment_from_probabilities(sure, sure, 0.3, 200, random_state=0)
    >>> result.n_codewords, result.error_rate <= result.bound < 0.001
    (64, True)
    """
    first, second = _stack(P1, "P1"), _stack(P2, "P2")
    if first.shape != second.shape:
        raise ValueError(
            f"P2 must have the shape of P1: got {second.shape} and {first.shape}; "
            "align and pad the columns first"
        )
    plan = _Plan.of(first.shape[1], rate, n_trials, transformations, random_state, n_jobs)
    return _send(list(zip(first, second, strict=True)), plan, as_control(progress))


@dataclass(frozen=True)
class _Plan:
    """The checked settings of an experiment."""

    n_objects: int
    rate: float
    n_codewords: int
    n_trials: int
    transformations: str
    seed: int
    threads: int

    @classmethod
    def of(
        cls,
        n_objects: int,
        rate: float,
        n_trials: int,
        transformations: str,
        random_state: Any,
        n_jobs: int | None,
    ) -> _Plan:
        return cls(
            n_objects=n_objects,
            rate=check_number(rate, "rate"),
            n_codewords=_n_codewords(n_objects, rate),
            n_trials=check_integer(n_trials, "n_trials"),
            transformations=check_choice(transformations, "transformations", GROUPS),
            seed=check_seed(random_state),
            threads=check_n_jobs(n_jobs),
        )


def _send(
    tables: Sequence[tuple[FloatArray, FloatArray]], plan: _Plan, control: Control
) -> CodingResult:
    """Run the experiment, message t with pair t modulo their number.

    Pairs with different numbers of clusters have different groups: to pad them to a common width
    would let the sender turn labels into clusters that do not exist, and add bits from nowhere.
    """
    n_pairs = len(tables)
    overlaps, means = np.empty(n_pairs), np.empty(n_pairs)
    n_errors = 0
    for number, members in enumerate(_same_width(tables)):
        n_trials = sum(len(range(index, plan.n_trials, n_pairs)) for index in members)
        # one width, one stream; further widths must not repeat its codebooks
        seed = check_seed(np.random.SeedSequence([plan.seed, number])) if number else plan.seed
        first, second = (np.stack([tables[i][side] for i in members]) for side in (0, 1))
        wrong, overlaps[members], means[members] = _core.transmit_messages(
            first, second, plan.transformations, plan.n_codewords, n_trials, seed, plan.threads,
            control.switches, control.report("Sending messages"),
        )  # fmt: skip
        n_errors += wrong
    bounds = _bounds(overlaps, means, plan.n_codewords)
    error_rate = n_errors / plan.n_trials
    return CodingResult(
        error_rate=error_rate,
        error_rate_se=math.sqrt(error_rate * (1.0 - error_rate) / plan.n_trials),
        bound=float(bounds.mean()),
        information=_information(overlaps, means, plan.n_objects),
        rate=plan.rate,
        n_codewords=plan.n_codewords,
        n_objects=plan.n_objects,
        n_pairs=n_pairs,
        n_trials=plan.n_trials,
        n_errors=n_errors,
        transformations=plan.transformations,
        seed=plan.seed,
        bounds=bounds,
    )


def _same_width(tables: Sequence[tuple[FloatArray, FloatArray]]) -> list[list[int]]:
    """Collect the indices of the pairs with equally many clusters, in order."""
    members: dict[int, list[int]] = {}
    for index, (first, _) in enumerate(tables):
        members.setdefault(first.shape[1], []).append(index)
    return list(members.values())


def _common_width(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give both instances of a pair the clusters of the other: empty columns where it has none."""
    size = max(first.shape[1], second.shape[1])
    padded = (np.pad(one, ((0, 0), (0, size - one.shape[1]))) for one in (first, second))
    return next(padded), next(padded)


def _bounds(overlaps: FloatArray, means: FloatArray, n_codewords: int) -> FloatArray:
    """Per pair min(1, (M-1) E_tau k_tau / k); no overlap at all leaves no hope, unless M = 1."""
    if n_codewords == 1:
        return np.zeros_like(overlaps)
    possible = np.isfinite(overlaps)
    exponent = np.where(possible, means, 0.0) - np.where(possible, overlaps, 0.0)
    logs = np.where(possible, math.log(n_codewords - 1) + exponent, 0.0)
    return np.exp(np.minimum(logs, 0.0))


def _information(overlaps: FloatArray, means: FloatArray, n_objects: int) -> float:
    """Mean over pairs of (1/N) log2(k / E_tau k_tau).

    E_tau k_tau is at least k / N!, so that k = 0 (-inf) decides where both vanish.
    """
    if not np.isfinite(overlaps).all():
        return -math.inf
    return float((overlaps - means).mean()) / (n_objects * math.log(2.0))


def _n_codewords(n_objects: int, rate: float) -> int:
    if rate < 0.0:
        raise ValueError(f"rate must be at least 0: got {rate}; choose 0 or more bits per object")
    log2_size = n_objects * rate
    if log2_size > LOG2_MAX_CODEWORDS:
        raise ValueError(
            f"rate must give at most 2**{LOG2_MAX_CODEWORDS} codewords: got {n_objects} objects * "
            f"{rate:g} bits = 2**{log2_size:.1f}; choose a rate of at most "
            f"{LOG2_MAX_CODEWORDS / n_objects:.4g}, or at most "
            f"{int(LOG2_MAX_CODEWORDS / rate)} objects"
        )
    # 2^(N rate) of a whole N rate must not become one more by rounding.
    return math.ceil(math.exp2(log2_size) * (1.0 - 1e-12))


def _stack(values: ArrayLike, name: str) -> FloatArray:
    """Pairs x objects x clusters from one table of probabilities or a stack of them."""
    try:
        shape = np.shape(values)
    except ValueError:
        shape = ()  # ragged
    if len(shape) == 2:
        return check_probabilities(values, name)[None]
    if len(shape) != 3 or 0 in shape:
        raise ValueError(
            f"{name} must be objects by clusters, or pairs by objects by clusters: got "
            f"{f'shape {shape}' if shape else repr(values)}; pass one row per object"
        )
    return np.stack([check_probabilities(table, name) for table in np.asarray(values)])


def _betas(beta: float | FloatArray) -> FloatArray:
    try:
        betas = np.asarray(beta, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"beta must be a number or an array of numbers: got {beta!r}; choose 0 or more"
        ) from None
    if not np.all(betas >= 0.0):
        raise ValueError(f"beta must be non-negative: got {betas.min():g}; choose 0 or more")
    return betas


def _error_rate(value: float) -> float:
    number = check_number(value, "error_rate")
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"error_rate must be a fraction: got {value}; choose a number from 0 to 1")
    return number
