"""What makes two measurements hard to compare, said before anything is computed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from gencap.instances import Pair

__all__ = ["InstanceMismatchWarning", "describe_mismatch", "warn_of_mismatch"]

# A few objects differ by chance; from here on the offset itself decides about clusters.
OFFSET = 1.5
# Spreads that differ by more than this factor are not at the same resolution at any temperature.
SPREAD_FACTOR = 3.0


class InstanceMismatchWarning(UserWarning):
    """The two measurements differ by an offset or in scale, so that fewer bits are found."""


def describe_mismatch(pairs: Sequence[Pair]) -> list[str]:
    """Return one sentence per kind of mismatch; empty when the measurements fit together.

    Parameters
    ----------
    pairs : sequence of Pair
        The measurements; of several pairs the worst counts.
    """
    pairs = [pair for pair in pairs if not pair.is_pairwise]
    found = []
    offset = max((_offset(pair) for pair in pairs if pair.same_columns), default=0.0)
    if offset > OFFSET:
        found.append(
            f"the means of the two measurements differ by {offset:.3g} standard deviations, and "
            "such an offset hides the bits; center each measurement by itself, or say with "
            "Pair(..., same_columns=False) that they do not share a space"
        )
    factor = max((_spread_factor(pair) for pair in pairs), default=1.0)
    if factor > SPREAD_FACTOR:
        found.append(
            f"the spreads of the two measurements differ by a factor of {factor:.3g}, so that no "
            "temperature resolves both alike; bring the columns to a common scale"
        )
    return found


def warn_of_mismatch(pairs: Sequence[Pair]) -> None:
    """Warn the caller's caller of every mismatch."""
    for sentence in describe_mismatch(pairs):
        warnings.warn(sentence, InstanceMismatchWarning, stacklevel=3)


def _offset(pair: Pair) -> float:
    """Distance of the means in units of the root mean squared radius."""
    gap = pair.first.mean(axis=0) - pair.second.mean(axis=0)
    radius = np.sqrt(min(pair.first.var(axis=0).sum(), pair.second.var(axis=0).sum()))
    size = float(np.linalg.norm(gap))
    return size / float(radius) if radius > 0 else 0.0


def _spread_factor(pair: Pair) -> float:
    """Ratio of the root mean squared radii; 1 where one measurement does not vary at all."""
    spreads = [float(np.sqrt(x.var(axis=0).sum())) for x in (pair.first, pair.second)]
    return max(spreads) / min(spreads) if min(spreads) > 0 else 1.0
