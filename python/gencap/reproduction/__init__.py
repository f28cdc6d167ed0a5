"""Published experiments, run again: setting, run, verdict."""

from __future__ import annotations

import time
from typing import Any

from gencap._progress import ProgressCallback, as_control
from gencap._validation import check_choice, check_n_jobs, check_seed
from gencap.reproduction import (
    criteria,
    fig13,
    fig16,
    fig18,
    fig23,
    fig24,
    fig25,
    fig27,
    fig29,
    fig31,
    fig37,
    kary,
    mtc1,
    mtc5,
    mtc6,
    ncut,
    shift_invariance,
    yeast,
)
from gencap.reproduction._result import Experiment, ReproductionResult, Row, Setting

__all__ = ["ReproductionResult", "Row", "describe", "names", "run"]

_MODULES = (
    kary,
    fig13,
    fig16,
    fig18,
    ncut,
    fig23,
    fig24,
    fig25,
    fig27,
    fig29,
    fig31,
    fig37,
    shift_invariance,
    mtc1,
    mtc5,
    mtc6,
    criteria,
    yeast,
)
_EXPERIMENTS: dict[str, Experiment] = {one.EXPERIMENT.name: one.EXPERIMENT for one in _MODULES}


def names() -> list[str]:
    """Return the names that `run` knows.

    Examples
    --------
    >>> names()[:4]
    ['kary', 'fig13', 'fig16', 'fig18']
    """
    return list(_EXPERIMENTS)


def describe(name: str) -> str:
    """Return what an experiment measures, where it was published, and its setting.

    Examples
    --------
    >>> print(describe("kary").splitlines()[0])
    K-ary codes reach Shannon's capacity
    """
    one = _EXPERIMENTS[check_choice(name, "name", _EXPERIMENTS)]
    return f"{one.title}\n{one.source}\n{one.description}"


def run(
    name: str,
    quick: bool = True,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> ReproductionResult:
    """Run a published experiment and compare it with what was published.

    Parameters
    ----------
    name : str
        One of `names()`.
    quick : bool
        Fewer objects and repetitions (seconds); False takes the published sizes (minutes).
    random_state : None, int or Generator
        Seed of data and algorithms.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    ReproductionResult

    Examples
    --------
    >>> result = run("kary")
    >>> result.passed, result.rows[0].verdict
    (True, 'agrees')
    """
    one = _EXPERIMENTS[check_choice(name, "name", _EXPERIMENTS)]
    setting = Setting(
        bool(quick), check_seed(random_state), check_n_jobs(n_jobs), as_control(progress)
    )
    started = time.perf_counter()
    found = one.measure(setting)
    return ReproductionResult(
        name=one.name,
        title=one.title,
        source=one.source,
        rows=found.rows,
        passed=all(row.passed for row in found.rows),
        tables=found.tables,
        seconds=time.perf_counter() - started,
        quick=setting.quick,
        seed=setting.seed,
        _draw=one.draw,
    )
