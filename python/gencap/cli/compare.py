"""``gencap compare FILE``: which model, which measure, how many clusters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gencap.cli._app import printable
from gencap.cli._options import cluster_range, name_list, out_option, seed_option

if TYPE_CHECKING:
    import pandas as pd

    from gencap.cli._tables import OpenedTable

__all__ = ["compare_command", "run_comparison"]

MODELS = (
    "centroid", "gaussian", "pairwise", "normalized_cut", "ratio_cut", "correlation", "max_cut",
    "dominant_sets",
)  # fmt: skip
DEFAULT_MODELS = (
    "centroid", "pairwise", "normalized_cut", "ratio_cut", "correlation", "dominant_sets",
)  # fmt: skip
MEASURES = ("euclidean", "sqeuclidean", "pearson", "cosine", "path")
DEFAULT_MEASURES = ("euclidean", "pearson", "path")
# From here on distances are too many to be kept; squared ones need not be.
MANY_OBJECTS = 10_000

EPILOG = """\b
Examples:
  gencap compare genes.csv --quick
  gencap compare replicate1.csv replicate2.csv --models correlation,pairwise --measures pearson
  gencap compare genes.csv --full --scheduler tcp://192.168.0.7:8786 --out study
"""


USUAL = {"n_clusters": range(2, 11), "n_splits": 5, "n_init": 2, "null_draws": 5, "final_draws": 99}
FULL = {"n_clusters": range(2, 16), "n_splits": 25, "n_init": 4, "null_draws": 9, "final_draws": 99}


def _effort(name: str | None) -> dict[str, Any]:
    """Return how much work a comparison takes: numbers of clusters, splits, restarts, draws."""
    from gencap.comparison import QUICK

    return dict({"quick": QUICK, "full": FULL}.get(name or "", USUAL))


@click.command("compare", epilog=EPILOG, short_help="Rank models, measures and K on your table.")
@click.argument("first", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("second", metavar="[FILE2]", type=click.Path(path_type=Path), required=False)
@click.option(
    "--quick",
    "effort",
    flag_value="quick",
    help="A first look: K = 2, 3, 4, 6, 8, 10, 5 splits, 2 restarts, coarse steps, 19 null draws.",
)
@click.option(
    "--full",
    "effort",
    flag_value="full",
    help="For publication: K = 2-15, 25 splits, 4 restarts, 99 final null draws.",
)
@click.option(
    "--models",
    metavar="LIST",
    callback=name_list(MODELS),
    default=",".join(DEFAULT_MODELS),
    show_default=True,
    help=f"Models to compare, of {', '.join(MODELS)}.",
)
@click.option(
    "--measures",
    metavar="LIST",
    callback=name_list(MEASURES),
    help=f"Measures of similarity, of {', '.join(MEASURES)}.  [default: "
    f"{','.join(DEFAULT_MEASURES)}; squared distances beyond {MANY_OBJECTS:,} rows]",
)
@click.option(
    "--clusters",
    metavar="RANGE",
    callback=lambda context, parameter, value: value and cluster_range(context, parameter, value),
    help="Numbers of clusters to try, such as 2-10 or 2,3,5.  [default: 2-10]",
)
@click.option("--splits", type=click.IntRange(min=1), help="Number of random splits.  [default: 5]")
@click.option(
    "--split",
    type=click.Choice(["auto", "random", "interleave", "objects"]),
    default="auto",
    show_default=True,
    help="How one table becomes two measurements: random halves of the columns, every other "
    "column, or halves of the rows matched by proximity (optimistic). Auto: random halves where "
    "there are two columns or more.",
)
@click.option(
    "--missing",
    type=click.Choice(["auto", "error", "drop", "impute"]),
    default="auto",
    show_default=True,
    help="Missing cells: drop their rows, or impute the median of the column. Auto imputes up to "
    "a fifth of the cells.",
)
@click.option(
    "--scale",
    type=click.Choice(["none", "standard"]),
    default="none",
    show_default=True,
    help="Bring every column to mean 0 and standard deviation 1 first.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786.")
@click.option("--jobs", type=int, help="Cores to use on this machine.  [default: all]")
@click.option("--fresh", is_flag=True, help="Begin anew even where an earlier run can go on.")
@seed_option
@out_option
@click.pass_context
def compare_command(
    context: click.Context,
    first: Path,
    second: Path | None,
    effort: str | None,
    models: tuple[str, ...],
    measures: tuple[str, ...] | None,
    clusters: tuple[int, ...] | None,
    splits: int | None,
    split: str,
    missing: str,
    scale: str,
    scheduler: str | None,
    jobs: int | None,
    fresh: bool,
    seed: int,
    out: Path,
) -> None:
    """Rank models, measures and numbers of clusters by how many bits they really tell.

    FILE holds one object per row (CSV, TSV, their .gz, NPY, Parquet, XLSX); the first text column
    holds the names. FILE2 is a second measurement of the same objects and the best there is;
    without it the columns of FILE are split into halves. A run that was interrupted goes on where
    it stopped when the same command is given again.
    """
    from gencap.cli._tables import open_table

    if second is not None:
        _refuse_splitting(context)
    tables = [open_table(path, missing) for path in (first, second) if path is not None]
    # Only base names: reports travel, and folders are nobody else's business.
    files = first.name if second is None else f"{first.name} and {second.name}"
    rows = len(tables[0].frame)
    settings = _effort(effort)
    settings |= {
        "models": models,
        "measures": measures or _usual_measures(rows),
        "n_clusters": clusters or _fitting(settings["n_clusters"], rows, split),
        "n_splits": splits or settings["n_splits"],
        "split": split,
        "client": scheduler,
        "n_jobs": jobs,
        "random_state": seed,
    }
    words: dict[str, object] = {
        "command": "gencap compare",
        "files": files,
        "column scale": scale,
        "missing": missing,
    }
    run_comparison(
        tables, settings, out, fresh=fresh, scale=scale, shown=words,
        name=printable(first.stem), description=f"Read from {files}.",
    )  # fmt: skip


def run_comparison(
    tables: list[OpenedTable],
    settings: dict[str, Any],
    out: Path,
    *,
    name: str,
    description: str,
    shown: dict[str, object],
    fresh: bool = False,
    scale: str = "none",
) -> Any:
    """Compare, save, report and print; what an interrupted run finished is used again."""
    import dataclasses

    import gencap
    from gencap.cli import _journal
    from gencap.cli._screen import Watch, console, show_comparison, show_note
    from gencap.report.comparison import write_comparison

    first, *others = (_scaled(table.frame, scale) for table in tables)
    notes = [note for table in tables for note in table.notes] + _uneven(first, scale)
    said = [_sentence(note) for note in notes]
    for note in said:
        show_note(note)
    settings |= {"second": others[0] if others else None, "out": out}
    with Watch(name) as watch, _journal.kept(out):
        found = _journal.prepare(out, fresh)
        if found:
            watch.say(found)
        result = _journal.go_on(
            lambda: gencap.compare(first, progress=watch, announce=watch.say, **settings), out
        )
    all_notes = (*said, *(_sentence(note) for note in result.notes))
    result = dataclasses.replace(result, notes=tuple(dict.fromkeys(all_notes)))
    out.mkdir(parents=True, exist_ok=True)
    result.save(out / _journal.FINISHED)
    page = write_comparison(
        out,
        result,
        first,
        original=tables[0].frame,
        name=name,
        description=description,
        truth=tables[0].known,
        settings=shown,
    )
    show_comparison(result, said)
    console().print(f"Report: {page}", soft_wrap=True)
    return result


def _refuse_splitting(context: click.Context) -> None:
    from click.core import ParameterSource

    for name, option in (("split", "--split"), ("splits", "--splits")):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} splits a single file, but two files were given; "
                f"leave out {option} or the second file"
            )


def _usual_measures(n_rows: int) -> tuple[str, ...]:
    if n_rows <= MANY_OBJECTS:
        return DEFAULT_MEASURES
    return ("sqeuclidean", "pearson", "path")


def _fitting(clusters: Iterable[int], n_rows: int, split: str) -> tuple[int, ...]:
    """Keep defaults to as many clusters as there are objects."""
    most = n_rows // 2 if split == "objects" else n_rows
    return tuple(k for k in clusters if k <= most) or (2,)


def _scaled(frame: pd.DataFrame, scale: str) -> pd.DataFrame:
    from gencap.study import StudyPlan, scaled

    scaled_frame: pd.DataFrame = scaled(frame, StudyPlan(scale=scale))
    return scaled_frame


def _uneven(frame: pd.DataFrame, scale: str) -> list[str]:
    from gencap.study import uneven_note

    return uneven_note(frame.to_numpy(dtype=float)) if scale == "none" else []


def _sentence(text: str) -> str:
    from gencap.study import sentence

    return sentence(text)
