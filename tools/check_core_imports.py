"""Fail where a module imports the compiled core without wrapping it, or the whole package.

The import linter reads source files only, so it cannot see `gencap._core`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "gencap"

# The modules whose job is to wrap the core; everyone else calls them.
WRAPPERS = {
    "__init__.py",
    "_graph_pairs.py",
    "_labelings.py",
    "_lockstep.py",
    "_progress.py",
    "agreement.py",
    "annealing.py",
    "capacity.py",
    "channel.py",
    "comparison/versions.py",
    "models/_base.py",
    "models/_graph.py",
    "models/dominant_sets.py",
    "models/ratio_cut.py",
    "sampling.py",
    "similarity.py",
    "termination.py",
    "weights.py",
}
# Rooms above the public names may use them as a user would.
ABOVE = ("cli/", "report/", "reproduction/", "study.py", "__main__.py")


def imported_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def faults_of(name: str, source: str) -> list[str]:
    """Return what is wrong with the imports of the module `name` (a path inside the package)."""
    faults = []
    for line, imported in imported_names(ast.parse(source)):
        where = f"python/gencap/{name}:{line}"
        if (imported + ".").startswith("gencap._core.") and name not in WRAPPERS:
            faults.append(f"{where}: only modules that wrap gencap._core may import it")
        if imported == "gencap" and not name.startswith(ABOVE):
            faults.append(f"{where}: name the module; `import gencap` asks for all of them")
    return faults


def main() -> int:
    """Check every module of the package; return 1 where an import is out of place."""
    faults = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        faults += faults_of(name, path.read_text(encoding="utf-8"))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
