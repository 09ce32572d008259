"""Memories and the sections of an entity's card as lines of text: a sentence, its dates, and where it comes from."""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.control import strip_control_codes
from rich.markup import escape

from brain_retrieval.serve.times_print import began, day

if TYPE_CHECKING:
    from brain_retrieval.knowledge.cards import EntityCard
    from brain_retrieval.knowledge.memories.cards import MemoryCard

MOST_SOURCES, MOST_NAMES = 5, 10
MOST_STYLED = 200  # of more memories the lines are plain: laying out a line in style takes longer than judging it


NOTHING, NOTHING_FIRST = "nothing is known", "nothing stands out; --all lists everything that is known"


def print_memories(cards: Iterable["MemoryCard"], otherwise: str = NOTHING) -> None:
    """Show each memory with its dates, its status unless it holds, what ended it if that is shown, and its source.

    Args:
        cards: the memories, in order.
        otherwise: the line to show if there are none.
    """
    shown = list(cards)
    by_id = {card.memory_id: card for card in shown}
    if len(shown) > MOST_STYLED:
        sys.stdout.write(strip_control_codes("".join(_plain_lines(card, by_id) for card in shown)))
        return
    output = Console(highlight=False)
    for card in shown:
        print_memory(output, card, next((by_id[each] for each in card.ended_by if each in by_id), None))
    if not shown:
        output.print(otherwise)


def print_memory(output: Console, card: "MemoryCard", ended_by: "MemoryCard | None" = None) -> None:
    """Show one memory, what has ended it, and its source."""
    output.print(f"• [bold]{escape(card.text)}[/]  [dim]{_when(card)}[/]{_status(card)}", soft_wrap=True)
    if ended_by is not None:
        output.print(f"    then {day(ended_by.effective_from)}: {escape(ended_by.text)}", soft_wrap=True)
    place = escape(f"[{card.span[0]}:{card.span[1]}]")
    output.print(f"    [dim]{escape(card.uri)} {place}{_others(card)}[/]", soft_wrap=True)


def _plain_lines(card: "MemoryCard", by_id: "Mapping[str, MemoryCard]") -> str:
    """Return the lines of `print_memory` without style."""
    ended_by = next((by_id[each] for each in card.ended_by if each in by_id), None)
    then = f"    then {day(ended_by.effective_from)}: {ended_by.text}\n" if ended_by else ""
    first = f"• {card.text}  {_when(card)}{_status(card, '', '')}\n{then}"
    return f"{first}    {card.uri} [{card.span[0]}:{card.span[1]}]{_others(card)}\n"


def _others(card: "MemoryCard") -> str:
    return f", {card.support} sources" if card.support > 1 else ""


def print_sections(output: Console, card: "EntityCard") -> None:
    """Show who an entity is and its memories: now, lately, plans."""
    found = card.memories
    if found.who is not None:
        output.print(f"  {escape(found.who.text)}", soft_wrap=True)
    elif card.description and not found.current and found.relation is None:
        output.print(f"  {escape(card.description)}", soft_wrap=True)
    if found.relation is not None:
        output.print(f"  {escape(found.relation.text)}", soft_wrap=True)
    also = [name for name in card.aliases if name not in card.probably]
    rows = {
        "also": ", ".join(also),
        "probably also": ", ".join(card.probably),
        "could also be": ", ".join(card.similar),
    }
    for name, value in rows.items():
        if value:
            output.print(f"  [dim]{name}:[/] {escape(value)}", soft_wrap=True)
    for heading, cards in (("Now", found.current), ("Changed lately", found.changes), ("Plans", found.plans)):
        if cards:
            output.print(f"[dim]{heading}[/]")
        for memory in cards:
            print_memory(output, memory)
    if found.ended:
        output.print("[dim]Earlier[/]")
        for memory in found.ended[:2]:
            print_memory(output, memory)
    if found.more:
        output.print(f"[dim]and {found.more} more: brain facts --about {escape(repr(card.name))} --all[/]")


def print_provenance(output: Console, card: "EntityCard") -> None:
    """Show when an entity was in touch and mentioned, its newest sources, and why its names are one."""
    if card.last_contact is not None:
        output.print(f"[dim]Last contact:[/] {day(card.last_contact)}")
    times = f"{card.mention_count} time{'' if card.mention_count == 1 else 's'}"
    days = f"{day(card.first_mentioned_at)} to {day(card.last_mentioned_at)}"
    output.print(f"[dim]Mentioned:[/] {times} in {card.source_count} sources, {days}; salience {card.salience:.2f}")
    for source in card.sources[:MOST_SOURCES]:
        output.print(f"  [dim]in:[/] {day(source.event_at)}  {escape(source.uri)}", soft_wrap=True)
    for merge in card.merges[:MOST_NAMES]:
        output.print(f"  [dim]name:[/] {escape(merge)}", soft_wrap=True)


def _when(card: "MemoryCard") -> str:
    return f"{day(card.effective_from)} to {day(card.valid_to)}" if card.valid_to else began(card)


def _status(card: "MemoryCard", before: str = "[yellow]", after: str = "[/]") -> str:
    hedge = "" if card.modality in ("asserted", card.status) else f" ({card.modality})"
    return hedge if card.status == "current" else f" {before}{card.status}{after}{hedge}"
