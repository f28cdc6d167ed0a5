"""Pictures and tables of a view as files and on the clipboard."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

__all__ = ["FORMATS", "picture", "save_csv", "save_png", "save_svg"]

# Suffix to what the file dialog says.
FORMATS = {
    "png": "PNG picture (*.png)",
    "svg": "SVG drawing (*.svg)",
    "csv": "CSV table (*.csv)",
}
# Pictures are for print and slides: at least two pixels for each of the screen.
LEAST_SCALE = 2.0


def picture(widget: QWidget, scale: float | None = None) -> QImage:
    """Return a widget as an image, `scale` pixels per point (at least two where not given)."""
    ratio = max(widget.devicePixelRatioF(), LEAST_SCALE) if scale is None else scale
    image = QImage(widget.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(widget.palette().window().color())
    painter = QPainter(image)
    widget.render(painter, QPoint(0, 0))
    painter.end()
    return image


def save_png(widget: QWidget, path: Path, scale: float | None = None) -> None:
    """Write a widget as a PNG file."""
    if not picture(widget, scale).save(str(path)):
        raise OSError(f"could not write {path}: choose a folder you may write to")


def save_svg(widget: QWidget, path: Path, title: str, description: str = "") -> None:
    """Write a widget as an SVG file; lines and text stay vectors."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(QRect(0, 0, widget.width(), widget.height()))
    generator.setTitle(title)
    generator.setDescription(description)
    painter = QPainter(generator)
    widget.render(painter, QPoint(0, 0))
    painter.end()
    path.write_bytes(bytes(buffer.data().data()))


def save_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table with every digit."""
    frame.to_csv(path, index=False, encoding="utf-8")
