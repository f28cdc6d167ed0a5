"""Results by task, so that equal tasks are computed once; and the snapshot that views draw."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gencap_gui.results import RunResult
from gencap_gui.settings import RunTask

__all__ = ["PATHS_LIMIT", "ResultStore"]

# Most memory that the assignments at all temperatures of all runs may take together, in bytes.
PATHS_LIMIT = 768 * 2**20
MOST_RESULTS = 5_000


class ResultStore:
    """Finished runs by task, oldest first.

    Assignments at all temperatures are the bulk of a result: the oldest give theirs up when all
    together pass `paths_limit` bytes, and say so in their note.
    """

    def __init__(self, paths_limit: int = PATHS_LIMIT) -> None:
        self._limit = paths_limit
        self._results: OrderedDict[RunTask, RunResult] = OrderedDict()

    def __contains__(self, task: RunTask) -> bool:
        return task in self._results

    def __len__(self) -> int:
        return len(self._results)

    def get(self, task: RunTask) -> RunResult | None:
        """Return the result of a task, if there is one."""
        return self._results.get(task)

    def put(self, task: RunTask, result: RunResult) -> None:
        """Keep a finished result; failed ones are kept out, so that they are tried again."""
        if result.error or not result.finished:
            return
        self._results.pop(task, None)
        self._results[task] = result
        while len(self._results) > MOST_RESULTS:
            self._results.popitem(last=False)
        self._shrink()

    def items(self, tasks: Iterable[RunTask]) -> Iterator[tuple[RunTask, RunResult]]:
        """Yield the tasks that have results, with them."""
        for task in tasks:
            found = self._results.get(task)
            if found is not None:
                yield task, found

    def _shrink(self) -> None:
        sizes = {task: _path_bytes(result) for task, result in self._results.items()}
        excess = sum(sizes.values()) - self._limit
        for task, size in sizes.items():
            if excess <= 0:
                return
            if size:
                note = (
                    "Its assignments at all temperatures were given up to save memory; run it "
                    "again with fewer others to scrub through them."
                )
                result = self._results[task]
                text = f"{result.note} {note}".strip()
                self._results[task] = replace(result, label_path=None, note=text)
                excess -= size


def _path_bytes(result: RunResult) -> int:
    path = result.label_path
    return 0 if path is None else path.labels.nbytes + path.confidence.nbytes
