"""Tasks on a Dask cluster: sent as values, the data once, results as they come."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from typing import Any

from gencap._progress import Control, Progress
from gencap.comparison.journal import Journal
from gencap.comparison.source import Source
from gencap.comparison.tasks import Outcome, Task, quiet, run_task
from gencap.comparison.versions import __version__

__all__ = ["Cluster", "connect"]

# A task that was on a worker that died starts again elsewhere, this many times.
RETRIES = 5
# Data that lay on workers that are all gone are sent again, this many times.
ROUNDS = 5
POLL_SECONDS = 0.05


def connect(client: Any) -> tuple[Any, bool]:
    """Return a Dask client, and whether it was opened here and must be closed.

    Parameters
    ----------
    client : distributed.Client or str
        A client, or the address of a scheduler such as ``tcp://127.0.0.1:8786``.
    """
    if not isinstance(client, str):
        if not (hasattr(client, "submit") and hasattr(client, "scatter")):
            raise TypeError(
                "client must be a distributed.Client or the address of a scheduler: got "
                f"{type(client).__name__}"
            )
        return client, False
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise ImportError(
            "a scheduler address was given, but distributed is not installed: "
            "pip install 'gencap[dask]'"
        ) from None
    try:
        return distributed.Client(client, timeout="10s"), True
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"no Dask scheduler answers at {client!r}: {error}; start one with `dask scheduler` "
            "and name its address, such as tcp://127.0.0.1:8786"
        ) from None


def run_remotely(source: Source, task: Task, version: str) -> Outcome:
    """Run a task on a worker, which must have this version: results must not mix."""
    if version != __version__:
        raise RuntimeError(
            f"this worker has gencap {__version__}, the comparison was started with {version}: "
            "install the same version on all machines"
        )
    with quiet():
        return run_task(source, task)


class Cluster:
    """A Dask cluster as the place where tasks run."""

    def __init__(self, source: Source, client: Any) -> None:
        self._source = source
        self._client = client

    @property
    def cores(self) -> int:
        """Number of threads of all workers."""
        threads = self._client.nthreads()
        return max(1, sum(int(count) for count in threads.values()))

    def run(self, tasks: Sequence[Task], journal: Journal, control: Control) -> None:
        """Run the tasks and write every outcome to the journal."""
        control(Progress(0, len(tasks), "comparing"))
        left = list(tasks)
        for round_ in range(ROUNDS):
            problem = self._round(left, len(tasks), journal, control)
            left = [task for task in left if task.key not in journal]
            if not left:
                return
            if problem is None or not _is_loss(problem) or round_ == ROUNDS - 1:
                break
        raise RuntimeError(
            f"{len(left)} tasks did not finish on the cluster: {problem}"
        ) from problem

    def _round(
        self, tasks: Sequence[Task], total: int, journal: Journal, control: Control
    ) -> BaseException | None:
        """Send all tasks and collect them; return the first problem other than a bug of ours."""
        # On every worker: the death of one must not take the data with it.
        data = self._client.scatter(self._source, broadcast=True, hash=False)
        waiting = [
            self._client.submit(run_remotely, data, task, __version__, pure=False, retries=RETRIES)
            for task in tasks
        ]
        problem: BaseException | None = None
        finished = total - len(tasks)
        try:
            while waiting:
                over = [future for future in waiting if future.status != "pending"]
                waiting = [future for future in waiting if future.status == "pending"]
                for future in over:
                    if future.status == "finished":
                        journal.add(future.result())
                        finished += 1
                        continue
                    problem = future.exception() if future.status == "error" else _Lost()
                    if problem is not None and not _is_loss(problem):
                        raise problem
                control(Progress(finished, total, "comparing"))
                if not over:
                    time.sleep(POLL_SECONDS)
        finally:
            self._client.cancel(waiting, force=True)
        return problem


class _Lost(RuntimeError):
    """A future was cancelled because what it needed is gone."""

    def __str__(self) -> str:
        return "workers were lost"


def _is_loss(problem: BaseException | None) -> bool:
    """Whether a worker died, rather than the task failed."""
    return type(problem).__name__ in (
        "_Lost",
        "KilledWorker",
        "CancelledError",
        "FutureCancelledError",
    )
