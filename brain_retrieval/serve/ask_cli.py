"""The command `ask`. It prints what `Brain.ask` returns."""

import json
from typing import Annotated

import typer

from brain_retrieval.home import default_home
from brain_retrieval.query.ask import SHOWN
from brain_retrieval.serve.cli import AsOf, HomeOption, JsonOption, KnownAt, TeamOption, UserOption, answers_errors


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(ask))


def ask(
    question: Annotated[str, typer.Argument(help="A question, a name or a topic.")],
    user: UserOption,
    k: Annotated[int, typer.Option("--k", "-k", min=1, max=50, help="Most passages shown.")] = SHOWN,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    write: Annotated[
        bool, typer.Option("--write/--no-write", help="Let the configured chat model write an answer (default: yes).")
    ] = True,
    team: TeamOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question: what holds, what has ended, the passages that say so, and the storyline they are part of."""
    from brain_retrieval.brain import Brain
    from brain_retrieval.serve.ask_print import print_asked, print_problems

    with Brain.open((home or default_home()).expanduser().resolve(), user=user, team=team) as brain:
        asked = brain.ask(question, as_of=as_of, known_at=known_at, k=k, write=write)
    if as_json:
        typer.echo(json.dumps({"user": user, **asked.to_json()}, ensure_ascii=False, indent=2))
        return
    print_asked(asked)
    print_problems(asked)
