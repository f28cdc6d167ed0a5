"""What the terminal shows: progress, tables, notes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from types import TracebackType

import click
from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.table import Table
from rich.text import Text

from gencap._progress import Progress
from gencap.cli._app import printable
from gencap.report._compared import ComparisonLike, measure_title, model_title, row_title
from gencap.report._comparison_words import (
    comparison_sentence,
    comparison_warnings,
    lead_sentence,
)
from gencap.report.study import Study
from gencap.report.words import amount, verdict_sentence, warnings_of

__all__ = ["Watch", "console", "show_comparison", "show_note", "show_rows", "show_study"]

VERDICT_STYLE = {
    "clusters": "bold green",
    "continuum": "bold yellow",
    "uncalibrated": "bold yellow",
}
QUIET_SECONDS = 10.0
MOST_RANKED = 12
# Before so much is done the time left is anybody's guess.
LEAST_SHARE = 0.03


def console(*, err: bool = False) -> Console:
    """Return a console that never interprets markup: names come from users' files."""
    return Console(stderr=err, markup=False, emoji=False, highlight=False)


class Watch:
    """Show `Progress` values: a bar on a terminal, now and then a line elsewhere.

    Use as a context manager and pass as ``progress=``.
    """

    def __init__(self, title: str) -> None:
        self.title = printable(title)
        self.screen = console(err=True)
        self.lively = self.screen.is_terminal and not self.screen.is_dumb_terminal
        self.bars: Bars | None = None
        self.task: TaskID | None = None
        self.stage = ("", 0)
        self.started = self.spoken = time.monotonic()

    def __enter__(self) -> Watch:
        if self.lively:
            self.bars = Bars(
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=self.screen,
                transient=True,
            )
            self.task = self.bars.add_task(self.title, total=None)
            self.bars.start()
        else:
            click.echo(f"{self.title} ...", err=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bars is not None:
            self.bars.stop()

    def __call__(self, progress: Progress) -> None:
        """Take in where a computation stands; a new message or total begins a new stage."""
        stage = (progress.message, progress.total)
        if stage != self.stage:
            self.stage, self.started = stage, time.monotonic()
            if self.bars is not None and self.task is not None:
                self.bars.reset(self.task, total=progress.total or None)
        if self.bars is not None and self.task is not None:
            self._move_bar(self.bars, self.task, progress)
        elif time.monotonic() - self.spoken >= QUIET_SECONDS:
            self.spoken = time.monotonic()
            click.echo(f"  {self._line(progress)}", err=True)

    def say(self, message: object) -> None:
        """Print a line, above the bar where there is one."""
        text = printable(getattr(message, "text", message))
        if self.bars is not None:
            self.bars.console.print(Text(text))
        else:
            click.echo(text, err=True)

    def _move_bar(self, bars: Bars, task: TaskID, progress: Progress) -> None:
        label = ": ".join(part for part in (self.title, printable(progress.message)) if part)
        bars.update(task, completed=progress.done, description=_short(label))

    def _line(self, progress: Progress) -> str:
        words = printable(progress.message) or "running"
        share = min(progress.done / progress.total, 1.0) if progress.total > 0 else 0.0
        if share < LEAST_SHARE or words.startswith("timing"):
            return words
        left = (time.monotonic() - self.started) * (1.0 - share) / share
        return f"{words}: {share:.0%}, about {left:.0f} s left"


def _short(text: str, limit: int = 34) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def show_rows(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; the first column is flush left, the others flush right."""
    table = Table(title=Text(title, style="bold"), box=box.SIMPLE_HEAD, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console().print(table)


def show_study(study: Study) -> None:
    """Print the table of K, the verdict with the nulls, and the notes."""
    order = study.order
    table = Table(
        title=Text(printable(study.title), style="bold"), box=box.SIMPLE_HEAD, title_justify="left"
    )
    for heading in ("K", "bits per object", "effective clusters", "best beta", "pairs", ""):
        table.add_column(heading, justify="right")
    for k, capacity in order.capacities.items():
        chosen = k == order.best
        table.add_row(
            str(k),
            amount(capacity.bits, capacity.bits_sd, ""),
            f"{capacity.n_clusters:.3g}",
            f"{capacity.beta:.3g}",
            str(max(1, len(capacity.bits_per_pair))),
            "<- K*" if chosen else "",
            style="bold" if chosen else "",
        )
    out = console()
    out.print(table)
    style = VERDICT_STYLE.get(order.verdict, "bold")
    out.print(Text("Verdict: " + order.verdict_text, style=style))
    out.print(Text(verdict_sentence(order)))
    for warning in warnings_of(study):
        show_note(warning)
    out.print()


def show_comparison(comparison: ComparisonLike, said: Sequence[str] = ()) -> None:
    """Print the verdict, the rankings, how sure the lead is, and the notes not `said` before."""
    out = console()
    style = VERDICT_STYLE.get(comparison.verdict, "bold")
    out.print()
    out.print(Text("Verdict: " + comparison.verdict_text, style=style))
    out.print(Text(comparison_sentence(comparison)))
    ranked = comparison.ranking("candidate")
    rows = [
        (
            row_title(row),
            str(int(row["n_clusters"])),
            amount(float(row["bits"]), float(row["bits_sd"]), ""),
            _cell(row["null_independent"]),
            _cell(row["null_gaussian"]),
            f"{row['seconds']:.2g}",
        )
        for _, row in ranked.head(MOST_RANKED).iterrows()
    ]
    left = f" (best {MOST_RANKED} of {len(ranked)})" if len(ranked) > MOST_RANKED else ""
    headings = ("model and measure", "K*", "bits per object", "independent", "Gaussian", "CPU s")
    show_rows(f"Ranking{left}", headings, rows)
    for by, title in (("model", model_title), ("measure", measure_title)):
        table = comparison.ranking(by)
        cells = [
            (title(str(row[by])), amount(float(row["bits"]), float(row["bits_sd"]), ""))
            for _, row in table.iterrows()
        ]
        show_rows(f"Ranking of {by}s", (by, "bits per object"), cells)
    lead = lead_sentence(comparison)
    if lead and comparison.verdict != "none":
        out.print(Text("The winner against the next: " + lead))
    for warning in comparison_warnings(comparison):
        if warning not in said:
            show_note(warning)
    out.print()


def _cell(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "-"


def show_note(message: str) -> None:
    """Print a note in yellow."""
    console().print(Text("Note: " + printable(message), style="yellow"))
