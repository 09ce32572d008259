"""Printing of hits for `brain search`: place, text, what ended, and in one line why it is there."""

from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from brain_retrieval.query.held_hit import HeldHit
    from brain_retrieval.query.hits import Hit, SearchResult
    from brain_retrieval.query.superseded import SupersededBy

NAMED_GROUPS = 2  # groups of features named in the line, those that changed the score the most
LIKELY = 0.5  # chance from which a passage that is no hit was left out for what it does not state
UNLIKELY = 0.02  # chance of the best hit below which all of them are said to be probably no answer
SHOWN_NEAREST = 100  # characters of the nearest miss


def print_hits(found: "SearchResult") -> None:
    """Show each hit: rank, score, day, citation, text, and the scores that ranked it."""
    output = Console(highlight=False)
    for hit in found:
        output.print(_heading(hit), soft_wrap=True)
        output.print(escape(_body(hit)), soft_wrap=True)
        if hit.temporal_context.superseded_by is not None:
            output.print(f"    [yellow]{escape(_ended(hit.temporal_context.superseded_by))}[/]", soft_wrap=True)
        output.print(f"    [dim]why: {escape(' · '.join(reasons(hit)))}[/]\n", soft_wrap=True)
    conclude(found)


def conclude(found: "SearchResult") -> None:
    """Say that there is no hit or only unlikely ones, and which passage was the nearest; warnings on standard error."""
    errors = Console(stderr=True, highlight=False)
    if not found:
        typer.echo("no hits")
    elif (best := max(hit.score for hit in found)) < UNLIKELY:
        errors.print(f"[dim]probably none of these is an answer: {best:.1%} for the likeliest[/]", soft_wrap=True)
    for held in found.held or ():
        print_held(held)
    if (miss := found.nearest) is not None:
        text = " ".join(miss.text.split())
        short = text if len(text) <= SHOWN_NEAREST else text[:SHOWN_NEAREST].rstrip() + "…"
        line = f"the nearest, {of_nearest(miss.score)}: {short} · {_cited(miss)}"
        errors.print(f"[dim]{escape(line)}[/]", soft_wrap=True)
    for warning in found.warnings:
        errors.print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)


def of_nearest(chance: float) -> str:
    """Return what to say of the nearest passage where nothing is found: its chance, or that it does not state it."""
    return f"probably no answer ({chance:.1%})" if chance < LIKELY else "which does not state it"


def print_held(held: "HeldHit") -> None:
    """Show a passage of a source that is not trusted, marked as such."""
    output = Console(highlight=False)
    place = f"{held.uri} [{held.span[0]}:{held.span[1]}]" + (f" ({held.url})" if held.url else "")
    head = (
        f"[bold yellow]{held.trust}[/] [cyan]{held.score:.3f}[/]  {held.event_at.date().isoformat()}  {escape(place)}"
    )
    output.print(head, soft_wrap=True)
    output.print(escape("\n".join("    " + line for line in held.text.splitlines())), soft_wrap=True)
    output.print(
        f"    [dim]trust: {held.trust}; it is no part of what is known (brain trust status)[/]\n", soft_wrap=True
    )


def reasons(hit: "Hit") -> list[str]:
    """Return what made up the score, in words: each retriever, the formula, the trained part, what moved it up."""
    from brain_retrieval.query.temporal.current_first import CURRENT

    why = hit.why_ranked
    raised, learned = why.boosts.get(CURRENT, 0.0), sum(why.learned.values())
    moved = [f"raised {raised:+.3f}, as it says what holds now"] if CURRENT in why.boosts else []
    if not why.arms:
        return ["no retriever found it", *moved]
    arms = [f"{name} {arm.score:.3f} ({f'#{arm.rank}' if arm.rank else '–'})" for name, arm in why.arms.items()]
    boosts = [f"{name.replace('_', ' ')} {value:+.2f}" for name, value in why.boosts.items() if name != CURRENT]
    parts = [*arms, _with("formula", f"{why.final - learned - raised:.3f}", boosts)]
    if why.learned:
        most = sorted(why.learned.items(), key=lambda part: (-abs(part[1]), part[0]))[:NAMED_GROUPS]
        parts.append(_with("learned", f"{learned:+.3f}", [f"{name} {value:+.2f}" for name, value in most]))
    return [*parts, *moved]


def _with(name: str, value: str, details: list[str]) -> str:
    return f"{name} {value}" + (f" ({', '.join(details)})" if details else "")


def _heading(hit: "Hit") -> str:
    when = (hit.source_ref.time or hit.temporal_context.event_at).date().isoformat()
    return f"[bold]{hit.rank}.[/] [cyan]{hit.score:.3f}[/]  {when}  {escape(_cited(hit))}"


def _cited(hit: "Hit") -> str:
    ref = hit.source_ref
    place = ", ".join(part for part in (ref.place, ref.url) if part)
    return f"{ref.uri} [{ref.span[0]}:{ref.span[1]}]" + (f" ({place})" if place else "")


def _body(hit: "Hit") -> str:
    return "\n".join("    " + line for line in hit.text.strip().splitlines())


def _ended(newer: "SupersededBy") -> str:
    ref = newer.source_ref
    perhaps = "" if newer.sure else "perhaps "
    since = f"since {newer.effective_from.date().isoformat()}: {newer.text}"
    return f"{perhaps}no longer: {newer.ended_text} · {since} · {ref.uri} [{ref.span[0]}:{ref.span[1]}]"
