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
