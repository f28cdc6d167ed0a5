"""Choose methods, measures, the range of K, and how temperature falls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gencap_gui.methods import MEASURES, METHODS
from gencap_gui.session import Document
from gencap_gui.settings import MOST_CLUSTERS, ClusterRange
from gencap_gui.widgets.fields import Section, described, muted, quiet

__all__ = ["ModelPanel"]

COVARIANCES = {
    "fixed": "One fixed width for all",
    "spherical": "Round, width learned",
    "diag": "Along the axes",
    "full": "Any ellipse",
}


class ModelPanel(QWidget):
    """Emits the new value of whatever was edited; shows what `set_document` gives it."""

    modelsEdited = Signal(object)
    clustersEdited = Signal(object)
    annealingEdited = Signal(object)
    seedEdited = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._document = Document()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 8)
        layout.addWidget(muted("Methods to compare"))
        self.methods: dict[str, QCheckBox] = {}
        for method in METHODS.values():
            box = described(QCheckBox(method.title), method.title, method.explanation)
            box.clicked.connect(self._models_changed)
            self.methods[method.key] = box
            layout.addWidget(box)
        layout.addWidget(self._measures())
        layout.addLayout(self._clusters())
        self.more = Section("More settings", self._more(), is_open=False)
        layout.addWidget(self.more)
        self.count = muted("")
        self.count.setAccessibleName("Number of runs")
        layout.addWidget(self.count)
        self.set_document(self._document)

    def _measures(self) -> QWidget:
        self.measure_part = QWidget()
        grid = QGridLayout(self.measure_part)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.addWidget(muted("Similarity of two objects"), 0, 0, 1, 2)
        self.measures: dict[str, QCheckBox] = {}
        for place, measure in enumerate(MEASURES.values()):
            box = described(QCheckBox(measure.title), measure.title, measure.explanation)
            box.clicked.connect(self._models_changed)
            self.measures[measure.key] = box
            grid.addWidget(box, 1 + place // 2, place % 2)
        return self.measure_part

    def _clusters(self) -> QHBoxLayout:
        row = QHBoxLayout()
        tip = (
            "Every number of clusters K in this range is tried. The capacity says which one the "
            "data support."
        )
        self.low = described(QSpinBox(), "Fewest clusters", tip)
        self.high = described(QSpinBox(), "Most clusters", tip)
        for box in (self.low, self.high):
            box.setRange(1, MOST_CLUSTERS)
            box.setKeyboardTracking(False)
        self.low.valueChanged.connect(self._low_changed)
        self.high.valueChanged.connect(self._high_changed)
        row.addWidget(QLabel("Clusters from"))
        row.addWidget(self.low)
        row.addWidget(QLabel("to"))
        row.addWidget(self.high)
        row.addStretch(1)
        return row

    def _more(self) -> QWidget:
        part = QWidget()
        form = QFormLayout(part)
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._add_shift(form)
        self.power = described(
            QDoubleSpinBox(),
            "Power p of Adaptive Ratio Cut",
            "How strongly the size of a cluster counts: at 2 the cut is divided by the size "
            "(Ratio Cut); near 1 unbalanced clusters become expensive (Cheeger Cut).",
        )
        self.power.setRange(1.0, 2.0)
        self.power.setSingleStep(0.1)
        self.power.valueChanged.connect(lambda p: self._change_models(power=p))
        self.covariance = described(
            QComboBox(),
            "Shape of Gaussian clusters",
            "Which bell curves the Gaussian mixture may use. More freedom needs more data.",
        )
        for key, words in COVARIANCES.items():
            self.covariance.addItem(words, key)
        self.covariance.activated.connect(
            lambda _: self._change_models(covariance=self.covariance.currentData())
        )
        form.addRow("Power p", self.power)
        form.addRow("Gaussian shape", self.covariance)
        self._add_annealing(form)
        self.seed = described(
            QSpinBox(),
            "Seed",
            "Everything random follows from this number: the same seed gives the same bits.",
        )
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setKeyboardTracking(False)
        self.seed.valueChanged.connect(self.seedEdited)
        form.addRow("Seed", self.seed)
        return part

    def _add_shift(self, form: QFormLayout) -> None:
        tip = (
            "A constant added to every similarity. It says from where on two objects count as "
            "alike: a negative shift breaks weak ties and favors more clusters. Automatic lets "
            "each method choose what suits it."
        )
        self.auto_shift = described(QCheckBox("automatic"), "Automatic shift", tip)
        self.shift = described(QDoubleSpinBox(), "Shift of the similarity", tip)
        self.shift.setRange(-1e6, 1e6)
        self.shift.setDecimals(3)
        self.shift.setKeyboardTracking(False)
        self.auto_shift.clicked.connect(
            lambda on: self._change_models(shift=None if on else self.shift.value())
        )
        self.shift.valueChanged.connect(lambda value: self._change_models(shift=value))
        row = QHBoxLayout()
        row.addWidget(self.auto_shift)
        row.addWidget(self.shift, 1)
        form.addRow("Shift", row)

    def _add_annealing(self, form: QFormLayout) -> None:
        self.steps = described(
            QSpinBox(),
            "Number of temperatures",
            "The system is cooled from where all objects are one cluster to where assignments are "
            "hard, in so many steps. More give a smoother curve and take longer.",
        )
        self.steps.setRange(2, 1000)
        self.steps.setKeyboardTracking(False)
        self.steps.valueChanged.connect(lambda n: self._change_annealing(n_steps=n))
        self.starts = described(
            QSpinBox(),
            "Number of starts",
            "The cooling is repeated from so many random beginnings and the cheapest is kept. "
            "“usual” leaves it to the method.",
        )
        self.starts.setRange(0, 100)
        self.starts.setSpecialValueText("usual")
        self.starts.setKeyboardTracking(False)
        self.starts.valueChanged.connect(lambda n: self._change_annealing(n_init=n or None))
        self.noise = described(
            QDoubleSpinBox(),
            "Noise",
            "A small push at every temperature that lets clusters part as soon as they can, in "
            "units of the data's spread.",
        )
        self.noise.setRange(0.0, 10.0)
        self.noise.setDecimals(3)
        self.noise.setSingleStep(0.01)
        self.noise.setKeyboardTracking(False)
        self.noise.valueChanged.connect(lambda x: self._change_annealing(noise=x))
        form.addRow("Temperatures", self.steps)
        form.addRow("Starts", self.starts)
        form.addRow("Noise", self.noise)

    def set_document(self, document: Document) -> None:
        """Show the settings of a document."""
        self._document = document
        models, clusters, annealing = document.models, document.clusters, document.annealing
        edited = (self.low, self.high, self.shift, self.power, self.steps, self.starts, self.noise)
        with quiet(*edited, self.seed):
            for key, box in self.methods.items():
                box.setChecked(key in models.models)
            for key, box in self.measures.items():
                box.setChecked(key in models.measures)
            self.low.setValue(clusters.low)
            self.high.setValue(clusters.high)
            self.auto_shift.setChecked(models.shift is None)
            self.shift.setEnabled(models.shift is not None)
            if models.shift is not None:
                self.shift.setValue(models.shift)
            self.power.setValue(models.power)
            self.covariance.setCurrentIndex(self.covariance.findData(models.covariance))
            self.steps.setValue(annealing.n_steps)
            self.starts.setValue(annealing.n_init or 0)
            self.noise.setValue(annealing.noise)
            self.seed.setValue(document.seed)
        chosen = [METHODS[key] for key in models.models]
        self.measure_part.setEnabled(any(method.has_measure for method in chosen))
        self.auto_shift.setEnabled(any(method.has_shift for method in chosen))
        self.power.setEnabled(any(method.has_power for method in chosen))
        self.covariance.setEnabled("gaussian" in models.models)
        self._count()

    def _count(self) -> None:
        candidates = len(self._document.models.candidates())
        many = candidates * len(self._document.clusters.numbers())
        if not self._document.models.models:
            self.count.setText("Tick at least one method.")
        elif not many:
            self.count.setText("Tick at least one similarity for the chosen methods.")
        else:
            self.count.setText(f"{many} run{'' if many == 1 else 's'} in all")

    def _models_changed(self) -> None:
        models = tuple(key for key, box in self.methods.items() if box.isChecked())
        measures = tuple(key for key, box in self.measures.items() if box.isChecked())
        self._change_models(models=models, measures=measures)

    def _change_models(self, **values: Any) -> None:
        wanted = replace(self._document.models, **values)
        if wanted != self._document.models:
            self.modelsEdited.emit(wanted)

    def _change_annealing(self, **values: Any) -> None:
        wanted = replace(self._document.annealing, **values)
        if wanted != self._document.annealing:
            self.annealingEdited.emit(wanted)

    def _low_changed(self, low: int) -> None:
        self._change_clusters(ClusterRange(low, max(low, self.high.value())))

    def _high_changed(self, high: int) -> None:
        self._change_clusters(ClusterRange(min(high, self.low.value()), high))

    def _change_clusters(self, wanted: ClusterRange) -> None:
        if wanted != self._document.clusters:
            self.clustersEdited.emit(wanted)
