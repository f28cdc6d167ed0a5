"""Tasks on this machine's cores, journaled as they finish; and the way to any other place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gencap._lockstep import LARGE
from gencap._parallel import parallel_map
from gencap._progress import Control, Progress
from gencap.comparison.journal import Journal
from gencap.comparison.source import Source
from gencap.comparison.tasks import Outcome, Task, run_task

__all__ = ["Local", "Place", "Runner"]


class Place(Protocol):
    """Where tasks run."""

    def run(self, tasks: Sequence[Task], journal: Journal, control: Control) -> None:
        """Run the tasks and write every outcome to the journal."""
        ...

    @property
    def cores(self) -> int:
        """How many tasks run at a time."""
        ...


class Local:
    """The cores of one machine: a task per core; large inputs one after the other on all cores."""

    def __init__(self, source: Source, threads: int) -> None:
        self._source = source
        self._threads = threads

    @property
    def cores(self) -> int:
        """Number of threads."""
        return self._threads

    def run(self, tasks: Sequence[Task], journal: Journal, control: Control) -> None:
        """Run the tasks and write every outcome to the journal."""
        large = self._source.n_objects >= LARGE
        outer, inner = (1, self._threads) if large else (self._threads, 1)

        def job(task: Task, silent: Control) -> None:
            journal.add(run_task(self._source, task, inner, silent))

        parallel_map(job, tasks, threads=outer, control=control, message="comparing")


@dataclass(eq=False)
class Runner:
    """Runs what the journal does not know yet, and counts for the progress of the whole.

    Parameters
    ----------
    place : Place
        Where tasks run.
    journal : Journal
        What is known already.
    control : Control
        Hears of progress; `expected` is what it is told as the total.
    """

    place: Place
    journal: Journal
    control: Control
    expected: int = 0
    done: int = 0

    def run(
        self, tasks: Sequence[Task], message: str, cost: Callable[[Task], float] = lambda task: 0.0
    ) -> list[Outcome]:
        """Run the tasks that are not in the journal; return the outcomes of all of them.

        Those with the highest expected cost come first, so that no core waits long for the last.
        """
        missing = [task for task in tasks if task.key not in self.journal]
        missing.sort(key=cost, reverse=True)
        self.done += len(tasks) - len(missing)
        base = self.done

        def tell(inner: Progress) -> None:
            # Of a lone task the inner steps are reported: they are no tasks.
            finished = inner.done if inner.total == len(missing) and len(missing) > 1 else 0
            total = max(self.expected, base + len(missing))
            self.control(Progress(base + finished, total, message, inner.beta, inner.energy))

        if missing:
            watched = Control(tell)
            watched.switches = self.control.switches
            self.place.run(missing, self.journal, watched)
        self.done += len(missing)
        self.control(Progress(self.done, max(self.expected, self.done), message))
        return [self.journal[task.key] for task in tasks]
