"""Types of the compiled core; users call the functions that wrap it."""

from collections.abc import Callable
from typing import Any, TypedDict, final

import numpy as np
from numpy.typing import NDArray

Report = Callable[[int, int, float, float], object]
Watcher = tuple[Callable[..., object], bool]

__version__: str
HARD: float

class Columns(TypedDict):
    betas: NDArray[np.float64]
    free_energies: NDArray[np.float64]
    costs: NDArray[np.float64]
    n_clusters: NDArray[np.int64]
    softness: NDArray[np.float64]
    masses: NDArray[np.float64]
    groups: NDArray[np.int64]
    centroids: NDArray[np.float64]
    covariances: NDArray[np.float64]
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]

class PairColumns(TypedDict):
    betas: NDArray[np.float64]
    agreement: NDArray[np.float64]
    entropy: NDArray[np.float64]
    transfer_cost: NDArray[np.float64]
    slots: NDArray[np.int64]
    first: Columns
    second: Columns

class GraphPairColumns(PairColumns):
    labels: tuple[NDArray[np.uintp], NDArray[np.uintp]]
    restart_costs: tuple[NDArray[np.float64], NDArray[np.float64]]
    plans: GraphPlans

class Cancelled(Exception): ...

@final
class Switches:
    def __new__(cls) -> Switches: ...
    def cancel(self) -> None: ...
    def set_paused(self, paused: bool) -> None: ...
    @property
    def cancelled(self) -> bool: ...
    @property
    def paused(self) -> bool: ...

@final
class AnnealParams:
    def __new__(cls, **settings: object) -> AnnealParams: ...
    @property
    def stops_when_hard(self) -> bool: ...

@final
class Annealer:
    def __new__(
        cls,
        x: NDArray[np.float64],
        params: AnnealParams,
        seed: int,
        restart: int = 0,
        threads: int = 1,
    ) -> Annealer: ...
    def step(
        self, beta: float, switches: Switches | None = None, report: Report | None = None
    ) -> Columns: ...

def largest_variance(
    x: NDArray[np.float64],
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> float: ...
def beta_grid(params: AnnealParams, highest: float, lowest: float) -> NDArray[np.float64]: ...
def anneal(
    x: NDArray[np.float64],
    params: AnnealParams,
    betas: NDArray[np.float64],
    seed: int,
    n_init: int = 1,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[Columns, int, list[float]]: ...
def probabilities(
    x: NDArray[np.float64],
    params: AnnealParams,
    centroids: NDArray[np.float64],
    covariances: NDArray[np.float64],
    beta: float,
    weights: NDArray[np.float64] | None = None,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]: ...
def potentials(
    x: NDArray[np.float64],
    params: AnnealParams,
    centroids: NDArray[np.float64],
    covariances: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def anneal_pair(
    x1: NDArray[np.float64],
    x2: NDArray[np.float64],
    params: AnnealParams,
    coupling: str,
    same_space: bool,
    betas: NDArray[np.float64],
    seed: int,
    n_init: int = 1,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
    live: Watcher | None = None,
) -> PairColumns: ...
def exercise_boundary(
    seconds: float,
    panic: bool = False,
    switches: Switches | None = None,
    report: Report | None = None,
) -> int: ...
def measure_agreement(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    aligned: bool = False,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[float, NDArray[np.float64], NDArray[np.uintp]]: ...
def entropy(masses: NDArray[np.float64]) -> float: ...
def hamming_capacity(
    first: NDArray[np.uintp], second: NDArray[np.uintp], n_clusters: int | None = None
) -> tuple[float, float, float]: ...
def log_weights(
    kind: str, costs: NDArray[np.float64], beta: float, gamma: float
) -> NDArray[np.float64]: ...
def weights_information(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    log_group_size: float,
    n_objects: int,
) -> float: ...
def respects_order(costs: NDArray[np.float64], log_weights: NDArray[np.float64]) -> bool: ...
def mean_information(
    kind: str,
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    parameters: NDArray[np.float64],
    log_group_size: float,
    n_objects: int,
    n_jobs: int,
    switches: Switches | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]: ...
def transmit_messages(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    transformations: str,
    n_codewords: int,
    n_trials: int,
    seed: int,
    n_jobs: int,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]: ...

@final
class Annealed:
    @property
    def labels(self) -> NDArray[np.uint32]: ...
    @property
    def centroids(self) -> NDArray[np.float64]: ...
    @property
    def temperatures(self) -> NDArray[np.float64]: ...
    @property
    def costs(self) -> NDArray[np.float64]: ...
    @property
    def run_costs(self) -> NDArray[np.float64]: ...
    @property
    def cost(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    @property
    def run(self) -> int: ...

def sample_assignments(
    x: NDArray[np.float64],
    *,
    n_clusters: int,
    beta: float,
    kernel: str,
    n_chains: int,
    n_draws: int,
    burn_in: int,
    thin: int,
    seed: int,
    n_jobs: int,
    start: NDArray[np.uint32] | None = None,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def simulated_annealing(
    x: NDArray[np.float64],
    *,
    n_clusters: int,
    n_sweeps: int,
    kernel: str,
    n_init: int,
    seed: int,
    n_jobs: int,
    switches: Switches | None = None,
    report: Report | None = None,
) -> Annealed: ...

@final
class Similarity:
    @staticmethod
    def dense(s: NDArray[np.float64]) -> Similarity: ...
    @staticmethod
    def low_rank(x: NDArray[np.float64], measure: str, offset: float = 0.0) -> Similarity: ...
    @staticmethod
    def sparse(
        starts: NDArray[np.uintp], columns: NDArray[np.uint32], values: NDArray[np.float64]
    ) -> Similarity: ...
    @staticmethod
    def tree(n: int, ends: NDArray[np.uint32], weights: NDArray[np.float64]) -> Similarity: ...
    @staticmethod
    def rows(x: NDArray[np.float64], offset: float) -> Similarity: ...
    @staticmethod
    def from_parts(representation: str, parts: tuple[Any, ...]) -> Similarity: ...
    def parts(self) -> tuple[Any, ...]: ...
    def take(self, index: NDArray[np.uintp]) -> Similarity: ...
    @property
    def representation(self) -> str: ...
    def diagonal(self) -> NDArray[np.float64]: ...
    def matmul(
        self,
        q: NDArray[np.float64],
        threads: int = 1,
        switches: Switches | None = None,
        report: Report | None = None,
    ) -> NDArray[np.float64]: ...
    def smallest(self, diagonal: bool, threads: int = 1) -> float | None: ...
    def toarray(
        self, threads: int = 1, switches: Switches | None = None, report: Report | None = None
    ) -> NDArray[np.float64]: ...

def euclidean_distances(
    x: NDArray[np.float64],
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]: ...
def largest_squared_distance(
    x: NDArray[np.float64],
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[float, bool]: ...
def spanning_tree(
    x: NDArray[np.float64],
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def spanning_tree_of_matrix(
    d: NDArray[np.float64], switches: Switches | None = None, report: Report | None = None
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def spanning_forest_of_graph(
    n: int,
    ends: NDArray[np.uint32],
    weights: NDArray[np.float64],
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def minimax_distances(
    n: int,
    ends: NDArray[np.uint32],
    weights: NDArray[np.float64],
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> NDArray[np.float64]: ...

@final
class GraphCost:
    def __new__(cls, name: str, p: float = 2.0, shift: float = 0.0) -> GraphCost: ...

@final
class GraphPlans: ...

@final
class GraphAnnealer:
    def __new__(
        cls,
        similarity: Similarity,
        cost: GraphCost,
        params: AnnealParams,
        betas: list[float],
        critical: float,
        seed: int,
        n_init: int = 1,
        threads: int = 1,
        switches: Switches | None = None,
        report: Report | None = None,
    ) -> GraphAnnealer: ...
    def step(
        self, switches: Switches | None = None, report: Report | None = None
    ) -> Columns | None: ...

def graph_critical(
    similarity: Similarity,
    cost: GraphCost,
    n_clusters: int,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> float: ...
def graph_grid(params: AnnealParams, critical: float) -> list[float]: ...
def graph_cost(
    similarity: Similarity,
    cost: GraphCost,
    labels: NDArray[np.uintp],
    n_clusters: int,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> float: ...
def graph_fit(
    similarity: Similarity,
    cost: GraphCost,
    params: AnnealParams,
    betas: list[float],
    critical: float,
    seed: int,
    n_init: int = 1,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[Columns, NDArray[np.float64], list[int], float, list[float]]: ...
def graph_search(
    similarity: Similarity,
    cost: GraphCost,
    n_clusters: int,
    seed: int,
    n_init: int = 1,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[NDArray[np.uintp], float, int, list[float]]: ...
def graph_pair(
    first: Similarity,
    second: Similarity,
    costs: tuple[GraphCost, GraphCost],
    params: AnnealParams,
    betas: list[float],
    critical: float,
    seed: int,
    n_init: int = 1,
    warm: tuple[NDArray[np.uintp], NDArray[np.uintp]] | None = None,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
    live: Watcher | None = None,
) -> GraphPairColumns: ...
def graph_pair_again(
    first: Similarity,
    second: Similarity,
    costs: tuple[GraphCost, GraphCost],
    params: AnnealParams,
    betas: list[float],
    critical: float,
    seed: int,
    plans: GraphPlans,
    live: Watcher,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> None: ...
def graph_pair_probabilities(
    first: Similarity,
    second: Similarity,
    costs: tuple[GraphCost, GraphCost],
    params: AnnealParams,
    betas: list[float],
    critical: float,
    seed: int,
    plans: GraphPlans,
    steps: list[int],
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class Peeling(TypedDict):
    labels: NDArray[np.uintp]
    in_core: NDArray[np.bool_]
    shares: NDArray[np.float64]
    payoffs: NDArray[np.float64]
    cohesion: NDArray[np.float64]
    steps: NDArray[np.uintp]
    converged: NDArray[np.bool_]
    path: NDArray[np.int64]

def peel_dominant_sets(
    similarity: Similarity,
    n_clusters: int | None,
    ends: list[tuple[int, float]],
    infection: bool = False,
    rows_at_hand: bool = False,
    shift: float = 0.0,
    shift_diagonal: bool = False,
    record: bool = False,
    threads: int = 1,
    switches: Switches | None = None,
    report: Report | None = None,
) -> list[Peeling]: ...
