"""``gencap info``: versions, threads, optional parts."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform

import click

__all__ = ["info_command"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "rich", "click", "jinja2")
EXTRAS = {
    "parquet": ("pyarrow", "reads Parquet files"),
    "excel": ("openpyxl", "reads XLSX files"),
}

EPILOG = """\b
Example:
  gencap info
"""


@click.command("info", epilog=EPILOG)
def info_command() -> None:
    """Show versions, threads and which optional parts are installed."""
    from gencap import __version__
    from gencap.cli._screen import show_rows

    rows = [
        ("gencap", version_of("gencap")),
        ("gencap core (Rust)", __version__),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("threads", str(usable_threads())),
        *((name, version_of(name)) for name in PACKAGES),
    ]
    show_rows("Versions", ("part", "version"), rows)
    extras = [
        (extra, what, "installed" if has(module) else f"missing: pip install 'gencap[{extra}]'")
        for extra, (module, what) in EXTRAS.items()
    ]
    show_rows("Optional parts", ("extra", "what it does", "state"), extras)
    click.echo("Documentation: the docs/ folder of the source, and gencap COMMAND --help")


def version_of(distribution: str) -> str:
    """Return the installed version of a distribution, or that it is missing."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def has(module: str) -> bool:
    """Whether a module could be imported."""
    return importlib.util.find_spec(module) is not None


def usable_threads() -> int:
    """Return how many threads this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
