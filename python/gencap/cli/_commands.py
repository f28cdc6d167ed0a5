"""All commands, put together."""

from __future__ import annotations

from gencap.cli._app import app
from gencap.cli.capacity import capacity_command
from gencap.cli.compare import compare_command
from gencap.cli.demo import demo_command
from gencap.cli.gui import gui_command
from gencap.cli.info import info_command
from gencap.cli.reproduce import reproduce_command
from gencap.cli.resolution import resolution_command
from gencap.cli.transfer import transfer_command

__all__ = ["app"]

for _command in (
    demo_command,
    compare_command,
    capacity_command,
    transfer_command,
    gui_command,
    resolution_command,
    reproduce_command,
    info_command,
):
    app.add_command(_command)
