"""Time the capacity of a pair: gencap against the same algorithm in plain numpy.

Both anneal two measurements of four overlapping Gaussians in lock step for K = 2..10, ten restarts
each: same grid of temperatures, same tolerance, same number of iterations at most, labels aligned
at every temperature. The numpy side is vectorized over objects and clusters, as one would write it.
The capacities of both are printed, so that speed is not bought with a different answer.
"""

from __future__ import annotations

import argparse
import time

import joblib
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

import gencap


def settle(x: np.ndarray, means: np.ndarray, beta: float, limit: float) -> np.ndarray:
    """Deterministic annealing at one temperature."""
    for _ in range(100):
        p = np.exp(log_probabilities(x, means, beta))
        mass = p.sum(axis=0)
        moved = np.where(mass[:, None] < 1e-12, means, p.T @ x / np.maximum(mass, 1e-12)[:, None])
        done = np.abs(moved - means).max() < limit
        means = moved
        if done:
            break
    return means


def log_probabilities(x: np.ndarray, means: np.ndarray, beta: float) -> np.ndarray:
    """Return ln P_ik for squared distances."""
    h = (x**2).sum(axis=1)[:, None] - 2 * x @ means.T + (means**2).sum(axis=1)
    return -beta * h - logsumexp(-beta * h, axis=1, keepdims=True)


def anneal(x: np.ndarray, k: int, betas: np.ndarray, rng: np.random.Generator) -> float:
    """Return the final cost of one restart."""
    means, noise, limit = np.zeros((k, x.shape[1])), *scales(x)
    for beta in betas:
        means = settle(x, means + noise * rng.normal(size=means.shape), beta, limit)
        p = np.exp(log_probabilities(x, means, beta))
        if (1 - p.max(axis=1)).mean() < 1e-3:
            break
    h = ((x[:, None] - means) ** 2).sum(axis=2)
    return float((p * h).sum())


def scales(x: np.ndarray) -> tuple[float, float]:
    """Size of the perturbation, limit of convergence."""
    return 0.01 * x.std(axis=0).mean(), 1e-4 * np.sqrt(x.var(axis=0).sum())


def numpy_capacity(x1: np.ndarray, x2: np.ndarray, k: int, betas: np.ndarray, n_init: int) -> float:
    """Maximum of J over the grid, best of `n_init` restarts."""
    costs = [anneal(x1, k, betas, np.random.default_rng([k, r])) for r in range(n_init)]
    rng = np.random.default_rng([k, int(np.argmin(costs))])
    means, noise, limit = np.zeros((k, x1.shape[1])), *scales(x1)
    agreement = []
    for beta in betas:
        means = settle(x1, means + noise * rng.normal(size=means.shape), beta, limit)
        other = settle(x2, means + noise * rng.normal(size=means.shape), beta, scales(x2)[1])
        l1, l2 = log_probabilities(x1, means, beta), log_probabilities(x2, other, beta)
        p1, p2 = np.exp(l1), np.exp(l2)
        _, order = linear_sum_assignment(-p1.T @ p2)
        agreement.append(logsumexp(l1 + l2[:, order], axis=1).mean() / np.log(2))
    masses = (p1.mean(axis=0) + p2.mean(axis=0)[order]) / 2
    entropy = -(masses[masses > 0] * np.log2(masses[masses > 0])).sum()
    return float(entropy + max(agreement))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=2000)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--clusters", type=int, nargs=2, default=(2, 10))
    options = parser.parse_args()
    data = gencap.datasets.gaussians(n_objects=options.objects, variance=5.0, random_state=0)
    x1, x2 = (
        x - np.vstack([data.first, data.second]).mean(axis=0) for x in (data.first, data.second)
    )
    largest = max(np.linalg.eigvalsh(np.cov(x.T, bias=True))[-1] for x in (x1, x2))
    betas = np.geomspace(0.9, 50, 60) / (2 * largest)
    print(f"N = {options.objects:,}, pair, {options.restarts} restarts, {joblib.cpu_count()} cores")
    print(
        f"{'K':>3}{'gencap s':>10}{'numpy s':>10}{'ratio':>8}{'gencap bits':>13}{'numpy bits':>12}"
    )
    totals = np.zeros(2)
    for k in range(options.clusters[0], options.clusters[1] + 1):
        model = gencap.CentroidClustering(k, n_init=options.restarts, random_state=0)
        start = time.perf_counter()
        ours = gencap.capacity(model, data.pair)
        middle = time.perf_counter()
        theirs = numpy_capacity(x1, x2, k, betas, options.restarts)
        seconds = np.array([middle - start, time.perf_counter() - middle])
        totals += seconds
        print(
            f"{k:>3}{seconds[0]:>10.2f}{seconds[1]:>10.2f}{seconds[0] / seconds[1]:>8.3f}"
            f"{ours.bits:>13.3f}{theirs:>12.3f}",
            flush=True,
        )
    print(f"all{totals[0]:>10.2f}{totals[1]:>10.2f}{totals[0] / totals[1]:>8.3f}")


if __name__ == "__main__":
    main()
