"""Versions of everything that matters for a report."""

from __future__ import annotations

import platform

import numpy
import pandas
import pyqtgraph
import PySide6

import gencap
from gencap_gui import __version__

__all__ = ["versions"]


def versions() -> dict[str, str]:
    """Return the version by name."""
    return {
        "gencap": gencap.__version__,
        "gencap-gui": __version__,
        "Python": platform.python_version(),
        "Qt for Python": PySide6.__version__,
        "pyqtgraph": str(pyqtgraph.__version__),
        "numpy": numpy.__version__,
        "pandas": pandas.__version__,
        "system": f"{platform.system()} {platform.machine()}",
    }
