"""The journal of a comparison on disk: going on, beginning anew, and leaving with a word."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from gencap._progress import Cancelled

__all__ = ["kept", "prepare"]

FILE = "journal.jsonl"
FINISHED = "comparison.zip"


def prepare(out: Path, fresh: bool) -> str:
    """Make way for a run: remove the old journal if asked to; say what is there otherwise."""
    journal = out / FILE
    if not journal.exists():
        return ""
    if fresh:
        journal.unlink()
        return ""
    done = max(0, journal.read_bytes().count(b"\n") - 1)
    return f"Going on with the {done} tasks that an earlier run finished." if done else ""


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
        if "another comparison" not in str(error):
            raise
        raise InputError(f"{error}: --fresh begins anew, --out FOLDER writes elsewhere") from None
