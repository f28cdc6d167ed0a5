"""Correlation clustering: gencap against Leiden (igraph and leidenalg, CPM), times and energies.

Energies are -sum over pairs within clusters of (S_ij - resolution), for all of them: the constant
Potts model is correlation clustering with a shift. Two planted complete graphs with edges of +1 and
-1, and a sparse graph of nearest neighbors. The rivals are GPL and no dependency of gencap: they
run in an environment of their own, by default one that the script makes in the directory for
temporary files; they are handed arrays and hand back labels. Building graphs is not timed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

import gencap

# Annealing visits every cluster of every object at every temperature: minutes beyond this size.
LARGEST_ANNEALED = 4_000

# Runs in the rivals' environment: edges and resolution in, seconds and labels out.
RIVAL = """
import json, random, sys, time
import igraph, leidenalg, numpy as np
given, out = np.load(sys.argv[1]), sys.argv[2]
gamma, n = float(given["resolution"]), int(given["n"])
graph = igraph.Graph(n=n, edges=given["edges"])
weights = given["weights"]
found, seconds = {}, {}
def timed(name, run):
    random.seed(0)
    start = time.perf_counter()
    parts = run()
    seconds[name] = time.perf_counter() - start
    found[name] = np.array(parts.membership)
for label, rounds in (("2 rounds", 2), ("until stable", -1)):
    timed(f"igraph, {label}", lambda: graph.community_leiden(
        objective_function="CPM", weights=weights, resolution=gamma, n_iterations=rounds))
timed("leidenalg, 2 rounds", lambda: leidenalg.find_partition(
    graph, leidenalg.CPMVertexPartition, weights=weights, resolution_parameter=gamma,
    n_iterations=2, seed=1))
np.savez(out, **found)
print(json.dumps(seconds))
"""


@dataclass(frozen=True)
class Problem:
    """Weights S_ij >= 0 (the rivals take no others) and a resolution."""

    words: str
    weights: np.ndarray | sparse.csr_array
    resolution: float
    n_clusters: int

    def energy(self, labels: np.ndarray) -> float:
        """Evaluate -sum over pairs within clusters of (S_ij - resolution)."""
        edges = sparse.triu(sparse.coo_array(self.weights), k=1)
        inside = labels[edges.row] == labels[edges.col]
        sizes = np.bincount(labels).astype(float)
        pairs = (sizes * (sizes - 1.0)).sum() / 2.0
        return float(self.resolution * pairs - edges.data[inside].sum())


def complete(n_objects: int, noise: float) -> Problem:
    """Five planted clusters; +1 becomes 2, -1 becomes 0, and the resolution 1 takes that back."""
    graph = gencap.datasets.correlation_graph(n_objects, 5, noise=noise, random_state=0)
    weights = graph.first + 1.0
    np.fill_diagonal(weights, 0.0)
    return Problem(f"complete, N = {n_objects:,}, noise {noise:g}", weights, 1.0, 10)


def neighbors(n_objects: int, k: int, resolution: float) -> Problem:
    """Mutual and one-sided neighbors of points in 40 overlapping clouds."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(0.0, 10.0, (40, 3))
    x = centers[rng.integers(40, size=n_objects)] + rng.normal(size=(n_objects, 3))
    _, near = cKDTree(x).query(x, k + 1, workers=-1)
    rows = np.repeat(np.arange(n_objects), k)
    one_way = sparse.coo_array(
        (np.ones(n_objects * k), (rows, near[:, 1:].ravel())), shape=(n_objects, n_objects)
    ).tocsr()
    weights = one_way.maximum(one_way.T).tocsr()
    words = f"{k} neighbors, N = {n_objects:,}, resolution {resolution:g}"
    return Problem(words, weights, resolution, 50)


def models(problem: Problem, n_jobs: int) -> dict[str, gencap.CorrelationClustering]:
    """Search with one and with six starts, and, for graphs that are not too large, mean field."""
    given = {
        "n_clusters": problem.n_clusters,
        "shift": -problem.resolution,
        "measure": "precomputed",
        "random_state": 0,
        "n_jobs": n_jobs,
    }
    found = {
        f"gencap, search, {starts}": gencap.CorrelationClustering(
            solver="search", n_init=n_init, **given
        )
        for n_init, starts in ((1, "1 start"), (6, "6 starts"))
    }
    if problem.weights.shape[0] <= LARGEST_ANNEALED:
        found["gencap, mean field"] = gencap.CorrelationClustering(n_init=1, **given)
    return found


def rivals_python(given: str | None) -> str:
    """Return the interpreter that has the rivals; make an environment where none is named."""
    if given is not None:
        return given
    home = Path(tempfile.gettempdir()) / "gencap-rivals"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(home, with_pip=True)
        packages = ["numpy", "igraph", "leidenalg"]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return str(python)


def run_rivals(problem: Problem, python: str) -> dict[str, tuple[float, np.ndarray]]:
    """Seconds and labels of every rival."""
    edges = sparse.triu(sparse.coo_array(problem.weights), k=1)
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder, "graph.npz"), Path(folder, "labels.npz")
        np.savez(
            given,
            edges=np.column_stack([edges.row, edges.col]),
            weights=edges.data,
            resolution=problem.resolution,
            n=problem.weights.shape[0],
        )
        told = subprocess.run(
            [python, "-c", RIVAL, given, out], check=True, capture_output=True, text=True
        )
        with np.load(out) as labels:
            seconds = json.loads(told.stdout.splitlines()[-1])
            return {name: (seconds[name], labels[name]) for name in labels.files}


def compare(problem: Problem, python: str, n_jobs: int, wanted: str) -> None:
    """Print one line per solver; ratios are to igraph's default."""
    print(f"\n{problem.words}")
    print(f"{'solver':<32}{'seconds':>10}{'ratio':>9}{'clusters':>10}{'energy':>16}{'above':>10}")
    found = run_rivals(problem, python)
    base, reference = found["igraph, 2 rounds"]
    lowest = problem.energy(reference)

    def show(name: str, seconds: float, labels: np.ndarray) -> None:
        energy = problem.energy(labels)
        print(
            f"{name:<32}{seconds:>10.2f}{seconds / base:>9.2f}{len(np.unique(labels)):>10}"
            f"{energy:>16,.1f}{(energy - lowest) / abs(lowest):>10.3%}",
            flush=True,
        )

    for name, (seconds, labels) in found.items():
        show(name, seconds, labels)
    graph = gencap.similarity(problem.weights, "precomputed")
    for name, model in models(problem, n_jobs).items():
        if wanted in name:
            start = time.perf_counter()
            labels = model.fit(graph).labels_
            show(name, time.perf_counter() - start, labels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivals", help="interpreter with igraph and leidenalg")
    parser.add_argument("--complete", type=int, nargs="*", default=[1000, 4000])
    parser.add_argument("--noise", type=float, default=0.75)
    parser.add_argument("--sparse", type=int, nargs="*", default=[100_000])
    parser.add_argument("--resolution", type=float, default=2e-4)
    parser.add_argument("--jobs", type=int, default=1, help="threads for gencap; Leiden has one")
    parser.add_argument("--only", default="", help="run gencap's solvers whose name contains this")
    options = parser.parse_args()
    python = rivals_python(options.rivals)
    for n_objects in options.complete:
        compare(complete(n_objects, options.noise), python, options.jobs, options.only)
    for n_objects in options.sparse:
        problem = neighbors(n_objects, 15, options.resolution)
        compare(problem, python, options.jobs, options.only)


if __name__ == "__main__":
    main()
