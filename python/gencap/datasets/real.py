"""Real data sets that come with scikit-learn, so that nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.datasets

from gencap._validation import FloatArray, check_choice
from gencap.datasets._dataset import Dataset, from_table

__all__ = ["REAL", "load"]

REAL: dict[str, tuple[Callable[[], Any], str]] = {
    "wine": (sklearn.datasets.load_wine, "178 Italian wines of 3 cultivars, 13 chemical values"),
    "digits": (sklearn.datasets.load_digits, "1,797 handwritten digits of 8 x 8 pixels"),
    "iris": (sklearn.datasets.load_iris, "150 irises of 3 species, 4 lengths"),
    "breast_cancer": (
        sklearn.datasets.load_breast_cancer,
        "569 tumors, benign or malignant, 30 values from images of cell nuclei",
    ),
}


def load(name: str, standardize: bool = True) -> Dataset:
    """Load a real data set: "wine", "digits", "iris" or "breast_cancer".

    Parameters
    ----------
    name : str
        Which one.
    standardize : bool
        Give every column mean 0 and variance 1; constant columns become 0.

    Returns
    -------
    Dataset
        `data` is the whole table, `first` and `second` its even and odd columns, `truth` the known
        classes. The population information is unknown.

    Examples
    --------
    >>> wine = load("wine")
    >>> wine.data.shape, wine.first.shape, wine.second.shape
    ((178, 13), (178, 7), (178, 6))
    """
    check_choice(name, "name", REAL)
    loader, description = REAL[name]
    bunch = loader()
    data = np.ascontiguousarray(bunch.data, dtype=np.float64)
    columns = np.array([str(label) for label in bunch.feature_names], dtype=object)
    if standardize:
        data = _standardized(data)
    return from_table(data, bunch.target, description, columns=columns)


def _standardized(data: FloatArray) -> FloatArray:
    constant = (data == data[0]).all(axis=0)
    scale = np.where(constant, 1.0, data.std(axis=0))
    scaled = (data - data.mean(axis=0)) / scale
    scaled[:, constant] = 0.0
    return np.asarray(scaled)
