"""Three Gaussians, more and more overlap: mixtures by transfer costs, BIC and AIC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray
from gencap.criteria import aic, bic
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

N_OBJECTS = 500
CENTERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
# Standard deviation over the distance of the centers.
EASY = (0.15, 0.2, 0.25)
HARD = (0.35, 0.45, 0.525, 0.55, 0.6)
HOPELESS = (1.2,)
CLUSTERS = range(1, 7)
CRITERIA = ("MTC", "BIC", "AIC")


@dataclass(frozen=True)
class _Task:
    sigma: float
    seed: int


def measure(setting: Setting) -> Findings:
    """Choose the number of components of every sample by three criteria."""
    repeats = 8 if setting.quick else 24
    sigmas = (0.2, 0.45, 1.2) if setting.quick else (*EASY, *HARD, *HOPELESS)
    tasks = [_Task(s, seed) for s in sigmas for seed in seeds_of(setting.seed, repeats)]
    found = parallel_map(
        _one, tasks, threads=setting.threads, control=setting.control, message="mixtures"
    )
    table = pd.DataFrame([row for rows in found for row in rows])
    choices = pd.DataFrame([_choices(rows) for rows in found])
    return Findings(_rows(choices), {"curves": table, "choices": choices})


def three_gaussians(sigma: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw two samples of 500 from three Gaussians in a triangle with sides of 1."""
    rng = np.random.default_rng(seed)
    first, second = (
        CENTERS[rng.integers(3, size=N_OBJECTS)] + sigma * rng.normal(size=(N_OBJECTS, 2))
        for _ in range(2)
    )
    return first, second


def _one(task: _Task, control: Control) -> list[dict[str, float]]:
    first, second = three_gaussians(task.sigma, task.seed)
    model = GaussianMixture(covariance="full", random_state=0, n_jobs=1)
    options: dict[str, Any] = {"n_jobs": 1, "progress": control}
    costs = transfer_costs(model, (first, second), CLUSTERS, **options).costs
    # Both criteria are 2 N times a cost per object: one unit for all three curves.
    other = [criterion(model, first, CLUSTERS, **options).values for criterion in (bic, aic)]
    return [
        {
            "sigma": task.sigma,
            "seed": task.seed,
            "n_clusters": k,
            "MTC": costs[k],
            "BIC": other[0][k] / (2 * N_OBJECTS),
            "AIC": other[1][k] / (2 * N_OBJECTS),
        }
        for k in CLUSTERS
    ]


def _choices(rows: list[dict[str, float]]) -> dict[str, float]:
    curve = pd.DataFrame(rows).set_index("n_clusters")
    return {"sigma": rows[0]["sigma"]} | {
        name: int(curve.index[int(curve[name].argmin())]) for name in CRITERIA
    }


def _rows(choices: pd.DataFrame) -> tuple[Row, ...]:
    easy = choices[choices["sigma"].isin(EASY)]
    middle = choices[choices["sigma"].isin(HARD)]
    most = choices[choices["sigma"].isin(HOPELESS)]
    medians = middle.groupby("sigma")[list(CRITERIA)].median()
    below = medians[(medians["BIC"] < 3) & (medians["BIC"] < medians["MTC"])]
    return (
        *(_easy_row(easy, name, earlier) for name, earlier in zip(CRITERIA, _EARLIER, strict=True)),
        Row(
            "sigma / side where BIC takes fewer components than MTC (earlier .35 to .55)",
            "BIC takes fewer than 3, transfer costs still 3",
            _span(below),
            verdict(len(below) > 0 and bool((below["MTC"] >= 2).all())),
        ),
        Row(
            "the same in units of centers' distance from their mean (earlier .61 to .95)",
            ".60 to .85 of the distance between the centers",
            _span(below, np.sqrt(3.0)),
            beside("the lower end fits this reading of the distance only"),
        ),
        *(
            Row(
                f"components by {name}, sigma = 1.2 sides (earlier 1)",
                "1",
                f"median {most[name].median():g} ({_count(most[name], 1)})",
                verdict(most[name].median() == 1),
            )
            for name in ("BIC", "MTC")
        ),
        Row(
            "components by AIC, sigma = 1.2 sides (earlier 1 in 7 of 8)",
            "the largest number offered",
            f"median {most['AIC'].median():g}, at most {most['AIC'].max():g}",
            beside("not reproduced, nor was it earlier"),
        ),
    )


_EARLIER = ("11 to 12 of 12", "12 of 12", "9 to 10 of 12")


def _easy_row(easy: pd.DataFrame, name: str, earlier: str) -> Row:
    share = float((easy[name] == 3).mean())
    # Earlier 9 to 12 of 12; single samples of four miss with some probability.
    return Row(
        f"3 components by {name}, sigma up to .25 side (earlier {earlier})",
        "always",
        _count(easy[name], 3),
        verdict(share >= 0.7, remark="" if share == 1.0 else "most samples"),
    )


def _count(column: pd.Series[Any], wanted: int) -> str:
    return f"{int((column == wanted).sum())} of {len(column)}"


def _span(below: pd.DataFrame, scale: float = 1.0) -> str:
    if not len(below):
        return "nowhere"
    low, high = below.index.min() * scale, below.index.max() * scale
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def draw(tables: Tables) -> dict[str, Any]:
    """Cost per object of the three criteria against the number of components."""
    from matplotlib.figure import Figure

    curves = tables["curves"]
    sigmas = sorted(curves["sigma"].unique())
    shown = [sigmas[0], sigmas[len(sigmas) // 2], sigmas[-1]]
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    for axes, sigma in zip(figure.subplots(1, 3), shown, strict=True):
        means = curves[curves["sigma"] == sigma].groupby("n_clusters")[list(CRITERIA)].median()
        for name in CRITERIA:
            axes.plot(means.index, means[name], "o-", label=name)
        axes.set(xlabel="components", ylabel="nats per object", title=f"sigma = {sigma:g} side")
    axes.legend()
    return {"criteria": figure}


EXPERIMENT = Experiment(
    name="mtc1",
    title="Three overlapping Gaussians: transfer costs between BIC and AIC",
    source=(
        "Frank, Chehreghani and Buhmann, ECML PKDD 2011, Fig. 1; Haghir Chehreghani, PhD thesis, "
        "ETH Zurich, 2013, Fig. 2"
    ),
    description=(
        "500 objects from three Gaussians in a triangle and 500 more to try on; mixtures with full "
        "covariances and 1 to 6 components. With little overlap all criteria choose 3, with more "
        "BIC chooses fewer than transfer costs do, with most of it both choose 1."
    ),
    measure=measure,
    draw=draw,
)
