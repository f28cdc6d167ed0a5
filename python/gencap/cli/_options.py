"""Options several commands share."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

__all__ = ["ClusterRange", "OutputFolder", "out_option", "seed_option"]

MOST_CLUSTERS = 1_000


class ClusterRange(click.ParamType[tuple[int, ...]]):
    """Numbers of clusters such as ``1-10``, ``4`` or ``2,3,5-8``."""

    name = "range"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers, sorted, each once."""
        if isinstance(value, tuple):
            return value
        found: set[int] = set()
        for part in str(value).split(","):
            match = re.fullmatch(r"\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?", part)
            if match is None:
                self.fail(f"got {value!r}; write a range such as 1-10 or a list such as 2,3,5")
            low, high = int(match[1]), int(match[2] or match[1])
            if not 1 <= low <= high <= MOST_CLUSTERS:
                self.fail(
                    f"got {part.strip()!r}; numbers of clusters go upward from 1 "
                    f"to at most {MOST_CLUSTERS}, such as 1-10"
                )
            found.update(range(low, high + 1))
        return tuple(sorted(found))


class OutputFolder(click.ParamType[Path]):
    """A folder that can be written, checked before any work is done."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the folder as a path; nothing is made yet."""
        folder = Path(value)
        existing = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if not existing.is_dir():
            self.fail(f"{existing} is a file, not a folder; name another folder", param, ctx)
        if not os.access(existing, os.W_OK):
            self.fail(f"{existing} may not be written; name another folder", param, ctx)
        return folder


out_option = click.option(
    "--out",
    type=OutputFolder(),
    default="gencap-out",
    show_default=True,
    help="Folder for the report; made if missing.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Seed of everything random.",
)
