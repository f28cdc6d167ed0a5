"""The program from outside: smoke test, arguments, kill and recovery."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gencap
import gencap_gui

ROOT = Path(__file__).resolve().parent.parent.parent
TINY = """
import sys
from pathlib import Path
from gencap_gui.app import build, make_application
from gencap_gui.places import Places
app = make_application()
window = build(Places(Path(sys.argv[1])))
window.show()
window.autosaver.saved.connect(lambda: print("saved", flush=True))
window.open_sample("iris")
app.exec()
"""


def call(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "gencap_gui", *arguments],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        **options,
    )


def test_smoke_test():
    ran = call("--smoke-test")
    assert ran.returncode == 0, ran.stderr
    assert "every view was drawn" in ran.stdout


def test_version_and_help():
    assert gencap_gui.__version__ in call("--version").stdout
    assert "--smoke-test" in call("--help").stdout


def test_one_version_everywhere():
    project = tomllib.loads((ROOT / "gui" / "pyproject.toml").read_text())["project"]
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    assert project["version"] == workspace["version"] == gencap_gui.__version__
    assert f"gencap=={gencap.__version__}" in project["dependencies"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
def test_a_killed_program_leaves_its_state(tmp_path):
    from gencap_gui.files import read_session
    from gencap_gui.recovery import Recovery

    running = subprocess.Popen(
        [sys.executable, "-c", TINY, str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    try:
        assert running.stdout.readline().strip() == "saved"
        assert Recovery(tmp_path / "autosave").leftovers() == []
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait(20)
        running.stdout.close()
    (left,) = Recovery(tmp_path / "autosave").leftovers()
    saved = read_session(left.path)
    assert saved.history.document.source.name == "iris"
    assert saved.tables[0].shape == (150, 4)
