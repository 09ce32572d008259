"""The commands `entity`, `entities`, `facts`, `relations` and `storylines`. They print what `Knowledge` returns."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_retrieval.home import default_home
from brain_retrieval.knowledge.memories import SHOWN
from brain_retrieval.serve.cli import AsOf, HomeOption, JsonOption, UserOption, answers_errors
from brain_retrieval.serve.memory_print import (
    NOTHING,
    NOTHING_FIRST,
    print_memories,
    print_provenance,
    print_sections,
)
from brain_retrieval.serve.times_print import day

if TYPE_CHECKING:
    from brain_retrieval.knowledge.cards import EntityCard, FactCard, StorylineCard
    from brain_retrieval.knowledge.lookup import EntityLine

KnownAt = Annotated[str | None, typer.Option("--known-at", help="As known at this ISO 8601 date or time.")]
MOST_QUOTED = 160
FEW = 10  # memories, so that who expected more is shown the way to them
MORE = "These stand out. More: --about NAME shows what is known of something, --all every statement."
MOST_ALIASES = 3
MOST_ENTITIES = 50
PART_LABELS = {"beginning": "began", "turn": "then", "now": "now"}


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    for command in (entity, entities, facts, relations, storylines):
        app.command()(answers_errors(command))


def entity(
    name: Annotated[str, typer.Argument(help="A name, an alias or an id.")],
    user: UserOption,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a person or thing: who it is, what holds, what changed, plans, notes, storylines and sources."""
    with _open(home, user) as brain:
        card = brain.knowledge(known_at=known_at).entity(name, as_of=as_of)
    if as_json:
        _print_json({"user": user, **card.to_json()})
    else:
        print_entity(card)


def entities(
    user: UserOption,
    kind: Annotated[str | None, typer.Option("--type", help="Only this type: Person, Location, …")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number shown.")] = MOST_ENTITIES,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List people, places and things, those of the most sources first, with type and when they were last mentioned."""
    from brain_retrieval.knowledge.lookup import entity_list

    with _open(home, user) as brain:
        known = brain.knowledge()
        found, total = entity_list(known.table("known_entities"), known.table("salience"), kind, limit)
    if as_json:
        _print_json({"user": user, "total": total, "entities": [line.to_json() for line in found]})
        return
    _print_entities(Console(highlight=False), found)
    if total > len(found):
        typer.echo(f"{len(found)} of {total}; --limit {total} shows all, --type Person only people")
    elif not found:
        typer.echo("no entities")


def _print_entities(output: Console, found: "Iterable[EntityLine]") -> None:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("name", "type", "sources", "last", "also"):
        table.add_column(heading, justify="right" if heading == "sources" else "left")
    for line in found:
        name = f"{line.name} · you" if line.is_owner else line.name
        also = ", ".join(line.aliases[:MOST_ALIASES])
        table.add_row(escape(name), line.type, str(line.source_count), day(line.last_mentioned_at), escape(also))
    if table.row_count:
        output.print(table)


def facts(
    user: UserOption,
    about: Annotated[str | None, typer.Option("--about", help="A name, an id, or words: “launch date”.")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="What held then (ISO 8601 date or time).")] = None,
    known_at: KnownAt = None,
    every: Annotated[bool, typer.Option("--all", help="All memories in order of time, also unlikely ones.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number shown.")] = SHOWN,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is known, as sentences: what holds first, then what has ended, each with its source."""
    with _open(home, user) as brain:
        if every or not (about or "").strip():
            found = brain.knowledge(known_at=known_at).memories(about, as_of=as_of, every=every, limit=limit)
        else:
            found = brain.facts(about, as_of=as_of, known_at=known_at, limit=limit)
    if as_json:
        _print_json({"user": user, "about": about, "memories": [card.to_json() for card in found]})
    else:
        print_memories(found, NOTHING if about or every else NOTHING_FIRST)
        if 0 < len(found) < FEW and not (about or every):
            typer.echo(MORE)


def relations(
    user: UserOption,
    about: Annotated[str | None, typer.Option("--about", help="A name or an id, on either side.")] = None,
    predicate: Annotated[str | None, typer.Option("--predicate", help="As relations show it, e.g. live_in.")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Relations that held then (ISO 8601).")] = None,
    known_at: KnownAt = None,
    history: Annotated[bool, typer.Option("--history", help="Include superseded and ended relations.")] = False,
    drift: Annotated[bool, typer.Option("--drift", help="Changes of preferences, rules and policies.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number shown.")] = 50,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the relations of the graph (subject, predicate, object) with their validity and evidence."""
    if drift and about is None:
        raise typer.BadParameter("needs --about NAME", param_hint="--drift")
    with _open(home, user) as brain:
        known = brain.knowledge(known_at=known_at)
        if drift and about is not None:
            found = [fact for chain in known.drift(about).values() for fact in chain]
        else:
            found = known.facts(about, predicate=predicate, as_of=as_of, history=history, limit=limit)
    if as_json:
        _print_json({"user": user, "about": about, "relations": [fact.to_json() for fact in found]})
        return
    output = Console(highlight=False)
    _print_facts(output, found)
    if not found:
        output.print("no relations")


def storylines(
    user: UserOption,
    about: Annotated[str | None, typer.Option("--about", help="A name or an id.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only open storylines.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Also those of what is of high sensitivity.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List macros and storylines with their sources."""
    from brain_retrieval.knowledge.stories.closed import without_closed

    with _open(home, user) as brain:
        known = brain.knowledge()
        found = known.storylines(about, open_only=open_only)
        if about is None and not every:
            found = without_closed(known, found)
    if as_json:
        _print_json({"user": user, "about": about, "storylines": [card.to_json() for card in found]})
        return
    output = Console(highlight=False)
    for card in found:
        _print_storyline(output, card)
    if not found:
        output.print("no storylines yet: one takes 5 sources of 3 days that tell of the same thing, and a night")


def _open(home: Path | None, user: str) -> Any:
    from brain_retrieval.brain import Brain

    return Brain.open((home or default_home()).expanduser().resolve(), user=user)


def print_entity(card: "EntityCard") -> None:
    """Show an entity: who it is, its memories by section, notes, storylines, sources and names."""
    output = Console(highlight=False)
    owner = " · you" if card.is_owner else ""
    kind = card.entity_class if card.entity_class == card.type else f"{card.entity_class}, {card.type}"
    output.print(f"[bold]{escape(card.name)}[/]  {escape(kind)}{owner}  [dim]{card.entity_id}[/]", soft_wrap=True)
    print_sections(output, card)
    for note in card.notes:
        about = f" (and {note.about})" if note.about else ""
        until = f", until {day(note.expires_at)}" if note.expires_at else ""
        output.print(
            f"  [dim]note:[/] {escape(note.content)}{escape(about)}  [dim]{day(note.date_added)}{until}[/]",
            soft_wrap=True,
        )
    for storyline in card.storylines:
        _print_storyline(output, storyline, sources=False)
    print_provenance(output, card)


def _print_facts(output: Console, found: "Iterable[FactCard]") -> None:
    for fact in found:
        status = "" if fact.status == "current" else f", {fact.status}"
        count = f"{fact.source_count} source{'' if fact.source_count == 1 else 's'}"
        sure = f"[dim]{fact.confidence:.2f}, {count}[/]"
        output.print(f"[bold]{escape(_words(fact))}[/]  {_period(fact)}[yellow]{status}[/]  {sure}", soft_wrap=True)
        for stated in fact.evidence[:1]:
            place = f"{stated.uri} [{stated.span[0]}:{stated.span[1]}]"
            output.print(f"    “{escape(_short(stated.quote))}”  [dim]{escape(place)}[/]", soft_wrap=True)


def _short(quote: str) -> str:
    words = " ".join(quote.split())
    return words if len(words) <= MOST_QUOTED else words[: MOST_QUOTED - 1] + "…"


def _words(fact: "FactCard") -> str:
    hedged = f" ({fact.modality})" if fact.modality != "asserted" else ""
    more = "; ".join(f"{name}: {value}" for name, value in fact.properties.items())
    return fact.sentence + hedged + (f" · {more}" if more else "")


def _period(fact: "FactCard") -> str:
    return f"{day(fact.valid_from)} – {day(fact.valid_to) if fact.valid_to else 'now'}"


def _print_storyline(output: Console, card: "StorylineCard", *, sources: bool = True) -> None:
    state = "goes on" if card.open else "ended"
    output.print(
        f"[bold]{escape(card.name)}[/]  {day(card.started_at)} – {day(card.last_event_at)}, {state}, "
        f"{card.source_count} sources, {card.state}, salience {card.salience:.2f}",
        soft_wrap=True,
    )
    if card.description and not card.parts:
        output.print(f"  {escape(card.description)}", soft_wrap=True)
    places = [f"{cited.uri} [{cited.span[0]}:{cited.span[1]}]" for cited in card.citations]
    for part, place in zip(card.parts, places, strict=False):
        label = f"{PART_LABELS.get(part.part, part.part):5}"
        output.print(f"  [cyan]{label}[/] {day(part.at)}  {escape(part.text)}  [dim]{escape(place)}[/]", soft_wrap=True)
    for place in () if card.parts else places:
        output.print(f"    [dim]{escape(place)}[/]", soft_wrap=True)
    for source in card.sources if sources else ():
        output.print(f"    {day(source.event_at)}  {escape(source.uri)}", soft_wrap=True)


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
