"""Result objects: what a computation returns, with no computation of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = [
    "AnnealingStep",
    "Capacity",
    "Curve",
    "LiveStep",
    "NullResult",
    "Order",
    "Scan",
    "Split",
    "Trajectory",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

VERDICTS = {
    "none": "no reliable structure",
    "continuum": "reliable structure, but no more than a continuum would show",
    "clusters": "clusters",
    "structure": "reliable structure; similarities alone cannot tell clusters from a continuum",
    "uncalibrated": "not calibrated: no null distribution was drawn",
}


def _amount(bits: float, sd: float = float("nan")) -> str:
    spread = "" if np.isnan(sd) else f" ± {sd:.2g}"
    return f"{bits:.3f}{spread} bits per object"


def _span(values: FloatArray | IntArray) -> str:
    return f"{values.min():.4g} to {values.max():.4g}"


class Split(NamedTuple):
    """One branching of the annealing tree: `child` leaves `parent` at `beta`."""

    parent: int
    child: int
    beta: float


@dataclass(frozen=True, eq=False)
class AnnealingStep:
    """The state reached at one temperature; the fields are those of `Trajectory`."""

    beta: float
    free_energy: float
    cost: float
    n_clusters: int
    softness: float
    masses: FloatArray
    groups: IntArray
    centroids: FloatArray
    covariances: FloatArray | None
    n_iter: int
    converged: bool


@dataclass(frozen=True, eq=False)
class LiveStep:
    """One temperature of a pair of instances, as soon as it is done.

    Parameters
    ----------
    beta : float
        Inverse temperature.
    bits : float
        entropy + agreement, in bits per object.
    entropy : float
        Entropy of the clusters in bits. That of the hard clusters is known at the last temperature
        only: until then models with centroids tell the entropy of the current aligned masses.
        Graph models know it when their winning starts are replayed.
    agreement : float
        (1/N) sum_i log2 sum_k P1_ik P2_ik.
    n_clusters : int
        Effective clusters of the first instance.
    masses : ndarray of shape (K,)
        Mean assignment probability of each of its clusters.
    groups : ndarray of shape (K,)
        Group number of each cluster; equal numbers are one effective cluster.
    centroids : ndarray of shape (K, D) or None
        Its cluster centers in the data's own coordinates; None for graph models.
    probabilities : ndarray of shape (N, K) or None
        Its assignment probabilities, with ``keep="probabilities"``.
    """

    beta: float
    bits: float
    entropy: float
    agreement: float
    n_clusters: int
    masses: FloatArray
    groups: IntArray
    centroids: FloatArray | None = None
    probabilities: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Trajectory:
    """An annealing run, one entry per temperature, in the order of rising `betas`.

    Parameters
    ----------
    betas : ndarray of shape (T,)
        Inverse temperatures, 1 / cost.
    free_energies, costs : ndarray of shape (T,)
        Free energy -(1/beta) sum_i ln sum_k exp(-beta h_ik) and expected cost, summed over objects.
    n_clusters : ndarray of shape (T,)
        Effective number of clusters: groups of centroids closer than the thermal width.
    softness : ndarray of shape (T,)
        Mean over objects of 1 - max_k P_ik; 0 when assignments are hard.
    masses : ndarray of shape (T, K)
        Mean assignment probability of each cluster.
    groups : ndarray of shape (T, K)
        Group number of each centroid; equal numbers are one effective cluster.
    centroids : ndarray of shape (T, K, D)
        Cluster centers in the data's own coordinates.
    n_iter : ndarray of shape (T,)
        Inner iterations spent at each temperature.
    converged : ndarray of shape (T,)
        Whether the inner iteration met its tolerance.
    splits : tuple of Split
        The tree of cluster splits.
    covariances : ndarray or None
        (T, K, 1), (T, K, D) or (T, K, D, D) for mixtures with free covariances.
    """

    betas: FloatArray
    free_energies: FloatArray
    costs: FloatArray
    n_clusters: IntArray
    softness: FloatArray
    masses: FloatArray
    groups: IntArray
    centroids: FloatArray
    n_iter: IntArray
    converged: NDArray[np.bool_]
    splits: tuple[Split, ...] = ()
    covariances: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.betas)

    def __repr__(self) -> str:
        if not len(self):
            return "<Trajectory: no temperatures>"
        _, k, d = self.centroids.shape
        return (
            f"<Trajectory: {len(self)} temperatures, beta {_span(self.betas)}, "
            f"effective clusters {_span(self.n_clusters)}; centroids {k} x {d}, "
            f"{len(self.splits)} splits>"
        )


@dataclass(frozen=True, eq=False)
class Curve:
    """The capacity curve J(beta) = entropy + agreement, in bits per object.

    `transfer_cost` is the cost of the second instance under the first one's solution (Eq. 94 of the
    thesis), per object; None where the instances live in different spaces.
    """

    beta: FloatArray
    bits: FloatArray
    entropy: FloatArray
    agreement: FloatArray
    n_clusters: FloatArray
    transfer_cost: FloatArray | None = None

    def __repr__(self) -> str:
        if not len(self.beta):
            return "<Curve: no temperatures>"
        best = int(np.argmax(self.bits))
        return (
            f"<Curve: {len(self.beta)} temperatures, beta {_span(self.beta)}; at most "
            f"{_amount(self.bits[best])}, at beta {self.beta[best]:.4g}>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the curve as a table, one row per temperature."""
        columns = {
            "beta": self.beta,
            "bits": self.bits,
            "entropy": self.entropy,
            "agreement": self.agreement,
            "n_clusters": self.n_clusters,
        }
        if self.transfer_cost is not None:
            columns["transfer_cost"] = self.transfer_cost
        return pd.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class NullResult:
    """A null calibration: capacities of structureless twins of the data.

    Parameters
    ----------
    kind : str
        "independent" or "gaussian".
    draws : ndarray
        Raw capacity of every draw, in bits per object.
    p_value : float
        (1 + number of draws that exceed the null as far as the data do) / (1 + draws).
    """

    kind: str
    draws: FloatArray
    p_value: float

    def __repr__(self) -> str:
        return f"<NullResult: {self._words()}>"

    def _words(self) -> str:
        n = len(self.draws)
        if n == 0:
            return f"{self.kind} null, no draws"
        drawn = f"{n} draw{'' if n == 1 else 's'}"
        return (
            f"{self.kind} null {_amount(self.bits, self.bits_sd)} ({drawn}), p = {self.p_value:.2g}"
        )

    @property
    def bits(self) -> float:
        """Mean capacity of the draws, each floored at 0."""
        return float(np.maximum(self.draws, 0.0).mean())

    def is_exceeded(self, level: float = 0.01) -> bool:
        """Whether the observed capacity lies above the null at `level`.

        Few draws cannot show a small p-value: the level is then the finest they allow,
        1 / (1 + draws), at which the observed value must exceed every draw.
        """
        return self.p_value <= max(level, 1.0 / (1 + len(self.draws)))

    @property
    def bits_sd(self) -> float:
        """Standard deviation of the draws' capacities."""
        clipped = np.maximum(self.draws, 0.0)
        return float(clipped.std(ddof=1)) if len(clipped) > 1 else 0.0


@dataclass(frozen=True, eq=False)
class Capacity:
    """The generalization capacity of a model on a pair of instances.

    Parameters
    ----------
    bits, raw_bits : float
        Capacity in bits per object, and the maximum of the curve before flooring at 0.
    beta : float
        Optimal inverse temperature; where the curve ends in a plateau, the start of the plateau.
    n_clusters : float
        Effective number of clusters at the optimum (a mean over pairs where there are several).
    curve : Curve or None
        J along the annealing; None for weights without a temperature path.
    labels : ndarray of shape (N,)
        Effective clusters on the first instance at the optimum, numbered from 0.
    probabilities, second_probabilities : ndarray of shape (N, K)
        Assignment probabilities of both instances at the optimum, columns aligned.
    groups : ndarray of shape (K,)
        Which effective cluster each column belongs to: coincident centroids are one cluster.
    splits : tuple of Split
        The tree of cluster splits on the first instance.
    weights : str
        "boltzmann" or "hamming".
    coupling : str
        How the two runs were tied together.
    bits_per_pair : ndarray
        Raw maximum of every single pair of instances, for error bars.
    plateau : bool
        Whether the curve is flat up to its last temperature (no disagreement between instances).
    optimistic : bool
        Whether the instances were paired by proximity, which inflates the bits.
    null : dict of str to NullResult
        The null calibrations asked for.
    shift : float or None
        Shift of the similarity that was used (graph models).
    trajectories : tuple of Trajectory
        Annealing of the first and the second instance of the first pair.
    path_probabilities : ndarray of shape (T, N, K) or None
        First instance's probabilities at every temperature, with ``keep="probabilities"``.
    names : ndarray or None
        The objects' names.
    seed : int
        The seed everything random was derived from.
    """

    bits: float
    raw_bits: float
    beta: float
    n_clusters: float
    curve: Curve | None
    labels: IntArray
    probabilities: FloatArray
    second_probabilities: FloatArray
    groups: IntArray
    splits: tuple[Split, ...] = ()
    weights: str = "boltzmann"
    coupling: str = "centroids"
    bits_per_pair: FloatArray = field(default_factory=lambda: np.zeros(0))
    plateau: bool = False
    optimistic: bool = False
    null: dict[str, NullResult] = field(default_factory=dict)
    shift: float | None = None
    trajectories: tuple[Trajectory, ...] = ()
    path_probabilities: FloatArray | None = None
    names: NDArray[np.object_] | None = None
    seed: int = 0

    def __repr__(self) -> str:
        notes = [f"{self.weights} weights", f"coupling {self.coupling}"]
        if len(self.bits_per_pair) > 1:
            notes.append(f"{len(self.bits_per_pair)} pairs")
        notes += ["plateau"] * self.plateau + ["optimistic pairing"] * self.optimistic
        lines = [
            f"<Capacity: {_amount(self.bits, self.bits_sd)}, n_clusters {self.n_clusters:.3g}, "
            f"beta {self.beta:.4g}",
            f"{len(self.labels):,} objects, " + ", ".join(notes),
        ]
        if self.null:
            lines.append("; ".join(null._words() for null in self.null.values()))
        return "\n  ".join(lines) + ">"

    @property
    def bits_sd(self) -> float:
        """Standard deviation over pairs of instances; NaN with a single pair."""
        if len(self.bits_per_pair) < 2:
            return float("nan")
        return float(np.maximum(self.bits_per_pair, 0.0).std(ddof=1))


@dataclass(frozen=True, eq=False)
class Order:
    """Capacity against the number of clusters, and the choice it suggests.

    Parameters
    ----------
    capacities : dict of int to Capacity
        One result per number of clusters.
    best : int
        Smallest K within max(0.01 bit, one standard deviation) of the best; 1 without structure.
    null : dict of str to NullResult
        Calibrations: draws at the chosen K, p-values over all K tried (every draw was measured at
        all of them). Those of a single K are in ``capacities[K].null``.
    level : float
        Level at which `verdict` reads the p-values.
    pairwise : bool
        Whether the measurements were given as similarities, for which "independent" is the only
        calibration there is.
    """

    capacities: dict[int, Capacity]
    best: int
    null: dict[str, NullResult] = field(default_factory=dict)
    level: float = 0.01
    pairwise: bool = False

    def __repr__(self) -> str:
        lines = [f"<Order: best {self.best}, {self.verdict_text}"]
        if self.best in self.capacities:
            chosen = self.capacities[self.best]
            lines[0] += f"; {_amount(chosen.bits, chosen.bits_sd)}"
        tried = list(self.capacities)
        if tried:
            lines.append(f"n_clusters {_span(np.array(tried))}, {len(tried)} tried")
        if self.null:
            lines.append("; ".join(null._words() for null in self.null.values()))
        return "\n  ".join(lines) + ">"

    @property
    def bits(self) -> pd.Series[float]:
        """Capacity by number of clusters."""
        return self._series("bits")

    @property
    def bits_sd(self) -> pd.Series[float]:
        """Standard deviation over pairs by number of clusters."""
        return self._series("bits_sd")

    @property
    def verdict(self) -> str:
        """One of the keys of `VERDICTS`: "none", "continuum", "clusters" or "uncalibrated".

        Given similarities have no covariance that a Gaussian twin could keep. For them the null of
        permuted edges decides alone, between "none" and "clusters", and a continuum cannot be told
        apart from clusters.
        """
        if self.best == 1:
            return "none"
        needed = {"independent"} if self.pairwise else {"independent", "gaussian"}
        if not needed <= self.null.keys():
            return "uncalibrated"
        if not self.null["independent"].is_exceeded(self.level):
            return "none"
        if self.pairwise:
            return "clusters"
        return "clusters" if self.null["gaussian"].is_exceeded(self.level) else "continuum"

    @property
    def verdict_text(self) -> str:
        """The verdict in words."""
        return VERDICTS[self.verdict]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of clusters."""
        rows = {
            k: {
                "bits": c.bits,
                "bits_sd": c.bits_sd,
                "raw_bits": c.raw_bits,
                "effective": c.n_clusters,
                "beta": c.beta,
                "plateau": c.plateau,
                "n_pairs": max(1, len(c.bits_per_pair)),
            }
            for k, c in self.capacities.items()
        }
        frame = pd.DataFrame.from_dict(rows, orient="index")
        frame.index.name = "n_clusters"
        return frame

    def _series(self, name: str) -> pd.Series[float]:
        values = {k: getattr(c, name) for k, c in self.capacities.items()}
        series = pd.Series(values, name=name, dtype=float)
        series.index.name = "n_clusters"
        return series


@dataclass(frozen=True, eq=False)
class Scan:
    """Capacity along one parameter of a model.

    Parameters
    ----------
    parameter : str
        Name of the parameter.
    capacities : dict of float to Capacity
        One result per value, in rising order.
    """

    parameter: str
    capacities: dict[float, Capacity]

    @property
    def values(self) -> FloatArray:
        """The values of the parameter."""
        return np.array(list(self.capacities))

    @property
    def bits(self) -> pd.Series[float]:
        """Capacity by value of the parameter."""
        series = pd.Series({value: c.bits for value, c in self.capacities.items()}, dtype=float)
        series.index.name = self.parameter
        return series.rename("bits")

    @property
    def best(self) -> float:
        """The value with the highest capacity; the lowest of several."""
        return max(self.capacities, key=lambda value: self.capacities[value].raw_bits)
