"""Two Gaussians in many dimensions: three phases of learnability (Figs. 16 and 17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray
from gencap.annealing import Annealing
from gencap.capacity import capacity
from gencap.datasets import Dataset, two_gaussians_high_dimension
from gencap.models import CentroidClustering
from gencap.reproduction._phases import overfit_rows, phase_rows
from gencap.reproduction._result import Experiment, Findings, Setting, Tables, seeds_of
from gencap.results import Capacity, Curve

__all__ = ["DIMENSIONS", "EXPERIMENT", "N_OBJECTS", "order_parameters", "separation"]

N_OBJECTS = 500
VARIANCE = 0.5
DIMENSIONS = (100, 500, 3000)
COUPLINGS = ("merge", "independent")
# u at constant Bayes error erfc(u / 2) / 2 = 0.079, and u at D = 100 of the distance that shrinks.
FIXED_U, FIRST_U = 2.0, 5.0
LOW_TEMPERATURE = 8.0


@dataclass(frozen=True)
class _Task:
    reading: str
    n_features: int
    coupling: str
    seed: int


def separation(reading: str, n_features: int) -> float:
    """Return u under one of two readings of "decrease the distance to keep the Bayes error fixed".

    "distance": |mu1 - mu2| shrinks with sqrt(1 / D), as the text says to do. "error": the Bayes
    error stays the same, as the text says it will; then u must not change.
    """
    return FIRST_U * float(np.sqrt(100.0 / n_features)) if reading == "distance" else FIXED_U


def order_parameters(centroids: FloatArray, centers: FloatArray) -> dict[str, FloatArray]:
    """s, r (Eqs. 96 and 97) and the scale-free overlap at every temperature.

    Parameters
    ----------
    centroids : ndarray of shape (T, 2, D)
        Estimated centers along the annealing.
    centers : ndarray of shape (2, D)
        True ones.
    """
    estimated = (centroids[:, 0] - centroids[:, 1]) / 2.0
    true = (centers[0] - centers[1]) / 2.0
    u = 2.0 * float(np.linalg.norm(true)) / np.sqrt(2.0 * VARIANCE)
    along = np.abs(estimated @ true)
    length = np.linalg.norm(estimated, axis=1)
    with np.errstate(invalid="ignore"):
        cosine = np.nan_to_num(along / (length * np.linalg.norm(true)))
    return {"s": VARIANCE * length**2, "r": along / u, "cos": cosine}


def measure(setting: Setting) -> Findings:
    """Measure both readings and couplings, then four centroids at D = 100."""
    seeds = seeds_of(setting.seed, 2 if setting.quick else 8)
    tasks = [
        _Task(reading, n_features, coupling, seed)
        for reading in ("distance", "error")
        for n_features in DIMENSIONS
        for coupling in COUPLINGS
        for seed in seeds
        # The reading that shows no three phases is shown once, not compared in detail.
        if reading == "distance" or coupling == "merge"
    ]
    outcomes = parallel_map(
        _phase, tasks, threads=setting.threads, control=setting.control, message="phases"
    )
    runs = pd.DataFrame([row for row, _ in outcomes])
    tables: Tables = {"runs": runs}
    for task, (_, path) in zip(tasks, outcomes, strict=True):
        if task.reading == "distance" and task.coupling == "merge" and task.seed == seeds[0]:
            tables[f"path, D = {task.n_features}"] = path
    solvers = [(solver, seed) for solver in ("mean_field", "gibbs") for seed in seeds]
    four = parallel_map(
        _overfit, solvers, threads=setting.threads, control=setting.control, message="overfitting"
    )
    tables["four centroids"] = pd.DataFrame(four)
    return Findings(
        (*phase_rows(runs, DIMENSIONS, N_OBJECTS), *overfit_rows(tables["four centroids"])), tables
    )


def _phase(task: _Task, control: Control) -> tuple[dict[str, Any], pd.DataFrame]:
    """Two centroids on one pair of samples."""
    u = separation(task.reading, task.n_features)
    data = two_gaussians_high_dimension(
        N_OBJECTS, task.n_features, u, VARIANCE, random_state=task.seed
    )
    model = CentroidClustering(2, random_state=task.seed)
    found = capacity(model, data.pair, task.coupling, n_jobs=1, progress=control)
    path = _path(found, data)
    split = path[path["n_clusters"] > 1]
    best = path.iloc[int(np.argmin(np.abs(path["beta"] - found.beta)))]
    return {
        "reading": task.reading,
        "n_features": task.n_features,
        "u": u,
        "coupling": task.coupling,
        "seed": task.seed,
        "bits": found.bits,
        "raw_bits": found.raw_bits,
        "beta": found.beta,
        "n_clusters": found.n_clusters,
        "last_bits": float(path["bits"].iloc[-1]),
        # Where nothing is gained the optimum lies before the split and has no direction.
        "cos": float(best["cos"] if found.n_clusters > 1 else path["cos"].iloc[-1]),
        "r": float(best["r"] if found.n_clusters > 1 else path["r"].iloc[-1]),
        "s": float(best["s"] if found.n_clusters > 1 else path["s"].iloc[-1]),
        "last_cos": float(path["cos"].iloc[-1]),
        "split_beta": float(split["beta"].min()) if len(split) else np.nan,
        "unsplit_s": float(path["s"].iloc[0]),
        "random_start_cos": _random_start(data, task, control),
    }, path


def _path(found: Capacity, data: Dataset) -> pd.DataFrame:
    """Curve and order parameters of the first instance, up to the end of its own annealing."""
    run, curve = found.trajectories[0], found.curve
    if curve is None or data.centers is None:
        raise ValueError("the run has no temperatures or the data no centers")
    length = min(len(run.betas), len(curve.beta))
    columns = {"beta": curve.beta[:length], "bits": curve.bits[:length]}
    columns["n_clusters"] = run.n_clusters[:length].astype(np.float64)
    columns |= {k: v[:length] for k, v in order_parameters(run.centroids, data.centers).items()}
    return pd.DataFrame(columns)


def _random_start(data: Dataset, task: _Task, control: Control) -> float:
    """Overlap reached at a low temperature from random centroids, without annealing."""
    if task.coupling != "merge" or data.centers is None:
        return float("nan")
    once = Annealing(LOW_TEMPERATURE, LOW_TEMPERATURE, n_steps=1, noise=1.0)
    model = CentroidClustering(2, annealing=once, random_state=task.seed, n_jobs=1)
    model.fit(data.first, progress=control)
    return float(order_parameters(model.cluster_centers_[None], data.centers)["cos"][0])


def _overfit(task: tuple[str, int], control: Control) -> dict[str, Any]:
    """Four centroids where two sources are learnable (Fig. 17)."""
    solver, seed = task
    data = two_gaussians_high_dimension(N_OBJECTS, 100, FIRST_U, VARIANCE, random_state=seed)
    model = CentroidClustering(4, solver=solver, random_state=seed)
    found = capacity(model, data.pair, n_jobs=1, progress=control)
    curve = found.curve
    if not isinstance(curve, Curve) or curve.transfer_cost is None:
        raise ValueError("the run has no curve of transfer costs")
    return {
        "solver": solver,
        "seed": seed,
        "bits": found.bits,
        "beta": found.beta,
        "peak_beta": float(curve.beta[int(np.argmax(curve.bits))]),
        "n_clusters": found.n_clusters,
        "transfer_beta": float(curve.beta[int(np.argmin(curve.transfer_cost))]),
        "transfer_excess": float(
            curve.transfer_cost[int(np.argmax(curve.bits))] / curve.transfer_cost.min() - 1.0
        ),
        "last_excess": float(curve.transfer_cost[-1] / curve.transfer_cost.min() - 1.0),
    }


def draw(tables: Tables) -> dict[str, Any]:
    """Figs. 16a (as overlap) and 16b."""
    from matplotlib.figure import Figure

    figures: dict[str, Any] = {}
    for column, label in (("cos", "overlap with the true direction"), ("bits", "bits per object")):
        figure = Figure(figsize=(5.0, 3.6), layout="constrained")
        axes = figure.subplots()
        for n_features in DIMENSIONS:
            path = tables[f"path, D = {n_features}"]
            # Before the split the direction is that of the perturbation.
            values = path[column].where(path["n_clusters"] > 1, 0.0).clip(lower=0.0)
            axes.plot(path["beta"], values, label=f"D = {n_features}")
        axes.set(xscale="log", xlabel="beta", ylabel=label)
        axes.legend()
        figures[column] = figure
    return figures


EXPERIMENT = Experiment(
    name="fig16",
    title="Two Gaussians in many dimensions: three phases of learnability",
    source="Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 5.5, Figs. 16 and 17",
    description=(
        "Two Gaussians of variance 1/2 with orthogonal centers, N = 500 objects measured twice, "
        "in D = 100, 500 and 3000 dimensions. The capacity should be 1 bit, something between, and "
        "0. The text shrinks the distance with sqrt(1/D) in order to keep the Bayes error fixed, "
        "which it does not; the shrinking distance (u = 5 at D = 100, our choice) shows the three "
        "phases, the fixed error (u = 2) is shown beside it. Four centroids at D = 100 should end "
        "as two."
    ),
    measure=measure,
    draw=draw,
)
