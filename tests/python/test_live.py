"""Temperatures that arrive while a capacity is measured, and graphs annealed step by step."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gencap
from gencap._live import Stream
from gencap._parallel import parallel_map
from gencap._progress import Control


class Stop(Exception):
    """What a callback raises."""


@pytest.fixture(scope="module")
def vectors() -> Any:
    return gencap.datasets.gaussians(n_objects=300, random_state=0)


@pytest.fixture(scope="module")
def graph() -> Any:
    return gencap.datasets.correlation_graph(90, 3, complexity=0.1, noise=0.3, random_state=0)


def models() -> Iterator[Any]:
    yield "vectors", "centroids", gencap.CentroidClustering(5, random_state=0)
    yield "vectors", "merge", gencap.CentroidClustering(5, random_state=0, n_init=2)
    yield "vectors", "auto", gencap.CentroidClustering(4, solver="gibbs", random_state=0)
    yield "vectors", "auto", gencap.GaussianMixture(4, covariance="diag", random_state=0)
    settings: dict[str, Any] = {"measure": "precomputed", "random_state": 0, "n_init": 2}
    yield "graph", "auto", gencap.CorrelationClustering(4, shift=0.0, **settings)
    yield "graph", "auto", gencap.CorrelationClustering(4, **settings)
    yield "graph", "auto", gencap.PairwiseClustering(3, **settings)
    yield "graph", "auto", gencap.CorrelationClustering(3, solver="gibbs", shift=0.0, **settings)


@pytest.mark.parametrize(("kind", "coupling", "model"), list(models()))
def test_live_steps_are_the_final_curve(
    kind: str, coupling: str, model: Any, request: pytest.FixtureRequest
) -> None:
    pair = request.getfixturevalue(kind).pair
    seen: list[gencap.LiveStep] = []
    found = gencap.capacity(model, pair, coupling, "independent", null_draws=2, live=seen.append)
    alone = gencap.capacity(model, pair, coupling)
    assert found.curve is not None
    assert alone.curve is not None
    # Nobody's presence changes the result.
    np.testing.assert_array_equal(found.curve.bits, alone.curve.bits)
    order = list(reversed(seen)) if model.heats else seen
    assert [step.beta for step in order] == found.curve.beta.tolist()
    assert [step.agreement for step in order] == found.curve.agreement.tolist()
    assert [step.n_clusters for step in order] == found.curve.n_clusters.tolist()
    assert order[-1].entropy == found.curve.entropy[-1]
    assert order[-1].bits == found.curve.bits[-1]
    first = found.trajectories[0]
    for t, step in enumerate(order):
        np.testing.assert_array_equal(step.masses, first.masses[t])
        np.testing.assert_array_equal(step.groups, first.groups[t])
        assert step.bits == step.entropy + step.agreement
        assert step.probabilities is None
        if kind == "graph":
            assert step.centroids is None
            # The hard clusters are known before the winners are compared.
            assert step.bits == found.curve.bits[t]
        else:
            assert step.centroids is not None
            np.testing.assert_array_equal(step.centroids, first.centroids[t])


@pytest.mark.parametrize(("kind", "coupling", "model"), list(models())[1::4])
def test_steps_carry_probabilities_when_they_are_kept(
    kind: str, coupling: str, model: Any, request: pytest.FixtureRequest
) -> None:
    pair = request.getfixturevalue(kind).pair
    seen: list[gencap.LiveStep] = []
    found = gencap.capacity(model, pair, coupling, keep="probabilities", live=seen.append)
    assert found.path_probabilities is not None
    assert len(seen) == len(found.path_probabilities)
    for step, kept in zip(seen, found.path_probabilities, strict=True):
        assert step.probabilities is not None
        # The path is recomputed from rounded centroids: 1e-12 leaves room for that alone.
        np.testing.assert_allclose(step.probabilities, kept, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["vectors", "graph"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_several_pairs_stream_the_first_on_the_callers_thread(
    kind: str, n_jobs: int, request: pytest.FixtureRequest
) -> None:
    data = request.getfixturevalue(kind)
    pairs = [data.pair, gencap.Pair(data.second, data.first), data.pair]
    model: Any = gencap.CentroidClustering(4, random_state=0)
    if kind == "graph":
        model = gencap.PairwiseClustering(3, measure="precomputed", random_state=0, n_init=1)
    threads: set[int] = set()
    seen: list[gencap.LiveStep] = []

    def hear(step: gencap.LiveStep) -> None:
        threads.add(threading.get_ident())
        seen.append(step)

    found = gencap.capacity(model, pairs, n_jobs=n_jobs, live=hear)
    assert threads == {threading.get_ident()}
    assert [step.beta for step in seen] == found.trajectories[0].betas.tolist()
    np.testing.assert_array_equal([s.masses for s in seen], found.trajectories[0].masses)


def test_steps_arrive_while_the_run_goes_on() -> None:
    model = gencap.CentroidClustering(8, random_state=0)
    data = gencap.datasets.gaussians(n_objects=6000, random_state=1)
    seen: list[gencap.LiveStep] = []
    # How many steps had come when progress was told of a run that was not done.
    early: list[int] = []

    def watch(progress: gencap.Progress) -> None:
        if progress.done < progress.total:
            early.append(len(seen))

    found = gencap.capacity(model, data.pair, progress=watch, live=seen.append, n_jobs=1)
    assert found.curve is not None
    assert any(0 < count < len(seen) for count in early)


@pytest.mark.parametrize("kind", ["vectors", "graph"])
def test_no_step_comes_while_paused(kind: str, request: pytest.FixtureRequest) -> None:
    data = request.getfixturevalue(kind)
    model: Any = gencap.CentroidClustering(6, random_state=0)
    if kind == "graph":
        model = gencap.PairwiseClustering(3, measure="precomputed", random_state=0, n_init=1)
    control = gencap.Control()
    seen: list[gencap.LiveStep] = []
    counts: list[int] = []
    control.pause()

    def release() -> None:
        counts.append(len(seen))
        control.resume()

    timer = threading.Timer(0.2, release)
    timer.start()
    gencap.capacity(model, data.pair, progress=control, live=seen.append)
    timer.join()
    assert counts == [0]
    assert len(seen) > 0


@pytest.mark.parametrize("n_pairs", [1, 3])
@pytest.mark.parametrize(("kind", "coupling", "model"), list(models())[::5])
def test_a_raising_callback_cancels(
    kind: str, coupling: str, model: Any, n_pairs: int, request: pytest.FixtureRequest
) -> None:
    pairs = [request.getfixturevalue(kind).pair] * n_pairs
    control = gencap.Control()
    seen: list[gencap.LiveStep] = []

    def hear(step: gencap.LiveStep) -> None:
        seen.append(step)
        if len(seen) == 3:
            raise Stop

    with pytest.raises(Stop):
        gencap.capacity(model, pairs, coupling, progress=control, live=hear)
    assert len(seen) == 3
    assert control.cancelled


def test_models_without_temperatures_have_no_steps(vectors: Any) -> None:
    seen: list[gencap.LiveStep] = []
    for model in (
        gencap.CentroidClustering(1, random_state=0),
        gencap.CentroidClustering(3, solver="simulated_annealing", random_state=0),
    ):
        gencap.capacity(model, vectors.pair, live=seen.append)
    assert seen == []


def test_live_must_be_callable(vectors: Any) -> None:
    with pytest.raises(TypeError, match="live must be a callable"):
        gencap.capacity(gencap.CentroidClustering(2), vectors.pair, live=3)  # type: ignore[arg-type]


def test_a_stream_queues_what_comes_from_other_threads() -> None:
    heard: list[tuple[float, int]] = []
    stream = Stream(lambda step: heard.append((step.beta, threading.get_ident())))
    tell, wanted = stream.watcher
    arrays = (np.ones(1), np.zeros(1, dtype=np.int64), None, None)

    def job(beta: float, silent: Control) -> int:
        if beta == 1.0:
            for t in range(50):
                tell(float(t), -1.0, 2.0, 1, *arrays)
        return threading.get_ident()

    control = Control()
    used = parallel_map(job, [1.0, 2.0], threads=2, control=control, message="", drain=stream.drain)
    assert not wanted
    assert threading.get_ident() not in used
    assert heard == [(float(t), threading.get_ident()) for t in range(50)]


def test_annealing_a_graph_yields_the_steps_of_its_fit(graph: Any) -> None:
    for model in (
        gencap.CorrelationClustering(4, measure="precomputed", random_state=3),
        gencap.NormalizedCut(3, measure="precomputed", random_state=1, n_init=3),
        gencap.CorrelationClustering(3, measure="precomputed", solver="gibbs", random_state=0),
        # A late start: the run begins in the middle of the grid and is heated.
        gencap.PairwiseClustering(6, measure="precomputed", random_state=2, n_init=4),
        gencap.PairwiseClustering(
            3, measure="precomputed", random_state=2, annealing=gencap.Annealing(stop=2.0)
        ),
    ):
        run = model.fit(graph.first).trajectory_
        steps = list(model.anneal(graph.first))
        assert [step.beta for step in steps] == run.betas.tolist()
        assert [step.cost for step in steps] == run.costs.tolist()
        assert [step.free_energy for step in steps] == run.free_energies.tolist()
        assert [step.n_clusters for step in steps] == run.n_clusters.tolist()
        np.testing.assert_array_equal([step.masses for step in steps], run.masses)


def test_annealing_a_graph_computes_one_temperature_at_a_time(graph: Any) -> None:
    told: list[gencap.Progress] = []
    model = gencap.PairwiseClustering(3, measure="precomputed", random_state=0, n_init=2)
    steps = model.anneal(graph.first, progress=told.append)
    assert told == []
    next(steps)
    first = [p.done for p in told if p.message == "annealing"]
    assert set(first) == {0}
    next(steps)
    assert {p.done for p in told if p.message == "annealing"} == {0, 1}
    steps.close()


def test_annealing_a_graph_stops_with_its_control(graph: Any) -> None:
    control = gencap.Control()
    model = gencap.PairwiseClustering(3, measure="precomputed", random_state=0, n_init=1)
    steps = model.anneal(graph.first, progress=control)
    next(steps)
    control.pause()
    timer = threading.Timer(0.2, control.resume)
    timer.start()
    next(steps)
    # The step above could only be made once the pause was over.
    assert not control.paused
    timer.join()
    control.cancel()
    with pytest.raises(gencap.Cancelled):
        next(steps)
