"""Types of the compiled core; users call the functions that wrap it."""

from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import NDArray

Report = Callable[[int, int, float, float], object]

__version__: str

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
