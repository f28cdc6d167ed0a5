"""Models, measures and numbers of clusters side by side."""

from gencap.comparison.archive import load
from gencap.comparison.comparing import QUICK, compare
from gencap.comparison.forecast import Forecast, Timing
from gencap.comparison.result import Comparison, Solution

__all__ = ["QUICK", "Comparison", "Forecast", "Solution", "Timing", "compare", "load"]
