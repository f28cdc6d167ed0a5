"""Help for the tests of views: show one, and use its mouse as a person would."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gencap_gui.plots import PlotView
from gencap_gui.plots._canvas import Panel
from gencap_gui.session import Results, Selection

LEFT = Qt.MouseButton.LeftButton


def shown(qtbot: QtBot, kind: type[PlotView], results: Results | None = None) -> Any:
    """Return a visible view that has drawn the results."""
    view = kind()
    qtbot.addWidget(view)
    view.resize(640, 440)
    with qtbot.waitSignal(view.drawn, timeout=5000), qtbot.waitExposed(view):
        view.show()
    if results is not None:
        draw(qtbot, view, results)
    return view


def draw(qtbot: QtBot, view: PlotView, results: Results) -> None:
    """Show results and wait until they are drawn."""
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.show_results(results)


def select(qtbot: QtBot, view: PlotView, selection: Selection) -> None:
    """Show a selection and wait until it is drawn."""
    with qtbot.waitSignal(view.drawn, timeout=5000):
        view.show_selection(selection)


def pixel_of(panel: Panel, x: float, y: float) -> QPoint:
    """Return where a place in data units is on the widget."""
    QApplication.processEvents()  # the layout settles after the legend has its words,
    panel.grab()  # and the ranges with the first painting
    return panel.mapFromScene(panel.box.mapViewToScene(QPointF(x, y)))


def click(
    qtbot: QtBot,
    view: PlotView,
    panel: Panel,
    x: float,
    y: float,
    held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> Selection:
    """Click at a place in data units and return the selection this asks for."""
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        qtbot.mouseClick(panel.viewport(), LEFT, held, pixel_of(panel, x, y))
    return asked.args[0]


def hover(qtbot: QtBot, view: PlotView, panel: Panel, x: float, y: float) -> Selection:
    """Rest the mouse at a place and return the selection this asks for."""
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        qtbot.mouseMove(panel.viewport(), pixel_of(panel, x, y))
    return asked.args[0]


def press(qtbot: QtBot, view: PlotView, widget: Any, key: Qt.Key) -> Selection:
    """Press a key on a widget and return the selection this asks for."""
    with qtbot.waitSignal(view.selectionRequested, timeout=5000) as asked:
        qtbot.keyClick(widget, key)
    return asked.args[0]
