"""``gencap demo``: one real and one generated data set, from table to report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gencap.cli._options import out_option, seed_option

if TYPE_CHECKING:
    from gencap.cli._screen import Watch
    from gencap.report import Study
    from gencap.study import StudyPlan

__all__ = ["demo_command"]

EPILOG = """\b
Example:
  gencap demo --quick --out demo-report
"""


@click.command("demo", epilog=EPILOG, short_help="Analyze example data and write a report.")
@click.option("--quick", is_flag=True, help="Fewer splits and null draws; for a first look.")
@seed_option
@out_option
def demo_command(quick: bool, seed: int, out: Path) -> None:
    """Select the number of clusters on example data and write a report.

    The real data are 178 wines with 13 measured properties, split five times into random halves of
    the properties. The generated data are four overlapping Gaussians measured twice; their true
    capacity is known.
    """
    from gencap.cli._screen import Watch, console, show_study
    from gencap.report import write_report

    makers: list[tuple[str, Callable[[bool, int, Watch], Study]]] = [
        ("Wine", wine_study),
        ("Four Gaussians", gaussians_study),
    ]
    studies = []
    for title, make in makers:
        with Watch(title) as watch:
            studies.append(make(quick, seed, watch))
    page = write_report(
        out, studies, settings={"command": "gencap demo", "quick": quick, "seed": seed}
    )
    for study in studies:
        show_study(study)
    console().print(f"Report: {page}", soft_wrap=True)


def wine_study(quick: bool, seed: int, watch: Watch) -> Study:
    """Return the study of scikit-learn's wine data, standardized, over random feature halves."""
    import numpy as np
    import pandas as pd

    from gencap import datasets
    from gencap.study import study_matrix

    wine = datasets.load("wine", standardize=False)
    return study_matrix(
        pd.DataFrame(wine.data, columns=wine.columns),
        title="Wine",
        description=f"{wine.description}, standardized; the columns are split at random into two "
        "halves. The known classes are the cultivars.",
        plan=_plan(quick, seed, scale="standard"),
        truth=np.array([f"cultivar {c + 1}" for c in wine.truth], dtype=object),
        progress=watch,
    )


def gaussians_study(quick: bool, seed: int, watch: Watch) -> Study:
    """Return the study of four Gaussians of variance 5 at (+-4, +-4), measured twice."""
    import numpy as np

    from gencap import datasets
    from gencap.study import study_pairs

    # 300 objects are enough to see 1.49 bits to one decimal, and keep 99 null draws short.
    plan = _plan(quick, seed, most_clusters=6)
    seeds = np.random.SeedSequence(seed).generate_state(plan.n_splits)
    sets = [datasets.gaussians(n_objects=300, random_state=int(s)) for s in seeds]
    return study_pairs(
        [data.pair for data in sets],
        sets[0].first,
        title="Four Gaussians",
        description=f"{sets[0].description}, measured twice, {len(sets)} times over (the first "
        "set is shown). True information shared by the two measurements: "
        f"{sets[0].information:.2f} bits per object.",
        plan=plan,
        truth=np.array([f"source {s + 1}" for s in sets[0].truth], dtype=object),
        split=f"two measurements; {len(sets)} data sets",
        progress=watch,
    )


def _plan(quick: bool, seed: int, most_clusters: int = 8, scale: str = "none") -> StudyPlan:
    from gencap.study import StudyPlan

    return StudyPlan(
        n_splits=3 if quick else 5,
        null_draws=19 if quick else 99,
        clusters=tuple(range(1, (6 if quick else most_clusters) + 1)),
        scale=scale,
        seed=seed,
    )
