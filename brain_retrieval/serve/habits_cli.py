"""The command `habits`. It prints what `Knowledge.habits` returns."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.home import default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

if TYPE_CHECKING:
    from brain_retrieval.knowledge.stories.habit_cards import HabitCard

NEWEST = 3  # times of a habit that are shown
_TITLES = {"stated": "Said to be regular", "rule": "Standing instructions", "procedure": "Procedures"}
_BY_DAYS = "Every week or month"


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(habits))


def habits(
    user: UserOption,
    open_only: Annotated[bool, typer.Option("--open", help="Only what has come back lately.")] = False,
    every_time: Annotated[bool, typer.Option("--all", help="Each time, not only the newest three.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what comes back every week or month, standing instructions and procedures, with where each was said."""
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        found = brain.knowledge().habits(open_only=open_only)
    if as_json:
        listed = [card.to_json() for card in found]
        typer.echo(json.dumps({"user": user, "habits": listed}, ensure_ascii=False, indent=2))
    else:
        print_habits(found, every_time=every_time)


def print_habits(found: "list[HabitCard]", *, every_time: bool = False) -> None:
    """Show habits by kind, each with its steps and the newest sentences it rests on."""
    output = Console(highlight=False)
    for title in (_BY_DAYS, *_TITLES.values()):
        shown = [card for card in found if _TITLES.get(card.kind, _BY_DAYS) == title]
        if shown:
            output.print(f"[bold]{title}[/]")
        for card in shown:
            _print_habit(output, card, len(card.occurrences) if every_time else NEWEST)
    if not found:
        output.print(
            "no habits: one shows when it was written of in five weeks or months and `brain nightly` has run since",
            soft_wrap=True,
        )


def _print_habit(output: Console, card: "HabitCard", most: int) -> None:
    output.print(f"{escape(card.name)}  [dim]{card.extent}[/]", soft_wrap=True)
    for number, step in enumerate(card.steps, start=1):
        output.print(f"    {number}. {escape(step)}", soft_wrap=True)
    for one in card.occurrences[-most:]:
        place = f"{one.uri} [{one.span[0]}:{one.span[1]}]"
        output.print(f"    [dim]{one.at.date()}  “{escape(one.text)}”  {escape(place)}[/]", soft_wrap=True)
