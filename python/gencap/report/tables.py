"""The numbers of a study as tables, for CSV files and for the page."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gencap.report.study import Study
from gencap.results import Order

__all__ = ["contingency_table", "labels_table", "null_table", "splits_table"]


def labels_table(study: Study) -> pd.DataFrame:
    """Return one row per object: name, cluster (counted from 1), confidence."""
    names = study.names if study.names is not None else np.arange(1, len(study.data) + 1)
    return pd.DataFrame(
        {
            "object": np.asarray(names),
            "cluster": study.best.labels + 1,
            "confidence": study.confidence,
        }
    )


def null_table(order: Order) -> pd.DataFrame:
    """Return one row per null draw of the best capacity, in bits per object."""
    columns = {kind: pd.Series(result.draws) for kind, result in order.null.items()}
    frame = pd.DataFrame(columns)
    frame.index = frame.index + 1
    frame.index.name = "draw"
    return frame


def splits_table(study: Study) -> pd.DataFrame:
    """Return the tree of cluster splits, coarse splits first."""
    rows = sorted(study.best.splits, key=lambda split: split.beta)
    return pd.DataFrame(
        {
            "parent": [s.parent + 1 for s in rows],
            "child": [s.child + 1 for s in rows],
            "beta": [s.beta for s in rows],
            "temperature": [1.0 / s.beta if s.beta > 0 else np.inf for s in rows],
        }
    )


def contingency_table(study: Study) -> pd.DataFrame | None:
    """Return clusters against known classes, or None where no classes are known."""
    if study.truth is None:
        return None
    clusters = pd.Series(study.best.labels + 1, name="cluster")
    return pd.crosstab(clusters, pd.Series(np.asarray(study.truth), name="known class"))
