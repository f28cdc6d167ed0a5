"""Fail where a file or a function has grown too long, and print how long they are.

Files may have 500 lines and functions 60. Python functions are counted without their docstring,
Rust functions from `fn` to the closing brace. A longer function needs a comment right above it
that begins with "length:" and says why.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 500
MOST_FUNCTION_LINES = 60

# Rust text in which braces mean nothing: comments, strings (raw ones too), characters. A lifetime
# such as 'a has no closing quote and stays.
RUST_TEXT = re.compile(
    r"""//[^\n]*
    |/\*.*?\*/
    |b?r(?P<hashes>\#*)".*?"(?P=hashes)
    |b?"(?:\\.|[^"\\])*"
    |b?'(?:\\[^\n]{1,9}?|[^'\\\n])'""",
    re.DOTALL | re.VERBOSE,
)
RUST_FUNCTION = re.compile(r"\bfn\s+(\w+)")


class Function(NamedTuple):
    """A function, where it begins (from 1), and its number of lines."""

    name: str
    line: int
    length: int


def python_functions(source: str) -> Iterator[Function]:
    """Yield the functions of a Python file, nested ones too."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            length -= (text.end_lineno or text.lineno) - text.lineno + 1
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        yield Function(node.name, first, length)


def rust_functions(source: str) -> Iterator[Function]:
    """Yield the functions of a Rust file that have a body."""
    code = RUST_TEXT.sub(lambda match: "\n" * match.group().count("\n"), source)
    for match in RUST_FUNCTION.finditer(code):
        end = _end_of_body(code, match.end())
        if end is not None:
            first = code.count("\n", 0, match.start())
            yield Function(match.group(1), first + 1, code.count("\n", 0, end) - first + 1)


def _end_of_body(code: str, start: int) -> int | None:
    """Return the position of the brace that closes the body; None for a mere declaration."""
    braces = brackets = 0
    for position in range(start, len(code)):
        letter = code[position]
        if letter in "([":
            brackets += 1
        elif letter in ")]":
            brackets -= 1
        elif letter == ";" and not braces and not brackets:
            return None
        elif letter == "{":
            braces += 1
        elif letter == "}":
            braces -= 1
            if not braces and not brackets:
                return position
    return None


def is_excused(lines: Sequence[str], function: Function) -> bool:
    """Tell whether the comment right above the function begins with "length:"."""
    for line in reversed(lines[: function.line - 1]):
        text = line.strip()
        if not text.startswith(("#", "//")):
            return False
        if text.lstrip("#/! ").startswith("length:"):
            return True
    return False


def inspect(path: Path, name: str) -> tuple[int, list[int], list[str]]:
    """Return the lines of a file, the lengths of its functions, and what is too long."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    find = python_functions if path.suffix in (".py", ".pyi") else rust_functions
    functions = list(find(source))
    faults = []
    if len(lines) > MOST_LINES:
        faults.append(f"{name}: {len(lines)} lines; at most {MOST_LINES}, make it a folder")
    for function in functions:
        if function.length > MOST_FUNCTION_LINES and not is_excused(lines, function):
            faults.append(
                f"{name}:{function.line}: {function.name} has {function.length} lines; "
                f"at most {MOST_FUNCTION_LINES}"
            )
    return len(lines), [function.length for function in functions], faults


def sources() -> list[Path]:
    """Return the Python and Rust files of the project, those not yet committed too."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    names = sorted({name for name in listed if name.endswith((".py", ".pyi", ".rs"))})
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def summary(label: str, values: Sequence[int]) -> str:
    """Describe lengths by median, 90th percentile and maximum."""
    if len(values) < 2:
        return f"{label}: {len(values)}"
    high = statistics.quantiles(values, n=10, method="inclusive")[-1]
    middle = statistics.median(values)
    return f"{label}: {len(values)}, lines median {middle:.0f}, p90 {high:.0f}, max {max(values)}"


def main() -> int:
    """Check every source file; return 1 where something is too long."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    faults: list[str] = []
    for label, suffixes in (("Python", (".py", ".pyi")), ("Rust", (".rs",))):
        sizes: list[int] = []
        lengths: list[int] = []
        for path in sources():
            if path.suffix in suffixes:
                size, found, wrong = inspect(path, path.relative_to(ROOT).as_posix())
                sizes.append(size)
                lengths += found
                faults += wrong
        print(summary(f"{label} files", sizes))
        print(summary(f"{label} functions", lengths))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
