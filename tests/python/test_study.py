"""Studies: what is measured, what is shown, and what a reader is warned of."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from report_samples import fake_select

from gencap import study as studies
from gencap.instances import Pair
from gencap.splits import OptimisticPairingWarning
from gencap.study import StudyPlan, study_matrix, study_pairs


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(studies, "_select", fake_select)


def grid(n_objects=24, n_columns=4):
    return np.random.default_rng(5).standard_normal((n_objects, n_columns))


def test_study_reads_few_draws_at_a_level_they_can_reach(fake):
    study = study_matrix(grid(), title="t", plan=StudyPlan(clusters=(1, 2), null_draws=19))
    assert study.order.verdict == "clusters"
    assert any("Only 19 null draws" in note for note in study.notes)
    full = study_matrix(grid(), title="t", plan=StudyPlan(clusters=(1, 2), null_draws=99))
    assert not full.notes


def test_study_without_nulls_runs_the_real_search():
    study = study_matrix(grid(), title="t", plan=StudyPlan(clusters=(1, 2), null_draws=0))
    assert study.order.null == {}
    assert set(study.order.capacities) == {1, 2}
    assert len(study.best.labels) == len(study.data) == 24


def test_study_notes_constant_and_uneven_columns(fake):
    values = grid() * np.array([1.0, 1.0, 1.0, 1000.0])
    values[:, 1] = 7.0
    notes = study_matrix(values, title="t", plan=StudyPlan(clusters=(2,))).notes
    assert any("constant" in note for note in notes)
    assert any("--scale standard" in note for note in notes)
    scaled = study_matrix(values, title="t", plan=StudyPlan(clusters=(2,), scale="standard"))
    assert not any("--scale" in note for note in scaled.notes)
    assert (scaled.data[:, 1] == 0.0).all()
    assert scaled.data[:, [0, 2, 3]].std(axis=0) == pytest.approx(1.0)


def test_study_of_split_objects_shows_the_first_half(fake):
    values = grid()
    truth = np.arange(24)
    plan = StudyPlan(clusters=(2,), split="objects", n_splits=2)
    study = study_matrix(values, title="t", plan=plan, truth=truth)
    assert study.data.shape == (12, 4)
    np.testing.assert_array_equal(study.data, values[study.truth])
    assert any(note.startswith("Optimistic pairing") for note in study.notes)
    assert study.best.optimistic


def test_study_collects_warnings_of_the_search(monkeypatch):
    def noisy(plan, pairs, progress):
        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        warnings.warn("did not converge", RuntimeWarning, stacklevel=1)
        return fake_select(plan, pairs, progress)

    monkeypatch.setattr(studies, "_select", noisy)
    study = study_pairs([Pair(grid(), grid())], grid(), title="t", plan=StudyPlan(clusters=(2,)))
    assert study.notes.count("Did not converge.") == 1


def test_study_makes_as_many_pairs_as_asked(monkeypatch):
    seen = []

    def watching(plan, pairs, progress):
        seen.append(len(studies._pairs_of(pairs)))
        return fake_select(plan, pairs, progress)

    monkeypatch.setattr(studies, "_select", watching)
    for split in ("interleave", "random", "objects"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimisticPairingWarning)
            study_matrix(grid(), title="t", plan=StudyPlan(clusters=(2,), split=split, n_splits=3))
    study_matrix(grid(), grid(), title="t", plan=StudyPlan(clusters=(2,)))
    assert seen == [1, 3, 3, 1]


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "magic"},
        {"split": "rows"},
        {"scale": "log"},
        {"n_splits": 0},
        {"null_draws": -1},
        {"covariance": "full"},
        {"model": "gaussian", "covariance": "round"},
    ],
)
def test_plan_refuses(changes):
    with pytest.raises(ValueError, match="got"):
        StudyPlan(**changes)
