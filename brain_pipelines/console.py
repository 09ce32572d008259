"""Progress bars of the command line: one line a stage and source, fed by `progress.py`."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from brain_pipelines import progress


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
