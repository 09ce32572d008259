"""What the command line draws: progress bars fed by `progress.py`, and lists of what lies in quarantine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from brain_pipelines.engine import progress


class Bars:
    """The runs bar above one bar for the stage that is being computed."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._overall = bars.add_task("waiting", total=None)
        self._stage: TaskID | None = None
        self._key = ("", "", "")

    def total(self, description: str, total: int) -> None:
        """Set what the overall bar counts."""
        self._bars.update(self._overall, description=description, total=total, completed=0)

    def advance(self, count: int = 1) -> None:
        self._bars.advance(self._overall, count)

    def step(self, step: progress.Step) -> None:
        """Show a step of a stage; a new stage takes over the line of the one before."""
        if step.unit == "stages":
            self.advance()
            return
        key = (step.user, step.source, step.stage)
        if key != self._key:
            if self._stage is not None:
                self._bars.remove_task(self._stage)
            self._stage = self._bars.add_task(f"  {step.user} · {step.source}/{step.stage}", total=step.total)
            self._key = key
        if self._stage is not None:
            self._bars.update(self._stage, completed=step.done, total=step.total)


@contextmanager
def progress_bars(console: Console) -> Iterator[Bars]:
    """Draw bars on `console` (standard error) while the block runs; nothing where it is quiet or no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as display:
        bars = Bars(display)
        with progress.listening(bars.step):
            yield bars


COLOURS = {"rejected": "red", "failed": "red", "repaired": "yellow"}


def print_quarantine(rows: Sequence[dict[str, Any]], console: Console) -> None:
    """Print two lines an item: what it is, and why it is here. Names and reasons may hold anything."""
    for row in rows:
        colour = COLOURS.get(row["kind"], "yellow")
        console.print(f"[{colour}]{row['kind']}[/] {row['day']} {escape(row['uri'])}", soft_wrap=True, highlight=False)
        console.print(f"         {escape(row['reason'])}", soft_wrap=True, highlight=False)
