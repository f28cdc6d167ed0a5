"""The page: everything in one file that opens anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from gencap.report._canvas import NULL_NAMES, Plot
from gencap.report._capacity_curve import capacity_curve
from gencap.report._order_curve import order_curve
from gencap.report._page import Cells, figure_data, size_of, template, text_of, versions
from gencap.report._scatter import scatter
from gencap.report._split_diagram import split_diagram
from gencap.report.study import Study
from gencap.report.tables import contingency_table
from gencap.report.words import amount, chosen, p_value, unconverged, verdict_sentence, warnings_of
from gencap.results import Capacity, Order

__all__ = ["plots_of", "render_html", "versions"]


def plots_of(study: Study) -> list[Plot]:
    """Return the figures of a study, in reading order."""
    plots = []
    detail, remark = _detailed(study)
    if detail.curve is not None:
        plots.append(capacity_curve(detail, study.order.null))
    if detail.trajectories and len(detail.trajectories[0]):
        plots.append(split_diagram(detail.trajectories[0], detail.beta))
    plots = [replace(plot, caption=plot.caption + remark) for plot in plots]
    return [order_curve(study.order), *plots, scatter(study)]


def _detailed(study: Study) -> tuple[Capacity, str]:
    """Return the result whose annealing is shown; one cluster has none, the strongest stands in."""
    if study.best.curve is not None or study.order.best > 1:
        return study.best, ""
    others = [(k, c) for k, c in study.order.capacities.items() if c.curve is not None]
    if not others:
        return study.best, ""
    k, strongest = max(others, key=lambda item: item[1].raw_bits)
    return strongest, f" Shown for K = {k}, the strongest of those tried."


def render_html(
    studies: Sequence[Study],
    plots: Sequence[Sequence[Plot]],
    title: str = "How many bits of the clustering are real?",
    settings: Mapping[str, object] | None = None,
) -> str:
    """Return a self-contained page.

    Parameters
    ----------
    studies : sequence of Study
        One section each.
    plots : sequence of sequence of Plot
        The figures of each study, see `plots_of`.
    title : str
        Heading of the page.
    settings : mapping, optional
        Settings common to all studies.

    Returns
    -------
    str
        HTML. Names from files are escaped; nothing is fetched from anywhere.
    """
    sections = [
        _section(number, study, figures)
        for number, (study, figures) in enumerate(zip(studies, plots, strict=True), start=1)
    ]
    return template("report.html.j2").render(
        title=title,
        sections=sections,
        settings={k: text_of(v) for k, v in (settings or {}).items()},
        versions=versions(),
    )


def _section(number: int, study: Study, plots: Sequence[Plot]) -> dict[str, Any]:
    order = study.order
    best = chosen(order)
    classes = contingency_table(study)
    return {
        "id": f"study-{number}",
        "title": study.title,
        "description": study.description,
        "verdict": order.verdict,
        "headline": order.verdict_text,
        "sentence": verdict_sentence(order),
        "bits": amount(best.bits, best.bits_sd, ""),
        "best": order.best,
        "size": size_of(*study.data.shape),
        "warnings": warnings_of(study),
        "orders": _order_cells(order),
        "nulls": _null_cells(order),
        "draws": max((len(null.draws) for null in order.null.values()), default=0),
        "classes": None if classes is None else _class_cells(classes),
        "figures": [figure_data(plot, _shape(plot, study)) for plot in plots],
        "settings": {**{k: text_of(v) for k, v in study.settings.items()}, **_made(study)},
    }


def _made(study: Study) -> dict[str, str]:
    failed, steps = unconverged(study.best)
    return {
        "coupling of the two runs": study.best.coupling,
        "not converged": f"{failed} of {steps} temperatures",
        "seed": str(study.best.seed),
        "elapsed": f"{study.seconds:.1f} s",
    }


def _shape(plot: Plot, study: Study) -> str:
    """Return how a figure sits on the page; four fill two rows unless the scatter is double."""
    if study.truth is None:
        return "half"
    return {"scatter": "wide", "splits": "side"}.get(plot.name, "half")


def _order_cells(order: Order) -> Cells:
    rows = [
        (
            str(k),
            amount(c.bits, c.bits_sd, ""),
            amount(c.raw_bits, unit=""),
            f"{c.n_clusters:.3g}",
            f"{c.beta:.3g}",
            str(max(1, len(c.bits_per_pair))),
        )
        for k, c in order.capacities.items()
    ]
    headings = ("K", "bits per object", "raw bits", "effective clusters", "best β", "pairs")
    return Cells(headings, rows, [k == order.best for k in order.capacities])


def _null_cells(order: Order) -> Cells:
    rows = [
        (
            NULL_NAMES.get(kind, kind),
            amount(null.bits, null.bits_sd, ""),
            p_value(null).removeprefix("p ").removeprefix("= "),
        )
        for kind, null in order.null.items()
    ]
    return Cells(("null", "bits per object", "p-value"), rows)


def _class_cells(classes: pd.DataFrame) -> Cells:
    rows = [
        (str(cluster), *(str(int(v)) for v in counts))
        for cluster, counts in zip(classes.index, classes.to_numpy(), strict=True)
    ]
    return Cells(("cluster", *(str(c) for c in classes.columns)), rows)
