"""Figures without global state, their look, and their bytes as PNG or SVG."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Plot"]

# Okabe & Ito (2008): distinguishable with every common form of color blindness. Yellow is left
# out of lines and text (too pale on white) and darkened here.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#E69F00", "#333333")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
INK = "#222222"
MUTED = "#6b7280"
NULL_COLORS = {"independent": "#6b7280", "gaussian": "#E69F00"}
NULL_NAMES = {"independent": "independent columns", "gaussian": "Gaussian continuum"}

# Typed loosely: matplotlib's own type for settings lists every name of one release.
STYLE: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": "#9ca3af",
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e7eb",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "gencap",
}


@dataclass(frozen=True, eq=False)
class Plot:
    """A figure, the numbers drawn in it, and the words that go with it.

    Parameters
    ----------
    name : str
        Short name for files, such as ``"order"``.
    figure : matplotlib.figure.Figure
        The drawing.
    table : pandas.DataFrame
        Every number the drawing shows, unclipped.
    title, caption : str
        Heading, and what a reader should look for.
    heavy : bool
        Whether pages should embed pixels instead of vectors.
    """

    name: str
    figure: Figure
    table: pd.DataFrame
    title: str
    caption: str
    heavy: bool = False

    def png(self, dpi: int = 150) -> bytes:
        """Return the figure as PNG bytes."""
        return _render(self.figure, "png", dpi)

    def svg(self, dpi: int = 150) -> bytes:
        """Return the figure as SVG bytes; `dpi` is for rasterized parts."""
        return _render(self.figure, "svg", dpi)


@contextmanager
def style() -> Iterator[None]:
    """Draw inside this block; matplotlib's own settings return afterwards."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # Names in scripts the font lacks show as boxes; that is no reason to stop a report.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that no global state knows of."""
    from matplotlib.figure import Figure as NewFigure

    return NewFigure(figsize=(width, height), layout="constrained")


def _render(figure: Figure, kind: str, dpi: int) -> bytes:
    buffer = io.BytesIO()
    # Without the date the same numbers give the same bytes.
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    with style():
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=metadata)
    return buffer.getvalue()


def palette(n_colors: int) -> list[str]:
    """Return `n_colors` colors: Okabe-Ito up to eight, then twenty of tab20, then in cycles."""
    if n_colors <= len(OKABE_ITO):
        return list(OKABE_ITO[:n_colors])
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    twenty = [to_hex(mpl.colormaps["tab20"](i)) for i in range(20)]
    # Dark tones first, so that neighbors in the list differ clearly.
    ordered = twenty[::2] + twenty[1::2]
    return [ordered[i % 20] for i in range(n_colors)]


def marker(index: int, n_clusters: int) -> str:
    """Return the marker of a cluster; shapes vary only where colors repeat or get close."""
    if n_clusters <= len(OKABE_ITO):
        return "o"
    return MARKERS[(index // 20 if n_clusters > 20 else index // 10) % len(MARKERS)]


def plain(text: object, limit: int = 40) -> str:
    """Return untrusted text as matplotlib may show it: short, one line, no math markup."""
    words = "".join(c if c.isprintable() else " " for c in str(text)).strip()
    if len(words) > limit:
        words = words[: limit - 1].rstrip() + "…"
    return words.replace("$", r"\$")


def plain_log_axis(axes: Axes, which: str = "x") -> None:
    """Make an axis logarithmic with plain numbers (0.5, 20), not powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    decades = abs(float(np.log10(high / low))) if low > 0 and high > 0 else 1.0
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0) if decades < 4 else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def for_display(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Clip to one height beyond the window, so that steep lines leave it; the table stays exact."""
    span = high - low
    finite = np.nan_to_num(values, nan=np.nan, posinf=high + span, neginf=low - span)
    return np.asarray(np.clip(finite, low - span, high + span), dtype=np.float64)
