"""Console output of the command line: progress bars fed by `engine/progress.py`, what was refused and what is held."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from brain_pipelines.engine import progress

if TYPE_CHECKING:  # every command imports this, and few draw bars
    from rich.progress import Progress, TaskID


class Bars:
    """A bar for the runs, above a bar for the stage being computed."""

    def __init__(self, bars: "Progress") -> None:
        self._bars = bars
        self._overall = bars.add_task("waiting", total=None)
        self._stage: TaskID | None = None
        self._key = ("", "", "")

    def total(self, description: str, total: int) -> None:
        """Set the description and total of the overall bar."""
        self._bars.update(self._overall, description=description, total=total, completed=0)

    def advance(self, count: int = 1) -> None:
        self._bars.advance(self._overall, count)

    def step(self, step: progress.Step) -> None:
        """Show a step of a stage; a new stage replaces the bar of the previous one."""
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
    """Draw bars on `console` (standard error) while the block runs; no output if it is quiet or not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as display:
        bars = Bars(display)
        with progress.listening(bars.step):
            yield bars


@contextmanager
def working(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show what is being done and for how long, on standard error, where the amount of work is not known before."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True, quiet=quiet), transient=True) as display:
        display.add_task(escape(what), total=None)
        yield


COLOURS = {"rejected": "red", "failed": "red", "repaired": "yellow"}
WAITING = "waiting"


def held_sentence(counts: Mapping[str, int]) -> str:
    """Return in words how many sources are pending and untrusted."""
    waiting, rejected = counts.get("pending", 0), counts.get("untrusted", 0)
    parts = [f"{waiting:,} {'waits' if waiting == 1 else 'wait'} for approval"] if waiting else []
    parts += [f"{rejected:,} {'is' if rejected == 1 else 'are'} of what you rejected"] if rejected else []
    return f"{', '.join(parts)} (brain trust list)"


def print_quarantine(rows: Sequence[dict[str, Any]], console: Console) -> None:
    """Print two lines per item: what it is and why it was quarantined. Names and reasons are escaped.

    A budget or an endpoint fails for many items alike: those that wait for a model are one line a stage.
    """
    waiting: dict[str, list[str]] = {}
    for row in rows:
        if row["kind"] == WAITING:
            waiting.setdefault(row["stage"], []).append(row["reason"])
    for stage, reasons in waiting.items():
        count = f"{len(reasons):,} {'item' if len(reasons) == 1 else 'items'}"
        text = f"{count} in {stage}: {reasons[0]}"
        console.print(f"[yellow]waiting for a model[/] {escape(text)}", soft_wrap=True, highlight=False)
    for row in rows:
        if row["kind"] == WAITING:
            continue
        colour = COLOURS.get(row["kind"], "yellow")
        console.print(f"[{colour}]{row['kind']}[/] {row['day']} {escape(row['uri'])}", soft_wrap=True, highlight=False)
        console.print(f"         {escape(row['reason'])}", soft_wrap=True, highlight=False)
