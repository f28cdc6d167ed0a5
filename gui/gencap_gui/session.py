"""What is open and selected, and what a view must offer; plain Python, no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from gencap_gui.results import (
    CenterPaths,
    CoClustering,
    CurveData,
    DataSummary,
    LabelPath,
    LivePoint,
    OrderedMatrix,
    PlaneProjection,
    Results,
    RunKey,
    RunResult,
    SplitMark,
)
from gencap_gui.settings import (
    Analysis,
    AnnealingChoice,
    ClusterRange,
    DataSource,
    InstanceChoice,
    ModelChoice,
)
from gencap_gui.theme import Theme

__all__ = [
    "CenterPaths",
    "CoClustering",
    "CurveData",
    "DataSummary",
    "Document",
    "LabelPath",
    "LivePoint",
    "MatrixWindow",
    "OrderedMatrix",
    "PlaneProjection",
    "Results",
    "RunKey",
    "RunResult",
    "Selection",
    "SplitMark",
    "View",
]


@dataclass(frozen=True)
class Selection:
    """What the user looks at, in all views at once.

    Parameters
    ----------
    objects : frozenset of int
        Selected objects, by row of the first instance.
    hovered : int or None
        The object under the mouse.
    cluster : int or None
        Effective cluster of the run, as in `RunResult.labels`.
    step : int or None
        Index of a temperature in the run's curve; None: the optimum.
    run : RunKey or None
        The run that is shown; None: the best one.
    """

    objects: frozenset[int] = frozenset()
    hovered: int | None = None
    cluster: int | None = None
    step: int | None = None
    run: RunKey | None = None


@dataclass(frozen=True)
class Document:
    """Everything the user chose; a sequence of commands leads from the empty one to any other.

    `analysis` holds the settings the shown results were computed with (None: none yet), the fields
    above it those that the next Run will take.
    """

    source: DataSource | None = None
    instances: InstanceChoice = field(default_factory=InstanceChoice)
    models: ModelChoice = field(default_factory=ModelChoice)
    clusters: ClusterRange = field(default_factory=ClusterRange)
    annealing: AnnealingChoice = field(default_factory=AnnealingChoice)
    seed: int = 0
    analysis: Analysis | None = None
    selection: Selection = field(default_factory=Selection)
    compared: RunKey | None = None


@dataclass(frozen=True)
class MatrixWindow:
    """A view asks for full detail of rows `start` to `stop` of a matrix's full order.

    `kind` is "similarity" or "coclustering"; the answer comes as `Results.similarity_window` or
    `Results.coclustering_window`.
    """

    kind: str
    start: int
    stop: int


class View(Protocol):
    """What every view offers; it is a QWidget besides.

    Attributes
    ----------
    name : str
        Identifier, as in file names ("capacity-curve").
    title : str
        For people ("Capacity curve").
    selectionRequested : Signal(object)
        Carries the `Selection` the user asks for. The view does not apply it itself: it waits for
        `show_selection`. Hovering goes the same way.
    detailRequested : Signal(object)
        Carries a `MatrixWindow`; views without zoom detail never emit it.
    """

    name: str
    title: str
    selectionRequested: Any
    detailRequested: Any

    def show_results(self, results: Results) -> None:
        """Draw a new snapshot; called at most 20 times a second."""

    def append_live(self, step: LivePoint) -> None:
        """Extend the running plots by one temperature; the next snapshot contains it too."""

    def show_selection(self, selection: Selection) -> None:
        """Highlight without recomputing anything."""

    def apply_theme(self, theme: Theme) -> None:
        """Take on new colors."""

    def table(self) -> pd.DataFrame:
        """Return what is drawn, as a table (the plot's twin)."""

    def export(self, path: str | Path) -> None:
        """Write the picture (.png, .svg) or its table (.csv), by the suffix of `path`."""
