"""The report folder: page, figures, tables and one JSON file, all or nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gencap.io import write_results
from gencap.report._canvas import Plot
from gencap.report._page import versions
from gencap.report.html import plots_of, render_html
from gencap.report.study import Study
from gencap.report.tables import contingency_table, labels_table, null_table, splits_table
from gencap.report.words import verdict_sentence, warnings_of
from gencap.results import Capacity, NullResult

__all__ = ["results_document", "write_report"]


def write_report(
    folder: str | Path,
    studies: Sequence[Study],
    *,
    title: str = "How many bits of the clustering are real?",
    settings: Mapping[str, object] | None = None,
) -> Path:
    """Write ``report.html``, ``figures/``, ``tables/`` and ``results.json``.

    Everything is made before the first file appears in `folder`; files already there under other
    names are left alone.

    Parameters
    ----------
    folder : str or Path
        Where to write; made if missing.
    studies : sequence of Study
        One section each.
    title : str
        Heading of the page.
    settings : mapping, optional
        Settings common to all studies, shown at the end of the page.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ValueError
        If `studies` is empty.
    InputError
        If the folder cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from gencap.study import StudyPlan, study_matrix
    >>> table = np.random.default_rng(0).standard_normal((40, 4))
    >>> study = study_matrix(table, title="Noise", plan=StudyPlan((1, 2), null_draws=0))
    >>> page = write_report(pathlib.Path(tempfile.mkdtemp()) / "out", [study])
    >>> sorted(path.name for path in page.parent.iterdir())
    ['figures', 'report.html', 'results.json', 'tables']
    """
    if not studies:
        raise ValueError("studies must hold at least one Study: got none; run a study first")
    plots = [plots_of(study) for study in studies]
    files: dict[str, str | bytes] = {}
    for slug, study, figures in zip(_slugs(studies), studies, plots, strict=True):
        files |= figure_files(figures, slug)
        files |= _table_files(slug, study, figures)
    document = results_document(studies, settings)
    files["results.json"] = json.dumps(document, allow_nan=False, indent=1)
    # File names may hold bytes that are not text; they show as question marks.
    page = render_html(studies, plots, title, settings)
    files["report.html"] = page.encode("utf-8", "replace")
    write_results(folder, files)
    return Path(folder) / "report.html"


def results_document(
    studies: Sequence[Study], settings: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """Return every number as plain JSON values; what is not a finite number becomes null."""
    return {
        "format": "gencap-report",
        "format_version": 1,
        "versions": versions(),
        "settings": json_values(dict(settings or {})),
        "studies": [_study_document(study) for study in studies],
    }


def _study_document(study: Study) -> dict[str, Any]:
    order = study.order
    document: dict[str, Any] = {
        "title": study.title,
        "description": study.description,
        "n_objects": study.data.shape[0],
        "n_columns": study.data.shape[1],
        "verdict": order.verdict,
        "verdict_text": order.verdict_text,
        "sentence": verdict_sentence(order),
        "warnings": warnings_of(study),
        "best": order.best,
        "level": order.level,
        "null": {kind: _null_document(null) for kind, null in order.null.items()},
        "capacities": {str(k): _capacity_document(c) for k, c in order.capacities.items()},
        "splits": splits_table(study).to_dict(orient="list"),
        "labels": labels_table(study).to_dict(orient="list"),
        "settings": dict(study.settings),
        "seed": study.best.seed,
        "seconds": study.seconds,
    }
    return {key: json_values(value) for key, value in document.items()}


def _null_document(null: NullResult) -> dict[str, Any]:
    return {
        "bits": null.bits,
        "bits_sd": null.bits_sd,
        "p_value": null.p_value,
        "draws": null.draws,
    }


def _capacity_document(capacity: Capacity) -> dict[str, Any]:
    return {
        "bits": capacity.bits,
        "raw_bits": capacity.raw_bits,
        "bits_sd": capacity.bits_sd,
        "bits_per_pair": capacity.bits_per_pair,
        "beta": capacity.beta,
        "n_clusters": capacity.n_clusters,
        "plateau": capacity.plateau,
        "optimistic": capacity.optimistic,
        "weights": capacity.weights,
        "coupling": capacity.coupling,
        "shift": capacity.shift,
        "null": {kind: _null_document(null) for kind, null in capacity.null.items()},
        "curve": None
        if capacity.curve is None
        else capacity.curve.to_frame().to_dict(orient="list"),
    }


def json_values(value: object) -> Any:
    """Return a value strict JSON can hold."""
    match value:
        case dict():
            return {str(k): json_values(v) for k, v in value.items()}
        case list() | tuple():
            return [json_values(v) for v in value]
        case np.ndarray():
            return [json_values(v) for v in value.tolist()]
        case bool() | np.bool_():
            return bool(value)
        case int() | np.integer():
            return int(value)
        case float() | np.floating():
            return float(value) if np.isfinite(value) else None
        case None:
            return None
        case _:
            return str(value)


def _slugs(studies: Sequence[Study]) -> list[str]:
    """Return a short file-safe name per study; numbers keep equal titles apart."""
    slugs: list[str] = []
    for number, study in enumerate(studies, start=1):
        slug = re.sub(r"[^a-z0-9]+", "-", study.title.lower()).strip("-")[:40].strip("-")
        slug = slug or f"study-{number}"
        slugs.append(f"{slug}-{number}" if slug in slugs else slug)
    return slugs


def figure_files(plots: Sequence[Plot], slug: str = "") -> dict[str, bytes]:
    """Return every figure as PNG and SVG, by file name."""
    files: dict[str, bytes] = {}
    for plot in plots:
        name = f"{slug}-{plot.name}" if slug else plot.name
        files[f"figures/{name}.png"] = plot.png()
        files[f"figures/{name}.svg"] = plot.svg()
    return files


def _table_files(slug: str, study: Study, plots: Sequence[Plot]) -> dict[str, bytes]:
    tables: dict[str, pd.DataFrame] = {plot.name: plot.table for plot in plots}
    tables["labels"] = labels_table(study)
    tables["tree"] = splits_table(study)
    if study.order.null:
        tables["null"] = null_table(study.order)
    classes = contingency_table(study)
    if classes is not None:
        tables["classes"] = classes
    return {f"tables/{slug}-{name}.csv": csv_bytes(table) for name, table in tables.items()}


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as the bytes of a CSV file."""
    # Frames without a named index carry only row numbers there.
    text: str = table.to_csv(index=table.index.name is not None, lineterminator="\n")
    return text.encode()
