"""The first-start tour: at most five steps, each pointing at a part of the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gencap_gui.widgets.fields import described

__all__ = ["STEPS", "Tour", "TourStep"]


@dataclass(frozen=True)
class TourStep:
    """A heading, a sentence or two, and the name of the part it points at."""

    target: str
    title: str
    text: str


STEPS = (
    TourStep("data", "1. Data", "Drop a table here, objects in rows, or click a sample."),
    TourStep(
        "instances",
        "2. Two measurements",
        "Groups are real if a second measurement confirms them. Choose where it comes from; the "
        "choice made for you works.",
    ),
    TourStep(
        "models",
        "3. Methods",
        "Tick the methods you want to compare and how many clusters to try. Rest the mouse on "
        "anything to learn what it means.",
    ),
    TourStep("run", "4. Run", "Start, pause and stop here. Nothing runs until you say so."),
    TourStep(
        "views",
        "5. Look",
        "Watch clusters split and bits appear. Select something in one view and all others "
        "follow. Ctrl+K finds every command, F1 explains bits and temperature.",
    ),
)


class Tour(QWidget):
    """Darkens the window except for the part that is explained."""

    ended = Signal()

    def __init__(self, window: QWidget, targets: dict[str, QWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._targets = targets
        self._steps: Sequence[TourStep] = [step for step in STEPS if step.target in targets]
        self.step = 0
        self.bubble = QFrame(self)
        self.bubble.setObjectName("bubble")
        self.bubble.setAutoFillBackground(True)
        self.bubble.setFixedWidth(330)
        layout = QVBoxLayout(self.bubble)
        self.title = QLabel()
        self.title.setObjectName("heading")
        self.text = QLabel()
        self.text.setWordWrap(True)
        layout.addWidget(self.title)
        layout.addWidget(self.text)
        row = QHBoxLayout()
        self.skip = described(QPushButton("Skip"), "Skip the tour", "It can be taken again: Help")
        self.next = described(QPushButton("Next"), "Next step of the tour", "Go on")
        self.next.setObjectName("primary")
        row.addWidget(self.skip)
        row.addStretch(1)
        row.addWidget(self.next)
        layout.addLayout(row)
        self.skip.clicked.connect(self.end)
        self.next.clicked.connect(self.advance)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        window.installEventFilter(self)
        self._show_step()
        self.show()
        self.raise_()
        self.next.setFocus()

    def advance(self) -> None:
        """Go to the next step, or end after the last."""
        if self.step + 1 >= len(self._steps):
            self.end()
            return
        self.step += 1
        self._show_step()

    def end(self) -> None:
        """Take the tour away."""
        self._window.removeEventFilter(self)
        self.hide()
        self.ended.emit()
        self.deleteLater()

    def _spot(self) -> QRect:
        target = self._targets[self._steps[self.step].target]
        corner = target.mapTo(self._window, QPoint(0, 0))
        spot = QRect(corner, target.size()).adjusted(-4, -4, 4, 4)
        # A target in a scroll area may reach below the window.
        return spot.intersected(self.rect().adjusted(4, 4, -4, -4))

    def _show_step(self) -> None:
        self.setGeometry(self._window.rect())
        step = self._steps[self.step]
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.setAccessibleName(f"Tour: {step.title}. {step.text}")
        last = self.step == len(self._steps) - 1
        self.next.setText("Done" if last else "Next")
        self.bubble.adjustSize()
        self._place(self._spot())
        self.update()

    def _place(self, spot: QRect) -> None:
        width, height = self.bubble.width(), self.bubble.height()
        places = (
            QPoint(spot.right() + 14, spot.top()),
            QPoint(spot.left(), spot.top() - height - 14),
            QPoint(spot.left(), spot.bottom() + 14),
            spot.center() - QPoint(width // 2, height // 2),
        )
        inside = self.rect().adjusted(8, 8, -8, -8)
        for place in places:
            if inside.contains(QRect(place, self.bubble.size())):
                self.bubble.move(place)
                return
        x = max(8, min(spot.right() + 14, self.width() - width - 8))
        y = max(8, min(spot.top(), self.height() - height - 8))
        self.bubble.move(x, y)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Darken all but the part that is explained."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRect(self.rect())
        hole = QPainterPath()
        hole.addRoundedRect(self._spot(), 6, 6)
        painter.fillPath(path.subtracted(hole), QColor(0, 0, 0, 130))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep clicks from reaching the window below."""
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape skips, Enter and arrows go on."""
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Space):
            self.advance()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size."""
        if event.type() == QEvent.Type.Resize:
            self._show_step()
        return False
