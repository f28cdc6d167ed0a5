"""Which versions computed a result."""

from __future__ import annotations

import platform

import numpy as np
import scipy
import sklearn

from gencap._core import __version__

__all__ = ["__version__", "versions"]


def versions() -> dict[str, str]:
    """Return the versions of everything that takes part in a number.

    Examples
    --------
    >>> sorted(versions())
    ['gencap', 'numpy', 'python', 'scikit-learn', 'scipy']
    """
    return {
        "gencap": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
