"""The project as a whole: versions, documentation that runs, house rules."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import gencap

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


run_docs = load_tool("run_docs")
check_lengths = load_tool("check_lengths")
check_core_imports = load_tool("check_core_imports")
extra = load_tool("extra")
PAGES = {path.name: path for path in run_docs.pages()}


# --- one version -----------------------------------------------------------------------------


def test_the_installed_core_has_the_version_of_the_workspace() -> None:
    assert gencap.__version__ == VERSION


def test_python_takes_its_version_from_cargo() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project
    assert "version" in project["dynamic"]


def test_both_crates_inherit_the_version() -> None:
    for crate in ("core", "py"):
        manifest = tomllib.loads((ROOT / "rust" / crate / "Cargo.toml").read_text())
        assert manifest["package"]["version"] == {"workspace": True}


def test_lock_file_names_the_same_version() -> None:
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    ours = {one["name"]: one["version"] for one in packages if one["name"].startswith("gencap")}
    assert ours == {"gencap-core": VERSION, "gencap-py": VERSION}


def test_citation_names_the_version_and_the_license() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^([a-z-]+): (.+)$", text, flags=re.MULTILINE))
    assert fields["version"] == VERSION
    assert fields["cff-version"] == "1.2.0"
    assert fields["license"] == "MIT"
    assert {"message", "title", "type"} <= fields.keys()
    assert re.search(r"^authors:\n  - name: ", text, flags=re.MULTILINE)


def test_changelog_has_an_unreleased_section_or_the_version() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] in ("Unreleased", VERSION)


@pytest.mark.parametrize("name", [n for n in gencap.__all__ if n != "__version__"])
def test_changelog_names_every_public_name(name: str) -> None:
    assert re.search(rf"`{name}\b", (ROOT / "CHANGELOG.md").read_text()), (
        f"{name} is public but not in CHANGELOG.md; add it under Unreleased"
    )


# --- documentation ---------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_code_in_the_documentation_prints_what_it_says(page: str) -> None:
    wrong = run_docs.mismatches(PAGES[page].read_text(encoding="utf-8"))
    assert not wrong, f"run python tools/run_docs.py --write and look at the difference: {wrong}"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [n for n, p in PAGES.items() if "<!-- slow -->" in p.read_text()])
def test_slow_code_in_the_documentation_prints_what_it_says(page: str) -> None:
    assert not run_docs.mismatches(PAGES[page].read_text(encoding="utf-8"), slow=True)


def test_a_page_that_says_something_else_is_found() -> None:
    page = "# Page\n\n```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n"
    (wrong,) = run_docs.mismatches(page)
    assert (wrong.line, wrong.promised, wrong.printed) == (3, "3\n", "2\n")
    assert not run_docs.mismatches(run_docs.rewritten(page))


def test_output_that_a_page_does_not_show_is_found() -> None:
    page = "```python\nprint('a')\n```\n\n```sh\nmake\n```\n"
    assert run_docs.mismatches(page)
    assert "```output\na\n```\n\n```sh" in run_docs.rewritten(page)


def test_exempt_blocks_do_not_run() -> None:
    page = "<!-- not run -->\n```python\n1 / 0\n```\n<!-- slow -->\n\n```python\n1 / 0\n```\n"
    assert not run_docs.mismatches(page)
    with pytest.raises(ZeroDivisionError):
        run_docs.mismatches(page, slow=True)


def test_blocks_of_a_page_share_their_names() -> None:
    page = "```python\na = 2\n```\n\ntext\n\n```python\nprint(a)\n```\n\n```output\n2\n```\n"
    assert not run_docs.mismatches(page)


def test_readme_shows_the_two_commands_first() -> None:
    text = PAGES["README.md"].read_text()
    assert "make run" in text
    assert "make test" in text
    assert text.index("make run") < text.index("pip install")


def markdown_links() -> list[tuple[str, str]]:
    files = [*PAGES.values(), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    return [
        (path.relative_to(ROOT).as_posix(), target)
        for path in files
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        if "://" not in target
    ]


@pytest.mark.parametrize(("page", "target"), markdown_links())
def test_links_between_pages_lead_somewhere(page: str, target: str) -> None:
    assert ((ROOT / page).parent / target).exists()


def test_documentation_names_only_public_names_that_exist() -> None:
    for path in [*PAGES.values(), ROOT / "CHANGELOG.md"]:
        for name in re.findall(r"\bgencap\.([A-Za-z]\w*)", path.read_text(encoding="utf-8")):
            known = hasattr(gencap, name) or importlib.util.find_spec(f"gencap.{name}")
            assert known or name == "_core", f"{path.name} names gencap.{name}"


# --- make and CI -----------------------------------------------------------------------------


def test_make_has_the_promised_targets() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    assert {"run", "test", "lint", "bench", "format", "clean", "help"} <= targets


def test_make_run_installs_neither_linters_nor_test_tools() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (needs,) = re.findall(r"^run: ([^#\n]*)", makefile, flags=re.MULTILINE)
    assert needs.split() == [".venv/core.stamp"]


def test_ci_runs_tests_and_lint() -> None:
    script = ROOT / ".ci" / "run"
    text = script.read_text()
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in text
    assert text.rstrip().endswith("make test\nmake lint")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no execution bit")
def test_ci_script_can_be_executed() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_extra_prints_requirements_a_shell_can_pass_on() -> None:
    assert any(requirement.startswith("pytest") for requirement in extra.packages("test"))
    assert all(" " not in requirement for requirement in extra.packages("lint"))
    with pytest.raises(SystemExit, match="no extra 'nonsense'; it has"):
        extra.packages("nonsense")


# --- house rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", check_lengths.sources(), ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_no_file_and_no_function_is_too_long(path: Path) -> None:
    assert check_lengths.inspect(path, path.name)[2] == []


def test_python_functions_are_counted_without_docstring() -> None:
    source = (
        'def f():\n    """One.\n\n    Two.\n    """\n    return 1\n\n\ndef g():\n    return 2\n'
    )
    found = {f.name: (f.line, f.length) for f in check_lengths.python_functions(source)}
    assert found == {"f": (1, 2), "g": (9, 2)}


def test_rust_functions_are_counted_by_braces_outside_of_text() -> None:
    source = """
    fn short(text: &'static str) -> char { '{' }
    trait T { fn declared(&self, n: [u8; 3]) -> u8; }
    fn long<'a>(x: &'a str) -> String {
        // a brace in a comment {
        let s = "}{ \\" {";
        let r = r#"{"a": {"#;
        format!("{s}{r}{x}")
    }
    """
    found = {f.name: (f.line, f.length) for f in check_lengths.rust_functions(source)}
    assert found == {"short": (2, 1), "long": (4, 6)}


def test_a_long_function_needs_a_reason(tmp_path: Path) -> None:
    body = "    x = 0\n" * 60
    path = tmp_path / "a.py"
    path.write_text(f"def f():\n{body}")
    assert "f has 61 lines" in check_lengths.inspect(path, "a.py")[2][0]
    path.write_text(f"# length: a table, one line per case\ndef f():\n{body}")
    assert check_lengths.inspect(path, "a.py")[2] == []


def test_a_long_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.rs"
    path.write_text("// line\n" * 501)
    assert "501 lines" in check_lengths.inspect(path, "a.rs")[2][0]


@pytest.mark.parametrize(
    ("name", "source", "count"),
    [
        ("io.py", "from gencap import _core", 1),
        ("io.py", "from gencap._core import Cancelled", 1),
        ("io.py", "import gencap._core", 1),
        ("io.py", "import gencap", 1),
        ("io.py", "from gencap.results import Order", 0),
        ("annealing.py", "from gencap import _core", 0),
        ("report/html.py", "import gencap", 0),
    ],
)
def test_imports_of_the_core_are_watched(name: str, source: str, count: int) -> None:
    assert len(check_core_imports.faults_of(name, source)) == count


def test_wrappers_of_the_core_exist() -> None:
    for name in check_core_imports.WRAPPERS:
        assert (ROOT / "python" / "gencap" / name).is_file()


def test_importing_the_library_does_not_import_matplotlib_or_qt() -> None:
    code = "import sys, gencap; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "gencap" in loaded
    assert not {"matplotlib", "click", "PySide6", "pyqtgraph"} & set(loaded)


def test_only_the_command_line_writes_with_rich_and_click() -> None:
    package = ROOT / "python" / "gencap"
    for path in package.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        roots = {name.partition(".")[0] for _, name in check_core_imports.imported_names(tree)}
        if not path.is_relative_to(package / "cli"):
            assert not {"rich", "click"} & roots, path


def tracked_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name]


def test_nothing_built_is_tracked() -> None:
    built = (".so", ".pyd", ".pyc", ".coverage", ".stamp", ".orig", ".pkl")
    assert [name for name in tracked_files() if name.endswith(built)] == []


def test_no_file_defers_its_work() -> None:
    # Written in two halves, so that this file does not find itself.
    words = re.compile("TO" + "DO|FIX" + "ME|NotImplemented" + "Error")
    for name in tracked_files():
        if name.endswith((".py", ".pyi", ".rs", ".md", ".toml", ".yml", ".sh")):
            path = ROOT / name
            if path.is_file():
                assert not words.search(path.read_text(encoding="utf-8")), name


# --- what the system must have ---------------------------------------------------------------


def check_system(folder: Path, **answers: str) -> subprocess.CompletedProcess[str]:
    """Run the check where only a few tools exist; `answers` are commands and what they print."""
    for tool in {"sh", "sed", "uname", "cut", "id"} - answers.keys():
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    for tool, answer in answers.items():
        (folder / tool).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (folder / tool).chmod(0o755)
    return subprocess.run(
        ["/bin/sh", "tools/ensure_system.sh"],
        cwd=ROOT,
        env={"PATH": str(folder), "PYTHON": "python3"},
        capture_output=True,
        text=True,
    )


NEEDS_SH = pytest.mark.skipif(sys.platform == "win32", reason="make and sh are optional there")


@NEEDS_SH
@pytest.mark.parametrize("rust", ["1.88.0", "1.100.0", "2.0.0"])
def test_a_complete_system_is_accepted_in_silence(tmp_path: Path, rust: str) -> None:
    done = check_system(tmp_path, python3="3.11", cc="", cargo=f"cargo {rust} (date)")
    assert (done.returncode, done.stderr) == (0, "")


@NEEDS_SH
@pytest.mark.parametrize(
    ("answers", "finding", "remedy"),
    [
        ({}, "Python is missing", "Install it"),
        ({"python3": "3.9"}, "python3 is 3.9", "make run PYTHON=python3.11"),
        ({"python3": "3.12"}, "C linker", "Install it"),
        ({"python3": "3.12", "cc": ""}, "Rust 1.88 or newer (found: none)", "rustup"),
        (
            {"python3": "3.12", "cc": "", "cargo": "cargo 1.63.0 (date)"},
            "Rust 1.88 or newer (found: 1.63.0)",
            "rustup",
        ),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="another remedy is named there")
def test_what_is_missing_is_named_with_its_remedy(
    tmp_path: Path, answers: dict[str, str], finding: str, remedy: str
) -> None:
    done = check_system(tmp_path, **answers)
    assert done.returncode == 1
    assert finding in done.stderr
    assert remedy in done.stderr


@NEEDS_SH
def test_users_of_debian_get_the_exact_command(tmp_path: Path) -> None:
    # Not root, as `id -u` tells.
    done = check_system(tmp_path, **{"python3": "3.12", "apt-get": "", "id": "1000"})
    assert done.returncode == 1
    assert "sudo apt-get install -y gcc libc6-dev" in done.stderr
