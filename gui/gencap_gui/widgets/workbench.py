"""The views in four panes of tabs; tabs can be moved between panes and one view enlarged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QPoint, QSettings, Qt, Signal
from PySide6.QtWidgets import QMenu, QSplitter, QTabWidget, QVBoxLayout, QWidget

__all__ = ["PANES", "Workbench"]

PANES = ("top left", "top right", "bottom left", "bottom right")
# Which pane a view starts in; views not named here start in the last one.
PLACES = {
    "capacity-curve": 0,
    "split-diagram": 0,
    "scatter": 1,
    "order-curve": 2,
    "ranking": 2,
    "matrix": 3,
    "profiles": 3,
    "label-table": 3,
}


class Workbench(QWidget):
    """Holds views; knows nothing of what they show."""

    changed = Signal()

    def __init__(self, views: Sequence[Any]) -> None:
        super().__init__()
        self.views = {view.name: view for view in views}
        self.panes = [self._pane(place) for place in range(4)]
        self._rows = [QSplitter(Qt.Orientation.Horizontal) for _ in range(2)]
        self._column = QSplitter(Qt.Orientation.Vertical)
        for row, pair in zip(self._rows, (self.panes[:2], self.panes[2:]), strict=True):
            for pane in pair:
                row.addWidget(pane)
            row.setChildrenCollapsible(False)
            self._column.addWidget(row)
        self._column.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._column)
        self.reset()

    def _pane(self, place: int) -> QTabWidget:
        pane = QTabWidget()
        pane.setDocumentMode(True)
        pane.setMovable(True)
        pane.setAccessibleName(f"Views, {PANES[place]}")
        bar = pane.tabBar()
        bar.setDrawBase(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(lambda at: self._menu(pane, at))
        bar.setToolTip("Double-click to enlarge; right-click to move to another pane")
        pane.tabBarDoubleClicked.connect(lambda i: self.enlarge(_name(pane.widget(i))))
        pane.currentChanged.connect(lambda _: self.changed.emit())
        return pane

    def reset(self) -> None:
        """Put every view where it starts."""
        for view in self.views.values():
            self.place(view.name, PLACES.get(view.name, 3))
        for pane in self.panes:
            pane.setCurrentIndex(0)
        self.restore_sizes()

    def restore_sizes(self) -> None:
        """Show all panes, equally large."""
        for pane in self.panes:
            pane.setVisible(pane.count() > 0)
        for splitter in (*self._rows, self._column):
            splitter.show()
            splitter.setSizes([500, 500])

    def place(self, name: str, place: int) -> None:
        """Put a view into another pane."""
        view = self.views[name]
        old = self.pane_of(name)
        if old is self.panes[place]:
            return
        self.panes[place].addTab(view, view.title)
        if old is not None:
            old.setVisible(old.count() > 0)
        self.panes[place].show()
        self.changed.emit()

    def pane_of(self, name: str) -> QTabWidget | None:
        """Return the pane that holds a view."""
        view = self.views[name]
        return next((pane for pane in self.panes if pane.indexOf(view) >= 0), None)

    def show_view(self, name: str) -> None:
        """Bring a view to the front and give it the keyboard."""
        pane = self.pane_of(name)
        if pane is None:
            return
        if not pane.isVisible():
            self.restore_sizes()
        pane.setCurrentWidget(self.views[name])
        self.views[name].setFocus()

    @property
    def enlarged(self) -> bool:
        """Whether one pane has all the room."""
        return sum(pane.isVisibleTo(self) for pane in self.panes) == 1 and len(self.views) > 1

    def enlarge(self, name: str) -> None:
        """Give one view all the room, or take it back."""
        if self.enlarged:
            self.restore_sizes()
            return
        pane = self.pane_of(name)
        if pane is None:
            return
        pane.setCurrentWidget(self.views[name])
        for other in self.panes:
            other.setVisible(other is pane)
        for row in self._rows:
            row.setVisible(row.isAncestorOf(pane))

    def _menu(self, pane: QTabWidget, at: QPoint) -> None:
        index = pane.tabBar().tabAt(at)
        if index < 0:
            return
        menu = self.tab_menu(_name(pane.widget(index)))
        menu.exec(pane.tabBar().mapToGlobal(at))
        menu.deleteLater()

    def tab_menu(self, name: str) -> QMenu:
        """Return the menu of a view's tab."""
        menu = QMenu(self)
        menu.addAction("Restore all panes" if self.enlarged else "Enlarge").triggered.connect(
            lambda: self.enlarge(name)
        )
        for place, words in enumerate(PANES):
            action = menu.addAction(f"Move to {words}")
            action.setEnabled(self.pane_of(name) is not self.panes[place])
            action.triggered.connect(lambda _=False, place=place: self.place(name, place))
        return menu

    def save(self, settings: QSettings) -> None:
        """Remember the layout."""
        if self.enlarged:
            self.restore_sizes()
        places = {
            _name(pane.widget(i)): (place, i)
            for place, pane in enumerate(self.panes)
            for i in range(pane.count())
        }
        fronts = [pane.currentIndex() for pane in self.panes]
        settings.setValue("workbench/places", json.dumps({"places": places, "fronts": fronts}))
        for number, splitter in enumerate((*self._rows, self._column)):
            settings.setValue(f"workbench/splitter{number}", splitter.saveState())

    def load(self, settings: QSettings) -> None:
        """Take up a remembered layout; a damaged one is ignored."""
        try:
            saved = json.loads(str(settings.value("workbench/places", "{}")))
            places = {str(name): (int(p), int(i)) for name, (p, i) in saved["places"].items()}
            fronts = [int(front) for front in saved["fronts"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        for name, (place, _) in sorted(places.items(), key=lambda item: item[1]):
            if name in self.views and 0 <= place < len(self.panes):
                self.place(name, place)
        for pane, front in zip(self.panes, fronts, strict=False):
            pane.setCurrentIndex(max(0, min(front, pane.count() - 1)))
        for number, splitter in enumerate((*self._rows, self._column)):
            state = settings.value(f"workbench/splitter{number}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)


def _name(view: Any) -> str:
    return str(view.name)
