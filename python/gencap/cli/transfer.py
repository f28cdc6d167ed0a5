"""``gencap transfer FILE``: transfer costs and classical criteria of a user's own table."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from gencap.cli._options import cluster_range, out_option, seed_option

if TYPE_CHECKING:
    from gencap.criteria import Criterion
    from gencap.transfer import TransferCosts

__all__ = ["transfer_command"]

EPILOG = """\b
Examples:
  gencap transfer cells.csv --clusters 1-8 --scale standard
  gencap transfer cells.csv --model gaussian --covariance full
  gencap transfer replicate1.csv replicate2.csv --quick
"""
MAPPINGS = ("auto", "identity", "nearest", "centroid", "soft", "soft_objects", "hungarian")
MEASURES = ("pearson", "cosine", "euclidean", "sqeuclidean")


@click.command("transfer", epilog=EPILOG, short_help="Transfer costs, BIC, gap and others.")
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
    type=click.Choice(["centroid", "gaussian", "pairwise", "correlation"]),
    default="centroid",
    show_default=True,
    help="k-means costs, a Gaussian mixture, pairwise or correlation clustering.",
)
@click.option(
    "--covariance",
    type=click.Choice(["spherical", "diag", "full"]),
    help="Covariance of the gaussian model.  [default: full]",
)
@click.option(
    "--measure",
    type=click.Choice(MEASURES),
    help="Similarity of the pairwise and correlation models.  [default: pearson]",
)
@click.option(
    "--mapping",
    type=click.Choice(MAPPINGS),
    default="auto",
    show_default=True,
    help="How clusters of the first sample are carried over to the second.",
)
@click.option(
    "--splits",
    type=click.IntRange(min=1),
    help="Random halves of the rows, for error bars.  [default: 5; 3 with --quick]",
)
@click.option(
    "--scale",
    type=click.Choice(["none", "standard"]),
    default="none",
    show_default=True,
    help="Bring every column to mean 0 and standard deviation 1 first.",
)
@click.option("--quick", is_flag=True, help="Fewer splits and references; for a first look.")
@click.option("--jobs", type=int, help="Threads to use.  [default: all]")
@seed_option
@out_option
@click.pass_context
def transfer_command(context: click.Context, /, **options: Any) -> None:
    """Choose the number of clusters of FILE by transfer costs, BIC, AIC, gap and instability.

    FILE holds one object per row. Its rows are split into random halves: clusters of one half are
    priced on the other. FILE2 is a second measurement of the same objects and takes the place of
    the second half.
    """
    if options["second"] is not None:
        source = context.get_parameter_source("splits")
        if source is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                "--splits splits a single file, but two files were given; leave out one of them"
            )
    chosen = context.get_parameter_source("clusters") is not ParameterSource.DEFAULT
    _run(options, chosen)


def _run(options: dict[str, Any], chosen: bool) -> None:
    from gencap.cli._screen import Watch, console, show_note
    from gencap.io import read_table
    from gencap.study import standardized

    paths = [path for path in (options["first"], options["second"]) if path is not None]
    tables = [read_table(path) for path in paths]
    frames = [table.to_frame() for table in tables]
    if options["scale"] == "standard":
        frames = [standardized(frame) for frame in frames]
    model = _model(options)
    samples = _samples(frames, options)
    clusters, notes = _within(options["clusters"], samples, paths[0].name, chosen)
    notes = [note for table in tables for note in table.notes] + notes
    with warnings.catch_warnings(record=True) as heard, Watch(paths[0].name) as watch:
        warnings.simplefilter("always")
        costs, criteria = _measure(model, frames[0], samples, clusters, options, watch)
    notes += [str(one.message) for one in heard]
    _show(paths[0].stem, costs, criteria)
    for note in dict.fromkeys(notes):
        show_note(note)
    _write(options, [path.name for path in paths], costs, criteria)
    console().print(f"Written to {options['out']}", soft_wrap=True)


def _model(options: dict[str, Any]) -> Any:
    from gencap.annealing import Annealing
    from gencap.models import CorrelationClustering, GaussianMixture, PairwiseClustering

    kind, covariance, measure = (options[name] for name in ("model", "covariance", "measure"))
    if covariance is not None and kind != "gaussian":
        raise click.UsageError("--covariance belongs to --model gaussian; leave it out")
    if measure is not None and kind not in ("pairwise", "correlation"):
        raise click.UsageError("--measure belongs to the pairwise and correlation models")
    if kind == "centroid":
        from sklearn.cluster import KMeans

        # Here only the lowest cost counts: ten starts find it more often than one annealing does.
        return KMeans(n_init=10)
    if kind == "gaussian":
        # Surplus components converge slowly, and all numbers are to be compared fairly.
        patient = Annealing(max_iter=2_000)
        return GaussianMixture(covariance=covariance or "full", annealing=patient, n_init=4)
    graph = PairwiseClustering if kind == "pairwise" else CorrelationClustering
    return graph(measure=measure or "pearson")


def _samples(frames: list[Any], options: dict[str, Any]) -> Any:
    from gencap.holdout import holdouts
    from gencap.instances import Pair

    if len(frames) == 2:
        return Pair(*frames)
    count = options["splits"] or (3 if options["quick"] else 5)
    return holdouts(frames[0], count, random_state=options["seed"])


def _within(
    clusters: tuple[int, ...], samples: Any, name: str, chosen: bool
) -> tuple[tuple[int, ...], list[str]]:
    """Keep to as many clusters as the smaller sample has objects."""
    from gencap.holdout import as_holdouts

    most = min(min(one.sizes) for one in as_holdouts(samples))
    if clusters[-1] <= most:
        return clusters, []
    reason = f"{name} leaves {most} object{'' if most == 1 else 's'} in a sample"
    if chosen:
        raise click.BadParameter(
            f"got up to {clusters[-1]}, but {reason}; choose {most} or fewer",
            param_hint="--clusters",
        )
    fitting = tuple(k for k in clusters if k <= most)
    return fitting, [f"{reason}: at most {most} clusters were tried"]


def _measure(
    model: Any,
    frame: Any,
    samples: Any,
    clusters: tuple[int, ...],
    options: dict[str, Any],
    watch: Any,
) -> tuple[TransferCosts, dict[str, Criterion]]:
    from gencap.criteria import aic, bic, gap_statistic, instability
    from gencap.transfer import transfer_costs

    shared: dict[str, Any] = {
        "n_clusters": clusters,
        "random_state": options["seed"],
        "n_jobs": options["jobs"],
        "progress": watch,
    }
    costs = transfer_costs(model, samples, mapping=options["mapping"], **shared)
    criteria: dict[str, Criterion] = {}
    if options["model"] != "correlation":
        criteria["BIC"], criteria["AIC"] = bic(model, frame, **shared), aic(model, frame, **shared)
    references = 5 if options["quick"] else 20
    criteria["gap"] = gap_statistic(model, frame, n_references=references, **shared)
    if clusters[-1] > 1:
        criteria["instability"] = instability(model, samples, **shared)
    return costs, criteria


def _show(title: str, costs: TransferCosts, criteria: dict[str, Criterion]) -> None:
    from gencap.cli._screen import console, show_rows

    chosen = {"transfer": costs.best} | {name: one.best for name, one in criteria.items()}
    rows = []
    for k in costs.costs.index:
        cells = [_number(costs.costs[k]), _number(costs.train_costs[k])]
        cells += [_number(one.values[k]) for one in criteria.values()]
        marks = [name for name, best in chosen.items() if best == k]
        rows.append((str(k), *cells, " ".join(marks)))
    headings = ("K", "transfer", "own", *criteria, "chosen by")
    show_rows(f"{title}: costs {costs.unit}", headings, rows)
    words = ", ".join(f"{name} {best}" for name, best in chosen.items())
    console().print(f"Number of clusters: {words} (mapping: {costs.mapping})")


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.4g}"


def _write(
    options: dict[str, Any],
    names: list[str],
    costs: TransferCosts,
    criteria: dict[str, Criterion],
) -> None:
    from gencap.io import write_results
    from gencap.report import transfer_plot

    plot = transfer_plot(costs, criteria)
    document = {
        "command": "gencap transfer",
        "files": names,
        "settings": {
            name: options[name]
            for name in ("model", "covariance", "measure", "scale", "quick", "seed")
        },
        "mapping": costs.mapping,
        "unit": costs.unit,
        "best": {"transfer": costs.best} | {name: one.best for name, one in criteria.items()},
    }
    files: dict[str, str | bytes] = {
        "tables/transfer.csv": plot.table.to_csv().encode(),
        "figures/transfer.png": plot.png(),
        "figures/transfer.svg": plot.svg(),
        "transfer.json": json.dumps(document, indent=2) + "\n",
    }
    write_results(options["out"], files)
