"""Independent tasks on this machine's cores, with one progress callback and one way to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeVar

from gencap._progress import Cancelled, Control, Progress

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
    drain: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Apply `job` to every item, results in the items' order.

    The compiled core releases the interpreter, so threads are enough. A raising callback, `cancel`
    or Ctrl-C stops all jobs: on threads of their own they get a silent control that shares the
    caller's switches; one after the other, on the caller's thread, they get one that reaches the
    caller's callback from within. Reports count items; those of a lone item count its own steps.
    `drain` is called on the caller's thread again and again, and once after the last job.
    """
    if len(items) == 1:
        return [_alone(job, items[0], control, message)]
    if threads <= 1:
        return _in_turn(job, items, control, message)
    total = len(items)
    silent = _passing(control, None)
    results: dict[int, Result] = {}
    control(Progress(0, total, message))
    with ThreadPoolExecutor(max_workers=max(1, min(threads, total))) as pool:
        waiting: dict[Future[Result], int] = {}
        try:
            waiting = {pool.submit(job, item, silent): index for index, item in enumerate(items)}
            while waiting:
                finished, _ = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in finished:
                    results[waiting.pop(future)] = future.result()
                drain()
                control(Progress(len(results), total, message))
        except BaseException:
            # First those that have not begun, or they would take the place of those that stop.
            for future in waiting:
                future.cancel()
            control.cancel()
            raise
    return [results[index] for index in range(total)]


def _in_turn(
    job: Callable[[Item, Control], Result],
    items: Sequence[Item],
    control: Control,
    message: str,
) -> list[Result]:
    """Run the jobs one after the other; the inner steps repeat how many are done."""
    total = len(items)
    results: list[Result] = []

    def tell(inner: Progress) -> None:
        control(replace(inner, done=len(results), total=total, message=message))

    watched = _passing(control, tell)
    control(Progress(0, total, message))
    for item in items:
        results.append(job(item, watched))
        control(Progress(len(results), total, message))
    return results


def _alone(
    job: Callable[[Item, Control], Result], item: Item, control: Control, message: str
) -> Result:
    """Run a single job whose own steps are the units; a step of another kind is named after it."""
    last = Progress(0, 1, message)

    def tell(inner: Progress) -> None:
        nonlocal last
        own = inner.message in ("", message)
        last = replace(inner, message=message if own else f"{message}: {inner.message}")
        control(last)

    if control.cancelled:
        raise Cancelled("the computation was cancelled")
    result = job(item, _passing(control, tell))
    # Runs may end early, and jobs without steps have not been heard of yet.
    if last.done < last.total:
        control(replace(last, done=last.total))
    return result


def _passing(control: Control, tell: Callable[[Progress], None] | None) -> Control:
    """Return a control for a job: it stops with the caller's and reports to `tell`."""
    inner = Control(tell)
    inner.switches = control.switches
    return inner
