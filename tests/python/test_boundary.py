"""The boundary between Python and the core: interpreter, signals, callbacks, panics, arrays."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

import gencap
from gencap import Annealing, Cancelled, CentroidClustering, Control, Pair, Progress, _core
from gencap._progress import as_control

# Far longer than any of these tests may last: a call that is not stopped runs into the timeout.
LONG = 60.0
ENDLESS = Annealing(stop=1.0, n_steps=10**6, max_iter=1000, tol=1e-300)


class Enough(Exception):
    """Raised by callbacks."""


@pytest.fixture
def X(rng):
    return rng.normal(size=(300, 3))


def endless(kind, X, progress):
    """Start one of the long computations; it ends only when something stops it."""
    if kind == "boundary":
        return _core.exercise_boundary(LONG)
    model = CentroidClustering(3, annealing=ENDLESS, random_state=0, n_jobs=2)
    if kind == "fit":
        return model.fit(X, progress=progress)
    if kind == "restarts":
        return model.set_params(n_init=4).fit(X, progress=progress)
    if kind == "anneal":
        return list(model.anneal(X, progress=progress))
    pair = Pair(X, X[::-1])
    if kind == "capacity":
        return gencap.capacity(model, pair, progress=progress, n_jobs=2)
    if kind == "pairs":
        return gencap.capacity(model, [pair, pair, pair], progress=progress, n_jobs=2)
    if kind == "nulls":
        # The observed value is quick; the draws are many.
        quick = clone(model).set_params(annealing=Annealing(n_steps=30))
        return gencap.capacity(
            quick, pair, null="both", null_draws=3000, progress=progress, n_jobs=2
        )
    return gencap.select_order(model, pair, range(2, 6), progress=progress, n_jobs=2)


KINDS = ["fit", "restarts", "anneal", "capacity", "pairs", "nulls", "select_order"]


# The interpreter


def test_other_threads_run_while_the_core_works(X):
    ticks = []
    done = threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    worker = threading.Thread(target=count)
    worker.start()
    try:
        _core.exercise_boundary(0.3)
        control = Control()
        threading.Timer(0.3, control.cancel).start()
        with pytest.raises(Cancelled):
            endless("fit", X, control)
    finally:
        done.set()
        worker.join()
    # Held interpreter: two gaps of 0.3 s and hardly a tick. Even a busy machine gives dozens.
    assert len(ticks) > 20


@pytest.mark.skipif(os.name == "nt", reason="os.kill sends no Ctrl-C on Windows")
@pytest.mark.parametrize("kind", ["boundary", *KINDS])
def test_ctrl_c_ends_every_long_call(kind, X):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            endless(kind, X, None)
    finally:
        timer.cancel()
        timer.join()


# Callbacks


@pytest.mark.parametrize("kind", KINDS)
def test_the_callback_s_own_exception_is_what_the_user_sees(kind, X):
    heard = []

    def stop(progress):
        heard.append(progress)
        if len(heard) >= 3:
            raise Enough("seen enough")

    with pytest.raises(Enough, match="seen enough"):
        endless(kind, X, stop)
    assert all(isinstance(progress, Progress) for progress in heard)
    assert all(progress.message for progress in heard)


def test_callbacks_run_on_the_caller_s_thread(X):
    threads = set()

    def note(progress):
        threads.add(threading.get_ident())

    model = CentroidClustering(3, random_state=0, annealing=Annealing(n_steps=30))
    gencap.capacity(model, [Pair(X, X + 1)] * 3, null="both", null_draws=4, progress=note, n_jobs=2)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_rises_to_the_total(n_jobs, X):
    heard = []
    model = CentroidClustering(3, random_state=0, n_init=3)
    gencap.select_order(
        model, Pair(X, X), range(1, 5), null="gaussian", null_draws=5,
        n_jobs=n_jobs, progress=heard.append,
    )  # fmt: skip
    for message in {progress.message for progress in heard}:
        done = [p.done for p in heard if p.message == message]
        assert done == sorted(done), message
        assert all(p.total == 0 or p.done <= p.total for p in heard if p.message == message)
    last = heard[-1]
    assert last.message == "gaussian null"
    assert (last.done, last.total) == (5, 5)


def test_progress_of_a_single_run_tells_temperature_and_cost(X):
    heard = []

    def note(progress):
        heard.append(progress)
        if sum(p.beta is not None for p in heard) >= 2:
            raise Enough

    with pytest.raises(Enough):
        endless("capacity", X, note)
    told = [p for p in heard if p.beta is not None]
    assert all(p.energy is not None and p.energy > 0 for p in told)
    assert told[0].beta <= told[1].beta


def test_a_raising_callback_ends_a_single_long_temperature(X):
    slow = Annealing(n_steps=1, stop=1.0, burn_in=10**12)
    heard = []

    def stop(progress):
        heard.append(progress)
        if len(heard) >= 5:
            raise Enough

    steps = CentroidClustering(2, solver="gibbs", annealing=slow, random_state=0)
    with pytest.raises(Enough):
        next(steps.anneal(X, progress=stop))


# Control


@pytest.mark.parametrize("kind", KINDS)
def test_cancel_from_another_thread(kind, X):
    control = Control()
    timer = threading.Timer(0.1, control.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        endless(kind, X, control)
    timer.join()
    assert control.cancelled


def test_a_cancelled_control_stays_cancelled(X):
    control = Control()
    control.cancel()
    for kind in KINDS:
        with pytest.raises(Cancelled):
            endless(kind, X, control)


def test_pause_and_resume():
    control = Control()
    control.pause()
    assert control.paused
    counts = []

    def note(done, total, beta, energy):
        counts.append(done)
        if len(counts) == 4:
            control.resume()

    ticks = _core.exercise_boundary(0.5, switches=control.switches, report=note)
    assert not control.paused
    # While it was held (four reports) nothing moved; afterwards it did.
    assert counts[:4] == [0, 0, 0, 0]
    assert ticks > 0


def test_a_paused_fit_waits_and_then_gives_the_same_result(X):
    plain = CentroidClustering(3, random_state=0).fit(X)
    control = Control()
    control.pause()
    timer = threading.Timer(0.15, control.resume)
    timer.start()
    held = CentroidClustering(3, random_state=0).fit(X, progress=control)
    timer.join()
    np.testing.assert_array_equal(plain.cluster_centers_, held.cluster_centers_)


def test_a_control_is_passed_on_as_it_is():
    control = Control()
    assert as_control(control) is control
    assert as_control(None).on_progress is None
    assert as_control(print).on_progress is print


# Panics


def test_a_panic_becomes_a_runtime_error(capfd):
    with pytest.raises(RuntimeError, match="please report it: this panic was asked for"):
        _core.exercise_boundary(0.0, panic=True)
    # Rust's own notice goes to stderr; the interpreter lives on.
    assert "asked for" in capfd.readouterr().err
    assert _core.exercise_boundary(0.01) >= 1


# Arrays


def test_read_only_arrays_are_accepted_and_nothing_is_written(X):
    before = X.copy()
    X.flags.writeable = False
    CentroidClustering(3, random_state=0).fit(X).predict(X)
    list(CentroidClustering(3, random_state=0).anneal(X))
    gencap.capacity(CentroidClustering(3, random_state=0), Pair(X, X))
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "float32", "integers"])
def test_any_layout_gives_the_same_answer(layout, rng):
    base = np.round(rng.normal(size=(60, 4)) * 8)
    variants = {
        "fortran": np.asfortranarray(base),
        "strided": np.repeat(base, 2, axis=1)[:, ::2],
        "reversed": base[::-1].copy()[::-1],
        "float32": base.astype(np.float32),
        "integers": base.astype(np.int16),
    }
    model = CentroidClustering(3, random_state=0)
    expected = model.fit(base).cluster_centers_
    np.testing.assert_array_equal(clone(model).fit(variants[layout]).cluster_centers_, expected)


def test_results_are_the_caller_s_own(X):
    model = CentroidClustering(2, random_state=0).fit(X)
    assert not np.shares_memory(model.probabilities_, X)
    model.cluster_centers_[:] = 0.0
    model.trajectory_.centroids[:] = 0.0


def test_errors_of_the_core_are_value_errors(X):
    with pytest.raises(ValueError, match="n_clusters is 0; at least 1 is needed"):
        _core.AnnealParams(n_clusters=0)
    with pytest.raises(ValueError, match="setting is 'colour'"):
        _core.AnnealParams(colour=3)
    params = _core.AnnealParams(n_clusters=2)
    with pytest.raises(ValueError, match="coupling is 'glue'"):
        _core.anneal_pair(X, X, params, "glue", True, np.ones(1), 0)
    with pytest.raises(ValueError, match="second instance has 5 rows"):
        _core.anneal_pair(X, X[:5].copy(), params, "merge", True, np.ones(1), 0)
    with pytest.raises(TypeError):
        _core.anneal(X.astype(np.float32), params, np.ones(1), 0)
