"""``gencap demo``: a study of real data, and one of generated data whose answer is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gencap.cli._options import out_option, seed_option

if TYPE_CHECKING:
    from gencap.cli._screen import Watch
    from gencap.report import Study

__all__ = ["demo_command"]

EPILOG = """\b
Example:
  gencap demo --quick --out demo-report
"""
MODELS = (
    "centroid", "pairwise", "normalized_cut", "ratio_cut", "correlation", "dominant_sets",
)  # fmt: skip


@click.command("demo", epilog=EPILOG, short_help="Analyze example data and write a report.")
@click.option("--quick", is_flag=True, help="Fewer splits and null draws; for a first look.")
@seed_option
@out_option
def demo_command(quick: bool, seed: int, out: Path) -> None:
    """Rank models, measures and numbers of clusters on example data and write a report.

    The real data are 178 wines with 13 measured properties, split five times into random halves of
    the properties; six models and three measures compete. The generated data are four overlapping
    Gaussians measured twice; their true capacity is known.
    """
    from gencap.cli._screen import Watch, console, show_study
    from gencap.report import write_report

    compare_wine(quick, seed, out)
    with Watch("Four Gaussians") as watch:
        study = gaussians_study(quick, seed, watch)
    shown: dict[str, object] = {"command": "gencap demo", "quick": quick, "seed": seed}
    page = write_report(out / "four-gaussians", [study], settings=shown)
    show_study(study)
    console().print(f"Report: {page}", soft_wrap=True)


def compare_wine(quick: bool, seed: int, out: Path) -> Any:
    """Compare models and measures on scikit-learn's wine data, over random feature halves."""
    import numpy as np
    import pandas as pd

    from gencap import datasets
    from gencap.cli._tables import OpenedTable
    from gencap.cli.compare import run_comparison
    from gencap.comparison import QUICK

    wine = datasets.load("wine", standardize=False)
    names = [f"wine {number + 1}" for number in range(len(wine.truth))]
    frame = pd.DataFrame(wine.data, columns=wine.columns, index=pd.Index(names, dtype=object))
    known = np.array([f"cultivar {c + 1}" for c in wine.truth], dtype=object)
    settings: dict[str, Any] = {
        "models": MODELS,
        "measures": ("euclidean", "pearson", "path"),
        "n_clusters": range(2, 6 if quick else 8),
        "n_splits": 3 if quick else 5,
        "n_init": 2,
        "null_draws": 3,
        "final_draws": 19 if quick else 99,
        # Coarser steps of temperature keep the demonstration short.
        "annealing": QUICK["annealing"],
        "random_state": seed,
    }
    return run_comparison(
        [OpenedTable(frame, known)],
        settings,
        out,
        name="Wine",
        description=f"{wine.description}, standardized; the columns are split at random into two "
        "halves. The known classes are the cultivars.",
        shown={"command": "gencap demo", "quick": quick, "column scale": "standard"},
        scale="standard",
    )


def gaussians_study(quick: bool, seed: int, watch: Watch) -> Study:
    """Return the study of four Gaussians of variance 5 at (+-4, +-4), measured twice."""
    import numpy as np

    from gencap import datasets
    from gencap.study import StudyPlan, study_pairs

    # 200 objects, three times over, are enough to see 1.49 bits to one decimal.
    plan = StudyPlan(
        n_splits=3,
        null_draws=19 if quick else 99,
        clusters=tuple(range(1, 7)),
        seed=seed,
    )
    seeds = np.random.SeedSequence(seed).generate_state(plan.n_splits)
    sets = [datasets.gaussians(n_objects=200, random_state=int(s)) for s in seeds]
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
