"""`make demo`: ingest the samples of two users through Dagster, build a snapshot for each, then ask some questions.

It calls the same functions as `brain ingest`, `nightly`, `search` and `entity`; it has no code path of its own.
"""

import time
from functools import partial
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands.consolidate import print_snapshot, run_snapshot
from brain_pipelines.ingest.console import progress_bars
from brain_pipelines.ingest.files import ingest
from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.brain import Brain
from brain_retrieval.home import Home, checkout, default_home
from brain_retrieval.serve.cli import INTERRUPTED
from brain_retrieval.serve.hit_print import print_hits
from brain_retrieval.serve.knowledge_cli import print_entity

QUESTIONS = (
    ("alice", "Who leads the UI redesign, and what does it depend on?"),
    ("alice", "When is the launch of the new UI?"),
    ("alice", "How fast is the table now, and what happens to the settings page?"),  # said in a recorded meeting
    ("alice", "Who approved the usability lab, and for how much?"),  # in a thread of mails
    ("alice", "Which seat is on the train ticket?"),  # a picture
    ("bob", "What did we decide about the component library?"),
)

OWNERS = """# Names and addresses that mean the owner of each user's memory. docs/knowledge.md
[owners.alice]
name = "Alice Chen"

[owners.bob]
name = "Bob Smith"
"""


def run_demo(home: Home, samples: Path, console: Console) -> bool:
    """Ingest every sample and answer the questions; return whether all runs succeeded and all questions had hits."""
    began = time.perf_counter()
    write_owner_settings(home)
    good = True
    folders = sorted(p for p in samples.glob("*/*") if p.is_dir())  # <user>/<source type>
    for user, members in groupby(folders, key=lambda folder: folder.parent):
        with progress_bars(console) as bars:
            report = ingest(home, user=user.name, paths=list(members), choose=partial(_source_of, user), bars=bars)
        report.print(console)
        good = good and report.success
    console.print(f"materialised in {time.perf_counter() - began:.1f} s\n")
    for user in sorted({user for user, _ in QUESTIONS}):
        report = run_snapshot(home, user, console=console)
        print_snapshot(report, console)
        good = good and report["success"]
    console.print()
    for user, question in QUESTIONS:
        good = show_answers(home, user, question, console) and good
    return good and show_entity(home, "alice", "Priya", console)


def _source_of(folder: Path, file: Path) -> str:
    return file.relative_to(folder).parts[0]


def write_owner_settings(home: Home) -> None:
    """Write `brain.toml` with the users' names if the home has none, so that "I" in a note resolves to a name."""
    path = home.path / "brain.toml"
    if not path.exists():
        home.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(OWNERS)


def show_entity(home: Home, user: str, name: str, console: Console) -> bool:
    """Print the entity card of a name in the newest snapshot; return whether it has facts."""
    console.rule(f"[bold]{user}[/]: who is {name}?", align="left")
    with Brain.open(home.path, user=user) as brain:
        card = brain.knowledge().entity(name)
    print_entity(card)
    return bool(card.facts)


def show_answers(home: Home, user: str, question: str, console: Console) -> bool:
    """Search for one question and print the hits with location and score explanation; return whether any exist."""
    console.rule(f"[bold]{user}[/]: {question}", align="left")
    with Brain.open(home.path, user=user) as brain:
        hits = brain.search(question, k=3)
    print_hits(hits)
    return bool(hits)


def _samples() -> Path:
    root = checkout()
    if root is None:
        raise SystemExit("the demo needs the samples of the source checkout; an installed package has none")
    return root / "data" / "samples"


@handles_sigterm
def main() -> None:
    """Run the demo over the default home."""
    console = Console()
    home = Home(default_home())
    try:
        good = run_demo(home, _samples(), console)
    except KeyboardInterrupt as stop:
        Console(stderr=True).print(escape(str(stop) or "interrupted"), soft_wrap=True, highlight=False)
        raise SystemExit(INTERRUPTED) from None
    if not good:
        raise SystemExit(1)
    console.print("Next: [bold]make dev[/] opens the asset graph; [bold].venv/bin/brain search … --user alice[/] asks.")


if __name__ == "__main__":
    main()
