"""Which resolution? The constant Potts model's resolution of a sparse graph, chosen by capacity.

Leiden and Louvain with the constant Potts model (CPM) minimize -sum over pairs in one cluster of
(w_ij - resolution): correlation clustering with the shift -resolution.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone

from gencap._nulls import calibrate, joint_p_value
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import (
    FloatArray,
    IntArray,
    ObjectArray,
    check_choice,
    check_integer,
    check_n_jobs,
    check_seed,
)
from gencap.capacity import measure
from gencap.instances import Pair
from gencap.models import CorrelationClustering
from gencap.networks import Network, edge_halves, is_sparse, neighbor_network, open_network
from gencap.results import VERDICTS, Capacity, NullResult
from gencap.splits import OptimisticPairingWarning

__all__ = ["Resolution", "select_resolution"]

WEIGHTS = ("auto", "boltzmann", "hamming")
# Up to this many objects the whole annealing is affordable; beyond it labels are compared.
MOST_ANNEALED = 3_000
# Differences below this many bits are not worth a finer partition.
TOLERANCE = 0.01
# With a single pair the spread is not known: a mean over N objects whose single terms vary by about
# half a bit varies by that over sqrt(N).
SPREAD_OF_ONE = 0.5
# Share of the bits that the cold partition must have room for: single objects may sit elsewhere,
# merged clusters lose far more.
HELD = 0.9
# The default grid, in units of the mean weight of all pairs: far below 1 everything is one cluster,
# and where the edges inside are hundreds of times denser clusters are cliques. Beyond the largest
# weight no pair gains by being together.
SPAN = (0.3, 300.0)
STEPS = 12
FEATURE_HALVES = "graphs of nearest neighbors from random halves of the features"
EDGE_HALVES = "random halves of the edges (optimistic)"
GIVEN = "two given graphs"


@dataclass(frozen=True, eq=False)
class Resolution:
    """Capacity against the resolution of a graph, and the choice it suggests.

    Parameters
    ----------
    capacities : dict of float to Capacity
        One result per resolution, in rising order.
    best : float
        The coarsest resolution within max(0.01 bit, one standard deviation) of the best whose
        clusters of the whole graph can hold the bits; for a single pair 0.5 / sqrt(N) stands for
        the standard deviation.
    labels : ndarray of shape (N,)
        Clusters of the whole graph at the best resolution, the largest first.
    names : ndarray or None
        Names of the objects.
    instances : str
        What was compared.
    optimistic : bool
        Whether the two instances were halves of one graph's edges.
    null : dict of str to NullResult
        Draws at the best resolution; the p-value is over all resolutions tried.
    """

    capacities: dict[float, Capacity]
    best: float
    labels: IntArray
    names: ObjectArray | None
    instances: str
    optimistic: bool
    null: dict[str, NullResult] = field(default_factory=dict)

    @property
    def values(self) -> FloatArray:
        """The resolutions that were tried."""
        return np.array(list(self.capacities))

    @property
    def bits(self) -> pd.Series[float]:
        """Capacity by resolution, in bits per object."""
        return self._series("bits")

    @property
    def bits_sd(self) -> pd.Series[float]:
        """Standard deviation over pairs of instances by resolution."""
        return self._series("bits_sd")

    @property
    def n_clusters(self) -> pd.Series[float]:
        """Effective number of clusters by resolution."""
        return self._series("n_clusters")

    @property
    def verdict_text(self) -> str:
        """In words, from the permuted graphs: edges cannot tell a continuum from clusters."""
        if self.capacities[self.best].bits <= TOLERANCE:
            return VERDICTS["none"]
        if not self.null:
            return VERDICTS["uncalibrated"]
        found = self.null["independent"].is_exceeded()
        return VERDICTS["clusters" if found else "none"]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per resolution."""
        columns = [self.bits, self.bits_sd, self.n_clusters]
        return pd.concat(columns, axis=1).reset_index()

    def _series(self, name: str) -> pd.Series[float]:
        values = {value: getattr(c, name) for value, c in self.capacities.items()}
        series = pd.Series(values, name=name, dtype=float)
        series.index.name = "resolution"
        return series

    def __repr__(self) -> str:
        chosen = self.capacities[self.best]
        return (
            f"<Resolution: best {self.best:.4g} of {len(self.capacities)} tried, "
            f"{chosen.bits:.3f} bits per object, {len(np.unique(self.labels))} clusters of "
            f"{len(self.labels):,} objects; {self.instances}>"
        )


def select_resolution(
    graph: Any = None,
    features: Any = None,
    *,
    second: Any = None,
    resolutions: Iterable[float] | None = None,
    n_clusters: int = 30,
    n_neighbors: int = 15,
    n_splits: int = 3,
    weights: str = "auto",
    n_init: int = 2,
    null_draws: int = 0,
    obsp: str = "connectivities",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Resolution:
    """Choose the resolution of a sparse graph by the bits that two instances of it share.

    Parameters
    ----------
    graph : scipy.sparse matrix, table of edges, AnnData or Network, optional
        See `gencap.networks.open_network`. Without it the graph of nearest neighbors of `features`.
    features : array-like or sparse matrix of shape (N, D), optional
        What the graph was made from. Their random halves then give the two instances; without
        features the edges are dealt into two halves, which is marked as optimistic.
    second : like graph, optional
        A second measurement of the same graph: the best there is.
    resolutions : iterable of float, optional
        Values to try, in the unit of the weights; by default 12 from 0.3 to 300 times the mean
        weight over all pairs of objects, as far as the largest weight.
    n_clusters : int
        Most clusters a solution may have.
    n_neighbors : int
        Neighbors in graphs made from features.
    n_splits : int
        Pairs of random halves; error bars come from them.
    weights : {"auto", "boltzmann", "hamming"}
        The whole annealing (up to 3,000 objects by default), or a comparison of the labels found
        by the aggregating search.
    n_init : int
        Starts of every run.
    null_draws : int
        Random graphs with the same weights to calibrate the choice with; 19 or 99 are usual.
    obsp : str
        Which graph of an AnnData to take.
    random_state : None, int or Generator
        Seed.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    Resolution

    Notes
    -----
    Halves are brought to the total weight of the whole graph, so that a resolution means the same
    in both.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=120, variance=1.0, random_state=0)
    >>> net = gencap.networks.neighbor_network(data.first, 10)
    >>> other = gencap.networks.neighbor_network(data.second, 10)
    >>> found = gencap.select_resolution(net, second=other, n_clusters=8, random_state=0)
    >>> len(set(found.labels))
    4
    """
    control, threads, seed = as_control(progress), check_n_jobs(n_jobs), check_seed(random_state)
    check_integer(n_clusters, "n_clusters")
    whole = _whole(graph, features, n_neighbors, obsp, seed)
    pairs, words = _instances(whole, second, n_neighbors, n_splits, seed)
    values = _values(resolutions, whole)
    base = CorrelationClustering(
        min(n_clusters, whole.n_objects),
        measure="precomputed",
        solver=_solver(weights, whole),
        n_init=n_init,
        random_state=seed,
        n_jobs=threads,
    )
    models = [clone(base).set_params(shift=-value) for value in values]

    def measured(some: Sequence[Pair], threads: int, watch: Control) -> list[Capacity]:
        return measure(
            models, some, "auto", seed=seed, threads=threads, control=watch, along="shift"
        )

    found = measured(pairs, threads, control)
    capacities = dict(zip(values, found, strict=True))
    best, labels = _choose(capacities, models, whole, control)
    # Every draw goes through all resolutions: having tried many must not look like certainty.
    draws = calibrate(
        lambda twin, silent: [c.raw_bits for c in measured(twin, 1, silent)],
        pairs,
        kinds=("independent",) if null_draws else (),
        draws=max(1, null_draws),
        seed=seed,
        threads=threads,
        control=control,
        edges=True,
    )
    return Resolution(
        capacities=capacities,
        best=best,
        labels=labels,
        names=whole.names,
        instances=words,
        optimistic=words == EDGE_HALVES,
        null={kind: _calibrated(kind, capacities, best, drawn) for kind, drawn in draws.items()},
    )


def _solver(weights: str, whole: Network) -> str:
    """Anneal small graphs, compare the labels of large ones."""
    check_choice(weights, "weights", WEIGHTS)
    small = whole.n_objects <= MOST_ANNEALED
    annealed = weights == "boltzmann" or (weights == "auto" and small)
    return "mean_field" if annealed else "search"


def _calibrated(
    kind: str, capacities: dict[float, Capacity], best: float, draws: FloatArray
) -> NullResult:
    """Draws at the chosen resolution, and the p-value over all that were tried."""
    observed = np.array([c.raw_bits for c in capacities.values()])
    chosen = list(capacities).index(best)
    return NullResult(kind, draws[:, chosen], joint_p_value(observed, draws))


def _whole(graph: Any, features: Any, n_neighbors: int, obsp: str, seed: int) -> Network:
    if graph is not None:
        return open_network(graph, obsp=obsp, features=features)
    if features is None:
        raise ValueError("graph and features are both missing: give the graph, or what to make it")
    return neighbor_network(features, n_neighbors, seed)


def _instances(
    whole: Network, second: Any, n_neighbors: int, n_splits: int, seed: int
) -> tuple[list[Pair], str]:
    """Two graphs on the same objects, once or several times; and how they came about."""
    if second is not None:
        other = open_network(second)
        if other.n_objects != whole.n_objects:
            raise ValueError(
                f"second must have the objects of graph: got {other.n_objects} for "
                f"{whole.n_objects}"
            )
        return [_pair(whole, whole, other)], GIVEN
    seeds = np.random.SeedSequence(seed).generate_state(check_integer(n_splits, "n_splits"))
    columns = 0 if whole.features is None else whole.features.shape[1]
    if columns >= 2:
        halves = [_feature_halves(whole.features, n_neighbors, int(s)) for s in seeds]
        return [_pair(whole, *both) for both in halves], FEATURE_HALVES
    warnings.warn(
        "the two instances are random halves of one graph's edges, which share whatever is "
        "accidental in it: the bits are optimistic; give features= or second= if you can",
        OptimisticPairingWarning,
        stacklevel=3,
    )
    return [_pair(whole, *edge_halves(whole, int(s))) for s in seeds], EDGE_HALVES


def _feature_halves(features: Any, n_neighbors: int, seed: int) -> tuple[Network, Network]:
    order = np.random.default_rng(seed).permutation(features.shape[1])
    half = (len(order) + 1) // 2
    table = scipy.sparse.csc_array(features) if is_sparse(features) else features
    halves = (np.sort(order[:half]), np.sort(order[half:]))
    one, two = (neighbor_network(table[:, columns], n_neighbors, seed) for columns in halves)
    return one, two


def _pair(whole: Network, first: Network, second: Network) -> Pair:
    total = float(whole.weights.sum())
    return Pair(*(_scaled(net.weights, total) for net in (first, second)))


def _scaled(weights: scipy.sparse.csr_array, total: float) -> scipy.sparse.csr_array:
    own = float(weights.sum())
    if own <= 0 or total <= 0:
        # Weights of both signs that cancel have no common scale to be brought to.
        return weights
    return scipy.sparse.csr_array(weights * (total / own))


def _values(resolutions: Iterable[float] | None, whole: Network) -> list[float]:
    if resolutions is None:
        weights = np.abs(whole.weights.data)
        unit = float(weights.sum()) / (whole.n_objects * (whole.n_objects - 1))
        lowest = SPAN[0] * unit
        highest = max(2 * lowest, min(SPAN[1] * unit, 0.9 * float(weights.max())))
        return [float(v) for v in np.geomspace(lowest, highest, STEPS)]
    values = sorted({float(value) for value in resolutions})
    if not values or not np.isfinite(values).all():
        raise ValueError(f"resolutions must be finite numbers, at least one: got {values}")
    return values


def _choose(
    capacities: dict[float, Capacity],
    models: Sequence[CorrelationClustering],
    whole: Network,
    control: Control,
) -> tuple[float, IntArray]:
    """Return the coarsest resolution as good as the best, and the clusters of the whole graph.

    At low resolutions the annealing may agree on groups at a finite temperature that merge when it
    gets colder. The clusters of the whole graph are the cold ones: a resolution is only taken if
    their entropy can hold the bits.
    """
    top = max(capacities.values(), key=lambda c: c.bits)
    alone = SPREAD_OF_ONE / np.sqrt(whole.n_objects)
    slack = max(TOLERANCE, alone if np.isnan(top.bits_sd) else top.bits_sd)
    fallback: tuple[float, float, IntArray] | None = None
    for (value, found), model in zip(capacities.items(), models, strict=True):
        if found.bits < top.bits - slack:
            continue
        labels = _labels(model, whole, control)
        room = _entropy(labels)
        if room >= HELD * found.bits - slack:
            return value, labels
        if fallback is None or room > fallback[0]:
            fallback = (room, value, labels)
    assert fallback is not None  # the best itself is always among them
    return fallback[1], fallback[2]


def _entropy(labels: IntArray) -> float:
    """Bits per object that a partition can hold at most."""
    shares = np.bincount(labels) / len(labels)
    return float(-(shares * np.log2(shares)).sum())


def _labels(model: CorrelationClustering, whole: Network, control: Control) -> IntArray:
    """Clusters of the whole graph by the aggregating search, the largest first."""
    searching = CorrelationClustering(**{**model.get_params(deep=False), "solver": "search"})
    labels = searching.fit(whole.weights, progress=control).labels_
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    found: IntArray = rank[codes]
    return found
