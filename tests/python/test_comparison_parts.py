"""Parts of a comparison by themselves: mean curves, tails, shifts, sources, forecasts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats

from gencap import CorrelationClustering, NormalizedCut, Pair, similarity
from gencap._nulls import joint_p_value
from gencap._validation import Matrix
from gencap.comparison import ranking
from gencap.comparison.combine import combine, mean_curve
from gencap.comparison.forecast import Forecast, Timing, forecast_runs, spoken, typical
from gencap.comparison.nulls import (
    Calibration,
    calibrate_winner,
    corrected_p_value,
    excesses,
    tail_p_value,
    verdict_of,
)
from gencap.comparison.result import Comparison
from gencap.comparison.shifts import RULES, Shift, scan_grid, shift_value
from gencap.comparison.source import (
    GraphPair,
    GraphSource,
    ObjectSource,
    PairSource,
    TableSource,
)
from gencap.comparison.tasks import Outcome, _Meter
from gencap.comparison.versions import versions
from gencap.nulls import permute_sparse
from gencap.results import NullResult
from gencap.splits import random_halves

# --- mean curves -----------------------------------------------------------------------------


def outcome(beta, agreement, entropy=1.0, k=2, seconds=1.0, sweeps=10):
    beta, agreement = np.asarray(beta, float), np.asarray(agreement, float)
    arrays = {
        f"beta {k}": beta,
        f"agreement {k}": agreement,
        f"entropy {k}": np.full(len(beta), entropy),
        f"effective {k}": np.full(len(beta), 2.0),
    }
    raw = float((agreement + entropy).max())
    runs = [{"k": k, "raw": raw, "beta": 1.0, "effective": 2.0, "sweeps": sweeps}]
    return Outcome("key", seconds, 0.5, runs, arrays)


def test_a_single_curve_stays_what_it_is():
    one = outcome([1.0, 2.0, 4.0, 8.0], [-1.0, -0.3, -0.2, -0.9])
    curve = mean_curve(2, [one])
    assert curve.beta.tolist() == [1.0, 2.0, 4.0, 8.0]
    assert curve.agreement.tolist() == [-1.0, -0.3, -0.2, -0.9]
    found = combine(2, [one], [0], heats=False)
    assert (found.raw_bits, found.beta, found.shift) == (0.8, 4.0, 0.5)
    assert math.isnan(found.bits_sd)


def test_curves_on_one_grid_are_averaged_point_by_point():
    one = outcome([1.0, 2.0, 4.0], [-1.0, -0.2, -0.4])
    two = outcome([1.0, 2.0, 4.0], [-1.0, -0.6, -0.1], entropy=0.8)
    found = combine(2, [one, two], [0, 1], heats=False)
    assert found.curve.bits == pytest.approx([-0.1, 0.5, 0.65])
    assert found.raw_bits == pytest.approx(0.65)
    assert found.raw_per_split.tolist() == pytest.approx([0.8, 0.7])
    assert found.bits_sd == pytest.approx(np.std([0.8, 0.7], ddof=1))


def test_curves_on_other_grids_are_interpolated_in_the_logarithm():
    one = outcome([1.0, 4.0], [-1.0, 0.0])
    two = outcome([2.0, 8.0], [-1.0, 0.0])
    curve = mean_curve(2, [one, two])
    assert curve.beta.tolist() == [1.0, 2.0, 4.0, 8.0]
    # beta = 2 is half way from 1 to 4; before its first point a curve stays where it begins
    assert curve.agreement == pytest.approx([-1.0, -0.75, -0.25, 0.0])


def test_a_curve_that_ended_goes_on_with_its_last_slope():
    short = outcome([1.0, 2.0, 3.0], [-0.5, -0.2, -0.3])
    long = outcome([1.0, 2.0, 3.0, 5.0], [-0.5, -0.2, -0.2, -0.2])
    curve = mean_curve(2, [short, long])
    assert curve.agreement[-1] == pytest.approx((-0.3 - 0.1 * 2 - 0.2) / 2)
    rising = outcome([1.0, 2.0], [-0.5, -0.2])
    assert mean_curve(2, [rising, long]).agreement[-1] == pytest.approx(-0.2)


def test_a_plateau_begins_where_it_begins():
    flat = outcome([1.0, 2.0, 4.0, 8.0], [-1.0, -1e-4, -1e-5, 0.0])
    assert combine(2, [flat], [0], heats=False).beta == 2.0
    assert combine(2, [flat], [0], heats=True).beta == 8.0


def test_seconds_of_a_family_are_divided_by_sweeps_and_clusters():
    one = outcome([1.0], [0.0], k=2)
    one.runs.append({"k": 4, "raw": 0.0, "beta": 1.0, "effective": 2.0, "sweeps": 10})
    assert combine(2, [one], [0], heats=False).seconds == pytest.approx(1.0 / 3.0)


def test_outcomes_without_temperatures_are_averaged():
    runs = [{"k": 2, "raw": raw, "beta": math.nan, "effective": 2.0, "sweeps": 0} for raw in (1, 2)]
    found = combine(2, [Outcome("a", 1.0, math.nan, [run]) for run in runs], [0, 1], heats=False)
    assert found.raw_bits == 1.5
    assert found.curve is None
    assert math.isnan(found.beta)


# --- tails and verdicts ----------------------------------------------------------------------


def test_the_tail_of_normal_draws_is_about_right():
    """Over many sets of 99 normal draws, one more draw is below p = 0.01 in about 1 of 100.

    The larger of two tails counts, so that it may be fewer: between 0.3 % and 1.4 % of 4,000, where
    the standard error is 0.16 %.
    """
    rng = np.random.default_rng(0)
    hits = [
        tail_p_value(rng.standard_normal(), rng.standard_normal(99)) <= 0.01 for _ in range(4000)
    ]
    assert 0.003 < np.mean(hits) < 0.014


@pytest.mark.parametrize("draws", [19, 99])
def test_the_corrected_tail_of_a_winner_keeps_its_level(draws):
    """The best of 10 candidates, each with 4 correlated statistics, all without structure.

    At most 5 % may be called significant; 300 sets have a standard error of 1.3 %.
    """
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(300):
        common = rng.standard_normal((draws + 1, 1))
        best, chosen = -np.inf, None
        for _ in range(10):
            values = 0.5 * common + rng.gamma(4.0, 0.25, size=(draws + 1, 4))
            found = calibrate_winner("gaussian", values[0], values[1:], 0, 10)
            if values[0].max() > best:
                best, chosen = values[0].max(), found
        wrong += chosen.exceeded
    assert wrong / 300 <= 0.05 + 1.3 * 0.013


def test_a_clear_excess_is_seen_through_the_correction():
    rng = np.random.default_rng(2)
    draws = 0.5 + 0.05 * rng.standard_normal((99, 6))
    found = calibrate_winner("gaussian", np.full(6, 1.2), draws, 3, 40)
    assert found.exceeded
    assert found.result.p_value == 0.01
    assert found.result.draws.tolist() == draws[:, 3].tolist()
    assert found.corrected < 1e-6
    near = calibrate_winner("gaussian", np.full(6, 0.63), draws, 3, 40)
    assert not near.exceeded


def test_twins_without_any_bits_do_not_break_the_scale():
    draws = np.full((19, 3), 1e-17)
    assert calibrate_winner("independent", np.array([0.5, 0.6, 0.7]), draws, 0, 20).exceeded
    assert not calibrate_winner("independent", np.full(3, 1e-17), draws, 0, 20).exceeded


def test_excesses_of_twins_are_measured_by_the_others():
    draws = np.array([[0.0], [1.0], [2.0], [9.0]])
    _, inside = excesses(np.array([3.0]), draws)
    rest = np.array([0.0, 1.0, 2.0])
    assert inside[3] == pytest.approx((9.0 - rest.mean()) / rest.std(ddof=1))


def test_few_draws_prove_nothing():
    assert tail_p_value(100.0, np.array([0.0, 1.0])) == 1.0
    assert excesses(np.array([1.0]), np.array([[0.5]]))[1].tolist() == [0.0]


def test_sidak_counts_the_candidates():
    assert corrected_p_value(0.01, 1) == pytest.approx(0.01)
    assert corrected_p_value(0.01, 20) == pytest.approx(1 - 0.99**20)
    assert corrected_p_value(1.0, 5) == 1.0
    # far out in the tail nothing is lost to rounding
    assert corrected_p_value(1e-20, 10) == pytest.approx(1e-19)


def calibration(exceeded):
    draws = np.zeros(99)
    return Calibration(
        NullResult("x", draws, 0.01 if exceeded else 0.5), 0.001 if exceeded else 0.9
    )


@pytest.mark.parametrize(
    ("bits", "independent", "gaussian", "graphs", "verdict"),
    [
        (False, True, True, False, "none"),
        (True, False, False, False, "none"),
        (True, False, True, False, "none"),
        (True, True, False, False, "continuum"),
        (True, True, True, False, "clusters"),
        (True, True, None, False, "uncalibrated"),
        (True, None, None, True, "uncalibrated"),
        (True, True, None, True, "structure"),
        (True, False, None, True, "none"),
    ],
)
def test_verdicts(bits, independent, gaussian, graphs, verdict):
    given = {"independent": independent, "gaussian": gaussian}
    nulls = {kind: calibration(value) for kind, value in given.items() if value is not None}
    assert verdict_of(bits, nulls, graphs) == verdict


def test_rank_and_tail_must_both_agree():
    draws = np.zeros(99)
    assert not Calibration(NullResult("x", draws, 0.02), 0.001).exceeded
    assert not Calibration(NullResult("x", draws, 0.01), 0.06).exceeded
    assert Calibration(NullResult("x", draws, 0.01), 0.05).exceeded


def test_ranks_are_those_of_select_order():
    rng = np.random.default_rng(4)
    observed, draws = rng.standard_normal(3) + 2.0, rng.standard_normal((19, 3))
    found = calibrate_winner("gaussian", observed, draws, 0, 5)
    assert found.result.p_value == joint_p_value(observed, draws)


# --- shifts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["pearson", "sqeuclidean", "path"])
def test_the_grid_of_shifts_is_that_of_the_model(measure):
    rng = np.random.default_rng(0)
    graphs = [similarity(rng.standard_normal((30, 5)), measure) for _ in range(2)]
    grid = scan_grid(graphs)
    model = CorrelationClustering(measure=measure)
    assert [shift.value for shift in grid] == model.shift_candidates(graphs)
    assert {shift.rule for shift in grid} <= set(RULES)


def test_twins_follow_the_rule_and_not_the_value():
    rng = np.random.default_rng(0)
    graph = similarity(rng.standard_normal((30, 5)), "pearson")
    template = CorrelationClustering()
    off = graph.toarray()[~np.eye(30, dtype=bool)]
    assert shift_value(Shift("q75", 7.0), template, [graph]) == -np.quantile(off, 0.75)
    assert shift_value(Shift("max2", 7.0), template, [graph]) == -2 * np.abs(off).max()
    assert shift_value(Shift("zero", 7.0), template, [graph]) == 0.0
    assert shift_value(Shift("given", 7.0), template, [graph]) == 7.0
    assert shift_value(Shift(), template, [graph]) is None
    least = shift_value(Shift("nonnegative"), NormalizedCut(measure="pearson"), [graph])
    assert least == pytest.approx(-off.min())


# --- sources ---------------------------------------------------------------------------------


def table_source(seed=0):
    values = np.random.default_rng(7).standard_normal((30, 6))
    return TableSource(Matrix(values), tuple(random_halves(6, 3, seed)), seed)


def test_a_twin_of_a_table_is_split_in_the_same_places():
    source = table_source()
    pair, twin = source.pair(1), source.pair(1, ("independent", 0))
    assert (pair.columns1 == twin.columns1).all()
    # every column is a permutation of its own
    assert np.array_equal(np.sort(pair.first, axis=0), np.sort(twin.first, axis=0))
    assert not np.array_equal(pair.first, twin.first)
    again = source.pair(1, ("independent", 0))
    assert np.array_equal(twin.first, again.first)
    other = source.pair(1, ("independent", 1))
    assert not np.array_equal(twin.first, other.first)


def test_splits_of_one_twin_are_splits_of_one_table():
    source = table_source()
    tables = []
    for split in range(2):
        twin = source.pair(split, ("gaussian", 3))
        table = np.empty((30, 6))
        table[:, twin.columns1.astype(int)] = twin.first
        table[:, twin.columns2.astype(int)] = twin.second
        tables.append(table)
    assert np.array_equal(tables[0], tables[1])


def test_digests_tell_data_apart():
    one, two = table_source(), table_source(seed=1)
    assert one.digest() == table_source().digest()
    assert one.digest() != two.digest()
    x = np.arange(12.0).reshape(4, 3)
    first, second = PairSource((Pair(x, x),), 0), PairSource((Pair(x, x + 1),), 0)
    assert first.digest() != second.digest()
    objects = ObjectSource(Matrix(x), (1, 2), 0)
    assert objects.digest() != ObjectSource(Matrix(x), (1, 3), 0).digest()
    graph = scipy.sparse.csr_array(np.eye(4))
    graphs = [GraphPair(graph, g) for g in (graph, 2 * graph, similarity(np.eye(4), "precomputed"))]
    assert len({GraphSource((pair,), 0).digest() for pair in graphs}) == 3


def test_sparse_twins_keep_weights_and_diagonal():
    rng = np.random.default_rng(0)
    dense = np.triu(rng.random((40, 40)) * (rng.random((40, 40)) < 0.2), 1)
    graph = scipy.sparse.csr_array(dense + dense.T + np.diag(np.arange(40.0)))
    twin = permute_sparse(graph, rng).toarray()
    assert np.array_equal(twin, twin.T)
    assert np.array_equal(np.diag(twin), np.arange(40.0))
    upper = np.triu_indices(40, 1)
    assert np.array_equal(np.sort(twin[upper]), np.sort(graph.toarray()[upper]))
    assert not np.array_equal(twin, graph.toarray())


def test_edges_of_a_sparse_twin_are_anywhere_with_equal_chance():
    """One edge among 6 nodes: 15 places, 3,000 draws, chi-square below its 99.9 % quantile."""
    graph = scipy.sparse.csr_array(([1.0], ([0], [1])), shape=(6, 6))
    rng = np.random.default_rng(0)
    counts = sum(
        (np.triu(permute_sparse(graph, rng).toarray(), 1) > 0).astype(int) for _ in range(3000)
    )
    seen = counts[np.triu_indices(6, 1)]
    assert seen.sum() == 3000
    assert ((seen - 200.0) ** 2 / 200.0).sum() < scipy.stats.chi2.ppf(0.999, 14)


# --- small things ----------------------------------------------------------------------------


def test_forecasts_scale_data_by_splits_and_all_but_single_nulls_by_clusters():
    kind = ("pairwise", "path", "nan")
    timings = [
        Timing(kind, "data", 10.0, 45.0, 5),
        Timing(kind, "null", 4.0, 3.0, 4),
        Timing(kind, "final", 6.0, 90.0, 10),
    ]
    settings = {"n_clusters": [2, 3, 4], "n_splits": 5}
    found = forecast_runs(timings, settings, [2, 3, 4, 9], 10, 1)
    assert found.seconds == pytest.approx(10.0 * 2 * 2 + 4.0 + 6.0 * 2)
    assert isinstance(found, Forecast)
    assert found.n_tasks == 10 + 4 + 10
    assert typical(timings) == {kind: pytest.approx(20.0 / 138.0)}


def test_durations_are_spoken():
    assert spoken(0.2) == "less than a second"
    assert spoken(100.0) == "about 1.7 min"


def test_tasks_that_share_a_process_share_its_seconds(monkeypatch):
    clock = iter([0.0, 1.0, 5.0, 6.0])
    monkeypatch.setattr("gencap.comparison.tasks.time.process_time", lambda: next(clock))
    meter = _Meter()
    one, two = meter.measure(), meter.measure()
    first = one.__enter__()
    second = two.__enter__()
    two.__exit__(None, None, None)
    one.__exit__(None, None, None)
    # 1 s alone, 4 s shared by two, 1 s alone
    assert (first[0], second[0]) == (4.0, 2.0)


def test_equal_splits_differ_by_nothing():
    series = {"a": pd.Series([1.0, 2.0]), "b": pd.Series([1.0, 2.0]), "c": pd.Series([0.0, 1.0])}
    assert ranking._paired("a", "b", series)["p_value"] == 1.0
    assert ranking._paired("a", "c", series)["p_value"] == 0.0


def test_nothing_measured_has_no_best():
    empty = Comparison(
        pd.DataFrame(), pd.DataFrame(), {}, {}, {}, None, {}, {}, "none", {}, versions(), 0
    )
    with pytest.raises(ValueError, match="nothing was measured"):
        _ = empty.best
    assert "no reliable structure" in repr(empty)
