"""The commands `audit` and `overview`. They print what `Brain.audit` and `Brain.overview` return."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.home import default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.serve.memory_print import print_memory

if TYPE_CHECKING:
    from brain_retrieval.knowledge.memories.audit import Audit, Change
    from brain_retrieval.knowledge.memories.cards import MemoryCard
    from brain_retrieval.query.overview import Overview

_RULES = {
    "value": "states another value",
    "slot": "states another value of the same attribute",
    "opposite": "says the opposite",
    "attitude": "states another attitude",
    "settled": "settles what was open",
    "stated": "names it as what no longer holds",
    "given up": "says that this was left or given up",
    "situation": "speaks of a change of the same situation",
    "change": "speaks of a change",
    "aside": "speaks of a change beside it",
    "answer": "answers the same question",
}
_CUES = {"strong": ", in words of a change", "weak": ", in words that may be of a change"}


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    for command in (audit, overview):
        app.command()(answers_errors(command))


def audit(
    about: Annotated[str, typer.Argument(help="A name, or words: “launch date”.")],
    user: UserOption,
    as_of: Annotated[str | None, typer.Option("--as-of", help="The time asked about (ISO 8601 date or time).")] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="Only what had been received by then.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what held at a time, what was known then, and which statement ended which, with sources."""
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        found = brain.audit(about, at=as_of, known_at=known_at)
    if as_json:
        typer.echo(json.dumps({"user": user, **found.to_json()}, ensure_ascii=False, indent=2))
    else:
        print_audit(found)


def overview(
    user: UserOption,
    question: Annotated[str | None, typer.Argument(help="What it is to be about (default: everything).")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of storylines.")] = 10,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what goes on: what is due soon, habits, and storylines that a question is about, with sources."""
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        found = brain.overview(question, limit=limit)
    if as_json:
        typer.echo(json.dumps({"user": user, **found.to_json()}, ensure_ascii=False, indent=2))
    else:
        print_overview(found)


def print_overview(found: "Overview") -> None:
    """Show what is coming up, the habits, each storyline as a paragraph, then the passages cited."""
    output = Console(highlight=False)
    if found.coming:
        output.print("[bold]Coming up[/]")
        for one, number in found.coming:
            output.print(escape(f"{one.day:%a} {one.day.isoformat()}  {one.card.text} [{number}]"), soft_wrap=True)
        output.print()
    if found.habits:
        output.print("[bold]Habits[/]")
        for one, number in found.habits:
            output.print(escape(f"{one.text} [{number}]"), soft_wrap=True)
        output.print()
    for theme in found.themes:
        output.print(f"{escape(theme.text)}\n", soft_wrap=True)
    for number, (_, uri, span) in enumerate(found.cited, start=1):
        output.print(f"[dim]{escape(f'[{number}] {uri} [{span[0]}:{span[1]}]')}[/]", soft_wrap=True)
    if not found.themes:
        about = "about this" if found.question else "yet"
        output.print(f"no storylines {about}: one takes 5 sources of 3 days that tell of the same thing, and a night")


def print_audit(found: "Audit") -> None:
    """Show the state, what was known then if that differs, and each change with both statements."""
    output = Console(highlight=False)
    day = found.at.date().isoformat()
    output.print(f"[bold]Held on {day}[/]", soft_wrap=True)
    _print_cards(output, found.state)
    if [card.memory_id for card in found.known] != [card.memory_id for card in found.state]:
        output.print(f"[bold]Known on {day}[/], from what had been received by then", soft_wrap=True)
        _print_cards(output, found.known)
    output.print("[bold]Changes[/]")
    for change in found.changes:
        _print_change(output, change)
    if not found.changes:
        output.print("none")


def _print_cards(output: Console, cards: "tuple[MemoryCard, ...]") -> None:
    for card in cards:
        print_memory(output, card)
    if not cards:
        output.print("nothing")


def _print_change(output: Console, change: "Change") -> None:
    sure = "" if change.sure else "[yellow]perhaps:[/] "
    cue = _CUES.get(change.cue, "")
    lines = (
        f"{change.since.date().isoformat()}  {sure}{escape(change.ended.text)}  [dim]{escape(_cited(change.ended))}[/]",
        f"    ended by: {escape(change.by.text)}  [dim]{escape(_cited(change.by))}[/]",
        f"    [dim]it {_RULES[change.rule]}{cue}[/]",
    )
    for line in lines:
        output.print(line, soft_wrap=True)


def _cited(card: "MemoryCard") -> str:
    return f"{card.said_at.date().isoformat()} {card.uri} [{card.span[0]}:{card.span[1]}]"
