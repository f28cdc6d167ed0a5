"""What the user chose, as frozen values that can be compared, saved and turned into tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from gencap_gui.methods import MEASURES, METHODS, SAMPLES, title_of
from gencap_gui.results import RunKey

__all__ = [
    "Analysis",
    "AnnealingChoice",
    "ClusterRange",
    "DataSource",
    "ImportOptions",
    "InstanceChoice",
    "ModelChoice",
    "Role",
    "RunTask",
]

Role = Literal["name", "feature", "label", "ignore"]
Missing = Literal["error", "drop", "impute"]
Transform = Literal["log", "zscore_columns", "zscore_rows", "rank"]
How = Literal["own", "interleave", "random", "objects", "second"]

MOST_CLUSTERS = 200


@dataclass(frozen=True)
class ImportOptions:
    """How a file becomes numbers; empty `roles` let `gencap.tables.guess_roles` decide."""

    roles: tuple[tuple[str, Role], ...] = ()
    missing: Missing = "error"
    transforms: tuple[Transform, ...] = ()


@dataclass(frozen=True)
class DataSource:
    """A file with its import options, or a sample data set by name.

    `digest` tells two contents of one file apart; "" until it was read.
    """

    kind: Literal["file", "sample"]
    name: str
    options: ImportOptions = field(default_factory=ImportOptions)
    digest: str = ""

    @property
    def title(self) -> str:
        """Return a short name for window titles and logs."""
        if self.kind == "sample":
            return SAMPLES[self.name].title if self.name in SAMPLES else self.name
        return PurePath(self.name).name


@dataclass(frozen=True)
class InstanceChoice:
    """How the two measurements of the same objects arise.

    `how` is "own" (the sample's own two measurements), "interleave" or "random" (halves of the
    columns), "objects" (halves of the rows, aligned) or "second" (another file).
    """

    how: How = "interleave"
    n_splits: int = 3
    measure: str = "euclidean"
    second: DataSource | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n_splits <= 100:
            raise ValueError(f"n_splits must be between 1 and 100: got {self.n_splits}")


@dataclass(frozen=True)
class ModelChoice:
    """Methods and measures to compare; `shift` None leaves it to each method."""

    models: tuple[str, ...] = ("centroid",)
    measures: tuple[str, ...] = ("euclidean",)
    shift: float | None = None
    power: float = 1.2
    covariance: Literal["fixed", "spherical", "diag", "full"] = "spherical"

    def __post_init__(self) -> None:
        for word, known in ((self.models, METHODS), (self.measures, MEASURES)):
            for one in word:
                if one not in known:
                    raise ValueError(f"unknown choice {one!r}; known are {', '.join(known)}")
        if not 1.0 <= self.power <= 2.0:
            raise ValueError(f"p must lie between 1 and 2: got {self.power}")

    def candidates(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of method and measure, vector methods with measure "" once."""
        pairs = []
        for model in self.models:
            measures = self.measures if METHODS[model].has_measure else ("",)
            pairs += [(model, measure) for measure in measures]
        return tuple(pairs)


@dataclass(frozen=True)
class ClusterRange:
    """Numbers of clusters to try, both ends included."""

    low: int = 2
    high: int = 8

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high <= MOST_CLUSTERS:
            raise ValueError(
                f"the number of clusters must run from at least 1 to at most {MOST_CLUSTERS}: got "
                f"{self.low} to {self.high}"
            )

    def numbers(self) -> range:
        """Return the numbers."""
        return range(self.low, self.high + 1)


@dataclass(frozen=True)
class AnnealingChoice:
    """How temperature falls; `n_init` None leaves the number of starts to each method."""

    n_steps: int = 60
    n_init: int | None = None
    noise: float = 0.01

    def __post_init__(self) -> None:
        if not 2 <= self.n_steps <= 1000:
            raise ValueError(f"temperatures must be between 2 and 1000: got {self.n_steps}")
        if self.n_init is not None and not 1 <= self.n_init <= 100:
            raise ValueError(f"starts must be between 1 and 100: got {self.n_init}")
        if not 0 <= self.noise <= 10:
            raise ValueError(f"noise must lie between 0 and 10: got {self.noise}")


@dataclass(frozen=True)
class RunTask:
    """Everything that determines the numbers of one run; equal tasks have equal results."""

    source: DataSource
    instances: InstanceChoice
    key: RunKey
    shift: float | None
    power: float | None
    covariance: str | None
    annealing: AnnealingChoice
    seed: int

    @property
    def title(self) -> str:
        """Return the run in words."""
        return f"{title_of(self.key.model, self.key.measure)}, {self.key.n_clusters} clusters"


@dataclass(frozen=True)
class Analysis:
    """The settings at the moment Run was pressed."""

    source: DataSource
    instances: InstanceChoice = field(default_factory=InstanceChoice)
    models: ModelChoice = field(default_factory=ModelChoice)
    clusters: ClusterRange = field(default_factory=ClusterRange)
    annealing: AnnealingChoice = field(default_factory=AnnealingChoice)
    seed: int = 0

    def tasks(self) -> tuple[RunTask, ...]:
        """Return the runs it consists of, candidate by candidate.

        Settings a method does not have are left out of its tasks, so that changing them does not
        make its results seem out of date.
        """
        found = []
        for model, measure in self.models.candidates():
            method = METHODS[model]
            for k in self.clusters.numbers():
                found.append(
                    RunTask(
                        source=self.source,
                        instances=self.instances,
                        key=RunKey(model, measure, k),
                        shift=self.models.shift if method.has_shift else None,
                        power=self.models.power if method.has_power else None,
                        covariance=self.models.covariance if model == "gaussian" else None,
                        annealing=self.annealing if method.anneals else AnnealingChoice(),
                        seed=self.seed,
                    )
                )
        return tuple(found)
