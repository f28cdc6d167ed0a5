"""``gencap reproduce NAME``: published experiments, run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gencap.cli._options import writable_folder

__all__ = ["reproduce_command"]

EPILOG = """\b
Examples:
  gencap reproduce --list
  gencap reproduce kary
"""


@click.command("reproduce", epilog=EPILOG, short_help="Run published experiments again.")
@click.argument("name", required=False)
@click.option(
    "--quick/--full",
    default=True,
    show_default=True,
    help="A short form of the experiment, or the published size.",
)
@click.option("--list", "only_list", is_flag=True, help="List the experiments and stop.")
@click.option(
    "--out",
    metavar="FOLDER",
    callback=writable_folder,
    help="Folder for figures and tables.  [default: none]",
)
@click.pass_context
def reproduce_command(
    context: click.Context, name: str | None, quick: bool, only_list: bool, out: Path | None
) -> None:
    """Run a published experiment and compare; all of them without NAME.

    Exit code 0 if every number agrees within its stated tolerance, 1 otherwise.
    """
    from gencap import reproduction

    known = list(reproduction.names())
    if only_list:
        click.echo("\n".join(known))
        return
    if name is not None and name not in known:
        raise click.BadParameter(
            f"there is no experiment {name!r}; choose from {', '.join(known)}", param_hint="NAME"
        )
    results = [_run(reproduction, each, quick) for each in ([name] if name else known)]
    if out is not None:
        _write(out, results)
    if not all(result.passed for result in results):
        context.exit(1)


def _run(reproduction: Any, name: str, quick: bool) -> Any:
    from gencap.cli._screen import Watch, console, show_rows

    with Watch(name) as watch:
        result = reproduction.run(name, quick=quick, progress=watch)
    rows = [(row.quantity, row.paper, row.ours, row.verdict) for row in result.rows]
    show_rows(f"{result.name}: {result.title}", ("quantity", "paper", "ours", "verdict"), rows)
    console().print(
        f"{name}: {'reproduced' if result.passed else 'NOT reproduced'}",
        style="bold green" if result.passed else "bold red",
    )
    return result


def _write(folder: Path, results: list[Any]) -> None:
    from gencap.io import write_results
    from gencap.report import Plot

    files: dict[str, str | bytes] = {}
    for result in results:
        table = result.to_frame()
        files[f"tables/{result.name}.csv"] = table.to_csv(index=False).encode()
        for key, figure in result.figures().items():
            plot = Plot(key, figure, table, result.title, "")
            files[f"figures/{result.name}-{key}.png"] = plot.png()
            files[f"figures/{result.name}-{key}.svg"] = plot.svg()
    write_results(folder, files)
    click.echo(f"Written to {folder}")
