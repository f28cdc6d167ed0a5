"""Generalization capacity: the largest rate at which two instances still agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from gencap._graph_pairs import anneal_graphs
from gencap._graph_search import search_graphs
from gencap._labelings import fitted_capacity, labels_capacity
from gencap._live import LiveCallback, Stream, stream_for
from gencap._lockstep import COUPLINGS, PairCurves, anneal_pairs, auto_coupling
from gencap._mismatch import warn_of_mismatch
from gencap._nulls import NullKinds, calibrate, check_null, single_null
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import FloatArray, IntArray, check_choice, check_n_jobs, check_seed
from gencap.instances import Instances, Pair
from gencap.models import AnnealedClusterer, GraphClusterer, PairwiseClustering
from gencap.results import Capacity
from gencap.splits import FeatureSplits

__all__ = ["Measurements", "as_measurements", "capacity", "measure", "trivial"]

Measurements: TypeAlias = Pair | Instances | FeatureSplits | Sequence[Pair]

# A curve that ends within this many bits of its maximum has found no disagreement at all.
PLATEAU = 1e-3


def capacity(
    model: Any,
    pair: Measurements,
    coupling: str = "auto",
    null: NullKinds = None,
    keep: str | None = None,
    *,
    null_draws: int = 19,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    live: LiveCallback | None = None,
) -> Capacity:
    """Measure how many bits per object a clustering model carries from one instance to the other.

    For gencap's models J(beta) = H + (1/N) sum_i log2 sum_k P1_ik P2_ik is followed along the
    annealing of both instances and its maximum is the capacity. Any other scikit-learn clusterer,
    and a graph model with ``solver="search"``, is fitted to both instances and its labels are
    compared (Hamming weights).

    Parameters
    ----------
    model : estimator
        A gencap model, or any scikit-learn clusterer; it is cloned, never changed.
    pair : Pair, Instances, FeatureSplits or list of Pair
        Two measurements of the same objects, or several such pairs: their curves are averaged on
        one grid of temperatures before the maximum is taken. Pairs of similarities are for models
        on graphs.
    coupling : {"auto", "centroids", "merge", "responsibilities", "independent"}
        How the second run is tied to the first. "auto": "centroids" when both instances have the
        same columns, else "merge".
    null : None, "independent", "gaussian", "both" or a sequence of kinds
        Calibrations to draw: columns permuted one by one, and a Gaussian of equal covariance. Given
        similarities have "independent" only, which puts their edges at random places.
    keep : None or "probabilities"
        Keep the first instance's probabilities at every temperature (T x N x K floats).
    null_draws : int
        Draws per calibration; 99 for a final answer.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.
    live : callable, optional
        Receives a `gencap.LiveStep` for every temperature of the first pair while it is annealed,
        on the calling thread; raising from it cancels. Steps come in the order of rising beta;
        those of mixtures with free covariances, which are heated from beta = 1, in falling order.
        Graph models find their best starts first and tell of the temperatures while these are
        compared; where a shift is chosen among several, after the choice. With
        ``keep="probabilities"`` every step carries the first instance's assignments. Models
        without temperatures, and one cluster, have no steps.

    Returns
    -------
    Capacity

    Notes
    -----
    The entropy H is that of the cluster masses at the last temperature, averaged over both
    instances; with ``coupling="merge"`` that of the merged masses at the same temperature.

    References
    ----------
    Haghir Chehreghani, Information-theoretic validation of clustering algorithms, 2013, Eq. 65.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=400, variance=1.0, random_state=0)
    >>> c = gencap.capacity(gencap.CentroidClustering(4, random_state=0), data.pair)
    >>> round(c.bits, 1), c.n_clusters
    (2.0, 4.0)
    """
    control, threads = as_control(progress), check_n_jobs(n_jobs)
    seed = check_seed(model_seed(model) if random_state is None else random_state)
    measured = as_measurements(pair)
    kinds = check_null(null)
    if isinstance(model, AnnealedClusterer):
        warn_of_mismatch(pairs_of(measured))
    if keep is not None:
        check_choice(keep, "keep", ("probabilities",))
    stream = stream_for(live, probabilities=keep == "probabilities")
    found = measure(
        [model],
        measured,
        coupling,
        seed=seed,
        threads=threads,
        control=control,
        keep=keep,
        stream=stream,
    )[0]

    def statistics(twin: Measurements, silent: Control) -> list[float]:
        again = measure([model], twin, coupling, seed=seed, threads=1, control=silent)
        return [again[0].raw_bits]

    draws = calibrate(
        statistics,
        measured,
        kinds=kinds,
        draws=null_draws,
        seed=seed,
        threads=threads,
        control=control,
        edges=is_edgewise(model, measured),
    )
    nulls = {kind: single_null(kind, found.raw_bits, drawn[:, 0]) for kind, drawn in draws.items()}
    return replace(found, null=nulls)


def model_seed(model: Any) -> Any:
    """Return the model's own `random_state`, where it has one."""
    return getattr(model, "random_state", None)


def as_measurements(pair: Any) -> Measurements:
    """Check that `pair` holds two or more measurements of the same objects."""
    if isinstance(pair, Pair | Instances | FeatureSplits):
        return pair
    if isinstance(pair, Sequence) and pair and all(isinstance(one, Pair) for one in pair):
        return list(pair)
    raise TypeError(
        f"pair must be a gencap.Pair, gencap.Instances or a list of pairs: got "
        f"{type(pair).__name__}; make one with gencap.Pair(X1, X2) or gencap.split_features(X)"
    )


def pairs_of(measured: Measurements) -> list[Pair]:
    """Return the single pairs that the measurements consist of."""
    if isinstance(measured, Pair | Instances | FeatureSplits):
        return list(measured.pairs())
    return list(measured)


def measure(
    models: Sequence[Any],
    measured: Measurements,
    coupling: str,
    *,
    seed: int,
    threads: int,
    control: Control,
    keep: str | None = None,
    along: str = "n_clusters",
    stream: Stream | None = None,
) -> list[Capacity]:
    """Measure several models on the same pairs; all their runs form one pool of tasks.

    Graph models that differ in `along` only also start from their neighbor's solution. The first
    pair's temperatures go to `stream`, which is for a single model.
    """
    pairs = pairs_of(measured)
    embedding = [m for m in models if isinstance(m, PairwiseClustering) and m.embeds]
    if embedding:
        if len(embedding) < len(models) or len({m.measure for m in embedding}) > 1:
            raise ValueError("models with solver='embedding' and one measure go by themselves")
        return _among_vectors(embedding, pairs, coupling, seed, threads, control, keep, stream)
    results, annealed, graphs = _sorted_out(models, pairs, coupling, seed, threads, control)
    runs = anneal_pairs(
        [model for _, model in annealed],
        pairs,
        coupling,
        seed=seed,
        threads=threads,
        control=control,
        stream=stream,
    )
    runs += anneal_graphs(
        [model for _, model in graphs],
        pairs,
        seed=seed,
        threads=threads,
        control=control,
        along=along,
        stream=stream,
    )
    measured_models: list[tuple[int, AnnealedClusterer | GraphClusterer]] = [*annealed, *graphs]
    for (index, model), curves in zip(measured_models, runs, strict=True):
        results[index] = _summarize(model, pairs, curves, seed, threads, control, keep)
    return [results[index] for index in range(len(models))]


def _sorted_out(
    models: Sequence[Any],
    pairs: Sequence[Pair],
    coupling: str,
    seed: int,
    threads: int,
    control: Control,
) -> tuple[
    dict[int, Capacity], list[tuple[int, AnnealedClusterer]], list[tuple[int, GraphClusterer]]
]:
    """Measure what needs no annealing of pairs; return the rest, checked, with its places."""
    results: dict[int, Capacity] = {}
    annealed: list[tuple[int, AnnealedClusterer]] = []
    graphs: list[tuple[int, GraphClusterer]] = []
    for index, model in enumerate(models):
        if isinstance(model, GraphClusterer):
            check_graph_coupling(coupling)
            model.core_params()
            for one in pairs:
                _check_size(model, one)
            if model.n_clusters == 1:
                results[index] = trivial(pairs, "independent", seed)
            elif model.solver == "search":
                found = search_graphs(model, pairs, seed=seed, threads=threads, control=control)
                results[index] = labels_capacity(found[0], pairs, seed, shift=found[1])
            else:
                graphs.append((index, model))
            continue
        if not isinstance(model, AnnealedClusterer) or model.solver == "simulated_annealing":
            results[index] = fitted_capacity(model, pairs, seed, control)
            continue
        model.core_params()
        for one in pairs:
            _check_vectors(model, one)
            _check_size(model, one)
        if model.n_clusters == 1:
            results[index] = trivial(pairs, coupling, seed)
        else:
            annealed.append((index, model))
    return results, annealed, graphs


def _among_vectors(
    models: Sequence[PairwiseClustering],
    pairs: Sequence[Pair],
    coupling: str,
    seed: int,
    threads: int,
    control: Control,
    keep: str | None,
    stream: Stream | None,
) -> list[Capacity]:
    """Measure pairwise clustering on the vectors that both instances are embedded as."""
    for model in models:
        model.core_params()
    # The models differ in what they do with the vectors only: they are variants of one.
    vectors = [
        Pair(models[0].embedded(pair.first), models[0].embedded(pair.second), same_columns=False)
        for pair in pairs
    ]
    found = measure(
        [model.among_vectors() for model in models],
        vectors,
        coupling,
        seed=seed,
        threads=threads,
        control=control,
        keep=keep,
        stream=stream,
    )
    optimistic = any(pair.optimistic for pair in pairs)
    return [replace(c, optimistic=optimistic, names=pairs[0].names, shift=0.0) for c in found]


def is_edgewise(model: Any, measured: Measurements) -> bool:
    """Whether the instances are similarities themselves: nulls then permute edges."""
    given = any(pair.is_pairwise for pair in pairs_of(measured))
    return given or bool(getattr(model, "is_pairwise", False))


def check_graph_coupling(coupling: str) -> None:
    """Graph models have nothing to tie two runs together by."""
    if check_choice(coupling, "coupling", COUPLINGS) not in ("auto", "independent"):
        raise ValueError(
            f"coupling is {coupling!r}, but graph models run independently on both instances; "
            "use 'auto'"
        )


def _check_size(model: AnnealedClusterer | GraphClusterer, pair: Pair) -> None:
    if model.n_clusters > pair.n_objects:
        raise ValueError(
            f"n_clusters must be at most the number of objects: got {model.n_clusters} for "
            f"{pair.n_objects} rows; choose {pair.n_objects} or fewer"
        )


def _check_vectors(model: Any, pair: Pair) -> None:
    if pair.is_pairwise:
        raise TypeError(
            f"{type(model).__name__} clusters vectors, but the pair holds similarities; use a "
            "model on graphs such as gencap.PairwiseClustering, or gencap.constant_shift_embedding"
        )


def trivial(pairs: Sequence[Pair], coupling: str, seed: int) -> Capacity:
    """Return the capacity of one cluster: 0 bits, by definition."""
    ones = np.ones((pairs[0].n_objects, 1))
    return Capacity(
        bits=0.0,
        raw_bits=0.0,
        beta=0.0,
        n_clusters=1.0,
        curve=None,
        labels=np.zeros(pairs[0].n_objects, dtype=np.int64),
        probabilities=ones,
        second_probabilities=ones,
        groups=np.zeros(1, dtype=np.int64),
        coupling=auto_coupling(coupling, pairs),
        bits_per_pair=np.zeros(len(pairs)),
        optimistic=any(pair.optimistic for pair in pairs),
        names=pairs[0].names,
        seed=seed,
    )


def _summarize(
    model: AnnealedClusterer | GraphClusterer,
    pairs: Sequence[Pair],
    curves: PairCurves,
    seed: int,
    threads: int,
    control: Control,
    keep: str | None,
) -> Capacity:
    """Average the curves of all pairs, take the maximum, describe the solution there."""
    curve = curves.mean()
    best = int(np.argmax(curve.bits))
    raw = float(curve.bits[best])
    # Flat over the last step as well: a curve that was cut off while it rose, at a given `stop` or
    # at beta = 1 of free covariances, shows no perfect agreement.
    flat = raw - curve.bits[-2:].min() < PLATEAU
    plateau = bool(raw > 0 and flat and not model.heats)
    if plateau:
        best = int(np.argmax(curve.bits > raw - PLATEAU))
    solution = _Solution.at(model, pairs[0], curves, best, threads, control)
    path = None
    if keep == "probabilities":
        path = curves.path(model, pairs[0], threads, control)
    return Capacity(
        bits=max(0.0, raw),
        raw_bits=raw,
        beta=float(curve.beta[best]),
        n_clusters=float(curve.n_clusters[best]),
        curve=curve,
        labels=solution.labels,
        probabilities=solution.first,
        second_probabilities=solution.second,
        groups=solution.groups,
        splits=curves.first.splits,
        coupling=curves.coupling,
        bits_per_pair=curves.best_per_pair(),
        plateau=plateau,
        shift=curves.shift,
        optimistic=any(pair.optimistic for pair in pairs),
        trajectories=(curves.first, curves.second),
        path_probabilities=path,
        names=pairs[0].names,
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class _Solution:
    """Assignments of the first pair at one temperature."""

    first: FloatArray
    second: FloatArray
    groups: IntArray
    labels: IntArray

    @classmethod
    def at(
        cls,
        model: AnnealedClusterer | GraphClusterer,
        pair: Pair,
        curves: PairCurves,
        step: int,
        threads: int,
        control: Control,
    ) -> _Solution:
        step = min(step, len(curves.first.betas) - 1)
        first = curves.probabilities(model, pair, 0, step, threads, control)
        second = curves.probabilities(model, pair, 1, step, threads, control)
        groups = curves.first.groups[step]
        slots = curves.slots[step]
        if curves.coupling == "merge":
            # Merged clusters correspond, single ones do not: columns are groups on both sides.
            size = int(max(groups.max(), slots.max())) + 1
            first, second = _collect(first, groups, size), _collect(second, slots, size)
            groups = np.arange(size)
        else:
            second = _collect(second, slots, len(slots))
        masses = _collect(first, groups, int(groups.max()) + 1)
        likeliest = masses.argmax(axis=1)
        _, labels = np.unique(likeliest, return_inverse=True)
        return cls(first, second, groups, labels.astype(np.int64))


def _collect(columns: FloatArray, slots: IntArray, size: int) -> FloatArray:
    """Add up the columns that share a slot."""
    out = np.zeros((len(columns), size))
    for column, slot in enumerate(slots):
        out[:, slot] += columns[:, column]
    return out
