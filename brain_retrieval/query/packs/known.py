"""Lines about what is known beside the passages: memories, entities, relationships, notes, cross references.

They are about the entities that the question names and, for entity lines, those that the best passages mention.
Memories are read at once; everything else needs a snapshot.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from brain_retrieval.errors import BrainError
from brain_retrieval.knowledge.cards import EntityCard, FactCard
from brain_retrieval.knowledge.memories.asked.lines import GONE
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.packs.excerpts import Count
from brain_retrieval.query.packs.fence import flat
from brain_retrieval.query.packs.pack import KnownItem

MOST_NAMED = 3  # entities of the question that are looked up
MOST_FOUND = 5  # further entities of the best passages, as entity lines
BEST_HITS = 10
MOST_MEMORIES = 50  # from which those nearest to the question are taken
LINE_CHARS = 300


@dataclass(frozen=True)
class Include:
    """Which kinds of lines a pack has beside its passages, and the share of the budget that each may take."""

    memories: bool = False
    entities: bool = False
    relationships: bool = False
    notes: bool = False
    cross_references: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(kind for kind in SHARES if getattr(self, kind))


SHARES = {"memories": 0.15, "entities": 0.1, "relationships": 0.1, "notes": 0.1, "cross_references": 0.05}


def known_items(
    knowledge: Knowledge, question: Question, hits: Sequence[Hit], include: Include, *, at: datetime | None
) -> dict[str, list[KnownItem]]:
    """Return the lines of each included kind, the most important first; without token counts yet."""
    cards = _cards(knowledge, question, at)
    until = min((limit for limit in (at, knowledge.known_at) if limit), default=None)
    shown = {hit.source_ref.source_id for hit in hits[:BEST_HITS]}
    makers = {
        "memories": lambda: _memories(knowledge, question, at),
        "entities": lambda: _entities(knowledge, cards, shown, timeless=until is None),
        "relationships": lambda: [_fact(fact) for card in cards for fact in card.facts],
        "notes": lambda: [
            KnownItem("note", f"[NOTE] {flat(card.name)}: {flat(note.content, LINE_CHARS)}", 0, note.note_id)
            for card in cards
            for note in card.notes
            if until is None or note.date_added <= until
        ],
        "cross_references": lambda: list(_references(knowledge, cards, shown, at)),
    }
    return {kind: _distinct(makers[kind]()) for kind in include.kinds}


def fit(found: dict[str, list[KnownItem]], budget: int, count: Count) -> tuple[list[KnownItem], list[str]]:
    """Return the lines that fit into their kind's share of `budget`, counted, and the reasons for those left out."""
    kept: list[KnownItem] = []
    dropped: list[str] = []
    for kind, items in found.items():
        left = int(budget * SHARES[kind])
        for item in items:
            tokens = count("\n- " + item.text)
            if tokens > left:
                dropped.append(f"{kind}: {item.id or item.text[:40]} over the share of the budget")
                continue
            left -= tokens
            kept.append(KnownItem(item.kind, item.text, tokens, item.id))
    return kept, dropped


def _cards(knowledge: Knowledge, question: Question, at: datetime | None) -> list[EntityCard]:
    found: dict[str, EntityCard] = {}
    for named in question.entities:
        if len(found) == MOST_NAMED:
            break
        try:
            card = knowledge.entity(named.entity_id if knowledge.day else named.canonical, as_of=at)
        except BrainError:  # a speaker who is no entity, or a name that the snapshot does not have
            continue
        found.setdefault(card.entity_id, card)
    return list(found.values())


def _memories(knowledge: Knowledge, question: Question, at: datetime | None) -> list[KnownItem]:
    """Return memories about the entities named, or about the question's words: current ones first, then by words."""
    names = dict.fromkeys(name.canonical for name in question.entities[:MOST_NAMED]) or {question.text: None}
    wanted = set(content_words(question.text, question.language))
    cards = [card for name in names for card in knowledge.memory_reader.about(name, at=at, limit=MOST_MEMORIES)]
    near = [card for card in cards if card.modality != "question" and wanted & set(content_words(card.text))]
    ordered = sorted(near, key=lambda card: (card.status in GONE, -len(wanted & set(content_words(card.text)))))
    return [KnownItem("memory", memory_line(card), 0, card.memory_id) for card in ordered]


def memory_line(card: MemoryCard) -> str:
    """Return `[MEMORY] 5 Jan 2026: text`, with "(until …)" if it no longer holds."""
    ends = f" (until {day_of(card.valid_to)})" if card.valid_to else ""
    status = f" ({card.status})" if not ends and card.status != "current" else ends
    return f"[MEMORY] {day_of(card.effective_from)}: {flat(card.text, LINE_CHARS)}{status}"


def entity_line(name: str, kind: str, description: str) -> str:
    """Return `[ENTITY: type] name: description`."""
    text = f"[ENTITY: {flat(kind).lower()}] {flat(name)}"
    return f"{text}: {flat(description, LINE_CHARS)}" if description else text


def fact_line(sentence: str, valid_to: datetime | None) -> str:
    ends = f" (until {day_of(valid_to)})" if valid_to else ""
    return f"[RELATION] {flat(sentence, LINE_CHARS)}{ends}"


def day_of(moment: datetime) -> str:
    """Return a day as headings show it: "5 Jan 2026"."""
    return f"{moment.day} {moment:%b} {moment.year}"


def _entities(knowledge: Knowledge, cards: Sequence[EntityCard], shown: set[str], *, timeless: bool) -> list[KnownItem]:
    """Return the entities asked about, then those that most of the best passages' sources mention.

    Descriptions are those of the newest snapshot, so that they are shown only without a limit of time.
    """
    named = [(card.entity_id, card.name, card.type, card.description) for card in cards]
    found = [*named, *_mentioned(knowledge, shown, {card.entity_id for card in cards})]
    return [
        KnownItem("entity", entity_line(name, kind, description if timeless else ""), 0, entity_id)
        for entity_id, name, kind, description in found
    ]


def _fact(fact: FactCard) -> KnownItem:
    return KnownItem("relationship", fact_line(fact.sentence, fact.valid_to), 0, fact.fact_id)


def _mentioned(knowledge: Knowledge, source_ids: Iterable[str], without: set[str]) -> Iterator[tuple[str, ...]]:
    if knowledge.day is None:
        return
    members = knowledge.table("entity_members").filter(pl.col("source_id").is_in(sorted(source_ids)))
    if knowledge.known_at is not None:
        members = members.filter(pl.col("received_at") <= knowledge.known_at)
    counts = members.filter(~pl.col("entity_id").is_in(sorted(without))).group_by("entity_id")
    top = counts.agg(pl.col("source_id").n_unique().alias("n")).sort(["n", "entity_id"], descending=[True, False])
    known = knowledge.table("known_entities").filter(~pl.col("is_owner"))
    for row in (
        top.join(known, on="entity_id", how="inner", maintain_order="left").head(MOST_FOUND).iter_rows(named=True)
    ):
        yield row["entity_id"], row["name"], row["type"], row["description"]


def _references(
    knowledge: Knowledge, cards: Sequence[EntityCard], shown: set[str], at: datetime | None
) -> Iterator[KnownItem]:
    """Yield other sources of the entities asked about, with the uri to open them by."""
    later = _received_later(knowledge)
    for card in cards:
        for source in card.sources:
            if source.source_id not in shown | later and (at is None or source.event_at <= at):
                what = f"{day_of(source.event_at)} {flat(source.source_type)}: {flat(source.title)}"
                text = f"[SEE ALSO] {flat(card.name)}: {what} ({flat(source.uri)})"
                yield KnownItem("cross_reference", text, 0, source.source_id)


def _received_later(knowledge: Knowledge) -> set[str]:
    """Return the ids of the sources that were not there at the time that the knowledge is asked as of."""
    if knowledge.known_at is None or knowledge.day is None:
        return set()
    later = knowledge.table("known_sources").filter(pl.col("received_at") > knowledge.known_at)
    return set(later["source_id"].to_list())


def _distinct(items: Iterable[KnownItem]) -> list[KnownItem]:
    return list({item.id or item.text: item for item in items}.values())
