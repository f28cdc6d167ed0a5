"""Results as views get them, made by hand: four groups that split twice while they cool."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from gencap_gui.session import (
    CenterPaths,
    CoClustering,
    CurveData,
    DataSummary,
    LabelPath,
    LivePoint,
    OrderedMatrix,
    PlaneProjection,
    Results,
    RunKey,
    RunResult,
    SplitMark,
)

KEY = RunKey("centroid", "", 4)
OTHER = RunKey("normalized_cut", "pearson", 3)
N_STEPS = 24
BEST = 16
CENTERS = np.array([[-6.0, -1.5], [-4.0, 2.0], [4.0, 2.5], [6.0, -2.0]])
# Slot of each center by temperature: one branch, two, then four; numbers are colors.
STAGES = ((0, [0, 0, 0, 0]), (6, [0, 0, 2, 2]), (12, [0, 1, 2, 3]))
BETA = np.geomspace(0.02, 20.0, N_STEPS)


def groups_at(step: int) -> np.ndarray:
    """Return the branch of every slot at a temperature."""
    return np.array([g for start, g in STAGES if step >= start][-1], dtype=np.int64)


def center_path() -> np.ndarray:
    """Return the centers (T, 4, 2): each the mean of the slots in its branch."""
    path = np.empty((N_STEPS, 4, 2))
    for step in range(N_STEPS):
        groups = groups_at(step)
        for slot in range(4):
            path[step, slot] = CENTERS[groups == groups[slot]].mean(axis=0)
    return path


def curve() -> CurveData:
    """Return a curve that peaks at `BEST` and then falls."""
    steps = np.arange(N_STEPS)
    counts = np.array([len(set(groups_at(s))) for s in steps], dtype=np.float64)
    entropy = np.log2(counts)
    agreement = np.where(steps <= BEST, -0.02 * steps, -0.02 * BEST - 0.6 * (steps - BEST))
    agreement = agreement - np.where((steps > 11) & (steps < BEST), 0.1 * (BEST - steps), 0.0)
    return CurveData(BETA, entropy + agreement, entropy, agreement, counts)


def live_points(count: int = N_STEPS, n_objects: int = 0) -> tuple[LivePoint, ...]:
    """Return the first `count` live points; with labels where `n_objects` is given."""
    c, path = curve(), center_path()
    points = []
    for i in range(count):
        groups = groups_at(i)
        point = LivePoint(
            key=KEY,
            index=i,
            beta=float(c.beta[i]),
            bits=float(c.bits[i]),
            entropy=float(c.entropy[i]),
            agreement=float(c.agreement[i]),
            n_clusters=int(c.n_clusters[i]),
            masses=np.full(4, 0.25),
            groups=groups,
            centers=path[i],
        )
        if n_objects:
            labels = groups[truth(n_objects)].astype(np.int16)
            sure = np.full(n_objects, 0.9, dtype=np.float32)
            point = replace(point, labels=labels, confidence=sure)
        points.append(point)
    return tuple(points)


def truth(n_objects: int) -> np.ndarray:
    """Return the group of every object."""
    return np.arange(n_objects) % 4


def finished_run(n_objects: int) -> RunResult:
    """Return the finished run of `KEY`."""
    labels = truth(n_objects).astype(np.int64)
    confidence = np.random.default_rng(1).uniform(0.4, 1.0, n_objects)
    path = np.stack([groups_at(s)[labels] for s in range(N_STEPS)]).astype(np.int16)
    second = labels.copy()
    second[::9] = (second[::9] + 1) % 4
    c = curve()
    return RunResult(
        KEY,
        live=live_points(),
        finished=True,
        bits=float(c.bits[BEST]),
        bits_sd=0.04,
        beta=float(BETA[BEST]),
        effective=4.0,
        curve=c,
        best_step=BEST,
        labels=labels,
        second_labels=second,
        confidence=confidence,
        splits=(SplitMark(0, 2, BETA[6]), SplitMark(0, 1, BETA[12]), SplitMark(2, 3, BETA[12])),
        paths=CenterPaths(
            BETA,
            center_path(),
            np.stack([groups_at(s) for s in range(N_STEPS)]),
            np.full((N_STEPS, 4), 0.25),
        ),
        label_path=LabelPath(BETA, path, np.tile(confidence.astype(np.float32), (N_STEPS, 1))),
        seconds=1.5,
    )


def order_frame() -> pd.DataFrame:
    """Return capacities of two candidates and of K = 2 to 6."""
    rows = []
    for model, measure, scale in (("centroid", "", 1.0), ("normalized_cut", "pearson", 0.8)):
        for k, bits in zip(range(2, 7), (0.9, 1.2, 1.68, 1.66, 1.6), strict=True):
            rows.append((model, measure, k, scale * bits, 0.05 * k / 4, float(k), 1.0, 0.5, False))
    names = "model measure n_clusters bits bits_sd effective beta seconds optimistic".split()
    return pd.DataFrame(rows, columns=names)


def ranking_frame() -> pd.DataFrame:
    """Return the best run of both candidates."""
    return pd.DataFrame(
        {
            "rank": [1, 2],
            "model": ["centroid", "normalized_cut"],
            "measure": ["", "pearson"],
            "n_clusters": [4, 3],
            "bits": [1.68, 1.34],
            "bits_sd": [0.04, np.nan],
        }
    )


def profile_frame(labels: np.ndarray, n_columns: int = 6) -> pd.DataFrame:
    """Return means and spreads of four clusters over some columns."""
    rows = [
        (
            cluster,
            f"condition {j + 1}",
            float(np.sin(cluster + j)),
            0.3,
            int((labels == cluster).sum()),
        )
        for cluster in range(4)
        for j in range(n_columns)
    ]
    return pd.DataFrame(rows, columns=["cluster", "column", "mean", "sd", "n"])


def label_frame(run: RunResult, names: np.ndarray) -> pd.DataFrame:
    """Return a row per object; clusters count from 1."""
    labels = run.labels
    return pd.DataFrame(
        {
            "object": np.arange(len(labels)),
            "name": names,
            "cluster": labels + 1,
            "confidence": run.confidence,
            "second choice": (labels + 1) % 4 + 1,
        }
    )


def matrices(labels: np.ndarray, most: int = 2000) -> tuple[OrderedMatrix, CoClustering]:
    """Return similarity and co-clustering of a decimated order."""
    order = np.argsort(labels, kind="stable")
    kept = order[:: max(1, -(-len(order) // most))]
    same = labels[kept][:, None] == labels[kept][None, :]
    noise = np.random.default_rng(2).normal(0.0, 0.1, same.shape)
    second = (kept % 5 == 0)[:, None] == (kept % 5 == 0)[None, :]
    codes = (same.astype(np.uint8) + 2 * second.astype(np.uint8)).astype(np.uint8)
    similarity = OrderedMatrix(
        (same + noise).astype(np.float32), kept, labels[kept], len(labels), "pearson"
    )
    return similarity, CoClustering(codes, kept, KEY, OTHER, len(labels))


def projection(n_objects: int) -> PlaneProjection:
    """Return the objects around their centers."""
    rng = np.random.default_rng(0)
    place = CENTERS[truth(n_objects)] + rng.normal(0.0, 0.8, (n_objects, 2))
    return PlaneProjection(place, (0.61, 0.2), "pca")


def object_names(n_objects: int) -> np.ndarray:
    """Return names that differ from the numbers."""
    return np.array([f"gene {i:04d}" for i in range(n_objects)], dtype=object)


def loaded(n_objects: int = 60) -> Results:
    """Return what is known before any run."""
    return Results(
        data=DataSummary("four groups", n_objects, 6),
        names=object_names(n_objects),
        projection=projection(n_objects),
    )


def running(n_objects: int = 60, count: int = 9) -> Results:
    """Return a snapshot in the middle of the annealing."""
    run = RunResult(KEY, live=live_points(count, n_objects))
    return replace(loaded(n_objects), runs=MappingProxyType({KEY: run}), current=KEY, running=KEY)


def finished(n_objects: int = 60) -> Results:
    """Return everything a finished analysis gives, with a second run of another method."""
    run = finished_run(n_objects)
    other = replace(
        run, key=OTHER, bits=1.34, labels=truth(n_objects) % 3, curve=None, best_step=None,
        paths=None, label_path=None, live=(), splits=(),
    )  # fmt: skip
    similarity, coclustering = matrices(run.labels)
    return replace(
        loaded(n_objects),
        runs=MappingProxyType({KEY: run, OTHER: other}),
        current=KEY,
        order=order_frame(),
        ranking=ranking_frame(),
        profiles=profile_frame(run.labels),
        labels=label_frame(run, object_names(n_objects)),
        similarity=similarity,
        coclustering=coclustering,
        compared=OTHER,
    )
