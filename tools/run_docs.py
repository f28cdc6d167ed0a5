"""Run the Python of the documentation and compare what it prints with what the page says.

The blocks of a page run in order, in one namespace. A block fenced as `output` right after a
Python block holds what that block prints. A comment `<!-- not run -->` before a block exempts it;
`<!-- slow -->` leaves it to `--slow` and to the slow tests. `python tools/run_docs.py --write` puts
what was printed into the pages.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>not run|slow) -->\n+)?```python\n(?P<code>.*?)^```\n"
    r"(?:\n```output\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


class Mismatch(NamedTuple):
    """A block whose page promises something else than it prints."""

    line: int
    promised: str
    printed: str


def pages() -> list[Path]:
    """Return the pages whose code must run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_page(text: str, slow: bool = False) -> Iterator[tuple[re.Match[str], str]]:
    """Run the blocks of a page in order and yield each with what it printed."""
    names: dict[str, object] = {"__name__": "documentation"}
    for block in BLOCK.finditer(text):
        if block["mark"] == "not run" or (block["mark"] == "slow" and not slow):
            continue
        # Empty lines in front make the line numbers of errors those of the page.
        first = text.count("\n", 0, block.start("code"))
        code = compile("\n" * first + block["code"], "<documentation>", "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        yield block, _trimmed(printed.getvalue())


def mismatches(text: str, slow: bool = False) -> list[Mismatch]:
    """Return the blocks that print something else than the page says."""
    return [
        Mismatch(text.count("\n", 0, block.start()) + 1, block["output"] or "", printed)
        for block, printed in run_page(text, slow)
        if printed != (block["output"] or "")
    ]


def rewritten(text: str, slow: bool = False) -> str:
    """Return the page with what its blocks print."""
    parts, end = [], 0
    for block, printed in run_page(text, slow):
        stop = block.end("code") + len("```\n")
        parts += [text[end:stop], f"\n```output\n{printed}```\n" if printed else ""]
        end = block.end()
    return "".join([*parts, text[end:]])


def _trimmed(text: str) -> str:
    """Remove blanks at the ends of lines: tables have them, editors remove them."""
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def main() -> int:
    """Check or rewrite every page; return 1 where a page is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put what was printed into the pages")
    parser.add_argument("--slow", action="store_true", help="run the slow blocks, too")
    parser.add_argument("pages", nargs="*", type=Path, help="which pages; all without")
    options = parser.parse_args()
    wrong = 0
    for path in options.pages or pages():
        text = path.read_text(encoding="utf-8")
        if options.write:
            path.write_text(rewritten(text, options.slow), encoding="utf-8")
            continue
        for line, promised, printed in mismatches(text, options.slow):
            wrong += 1
            print(f"{path.name}:{line}: promised\n{promised}but printed\n{printed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
