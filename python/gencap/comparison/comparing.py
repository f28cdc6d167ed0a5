"""The comparison itself: models, measures, numbers of clusters, on the same splits."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from gencap._progress import ProgressCallback, as_control
from gencap._validation import check_choice, check_integer, check_n_jobs, check_seed
from gencap.annealing import Annealing
from gencap.comparison.candidates import make_candidates
from gencap.comparison.cluster import Cluster, connect
from gencap.comparison.engine import Draws, Engine
from gencap.comparison.forecast import Forecast
from gencap.comparison.journal import Journal
from gencap.comparison.nulls import Calibration, verdict_of
from gencap.comparison.opening import Opened, open_data
from gencap.comparison.plan import DEFAULT_CLUSTERS, Plan, check_clusters, fitting, resolve_shifts
from gencap.comparison.result import Comparison
from gencap.comparison.runner import Local, Place, Runner
from gencap.comparison.selection import Standing, winner_of
from gencap.comparison.table import (
    curves_of,
    make_scans,
    make_solutions,
    make_split_bits,
    make_table,
)
from gencap.comparison.tasks import quiet
from gencap.comparison.versions import versions

__all__ = ["QUICK", "compare"]

# A first look: six K, shifts scanned on one split, a coarse schedule, few twins.
QUICK: dict[str, Any] = {
    "n_clusters": (2, 3, 4, 5, 6, 8),
    "n_splits": 5,
    "n_init": 2,
    "null_draws": 2,
    "final_draws": 19,
    "scan_splits": 1,
    # p = 2 tends to cut off single objects and would cost as much again.
    "powers": (1.2,),
    # A third of the work of the full schedule; bits differ by a few hundredths.
    "annealing": Annealing(n_steps=30, tol=3e-3, max_iter=20),
}


def compare(
    data: Any,
    models: Iterable[Any] | None = None,
    measures: Iterable[str] | None = None,
    n_clusters: Iterable[int] = DEFAULT_CLUSTERS,
    *,
    second: Any = None,
    shifts: Iterable[float] | None = None,
    powers: Iterable[float] | None = None,
    n_splits: int = 5,
    split: str = "auto",
    n_init: int = 2,
    annealing: Annealing | None = None,
    scan_splits: int | None = None,
    null_draws: int = 5,
    final_draws: int = 99,
    null_through: str = "winner",
    out: str | os.PathLike[str] | None = None,
    client: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    announce: Callable[[Forecast], object] | None = None,
) -> Comparison:
    """Compare clustering models, measures of similarity and numbers of clusters by their bits.

    Every combination is measured on the same pairs of instances. The winner is calibrated against
    null twins, and the p-values are corrected for its having been chosen among all candidates.

    Parameters
    ----------
    data : array-like of shape (N, D), DataFrame, Pair, list of Pair, Instances, or str
        One table (then split `n_splits` times), measurements that are paired already, or the name
        of a data set in `gencap.datasets`. With ``measures="precomputed"`` pairs hold similarities;
        sparse matrices and `Similarity` objects go with `second`, or in a list of tuples.
    models : iterable of str or estimators, optional
        Of "centroid", "gaussian", "pairwise", "normalized_cut", "ratio_cut", "correlation",
        "max_cut", "dominant_sets", gencap models with settings of their own, or scikit-learn
        clusterers. By default all but "gaussian" and "max_cut".
    measures : iterable of str, optional
        Measures for the models that work on similarities. Default: sqeuclidean, pearson, path.
    n_clusters : iterable of int
        Numbers of clusters.
    second : array-like or similarity, optional
        A second measurement of the same objects, the best there is.
    shifts : iterable of float, optional
        Shifts for correlation clustering; by default 0, minus the 50, 75 and 90 % quantiles of the
        similarity, minus 1, 2 and 4 times its largest absolute value.
    powers : iterable of float, optional
        Powers p for "ratio_cut"; by default 1.2 and 2.
    n_splits : int
        Random splits of one table.
    split : {"auto", "random", "interleave", "objects"}
        How a table becomes two instances: random halves of the columns, every other column, or
        halves of the rows matched by proximity (optimistic). "auto": columns where there are two.
    n_init : int
        Starts of every run, beside the one from the solution for fewer clusters.
    annealing : Annealing, optional
        Schedule of the models on similarities.
    scan_splits : int, optional
        Try all shifts on so many splits only, and the best of them on the others; None: on all.
    null_draws, final_draws : int
        Null twins of each kind for every candidate at its chosen number of clusters, and for the
        winner at all of them; 0 draws none.
    null_through : {"winner", "all"}
        What the final twins go through. "winner": the winner alone, and p-values are corrected for
        its choice; "all": everything that the data went through, exact and slow.
    out : path-like, optional
        Folder for the journal, from which an interrupted comparison goes on.
    client : distributed.Client or str, optional
        Dask client or scheduler address; needs the extra ``gencap[dask]``.
    random_state : None, int or Generator
        Seed of everything random.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `Progress` values that count tasks; raising from it cancels.
    announce : callable, optional
        Receives a `Forecast` once the first task of every kind has been timed.

    Returns
    -------
    Comparison

    Notes
    -----
    Curves of all splits are averaged at equal temperature before the maximum is taken. One split
    gives exactly the numbers of `gencap.select_order` with the same seed. Null twins are split like
    the first split only; what is ranked among them is the mean of the data over all splits, which
    varies less than they do: p-values err on the safe side.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=60, variance=1.0, random_state=0)
    >>> found = gencap.compare(
    ...     data.pair, ["centroid", "pairwise"], ["sqeuclidean"], [2, 3, 4, 5], final_draws=19
    ... )
    >>> int(found.best["n_clusters"]), found.verdict
    (4, 'clusters')
    """
    control, threads, seed = as_control(progress), check_n_jobs(n_jobs), check_seed(random_state)
    check_choice(null_through, "null_through", ("winner", "all"))
    draws = Draws(
        check_integer(null_draws, "null_draws", minimum=0),
        check_integer(final_draws, "final_draws", minimum=0),
        null_through,
    )
    with quiet():
        opened = open_data(
            data,
            second,
            n_splits=check_integer(n_splits, "n_splits"),
            split=split,
            seed=seed,
            precomputed=_says_precomputed(measures, models),
        )
        candidates = make_candidates(
            models, measures, powers, n_init=n_init, annealing=annealing, graphs=opened.graphs
        )
        candidates, left_out = fitting(candidates, opened, measures is not None)
        numbers, cut = check_clusters(n_clusters, opened.source.n_objects)
        plan = Plan(
            source=opened.source,
            candidates=tuple(candidates),
            shifts=resolve_shifts(candidates, opened.source, shifts, threads, control),
            n_clusters=numbers,
            seed=seed,
            scan_splits=_scan_splits(scan_splits, opened.source.n_splits),
        )
        settings = _settings(plan, opened, draws, n_init)
        journal = Journal(None if out is None else Path(out), _fingerprint(plan, settings))
        with closing(journal), _place(plan, client, threads) as place:
            engine = Engine(plan, Runner(place, journal, control), draws, announce)
            return _compare(engine, opened, settings, [*cut, *left_out])


def _compare(
    engine: Engine, opened: Opened, settings: dict[str, Any], notes: list[str]
) -> Comparison:
    """Run everything and put the result together."""
    plan, resumed = engine.plan, engine.runner.journal.resumed
    if resumed:
        notes.append(f"{resumed:,} tasks were taken over from an interrupted run")
    standings = engine.measure()
    engine.calibrate_all(standings)
    nulls = engine.calibrate_winner(standings)
    c = winner_of(standings)
    candidate, structured = plan.candidates[c], standings[c].best > 1
    return Comparison(
        table=make_table(plan, standings, engine.drawn),
        split_bits=make_split_bits(plan, standings),
        scans=make_scans(plan, standings),
        curves=curves_of(plan, standings),
        solutions=make_solutions(plan, standings, engine.results),
        winner=(candidate.model, candidate.measure, candidate.p, standings[c].shown),
        null={kind: found.result for kind, found in nulls.items()},
        corrected={kind: found.corrected for kind, found in nulls.items()},
        verdict=verdict_of(structured, nulls, opened.graphs),
        settings=settings,
        versions=versions(),
        seed=plan.seed,
        notes=tuple(
            _sentence(note)
            for note in (*opened.notes, *notes, *_calibration_notes(engine, standings[c], nulls))
        ),
        timings=engine.timings(),
        names=opened.names,
    )


def _says_precomputed(measures: Any, models: Any) -> bool:
    named = [measures] if isinstance(measures, str) else list(measures or ())
    given = models if isinstance(models, list | tuple) else [models]
    return "precomputed" in named or any(
        getattr(model, "measure", "") == "precomputed" for model in given
    )


def _scan_splits(scan_splits: int | None, n_splits: int) -> int:
    if scan_splits is None:
        return n_splits
    return min(check_integer(scan_splits, "scan_splits"), n_splits)


@contextmanager
def _place(plan: Plan, client: Any, threads: int) -> Iterator[Place]:
    """Yield where tasks run; a connection that was opened here is closed."""
    if client is None:
        yield Local(plan.source, threads)
        return
    connected, ours = connect(client)
    try:
        yield Cluster(plan.source, connected)
    finally:
        if ours:
            connected.close()


def _settings(plan: Plan, opened: Opened, draws: Draws, n_init: int) -> dict[str, Any]:
    """Return what was asked for, as plain values that reports repeat."""
    return {
        "models": list(dict.fromkeys(candidate.model for candidate in plan.candidates)),
        "measures": list(dict.fromkeys(c.measure for c in plan.candidates if c.measure)),
        "n_clusters": list(plan.n_clusters),
        "powers": sorted({c.p for c in plan.candidates if c.p == c.p}),
        "n_splits": plan.source.n_splits,
        "scan_splits": plan.scan_splits,
        "instances": opened.words,
        "n_objects": plan.source.n_objects,
        "n_init": n_init,
        "null_draws": draws.each,
        "final_draws": draws.final,
        "null_through": draws.through,
        "random_state": plan.seed,
        "candidates": len(plan.candidates),
        "trials": plan.n_trials,
    }


def _fingerprint(plan: Plan, settings: dict[str, Any]) -> dict[str, Any]:
    """Return what must be equal for outcomes to be used again."""
    # More draws or another way of calibrating add tasks, and change none.
    free = ("null_draws", "final_draws", "null_through", "candidates", "trials", "instances")
    fixed = {name: value for name, value in settings.items() if name not in free}
    return {
        **fixed,
        "data": plan.source.digest(),
        "model settings": [candidate.describe() for candidate in plan.candidates],
        "gencap": versions()["gencap"],
    }


def _calibration_notes(
    engine: Engine, winner: Standing, nulls: dict[str, Calibration]
) -> list[str]:
    if not nulls:
        if winner.best == 1:
            return ["no candidate has bits worth mentioning, so no final twins were drawn"]
        return ["no final twins were drawn, so the winner is not calibrated"]
    notes = [
        "null twins were split like the first split, the twins of the winner measured at all "
        "numbers of clusters"
        + (
            "; the mean of the data over splits, which varies less than single splits of twins do, "
            "is ranked among them, so that p-values are on the safe side"
            if engine.plan.source.n_splits > 1
            else ""
        )
    ]
    if engine.draws.through == "winner" and engine.plan.n_trials > 1:
        notes.append(
            f"the winner was chosen among {engine.plan.n_trials} models, measures, powers and "
            "shifts that its twins did not go through: the p-values in `corrected` account for it"
        )
    smallest = 1.0 / (1 + engine.draws.final)
    if smallest > 0.01 * (1 + 1e-9):
        notes.append(
            f"only {engine.draws.final} final twins were drawn, so the ranks are read at level "
            f"{smallest:.2g} instead of 0.01; use 99 for a final answer"
        )
    return notes


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
