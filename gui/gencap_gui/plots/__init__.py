"""The live views, each a widget that offers `gencap_gui.session.View`."""

from __future__ import annotations

from gencap_gui.plots.base import PlotView
from gencap_gui.plots.capacity_curve import CapacityCurveView
from gencap_gui.plots.label_table import LabelTableView
from gencap_gui.plots.matrix import MatrixView
from gencap_gui.plots.order_curve import OrderCurveView
from gencap_gui.plots.profiles import ProfilesView
from gencap_gui.plots.ranking import RankingView
from gencap_gui.plots.scatter import ScatterView
from gencap_gui.plots.split_diagram import SplitDiagramView

__all__ = [
    "CapacityCurveView",
    "LabelTableView",
    "MatrixView",
    "OrderCurveView",
    "PlotView",
    "ProfilesView",
    "RankingView",
    "ScatterView",
    "SplitDiagramView",
    "all_views",
]


def all_views() -> tuple[type[PlotView], ...]:
    """Return the class of every view, in the order in which the application offers them."""
    return (
        CapacityCurveView,
        SplitDiagramView,
        ScatterView,
        OrderCurveView,
        RankingView,
        MatrixView,
        ProfilesView,
        LabelTableView,
    )
