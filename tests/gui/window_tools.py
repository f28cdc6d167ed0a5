"""Help for the tests of the window: load, run, wait."""

from __future__ import annotations

import numpy as np
import pandas as pd
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenuBar,
    QTabBar,
)

from gencap_gui.commands import SetAnnealing, SetClusters, SetModels
from gencap_gui.settings import AnnealingChoice, ClusterRange, ModelChoice

PATIENCE = 60_000
# Qt puts small buttons of its own into these.
OWN = QAbstractSpinBox | QComboBox | QLineEdit | QTabBar | QMenuBar


def load(qtbot, window, sample="iris"):
    window.data_panel.sample_buttons[sample].click()
    qtbot.waitUntil(lambda: window.controller.results.projection is not None, timeout=PATIENCE)


def settle(qtbot, window):
    control = window.controller
    qtbot.waitUntil(lambda: not control.side.is_busy and not control.is_running, timeout=PATIENCE)


def run(qtbot, window, models=("centroid", "pairwise"), low=2, high=3, steps=12):
    control = window.controller
    control.do(SetModels(ModelChoice(models)))
    control.do(SetClusters(ClusterRange(low, high)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=steps)))
    with qtbot.waitSignal(control.ended, timeout=PATIENCE):
        window.run_bar.run.click()
    settle(qtbot, window)


def start_endless(qtbot, window):
    control = window.controller
    control.do(SetModels(ModelChoice(("pairwise",))))
    control.do(SetClusters(ClusterRange(30, 40)))
    control.do(SetAnnealing(AnnealingChoice(n_steps=1000, n_init=100)))
    with qtbot.waitSignal(control.progressChanged, timeout=PATIENCE):
        window.run_bar.run.click()


def genes(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 4)) + 5 * (np.arange(50)[:, None] % 2))
    frame.columns = list("abcd")
    frame.insert(0, "gene", [f"g{i}" for i in range(50)])
    path = folder / "genes.csv"
    frame.to_csv(path, index=False)
    return str(path)
