"""The worker's signals, pause, cancel, pace; and the lane in front of it."""

from __future__ import annotations

import threading

import pytest

import gencap
from gencap_gui.tasks.lane import Lane
from gencap_gui.tasks.worker import Worker

PATIENCE = 20_000


@pytest.fixture
def worker(qtbot):
    made = Worker()
    yield made
    made.cancel()
    assert made.wait(10_000)
    qtbot.waitUntil(lambda: not made.is_running, timeout=PATIENCE)


def record(worker):
    heard = []
    for name in ("started", "yielded", "returned", "errored", "cancelled", "finished"):
        getattr(worker, name).connect(lambda *a, name=name: heard.append((name, *a)))
    return heard


def wait_until_cancelled(state):
    while True:
        state.check()
        threading.Event().wait(0.002)


def test_signals_of_a_task_that_returns(qtbot, worker):
    heard = record(worker)

    def work(state):
        state.tell("a")
        state.tell("b")
        return 5

    with qtbot.waitSignal(worker.finished, timeout=PATIENCE):
        worker.start(work)
    assert [one[0] for one in heard] == ["started", "yielded", "returned", "finished"]
    assert heard[1] == ("yielded", ["a", "b"])
    assert heard[2] == ("returned", 5)
    assert not worker.is_running


def test_errors_arrive_and_the_worker_can_work_again(qtbot, worker):
    heard = record(worker)

    def work(state):
        raise KeyError("x")

    with qtbot.waitSignal(worker.finished, timeout=PATIENCE):
        worker.start(work)
    assert isinstance(heard[1][1], KeyError)
    with qtbot.waitSignal(worker.returned, timeout=PATIENCE):
        worker.start(lambda state: 1)
    qtbot.waitUntil(lambda: not worker.is_running, timeout=PATIENCE)


def test_a_busy_worker_takes_no_second_task(qtbot, worker):
    worker.start(wait_until_cancelled)
    with pytest.raises(RuntimeError, match="running already"):
        worker.start(lambda state: 1)
    with qtbot.waitSignal(worker.finished, timeout=PATIENCE):
        worker.cancel()


def test_cancel_is_heard_inside_the_core(qtbot, worker):
    """A long annealing in compiled code ends when asked to."""
    heard = record(worker)
    data = gencap.datasets.gaussians(n_objects=4000, random_state=0)
    model = gencap.CentroidClustering(40, n_init=200, random_state=0)

    def work(state):
        return gencap.capacity(model, data.pair, progress=state.control)

    with qtbot.waitSignal(worker.yielded, timeout=PATIENCE):
        worker.start(work)
    with qtbot.waitSignal(worker.finished, timeout=PATIENCE):
        worker.cancel()
    assert [one[0] for one in heard][-2:] == ["cancelled", "finished"]


def test_pause_holds_and_resume_goes_on(qtbot, worker):
    steps, go = [], threading.Semaphore(0)

    def work(state):
        for i in range(4):
            go.acquire()
            state.check()
            steps.append(i)

    worker.start(work)
    go.release()
    qtbot.waitUntil(lambda: steps == [0], timeout=PATIENCE)
    worker.pause()
    assert worker.is_paused
    for _ in range(3):
        go.release()
    qtbot.wait(60)
    assert steps == [0]
    with qtbot.waitSignal(worker.finished, timeout=PATIENCE):
        worker.resume()
    assert steps == [0, 1, 2, 3]


def test_a_paused_task_can_be_cancelled(qtbot, worker):
    worker.start(wait_until_cancelled)
    worker.pause()
    with qtbot.waitSignal(worker.cancelled, timeout=PATIENCE):
        worker.cancel()
    qtbot.waitUntil(lambda: not worker.is_running, timeout=PATIENCE)


def test_leaving_answers_at_once_and_ignores_the_rest(qtbot, worker):
    heard = record(worker)
    gate = threading.Event()

    def deaf(state):
        gate.wait(20)
        return "late"

    worker.start(deaf)
    worker.leave()
    assert not worker.is_running
    assert [one[0] for one in heard] == ["started", "cancelled", "finished"]
    with qtbot.waitSignal(worker.returned, timeout=PATIENCE) as caught:
        worker.start(lambda state: "new")
    assert caught.args == ["new"]
    gate.set()
    assert worker.wait(10_000)
    qtbot.waitUntil(lambda: not worker._left, timeout=PATIENCE)
    assert ("returned", "late") not in heard


def test_many_tellings_are_few_updates(qtbot, worker):
    heard = record(worker)

    def work(state):
        for i in range(5000):
            state.tell(i)
            state.tell(gencap.Progress(i, 5000))

    with qtbot.waitSignal(worker.finished, timeout=PATIENCE):
        worker.start(work)
    updates = [one[1] for one in heard if one[0] == "yielded"]
    told = [item for items in updates for item in items if isinstance(item, int)]
    assert told == list(range(5000))
    # each update ends with one progress value, the newest: at most one per 50 ms beat
    progress = [item for items in updates for item in items if not isinstance(item, int)]
    assert len(progress) <= len(updates) < 200
    assert progress[-1].done == 4999


# --- lane -------------------------------------------------------------------------------------


@pytest.fixture
def lane(qtbot):
    made = Lane()
    yield made
    made.close()
    assert made.worker.wait(10_000)
    qtbot.waitUntil(lambda: not made.worker.is_running, timeout=PATIENCE)


def test_jobs_run_in_order_and_newer_ones_replace_waiting_ones(qtbot, lane):
    done, gate = [], threading.Event()
    with qtbot.waitSignal(lane.idle, timeout=PATIENCE):
        lane.submit("a", lambda state: gate.wait(20), lambda _: done.append("a"))
        lane.submit("b", lambda state: "old", done.append)
        lane.submit("c", lambda state: "c", done.append)
        lane.submit("b", lambda state: "new", done.append)
        assert lane.is_busy
        assert lane.current == "a"
        gate.set()
    assert done == ["a", "c", "new"]


def test_a_failing_job_is_named_and_the_next_one_runs(qtbot, lane):
    failed, done = [], []
    lane.failed.connect(lambda name, error: failed.append((name, str(error))))

    def bad(state):
        raise ValueError("no")

    with qtbot.waitSignal(lane.idle, timeout=PATIENCE):
        lane.submit("bad", bad, done.append)
        lane.submit("good", lambda state: 1, done.append)
    assert failed == [("bad", "no")]
    assert done == [1]


def test_dropped_jobs_do_not_run(qtbot, lane):
    done = []
    with qtbot.waitSignal(lane.idle, timeout=PATIENCE):
        lane.submit("a", wait_until_cancelled, done.append)
        lane.submit("b", lambda state: "b", done.append)
        lane.drop("a", "b")
    assert done == []
