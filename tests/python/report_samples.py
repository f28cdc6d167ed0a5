"""Made-up but realistic results for tests of reports: no annealing is run here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gencap import study as studies
from gencap._progress import Progress
from gencap.report import Study, chosen
from gencap.results import Capacity, Curve, NullResult, Order, Split, Trajectory


def make_trajectory(n_clusters=4, n_steps=60, n_columns=2, seed=0, converged=True):
    """Centers that start together and leave their parent one after the other."""
    rng = np.random.default_rng(seed)
    betas = np.geomspace(0.05, 5.0, n_steps)
    final = 4.0 * rng.standard_normal((n_clusters, n_columns))
    splits = tuple(
        Split(parent=(k - 1) // 2, child=k, beta=float(0.08 * 1.7**k)) for k in range(1, n_clusters)
    )
    centroids = np.zeros((n_steps, n_clusters, n_columns))
    groups = np.zeros((n_steps, n_clusters), dtype=np.int64)
    for t, beta in enumerate(betas):
        for k in range(1, n_clusters):
            born = splits[k - 1].beta
            move = np.sqrt(max(0.0, 1.0 - born / beta))
            parent = splits[k - 1].parent
            centroids[t, k] = centroids[t, parent] + move * (final[k] - centroids[t, parent])
            groups[t, k] = k if beta > born else groups[t, parent]
    masses = np.full((n_steps, n_clusters), 1.0 / n_clusters)
    return Trajectory(
        betas=betas,
        free_energies=-np.linspace(1.0, 2.0, n_steps),
        costs=np.linspace(2.0, 1.0, n_steps),
        n_clusters=np.array([len(set(g)) for g in groups], dtype=np.int64),
        softness=np.linspace(0.5, 0.0, n_steps),
        masses=masses,
        groups=groups,
        centroids=centroids,
        n_iter=np.full(n_steps, 7, dtype=np.int64),
        converged=np.full(n_steps, converged),
        splits=splits,
    )


def make_curve(bits=1.5, n_clusters=4, n_steps=60, optimum=1.0, floor=-70.0):
    """J rises from 0 to `bits` at `optimum` and then falls to `floor`."""
    beta = np.geomspace(0.05, 5.0, n_steps)
    rise = bits * np.clip(np.log(beta / 0.05) / np.log(optimum / 0.05), 0.0, 1.0) ** 0.7
    excess = np.clip(np.log(beta / optimum) / np.log(5.0 / optimum), 0.0, None)
    values = rise + (floor - bits) * excess**3
    entropy = np.full(n_steps, np.log2(n_clusters))
    counts = np.clip(np.round(1 + (n_clusters - 1) * rise / max(bits, 1e-9)), 1, n_clusters)
    return Curve(
        beta=beta, bits=values, entropy=entropy, agreement=values - entropy, n_clusters=counts
    )


def make_capacity(n_clusters=4, bits=1.5, n_objects=300, n_pairs=5, seed=0, **changes):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_clusters, n_objects)
    logits = rng.standard_normal((n_objects, n_clusters)) + 4.0 * np.eye(n_clusters)[labels]
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    trajectory = make_trajectory(n_clusters, seed=seed)
    values = dict(
        bits=max(bits, 0.0),
        raw_bits=bits,
        beta=1.0,
        n_clusters=float(n_clusters),
        curve=make_curve(bits, n_clusters),
        labels=probabilities.argmax(axis=1),
        probabilities=probabilities,
        second_probabilities=probabilities,
        groups=np.arange(n_clusters),
        splits=trajectory.splits,
        bits_per_pair=bits + 0.04 * rng.standard_normal(n_pairs),
        trajectories=(trajectory, trajectory),
        seed=seed,
    )
    values.update(changes)
    return Capacity(**values)


def make_nulls(independent=0.01, gaussian=0.35, p_independent=0.01, p_gaussian=0.01, draws=99):
    rng = np.random.default_rng(1)
    return {
        "independent": NullResult(
            "independent", independent + 0.01 * rng.standard_normal(draws), p_independent
        ),
        "gaussian": NullResult(
            "gaussian", gaussian + 0.06 * rng.standard_normal(draws), p_gaussian
        ),
    }


def make_order(best=4, n_max=8, n_objects=300, null=None, heights=None, **changes):
    if heights is None:
        heights = {
            k: 0.0 if k == 1 else 1.5 * min(1.0, (k - 1) / 3) ** 0.6 for k in range(1, n_max + 1)
        }
    capacities = {
        k: make_capacity(k, bits, n_objects, seed=k, **changes) for k, bits in heights.items()
    }
    nulls = make_nulls() if null is None else null
    marked = {k: replace(c, null=nulls) for k, c in capacities.items()}
    return Order(marked, best, nulls)


def make_data(labels, n_columns=2, seed=0):
    """Objects around one center per label, so that the scatter looks like data."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.asarray(labels) / (max(labels) + 1)
    data = rng.standard_normal((len(labels), n_columns))
    data[:, 0] += 5 * np.cos(angle)
    if n_columns > 1:
        data[:, 1] += 5 * np.sin(angle)
    return data


def make_study(title="Synthetic", best=4, n_objects=300, n_columns=2, order=None, **changes):
    order = make_order(best, n_objects=n_objects) if order is None else order
    capacity = chosen(order)
    values = dict(
        title=title,
        description="Made for a test.",
        order=order,
        best=capacity,
        data=make_data(capacity.labels, n_columns),
        settings={"model": "CentroidClustering", "splits": 5, "scale": "standard"},
        seconds=12.3,
    )
    values.update(changes)
    return Study(**values)


def fake_select(plan, measurements, progress):
    """Stand for the search: right shapes, made-up bits."""
    pairs = studies._pairs_of(measurements)
    if progress is not None:
        progress(Progress(1, 2, "annealing"))
        progress(Progress(2, 2, "annealing"))
    n_objects = pairs[0].n_objects
    capacities = {
        k: make_capacity(
            k, 1.0 if k > 1 else 0.0, n_objects, n_pairs=len(pairs), optimistic=pairs[0].optimistic
        )
        for k in plan.clusters
    }
    null = (
        make_nulls(draws=plan.null_draws, p_gaussian=1 / (1 + plan.null_draws))
        if plan.null_draws
        else {}
    )
    return Order(capacities, min(2, max(plan.clusters)), null)
