"""Every user action as a value: undo stack, session log and exported script are one record."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from gencap_gui.codec import BadValueError, decode, encode
from gencap_gui.methods import METHODS, SAMPLES, title_of
from gencap_gui.results import RunKey
from gencap_gui.session import Document, Selection
from gencap_gui.settings import (
    Analysis,
    AnnealingChoice,
    ClusterRange,
    DataSource,
    InstanceChoice,
    ModelChoice,
)

__all__ = [
    "COMMANDS",
    "Command",
    "CompareWith",
    "OpenData",
    "RunAnalysis",
    "Select",
    "SetAnnealing",
    "SetClusters",
    "SetInstances",
    "SetModels",
    "SetSeed",
    "decode_command",
    "encode_command",
]


class Command(ABC):
    """An action of the user.

    `changes` names the fields of the document that it may touch; undoing puts these back.
    """

    changes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def apply(self, document: Document) -> Document:
        """Return the document after the action."""

    def undo(self, document: Document, before: Document) -> Document:
        """Return the document with what this action changed put back as it was before."""
        return replace(document, **{name: getattr(before, name) for name in self.changes})

    @property
    @abstractmethod
    def words(self) -> str:
        """What was done, as log and menus show it."""

    @abstractmethod
    def script_lines(self) -> tuple[str, ...]:
        """Python that does the same with ``import gencap``."""

    def absorbs(self, earlier: Command) -> bool:
        """Whether this action replaces the one just before it, as the slider's steps do."""
        return False


@dataclass(frozen=True)
class OpenData(Command):
    """Open a file or a sample; the instances that suit it come with it."""

    changes: ClassVar[tuple[str, ...]] = (
        "source",
        "instances",
        "analysis",
        "selection",
        "compared",
    )

    source: DataSource
    instances: InstanceChoice = field(default_factory=InstanceChoice)

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(
            document,
            source=self.source,
            instances=self.instances,
            analysis=None,
            selection=Selection(),
            compared=None,
        )

    @property
    def words(self) -> str:  # noqa: D102
        return f"Open {self.source.title}"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        if self.source.kind == "sample":
            return (f"data = {_sample_call(self.source)}", "X = data.data")
        return (f"X = {_table_call(self.source)}",)


def _sample_call(source: DataSource) -> str:
    drawn = source.name in SAMPLES and SAMPLES[source.name].is_drawn
    seed = ", random_state=0" if drawn else ""
    return f"gencap.datasets.make({source.name!r}{seed})"


def _table_call(source: DataSource) -> str:
    options = source.options
    parts = [f"gencap.io.read_frame({source.name!r})"]
    if options.roles:
        parts.append(f"roles={dict(options.roles)!r}")
    if options.missing != "error":
        parts.append(f"missing={options.missing!r}")
    if options.transforms:
        parts.append(f"transforms={list(options.transforms)!r}")
    return f"gencap.tables.prepare_table({', '.join(parts)}).to_frame()"


@dataclass(frozen=True)
class SetInstances(Command):
    """Choose how the two measurements arise."""

    changes: ClassVar[tuple[str, ...]] = ("instances",)

    instances: InstanceChoice

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, instances=self.instances)

    @property
    def words(self) -> str:  # noqa: D102
        how = self.instances.how
        if how == "second":
            title = self.instances.second.title if self.instances.second else "a second file"
            return f"Second instance: {title}"
        return {
            "own": "Instances: the two measurements of the sample",
            "interleave": "Instances: every other column",
            "random": f"Instances: {self.instances.n_splits} random halves of the columns",
            "objects": "Instances: halves of the objects, aligned",
        }[how]

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        chosen = self.instances
        if chosen.how == "own":
            return ("pair = data.pair",)
        if chosen.how == "interleave":
            return ("pair = gencap.split_features(X)",)
        if chosen.how == "random":
            return (f"pair = gencap.random_feature_splits(X, {chosen.n_splits}, seed)",)
        if chosen.how == "objects":
            return (f"pair = gencap.split_objects(X, {chosen.measure!r}, random_state=seed)",)
        if chosen.second is None:
            raise ValueError("the second file is missing; choose one under Instances")
        second = (
            f"{_sample_call(chosen.second)}.data"
            if chosen.second.kind == "sample"
            else _table_call(chosen.second)
        )
        return (f"pair = gencap.Pair(X, {second})",)


@dataclass(frozen=True)
class SetModels(Command):
    """Choose methods, measures, shift and power."""

    changes: ClassVar[tuple[str, ...]] = ("models",)

    models: ModelChoice

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, models=self.models)

    @property
    def words(self) -> str:  # noqa: D102
        titles = [title_of(*candidate) for candidate in self.models.candidates()]
        return f"Methods: {'; '.join(titles) or 'none'}"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        lines = ["models = {"]
        for model, measure in self.models.candidates():
            method = METHODS[model]
            options = ["n_clusters=k"]
            options += [f"measure={measure!r}"] if measure else []
            if method.has_shift and self.models.shift is not None:
                options.append(f"shift={self.models.shift!r}")
            options += [f"p={self.models.power!r}"] if method.has_power else []
            options += [f"covariance={self.models.covariance!r}"] if model == "gaussian" else []
            options += ["**annealing"] if method.anneals else []
            call = f"gencap.{method.model}({', '.join(options)}, random_state=seed)"
            lines.append(f"    ({model!r}, {measure!r}): lambda k: {call},")
        return (*lines, "}")


@dataclass(frozen=True)
class SetClusters(Command):
    """Choose the range of K."""

    changes: ClassVar[tuple[str, ...]] = ("clusters",)

    clusters: ClusterRange

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, clusters=self.clusters)

    @property
    def words(self) -> str:  # noqa: D102
        return f"Number of clusters: {self.clusters.low} to {self.clusters.high}"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"n_clusters = range({self.clusters.low}, {self.clusters.high + 1})",)

    def absorbs(self, earlier: Command) -> bool:  # noqa: D102
        return isinstance(earlier, SetClusters)


@dataclass(frozen=True)
class SetAnnealing(Command):
    """Choose how temperature falls."""

    changes: ClassVar[tuple[str, ...]] = ("annealing",)

    annealing: AnnealingChoice

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, annealing=self.annealing)

    @property
    def words(self) -> str:  # noqa: D102
        starts = "" if self.annealing.n_init is None else f", {self.annealing.n_init} starts"
        return f"Annealing: {self.annealing.n_steps} temperatures{starts}"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        chosen = self.annealing
        schedule = f"gencap.Annealing(n_steps={chosen.n_steps}, noise={chosen.noise!r})"
        starts = "" if chosen.n_init is None else f', "n_init": {chosen.n_init}'
        return (f'annealing = {{"annealing": {schedule}{starts}}}',)

    def absorbs(self, earlier: Command) -> bool:  # noqa: D102
        return isinstance(earlier, SetAnnealing)


@dataclass(frozen=True)
class SetSeed(Command):
    """Choose the seed that everything random is derived from."""

    changes: ClassVar[tuple[str, ...]] = ("seed",)

    seed: int

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, seed=self.seed)

    @property
    def words(self) -> str:  # noqa: D102
        return f"Seed: {self.seed}"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"seed = {self.seed}",)

    def absorbs(self, earlier: Command) -> bool:  # noqa: D102
        return isinstance(earlier, SetSeed)


@dataclass(frozen=True)
class RunAnalysis(Command):
    """Start the analysis with the settings as they are; its results are what the views show."""

    changes: ClassVar[tuple[str, ...]] = ("analysis", "selection", "compared")

    def apply(self, document: Document) -> Document:  # noqa: D102
        if document.source is None:
            raise ValueError("there is no data yet; open a file or a sample first")
        if not document.models.candidates():
            raise ValueError("no method is chosen; tick at least one under Models")
        analysis = Analysis(
            document.source,
            document.instances,
            document.models,
            document.clusters,
            document.annealing,
            document.seed,
        )
        return replace(document, analysis=analysis, selection=Selection(), compared=None)

    @property
    def words(self) -> str:  # noqa: D102
        return "Run"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        return (
            "results = {}",
            'print("model,measure,n_clusters,bits,bits_sd")',
            "for (model, measure), make in models.items():",
            "    for k in n_clusters:",
            "        c = results[model, measure, k] = gencap.capacity(make(k), pair)",
            '        print(f"{model},{measure},{k},{c.bits:.9f},{c.bits_sd:.9f}")',
            "for model, measure in models:",
            "    tried = {k: results[model, measure, k] for k in n_clusters}",
            "    best = gencap.selection.best_order(tried)",
            '    print(f"# {model} {measure}: best number of clusters {best}")',
        )


@dataclass(frozen=True)
class Select(Command):
    """Select objects, a cluster, a temperature or a run."""

    changes: ClassVar[tuple[str, ...]] = ("selection",)

    selection: Selection

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, selection=replace(self.selection, hovered=None))

    @property
    def words(self) -> str:  # noqa: D102
        chosen = self.selection
        parts = []
        if chosen.run is not None:
            title = title_of(chosen.run.model, chosen.run.measure)
            parts.append(f"{title}, {chosen.run.n_clusters} clusters")
        if chosen.cluster is not None:
            parts.append(f"cluster {chosen.cluster + 1}")
        if chosen.objects:
            many = len(chosen.objects)
            parts.append(f"{many:,} object{'' if many == 1 else 's'}")
        if chosen.step is not None:
            parts.append(f"temperature {chosen.step + 1}")
        return f"Select {', '.join(parts) or 'nothing'}"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        run = self.selection.run
        if run is None or self.selection.cluster is None:
            return ()
        return (
            f"shown = results[{run.model!r}, {run.measure!r}, {run.n_clusters}]",
            f"members = (shown.labels == {self.selection.cluster}).nonzero()[0]",
            f'print(f"# cluster {self.selection.cluster + 1}: {{len(members)}} objects")',
        )

    def absorbs(self, earlier: Command) -> bool:  # noqa: D102
        if not isinstance(earlier, Select):
            return False
        # Scrubbing through temperatures is one action, however many steps it took.
        same = replace(earlier.selection, step=None, hovered=None)
        return earlier.selection.step is not None and same == replace(
            self.selection, step=None, hovered=None
        )


@dataclass(frozen=True)
class CompareWith(Command):
    """Choose the solution that the co-clustering matrix compares the shown one with."""

    changes: ClassVar[tuple[str, ...]] = ("compared",)

    run: RunKey | None

    def apply(self, document: Document) -> Document:  # noqa: D102
        return replace(document, compared=self.run)

    @property
    def words(self) -> str:  # noqa: D102
        if self.run is None:
            return "Compare with the second instance"
        title = title_of(self.run.model, self.run.measure)
        return f"Compare with {title}, {self.run.n_clusters} clusters"

    def script_lines(self) -> tuple[str, ...]:  # noqa: D102
        return ()


COMMANDS: dict[str, type[Command]] = {
    kind.__name__: kind
    for kind in (
        OpenData,
        SetInstances,
        SetModels,
        SetClusters,
        SetAnnealing,
        SetSeed,
        RunAnalysis,
        Select,
        CompareWith,
    )
}


def encode_command(command: Command) -> dict[str, Any]:
    """Turn a command into what JSON can hold."""
    return {"command": type(command).__name__, **encode(command)}


def decode_command(data: Any) -> Command:
    """Build a command from untrusted JSON data."""
    name = data.get("command") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in COMMANDS:
        raise BadValueError("a recorded action has no known name")
    kind = COMMANDS[name]
    known = {f.name for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    rest = {name: value for name, value in data.items() if name != "command"}
    if set(rest) - known:
        raise BadValueError(
            f"{kind.__name__} has the unknown field {sorted(set(rest) - known)[0]!r}"
        )
    return decode(kind, rest, kind.__name__)
