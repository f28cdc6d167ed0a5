"""Options several commands share."""

from __future__ import annotations

import contextlib
import difflib
import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import click

__all__ = ["cluster_range", "name_list", "out_option", "seed_option", "writable_folder"]

MOST_CLUSTERS = 1_000


def cluster_range(
    context: click.Context, parameter: click.Parameter, value: str
) -> tuple[int, ...]:
    """Return the numbers that ``1-10``, ``4`` or ``2,3,5-8`` mean, sorted, each once."""
    found: set[int] = set()
    for part in value.split(","):
        match = re.fullmatch(r"\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?", part)
        if match is None:
            raise click.BadParameter(
                f"got {value!r}; write a range such as 1-10 or a list such as 2,3,5"
            )
        low, high = int(match[1]), int(match[2] or match[1])
        if not 1 <= low <= high <= MOST_CLUSTERS:
            raise click.BadParameter(
                f"got {part.strip()!r}; numbers of clusters go upward from 1 "
                f"to at most {MOST_CLUSTERS}, such as 1-10"
            )
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def name_list(
    known: Sequence[str],
) -> Callable[[click.Context, click.Parameter, str | None], tuple[str, ...] | None]:
    """Return a callback that reads a list such as ``pearson,path`` of known names, each once."""

    def read(
        context: click.Context, parameter: click.Parameter, value: str | None
    ) -> tuple[str, ...] | None:
        if value is None:
            return None
        names = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
        if not names:
            raise click.BadParameter(f"got nothing; choose from {', '.join(known)}")
        for name in names:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {close[0]}?" if close else ";"
                raise click.BadParameter(
                    f"there is no {name!r}{hint} choose from {', '.join(known)}"
                )
        return names

    return read


def writable_folder(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Path | None:
    """Return a folder that can be written, tried before any work is done; nothing stays."""
    if value is None:
        return None
    folder = Path(value)
    existing = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not existing.is_dir():
        raise click.BadParameter(f"{existing} is a file, not a folder; name another folder")
    try:
        _try_to_write(folder)
    except OSError as error:
        raise click.BadParameter(
            f"{folder} cannot be written: {error.strerror or error}; name another folder"
        ) from None
    return folder


def _try_to_write(folder: Path) -> None:
    """Go through the steps of writing results: permissions alone do not tell (full, read-only)."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    made: list[Path] = []
    # Results are written beside the folder first and then moved into it.
    staging = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    trial = folder / f"{staging.name}.trial"
    try:
        for path in (*reversed(missing), staging):
            path.mkdir()
            made.append(path)
        (staging / "trial").write_bytes(b"trial")
        (staging / "trial").replace(trial)
    finally:
        for path in (trial, staging / "trial"):
            with contextlib.suppress(OSError):
                path.unlink()
        for path in reversed(made):
            with contextlib.suppress(OSError):
                path.rmdir()


out_option = click.option(
    "--out",
    metavar="FOLDER",
    callback=writable_folder,
    default="gencap-out",
    show_default=True,
    help="Folder for the report; made if missing.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of everything random.",
)
