"""Take pictures of every view of the application: light and dark, two scales, two data sets.

Each view is drawn in the middle of a run and after it, on the digits (1797 x 64) and on 20,000
generated points, at 1280 x 800 and as narrow as a dock. Pictures go to build/screenshots, which
git does not track; they are for people to look at.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"1280x800": (1280, 800), "dock": (460, 360)}


@dataclass(frozen=True)
class Stage:
    """A data set with the analysis to show."""

    name: str
    title: str
    models: tuple[str, ...]
    measures: tuple[str, ...]
    low: int
    high: int
    how: str


STAGES = (
    Stage("digits", "digits", ("centroid", "normalized_cut"), ("pearson",), 9, 10, "interleave"),
    Stage("generated", "20,000 points", ("centroid",), ("euclidean",), 4, 6, "interleave"),
)


def generated_table(folder: Path) -> Path:
    """Write 20,000 named points of five sources in six columns."""
    rng = np.random.default_rng(0)
    centers = rng.normal(0.0, 3.0, (5, 6))
    source = rng.integers(0, 5, 20_000)
    table = pd.DataFrame(
        centers[source] + rng.normal(0.0, 1.0, (20_000, 6)),
        columns=[f"condition {j + 1}" for j in range(6)],
    )
    table.insert(0, "name", [f"probe {i + 1:05d}" for i in range(len(table))])
    path = folder / "generated.csv"
    table.to_csv(path, index=False)
    return path


def analysis_of(stage: Stage, folder: Path) -> Any:
    """Return the settings of a stage, as the user would have chosen them."""
    from gencap_gui.settings import (
        Analysis,
        AnnealingChoice,
        ClusterRange,
        DataSource,
        InstanceChoice,
        ModelChoice,
    )

    source = DataSource("sample", stage.name)
    if stage.name == "generated":
        source = DataSource("file", str(generated_table(folder)))
    return Analysis(
        source,
        InstanceChoice(how=stage.how),  # type: ignore[arg-type]
        ModelChoice(stage.models, stage.measures),
        ClusterRange(stage.low, stage.high),
        AnnealingChoice(n_steps=40),
    )


def moments(stage: Stage, folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield results in the middle of the last run, then finished."""
    from gencap_gui.results import LivePoint, Results, RunResult
    from gencap_gui.tasks import analysis, details
    from gencap_gui.tasks.data import Workspace
    from gencap_gui.tasks.state import State

    chosen = analysis_of(stage, folder)
    told: list[Any] = []
    state, workspace = State(told.append), Workspace()
    scene_task = details.SceneTask(chosen.source, chosen.instances, chosen.seed)
    scene = details.set_scene(scene_task, state, workspace)
    tasks = chosen.tasks()
    runs = {r.key: r for r in analysis.run(analysis.AnalysisTask(tasks), state, workspace)}
    for run in runs.values():
        print(f"  {run.key}: {run.bits:.3f} bits, {run.seconds:.1f} s {run.error}", flush=True)
    base = Results(scene.data, scene.names, scene.known, scene.known_names, scene.projection)
    last = next(key for key in reversed(runs) if key.model == "centroid")
    points = tuple(p for p in told if isinstance(p, LivePoint) and p.key == last)
    early = {key: run for key, run in runs.items() if key < last}
    early[last] = RunResult(last, live=points[: len(points) * 11 // 20])
    done = [run for run in early.values() if run.finished]
    tables: dict[str, Any] = {
        "order": analysis.order_table(done),
        "ranking": analysis.ranking_table(done),
    }
    yield (
        "running",
        replace(base, runs=MappingProxyType(early), current=last, running=last, **tables),
    )
    others = [run for key, run in runs.items() if key != last and run.labels is not None]
    task = next(task for task in tasks if task.key == last)
    asked = details.DetailsTask(task, runs[last], others[-1] if others else None)
    found = details.describe(asked, state, workspace)
    yield (
        "finished",
        replace(
            base,
            runs=MappingProxyType(runs),
            current=last,
            order=analysis.order_table(runs.values()),
            ranking=analysis.ranking_table(runs.values()),
            profiles=found.profiles,
            labels=found.labels,
            similarity=found.similarity,
            coclustering=found.coclustering,
            compared=others[-1].key if others else None,
        ),
    )


def variants(view: Any) -> Iterator[str]:
    """Bring a view into each of its modes, yielding a word for the file's name."""
    yield ""
    if view.name == "capacity-curve":
        view.terms.setChecked(True)
        yield "-terms"
    if view.name == "split-diagram":
        for mode in ("tree", "plane"):
            view.set_mode(mode)
            yield f"-{mode}"
    if view.name == "matrix":
        view.set_kind("coclustering")
        yield "-two"
    if view.name not in ("label-table",):
        view._header.twin.setChecked(True)
        yield "-table"


def picture(view: Any, stem: str, ending: str, app: Any) -> int:
    """Take the pictures of one view in all its modes; return how many."""
    count = 0
    for variant in variants(view):
        view.flush()
        app.processEvents()
        view.grab()  # axes find their width while they are painted
        view.grab().save(f"{stem}{variant}-{ending}.png")
        count += 1
    view.close()
    view.deleteLater()
    return count


def take(out: Path, stages: tuple[Stage, ...], scale: str) -> int:
    """Take all pictures at the scale of this process; return how many."""
    from PySide6.QtWidgets import QApplication

    from gencap_gui.plots import all_views
    from gencap_gui.session import Selection
    from gencap_gui.theme import DARK, LIGHT
    from gencap_gui.widgets.style import apply_style

    app, count = QApplication([]), 0
    chosen = Selection(frozenset({3, 14, 15}), hovered=14, cluster=1)
    with tempfile.TemporaryDirectory() as folder:
        looks = list(product(((LIGHT, "light"), (DARK, "dark")), SIZES.items()))
        for stage in stages:
            print(stage.title, flush=True)
            (out / stage.name).mkdir(parents=True, exist_ok=True)
            for moment, results in moments(stage, Path(folder)):
                for kind, ((theme, shade), (size, extent)) in product(all_views(), looks):
                    apply_style(app, theme)
                    view: Any = kind()
                    view.apply_theme(theme)
                    view.resize(*extent)
                    view.show()
                    view.show_results(results)
                    # Half of the pictures show a selection as well.
                    if theme is DARK and moment == "finished":
                        view.show_selection(chosen)
                    stem = str(out / stage.name / kind.name)
                    count += picture(view, stem, f"{moment}-{shade}-{size}-x{scale}", app)
    return count


def main() -> int:
    """Take the pictures, each scale in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "screenshots")
    parser.add_argument("--scale", choices=("1", "2"), help="one scale only, in this process")
    parser.add_argument("--only", choices=[stage.name for stage in STAGES])
    options = parser.parse_args()
    if options.scale is None:
        for scale in ("1", "2"):
            command = [sys.executable, __file__, "--scale", scale, "--out", str(options.out)]
            command += ["--only", options.only] if options.only else []
            # Qt reads the scale once, when a process starts.
            surroundings = {**os.environ, "QT_SCALE_FACTOR": scale}
            surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
            subprocess.run(command, check=True, env=surroundings)
        return 0
    stages = tuple(s for s in STAGES if options.only in (None, s.name))
    count = take(options.out, stages, options.scale)
    print(f"{count} pictures at scale {options.scale} in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
