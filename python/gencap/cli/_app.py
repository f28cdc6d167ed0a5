"""The root command, and what becomes of errors: a sentence and an exit code, no traceback."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import click

from gencap._progress import Cancelled

__all__ = ["app", "printable", "run"]

BAD_INPUT = 2
INTERNAL = 1
CANCELLED = 130
TRACEBACK_SWITCH = "GENCAP_TRACEBACK"


class App(click.Group):
    """A command group that ends every failure with a message a user can act on."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; see `click.Command.main`."""
        start = super().main

        def inner() -> Any:
            return start(
                args=args,
                prog_name=prog_name,
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )

        if not standalone_mode:
            return inner()
        sys.exit(_guarded(inner))


@click.group(
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  gencap demo",
)
@click.version_option(package_name="gencap", prog_name="gencap")
def app() -> None:
    """Measure how many bits of a clustering are real.

    Two measurements of the same objects are clustered at every resolution; what both confirm is
    counted in bits per object and compared with data that have no such structure.
    """


def run(command: click.Command) -> None:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without the characters shows question marks instead of failing.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    command(prog_name="gencap")


def _guarded(run: Callable[[], Any]) -> int:
    """Run and turn what is raised into an exit code."""
    try:
        result = run()
        sys.stdout.flush()
    except click.exceptions.Abort:
        return _say("Cancelled", CANCELLED)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, Cancelled):
        return _say("Cancelled", CANCELLED)
    except BrokenPipeError:
        # The reader (head, less) has left; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return INTERNAL
    except (ValueError, OSError) as error:
        _trace()
        return _say(f"Error: {_sentence(error)}", BAD_INPUT)
    except MemoryError:
        _trace()
        return _say("Error: not enough memory; use fewer rows, or fewer clusters", INTERNAL)
    except Exception as error:
        return _unexpected(error)
    return result if isinstance(result, int) else 0


def _unexpected(error: Exception) -> int:
    if _trace():
        return INTERNAL
    _say(f"Internal error: {type(error).__name__}: {_sentence(error)}", INTERNAL)
    return _say(
        f"This is a fault of gencap. {TRACEBACK_SWITCH}=1 shows where it happened.", INTERNAL
    )


def _trace() -> bool:
    wanted = os.environ.get(TRACEBACK_SWITCH, "") not in ("", "0")
    if wanted:
        traceback.print_exc()
    return wanted


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{where}"
    return printable(str(error))


def printable(text: object) -> str:
    """Return text without control characters: names from files may hold any."""
    return "".join(
        c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in str(text)
    )


def _say(message: str, code: int) -> int:
    click.echo(message, err=True)
    return code
