"""The command line while it still loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gencap import cli
from gencap.cli._commands import app

EARLY = """
import sys
from gencap import cli
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
assert "click" not in sys.modules and {module!r} not in sys.modules
sys.meta_path.insert(0, Interrupt())
sys.argv = ["gencap", "demo"]
cli.main()
"""


@pytest.mark.parametrize("module", ["click", "gencap.cli.demo", "gencap.cli._screen"])
def test_interrupt_while_it_loads(module, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", EARLY.format(module=module)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stderr.split() == ["Cancelled"]
    assert done.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_the_package_offers_the_app():
    assert cli.app is app
    with pytest.raises(AttributeError, match="nothing"):
        cli.nothing  # noqa: B018
