"""The journal of a comparison on disk: going on, beginning anew, and leaving with a word."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import click

from gencap._progress import Cancelled

__all__ = ["go_on", "kept", "prepare"]

FILE = "journal.jsonl"
FINISHED = "comparison.zip"
# How the journal words its refusal.
ANOTHER = "another comparison"

T = TypeVar("T")


def prepare(out: Path, fresh: bool) -> str:
    """Make way for a run: remove the old journal if asked to; say what is there otherwise."""
    journal = out / FILE
    if not journal.exists():
        return ""
    if fresh:
        journal.unlink()
        return ""
    done = max(0, journal.read_bytes().count(b"\n") - 1)
    return f"An earlier run left {done} finished tasks; those that fit are not done again."


def go_on(compare: Callable[[], T], out: Path) -> T:
    """Run; the journal of another comparison makes way if its results are safe on disk."""
    from gencap.io import InputError

    try:
        return compare()
    except InputError as error:
        journal, finished = out / FILE, out / FINISHED
        if ANOTHER not in str(error) or not finished.exists():
            raise
        if finished.stat().st_mtime < journal.stat().st_mtime:
            raise
        journal.unlink()
        return compare()


@contextlib.contextmanager
def kept(out: Path) -> Iterator[None]:
    """Tell a user who interrupts how to go on, and one with another plan what would do."""
    from gencap.io import InputError

    try:
        yield
    except (KeyboardInterrupt, Cancelled):
        if (out / FILE).exists():
            click.echo(
                f"Interrupted. What was finished is kept in {out / FILE}; the same command goes "
                "on from there, --fresh begins anew.",
                err=True,
            )
        raise
    except InputError as error:
        if ANOTHER not in str(error):
            raise
        raise InputError(f"{error} (--fresh begins anew, --out FOLDER writes elsewhere)") from None
