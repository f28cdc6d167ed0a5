"""Pictures for the help pages, drawn in the colors of the theme."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen, QPolygonF

from gencap_gui.theme import Theme, cluster_color

__all__ = ["PICTURES", "draw_picture"]

WIDTH, HEIGHT, SCALE = 560, 190, 2
# Points of a little cloud, in units of its spread.
CLOUD = [
    (math.cos(2.4 * i) * math.sqrt(i) / 3.2, math.sin(2.4 * i) * math.sqrt(i) / 3.2)
    for i in range(14)
]


def draw_picture(name: str, theme: Theme) -> QImage:
    """Return the picture `name` at twice its size, for sharp screens."""
    image = QImage(WIDTH * SCALE, HEIGHT * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(theme.background))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(SCALE, SCALE)
    font = QFont(painter.font())
    font.setPointSizeF(8.5)
    painter.setFont(font)
    PICTURES[name](painter, theme)
    painter.end()
    image.setDevicePixelRatio(SCALE)
    return image


def _text(painter: QPainter, theme: Theme, x: float, y: float, text: str, width: int = 180) -> None:
    painter.setPen(QColor(theme.foreground))
    area = QRectF(x - width / 2, y, width, 34)
    painter.drawText(area, Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap, text)


def _cloud(
    painter: QPainter, theme: Theme, x: float, y: float, color: str, size: float = 34
) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    for dx, dy in CLOUD:
        painter.drawEllipse(QPointF(x + dx * size, y + dy * size), 3.2, 3.2)


def _bits(painter: QPainter, theme: Theme) -> None:
    """Draw one, two and four groups: 0, 1 and 2 bits."""
    corners = [(-38, -30), (38, -30), (-38, 30), (38, 30)]
    places = {1: [(0, 0)], 2: [(-38, 0), (38, 0)], 4: corners}
    for column, groups in enumerate((1, 2, 4)):
        x = 95 + column * 185
        places = {
            1: [(0, 0)],
            2: [(-38, 0), (38, 0)],
            4: [(-38, -30), (38, -30), (-38, 30), (38, 30)],
        }
        for number, (dx, dy) in enumerate(places[groups]):
            _cloud(painter, theme, x + dx, 80 + dy, cluster_color(theme, number), 20)
        words = {1: "1 group: 0 bits", 2: "2 groups: 1 bit", 4: "4 groups: 2 bits"}[groups]
        _text(painter, theme, x, 155, words)


def _temperature(painter: QPainter, theme: Theme) -> None:
    """Draw a tree of splits from hot to cold."""
    pen = QPen(QColor(theme.muted), 1)
    painter.setPen(pen)
    painter.drawLine(40, 150, 530, 150)
    branches = [
        (0, [(40, 80), (170, 80), (230, 45), (380, 45), (420, 25), (530, 25)]),
        (1, [(230, 45), (380, 45), (420, 62), (530, 62)]),
        (2, [(170, 80), (230, 115), (530, 115)]),
    ]
    for number, points in branches:
        painter.setPen(QPen(QColor(cluster_color(theme, number)), 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))
    _text(painter, theme, 90, 155, "hot: all alike", 140)
    _text(painter, theme, 290, 155, "clusters split", 140)
    _text(painter, theme, 480, 155, "cold: every detail", 150)


def _capacity(painter: QPainter, theme: Theme) -> None:
    """Draw how informativeness rises, stability falls, and their sum has a maximum."""
    painter.setPen(QPen(QColor(theme.muted), 1))
    painter.drawLine(50, 150, 530, 150)
    painter.drawLine(50, 150, 50, 15)

    def curve(height: Callable[[float], float]) -> QPolygonF:
        return QPolygonF([QPointF(50 + 4.8 * i, 150 - 120 * height(i / 100)) for i in range(101)])

    def rise(t: float) -> float:
        return 1 / (1 + math.exp(-14 * (t - 0.35)))

    def loss(t: float) -> float:
        return 0.75 / (1 + math.exp(-12 * (t - 0.75)))

    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(cluster_color(theme, 2)), 1.5, Qt.PenStyle.DashLine))
    painter.drawPolyline(curve(rise))
    painter.setPen(QPen(QColor(cluster_color(theme, 5)), 1.5, Qt.PenStyle.DashLine))
    painter.drawPolyline(curve(loss))
    painter.setPen(QPen(QColor(theme.accent), 3))
    painter.drawPolyline(curve(lambda t: rise(t) - loss(t)))
    best = max(range(101), key=lambda i: rise(i / 100) - loss(i / 100)) / 100
    top = QPointF(50 + 480 * best, 150 - 120 * (rise(best) - loss(best)))
    painter.setBrush(QColor(theme.accent))
    painter.drawEllipse(top, 5, 5)
    _text(painter, theme, top.x(), top.y() + 8, "capacity", 100)
    _text(painter, theme, 440, 10, "informativeness", 120)
    _text(painter, theme, 490, 44, "disagreement", 120)
    _text(painter, theme, 290, 156, "inverse temperature →", 200)


def _instances(painter: QPainter, theme: Theme) -> None:
    """Draw one table dealt into two measurements."""
    for side, x in enumerate((150, 410)):
        for number, (dx, dy) in enumerate(((-45, -20), (45, -20), (0, 38))):
            jitter = 6 if side else 0
            _cloud(painter, theme, x + dx + jitter, 75 + dy, cluster_color(theme, number), 24)
        _text(painter, theme, x, 155, ("first measurement", "second measurement")[side])
    painter.setPen(QPen(QColor(theme.muted), 1.5))
    painter.drawLine(240, 75, 320, 75)
    _text(painter, theme, 280, 50, "agree?", 80)


PICTURES: dict[str, Callable[[QPainter, Theme], None]] = {
    "bits": _bits,
    "temperature": _temperature,
    "capacity": _capacity,
    "instances": _instances,
}
