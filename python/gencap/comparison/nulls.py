"""Whether the winner is better than its twins, given that it was chosen among many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.stats

from gencap._nulls import SMALLEST_SPREAD, joint_p_value
from gencap._validation import FloatArray
from gencap.results import NullResult

__all__ = [
    "Calibration",
    "calibrate_winner",
    "corrected_p_value",
    "excesses",
    "tail_p_value",
    "verdict_of",
]

# The rank among the winner's own twins, and the tail corrected for the choice of the winner.
RANK_LEVEL = 0.01
CORRECTED_LEVEL = 0.05
# Standardized excesses vary by about 1; twins without any bits do not vary, up to rounding.
SMALLEST_EXCESS = 0.3


@dataclass(frozen=True, eq=False)
class Calibration:
    """A null of the winner: its draws, and how unlikely the data are under it.

    Parameters
    ----------
    result : NullResult
        Draws at the winner's number of clusters; p-value by rank, over all numbers tried.
    corrected : float
        p-value from the tail of the draws, corrected for the choice among candidates.
    """

    result: NullResult
    corrected: float

    @property
    def exceeded(self) -> bool:
        """Whether the data lie above the null, the choice of the winner considered."""
        return self.result.is_exceeded(RANK_LEVEL) and self.corrected <= CORRECTED_LEVEL


def calibrate_winner(
    kind: str, observed: FloatArray, draws: FloatArray, shown: int, n_candidates: int
) -> Calibration:
    """Rank the data among its twins over all statistics.

    Parameters
    ----------
    kind : str
        Name of the null.
    observed : ndarray of shape (S,)
        Raw bits of the data over all splits, one per number of clusters (and candidate, if twins
        went through all of them).
    draws : ndarray of shape (draws, S)
        The same of every twin.
    shown : int
        Which statistic the result shows.
    n_candidates : int
        Candidates among which the winner was chosen without its twins having had that choice.
    """
    result = NullResult(kind, draws[:, shown], joint_p_value(observed, draws))
    tail = tail_p_value(*excesses(observed, draws))
    return Calibration(result, corrected_p_value(tail, n_candidates))


def excesses(observed: FloatArray, draws: FloatArray) -> tuple[float, FloatArray]:
    """Return the largest standardized excess of the data and of every twin.

    The data are measured by mean and spread of all twins, each twin by those of the others: what
    helped to set the scale would look closer to the middle than it is.
    """
    n = len(draws)
    center, spread = draws.mean(axis=0), _spread(draws)
    outside = float(((observed - center) / spread).max())
    if n < 3:
        return outside, np.zeros(n)
    rest = (n * center - draws) / (n - 1)
    squares = ((draws - center) ** 2).sum(axis=0) - n / (n - 1) * (draws - center) ** 2
    others = np.maximum(np.sqrt(np.maximum(squares, 0.0) / (n - 2)), SMALLEST_SPREAD)
    inside: FloatArray = ((draws - rest) / others).max(axis=1)
    return outside, inside


def _spread(draws: FloatArray) -> FloatArray:
    if len(draws) < 2:
        return np.full(draws.shape[1], SMALLEST_SPREAD)
    found: FloatArray = np.maximum(draws.std(axis=0, ddof=1), SMALLEST_SPREAD)
    return found


def tail_p_value(observed: float, draws: FloatArray) -> float:
    """Probability that another draw lies as far out, from the shape of those that were made.

    Ranks cannot show less than 1 / (1 + draws), which is too coarse to correct for a choice among
    many candidates. So the tail is extrapolated twice, and the larger probability counts: by
    Student's t as the prediction of one more draw, which knows how uncertain mean and spread of few
    draws are; and by the gamma (Pearson III) distribution of the same mean, spread and skewness,
    because maxima over several numbers of clusters lean to the right.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal(99)
    >>> tail_p_value(0.0, draws) > 0.3, tail_p_value(6.0, draws) < 1e-4
    (True, True)
    """
    n = len(draws)
    if n < 3:
        return 1.0
    own = float(draws.std(ddof=1))
    spread = max(own, SMALLEST_EXCESS)
    z = (observed - float(draws.mean())) / (spread * np.sqrt(1.0 + 1.0 / n))
    # Draws that hardly vary have rounding for a shape.
    skewness = max(0.0, float(scipy.stats.skew(draws, bias=False))) if own == spread else 0.0
    student = float(scipy.stats.t.sf(z, n - 1))
    return max(student, float(scipy.stats.pearson3.sf(z, skewness)))


def corrected_p_value(p_value: float, n_candidates: int) -> float:
    """Sidak: probability that the best of so many is as far out.

    Examples
    --------
    >>> round(corrected_p_value(0.01, 5), 4)
    0.049
    """
    return float(-np.expm1(n_candidates * np.log1p(-min(p_value, 1.0 - 1e-16))))


def verdict_of(best_bits: bool, nulls: Mapping[str, Calibration], graphs: bool) -> str:
    """Return the key of the verdict in words.

    Parameters
    ----------
    best_bits : bool
        Whether any candidate has a number of clusters with bits worth mentioning.
    nulls : mapping of str to Calibration
        The winner's.
    graphs : bool
        Whether there are similarities only, for which no continuum of equal covariance exists.
    """
    if not best_bits:
        return "none"
    if "independent" not in nulls or (not graphs and "gaussian" not in nulls):
        return "uncalibrated"
    if not nulls["independent"].exceeded:
        return "none"
    if graphs:
        return "structure"
    return "clusters" if nulls["gaussian"].exceeded else "continuum"
