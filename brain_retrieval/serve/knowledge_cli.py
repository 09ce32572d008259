"""The commands `entity`, `facts` and `storylines`. They print what `Knowledge` returns; nothing is computed here."""

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.home import default_home
from brain_retrieval.knowledge.cards import EntityCard, FactCard, StorylineCard
from brain_retrieval.serve.cli import AsOf, HomeOption, JsonOption, UserOption, answers_errors

KnownAt = Annotated[str | None, typer.Option("--known-at", help="Facts as known at this ISO 8601 date or time.")]
SHOWN_FACTS = 15
MOST_QUOTED = 160


def register(app: typer.Typer) -> None:
    """Add the commands to `app`."""
    for command in (entity, facts, storylines):
        app.command()(answers_errors(command))


def entity(
    name: Annotated[str, typer.Argument(help="A name, an alias or an id.")],
    user: UserOption,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a person, concept or thing: facts, notes, storylines, and the sources that mention it."""
    with _open(home, user) as brain:
        card = brain.knowledge(known_at=known_at).entity(name, as_of=as_of)
    if as_json:
        _print_json({"user": user, **card.to_json()})
    else:
        print_entity(card)


def facts(
    user: UserOption,
    about: Annotated[str | None, typer.Option("--about", help="A name or an id, on either side of the fact.")] = None,
    predicate: Annotated[str | None, typer.Option("--predicate", help="As facts show it, e.g. live_in.")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Facts that held then (ISO 8601 date or time).")] = None,
    known_at: KnownAt = None,
    history: Annotated[bool, typer.Option("--history", help="Include superseded and ended facts.")] = False,
    drift: Annotated[bool, typer.Option("--drift", help="Changes of preferences, rules and policies.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number of facts.")] = 50,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List facts with their validity, confidence and the passages that state them."""
    if drift and about is None:
        raise typer.BadParameter("needs --about NAME", param_hint="--drift")
    with _open(home, user) as brain:
        known = brain.knowledge(known_at=known_at)
        if drift and about is not None:
            found = [fact for chain in known.drift(about).values() for fact in chain]
        else:
            found = known.facts(about, predicate=predicate, as_of=as_of, history=history, limit=limit)
    if as_json:
        _print_json({"user": user, "about": about, "facts": [fact.to_json() for fact in found]})
        return
    output = Console(highlight=False)
    _print_facts(output, found)
    if not found:
        output.print("no facts")


def storylines(
    user: UserOption,
    about: Annotated[str | None, typer.Option("--about", help="A name or an id.")] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only open storylines.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List macros and storylines with their sources."""
    with _open(home, user) as brain:
        found = brain.knowledge().storylines(about, open_only=open_only)
    if as_json:
        _print_json({"user": user, "about": about, "storylines": [card.to_json() for card in found]})
        return
    output = Console(highlight=False)
    for card in found:
        _print_storyline(output, card)
    if not found:
        output.print("no storylines yet: one takes 5 sources on 3 days about the same thing, over more than 3 days")


def _open(home: Path | None, user: str) -> Any:
    from brain_retrieval.brain import Brain

    return Brain.open((home or default_home()).expanduser().resolve(), user=user)


def print_entity(card: EntityCard) -> None:
    """Show an entity: names, counts, strength, facts with their evidence, notes, storylines, sources."""
    output = Console(highlight=False)
    owner = " · you" if card.is_owner else ""
    kind = card.entity_class if card.entity_class == card.type else f"{card.entity_class}, {card.type}"
    output.print(f"[bold]{escape(card.name)}[/]  {escape(kind)}{owner}  [dim]{card.entity_id}[/]", soft_wrap=True)
    rows = {
        "also": ", ".join(card.aliases),
        "what": card.description,
        "mentioned": f"{card.mention_count} times in {card.source_count} sources on {card.distinct_source_days} days, "
        f"{_day(card.first_mentioned_at)} to {_day(card.last_mentioned_at)}",
        "memory": f"{card.state}, salience {card.salience:.2f}, recalled {card.access_count} times",
        "could also be": ", ".join(card.similar),
    }
    for name, value in rows.items():
        if value:
            output.print(f"  [dim]{name}:[/] {escape(value)}", soft_wrap=True)
    _print_facts(output, card.facts[:SHOWN_FACTS])
    if len(card.facts) > SHOWN_FACTS:
        output.print(f"[dim]and {len(card.facts) - SHOWN_FACTS} more: brain facts --about …[/]")
    for note in card.notes:
        about = f" (and {note.about})" if note.about else ""
        until = f", until {_day(note.expires_at)}" if note.expires_at else ""
        output.print(
            f"  [dim]note:[/] {escape(note.content)}{escape(about)}  [dim]{_day(note.date_added)}{until}[/]",
            soft_wrap=True,
        )
    for storyline in card.storylines:
        _print_storyline(output, storyline, sources=False)
    for source in card.sources:
        output.print(f"  [dim]in:[/] {_day(source.event_at)}  {escape(source.uri)}", soft_wrap=True)
    for merge in card.merges[:10]:
        output.print(f"  [dim]name:[/] {escape(merge)}", soft_wrap=True)


def _print_facts(output: Console, found: Iterable[FactCard]) -> None:
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


def _words(fact: FactCard) -> str:
    hedged = f" ({fact.modality})" if fact.modality != "asserted" else ""
    return fact.sentence + hedged


def _period(fact: FactCard) -> str:
    return f"{_day(fact.valid_from)} – {_day(fact.valid_to) if fact.valid_to else 'now'}"


def _print_storyline(output: Console, card: StorylineCard, *, sources: bool = True) -> None:
    state = "goes on" if card.open else "ended"
    output.print(
        f"[bold]{escape(card.name)}[/]  {_day(card.started_at)} – {_day(card.last_event_at)}, {state}, "
        f"{card.source_count} sources, {card.state}, salience {card.salience:.2f}",
        soft_wrap=True,
    )
    if card.description:
        output.print(f"  {escape(card.description)}", soft_wrap=True)
    for cited in card.citations:
        output.print(f"    [dim]{escape(cited.uri)} {escape(f'[{cited.span[0]}:{cited.span[1]}]')}[/]", soft_wrap=True)
    for source in card.sources if sources else ():
        output.print(f"    {_day(source.event_at)}  {escape(source.uri)}", soft_wrap=True)


def _day(moment: datetime) -> str:
    return moment.date().isoformat()


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
