"""From a table to a reportable study: scale, split, select the order, collect the warnings."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gencap._progress import Control, ProgressCallback
from gencap._validation import (
    FloatArray,
    Matrix,
    check_choice,
    check_integer,
    check_matrix,
    describe_degenerate,
)
from gencap.instances import Pair
from gencap.report.study import Setting, Study
from gencap.report.words import chosen
from gencap.results import Order
from gencap.splits import (
    OptimisticPairingWarning,
    random_feature_splits,
    split_features,
    split_objects,
)

__all__ = ["StudyPlan", "standardized", "study_matrix", "study_pairs"]

MODELS = ("centroid", "gaussian")
COVARIANCES = ("fixed", "spherical", "diag", "full")
SPLIT_WORDS = {
    "interleave": "every other column against the rest",
    "random": "random halves of the columns",
    "objects": "halves of the rows, matched by proximity",
}
SCALES = ("none", "standard")
NULLS = ("independent", "gaussian")
# Spreads further apart than this let one column decide the clusters by its unit alone.
UNEVEN_SPREAD = 10.0


@dataclass(frozen=True)
class StudyPlan:
    """How a study is made; a plain value that reports repeat.

    Parameters
    ----------
    clusters : tuple of int
        Numbers of clusters to try.
    model : {"centroid", "gaussian"}
        Which model clusters the objects.
    covariance : {"fixed", "spherical", "diag", "full"} or None
        For ``model="gaussian"``; None means "fixed".
    split : {"interleave", "random", "objects"}
        How one table becomes two measurements.
    n_splits : int
        Number of random splits; the error bars come from them.
    null_draws : int
        Draws per null; 0 leaves the answer uncalibrated.
    scale : {"none", "standard"}
        Whether columns are brought to mean 0 and standard deviation 1 first.
    seed : int
        Everything random derives from it.
    n_jobs : int or None
        Threads; None for all.

    Examples
    --------
    >>> StudyPlan(clusters=(2, 3), split="interleave").model
    'centroid'
    """

    clusters: tuple[int, ...] = tuple(range(1, 11))
    model: str = "centroid"
    covariance: str | None = None
    split: str = "random"
    n_splits: int = 5
    null_draws: int = 99
    scale: str = "none"
    seed: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_choice(self.model, "model", MODELS)
        check_choice(self.split, "split", SPLIT_WORDS)
        check_choice(self.scale, "scale", SCALES)
        check_integer(self.n_splits, "splits")
        check_integer(self.null_draws, "null_draws", minimum=0)
        if self.covariance is not None:
            check_choice(self.covariance, "covariance", COVARIANCES)
            if self.model != "gaussian":
                raise ValueError(
                    f"covariance applies to the gaussian model only: got {self.covariance!r} with "
                    f"model {self.model!r}; leave it out or choose the gaussian model"
                )

    def make_model(self) -> Any:
        """Return the estimator the plan names."""
        from gencap.models import CentroidClustering, GaussianMixture

        if self.model == "centroid":
            return CentroidClustering()
        return GaussianMixture(covariance=self.covariance or "fixed")


def study_matrix(
    first: Any,
    second: Any = None,
    *,
    title: str,
    description: str = "",
    plan: StudyPlan | None = None,
    truth: Any = None,
    notes: Sequence[str] = (),
    progress: ProgressCallback | Control | None = None,
) -> Study:
    """Measure how many bits of a table's clustering are real.

    Parameters
    ----------
    first : array-like of shape (N, D) or DataFrame
        The objects, one per row.
    second : array-like or DataFrame, optional
        A second measurement of the same objects; without it the table is split.
    title, description : str
        For the report.
    plan : StudyPlan, optional
        How to do it.
    truth : array-like of shape (N,), optional
        Known classes to show beside the clusters.
    notes : sequence of str
        What is known to be unusual about the table.
    progress : callable or Control, optional
        Receives `Progress` values.

    Returns
    -------
    Study
        Ready for `gencap.report.write_report`.

    Examples
    --------
    >>> table = np.random.default_rng(0).standard_normal((40, 4))
    >>> study = study_matrix(table, title="Noise", plan=StudyPlan((1, 2, 3), null_draws=0))
    >>> study.order.verdict_text
    'no reliable structure'
    """
    plan = plan or StudyPlan()
    table = check_matrix(first, "first")
    said = [sentence(note) for note in (*notes, *_findings(table, plan))]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", OptimisticPairingWarning)
        measurements = _make_pairs(first, second, plan)
    said += [_spoken(w) for w in heard]
    rows = _pairs_of(measurements)[0].index1
    shown = check_matrix(scaled(first, plan), "first").values[rows]
    return study_pairs(
        measurements,
        shown,
        title=title,
        description=description,
        plan=plan,
        columns=table.columns,
        truth=None if truth is None else np.asarray(truth)[rows],
        notes=said,
        split="two measurements" if second is not None else SPLIT_WORDS[plan.split],
        progress=progress,
    )


def study_pairs(
    measurements: Any,
    data: Any,
    *,
    title: str,
    description: str = "",
    plan: StudyPlan | None = None,
    columns: Any = None,
    truth: Any = None,
    notes: Sequence[str] = (),
    split: str = "two measurements",
    progress: ProgressCallback | Control | None = None,
) -> Study:
    """Make a study of pairs of measurements that exist already.

    Parameters
    ----------
    measurements : Pair, Instances, FeatureSplits or sequence of Pair
        Capacities average over the pairs; error bars are their spread.
    data : ndarray of shape (N, D)
        What the scatter shows; the objects of the first pair.
    title, description, plan, columns, truth, notes, split, progress
        See `study_matrix` and `gencap.report.Study`.

    Returns
    -------
    Study
        Ready for `gencap.report.write_report`.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=80, variance=1.0, random_state=0)
    >>> plan = StudyPlan((1, 2, 3, 4), null_draws=0)
    >>> study_pairs(data.pair, data.first, title="Four Gaussians", plan=plan).order.best
    4
    """
    plan = plan or StudyPlan()
    said = list(notes)
    pairs = _pairs_of(measurements)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        order = _select(plan, measurements, progress)
    seconds = time.perf_counter() - started
    said += [note for note in (_spoken(w) for w in heard) if note not in said]
    return Study(
        title=title,
        description=description,
        order=order,
        best=chosen(order),
        data=np.asarray(data, dtype=np.float64),
        names=pairs[0].names,
        columns=columns,
        truth=truth,
        settings=_settings(plan, split, len(pairs)),
        notes=tuple(dict.fromkeys(said + _level_note(order, plan.null_draws))),
        seconds=seconds,
    )


def _pairs_of(measurements: Any) -> list[Pair]:
    return list(measurements.pairs() if hasattr(measurements, "pairs") else measurements)


def _select(
    plan: StudyPlan, measurements: Any, progress: ProgressCallback | Control | None
) -> Order:
    from gencap.selection import select_order

    select: Callable[..., Order] = select_order
    return select(
        plan.make_model(),
        measurements,
        n_clusters=plan.clusters,
        null=NULLS if plan.null_draws else None,
        null_draws=max(1, plan.null_draws),
        random_state=plan.seed,
        n_jobs=plan.n_jobs,
        progress=progress,
    )


def _make_pairs(first: Any, second: Any, plan: StudyPlan) -> Any:
    table = scaled(first, plan)
    if second is not None:
        return Pair(table, scaled(second, plan))
    if plan.split == "interleave":
        return split_features(table, how="interleave")
    if plan.split == "random":
        return random_feature_splits(table, plan.n_splits, random_state=plan.seed)
    seeds = np.random.SeedSequence(plan.seed).generate_state(plan.n_splits)
    return [split_objects(table, random_state=int(s)) for s in seeds]


def scaled(table: Any, plan: StudyPlan) -> Any:
    """Return the table standardized column by column if the plan says so."""
    return table if plan.scale == "none" else standardized(table)


def standardized(table: Any) -> Any:
    """Bring every column to mean 0 and standard deviation 1; constant ones become 0.

    Examples
    --------
    >>> standardized(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    values = check_matrix(table, "first").values
    constant = (values == values[:1]).all(axis=0)
    # Rounding leaves constant columns a tiny spread; dividing by it would make noise of them.
    spread = np.where(constant, np.inf, values.std(axis=0))
    scaled = (values - values.mean(axis=0)) / spread
    if isinstance(table, pd.DataFrame):
        return pd.DataFrame(scaled, index=table.index, columns=table.columns)
    return scaled


def _findings(table: Matrix, plan: StudyPlan) -> list[str]:
    notes = describe_degenerate(table)
    return notes + (uneven_note(table.values) if plan.scale == "none" else [])


def uneven_note(values: FloatArray) -> list[str]:
    """Say where the spreads of columns differ so much that their units would decide."""
    spread = values.std(axis=0)
    spread = spread[spread > 0]
    if len(spread) < 2 or (ratio := float(spread.max() / spread.min())) <= UNEVEN_SPREAD:
        return []
    return [
        f"the spreads of the columns differ by a factor of {ratio:,.0f}; columns with large "
        "numbers decide the clusters. If units differ, use --scale standard"
    ]


def _spoken(warning: warnings.WarningMessage) -> str:
    text = sentence(str(warning.message))
    if issubclass(warning.category, OptimisticPairingWarning):
        return f"Optimistic pairing: {text}"
    return text


def sentence(text: str) -> str:
    """Return a finding as a sentence, with a capital and a full stop."""
    text = text.strip()
    if "_" not in text.partition(" ")[0]:  # names of functions keep their spelling
        text = text[:1].upper() + text[1:]
    return text + ("" if text.endswith((".", "!", "?")) else ".")


def _level_note(order: Order, draws: int) -> list[str]:
    """Say where few draws forced the verdict to be read at a coarser level."""
    smallest = 1.0 / (1 + draws)
    if draws == 0 or smallest <= order.level * (1 + 1e-9):
        return []
    return [
        f"Only {draws} null draws were made, so no p-value can be below {smallest:.2g}; the "
        f"verdict is read at level {smallest:.2g} instead of {order.level:g}. Use 99 draws or more "
        "for a final answer."
    ]


def _settings(plan: StudyPlan, split: str, n_pairs: int) -> dict[str, Setting]:
    settings: dict[str, Setting] = {
        "model": plan.model,
        "numbers of clusters": ", ".join(str(k) for k in plan.clusters),
        "measurements": split,
        "pairs": n_pairs,
        "null draws": plan.null_draws,
        "column scale": plan.scale,
    }
    if plan.model == "gaussian":
        settings["covariance"] = plan.covariance or "fixed"
    return settings
