"""The commands `search`, `context` and `users`. They print what `Brain` returns; nothing is computed here.

Answers go to standard output, warnings and errors to standard error. With --json standard output holds one JSON
document, also when the command fails.
"""

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.errors import BrainError, InvalidQueryError, StoreError, home_error_within
from brain_retrieval.extras import naming_the_extra
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve import complete
from brain_retrieval.serve.hit_print import conclude, print_hits

if TYPE_CHECKING:
    from brain_retrieval.query.explained.connection import Connection
    from brain_retrieval.query.hits import SearchResult
    from brain_retrieval.query.media_question import MediaQuestion
    from brain_retrieval.query.packs.pack import ContextPack
    from brain_retrieval.settings import Settings

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home", envvar="BRAIN_HOME", readable=False, help="Home directory (default: BRAIN_HOME, else data/home)."
    ),
]
UserOption = Annotated[
    str, typer.Option("--user", "-u", autocompletion=complete.users, help="User id: 1–40 of a–z, 0–9 and '-'.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
QueryArgument = Annotated[str, typer.Argument(help="What to look for.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="Limit of the event time (ISO 8601 date or time).")]
KnownAt = Annotated[
    str | None, typer.Option("--known-at", help="Limit of the time of receipt (ISO 8601 date or time).")
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option("--source", "-s", autocompletion=complete.kinds, help="Source type; may be repeated."),
]
PeopleOption = Annotated[list[str] | None, typer.Option("--person", help="Speaker or author; may be repeated.")]
FromOption = Annotated[str | None, typer.Option("--from", help="First event day (YYYY-MM-DD).")]
ToOption = Annotated[str | None, typer.Option("--to", help="Last day of the events.")]
TeamOption = Annotated[
    str | None,
    typer.Option("--team", autocompletion=complete.teams, help="Search a team's space as one of its members."),
]
IncludeOption = Annotated[
    str | None,
    typer.Option("--include", help="Lines beside passages: memories,entities,relationships,notes,cross_references."),
]
RecipeOption = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        "-r",
        autocompletion=complete.recipes,
        help="default, fast, thorough, meetings, evidence or one of brain.toml.",
    ),
]
SHOWN_QUESTION = 300  # characters of what a file was understood as
INTERRUPTED = 130  # exit code of a command that a signal stopped: 128 and the number of SIGINT


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    for command in (search, context, users):
        app.command()(answers_errors(command))


def search(
    user: UserOption,
    query: Annotated[str | None, typer.Argument(help="What to look for; may be left out with a file.")] = None,
    k: Annotated[int | None, typer.Option("--k", "-k", help="How many hits (default: the recipe's, 10).")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    source: SourceOption = None,
    person: PeopleOption = None,
    day_from: FromOption = None,
    day_to: ToOption = None,
    recipe: RecipeOption = None,
    team: TeamOption = None,
    image: Annotated[Path | None, typer.Option("--image", help="Look for what this picture shows.")] = None,
    audio: Annotated[Path | None, typer.Option("--audio", help="Look for what is said in this recording.")] = None,
    include_pending: Annotated[
        bool, typer.Option("--include-pending", help="Also show, marked, what waits for approval or was rejected.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Draw what made up the score of each hit.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search passages; each is shown with its source and score breakdown."""
    options: dict[str, Any] = {"as_of": as_of, "known_at": known_at, "sources": source, "people": person}
    options |= {"recipe": recipe, "day_from": day_from, "day_to": day_to, "include_untrusted": include_pending}
    with _open(home, user, team) as brain:
        asked = _asked(query, image, audio, brain.settings)
        found = brain.search(asked, k, **options)
        path = _connection(brain, found, as_of, known_at) if explain else None
    _stop_if_failed(found)
    if as_json:
        value = _explained_json(found, path) if explain else found.to_json()
        _print_json({"query": asked if isinstance(asked, str) else asked.text, "user": user, **value})
    elif explain:
        from brain_retrieval.serve.explain_print import print_explained, print_read

        output = Console(highlight=False)
        print_read(found, path, output)
        print_explained(found, output)
        conclude(found)
    else:
        print_hits(found)


def _asked(query: str | None, image: Path | None, audio: Path | None, settings: "Settings") -> "str | MediaQuestion":
    """Return the question of the arguments; what a file was understood as is printed on standard error."""
    if (query is not None) + (audio is not None) > 1 or (audio is not None and image is not None):
        raise InvalidQueryError("give a QUERY, --image (with or without a QUERY), or --audio")
    if image is None and audio is None:
        if query is None:
            raise InvalidQueryError("give a QUERY, --image or --audio")
        return query
    from brain_retrieval.query.media_question import audio_question, image_question

    asked = image_question(image, query or "", settings) if image else audio_question(str(audio), settings)
    _errors().print(f"[dim]asked: {escape(asked.text[:SHOWN_QUESTION])}[/]", soft_wrap=True)
    return asked


def context(
    query: QueryArgument,
    user: UserOption,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="Token budget (default: the recipe's, 8000).")
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", "-k", help="How many passages to consider (default: the recipe's, 50).")
    ] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    source: SourceOption = None,
    person: PeopleOption = None,
    day_from: FromOption = None,
    day_to: ToOption = None,
    include: IncludeOption = None,
    recipe: RecipeOption = None,
    team: TeamOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pack the best passages into one cited text for a model, within a token budget."""
    options: dict[str, Any] = {"as_of": as_of, "known_at": known_at, "sources": source, "people": person}
    options |= {"recipe": recipe, "day_from": day_from, "day_to": day_to, "k": k}
    options |= {f"include_{kind}": True for kind in _included(include)}
    with _open(home, user, team) as brain:
        pack = brain.context(query, max_tokens, **options)
    if as_json:
        _print_json({"query": query, "user": user, **pack.to_json()})
    else:
        _print_pack(pack)


def users(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the users of a home."""
    names = Home(_home(home)).users()
    if as_json:
        _print_json({"users": names})
    elif names:
        typer.echo("\n".join(names))
    else:
        _warn([f"no user has anything in {_home(home)} yet; `brain ingest` starts one"])


def answers_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Return `command` with expected errors printed and turned into their exit code; an interrupt into 130."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        try:
            with naming_the_extra():
                command(**arguments)
        except Exception as failure:
            error = failure if isinstance(failure, BrainError) else home_error_within(failure, _home(None))
            if error is None or isinstance(failure, typer.Exit | typer.Abort):
                raise
            if arguments.get("as_json"):
                _print_json({"error": type(error).__name__, "message": str(error)})
            _errors().print(f"[red]error:[/] {escape(str(error))}", soft_wrap=True)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as stop:
            message = str(stop) or "interrupted"
            if arguments.get("as_json"):
                _print_json({"error": "Interrupted", "message": message})
            _errors().print(escape(message), soft_wrap=True, highlight=False)
            raise typer.Exit(INTERRUPTED) from None

    return run


def _included(kinds: str | None) -> list[str]:
    """Return the kinds of lines in a list such as "memories,entities"; "all" for every kind."""
    if not kinds:
        return []
    from brain_retrieval.query.packs.known import SHARES

    asked = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    if unknown := sorted(set(asked) - {*SHARES, "all"}):
        raise InvalidQueryError(f"{', '.join(unknown)}: --include takes {', '.join(SHARES)} or all")
    return list(SHARES) if "all" in asked else asked


def _open(home: Path | None, user: str, team: str | None = None) -> Any:
    from brain_retrieval.brain import Brain

    return Brain.open(_home(home), user=user, team=team)


def _home(path: Path | None) -> Path:
    return (path or default_home()).expanduser().resolve()


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _stop_if_failed(found: "SearchResult") -> None:
    """Raise what kept a search from looking: "no hits" would say that there is nothing."""
    if found.failure and not found.held:
        _warn(warning for warning in found.warnings if warning not in found.failure)
        raise StoreError(found.failure)


def _connection(brain: Any, found: "SearchResult", as_of: str | None, known_at: str | None) -> "Connection | None":
    """Return the path between the entities that the question names; a graph that cannot be read is a warning."""
    try:
        return brain.connection(found, as_of=as_of, known_at=known_at)
    except StoreError as error:
        found.warnings.append(f"no path was looked for: {error}")
        return None


def _explained_json(found: "SearchResult", path: "Connection | None") -> dict[str, Any]:
    from brain_retrieval.query.explain import contributions
    from brain_retrieval.query.explained.read_as import as_json

    value = found.to_json()
    for hit, shown in zip(found, value["hits"], strict=True):
        shown["contributions"] = [part.to_json() for part in contributions(hit.why_ranked)]
    question = None if found.question is None else as_json(found.question)
    return {**value, "question": question, "path": None if path is None else path.to_json()}


def _print_pack(pack: "ContextPack") -> None:
    if pack.text:
        typer.echo(pack.text)
    left_out = f", {len(pack.dropped)} left out" if pack.dropped else ""
    known = f", {len(pack.known)} lines" if pack.known else ""
    _errors().print(
        f"[dim]{len(pack.items)} passages{known}, {pack.total_tokens} of {pack.max_tokens} tokens{left_out}[/]"
    )
    _warn(pack.warnings)


def _warn(warnings: Any) -> None:
    for warning in warnings:
        _errors().print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)


def _errors() -> Console:
    return Console(stderr=True, highlight=False)
