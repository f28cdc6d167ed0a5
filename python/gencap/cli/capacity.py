"""``gencap capacity FILE``: the bits of a user's own table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from gencap.cli._app import printable
from gencap.cli._options import cluster_range, out_option, seed_option

if TYPE_CHECKING:
    from gencap.study import StudyPlan

__all__ = ["capacity_command"]

EPILOG = """\b
Examples:
  gencap capacity cells.csv --clusters 1-8 --scale standard
  gencap capacity replicate1.csv replicate2.csv --quick
"""


@click.command("capacity", epilog=EPILOG, short_help="Measure the bits of your own table.")
@click.argument("first", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("second", metavar="[FILE2]", type=click.Path(path_type=Path), required=False)
@click.option(
    "--clusters",
    metavar="RANGE",
    callback=cluster_range,
    default="1-10",
    show_default=True,
    help="Numbers of clusters to try, such as 1-10 or 2,3,5.",
)
@click.option(
    "--model",
    type=click.Choice(["centroid", "gaussian"]),
    default="centroid",
    show_default=True,
    help="k-means costs, or a Gaussian mixture.",
)
@click.option(
    "--covariance",
    type=click.Choice(["fixed", "spherical", "diag", "full"]),
    help="Covariance of the gaussian model.  [default: fixed]",
)
@click.option(
    "--split",
    type=click.Choice(["interleave", "random", "objects"]),
    default="random",
    show_default=True,
    help="How one table becomes two measurements: every other column, random halves of the "
    "columns, or halves of the rows matched by proximity (optimistic).",
)
@click.option(
    "--splits",
    type=click.IntRange(min=1),
    help="Number of random splits, for error bars.  [default: 5; 3 with --quick]",
)
@click.option(
    "--null-draws",
    type=click.IntRange(min=0),
    help="Structureless twins drawn per null; 0 for none.  [default: 99; 19 with --quick]",
)
@click.option(
    "--scale",
    type=click.Choice(["none", "standard"]),
    default="none",
    show_default=True,
    help="Bring every column to mean 0 and standard deviation 1 first.",
)
@click.option("--quick", is_flag=True, help="Fewer splits and null draws; for a first look.")
@click.option("--jobs", type=int, help="Threads to use.  [default: all]")
@seed_option
@out_option
@click.pass_context
def capacity_command(
    context: click.Context,
    first: Path,
    second: Path | None,
    clusters: tuple[int, ...],
    model: str,
    covariance: str | None,
    split: str,
    splits: int | None,
    null_draws: int | None,
    scale: str,
    quick: bool,
    jobs: int | None,
    seed: int,
    out: Path,
) -> None:
    """Measure how many bits of the clustering of FILE are real.

    FILE holds one object per row (CSV, TSV, their .gz, NPY, Parquet, XLSX); the first text column
    holds the names. FILE2 is a second measurement of the same objects and the best there is;
    without it the columns of FILE are split into two halves.
    """
    if second is not None:
        _refuse_splitting(context)
    from gencap.study import StudyPlan

    plan = StudyPlan(
        clusters=clusters,
        model=model,
        covariance=covariance,
        split=split,
        n_splits=splits if splits is not None else (3 if quick else 5),
        null_draws=null_draws if null_draws is not None else (19 if quick else 99),
        scale=scale,
        seed=seed,
        n_jobs=jobs,
    )
    chosen = context.get_parameter_source("clusters") is not ParameterSource.DEFAULT
    _run(first, second, plan, out, chosen)


def _refuse_splitting(context: click.Context) -> None:
    for name, option in (("split", "--split"), ("splits", "--splits")):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{option} splits a single file, but two files were given; "
                f"leave out {option} or the second file"
            )


def _within(plan: StudyPlan, n_rows: int, name: str, chosen: bool) -> tuple[StudyPlan, list[str]]:
    """Keep to as many clusters as there are objects: refuse what the user chose, cut defaults."""
    halved = plan.split == "objects" and n_rows > 1
    most = max(1, n_rows // 2 if halved else n_rows)
    if plan.clusters[-1] <= most:
        return plan, []
    rows = f"{n_rows} row{'' if n_rows == 1 else 's'}"
    reason = f"{name} has {rows}" + (f", {most} in each half" if halved else "")
    if chosen:
        raise click.BadParameter(
            f"got up to {plan.clusters[-1]}, but {reason}; choose {most} or fewer",
            param_hint="--clusters",
        )
    fitting = tuple(k for k in plan.clusters if k <= most)
    return replace(plan, clusters=fitting), [f"{reason}: at most {fitting[-1]} clusters were tried"]


def _run(first: Path, second: Path | None, plan: StudyPlan, out: Path, chosen: bool) -> None:
    from gencap.cli._screen import Watch, console, show_study
    from gencap.io import read_table
    from gencap.report import write_report
    from gencap.study import study_matrix

    # Only base names: reports travel, and folders are nobody else's business.
    files = first.name if second is None else f"{first.name} and {second.name}"
    tables = [read_table(path) for path in (first, second) if path is not None]
    if second is None and plan.split != "objects" and tables[0].values.shape[1] < 2:
        raise click.UsageError(
            f"{first.name} has one column, which cannot be split into two halves; name a second "
            "measurement as FILE2, or use --split objects"
        )
    plan, cut = _within(plan, len(tables[0].values), first.name, chosen)
    with Watch(first.name) as watch:
        study = study_matrix(
            *(table.to_frame() for table in tables),
            title=printable(first.stem),
            description=f"Read from {files}.",
            plan=plan,
            notes=[note for table in tables for note in table.notes] + cut,
            progress=watch,
        )
    page = write_report(out, [study], settings={"command": "gencap capacity", "files": files})
    show_study(study)
    console().print(f"Report: {page}", soft_wrap=True)
