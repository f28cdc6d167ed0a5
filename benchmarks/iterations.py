"""Time one iteration of k-means and of Gaussian mixtures: gencap against scikit-learn.

Both run the same number of iterations from random starts on the same data; the time per iteration
is the slope between a short and a long run, so that set-up costs cancel. gencap's k-means iteration
is the soft one of annealing (every object has a probability for every cluster), scikit-learn's is
the hard one of Lloyd: ours does more work per iteration.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import joblib
import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as PeerMixture

from gencap import _core


def ours(x: np.ndarray, k: int, shape: str, iterations: int, threads: int) -> float:
    """Seconds for `iterations` at one temperature, from a cold start."""
    # A tolerance that is never met: every iteration is spent.
    params = _core.AnnealParams(
        n_clusters=k, shape=shape, max_iter=iterations, tol=1e-300, n_steps=1, noise=0.5
    )
    annealer = _core.Annealer(x, params, 0, 0, threads)
    start = time.perf_counter()
    annealer.step(1.0)
    return time.perf_counter() - start


def lloyd(x: np.ndarray, k: int, iterations: int) -> float:
    """Seconds for Lloyd iterations from random rows."""
    rng = np.random.default_rng(0)
    model = KMeans(
        k,
        init=x[rng.choice(len(x), k, replace=False)],
        n_init=1,
        max_iter=iterations,
        tol=0.0,
        algorithm="lloyd",
    )
    start = time.perf_counter()
    model.fit(x)
    elapsed = time.perf_counter() - start
    return elapsed * iterations / model.n_iter_


def peer_mixture(x: np.ndarray, k: int, shape: str, iterations: int) -> float:
    """Seconds for EM iterations from random rows."""
    model = PeerMixture(
        k,
        covariance_type=shape,
        max_iter=iterations,
        tol=0.0,
        init_params="random_from_data",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.perf_counter()
        model.fit(x)
        return time.perf_counter() - start


def slope(run: Callable[[int], float], short: int, long: int, repeats: int) -> float:
    """Seconds per iteration: best of `repeats` at both lengths."""
    times = [min(run(n) for _ in range(repeats)) for n in (short, long)]
    return (times[1] - times[0]) / (long - short)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=16)
    parser.add_argument("--clusters", type=int, default=32)
    parser.add_argument("--threads", type=int, default=joblib.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=["k-means", "spherical", "diag", "full"])
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    centers = 3.0 * rng.normal(size=(options.clusters, options.features))
    sources = rng.integers(options.clusters, size=options.objects)
    x = centers[sources] + rng.normal(size=(options.objects, options.features))
    k, threads = options.clusters, options.threads
    print(f"n = {len(x):,}, d = {x.shape[1]}, k = {k}, {threads} threads, ms per iteration")
    print(f"{'model':<22}{'gencap':>10}{'sklearn':>10}{'ratio':>8}")
    for name in options.models:
        shape = "distance" if name == "k-means" else name
        # A full covariance costs the peer seconds per iteration: fewer of them are enough.
        lengths = (1, 4) if name == "full" else (2, 12)

        def peer(n: int, name: str = name) -> float:
            return lloyd(x, k, n) if name == "k-means" else peer_mixture(x, k, name, n)

        def mine(n: int, shape: str = shape) -> float:
            return ours(x, k, shape, n, threads)

        own = slope(mine, *lengths, options.repeats)
        theirs = slope(peer, *lengths, options.repeats)
        print(f"{name:<22}{1e3 * own:>10.2f}{1e3 * theirs:>10.2f}{own / theirs:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
