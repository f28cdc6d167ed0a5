"""Models, measures and numbers of clusters side by side."""

from gencap.comparison.forecast import Forecast, Timing
from gencap.comparison.result import Comparison, Solution

__all__ = ["Comparison", "Forecast", "Solution", "Timing"]
