"""How long a comparison will last, from the times of tasks that have been measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gencap._validation import check_integer, check_n_jobs

__all__ = ["Forecast", "Timing", "cost_of", "forecast_runs", "spoken", "typical"]


@dataclass(frozen=True)
class Timing:
    """Measured CPU seconds of one kind of task.

    Parameters
    ----------
    kind : tuple of str
        Model, measure and power, as words.
    role : str
        "data", "null" or "final".
    seconds : float
        CPU seconds of all tasks of this kind and role.
    units : float
        Their cost in units of `cost_of`.
    tasks : int
        How many they were.
    """

    kind: tuple[str, str, str]
    role: str
    seconds: float
    units: float
    tasks: int


@dataclass(frozen=True)
class Forecast:
    """How long a run is expected to last.

    Parameters
    ----------
    seconds : float
        Expected wall-clock seconds from now.
    n_tasks : int
        Tasks that are left.
    text : str
        The same for a person.
    """

    seconds: float
    n_tasks: int
    text: str


def cost_of(n_clusters: Sequence[int]) -> float:
    """Cost of a family of runs in arbitrary units: a sweep updates K potentials per object.

    Examples
    --------
    >>> cost_of([2, 3, 4])
    9.0
    """
    return float(sum(n_clusters))


def typical(timings: Iterable[Timing]) -> dict[tuple[str, str, str], float]:
    """Seconds per unit of cost of every kind."""
    seconds: dict[tuple[str, str, str], float] = {}
    units: dict[tuple[str, str, str], float] = {}
    for timing in timings:
        seconds[timing.kind] = seconds.get(timing.kind, 0.0) + timing.seconds
        units[timing.kind] = units.get(timing.kind, 0.0) + timing.units
    return {kind: seconds[kind] / units[kind] for kind in seconds if units[kind] > 0}


def forecast_runs(
    timings: Sequence[Timing],
    settings: Mapping[str, Any],
    n_clusters: Iterable[int] | None,
    n_splits: int | None,
    n_jobs: int | None,
) -> Forecast:
    """Scale measured times: tasks on data by splits and K, nulls by K only."""
    old = [int(k) for k in settings["n_clusters"]]
    new = (
        old if n_clusters is None else sorted({check_integer(k, "n_clusters") for k in n_clusters})
    )
    splits = int(settings["n_splits"])
    wanted = splits if n_splits is None else check_integer(n_splits, "n_splits")
    wider, more = cost_of(new) / cost_of(old), wanted / splits
    seconds, tasks = 0.0, 0
    for timing in timings:
        factor = more if timing.role == "data" else 1.0
        # A null of one K costs what that K costs, however many others there are.
        seconds += timing.seconds * factor * (1.0 if timing.role == "null" else wider)
        tasks += round(timing.tasks * factor)
    wall = seconds / check_n_jobs(n_jobs)
    cores = check_n_jobs(n_jobs)
    text = (
        f"{spoken(wall)} on {cores} core{'' if cores == 1 else 's'} for K = {min(new)} to "
        f"{max(new)} ({len(new)} values) and {wanted} splits, from {len(timings)} measured kinds "
        "of tasks"
    )
    return Forecast(wall, tasks, text)


def spoken(seconds: float) -> str:
    """Return a duration for a person.

    Examples
    --------
    >>> spoken(42.4), spoken(200), spoken(9000)
    ('about 42 s', 'about 3.3 min', 'about 2.5 h')
    """
    if seconds < 90:
        return f"about {seconds:.0f} s" if seconds >= 1 else "less than a second"
    if seconds < 5400:
        return f"about {seconds / 60:.1f} min"
    return f"about {seconds / 3600:.1f} h"
