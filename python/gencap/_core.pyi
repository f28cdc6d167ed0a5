"""Types of the compiled core; users call the functions that wrap it."""

from collections.abc import Callable
from typing import final

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
