"""When to stop the dynamics of dominant sets: the steps and cut-off of highest capacity."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import clone

from gencap import _core
from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import FloatArray, check_n_jobs
from gencap.agreement import hamming_capacity
from gencap.capacity import Measurements, as_measurements, pairs_of
from gencap.instances import Pair
from gencap.models import DominantSets

__all__ = ["BinaryWeightsWarning", "Termination", "best_termination", "binary_trajectory"]

STEPS = (5, 10, 20, 40, 80, 200)
CUTOFFS = (1e-3, 1e-4, 1e-5)


class BinaryWeightsWarning(UserWarning):
    """Binary weights end at minus infinity as soon as one object disagrees."""


@dataclass(frozen=True, eq=False)
class Termination:
    """Capacity of dominant sets over steps and cut-offs.

    Parameters
    ----------
    raw_bits : DataFrame
        Hamming capacity in bits per object, averaged over pairs; one row per number of steps, one
        column per cut-off. Negative values mean no reliable information.
    n_clusters : DataFrame
        Clusters found, averaged over all instances.
    model : DominantSets
        The model with the steps and the cut-off of highest capacity, not fitted.
    """

    raw_bits: pd.DataFrame
    n_clusters: pd.DataFrame
    model: DominantSets

    @property
    def max_steps(self) -> int:
        """Number of steps of highest capacity; the smallest of several."""
        return int(self.model.max_steps)

    @property
    def cutoff(self) -> float:
        """Cut-off of highest capacity; the largest of several."""
        return float(self.model.cutoff)

    @property
    def bits(self) -> float:
        """The highest capacity of all, 0 if none is positive.

        The best of many settings is a little too good: measure it again on another pair.
        """
        return max(0.0, float(self.raw_bits.to_numpy().max()))

    @property
    def curve(self) -> pd.Series[float]:
        """Bits over steps, at the chosen cut-off."""
        return self.raw_bits[self.cutoff].clip(lower=0.0).rename("bits")


def best_termination(
    model: DominantSets,
    pair: Measurements,
    *,
    max_steps: Iterable[int] = STEPS,
    cutoffs: Iterable[float] = CUTOFFS,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Termination:
    """Choose the steps and the cut-off of dominant sets by capacity.

    Too few steps leave everything in one cluster, too many leave tiny cores of which the next one
    comes from the same cluster again. In between lies what two measurements agree on most.

    Parameters
    ----------
    model : DominantSets
        Its own `max_steps` and `cutoff` do not count; it is cloned, never changed.
    pair : Pair, Instances, FeatureSplits or list of Pair
        As in `gencap.capacity`; capacities are averaged over pairs.
    max_steps : iterable of int
        Numbers of steps to try.
    cutoffs : iterable of float
        Cut-offs to try.
    n_jobs : int, optional
        Threads; None takes all cores.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Termination

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=200, variance=0.5, random_state=0)
    >>> best = gencap.best_termination(gencap.DominantSets(4, measure="path"), data.pair)
    >>> best.raw_bits.shape, best.max_steps in best.curve.index
    ((6, 3), True)
    """
    _check_model(model)
    pairs = pairs_of(as_measurements(pair))
    steps = sorted({int(value) for value in max_steps})
    levels = sorted({float(value) for value in cutoffs}, reverse=True)
    if not steps or not levels:
        raise ValueError("max_steps and cutoffs must each name at least one value: got none")
    ends = [
        clone(model).set_params(max_steps=t, cutoff=e).termination() for t in steps for e in levels
    ]
    found = _peel_all(model, pairs, ends, check_n_jobs(n_jobs), as_control(progress))
    shape = len(steps), len(levels)
    bits = [
        float(np.mean([hamming_capacity(a[i]["labels"], b[i]["labels"]) for a, b in found]))
        for i in range(len(ends))
    ]
    counts = [
        float(np.mean([max(1, len(one[i]["cohesion"])) for two in found for one in two]))
        for i in range(len(ends))
    ]
    # The first of several maxima: fewest steps, then the largest cut-off.
    best = ends[int(np.argmax(np.round(bits, 12)))]
    return Termination(
        raw_bits=_table(bits, shape, steps, levels),
        n_clusters=_table(counts, shape, steps, levels),
        model=clone(model).set_params(max_steps=best[0], cutoff=best[1]),
    )


def _check_model(model: DominantSets) -> None:
    if not isinstance(model, DominantSets):
        raise TypeError(f"model must be a gencap.DominantSets: got {type(model).__name__}")


def _table(
    values: list[float], shape: tuple[int, int], steps: list[int], levels: list[float]
) -> pd.DataFrame:
    return pd.DataFrame(
        np.reshape(values, shape),
        index=pd.Index(steps, name="max_steps"),
        columns=pd.Index(levels, name="cutoff"),
    )


def _peel_all(
    model: DominantSets,
    pairs: list[Pair],
    ends: list[tuple[int, float]],
    threads: int,
    control: Control,
    *,
    record: bool = False,
) -> list[tuple[list[_core.Peeling], list[_core.Peeling]]]:
    """Peel both instances of every pair, all terminations at once."""
    instances = [x for pair in pairs for x in (pair.first, pair.second)]
    worker: DominantSets = clone(model).set_params(
        n_jobs=max(1, threads // min(threads, len(instances)))
    )

    def job(x: FloatArray, silent: Control) -> list[_core.Peeling]:
        given = worker.open(x, silent)
        shift = worker.shift_for(given, x)
        return worker.peel(given, ends, shift, silent, record=record)

    found = parallel_map(job, instances, threads=threads, control=control, message="dominant sets")
    return list(zip(found[::2], found[1::2], strict=True))


def binary_trajectory(
    model: DominantSets, pair: Pair, *, progress: ProgressCallback | None = None
) -> pd.Series[float]:
    """Bits along the steps of the dynamics with binary weights, to see why they are of no use.

    After every step an object weighs 1 for the cluster it was taken with, or for the current one
    if its share reaches the cut-off; otherwise it weighs the same everywhere. One object that the
    two instances put into different clusters makes the sum minus infinity.
    Nothing in gencap is selected by this curve.

    Parameters
    ----------
    model : DominantSets
        With ``method="replicator"``.
    pair : Pair
        Two measurements of the same objects.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Series
        Bits per object by step, counted over all clusters; the last entry is that of the final
        labels.

    Warns
    -----
    BinaryWeightsWarning
        If the two instances disagree on any object.

    References
    ----------
    Haghir Chehreghani, Information-theoretic validation of clustering algorithms, 2013,
    Eq. 132-134.

    Examples
    --------
    >>> import numpy as np, gencap
    >>> from gencap.termination import binary_trajectory
    >>> S = np.kron(np.diag([1.5, 1.0]), np.ones((4, 4)))
    >>> model = gencap.DominantSets(2, measure="precomputed", max_steps=30)
    >>> float(binary_trajectory(model, gencap.Pair(S, S)).iloc[-1])
    1.0
    """
    _check_model(model)
    if model.method != "replicator":
        raise ValueError(
            f"method must be 'replicator' to have a trajectory of steps: got {model.method!r}"
        )
    control = as_control(progress)
    (first,), (second,) = _peel_all(
        model, [pair], [model.termination()], check_n_jobs(model.n_jobs), control, record=True
    )[0]
    k = max(1, len(first["cohesion"]), len(second["cohesion"]))
    paths = [np.vstack([one["path"], one["labels"].astype(np.int64)]) for one in (first, second)]
    entropy = np.mean([_entropy(path[-1]) for path in paths])
    _, _, partner = _core.measure_agreement(_weights(paths[0][-1], k), _weights(paths[1][-1], k))
    columns = np.asarray(partner, dtype=np.int64)
    bits = []
    for step in range(max(len(path) for path in paths)):
        one, two = (_weights(path[min(step, len(path) - 1)], k) for path in paths)
        with np.errstate(divide="ignore"):
            bits.append(entropy + np.log2((one * two[:, columns]).sum(axis=1)).mean())
    if not np.isfinite(bits).all():
        warnings.warn(
            "binary weights give minus infinity from a single disagreement on; this curve is for "
            "looking at only, use gencap.capacity or gencap.best_termination to choose",
            BinaryWeightsWarning,
            stacklevel=2,
        )
    index = pd.RangeIndex(1, len(bits) + 1, name="step")
    return pd.Series(bits, index=index, name="bits", dtype=float)


def _entropy(labels: FloatArray) -> float:
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(shares * np.log2(shares)).sum())


def _weights(line: FloatArray, k: int) -> FloatArray:
    """Weights (N, K) of one step; objects in no cluster weigh the same everywhere."""
    out = np.full((len(line), k), 1.0 / k)
    placed = line >= 0
    out[placed] = np.eye(k)[line[placed].astype(np.int64)]
    return out
