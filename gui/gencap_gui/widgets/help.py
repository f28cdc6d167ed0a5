"""Help pages that explain bits, temperature and capacity with pictures."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QTextBrowser, QWidget

from gencap_gui.theme import Theme
from gencap_gui.widgets.pictures import PICTURES, draw_picture

__all__ = ["PAGES", "HelpWindow"]

PAGES: dict[str, tuple[str, str]] = {
    "bits": (
        "What is a bit?",
        """<p>A clustering sorts objects into groups. The more groups you can tell apart reliably,
        the more you know about each object. That knowledge is counted in <b>bits per object</b>:
        two equal groups are 1 bit, four are 2 bits, eight are 3.</p>
        <p><img src="bits"></p>
        <p>Any method finds groups in anything, also in noise. gencap counts only the bits that
        survive when the same objects are measured again. A capacity of 1.58 bits is as good as
        three equal groups without error. A capacity of 0 means that the second measurement
        contradicts the groups of the first.</p>""",
    ),
    "instances": (
        "Two measurements",
        """<p>To know what is reliable we need two measurements (<i>instances</i>) of the same
        objects. If you have measured twice, give a second file. Otherwise the columns of your
        table are dealt into two halves: each half describes the same objects.</p>
        <p><img src="instances"></p>
        <p>Random halves can be drawn several times; the spread over them is the error bar. Tables
        with very few columns can be split by objects instead, each matched with a similar
        partner. That is optimistic: partners are alike by construction.</p>""",
    ),
    "temperature": (
        "What is temperature?",
        """<p>Temperature is the resolution at which we look. When it is hot, differences do not
        count and all objects form one cluster. While it cools, clusters split at certain
        temperatures, first the coarse ones, then the fine ones, until every detail counts,
        noise included.</p>
        <p><img src="temperature"></p>
        <p>The split diagram draws this tree while it grows. The slider below the scatter plot
        takes you to any temperature.</p>""",
    ),
    "capacity": (
        "What is capacity?",
        """<p>Cooling makes a clustering more <b>informative</b>, as there are more groups, but
        less <b>stable</b>, as the two measurements begin to disagree. The sum of both, in bits
        per object, rises and falls again.</p>
        <p><img src="capacity"></p>
        <p>Its maximum is the <b>generalization capacity</b>: the number of bits of this method
        that are real. The temperature of the maximum is the right resolution, and the method, the
        measure and the number of clusters with the most bits are the ones your data support.</p>
        <p>A curve that ends on a plateau has found no disagreement at all.</p>""",
    ),
    "steps": (
        "Step by step",
        """<ol><li><b>Data.</b> Drop a table (objects in rows) or take a sample.</li>
        <li><b>Instances.</b> Choose where the two measurements come from.</li>
        <li><b>Models.</b> Tick methods and measures to compare and the range of clusters.</li>
        <li><b>Run</b> (F5). Watch clusters split and bits appear. Pause or stop at any time.</li>
        <li><b>Look.</b> Click an object, a cluster, a temperature or a model in any view: all
        others follow. Each view has a table and can be exported.</li></ol>
        <p>Everything can be undone (Ctrl+Z). Ctrl+K opens the command palette. Ctrl+E writes a
        Python script that recomputes what is on the screen.</p>""",
    ),
}


class HelpWindow(QDialog):
    """A list of pages and the page that is open."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self.setAccessibleName("Help")
        self.resize(820, 520)
        self._theme = theme
        layout = QHBoxLayout(self)
        self.contents = QListWidget()
        self.contents.setAccessibleName("Help pages")
        self.contents.setFixedWidth(180)
        for title, _ in PAGES.values():
            self.contents.addItem(title)
        self.page = QTextBrowser()
        self.page.setAccessibleName("Help page")
        self.page.setOpenExternalLinks(False)
        layout.addWidget(self.contents)
        layout.addWidget(self.page, 1)
        self.contents.currentRowChanged.connect(self._show)
        self.contents.setCurrentRow(0)

    def open_page(self, name: str) -> None:
        """Show the page `name`."""
        self.contents.setCurrentRow(list(PAGES).index(name))

    def apply_theme(self, theme: Theme) -> None:
        """Draw the pictures anew in other colors."""
        self._theme = theme
        self._show(self.contents.currentRow())

    def _show(self, row: int) -> None:
        title, text = list(PAGES.values())[row]
        document = QTextDocument(self.page)
        for name in PICTURES:
            document.addResource(
                QTextDocument.ResourceType.ImageResource.value,
                QUrl(name),
                draw_picture(name, self._theme),
            )
        document.setHtml(f"<h2>{title}</h2>{text}")
        self.page.setDocument(document)
