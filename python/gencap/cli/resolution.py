"""``gencap resolution``: choose how finely a graph of relations is divided."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gencap.cli._options import out_option, seed_option

if TYPE_CHECKING:
    from gencap.resolution import Resolution

__all__ = ["resolution_command"]

EPILOG = """\b
Examples:
  gencap resolution friends.csv --null-draws 19
  gencap resolution --features cells.csv --neighbors 15
"""


def _numbers(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        return tuple(float(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"got {value!r}; write numbers such as 0.01,0.02,0.05") from None


@click.command("resolution", epilog=EPILOG, short_help="Choose the resolution of a graph.")
@click.argument("edges", metavar="[EDGES]", type=click.Path(path_type=Path), required=False)
@click.argument("second", metavar="[EDGES2]", type=click.Path(path_type=Path), required=False)
@click.option(
    "--features",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Table the graph was made from, one row per object in the order of the objects' names; "
    "random halves of its columns are the two instances. Without EDGES the graph of nearest "
    "neighbors is made from it.",
)
@click.option(
    "--resolutions",
    metavar="LIST",
    callback=_numbers,
    help="Values to try, such as 0.01,0.02,0.05.  [default: 12 values by the graph's density]",
)
@click.option("--most-clusters", type=click.IntRange(2), default=30, show_default=True)
@click.option("--neighbors", type=click.IntRange(1), default=15, show_default=True)
@click.option("--splits", type=click.IntRange(1), default=3, show_default=True)
@click.option("--null-draws", type=click.IntRange(0), default=19, show_default=True)
@click.option("--jobs", type=int, help="Threads to use.  [default: all]")
@seed_option
@out_option
def resolution_command(
    edges: Path | None,
    second: Path | None,
    features: Path | None,
    resolutions: tuple[float, ...] | None,
    most_clusters: int,
    neighbors: int,
    splits: int,
    null_draws: int,
    jobs: int | None,
    seed: int,
    out: Path,
) -> None:
    """Choose the resolution (of CPM, as in Leiden) of the graph in EDGES by capacity.

    EDGES has one edge per row: two columns with the names of its ends, and optionally a third with
    its weight. EDGES2 is a second measurement of the same graph and the best there is.
    """
    if edges is None and features is None:
        raise click.UsageError("name a file of edges, or a table with --features")
    from gencap.cli._screen import Watch
    from gencap.resolution import select_resolution

    graph, other = _graphs(edges, second)
    name = (edges or features or Path()).name
    with Watch(name) as watch, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = select_resolution(
            graph,
            _table(features, graph),
            second=other,
            resolutions=resolutions,
            n_clusters=most_clusters,
            n_neighbors=neighbors,
            n_splits=splits,
            null_draws=null_draws,
            random_state=seed,
            n_jobs=jobs,
            progress=watch,
        )
    _show(found, name, [str(warning.message) for warning in heard])
    _write(found, out)


def _graphs(edges: Path | None, second: Path | None) -> tuple[Any, Any]:
    """Read one or two files of edges; objects of the second are matched by name."""
    from gencap.io import InputError, read_frame
    from gencap.networks import edge_network

    if edges is None:
        return None, None
    networks = []
    for path in (edges, second):
        if path is None:
            continue
        try:
            networks.append(edge_network(read_frame(path)))
        except ValueError as error:
            raise InputError(f"{path.name}: {error}") from None
    if second is None:
        return networks[0], None
    one, two = networks
    return one, two.ordered_like(one)


def _table(features: Path | None, graph: Any) -> Any:
    """Read the table of features; its rows are brought into the order of the graph's objects."""
    from gencap.io import InputError, read_table

    if features is None:
        return None
    frame = read_table(features).to_frame()
    if graph is None or graph.names is None:
        return frame
    index = frame.index.astype(str)
    names = [str(name) for name in graph.names]
    missing = [name for name in names if name not in set(index)]
    if missing:
        raise InputError(
            f"{features.name} has no row for {len(missing)} objects of the graph, such as "
            f"{missing[0]!r}; name the rows in the first column as in the edges"
        )
    return frame.set_axis(index).loc[names]


def _show(found: Resolution, name: str, notes: list[str]) -> None:
    from gencap.cli._screen import console, show_note, show_rows
    from gencap.report.words import amount

    rows = [
        [
            f"{value:.4g}",
            amount(capacity.bits, capacity.bits_sd, ""),
            f"{capacity.n_clusters:.3g}",
            "<- chosen" if value == found.best else "",
        ]
        for value, capacity in found.capacities.items()
    ]
    show_rows(name, ["resolution", "bits per object", "clusters", ""], rows)
    sizes = len(set(found.labels.tolist()))
    console().print(f"Verdict: {found.verdict_text}")
    console().print(
        f"Resolution {found.best:.4g} divides the {len(found.labels):,} objects into {sizes} "
        f"cluster{'' if sizes == 1 else 's'}; compared were {found.instances}."
    )
    for null in found.null.values():
        console().print(
            f"Random graphs with the same weights: {null.bits:.3f} ± {null.bits_sd:.2g} bits, "
            f"p = {null.p_value:.2g} ({len(null.draws)} draws)"
        )
    for note in dict.fromkeys(notes):
        show_note(note)


def _write(found: Resolution, out: Path) -> None:
    import numpy as np
    import pandas as pd

    from gencap.cli._screen import console
    from gencap.io import write_results
    from gencap.report import resolution_curve

    names = np.arange(len(found.labels)) if found.names is None else found.names
    labels = pd.DataFrame({"name": names, "cluster": found.labels + 1})
    plot = resolution_curve(found)
    files: dict[str, str | bytes] = {
        "resolution.csv": plot.table.to_csv(index=False),
        "labels.csv": labels.to_csv(index=False),
        "resolution.png": plot.png(),
        "resolution.svg": plot.svg(),
    }
    write_results(out, files)
    console().print(f"Clusters: {out / 'labels.csv'}", soft_wrap=True)
