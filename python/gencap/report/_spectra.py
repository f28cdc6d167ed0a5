"""Eigenspectra of the measures (Fig. 56 of the thesis)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pandas as pd

from gencap._validation import FloatArray
from gencap.report._canvas import Plot, new_figure, style
from gencap.report._compared import look, measure_title
from gencap.similarity import Measure
from gencap.summaries import eigenspectrum

__all__ = ["spectra"]

N_VALUES = 50
# The shape of a spectrum shows in a sample; larger ones take minutes for some measures.
MOST_OBJECTS = 3_000
CAPTION = (
    "Eigenvalues of the centered similarities, each spectrum divided by its largest. A curve that "
    "drops steeply and then stays low confines the objects to few dimensions, in which clusters "
    "stand apart; a flat one spreads them over many.{sample}"
)


def spectra(data: FloatArray, measures: Sequence[str]) -> Plot | None:
    """Draw the leading eigenvalues of every measure; None without a measure.

    Parameters
    ----------
    data : ndarray of shape (N, D)
        The objects.
    measures : sequence of str
        Names of measures; "" and "precomputed" are left out.

    Returns
    -------
    Plot or None
        The figure; its table has a column per measure, as computed.
    """
    known = [m for m in dict.fromkeys(measures) if m not in ("", "precomputed")]
    if not known or len(data) < 3:
        return None
    sample = data
    if len(data) > MOST_OBJECTS:
        sample = data[np.sort(np.random.default_rng(0).permutation(len(data))[:MOST_OBJECTS])]
    values = {m: eigenspectrum(sample, N_VALUES, cast(Measure, m)) for m in known}
    title = "Eigenspectra of the measures"
    with style():
        figure = new_figure(6.0, 4.4)
        axes = figure.subplots()
        for measure, found in values.items():
            color, mark = look(measure)
            share = found / max(float(found.max(initial=0.0)), np.finfo(float).tiny)
            shown = share[share > 1e-6]
            axes.plot(
                np.arange(1, len(shown) + 1),
                shown,
                color=color,
                marker=mark,
                markersize=4,
                linewidth=1.5,
                label=measure_title(measure),
            )
        axes.set_yscale("log")
        axes.set_xlabel("number of the eigenvalue")
        axes.set_ylabel("share of the largest eigenvalue")
        axes.set_title(title)
        axes.legend(loc="upper right")
    thinned = len(sample) < len(data)
    note = f" Computed on {len(sample):,} of {len(data):,} objects." if thinned else ""
    table = pd.DataFrame({m: pd.Series(v) for m, v in values.items()})
    table.index = table.index + 1
    table.index.name = "number"
    return Plot("spectra", figure, table, title, CAPTION.format(sample=note))
