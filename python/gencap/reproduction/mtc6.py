"""k-means on three Gaussians: which mapping finds three clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray
from gencap.instances import Pair
from gencap.models import GaussianMixture
from gencap.reproduction._result import (
    Experiment,
    Findings,
    Row,
    Setting,
    Tables,
    beside,
    seeds_of,
    verdict,
)
from gencap.transfer import transfer_costs

__all__ = ["EXPERIMENT"]

N_OBJECTS = 200
CLUSTERS = range(1, 11)
HEIGHT = float(np.sqrt(0.75))
# Centers and standard deviations; the paper shows scatter plots only.
PROBLEMS: dict[str, tuple[list[list[float]], list[float]]] = {
    "equal": ([[0.0, 0.0], [4.0, 0.0], [2.0, 4.0 * HEIGHT]], [1.0, 1.0, 1.0]),
    "hierarchical": ([[0.0, 0.0], [4.0, 0.0], [12.0, 8.0]], [1.0, 1.0, 1.0]),
    "unequal": ([[0.0, 0.0], [3.5, 0.0], [12.0, 8.0]], [0.5, 1.0, 2.0]),
    "one Gaussian": ([[0.0, 0.0]] * 3, [1.0, 1.0, 1.0]),
}
MAPPINGS = ("identity", "nearest", "centroid", "hungarian", "soft", "soft_objects")
EARLIER = {"equal": "18 of 20", "hierarchical": "20 of 20", "unequal": "16 of 20"}
MIXTURE_EARLIER = {"hierarchical": "15 of 20", "unequal": "18 of 20"}


@dataclass(frozen=True)
class _Task:
    problem: str
    seed: int


def measure(setting: Setting) -> Findings:
    """Price 1 to 10 clusters of every sample with every mapping."""
    repeats = 5 if setting.quick else 20
    tasks = [_Task(name, seed) for name in PROBLEMS for seed in seeds_of(setting.seed, repeats)]
    found = parallel_map(
        _one, tasks, threads=setting.threads, control=setting.control, message="mappings"
    )
    curves = pd.concat(found, ignore_index=True)
    choices = pd.DataFrame([_choices(frame) for frame in found])
    return Findings(_rows(choices), {"curves": curves, "choices": choices})


def three_sources(problem: str, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw 200 objects twice; object i has the same source in both."""
    centers, deviations = (np.array(part) for part in PROBLEMS[problem])
    rng = np.random.default_rng(seed)
    source = np.arange(N_OBJECTS) % 3
    first, second = (
        centers[source] + deviations[source, None] * rng.normal(size=(N_OBJECTS, 2))
        for _ in range(2)
    )
    return first, second


def _one(task: _Task, control: Control) -> pd.DataFrame:
    pair = Pair(*three_sources(task.problem, task.seed))
    # k-means as in the paper: annealing alone stops in local optima of the unequal problem, where
    # it chooses 3 in 12 of 20 samples only.
    model = KMeans(n_init=10, random_state=0)
    options: dict[str, Any] = {"n_jobs": 1, "progress": control}
    found = {
        mapping: transfer_costs(model, pair, CLUSTERS, mapping, **options) for mapping in MAPPINGS
    }
    mixture = GaussianMixture(covariance="full", random_state=0)
    columns = {mapping: result.costs for mapping, result in found.items()}
    columns["train"] = found["identity"].train_costs
    columns["mixture"] = transfer_costs(mixture, pair, range(1, 6), **options).costs
    frame = pd.DataFrame(columns).rename_axis("n_clusters").reset_index()
    return frame.assign(problem=task.problem, seed=task.seed)


def _choices(frame: pd.DataFrame) -> dict[str, Any]:
    curve = frame.set_index("n_clusters")
    names = (*MAPPINGS, "train", "mixture")
    return {"problem": frame["problem"].iloc[0]} | {
        name: int(curve.index[int(curve[name].argmin())]) for name in names
    }


def _rows(choices: pd.DataFrame) -> tuple[Row, ...]:
    structured = choices[choices["problem"] != "one Gaussian"]
    largest = CLUSTERS[-1] - 1
    return (
        *(
            Row(
                f"{name} chooses 9 or 10 of 10 clusters (earlier nearly all)",
                "the largest number offered",
                _share(structured[column] >= largest),
                verdict(float((structured[column] >= largest).mean()) >= 0.8),
            )
            for name, column in (
                ("cost of the first sample", "train"),
                ("nearest object", "nearest"),
                ("nearest centroid", "centroid"),
                ("Hungarian matching", "hungarian"),
            )
        ),
        *(
            _three(choices, name, "identity", earlier, "3 always")
            for name, earlier in EARLIER.items()
        ),
        _three(choices, "equal", "soft", "20 of 20", "3"),
        *(_two(choices, name) for name in ("hierarchical", "unequal")),
        *(
            _three(choices, name, "mixture", earlier, "more appropriate")
            for name, earlier in MIXTURE_EARLIER.items()
        ),
        _objects(choices),
        _bias(choices),
    )


def _of(choices: pd.DataFrame, problem: str, column: str) -> pd.Series[Any]:
    return choices.loc[choices["problem"] == problem, column]


def _share(holds: pd.Series[Any]) -> str:
    return f"{int(holds.sum())} of {len(holds)}"


def _three(choices: pd.DataFrame, problem: str, column: str, earlier: str, paper: str) -> Row:
    right = _of(choices, problem, column) == 3
    # Earlier at least 15 of 20; five samples may lose two.
    return Row(
        f"3 clusters by {column}, {problem} (earlier {earlier})",
        paper,
        _share(right),
        verdict(float(right.mean()) >= 0.6, remark="" if right.all() else "most samples"),
    )


def _two(choices: pd.DataFrame, problem: str) -> Row:
    low = _of(choices, problem, "soft") == 2
    return Row(
        f"2 clusters by soft, {problem} (earlier 20 of 20)",
        "too low",
        _share(low),
        verdict(float(low.mean()) >= 0.8),
    )


def _objects(choices: pd.DataFrame) -> Row:
    right = _of(choices, "equal", "soft_objects") == 3
    return Row(
        "3 clusters by soft mapping to objects (Eq. 13), equal (earlier 0 of 20)",
        "Eq. 14 approximates Eq. 13",
        _share(right),
        beside("Eq. 13 weights clusters by size and is nearly flat: not an approximation"),
    )


def _bias(choices: pd.DataFrame) -> Row:
    one = _of(choices, "one Gaussian", "soft")
    return Row(
        "1 cluster by soft mapping, one Gaussian (earlier 0 of 20; 9 chose 3)",
        "not tested",
        f"{_share(one == 1)}; {int((one == 3).sum())} chose 3",
        beside("the 3 of the equal setting is partly a bias"),
    )


def draw(tables: Tables) -> dict[str, Any]:
    """Medians of the costs against the number of clusters, with quartiles."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 3.2), layout="constrained")
    curves = tables["curves"]
    for axes, problem in zip(figure.subplots(1, len(PROBLEMS)), PROBLEMS, strict=True):
        own = curves[curves["problem"] == problem].groupby("n_clusters")
        for name in ("train", "identity", "nearest", "soft"):
            line = axes.plot(own[name].median().index, own[name].median(), label=name)[0]
            for share in (0.25, 0.75):
                axes.plot(own[name].quantile(share), "--", color=line.get_color(), linewidth=0.6)
        axes.set(xlabel="clusters", title=problem, yscale="log")
    axes.legend()
    return {"costs": figure}


EXPERIMENT = Experiment(
    name="mtc6",
    title="k-means on three Gaussians: generative and soft mappings find them, others do not",
    source=(
        "Frank, Chehreghani and Buhmann, ECML PKDD 2011, Fig. 6; Haghir Chehreghani, PhD thesis, "
        "ETH Zurich, 2013, Fig. 3"
    ),
    description=(
        "200 objects from three Gaussians measured twice; 1 to 10 clusters carried over by six "
        "mappings. Three problems: equal distances and variances, a hierarchy of distances, and "
        "unequal variances as well; then one Gaussian, where no number of clusters is right but 1."
    ),
    measure=measure,
    draw=draw,
)
