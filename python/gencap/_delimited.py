"""Guess how a text file separates its cells and whether its first row is a header."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence

__all__ = ["drop_partial_line", "has_header", "head_rows", "header_labels", "separator_of"]

# Enough rows to tell a delimiter from a stray character.
HEAD_ROWS = 20
WHITESPACE = r"\s+"


def drop_partial_line(text: str, is_whole: bool) -> str:
    """Cut `text` at its last line break unless it is the whole file."""
    return text if is_whole or "\n" not in text else text[: text.rindex("\n") + 1]


def head_rows(text: str, separator: str) -> list[list[str]]:
    """Split the first non-empty rows of `text` into cells."""
    if separator == WHITESPACE:
        rows: Iterable[list[str]] = (line.split() for line in text.splitlines())
    else:
        rows = csv.reader(io.StringIO(text), delimiter=separator)
    cells = ([cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row))
    return list(itertools.islice(cells, HEAD_ROWS))


def separator_of(text: str, preferred: str) -> str:
    """Return the first separator that cuts all head rows into equally many cells.

    A semicolon or tab that does so wins over the comma, which may be a decimal sign.
    """
    candidates = [";", "\t", ","] if preferred == "," else [preferred, ";", ",", WHITESPACE]
    for candidate in candidates:
        try:
            first, *others = (len(row) for row in head_rows(text, candidate))
        except csv.Error:
            continue
        widths = set(others)
        # R writes one header cell less than there are columns
        if (widths <= {first} and first > 1) or widths == {first + 1}:
            return candidate
    return preferred


def has_header(rows: Sequence[Sequence[str]], notes: list[str]) -> bool:
    """Tell whether the first row names the columns, and note what a person should confirm."""
    first = list(rows[0])
    if all(_is_number(cell) for cell in first):
        if _counts(first) and len(first) > 1 and len(rows) > 1:
            notes.append(
                f"the first row ({', '.join(first[:3])}, ...) was read as data; if it is a header, "
                "give the columns names that are not numbers"
            )
        return False
    if first[0] == "" or len(rows) == 1 or not all(_is_number(cell) for cell in first[1:]):
        return len(rows) > 1 or not any(_is_number(cell) for cell in first)
    # a name followed by numbers: years or time points over columns, or the first object
    if _rises(first[1:]) and not any(_rises(row[1:]) for row in rows[1:]):
        notes.append(f"the first row ({', '.join(first[:3])}, ...) was read as the header")
        return True
    return len(first) == 1


def header_labels(cells: Sequence[str]) -> list[str]:
    """Return the header as column labels, with repeated ones numbered."""
    seen: dict[str, int] = {}
    labels = []
    for cell in cells:
        seen[cell] = seen.get(cell, 0) + 1
        labels.append(cell if seen[cell] == 1 else f"{cell}.{seen[cell] - 1}")
    return labels


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def _counts(cells: Sequence[str]) -> bool:
    return list(cells) in ([str(i + start) for i in range(len(cells))] for start in (0, 1))


def _rises(cells: Sequence[str]) -> bool:
    """Tell whether the cells are whole numbers in rising order, as years are."""
    if len(cells) < 2 or not all(cell.lstrip("-").isdigit() for cell in cells):
        return False
    values = [int(cell) for cell in cells]
    return all(a < b for a, b in itertools.pairwise(values))
