"""A Dask cluster gives the same bits, even where a worker dies in the middle."""

from __future__ import annotations

import contextlib
import os
import signal

import numpy as np
import pandas as pd
import pytest

from gencap import Annealing, Cancelled, compare
from gencap.comparison.cluster import Cluster, connect, run_remotely
from gencap.comparison.source import TableSource

TIMES = ["seconds", "bits_per_second"]

distributed = pytest.importorskip("distributed")
# Killed workers leave sockets behind; the library itself warns of none of its own.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]


def data():
    rng = np.random.default_rng(3)
    return 4.0 * rng.standard_normal((3, 6))[np.arange(60) % 3] + rng.standard_normal((60, 6))


def run(**more):
    return compare(
        data(),
        ["centroid", "correlation"],
        ["pearson"],
        [2, 3, 4],
        n_splits=3,
        null_draws=1,
        final_draws=6,
        annealing=Annealing(n_steps=20, tol=1e-2, max_iter=20),
        **more,
    )


@contextlib.contextmanager
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        distributed.LocalCluster(**options, dashboard_address=None, silence_logs=50) as workers,
        distributed.Client(workers) as client,
    ):
        client.wait_for_workers(2)
        yield client


def test_a_cluster_gives_the_same_table_though_a_worker_is_killed(tmp_path):
    local = run(n_jobs=2)
    killed = []
    with cluster() as client:
        pids = list(client.run(os.getpid).values())

        def kill(progress):
            if not killed and progress.done >= 5:
                os.kill(pids[0], signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
                killed.append(progress.done)

        remote = run(client=client, progress=kill, out=tmp_path)
        assert killed
        assert killed[0] < 20
        # The address of the scheduler does as well; a callback that raises stops the tasks there.
        with pytest.raises(Cancelled):
            run(client=client.scheduler.address, progress=stop_at_once)
    pd.testing.assert_frame_equal(
        local.table.drop(columns=TIMES), remote.table.drop(columns=TIMES), check_exact=True
    )
    assert local.verdict == remote.verdict
    for kind, null in local.null.items():
        assert null.draws.tolist() == remote.null[kind].draws.tolist()
    assert (tmp_path / "journal.jsonl").exists()


def stop_at_once(progress):
    if progress.done >= 1:
        raise Cancelled("enough")


def test_clients_are_recognized():
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client"):
        connect(3)
    with pytest.raises(ConnectionError, match="no Dask scheduler answers"):
        connect("tcp://127.0.0.1:9")


def test_workers_of_another_version_are_refused():
    with pytest.raises(RuntimeError, match="install the same version"):
        run_remotely(None, None, "0.0.0")


class _DeadFuture:
    status = "cancelled"


class _EmptyCluster:
    """A client whose workers are always gone."""

    def __init__(self):
        self.sent = 0

    def scatter(self, data, **_):
        self.sent += 1
        return data

    def submit(self, *_, **__):
        return _DeadFuture()

    def cancel(self, *_, **__):
        pass


def test_a_cluster_that_loses_everything_is_given_up_with_a_message(monkeypatch):
    from gencap._progress import Control
    from gencap.comparison.journal import Journal

    class Task:
        key = "a task"

    client = _EmptyCluster()
    source = TableSource.__new__(TableSource)
    with pytest.raises(RuntimeError, match="1 tasks did not finish on the cluster: workers were"):
        Cluster(source, client).run([Task()], Journal(None, {}), Control())
    assert client.sent > 1
