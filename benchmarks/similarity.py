"""Time spanning trees, minimax distances and products with similarities that are no matrices.

First part: products S Q with low-rank, sparse and tree similarities up to a million objects, every
size in a process of its own. The growth exponent is the slope of log seconds against log N; 1 is
linear. The tree of more than 200,000 objects is the one of a nearest-neighbor graph.
Second part: spanning tree and all-pairs minimax distances, gencap against scipy, and against
fastcluster where it is installed, on the same data; a ratio below 1 means that gencap is faster.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import scipy.sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial import KDTree
from scipy.spatial.distance import pdist, squareform

import gencap
from gencap import _core

FEATURES, CLUSTERS, NEIGHBORS = 16, 10, 8
LARGEST_TREE = 200_000


def best_of(job: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Seconds of the fastest run, and its result."""
    times, found = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        found = job()
        times.append(time.perf_counter() - start)
    return min(times), found


def line(what: str, own: float, peer: str, theirs: float) -> None:
    print(f"{what:<40}{own:>9.3f}{theirs:>9.3f}{own / theirs:>8.3f}  {peer}", flush=True)


def compare_trees(n: int, features: int, repeats: int, threads: int) -> None:
    """Spanning tree from vectors and from a matrix, then all minimax distances."""
    x = np.random.default_rng(0).normal(size=(n, features))
    condensed = pdist(x)
    matrix = squareform(condensed)
    name = f"n = {n:,}, d = {features}"
    own, (_, weights) = best_of(lambda: _core.spanning_tree(x, threads), repeats)
    theirs, tree = best_of(lambda: linkage(x, "single"), repeats)
    np.testing.assert_allclose(np.sort(weights), tree[:, 2], rtol=1e-10)
    line(f"tree of vectors, {name}", own, "scipy linkage", theirs)
    own_matrix, (ends, lengths) = best_of(lambda: _core.spanning_tree_of_matrix(matrix), repeats)
    theirs_matrix, tree = best_of(lambda: linkage(condensed, "single"), repeats)
    line(f"tree of a matrix, {name}", own_matrix, "scipy linkage", theirs_matrix)
    try:
        fastcluster: Any = importlib.import_module("fastcluster")
    except ImportError:
        print("fastcluster is not installed: scipy is the only peer")
    else:
        peer, _ = best_of(lambda: fastcluster.linkage_vector(x, "single"), repeats)
        line(f"tree of vectors, {name}", own, "fastcluster", peer)
        peer, _ = best_of(lambda: fastcluster.linkage(condensed, "single"), repeats)
        line(f"tree of a matrix, {name}", own_matrix, "fastcluster", peer)
    own, found = best_of(lambda: _core.minimax_distances(n, ends, lengths, threads), repeats)
    theirs, expected = best_of(lambda: squareform(cophenet(tree)), repeats)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    line(f"minimax of the tree, {name}", own, "scipy cophenet", theirs)
    total = own + own_matrix
    line(f"minimax in all, {name}", total, "scipy", theirs + theirs_matrix)


def neighbor_graph(x: np.ndarray) -> scipy.sparse.csr_array:
    """Symmetric graph of the distances to the nearest neighbors."""
    distances, columns = KDTree(x[:, :3]).query(x[:, :3], k=NEIGHBORS + 1, workers=-1)
    rows = np.repeat(np.arange(len(x)), NEIGHBORS)
    entries = (distances[:, 1:].ravel(), (rows, columns[:, 1:].ravel()))
    graph = scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(len(x), len(x))))
    return scipy.sparse.csr_array(graph.maximum(graph.T))


def measure(kind: str, n: int) -> dict[str, float]:
    """Seconds to build and to multiply, and peak memory, of one similarity."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, FEATURES))
    source, name = x, "pearson"
    if kind == "sparse":
        graph = neighbor_graph(x)
        graph.data = np.exp(-graph.data)
        source, name = graph, "precomputed"
    elif kind == "tree":
        source, name = (x[:, :2], "path") if n <= LARGEST_TREE else (neighbor_graph(x), "path")
    q = rng.dirichlet(np.ones(CLUSTERS), size=n)
    start = time.perf_counter()
    similarity = gencap.similarity(source, name)
    built = time.perf_counter() - start
    seconds, _ = best_of(lambda: similarity @ q, 3)
    # Linux counts in kilobytes, macOS in bytes.
    unit = 2**30 if sys.platform == "darwin" else 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return {"built": built, "seconds": seconds, "gigabytes": peak}


def grow(kind: str, sizes: list[int]) -> None:
    """Print one row per size, then the growth exponents."""
    rows = []
    for n in sizes:
        command = [sys.executable, __file__, "--one", kind, str(n)]
        found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        rows.append(found)
        times = f"{found['built']:>10.2f}{found['seconds']:>12.3f}"
        print(f"{kind:<10}{n:>10,}{times}{found['gigabytes']:>10.2f}", flush=True)
    if len(sizes) > 1:
        exponent = np.polyfit(np.log(sizes), np.log([row["seconds"] for row in rows]), 1)[0]
        print(f"{kind:<10}growth exponent of the product {exponent:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="+", default=[2_000, 8_000])
    parser.add_argument("--features", type=int, nargs="+", default=[2, 16])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=joblib.cpu_count())
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[62_500, 125_000, 250_000, 500_000, 1_000_000]
    )
    parser.add_argument("--one", nargs=2, help="measure this kind and size only and print JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]))))
        return
    # The growth comes first: the peak memory of a child begins with that of its parent.
    if options.sizes:
        print(f"S @ Q, K = {CLUSTERS}: {FEATURES} features, {NEIGHBORS} neighbors")
        print(f"{'kind':<10}{'objects':>10}{'build s':>10}{'product s':>12}{'peak GB':>10}")
        for kind in ("low_rank", "sparse", "tree"):
            grow(kind, options.sizes)
    print(
        f"{'seconds, ' + str(options.threads) + ' threads':<40}{'gencap':>9}{'peer':>9}{'ratio':>8}"
    )
    for n in options.objects:
        for features in options.features:
            compare_trees(n, features, options.repeats, options.threads)


if __name__ == "__main__":
    main()
