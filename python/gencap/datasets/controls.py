"""Data without clusters, and codes with known capacity: what a method must not be fooled by."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from gencap._validation import InputTypeError, check_integer, check_positive, check_seed
from gencap.datasets._dataset import Dataset, from_table

__all__ = ["common_factor", "independent_columns", "kary_code"]


def common_factor(
    n_objects: int = 400, n_features: int = 16, strength: float = 1.0, random_state: Any = None
) -> Dataset:
    """One Gaussian whose features share one factor: reproducible, but a continuum.

    x_ij = strength f_i + e_ij with standard normal f and e. Feature halves agree about f_i, so they
    carry bits, yet there are no clusters: the Gaussian null must not be exceeded.

    Parameters
    ----------
    n_objects, n_features : int
        Shape of the table.
    strength : float
        Standard deviation of the shared factor; features correlate by s^2 / (1 + s^2).
    random_state : None, int or Generator
        Seed of the draw.

    Returns
    -------
    Dataset
        `information` is -(1/2) log2(1 - r1^2 r2^2), with r_h^2 = m_h s^2 / (1 + m_h s^2) for a half
        of m_h features: the squared correlation of its mean with the factor.

    Examples
    --------
    >>> data = common_factor(random_state=0)
    >>> data.data.shape, round(data.information, 3)
    ((400, 16), 1.126)
    """
    n_objects = check_integer(n_objects, "n_objects")
    n_features = check_integer(n_features, "n_features", minimum=2)
    strength = check_positive(strength, "strength")
    rng = np.random.default_rng(check_seed(random_state))
    factor = rng.standard_normal((n_objects, 1))
    data = strength * factor + rng.standard_normal((n_objects, n_features))
    signal = np.array([(n_features + 1) // 2, n_features // 2]) * strength**2
    information = -0.5 * float(np.log2(1.0 - np.prod(signal / (1.0 + signal))))
    description = f"one Gaussian, {n_features} features that share a factor (no clusters)"
    return from_table(data, np.zeros(n_objects, dtype=np.int64), description, information)


def independent_columns(
    n_objects: int = 400, n_features: int = 16, random_state: Any = None
) -> Dataset:
    """Independent standard normal columns: no structure at all.

    Parameters
    ----------
    n_objects, n_features : int
        Shape of the table.
    random_state : None, int or Generator
        Seed of the draw.

    Examples
    --------
    >>> independent_columns(random_state=0).information
    0.0
    """
    n_objects = check_integer(n_objects, "n_objects")
    n_features = check_integer(n_features, "n_features", minimum=2)
    rng = np.random.default_rng(check_seed(random_state))
    data = rng.standard_normal((n_objects, n_features))
    description = f"{n_features} independent columns (no structure)"
    return from_table(data, np.zeros(n_objects, dtype=np.int64), description, 0.0)


def kary_code(
    n_objects: int = 1000, n_symbols: int = 4, error_rate: float = 0.1, random_state: Any = None
) -> Dataset:
    """Two labelings of the same objects that differ in a known share: the K-ary code.

    Parameters
    ----------
    n_objects : int
        Number of objects N.
    n_symbols : int
        Size K of the alphabet; symbols are as equally frequent as N allows.
    error_rate : float in [0, 1]
        Share of objects (rounded to a whole number) whose second label is another symbol, drawn
        uniformly from the other K - 1.
    random_state : None, int or Generator
        Seed of the draw.

    Returns
    -------
    Dataset
        `first` and `second` are labels of shape (N,). `information` is Eq. 55 of the thesis,
        log2 K + (1-d) log2(1-d) + d log2(d/(K-1)), the mutual information of the labels.

    References
    ----------
    M. Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 4.3.

    Examples
    --------
    >>> code = kary_code(n_objects=100, n_symbols=4, error_rate=0.25, random_state=0)
    >>> int((code.first != code.second).sum()), round(code.information, 3)
    (25, 0.792)
    """
    n_objects = check_integer(n_objects, "n_objects")
    n_symbols = check_integer(n_symbols, "n_symbols", minimum=2)
    delta = _check_rate(error_rate)
    rng = np.random.default_rng(check_seed(random_state))
    first = rng.permutation(np.arange(n_objects, dtype=np.int64) % n_symbols)
    second = first.copy()
    wrong = rng.choice(n_objects, size=round(delta * n_objects), replace=False)
    # adding 1 .. K-1 modulo K reaches each of the other symbols equally often
    second[wrong] = (first[wrong] + rng.integers(1, n_symbols, size=len(wrong))) % n_symbols
    nats = np.log(n_symbols) + xlog1py(1.0 - delta, -delta) + xlogy(delta, delta / (n_symbols - 1))
    description = f"code of {n_symbols} symbols, {delta:.1%} of them changed"
    information = max(0.0, float(nats / np.log(2.0)))
    return Dataset(first, second, first.copy(), description, information)


def _check_rate(rate: Any) -> float:
    if isinstance(rate, bool) or not isinstance(rate, Real):
        raise InputTypeError(f"error_rate must be a number between 0 and 1: got {rate!r}")
    if not 0.0 <= float(rate) <= 1.0:
        raise ValueError(f"error_rate must lie between 0 and 1: got {rate!r}")
    return float(rate)
