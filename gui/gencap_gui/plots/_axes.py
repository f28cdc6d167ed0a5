"""Axes and small drawing helpers that several views share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

__all__ = ["CountAxis", "LogAxis", "NamedAxis", "log10", "spread_beyond"]


def log10(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm to base ten; NaN where there is none."""
    values = np.asarray(values, dtype=np.float64)
    return np.log10(values, out=np.full(values.shape, np.nan), where=values > 0)


def spread_beyond(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Clip to one height beyond the window: steep lines leave it, and no number overflows."""
    span = high - low
    finite = np.nan_to_num(values, nan=np.nan, posinf=high + span, neginf=low - span)
    return np.asarray(np.clip(finite, low - span, high + span), dtype=np.float64)


class LogAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis of decimal logarithms whose ticks read as plain numbers: 0.5, 1, 2, 5, 10."""

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        """Return ticks at 1, 2 and 5, or only at powers of ten where they would crowd."""
        low, high = min(low, high), max(low, high)
        decades = high - low
        if not 0 < decades < 300:
            return []
        room = max(size / 70.0, 2.0)  # labels of up to six letters need this many pixels
        if decades < 0.6:
            return [(0.0, self._linear(low, high, room))]
        digits = (1, 2, 5) if 3.0 * decades <= room else (1, 3) if 2.0 * decades <= room else (1,)
        step = max(1, math.ceil(decades / room))
        first = math.floor(low / step) * step
        powers = range(first, math.ceil(high) + 1, step if digits == (1,) else 1)
        ticks = [p + math.log10(d) for p in powers for d in digits]
        return [(0.0, [t for t in ticks if low <= t <= high])]

    @staticmethod
    def _linear(low: float, high: float, room: float) -> list[float]:
        """Return round numbers inside a window narrower than half a decade."""
        start, stop = 10.0**low, 10.0**high
        rough = (stop - start) / max(room * 0.7, 1.0)
        if rough <= 0 or not math.isfinite(rough):
            return []
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough)
        first, last = math.ceil(start / step), math.floor(stop / step)
        return [math.log10(n * step) for n in range(first, last + 1) if n > 0]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers themselves."""
        return [f"{10.0**v:.4g}" if abs(v) < 300 else "" for v in values]


class CountAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis of whole numbers."""

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        """Return whole numbers, as many as there is room for."""
        low, high = min(low, high), max(low, high)
        room = max(size / (22.0 if self.orientation in ("left", "right") else 40.0), 1.0)
        rough = max((high - low) / room, 1.0)
        power = 10 ** math.floor(math.log10(rough))
        step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough - 1e-9)
        first = math.ceil(low / step)
        return [(step, [float(n * step) for n in range(first, math.floor(high / step) + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers without a fraction."""
        return [f"{v:.0f}" for v in values]


class NamedAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose whole numbers have names; they appear once each has room to be read."""

    def __init__(self, orientation: str, longest: int = 24) -> None:
        super().__init__(orientation)
        self._names: list[str] = []
        self._longest = longest

    def set_names(self, names: list[str]) -> None:
        """Name the positions 0, 1, 2, ..."""
        cut = self._longest
        self._names = [n if len(n) <= cut else n[: cut - 1] + "…" for n in names]
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[Any]:
        """Return every n-th position, n as small as legible text allows."""
        low, high = min(low, high), max(low, high)
        if not self._names or high <= low:
            return []
        room = size / (high - low)
        upright = self.orientation in ("left", "right")
        longest = max((len(n) for n in self._names), default=1)
        need = 16.0 if upright else 8.0 * longest + 10.0
        step = max(1, math.ceil(need / max(room, 1e-9)))
        first = math.ceil(max(low, 0) / step) * step
        last = min(math.floor(high), len(self._names) - 1)
        return [(float(step), [float(n) for n in range(first, last + 1, step)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the names."""
        count = len(self._names)
        return [self._names[int(v)] if 0 <= int(v) < count else "" for v in values]
