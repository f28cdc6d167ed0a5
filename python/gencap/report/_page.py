"""Parts that every page is made of: tables of text, embedded figures, the template engine."""

from __future__ import annotations

import base64
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import gencap
from gencap.report._canvas import Plot

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["Cells", "count_of", "figure_data", "size_of", "template", "text_of", "versions"]


@dataclass(frozen=True)
class Cells:
    """A table as the template sees it: headings, rows of text, and which rows stand out."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    marked: Sequence[bool] = ()


def versions() -> dict[str, str]:
    """Return the versions that produced a report."""
    import scipy
    import sklearn

    return {
        "gencap": gencap.__version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": str(sklearn.__version__),
        "pandas": pd.__version__,
    }


def template(name: str) -> Template:
    """Return a page's template; everything put into it is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("gencap.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def figure_data(plot: Plot, shape: str) -> dict[str, str]:
    """Return an image as a data address: its ids and fonts cannot disturb the page's."""
    kind, content = ("png", plot.png()) if plot.heavy else ("svg+xml", plot.svg())
    return {
        "shape": shape,
        "title": plot.title,
        "caption": plot.caption,
        "source": f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}",
        "width": f"{plot.figure.get_figwidth() * 100:.0f}",
        "height": f"{plot.figure.get_figheight() * 100:.0f}",
    }


def count_of(number: int, what: str) -> str:
    """Return a number with its noun in the right form.

    Examples
    --------
    >>> count_of(1, "object"), count_of(2467, "object")
    ('1 object', '2,467 objects')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def size_of(n_objects: int, n_columns: int) -> str:
    """Return the size of a table in words."""
    return f"{count_of(n_objects, 'object')}, {count_of(n_columns, 'column')}"


def text_of(value: object) -> str:
    """Return a setting as a reader would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(text_of(v) for v in value)
    return "none" if value is None else str(value)
