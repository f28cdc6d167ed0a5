"""Time a frame of every view of the application with 20,000 objects and print it.

A frame is what blocks the window: taking in a change (labels at another temperature, a new
snapshot, a hovered object) and painting it at 1280 x 800. The aim is 50 ms, 20 frames a second.
Columns are medians of the processor's time, which a busy machine does not change; "wall" is the
median by the clock and "worst" the slowest frame by the clock.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from statistics import median
from types import MappingProxyType
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
N_OBJECTS, N_CLUSTERS, N_STEPS, N_FRAMES = 20_000, 8, 60, 25
AIM_MS = 50.0


def make_results() -> Any:
    """Return results of 20,000 objects in eight clusters, as a finished run gives them."""
    import numpy as np
    import pandas as pd

    from gencap_gui import session as s

    rng = np.random.default_rng(0)
    key = s.RunKey("centroid", "", N_CLUSTERS)
    centers = rng.normal(0.0, 4.0, (N_CLUSTERS, 2))
    labels = rng.integers(0, N_CLUSTERS, N_OBJECTS)
    place = centers[labels] + rng.normal(0.0, 1.0, (N_OBJECTS, 2))
    beta = np.geomspace(0.01, 100.0, N_STEPS)
    path = np.stack([np.minimum(labels, t // 7) for t in range(N_STEPS)]).astype(np.int16)
    sure = rng.uniform(0.3, 1.0, (N_STEPS, N_OBJECTS)).astype(np.float32)
    groups = np.stack([np.minimum(np.arange(N_CLUSTERS), t // 7) for t in range(N_STEPS)])
    bits = np.log2(1.0 + groups.max(axis=1)) - 0.02 * np.arange(N_STEPS)
    curve = s.CurveData(beta, bits, bits, 0 * bits, 1.0 + groups.max(axis=1))
    run = s.RunResult(
        key,
        finished=True,
        bits=float(bits.max()),
        beta=float(beta[int(bits.argmax())]),
        curve=curve,
        best_step=int(bits.argmax()),
        labels=labels,
        confidence=sure[0].astype(np.float64),
        paths=s.CenterPaths(
            beta,
            np.cumsum(rng.normal(0.0, 0.1, (N_STEPS, N_CLUSTERS, 2)), axis=0) + centers,
            groups,
            np.full(groups.shape, 1.0 / N_CLUSTERS),
        ),
        label_path=s.LabelPath(beta, path, sure),
    )
    order = np.sort(rng.permutation(N_OBJECTS)[:2000])
    order = order[np.argsort(labels[order], kind="stable")]
    matrix = rng.normal(size=(2000, 2000)).astype(np.float32)
    rows = [("centroid", "", k, 1.0, 0.1, k, 1.0, 1.0, False) for k in range(2, 11)]
    names = "model measure n_clusters bits bits_sd effective beta seconds optimistic".split()
    frame = pd.DataFrame(rows, columns=names)
    profiles = [(c, f"column {j}", 0.1 * c * j, 1.0, 2500) for c in range(8) for j in range(64)]
    return s.Results(
        data=s.DataSummary("points", N_OBJECTS, 2),
        projection=s.PlaneProjection(place, (0.6, 0.3), "pca"),
        runs=MappingProxyType({key: run}),
        current=key,
        order=frame,
        ranking=frame.iloc[:1].assign(rank=1),
        profiles=pd.DataFrame(profiles, columns=["cluster", "column", "mean", "sd", "n"]),
        labels=pd.DataFrame(
            {
                "object": np.arange(N_OBJECTS),
                "name": [f"object {i + 1}" for i in range(N_OBJECTS)],
                "cluster": labels + 1,
                "confidence": sure[0].astype(np.float64),
            }
        ),
        similarity=s.OrderedMatrix(matrix, order, labels[order], N_OBJECTS),
        coclustering=s.CoClustering((matrix > 0).astype(np.uint8), order, key, key, N_OBJECTS),
    )


def changes(results: Any) -> dict[str, Any]:
    """Return what may change from one frame to the next: name to a function of the frame."""
    from gencap_gui.session import Selection

    return {
        "temperature": lambda view, i: view.show_selection(Selection(step=(7 * i) % N_STEPS)),
        "hover": lambda view, i: view.show_selection(Selection(hovered=i * 731 % N_OBJECTS)),
        "cluster": lambda view, i: view.show_selection(Selection(cluster=i % N_CLUSTERS)),
        "snapshot": lambda view, i: view.show_results(replace(results)),
    }


def frame_times(view: Any, change: Any, app: Any) -> tuple[float, float, float, float]:
    """Return milliseconds to take in a change and to paint it, by the clock, and at worst."""
    taken, painted, wall = [], [], []
    for i in range(N_FRAMES + 3):
        clock, begin = time.perf_counter(), time.process_time()
        change(view, i)
        view.flush()
        middle = time.process_time()
        view.grab()
        end = time.process_time()
        if i >= 3:  # the first frames fill caches
            taken.append(1e3 * (middle - begin))
            painted.append(1e3 * (end - middle))
            wall.append(1e3 * (time.perf_counter() - clock))
        app.processEvents()
    return median(taken), median(painted), median(wall), max(wall)


def main() -> int:
    """Print a line per view and change."""
    try:
        from PySide6.QtWidgets import QApplication

        from gencap_gui.plots import all_views
    except ImportError as error:
        print(f"skipped: the application is not installed ({error}); try `make gui`")
        return 0
    app = QApplication([])
    results = make_results()
    print(f"{N_OBJECTS:,} objects, {N_CLUSTERS} clusters, {N_FRAMES} frames of 1280 x 800, ms")
    heads = "".join(f"{word:>9}" for word in ("update", "paint", "frame", "wall", "worst"))
    print(f"{'view':16} {'change':12}{heads}")
    slow = []
    for kind in all_views():
        view = kind()
        view.resize(1280, 800)
        view.show()
        view.show_results(results)
        view.flush()
        for name, change in changes(results).items():
            taken, painted, wall, worst = frame_times(view, change, app)
            total = taken + painted
            numbers = "".join(f"{v:9.1f}" for v in (taken, painted, total, wall, worst))
            print(f"{kind.name:16} {name:12}{numbers}", flush=True)
            if total > AIM_MS:
                slow.append(f"{kind.name} ({name})")
        view.close()
    print(f"above {AIM_MS:.0f} ms: {', '.join(slow) if slow else 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
