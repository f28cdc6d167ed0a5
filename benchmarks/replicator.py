"""Time dominant sets: gencap against plain numpy, infection against replicator dynamics.

The numpy side is written as one would: zero the diagonal, keep the matrix of the objects that are
left, multiply, divide. Both take the same steps and give the same labels, which is checked. The
scan is the grid of steps and cut-offs of `gencap.best_termination`, for which numpy peels once per
cell. The last part lets both dynamics settle, cluster by cluster. A ratio below 1 means that the
first named is faster.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gencap
from gencap.termination import CUTOFFS, STEPS


def peel(x: np.ndarray, k: int, max_steps: int, cutoff: float) -> np.ndarray:
    """Labels of plain numpy peeling."""
    x = x.copy()
    np.fill_diagonal(x, 0.0)
    labels, cores, left = np.full(len(x), -1), np.zeros((len(x), k)), np.arange(len(x))
    for cluster in range(k):
        if len(left) == 0:
            break
        part, v = x[np.ix_(left, left)], np.full(len(left), 1.0 / len(left))
        for _ in range(max_steps):
            cohesion = v @ part @ v
            if cohesion <= 0:
                break
            moved = v * (part @ v) / cohesion
            change, v = np.abs(moved - v).sum(), moved
            if change < 1e-10:
                break
        if v @ part @ v <= 0:
            break
        core = v >= cutoff
        if not core.any():
            core[v.argmax()] = True
        labels[left[core]], cores[left[core], cluster] = cluster, v[core]
        left = left[~core]
    labels[labels < 0] = (x @ cores).argmax(axis=1)[labels < 0]
    return labels


def gaussians(n: int, rng: np.random.Generator) -> np.ndarray:
    """Three Gaussians of 60, 20 and 20 %, six standard deviations apart."""
    centers = np.array([[0.0, 0.0], [6.0, 0.0], [3.0, 5.2]])
    kinds = np.repeat(np.arange(3), [n - 2 * (n // 5), n // 5, n // 5])
    points: np.ndarray = centers[kinds] + rng.normal(size=(n, 2))
    return points


def rbf(x: np.ndarray) -> np.ndarray:
    """Similarities of width two standard deviations."""
    squares = (x**2).sum(axis=1)
    kernel: np.ndarray = np.exp(-(squares[:, None] + squares - 2 * x @ x.T) / 8.0)
    return (kernel + kernel.T) / 2


def best_of(job: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Seconds of the fastest run, and its result."""
    times, found = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        found = job()
        times.append(time.perf_counter() - start)
    return min(times), found


def line(what: str, own: float, other: float, note: str = "") -> None:
    print(f"{what:<38}{own:>9.4f}{other:>9.4f}{own / other:>8.3f}  {note}", flush=True)


def replicator(n: int, repeats: int, threads: int) -> None:
    """One peeling of a stored matrix, and of correlations that need none."""
    rng = np.random.default_rng(n)
    s = rbf(gaussians(n, rng))
    model = gencap.DominantSets(3, measure="precomputed", shift=0.0, n_jobs=threads)
    own, fitted = best_of(lambda: model.fit(s), repeats)
    other, labels = best_of(lambda: peel(s, 3, 20, 1e-4), repeats)
    same = f"same labels: {(fitted.labels_ == labels).mean():.1%}"
    line(f"dense, N = {n:,}", own, other, same)
    profiles = np.repeat(rng.normal(size=(3, 20)), n // 3 + 1, axis=0)[:n]
    vectors = profiles + rng.normal(size=(n, 20))
    lean = gencap.DominantSets(3, measure="pearson", shift=1.0, cutoff=1e-5, n_jobs=threads)
    own, fitted = best_of(lambda: lean.fit(vectors), repeats)
    other, labels = best_of(lambda: peel(np.corrcoef(vectors) + 1.0, 3, 20, 1e-5), repeats)
    same = f"same labels: {(fitted.labels_ == labels).mean():.1%}"
    line(f"correlations, N = {n:,}", own, other, same)


def scan(n: int, threads: int) -> None:
    """Scan the grid of terminations on a pair."""
    rng = np.random.default_rng(n)
    pair = gencap.Pair(rbf(gaussians(n, rng)), rbf(gaussians(n, rng)))
    model = gencap.DominantSets(3, measure="precomputed", shift=0.0)
    own, found = best_of(lambda: gencap.best_termination(model, pair, n_jobs=threads), 1)

    def plain() -> float:
        return max(
            gencap.hamming_capacity(peel(pair.first, 3, t, e), peel(pair.second, 3, t, e))
            for t in STEPS
            for e in CUTOFFS
        )

    other, bits = best_of(plain, 1)
    line(f"termination scan, N = {n:,}", own, other, f"bits {found.bits:.3f} and {bits:.3f}")


def infection(n: int, threads: int) -> None:
    """Both dynamics until they settle."""
    s = rbf(gaussians(n, np.random.default_rng(n)))
    models = [
        gencap.DominantSets(
            3,
            measure="precomputed",
            shift=0.0,
            max_steps=20_000,
            cutoff=1e-6,
            method=method,
            n_jobs=threads,
        )
        for method in ("infection", "replicator")
    ]
    (own, fast), (other, slow) = (best_of(lambda m=m: m.fit(s), 1) for m in models)
    note = (
        f"moves {fast.n_steps_.tolist()}, steps {slow.n_steps_.tolist()}, "
        f"cohesion {fast.cohesiveness_.round(6).tolist()} and "
        f"{slow.cohesiveness_.round(6).tolist()}"
    )
    line(f"settled, N = {n:,}", own, other, note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, 4000])
    parser.add_argument("--settled", type=int, nargs="+", default=[300, 1000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    print(f"{'replicator against numpy':<38}{'gencap':>9}{'numpy':>9}{'ratio':>8}")
    for n in given.sizes:
        replicator(n, given.repeats, given.threads)
    scan(min(given.sizes[-1], 1000), given.threads)
    print(f"{'infection against replicator':<38}{'infect.':>9}{'replic.':>9}{'ratio':>8}")
    for n in given.settled:
        infection(n, given.threads)


if __name__ == "__main__":
    main()
