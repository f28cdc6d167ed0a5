"""What transfer costs return: whole curves, and the least of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gencap._validation import FloatArray

__all__ = ["TransferCosts", "TransferCurve"]

# Costs that differ by rounding only are equal: surplus clusters that stay empty change nothing.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class TransferCosts:
    """Transfer costs by number of clusters.

    Parameters
    ----------
    per_pair : DataFrame
        Cost of the second sample under the solution of the first: a row per number of clusters, a
        column per pair of samples.
    train_per_pair : DataFrame
        Cost of the first sample under its own solution.
    effective : Series
        Clusters that hold objects, averaged over the pairs.
    mapping : str
        How the solution was carried over: "density" (no mapping needed), "identity", "nearest",
        "centroid", "soft", "soft_objects" or "hungarian".
    unit : str
        What the costs are counted per.
    beta : float
        Inverse temperature of a soft mapping, averaged over the pairs; NaN for the others.
    seed : int
        The seed everything random was derived from.
    """

    per_pair: pd.DataFrame
    train_per_pair: pd.DataFrame
    effective: pd.Series[float]
    mapping: str
    unit: str
    beta: float = float("nan")
    seed: int = 0

    @property
    def costs(self) -> pd.Series[float]:
        """Transfer cost by number of clusters, averaged over the pairs."""
        return self.per_pair.mean(axis=1).rename("cost")

    @property
    def train_costs(self) -> pd.Series[float]:
        """Cost of the first sample by number of clusters, averaged over the pairs."""
        return self.train_per_pair.mean(axis=1).rename("train_cost")

    @property
    def spread(self) -> pd.Series[float]:
        """Standard deviation over the pairs; zeros for a single one."""
        if self.per_pair.shape[1] < 2:
            return (0.0 * self.costs).rename("spread")
        return self.per_pair.std(axis=1, ddof=1).rename("spread")

    @property
    def best(self) -> int:
        """Number of clusters with the least transfer cost; the smallest of equally good ones."""
        return least(self.costs)

    @property
    def best_per_pair(self) -> list[int]:
        """The choice of every single pair."""
        return [least(self.per_pair[name]) for name in self.per_pair]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of clusters."""
        return pd.DataFrame(
            {
                "cost": self.costs,
                "spread": self.spread,
                "train_cost": self.train_costs,
                "effective": self.effective,
            }
        )

    def __repr__(self) -> str:
        costs, pairs = self.costs, self.per_pair.shape[1]
        return (
            f"<TransferCosts: best {self.best} of n_clusters {costs.index[0]} to "
            f"{costs.index[-1]}, mapping {self.mapping}\n  {costs[self.best]:.4g} {self.unit}, "
            f"{costs.iloc[0]:.4g} with {costs.index[0]}; "
            f"{pairs} pair{'' if pairs == 1 else 's'} of samples>"
        )


def least(costs: pd.Series[float]) -> int:
    """Smallest number whose cost is the least, up to rounding."""
    values = costs.to_numpy(dtype=np.float64)
    lowest = float(values.min())
    near = values <= lowest + ROUNDING * max(abs(lowest), 1e-300)
    return int(costs.index[int(np.argmax(near))])


@dataclass(frozen=True, eq=False)
class TransferCurve:
    """Transfer cost along the annealing of the first sample (Eq. 94 of the thesis).

    Parameters
    ----------
    beta : ndarray of shape (T,)
        Inverse temperatures, rising.
    costs, train_costs : ndarray of shape (T,)
        Cost per object of the second and of the first sample, averaged over the pairs.
    spread : ndarray of shape (T,)
        Standard deviation of `costs` over the pairs; zeros for a single one.
    n_clusters : ndarray of shape (T,)
        Effective clusters of the first sample, averaged over the pairs.
    mapping : str
        "identity" or "soft".
    """

    beta: FloatArray
    costs: FloatArray
    train_costs: FloatArray
    spread: FloatArray
    n_clusters: FloatArray
    mapping: str

    @property
    def best(self) -> float:
        """Inverse temperature with the least transfer cost."""
        return float(self.beta[int(np.argmin(self.costs))])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per temperature."""
        return pd.DataFrame(
            {
                "beta": self.beta,
                "cost": self.costs,
                "spread": self.spread,
                "train_cost": self.train_costs,
                "n_clusters": self.n_clusters,
            }
        )

    def __repr__(self) -> str:
        place = int(np.argmin(self.costs))
        return (
            f"<TransferCurve: least {self.costs[place]:.4g} per object at beta "
            f"{self.beta[place]:.4g}, with {self.n_clusters[place]:.3g} clusters; "
            f"{len(self.beta)} temperatures, mapping {self.mapping}>"
        )
