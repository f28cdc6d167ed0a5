"""Independent tasks on this machine's cores, with one progress callback and one way to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from gencap._progress import Control, Progress

__all__ = ["parallel_map"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# The caller's thread wakes this often to report and to hear Ctrl-C.
POLL_SECONDS = 0.05


def parallel_map(
    job: Callable[[Item, Control], Result],
    items: Sequence[Item],
    *,
    threads: int,
    control: Control,
    message: str,
) -> list[Result]:
    """Apply `job` to every item, results in the items' order.

    The compiled core releases the interpreter, so threads are enough. Jobs get a silent control
    that shares the caller's switches: a raising callback or Ctrl-C stops all of them.
    """
    total = len(items)
    silent = Control()
    silent.switches = control.switches
    results: dict[int, Result] = {}
    control(Progress(0, total, message))
    if threads <= 1 or total <= 1:
        watched = _single(control, message) if total == 1 else silent
        for index, item in enumerate(items):
            results[index] = job(item, watched)
            control(Progress(index + 1, total, message))
        return [results[index] for index in range(total)]
    with ThreadPoolExecutor(max_workers=min(threads, total)) as pool:
        waiting: dict[Future[Result], int] = {}
        try:
            waiting = {pool.submit(job, item, silent): index for index, item in enumerate(items)}
            while waiting:
                finished, _ = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in finished:
                    results[waiting.pop(future)] = future.result()
                control(Progress(len(results), total, message))
        except BaseException:
            # First those that have not begun, or they would take the place of those that stop.
            for future in waiting:
                future.cancel()
            control.cancel()
            raise
    return [results[index] for index in range(total)]


def _single(control: Control, message: str) -> Control:
    """Return a control that passes the inner steps of a lone task on to the caller."""

    def tell(progress: Progress) -> None:
        control(Progress(progress.done, progress.total, message, progress.beta, progress.energy))

    inner = Control(tell)
    inner.switches = control.switches
    return inner
