"""Two Gaussians in many dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from gencap import reproduction
from gencap.reproduction import _phases, fig16


@pytest.fixture(scope="module")
def result() -> reproduction.ReproductionResult:
    return reproduction.run("fig16")


def test_passes(result: reproduction.ReproductionResult) -> None:
    assert result.passed, result.to_frame().to_string()


def test_three_phases_with_both_couplings(result: reproduction.ReproductionResult) -> None:
    runs = result.tables["runs"]
    runs = runs[runs["reading"] == "distance"]
    for _, one in runs.groupby("coupling"):
        bits = one.groupby("n_features")["bits"].mean()
        # Earlier (8 runs): .999 +- .002, .403 +- .037, .000; two runs of a spread of .05 stay
        # within .15 of it.
        assert bits[100] > 0.98
        assert bits[500] == pytest.approx(0.403, abs=0.15)
        assert bits[3000] < 0.02


def test_constant_bayes_error_shows_no_first_phase(
    result: reproduction.ReproductionResult,
) -> None:
    runs = result.tables["runs"]
    bits = runs[runs["reading"] == "error"].groupby("n_features")["bits"].mean()
    # Earlier: .484 +- .032, .238 +- .030, .000 (8 runs).
    assert 0.35 < bits[100] < 0.62
    assert 0.1 < bits[500] < bits[100]
    assert bits[3000] < 0.02


def test_four_centroids_become_two(result: reproduction.ReproductionResult) -> None:
    four = result.tables["four centroids"]
    assert (four["n_clusters"] == 2).all()
    # Earlier: .996 +- .002 bits at beta .437 +- .020 (5 runs). Unequal masses may exceed 1 bit.
    assert four["bits"].between(0.98, 1.005).all()
    assert four["peak_beta"].between(0.34, 0.54).all()
    # One step of the grid beside the least costs: .3 % for annealing, .05 % for Gibbs sampling.
    assert (four["transfer_excess"] < 0.006).all()
    assert (four["last_excess"] > 0.01).all()


def test_before_the_split_there_is_nothing(result: reproduction.ReproductionResult) -> None:
    for n_features in fig16.DIMENSIONS:
        first = result.tables[f"path, D = {n_features}"].iloc[0]
        assert first["n_clusters"] == 1
        assert first["s"] < 1e-2
        assert first["bits"] == pytest.approx(0.0, abs=1e-6)


def test_separation_under_both_readings() -> None:
    assert fig16.separation("distance", 100) == 5.0
    assert fig16.separation("distance", 400) == 2.5
    assert fig16.separation("error", 100) == fig16.separation("error", 3000) == 2.0


def test_order_parameters_of_known_centroids(rng: np.random.Generator) -> None:
    centers = np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    offset = rng.normal(size=3)
    swapped = centers[::-1] + offset
    together = np.zeros((2, 3))
    crossed = np.array([[1.0, 1.0, 5.0], [1.0, 1.0, -5.0]])
    found = fig16.order_parameters(np.stack([swapped, together, crossed]), centers)
    # |Delta|^2 = 2, sigma_0 = 1/2, u = |mu1 - mu2| = 2 sqrt 2.
    assert found["s"] == pytest.approx([1.0, 0.0, 12.5])
    assert found["r"] == pytest.approx([2 / (2 * np.sqrt(2)), 0.0, 0.0])
    assert found["cos"] == pytest.approx([1.0, 0.0, 0.0])


def test_theory_vanishes_at_the_critical_number_of_objects() -> None:
    u, n_features = 2.0, 400
    critical = 4.0 * u**-4 * n_features  # alpha_c of the thesis
    assert _phases.theoretical_overlap(u, n_features, int(0.99 * critical)) == 0.0
    just_above = _phases.theoretical_overlap(u, n_features, int(1.01 * critical))
    assert 0.0 < just_above < 0.2
    # Values quoted with the earlier measurement.
    assert _phases.theoretical_overlap(5.0, 100, 500) == pytest.approx(0.991, abs=1e-3)
    assert _phases.theoretical_overlap(np.sqrt(5.0), 500, 500) == pytest.approx(0.775, abs=1e-3)


def test_theory_is_the_overlap_of_the_leading_direction(rng: np.random.Generator) -> None:
    n, d, u = 1500, 750, 2.0
    signs = rng.choice([-1.0, 1.0], n)
    x = np.sqrt(0.5) * rng.standard_normal((n, d))
    x[:, 0] += signs * u / 2.0
    x -= x.mean(axis=0)
    leading = np.linalg.eigh(x.T @ x)[1][:, -1]
    # Fluctuations are of order 1 / sqrt(N) = .026.
    assert abs(leading[0]) == pytest.approx(_phases.theoretical_overlap(u, d, n), abs=0.06)


def test_wrong_findings_are_noticed(result: reproduction.ReproductionResult) -> None:
    right = result.tables["runs"]
    for column, value in {"bits": 0.1, "cos": 0.5}.items():
        runs = right.copy()
        runs[column] = value
        rows = _phases.phase_rows(runs, fig16.DIMENSIONS, fig16.N_OBJECTS)
        counted = 6 if column == "bits" else 3
        assert sum(not row.passed for row in rows) == counted, column
    four = result.tables["four centroids"].assign(
        n_clusters=3.0, transfer_beta=0.6, transfer_excess=0.01
    )
    assert not any(row.passed for row in _phases.overfit_rows(four))


def test_figures_are_drawn(result: reproduction.ReproductionResult) -> None:
    figures = result.figures()
    assert set(figures) == {"cos", "bits"}
    assert len(figures["bits"].axes[0].lines) == 3
