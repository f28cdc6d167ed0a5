"""Between the session and its widgets: carries out commands, runs tasks, announces results."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Signal

import gencap
from gencap_gui.commands import (
    Command,
    CompareWith,
    OpenData,
    RunAnalysis,
    Select,
    SetInstances,
)
from gencap_gui.files import SavedSession
from gencap_gui.history import History
from gencap_gui.methods import title_of
from gencap_gui.results import LivePoint, Results, RunKey, RunResult
from gencap_gui.session import Document, MatrixWindow, Selection
from gencap_gui.settings import DataSource, RunTask
from gencap_gui.store import ResultStore
from gencap_gui.tasks import analysis, data, details
from gencap_gui.tasks.clock import Clock, RunProgress
from gencap_gui.tasks.lane import Lane
from gencap_gui.tasks.worker import Worker

__all__ = ["Controller", "RunProgress"]


class Controller(QObject):
    """Holds the session; widgets ask it and listen to it.

    `stateChanged` carries "idle", "running" or "paused"; `message` a level ("info", "warning",
    "error") and a sentence.
    """

    documentChanged = Signal(object)
    resultsChanged = Signal(object)
    selectionChanged = Signal(object)
    liveAppended = Signal(object)
    stateChanged = Signal(str)
    progressChanged = Signal(object)
    loadingChanged = Signal(str)
    message = Signal(str, str)
    previewed = Signal(object)
    runFinished = Signal(object)
    ended = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.history = History()
        self.store = ResultStore()
        self.workspace = data.Workspace()
        self.results = Results()
        self.worker = Worker(self)
        self.side = Lane(self)
        self._hovered: int | None = None
        self._scene_of: details.SceneTask | None = None
        self._details_of: tuple[Any, ...] | None = None
        self._details: details.Details | None = None
        self._live: dict[RunKey, list[LivePoint]] = {}
        self._failed: dict[RunTask, RunResult] = {}
        self._running: tuple[RunTask, ...] = ()
        self._running_key: RunKey | None = None
        self._progress = Clock()
        self._outcome = ""
        self.worker.yielded.connect(self._heard)
        self.worker.returned.connect(lambda _: self._set_outcome("done"))
        self.worker.cancelled.connect(lambda: self._set_outcome("stopped"))
        self.worker.errored.connect(self._run_failed)
        self.worker.finished.connect(self._run_ended)
        self.side.failed.connect(self._side_failed)

    # The document.

    @property
    def document(self) -> Document:
        """What the user chose."""
        return self.history.document

    @property
    def selection(self) -> Selection:
        """What is selected, with the object under the mouse."""
        return replace(self.document.selection, hovered=self._hovered)

    def do(self, command: Command) -> bool:
        """Carry out a command; return whether it could be."""
        before = self.document
        try:
            self.history.do(command)
        except ValueError as error:
            self.message.emit("error", str(error))
            return False
        if self.document != before:
            self.message.emit("info", command.words)
        self._follow(before)
        return True

    def undo(self) -> None:
        """Take back the last command."""
        if self.history.can_undo:
            before = self.document
            command = self.history.undo()
            self.message.emit("info", f"Undo: {command.words}")
            self._follow(before)

    def redo(self) -> None:
        """Give the command that was undone last again."""
        if self.history.can_redo:
            before = self.document
            command = self.history.redo()
            self.message.emit("info", f"Redo: {command.words}")
            self._follow(before)

    def select(self, wanted: Selection) -> None:
        """Select; moving the mouse over an object is shown but not recorded."""
        if wanted.hovered != self._hovered:
            self._hovered = wanted.hovered
        recorded = replace(wanted, hovered=None)
        if recorded != self.document.selection:
            self.do(Select(recorded))
        else:
            self.selectionChanged.emit(self.selection)

    def compare_with(self, run: RunKey | None) -> None:
        """Choose the other solution of the co-clustering matrix."""
        self.do(CompareWith(run))

    # Data.

    def open(self, source: DataSource) -> None:
        """Load a file or sample, then open it."""
        if self.is_running:
            self.message.emit("warning", "Stop the running analysis before opening other data")
            return
        self.loadingChanged.emit(f"Opening {source.title} …")
        self.side.submit("open", lambda state: data.load(source, state), self._opened)

    def open_second(self, source: DataSource) -> None:
        """Load the file with the second measurement, then use it."""
        self.loadingChanged.emit(f"Opening {source.title} …")
        self.side.submit("open", lambda state: data.load(source, state), self._opened_second)

    def preview(self, path: str) -> None:
        """Read a file for the import dialog; `previewed` carries the `Preview`."""
        self.loadingChanged.emit(f"Reading {path} …")
        self.side.submit("preview", lambda state: data.preview(path, state), self._previewed)

    def _previewed(self, found: data.Preview) -> None:
        self.loadingChanged.emit("")
        self.previewed.emit(found)

    def _opened(self, loaded: data.Loaded) -> None:
        self.loadingChanged.emit("")
        self.workspace.put(loaded)
        self.do(OpenData(loaded.source, data.suited_instances(loaded)))
        for note in loaded.notes:
            self.message.emit("info", f"{loaded.source.title}: {note}")

    def _opened_second(self, loaded: data.Loaded) -> None:
        self.loadingChanged.emit("")
        self.workspace.put(loaded)
        instances = replace(self.document.instances, how="second", second=loaded.source)
        self.do(SetInstances(instances))

    def _side_failed(self, name: str, error: BaseException) -> None:
        self.loadingChanged.emit("")
        text = "there is not enough memory" if isinstance(error, MemoryError) else str(error)
        if name == "autosave":
            self.message.emit("warning", f"The session could not be autosaved: {text}")
        else:
            self.message.emit("error", text or type(error).__name__)

    # Running.

    @property
    def is_running(self) -> bool:
        """Whether an analysis runs (or is paused)."""
        return self.worker.is_running

    def run(self) -> None:
        """Start the analysis with the settings as they are."""
        if self.is_running or not self.do(RunAnalysis()):
            return
        self._start()

    def _start(self) -> None:
        assert self.document.analysis is not None
        wanted = self.document.analysis.tasks()
        missing = tuple(task for task in wanted if task not in self.store)
        self._failed = {}
        self._live = {}
        if not missing:
            self.message.emit("info", "Nothing has changed: the results are those of before")
            self._announce()
            self.ended.emit("done")
            return
        self._running, self._running_key = missing, missing[0].key
        self._progress.start(len(missing))
        task = analysis.AnalysisTask(missing)
        self.worker.start(lambda state: analysis.run(task, state, self.workspace))
        self.stateChanged.emit("running")
        self.progressChanged.emit(self._progress.value("starting"))
        self._announce()

    def pause(self) -> None:
        """Hold the analysis."""
        if self.is_running and not self.worker.is_paused:
            self.worker.pause()
            self._progress.pause()
            self.stateChanged.emit("paused")

    def resume(self) -> None:
        """Let it go on."""
        if self.worker.is_paused:
            self.worker.resume()
            self._progress.resume()
            self.stateChanged.emit("running")

    def stop(self) -> None:
        """End the analysis; results so far stay."""
        if self.is_running:
            self.worker.leave()

    def _heard(self, items: list[Any]) -> None:
        changed, text = False, ""
        for item in items:
            if isinstance(item, LivePoint):
                changed = changed or item.key not in self._live
                self._live.setdefault(item.key, []).append(item)
                self.liveAppended.emit(item)
            elif isinstance(item, analysis.RunStarted):
                self._running_key = item.key
                self._progress.begin(item.index)
                changed = True
            elif isinstance(item, RunResult):
                self._finished_one(item)
                changed = True
            elif isinstance(item, gencap.Progress):
                self._progress.within(item)
                text = item.message
        if self._running_key is not None:
            key = self._running_key
            words = f"{title_of(key.model, key.measure)}, {key.n_clusters} clusters"
            self.progressChanged.emit(self._progress.value(f"{words}: {text}" if text else words))
        if changed:
            self._announce()

    def _finished_one(self, result: RunResult) -> None:
        task = next(one for one in self._running if one.key == result.key)
        self._live.pop(result.key, None)
        if result.error:
            self._failed[task] = result
            self.message.emit("error", f"{task.title}: {result.error}")
            return
        self.store.put(task, result)
        self.runFinished.emit(result)
        self.message.emit("info", f"{task.title}: {result.bits:.3f} bits per object")
        if result.note:
            self.message.emit("warning", f"{task.title}: {result.note}")

    def _set_outcome(self, outcome: str) -> None:
        self._outcome = outcome

    def _run_failed(self, error: BaseException) -> None:
        self._outcome = "failed"
        self.message.emit("error", f"The analysis failed: {error or type(error).__name__}")

    def _run_ended(self) -> None:
        self._running, self._running_key = (), None
        self.stateChanged.emit("idle")
        self.message.emit(
            "info", {"done": "Done", "stopped": "Stopped"}.get(self._outcome, "Failed")
        )
        self._announce()
        self.ended.emit(self._outcome)

    # Following the document.

    def _follow(self, before: Document) -> None:
        """Bring results, running work and the widgets in line with a changed document."""
        now = self.document
        if now.analysis != before.analysis and self.is_running:
            self.stop()
        if now != before:
            self.documentChanged.emit(now)
        self._announce()
        if now.selection != before.selection:
            self.selectionChanged.emit(self.selection)

    def _announce(self) -> None:
        """Put the snapshot together, ask for what it lacks, and hand it to the views."""
        self.results = self._snapshot()
        self._ask_for_scene()
        self._ask_for_details()
        self.resultsChanged.emit(self.results)

    def _snapshot(self) -> Results:
        document, old = self.document, self.results
        shown = self._shown_scene()
        scene_kept = shown is not None and shown == self._scene_of
        base = old if scene_kept else Results(data=self._summary())
        runs: dict[RunKey, RunResult] = {}
        if document.analysis is not None:
            for task in document.analysis.tasks():
                found = self.store.get(task) or self._failed.get(task)
                if found is None and (task in self._running or task.key in self._live):
                    found = RunResult(task.key, tuple(self._live.get(task.key, ())))
                if found is not None:
                    runs[task.key] = found
        finished = [one for one in runs.values() if one.finished]
        ranking = analysis.ranking_table(finished) if finished else None
        current = self._current(runs, ranking)
        details_kept = self._details is not None and self._details_of == self._details_key(
            current, runs
        )
        kept = self._details if details_kept else None
        return replace(
            base,
            runs=MappingProxyType(runs),
            current=current,
            running=self._running_key,
            order=analysis.order_table(finished) if finished else None,
            ranking=ranking,
            compared=document.compared,
            profiles=None if kept is None else kept.profiles,
            labels=None if kept is None else kept.labels,
            similarity=None if kept is None else kept.similarity,
            coclustering=None if kept is None else kept.coclustering,
            similarity_window=base.similarity_window if details_kept else None,
            coclustering_window=base.coclustering_window if details_kept else None,
        )

    def _summary(self) -> Any:
        source = self.document.source
        loaded = None if source is None else self.workspace.find(source)
        return None if loaded is None else loaded.summary()

    def _current(self, runs: dict[RunKey, RunResult], ranking: Any) -> RunKey | None:
        chosen = self.document.selection.run
        if chosen is not None and chosen in runs:
            return chosen
        # A run that has nothing to show yet leaves the picture to those before it.
        if self._running_key in self._live and self._running_key in runs:
            return self._running_key
        if ranking is not None:
            for row in ranking.itertuples():
                key = RunKey(row.model, row.measure, int(row.n_clusters))
                if key in runs:
                    return key
        return next((key for key, one in runs.items() if one.finished and not one.error), None)

    # The objects in the plane.

    def _shown_scene(self) -> details.SceneTask | None:
        """Return the instances whose objects are shown: those of the results, else the chosen."""
        document = self.document
        chosen = document.analysis or document
        if chosen.source is None:
            return None
        seed = chosen.seed if chosen.instances.how in ("random", "objects") else 0
        return details.SceneTask(chosen.source, chosen.instances, seed)

    def _ask_for_scene(self) -> None:
        wanted = self._shown_scene()
        if wanted == self._scene_of:
            return
        self._scene_of = wanted
        if wanted is None:
            self.side.drop("scene")
            return
        self.side.submit(
            "scene",
            lambda state: details.set_scene(wanted, state, self.workspace),
            lambda scene: self._scene_set(wanted, scene),
        )

    def _scene_set(self, task: details.SceneTask, scene: details.Scene) -> None:
        if task != self._scene_of:
            return
        self.results = replace(
            self.results,
            data=scene.data,
            names=scene.names,
            known=scene.known,
            known_names=scene.known_names,
            projection=scene.projection,
        )
        self.resultsChanged.emit(self.results)

    # Tables and matrices of the run that is shown.

    def _details_key(
        self, current: RunKey | None, runs: dict[RunKey, RunResult]
    ) -> tuple[Any, ...] | None:
        run = None if current is None else runs.get(current)
        if run is None or not run.finished or run.error or run.labels is None:
            return None
        other = self.document.compared
        return id(run), current, other if other in runs else None

    def _details_task(self) -> details.DetailsTask | None:
        current, analysis_now = self.results.current, self.document.analysis
        run = self.results.run
        if current is None or analysis_now is None or run is None:
            return None
        task = next((one for one in analysis_now.tasks() if one.key == current), None)
        other = self.document.compared
        second = None if other is None else self.results.runs.get(other)
        if second is not None and second.labels is None:
            second = None
        return None if task is None else details.DetailsTask(task, run, second)

    def _ask_for_details(self) -> None:
        key = self._details_key(self.results.current, dict(self.results.runs))
        if key == self._details_of:
            return
        self._details_of, self._details = key, None
        task = self._details_task()
        if key is None or task is None:
            self.side.drop("details")
            return
        self.side.submit(
            "details",
            lambda state: details.describe(task, state, self.workspace),
            lambda found: self._details_found(key, found),
        )

    def _details_found(self, key: tuple[Any, ...], found: details.Details) -> None:
        if key != self._details_of:
            return
        self._details = found
        self.results = self._snapshot()
        self.resultsChanged.emit(self.results)

    def ask_window(self, window: MatrixWindow) -> None:
        """Compute full detail of a part of a matrix, for a view that zoomed in."""
        task, key = self._details_task(), self._details_of
        if task is None or key is None or self.results.similarity is None:
            return
        level = float(self.results.similarity.matrix[0, 0])
        wanted = details.WindowTask(task, window, level)

        def found(part: Any) -> None:
            if key == self._details_of:
                field = f"{window.kind}_window"
                self.results = replace(self.results, **{field: part})
                self.resultsChanged.emit(self.results)

        self.side.submit(
            f"window {window.kind}",
            lambda state: details.describe_window(wanted, state, self.workspace),
            found,
        )

    # A whole session at once.

    def saved_session(self) -> SavedSession:
        """Return what a session file holds: the record, its data, and the results shown."""
        document = self.document
        shown = () if document.analysis is None else document.analysis.tasks()
        sources = [document.source, document.instances.second]
        if document.analysis is not None:
            sources += [document.analysis.source, document.analysis.instances.second]
        tables = {one: self.workspace.find(one) for one in sources if one is not None}
        found = [table for table in tables.values() if table is not None]
        return SavedSession(self.history, list(self.store.items(shown)), found)

    def restore(self, saved: SavedSession) -> None:
        """Take over a session that was read from a file."""
        self.stop()
        self.side.drop("scene", "details", "open", "preview")
        before = self.document
        for loaded in saved.tables:
            self.workspace.put(loaded)
        for task, result in saved.results:
            self.store.put(task, result)
        self.history = saved.history
        self._hovered, self._scene_of, self._details_of, self._details = None, None, None, None
        self._live, self._failed, self.results = {}, {}, Results()
        self._follow(before)
        self.documentChanged.emit(self.document)
        self.selectionChanged.emit(self.selection)

    def close(self) -> bool:
        """End all work; return whether every thread has ended."""
        self.stop()
        self.side.close()
        return self.worker.wait() and self.side.worker.wait()
