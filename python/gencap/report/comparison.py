"""The report of a comparison: page, figures, tables and one JSON file, all or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gencap._validation import Matrix, check_matrix
from gencap.io import Table, write_results
from gencap.report._canvas import Plot
from gencap.report._capacity_curve import capacity_curve
from gencap.report._coclustering_matrix import coclustering_matrix
from gencap.report._compared import ComparisonLike, SolutionLike
from gencap.report._comparison_page import render_comparison
from gencap.report._comparison_words import (
    comparison_sentence,
    comparison_warnings,
    lead_sentence,
)
from gencap.report._order_panels import order_panels
from gencap.report._profile_panels import profile_panels
from gencap.report._ranking_bars import ranking_bars
from gencap.report._scan_panels import scan_panels
from gencap.report._scatter import scatter_plot
from gencap.report._spectra import spectra
from gencap.report.files import csv_bytes, figure_files, json_values
from gencap.summaries import label_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["comparison_plots", "comparison_to_html", "plot_comparison", "write_comparison"]

TITLE = "Which clustering do the data confirm?"


def write_comparison(
    folder: str | os.PathLike[str],
    comparison: ComparisonLike,
    table: Any = None,
    *,
    original: Any = None,
    name: str = "",
    description: str = "",
    title: str = TITLE,
    truth: Any = None,
    settings: Mapping[str, object] | None = None,
) -> Path:
    """Write ``report.html``, ``figures/``, ``tables/`` and ``results.json``.

    Parameters
    ----------
    folder : path-like
        Where to write; made if missing. Files there under other names are left alone.
    comparison : Comparison
        What `gencap.compare` returned.
    table : Table, DataFrame or array-like of shape (N, D), optional
        The data that were compared, for profiles, spectra and the scatter; without it these are
        left out.
    original : Table, DataFrame or array-like of shape (N, D), optional
        The same in the user's units, for the profiles, where `table` was scaled.
    name, description, title : str
        Name of the data, a sentence about them, and the heading of the page.
    truth : array-like of shape (N,), optional
        Known classes, shown beside the clusters and never used to find them.
    settings : mapping, optional
        Settings to show beside the comparison's own.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    data = _matrix(table)
    plots = comparison_plots(comparison, data, original=_matrix(original), truth=truth)
    files: dict[str, str | bytes] = {}
    files |= figure_files(plots)
    tables = comparison_tables(comparison, plots)
    files |= {f"tables/{key}.csv": csv_bytes(found) for key, found in tables.items()}
    document = comparison_document(comparison, name, tables)
    files["results.json"] = json.dumps(document, allow_nan=False, indent=1)
    page = render_comparison(
        comparison, plots, data, name=name, description=description, title=title, settings=settings
    )
    files["report.html"] = page.encode("utf-8", "replace")
    write_results(folder, files)
    return Path(folder) / "report.html"


def comparison_to_html(
    comparison: ComparisonLike, path: str | os.PathLike[str], table: Any = None, **options: Any
) -> Path:
    """Write the page alone, with everything in it, to one file."""
    data = _matrix(table)
    plots = comparison_plots(comparison, data)
    page = render_comparison(comparison, plots, data, alone=True, **options)
    target = Path(path)
    target.write_bytes(page.encode("utf-8", "replace"))
    return target


def plot_comparison(comparison: ComparisonLike, kind: str = "order") -> Figure:
    """Draw capacity against the number of clusters ("order"), the "ranking" or the "scans"."""
    from gencap._validation import check_choice

    makers = {"order": order_panels, "ranking": ranking_bars, "scans": scan_panels}
    check_choice(kind, "kind", makers)
    _refuse_empty(comparison)
    plot = makers[kind](comparison)
    if plot is None:
        raise ValueError("nothing was scanned: only correlation clustering and ratio cuts are")
    return plot.figure


def comparison_plots(
    comparison: ComparisonLike,
    data: Matrix | None = None,
    *,
    original: Matrix | None = None,
    truth: Any = None,
) -> list[Plot]:
    """Return the figures of a comparison, in reading order.

    Parameters
    ----------
    comparison : Comparison
        What `gencap.compare` returned.
    data : Matrix, optional
        The data that were compared.
    original : Matrix, optional
        The same before they were scaled.
    truth : array-like of shape (N,), optional
        Known classes.

    Returns
    -------
    list of Plot
    """
    if comparison.winner is None:
        return []
    model, measure, p, k = comparison.winner
    best = comparison.order(model, measure, p).capacities[int(k)]
    plots: list[Plot | None] = [ranking_bars(comparison), order_panels(comparison)]
    plots.append(scan_panels(comparison))
    plots.append(None if best.curve is None else capacity_curve(best, comparison.null))
    if data is not None:
        plots.append(spectra(data.values, list(comparison.table["measure"])))
    solution = comparison.solutions.get((model, measure))
    if data is not None and solution is not None:
        plots.append(_scatter_of(solution, data, truth))
    plots.append(coclustering_matrix(comparison))
    if data is not None and solution is not None:
        shown = (data if original is None else original).values[np.asarray(solution.index)]
        plots.append(profile_panels(shown, solution.labels, data.columns, measure))
    return [plot for plot in plots if plot is not None]


def _scatter_of(solution: SolutionLike, data: Matrix, truth: Any) -> Plot:
    rows = np.asarray(solution.index)
    return scatter_plot(
        data.values[rows],
        np.asarray(solution.labels),
        np.asarray(solution.confidence, dtype=np.float64),
        columns=data.columns,
        truth=None if truth is None else np.asarray(truth)[rows],
    )


def comparison_tables(comparison: ComparisonLike, plots: Sequence[Plot]) -> dict[str, pd.DataFrame]:
    """Return every table of a comparison, by the name of its file."""
    tables = {
        "comparison": comparison.table,
        "ranking-candidates": comparison.ranking("candidate"),
        "ranking-models": comparison.ranking("model"),
        "ranking-measures": comparison.ranking("measure"),
        "differences": comparison.differences(),
        "bits-per-split": comparison.split_bits,
    }
    tables |= {plot.name: plot.table for plot in plots if plot.name not in ("ranking", "order")}
    if comparison.winner is not None:
        solution = comparison.solutions.get(comparison.winner[:2])
        if solution is not None:
            tables["labels"] = label_table(solution)
    if comparison.null:
        draws = pd.DataFrame({kind: pd.Series(n.draws) for kind, n in comparison.null.items()})
        draws.index = draws.index + 1
        draws.index.name = "draw"
        tables["null"] = draws
    return tables


def comparison_document(
    comparison: ComparisonLike, name: str, tables: Mapping[str, pd.DataFrame]
) -> dict[str, Any]:
    """Return every number as plain JSON values; what is not a finite number becomes null."""
    document: dict[str, Any] = {
        "format": "gencap-comparison",
        "format_version": 1,
        "name": name,
        "verdict": comparison.verdict,
        "verdict_text": comparison.verdict_text,
        "sentence": comparison_sentence(comparison),
        "lead": lead_sentence(comparison),
        "warnings": comparison_warnings(comparison),
        "winner": None
        if comparison.winner is None
        else dict(zip(("model", "measure", "p", "n_clusters"), comparison.winner, strict=True)),
        "null": {
            kind: {
                "bits": null.bits,
                "bits_sd": null.bits_sd,
                "p_value": null.p_value,
                "corrected_p_value": comparison.corrected.get(kind),
                "draws": null.draws,
            }
            for kind, null in comparison.null.items()
        },
        "settings": dict(comparison.settings),
        "versions": dict(comparison.versions),
        "seed": comparison.seed,
        "tables": {
            key: found.reset_index(drop=found.index.name is None).to_dict(orient="list")
            for key, found in tables.items()
            if key not in ("null", "scatter")
        },
    }
    return {key: json_values(value) for key, value in document.items()}


def _matrix(table: Any) -> Matrix | None:
    if table is None or isinstance(table, Matrix):
        return table
    if isinstance(table, Table):
        return Matrix(table.values, table.names, table.columns)
    return check_matrix(table, "table")


def _refuse_empty(comparison: ComparisonLike) -> None:
    if comparison.winner is None:
        raise ValueError("nothing was measured, so there is nothing to draw: see .notes for why")
