"""The command `source`: prints the metadata of one source, as returned by `Brain.source`."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from brain_retrieval.home import default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

if TYPE_CHECKING:
    from brain_retrieval.query.source_card import SourceCard


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(source))


def source(
    id_or_uri: Annotated[str, typer.Argument(help="source_id or uri, as `brain search` prints them.")],
    user: UserOption,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one source: title, summary, keywords, tags, bucket, attributes, parent and children."""
    from brain_retrieval.brain import Brain

    with Brain.open((home or default_home()).expanduser().resolve(), user=user) as brain:
        card = brain.source(id_or_uri)
    if as_json:
        typer.echo(json.dumps({"user": user, **card.to_json()}, ensure_ascii=False, indent=2))
    else:
        _print(card)


def _recorded(card: "SourceCard") -> dict[str, str]:
    """Return what is known of a source beside its text and its enrichment."""
    names = ", ".join(entity["name"] for entity in card.entities)
    ended, context = card.ended_at or "", card.context_type or ""
    return {"context": context, "ended": ended, "origin": _origin(card.provenance), "names": names}


def _origin(provenance: dict[str, Any]) -> str:
    sure = provenance.get("confidence")
    return f"{provenance['origin']}{f' ({sure:.2f})' if sure is not None else ''}" if provenance.get("origin") else ""


def _print(card: "SourceCard") -> None:
    output = Console(highlight=False)
    output.print(f"[bold]{escape(card.title)}[/]  {escape(card.uri)}", soft_wrap=True)
    confidence = f" ({card.bucket_confidence:.2f})" if card.bucket_confidence is not None else ""
    facts = {
        "when": f"{card.event_at.isoformat(timespec='minutes')}, received {card.received_at.date().isoformat()}",
        "what": f"{card.source}, {card.format}, {card.characters} characters, {card.language or 'language unknown'}",
        "summary": card.summary,
        "keywords": ", ".join(card.keywords),
        "tags": ", ".join(card.tags),
        "bucket": f"{card.bucket}{confidence}" if card.bucket else "",
        **_recorded(card),
        "people": ", ".join(card.participants or card.authors),
        "address": card.url or "",
        "kept": "" if card.ttl_policy == "decay" else card.ttl_policy,
        "sensitivity": "" if card.sensitivity == "normal" else card.sensitivity,
        "inside": card.parent.uri if card.parent else "",
        "holds": ", ".join(child.uri for child in card.children),
        **{key: json.dumps(value, ensure_ascii=False) for key, value in card.attributes.items()},
    }
    for name, value in facts.items():
        if value:
            output.print(f"  [dim]{escape(name)}:[/] {escape(value)}", soft_wrap=True)
