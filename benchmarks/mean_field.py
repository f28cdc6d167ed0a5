"""Time sequential mean-field annealing of graphs: gencap against the same sweeps in plain numpy.

Both anneal one similarity from the uniform state over the same grid of temperatures, with the same
noise, tolerance and largest number of sweeps. The numpy side visits one object at a time, as it has
to: all at once would oscillate. Its potentials are vectorized over objects' neighbors and clusters.
Costs of both are printed. `fit` runs the winning start twice, to choose it and to record it, and
both runs are in its time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import gencap
from gencap.models import GraphClusterer

TOL, MAX_SWEEPS, NOISE = 1e-3, 60, 1e-2


def correlation(own, a, d, g, inside, n, v):
    """h_ik = -g_ik."""
    return -g


def pairwise(own, a, d, g, inside, n, v):
    """Change of -1/2 sum_k A_k / n_k when object i joins cluster k."""
    rest, size = inside - 2 * own * g - own**2 * a, n - own
    return -0.5 * ((rest + a + 2 * g) / (size + 1) - rest / np.maximum(size, 1e-12))


def normalized_cut(own, a, d, g, inside, n, v):
    """Change of -sum_k A_k / V_k when object i joins cluster k."""
    rest, volume = inside - 2 * own * g - own**2 * a, v - own * d
    return -((rest + a + 2 * g) / (volume + d) - rest / np.maximum(volume, 1e-12))


def settle(
    s: np.ndarray, q: np.ndarray, beta: float, potentials: Callable, rng: np.random.Generator
) -> int:
    """Sweeps at one temperature, in place."""
    q *= 1 + NOISE * (rng.random(q.shape) - 0.5)
    q /= q.sum(axis=1, keepdims=True)
    diagonal, degrees = np.diag(s), s.sum(axis=1)
    inside, n, v = np.einsum("ik,ik->k", q, s @ q), q.sum(axis=0), degrees @ q
    for sweep in range(MAX_SWEEPS):
        largest = 0.0
        for i in rng.permutation(len(s)):
            own, a, d = q[i].copy(), diagonal[i], degrees[i]
            g = s[i] @ q - a * own
            h = potentials(own, a, d, g, inside, n, v)
            row = np.exp(-beta * (h - h.min()))
            row /= row.sum()
            change = row - own
            inside += 2 * change * g + a * (row**2 - own**2)
            n += change
            v += change * d
            q[i] = row
            largest = max(largest, np.abs(change).max())
        if largest < TOL:
            return sweep + 1
    return MAX_SWEEPS


def anneal(
    s: np.ndarray, k: int, betas: np.ndarray, potentials: Callable
) -> tuple[np.ndarray, int]:
    """Labels and sweeps of one run."""
    rng, q, sweeps = np.random.default_rng(0), np.full((len(s), k), 1.0 / k), 0
    for beta in betas:
        sweeps += settle(s, q, beta, potentials, rng)
        if (1 - q.max(axis=1)).mean() < 1e-3:
            break
    return q.argmax(axis=1), sweeps


def compare(words: str, model: GraphClusterer, s: np.ndarray, potentials: Callable) -> None:
    """Print one line."""
    start = time.perf_counter()
    model.fit(s)
    middle = time.perf_counter()
    critical = model.trajectory_.betas[0]
    ratio = model.trajectory_.betas[1] / critical
    labels, sweeps = anneal(s, model.n_clusters, critical * ratio ** np.arange(78), potentials)
    ours, theirs = middle - start, time.perf_counter() - middle
    per_sweep = ours / (2 * model.n_iter_) / (theirs / sweeps)
    print(
        f"{words:<16}{len(s):>6}{model.n_clusters:>4}{ours:>9.2f}{theirs:>9.2f}"
        f"{ours / theirs:>8.3f}{per_sweep:>11.3f}{model.n_iter_:>8}{sweeps:>8}"
        f"{model.cost_:>16.6g}{model.cost(labels, s):>16.6g}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="+", default=[500, 1000])
    options = parser.parse_args()
    print(
        f"{'model':<16}{'N':>6}{'K':>4}{'ours s':>9}{'numpy s':>9}{'ratio':>8}{'per sweep':>11}"
        f"{'sweeps':>8}{'numpy':>8}{'cost':>16}{'numpy':>16}"
    )
    given = {"measure": "precomputed", "n_init": 1, "random_state": 0, "n_jobs": 1}
    for n in options.objects:
        graph = gencap.datasets.correlation_graph(n, 5, noise=0.74, random_state=0)
        cut = gencap.CorrelationClustering(5, shift=0.0, **given)
        compare("correlation", cut, graph.first, correlation)
        x = gencap.datasets.gaussians(n, variance=5.0, random_state=0).first
        s = ((x[:, None] - x[None]) ** 2).sum(axis=2)
        s = s.max() - s
        compare("pairwise", gencap.PairwiseClustering(4, **given), s, pairwise)
        compare("normalized cut", gencap.NormalizedCut(4, shift=0.0, **given), s, normalized_cut)


if __name__ == "__main__":
    main()
