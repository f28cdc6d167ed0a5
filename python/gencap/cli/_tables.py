"""A user's file as a table of numbers: strict where it can be, forgiving where it says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["OpenedTable", "open_table"]

# Beyond this share of missing cells a user must say what to do: made-up numbers would decide.
MOST_IMPUTED = 0.2


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """Numbers with names, known classes where the file has any, and what was done to get them."""

    frame: pd.DataFrame
    known: Any = None
    notes: list[str] = field(default_factory=list)


def open_table(path: Path, missing: str) -> OpenedTable:
    """Read a table; text columns and missing cells are dealt with and named in the notes.

    Parameters
    ----------
    path : Path
        The file.
    missing : {"auto", "error", "drop", "impute"}
        What becomes of missing cells. "auto" imputes up to a fifth of all cells and refuses more.
    """
    from gencap.io import InputError, read_frame, read_table

    try:
        table = read_table(path)
    except InputError:
        # Reads again, so that unreadable files are refused in the reader's own words.
        return _prepared(path, read_frame(path), missing)
    return OpenedTable(table.to_frame(), None, list(table.notes))


def _prepared(path: Path, frame: pd.DataFrame, missing: str) -> OpenedTable:
    from gencap.io import InputError
    from gencap.tables import guess_roles, prepare_table

    try:
        roles = guess_roles(frame)
        if _is_unnamed(frame):
            roles |= {c: "ignore" for c, role in roles.items() if role == "name"}
            roles[frame.columns[0]] = "name"
        prepared = prepare_table(frame, roles, "impute" if missing == "auto" else missing)
    except ValueError as error:
        words = str(error).replace("missing='drop' or missing='impute'", "--missing drop or impute")
        raise InputError(f"{path.name}: {words}") from None
    share = prepared.n_missing / max(1, len(frame) * len(prepared.columns))
    if missing == "auto" and share > MOST_IMPUTED:
        raise InputError(
            f"{path.name}: {share:.0%} of the cells are missing, too many to fill in unasked; use "
            "--missing drop to leave out the rows, or --missing impute to fill them in all the same"
        )
    notes = [*frame.attrs.get("notes", ()), *_left_out(roles), *prepared.notes]
    if prepared.n_missing and missing != "drop":
        notes[-1] += f" ({share:.2%} of the cells)"
    names = prepared.names
    repeated = 0 if names is None else int(pd.Series(names).duplicated().sum())
    if names is not None and repeated:
        notes.append(f"{repeated:,} of {len(names):,} names repeat an earlier name")
    return OpenedTable(prepared.to_frame(), prepared.known, notes)


def _is_unnamed(frame: pd.DataFrame) -> bool:
    """Whether the first column has no header of its own: pandas and R write row names so."""
    first, *others = (str(label) for label in frame.columns)
    return first == "column 1" and bool(others) and others[0] != "column 2"


def _left_out(roles: dict[str, str]) -> list[str]:
    notes = []
    ignored = [label for label, role in roles.items() if role == "ignore"]
    if ignored:
        listed = ", ".join(repr(label) for label in ignored[:5])
        listed += f" and {len(ignored) - 5} more" if len(ignored) > 5 else ""
        noun, verb = ("column", "was") if len(ignored) == 1 else ("columns", "were")
        notes.append(f"{noun} {listed} without numbers {verb} left out")
    for label, role in roles.items():
        if role == "label":
            notes.append(
                f"column {label!r} holds text and is shown as known classes; it took no part in "
                "the clustering"
            )
    return notes
