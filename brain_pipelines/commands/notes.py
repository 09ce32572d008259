"""The commands `brain note`, `merge` and `unmerge`: command line for the agent memory tools.

They parse arguments and print receipts; `ingest/agent_tools.py` does the work.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_pipelines.commands.policy_options import Ephemeral, KeepForever, Sensitivity, policy_of
from brain_retrieval.errors import BadInputError, InvalidQueryError
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

app = typer.Typer(no_args_is_help=True)


def _answers_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Return `command` with expected errors printed. A refused value is an argument here, so it exits as bad usage."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        try:
            command(**arguments)
        except BadInputError as error:
            error.exit_code = InvalidQueryError.exit_code
            raise

    return answers_errors(run)


LifetimeOption = Annotated[str, typer.Option("--lifetime", "-l", help="week, month, year or forever.")]
Scale = Annotated[int, typer.Option(min=1, max=5)]
NameArgument = Annotated[str, typer.Argument(help="Name or id of an entity.")]
AboutOption = Annotated[str | None, typer.Option("--from-source", help="source_id of the source the note is based on.")]


def register(parent: typer.Typer) -> None:
    """Add the commands to `parent`."""
    parent.add_typer(app, name="note", help="Memory: add and list notes, relationships and entries.")
    for command in (merge, unmerge):
        parent.command()(_answers_errors(command))


@app.command()
@_answers_errors
def add(
    target: NameArgument,
    text: Annotated[str, typer.Argument(help="The note.")],
    user: UserOption,
    entity_class: Annotated[
        str | None,
        typer.Option("--class", "-c", help="person, concept or entity (default: from the snapshot, else guessed)."),
    ] = None,
    lifetime: LifetimeOption = "month",
    about: AboutOption = None,
    keep_forever: KeepForever = None,
    ephemeral: Ephemeral = None,
    sensitivity: Sensitivity = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a note to a person, concept or entity."""
    policy = _policy(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity)
    kind = _class(entity_class)
    receipt = _tools(home, user, about).add_note(target, text, lifetime, entity_class=kind, **policy)
    _conclude(receipt.to_json(), as_json=as_json)


@app.command()
@_answers_errors
def relate(
    left: NameArgument,
    right: NameArgument,
    relationship_type: Annotated[str, typer.Argument(metavar="TYPE", help='What LEFT is to RIGHT: "mentor", "leads".')],
    user: UserOption,
    description: Annotated[
        str, typer.Option("--description", "-d", help="One sentence that describes the relationship.")
    ],
    attitude: Scale = 3,
    proximity: Scale = 3,
    confidence: Annotated[float, typer.Option(min=0, max=1)] = 0.8,
    left_class: Annotated[str | None, typer.Option("--from-class", help="person, concept or entity.")] = None,
    right_class: Annotated[str | None, typer.Option("--to-class", help="person, concept or entity.")] = None,
    property_: Annotated[
        list[str] | None, typer.Option("--property", help="NAME=VALUE, such as role=designer; may be repeated.")
    ] = None,
    about: AboutOption = None,
    keep_forever: KeepForever = None,
    ephemeral: Ephemeral = None,
    sensitivity: Sensitivity = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """State a relationship: LEFT is TYPE to RIGHT. Attitude and proximity range from 1 (lowest) to 5 (highest)."""
    ends = ((left, _class(left_class)), (right, _class(right_class)))
    details = (relationship_type, description, attitude, proximity, confidence)
    more = _policy(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity)
    more |= {"properties": _properties(property_)} if property_ else {}
    receipt = _tools(home, user, about).relate(*ends, *details, **more)
    _conclude(receipt.to_json(), as_json=as_json)


@app.command("about-relationship")
@_answers_errors
def about_relationship(
    left: NameArgument,
    right: NameArgument,
    text: Annotated[str, typer.Argument(help="The note.")],
    user: UserOption,
    lifetime: LifetimeOption = "month",
    about: AboutOption = None,
    keep_forever: KeepForever = None,
    ephemeral: Ephemeral = None,
    sensitivity: Sensitivity = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a note to the relationship between two entities."""
    policy = _policy(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity)
    receipt = _tools(home, user, about).add_note_to_relationship(left, right, text, lifetime, **policy)
    _conclude(receipt.to_json(), as_json=as_json)


@app.command()
@_answers_errors
def store(
    category: Annotated[str, typer.Argument(help="preference, instruction, fact, project, person, decision, insight.")],
    text: Annotated[str, typer.Argument(help="The entry.")],
    user: UserOption,
    context: Annotated[str | None, typer.Option("--context", help="Reason or origin of the entry.")] = None,
    priority: Annotated[str, typer.Option("--priority", "-p", help="critical, high, medium or low.")] = "medium",
    tag: Annotated[list[str] | None, typer.Option("--tag", "-t", help="May be repeated.")] = None,
    related_to: Annotated[list[str] | None, typer.Option("--related-to", help="A name or id; may be repeated.")] = None,
    origin: Annotated[str, typer.Option("--origin", help="session, manual, migration, consolidation.")] = "manual",
    expires: Annotated[str | None, typer.Option("--expires", help="ISO 8601 date or time.")] = None,
    keep_forever: KeepForever = None,
    ephemeral: Ephemeral = None,
    sensitivity: Sensitivity = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store an entry, unless memory already holds an equivalent one."""
    policy = _policy(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity)
    stored = _tools(home, user).memory_store(
        category, text, context, priority, tag or (), related_to or (), origin, expires, **policy
    )
    _conclude(stored, as_json=as_json)


@app.command("list")
@_answers_errors
def list_(
    user: UserOption,
    name: Annotated[str | None, typer.Argument(help="Only notes about this name.")] = None,
    expired: Annotated[bool, typer.Option("--expired", help="Include expired notes.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what was written into memory, newest first."""
    from brain_pipelines.ingest.note_list import list_notes

    rows = list_notes(_home(home).existing_space(user), name, expired=expired, now=datetime.now(UTC))
    if as_json:
        _print_json(rows)
    else:
        _print_rows(rows)


def merge(
    left: NameArgument, right: NameArgument, user: UserOption, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Declare two names to be the same entity; takes effect with the next snapshot."""
    _home(home).existing_space(user)
    _conclude(_tools(home, user).merge(left, right).to_json(), as_json=as_json)


def unmerge(
    left: NameArgument, right: NameArgument, user: UserOption, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Declare two names to be different entities. Overrides every matching rule from the next snapshot on."""
    _home(home).existing_space(user)
    _conclude(_tools(home, user).unmerge(left, right).to_json(), as_json=as_json)


def _tools(home: Path | None, user: str, source: str | None = None) -> Any:
    from brain_pipelines.ingest.agent_tools import AgentTools

    return AgentTools(_home(home), user, source_entity_key=source)


def _home(path: Path | None) -> Home:
    return Home((path or default_home()).expanduser().resolve())


def _policy(*, keep_forever: bool | None, ephemeral: bool | None, sensitivity: str | None) -> Any:
    stated = policy_of(keep_forever=keep_forever, ephemeral=ephemeral, sensitivity=sensitivity)
    return {"retention": stated.ttl_policy, "sensitivity": stated.sensitivity}


def _properties(pairs: Sequence[str]) -> dict[str, str]:
    """Return NAME=VALUE pairs as a mapping."""
    if wrong := [pair for pair in pairs if not all(part.strip() for part in pair.partition("="))]:
        raise typer.BadParameter(f"{wrong[0]!r} is not NAME=VALUE", param_hint="--property")
    return {name.strip(): value.strip() for name, _, value in (pair.partition("=") for pair in pairs)}


def _class(name: str | None) -> str | None:
    return name.capitalize() if name else None


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _conclude(receipt: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the receipt of a write; exit with 1 if it is stored but not searchable yet."""
    if as_json:
        _print_json(receipt)
    else:
        Console(highlight=False).print(_sentence(receipt), soft_wrap=True)
    for warning in receipt.get("warnings", ()):
        Console(stderr=True, highlight=False).print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)
    if not receipt["visible"]:
        raise typer.Exit(1)


def _sentence(receipt: Mapping[str, Any]) -> str:
    if not receipt["visible"]:
        return f"[red]kept, but not searchable yet:[/] {escape(receipt.get('error') or 'brain status says why')}"
    there = receipt.get("unchanged") or receipt.get("deduplicated")
    until = f", until {receipt['expires_at'][:10]}" if receipt.get("expires_at") else ""
    kind = f" ({' → '.join(receipt['entities'])}: {receipt['kind']})" if receipt.get("kind") else ""
    return escape(f"{'already there' if there else 'stored'}: {receipt['uri']}{kind}{until}")


def _print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    output = Console(highlight=False)
    for row in rows:
        gone = " [red]expired[/]" if row["expired"] else ""
        until = f" until {row['expires_at'][:10]}" if row["expires_at"] else ""
        lines = [f"[bold]{escape(row['title'])}[/] [dim]{row['at'][:10]}{until}[/]{gone}"]
        if (text := row.get("content") or row.get("description")) and text != row["title"]:
            lines.append(f"  {escape(' '.join(text.split()))}")
        output.print("\n".join(lines), soft_wrap=True)
    if not rows:
        output.print("nothing")
