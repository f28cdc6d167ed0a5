"""The comparison as a whole: its numbers, its choices, what it takes and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import gencap
from gencap import (
    Annealing,
    CentroidClustering,
    CorrelationClustering,
    DominantSets,
    NormalizedCut,
    PairwiseClustering,
    compare,
    datasets,
    random_feature_splits,
    select_order,
)
from gencap.comparison.table import COLUMNS

FAST = Annealing(n_steps=20, tol=1e-2, max_iter=20)
TIMES = ["seconds", "bits_per_second"]


def clusters(n=60, d=6, seed=0, distance=4.0):
    rng = np.random.default_rng([5, seed])
    centers = distance * rng.standard_normal((3, d))
    return centers[np.arange(n) % 3] + rng.standard_normal((n, d))


def quick(data, models=("centroid", "correlation"), measures=("pearson",), k=(2, 3, 4), **more):
    options = {"n_splits": 2, "null_draws": 1, "final_draws": 5, "annealing": FAST, "n_jobs": 2}
    return compare(data, models, measures, k, **{**options, **more})


@pytest.fixture(scope="module")
def found():
    frame = pd.DataFrame(clusters(), index=[f"g{i}" for i in range(60)])
    models = ("centroid", "pairwise", "ratio_cut", "correlation", "dominant_sets")
    return quick(frame, models, ("pearson", "sqeuclidean"), n_splits=3, final_draws=19)


# --- the numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "model"),
    [
        ("centroid", CentroidClustering(n_init=2)),
        ("pairwise", PairwiseClustering(n_init=2, annealing=FAST)),
        ("normalized_cut", NormalizedCut(n_init=2, annealing=FAST, measure="sqeuclidean")),
        ("dominant_sets", DominantSets(measure="sqeuclidean")),
    ],
)
def test_one_pair_gives_the_numbers_of_select_order(key, model):
    pair = datasets.gaussians(50, variance=6.0, random_state=1).pair
    order = select_order(
        model, pair, [2, 3, 4], null="both", null_draws=4, random_state=7, n_jobs=1
    )
    mine = quick(pair, [key], ["sqeuclidean"], random_state=7, final_draws=4)
    assert mine.table["raw_bits"].tolist() == [c.raw_bits for c in order.capacities.values()]
    if key != "dominant_sets":
        beta = [c.beta for c in order.capacities.values()]
        assert mine.table["beta"].tolist() == beta
    if mine.null:
        shown = order.capacities[int(mine.best["n_clusters"])]
        for kind, null in mine.null.items():
            assert null.draws.tolist() == shown.null[kind].draws.tolist()
            assert null.p_value == order.null[kind].p_value
        (labels,) = [s.labels for s in mine.solutions.values()]
        assert labels.tolist() == shown.labels.tolist()


def test_shifts_of_correlation_clustering_are_those_of_select_order():
    pair = datasets.gaussians(50, variance=6.0, random_state=1).pair
    model = CorrelationClustering(n_init=2, annealing=FAST)
    order = select_order(model, pair, [2, 3], random_state=0)
    mine = quick(pair, ["correlation"], ["pearson"], k=[2, 3], final_draws=0)
    assert mine.table["raw_bits"].tolist() == [c.raw_bits for c in order.capacities.values()]
    assert mine.table["shift"].tolist() == [c.shift for c in order.capacities.values()]


def test_several_splits_are_averaged_like_in_select_order():
    """The grids differ: every split has its own here, there is one for all of them there.

    Where splits anneal on other temperatures their curves are interpolated between points 40 %
    apart, and runs near a transition may take another branch: 0.05 bits on curves of 1.5.
    """
    data = clusters(90, 8)
    splits = random_feature_splits(data, 4, random_state=0)
    for key, model in [
        ("centroid", CentroidClustering(n_init=2)),
        ("pairwise", PairwiseClustering(n_init=2, annealing=FAST)),
    ]:
        order = select_order(model, splits, [2, 3, 4], random_state=0)
        mine = quick(data, [key], ["sqeuclidean"], n_splits=4, final_draws=0, random_state=0)
        assert mine.table["n_splits"].tolist() == [4, 4, 4]
        np.testing.assert_allclose(mine.table["raw_bits"], order.bits, atol=0.05)
        np.testing.assert_allclose(mine.table["bits_sd"], order.bits_sd, atol=0.05)


def test_threads_change_nothing():
    tables = [
        quick(clusters(40), n_jobs=threads).table.drop(columns=TIMES) for threads in (1, 2, 8)
    ]
    pd.testing.assert_frame_equal(tables[0], tables[1], check_exact=True)
    pd.testing.assert_frame_equal(tables[0], tables[2], check_exact=True)


def test_large_inputs_run_on_all_threads_inside_and_give_the_same_bits(monkeypatch):
    one = quick(clusters(40), n_jobs=2).table.drop(columns=TIMES)
    monkeypatch.setattr("gencap.comparison.runner.LARGE", 10)
    monkeypatch.setattr("gencap._graph_pairs.LARGE", 10)
    monkeypatch.setattr("gencap._lockstep.LARGE", 10)
    two = quick(clusters(40), n_jobs=2).table.drop(columns=TIMES)
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_another_seed_gives_other_splits():
    tables = [quick(clusters(40), random_state=seed, final_draws=0).table for seed in (0, 1)]
    assert not tables[0]["raw_bits"].equals(tables[1]["raw_bits"])


# --- the result ------------------------------------------------------------------------------


def test_the_table_has_the_promised_columns(found):
    assert list(found.table) == list(COLUMNS)
    # centroid; pairwise, correlation, dominant sets with 2 measures; ratio cut with 2 powers too
    assert len(found.table) == 3 * (1 + 2 * (1 + 2 + 1 + 1))
    assert (found.table["bits"] == np.maximum(found.table["raw_bits"], 0.0)).all()
    assert (found.table["n_splits"] == 3).all()
    assert not found.table["optimistic"].any()
    assert (found.table.loc[found.table["model"] == "centroid", "measure"] == "").all()
    assert (found.table["seconds"] > 0).all()


def test_the_winner_has_most_bits_among_the_chosen(found):
    chosen = found.table[found.table["chosen"]]
    assert found.best["bits"] == chosen["bits"].max()
    assert bool(found.best["chosen"])
    assert found.best["n_clusters"] == 3
    assert 1.3 < found.best["bits"] <= math.log2(3)
    assert found.verdict == "clusters"
    assert found.verdict_text == "clusters"


def test_every_candidate_has_its_nulls_at_the_chosen_number(found):
    drawn = found.table.dropna(subset=["null_gaussian"])
    shown = found.table[found.table["chosen"]]
    assert set(shown.index) <= set(drawn.index)
    # Independent columns carry nothing from one half to the other.
    assert (drawn["null_independent"] < 0.2).all()
    mine = found.table[found.table["model"] == found.winner[0]]
    mine = mine[(mine["measure"] == found.winner[1])]
    assert mine["null_gaussian"].notna().any()


def test_rankings_are_read_from_the_chosen_rows(found):
    ranked = found.ranking()
    assert len(ranked) == 11
    assert ranked["bits"].is_monotonic_decreasing
    assert ranked["bits"][0] == found.best["bits"]
    assert set(found.ranking("model")["model"]) == set(found.table["model"])
    assert set(found.ranking("measure")["measure"]) == {"", "pearson", "sqeuclidean"}
    best = found.ranking("measure").set_index("measure")["bits"]
    assert best.max() == found.best["bits"]
    with pytest.raises(ValueError, match="by must be one of"):
        found.ranking("color")


def test_differences_are_paired_over_splits(found):
    pairs = found.differences()
    assert len(pairs) == 11 * 10 / 2
    row = pairs.iloc[0]
    ranked = found.ranking().set_index("candidate")

    def bits(name):
        one = ranked.loc[name]
        mine = found.split_bits
        mine = mine[
            (mine["model"] == one["model"])
            & (mine["measure"] == one["measure"])
            & (mine["p"].isna() if math.isnan(one["p"]) else mine["p"] == one["p"])
            & (mine["n_clusters"] == one["n_clusters"])
        ]
        return np.maximum(mine.sort_values("split")["raw_bits"].to_numpy(), 0.0)

    gaps = bits(row["first"]) - bits(row["second"])
    assert row["n"] == 3
    assert row["difference"] == pytest.approx(gaps.mean(), abs=1e-12)
    assert row["se"] == pytest.approx(gaps.std(ddof=1) / math.sqrt(3), abs=1e-12)
    assert 0 <= row["p_value"] <= 1


def test_scans_hold_every_shift_and_power(found):
    shifts = found.scans["correlation", "pearson"]
    assert list(shifts)[:4] == ["shift", "n_clusters", "bits", "bits_sd"]
    assert shifts["shift"].nunique() >= 5
    assert (shifts["n_splits"] == 3).all()
    for k in (2, 3, 4):
        row = found.order("correlation", "pearson").capacities[k]
        at = shifts[shifts["n_clusters"] == k]
        assert row.raw_bits == at["raw_bits"].max()
        assert row.shift == at.loc[at["raw_bits"].idxmax(), "shift"]
    powers = found.scans["ratio_cut", "pearson"]
    assert sorted(powers["p"].unique()) == [1.2, 2.0]
    assert ("centroid", "") not in found.scans


def test_shifts_may_be_scanned_on_the_first_splits_only():
    whole = quick(clusters(), ["correlation"], n_splits=3, final_draws=0, null_draws=0)
    part = quick(
        clusters(), ["correlation"], n_splits=3, final_draws=0, null_draws=0, scan_splits=1
    )
    scan = part.scans["correlation", "pearson"]
    assert set(scan["n_splits"]) == {1, 3}
    assert (part.table["n_splits"] == 3).all()
    # A chosen shift has the same outcome on every split, however it was chosen.
    first = whole.scans["correlation", "pearson"].set_index(["shift", "n_clusters"])["raw_bits"]
    for _, row in part.table.iterrows():
        if row["n_clusters"] == 2:
            assert row["raw_bits"] == first[row["shift"], 2]
    assert sum(t.tasks for t in part.timings) < sum(t.tasks for t in whole.timings)


def test_solutions_name_the_objects_and_say_how_sure_they_are(found):
    solution = found.solutions["centroid", ""]
    assert solution.names.tolist() == [f"g{i}" for i in range(60)]
    assert len(np.unique(solution.labels)) == 3
    truth = np.arange(60) % 3
    assert gencap.hamming_capacity(solution.labels, truth) > 1.3
    assert (solution.probabilities.argmax(axis=1) == solution.labels).all()
    np.testing.assert_allclose(solution.probabilities.sum(axis=1), 1.0, atol=1e-5)  # float32
    np.testing.assert_allclose(solution.confidence, solution.probabilities.max(axis=1), rtol=1e-6)
    assert "3 clusters of 60 objects" in repr(solution)


def test_an_order_of_one_candidate_looks_like_any_order(found):
    order = found.order(found.winner[0], found.winner[1])
    assert order.best == found.best["n_clusters"]
    assert order.verdict == "clusters"
    assert order.bits[order.best] == found.best["bits"]
    capacity = order.capacities[order.best]
    assert len(capacity.bits_per_pair) == 3
    assert capacity.curve is None or capacity.curve.bits.max() == capacity.raw_bits
    assert found.order("ratio_cut", "pearson", p=2.0).best >= 1
    with pytest.raises(ValueError, match=r"p must be one of"):
        found.order("ratio_cut", "pearson", p=1.7)
    with pytest.raises(ValueError, match="model must be one of"):
        found.order("k-means")


def test_the_result_says_what_was_done(found):
    assert found.settings["n_clusters"] == [2, 3, 4]
    assert found.settings["n_splits"] == 3
    assert found.settings["instances"] == "random halves of the columns"
    assert found.versions["gencap"] == gencap.__version__
    assert found.seed == 0
    assert any("chosen among" in note for note in found.notes)
    assert any("only 19 final twins" in note.lower() for note in found.notes)
    assert "best" in repr(found)


def test_a_forecast_for_other_numbers_is_scaled_from_this_run(found):
    same = found.forecast(n_jobs=1)
    assert same.seconds == pytest.approx(sum(t.seconds for t in found.timings))
    more = found.forecast(range(2, 8), 6, n_jobs=1)
    data = sum(t.seconds for t in found.timings if t.role == "data")
    # 27 / 9 times the clusters on twice the splits
    assert more.seconds > 6 * data
    assert "6 splits" in more.text
    assert found.forecast(n_jobs=2).seconds == pytest.approx(same.seconds / 2)


def test_progress_counts_tasks_and_the_forecast_comes_before_the_bulk():
    heard, said = [], []
    quick(
        clusters(40),
        progress=lambda p: heard.append((p.done, p.total)),
        announce=lambda f: said.append((f, heard[-1])),
    )
    done = [d for d, _ in heard]
    assert done == sorted(done)
    assert heard[-1][0] == heard[-1][1]
    ((forecast, (at, total)),) = said
    assert at == 2  # one task of either model
    assert forecast.n_tasks == total - at
    assert forecast.seconds > 0
    assert "measured on 2 tasks" in forecast.text


def test_a_raising_callback_cancels():
    def stop(progress):
        if progress.done > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quick(clusters(40), progress=stop)


# --- verdicts --------------------------------------------------------------------------------


def test_noise_has_no_reliable_structure():
    noise = np.random.default_rng(0).standard_normal((60, 6))
    found = quick(noise, final_draws=19)
    assert found.verdict == "none"


def test_a_gradient_is_a_continuum():
    rng = np.random.default_rng(1)
    data = rng.standard_normal((80, 1)) + 0.5 * rng.standard_normal((80, 8))
    found = quick(data, ("centroid",), final_draws=19)
    assert found.verdict == "continuum"


def test_without_final_twins_nothing_is_claimed():
    found = quick(clusters(), final_draws=0)
    assert found.verdict == "uncalibrated"
    assert not found.null


def test_twins_may_go_through_everything():
    found = quick(clusters(), null_through="all", final_draws=19)
    assert found.verdict == "clusters"
    assert found.null["gaussian"].p_value == 0.05
    assert len(found.null["gaussian"].draws) == 19
    assert not any("chosen among" in note for note in found.notes)
    with pytest.raises(ValueError, match="null_through"):
        quick(clusters(), null_through="some")
