"""Entity cards over memories: the names and strength that a snapshot adds, and cards before the first snapshot."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.cards import EntityCard, Mentioned
from brain_retrieval.knowledge.live_entities import live_entity
from brain_retrieval.knowledge.lookup import find_entities, one_entity, other_names
from brain_retrieval.knowledge.memories.asked.owner_names import owner_names
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.sections import Sections, sections_of
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, PROGRAMS
from brain_retrieval.knowledge.opened import Opened
from brain_retrieval.language.content_words import WORD
from brain_retrieval.language.folding import fold
from brain_retrieval.language.self_description import is_oneself
from brain_retrieval.moments import Moment, to_moment
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

if TYPE_CHECKING:
    import numpy as np

CANDIDATES = 200  # memories that a card is chosen from
MOST_SOURCES = 10
PERSON = "Person"
LONGEST_ENDING = 2  # letters of a case behind a name

ENTITY_FIELDS = (
    "entity_id",
    "name",
    "entity_class",
    "type",
    "canonical_name",
    "is_owner",
    "description",
    "mention_count",
    "source_count",
    "distinct_source_days",
    "first_mentioned_at",
    "last_mentioned_at",
    "confidence",
)


def memory_reader(knowledge: Opened) -> MemoryReader:
    """Return the reader of a user's memories, with the names and strengths of the newest snapshot, if there is one."""

    @lru_cache(maxsize=8)  # an answer looks at its question several times
    def embed(text: str, model: str) -> "np.ndarray | None":
        from brain_retrieval.models.embedding.local import embed_locally

        return embed_locally(text, model, knowledge.settings)

    declared = knowledge.settings.owners.get(knowledge.space.user)
    own = (declared.name, *declared.aliases) if declared and declared.name else ()
    owner = owner_names(knowledge.space.user, own)

    def asked_of(question: str) -> tuple[str, ...]:
        said = f" {' '.join(WORD.findall(fold(question)))} "
        return (*own[:1], OWNER) if any(f" {fold(name)} " in said for name in own) else ()

    if knowledge.day is None:
        return MemoryReader(
            knowledge.space, knowledge.known_at, asked_of=asked_of, embed=embed, owner=owner, catalog=knowledge.catalog
        )
    strength: dict[str, float] = {}

    @cache  # one card asks several times for the same name
    def names(called: str) -> tuple[str, ...]:
        found = find_entities(knowledge.table("entity_names"), called)
        if not found:
            return ()
        mine = knowledge.table("entity_names").filter(pl.col("entity_id") == found[0])
        owner = knowledge.table("known_entities").filter((pl.col("entity_id") == found[0]) & pl.col("is_owner"))
        return (*mine["display"].to_list(), *([OWNER] if owner.height else []))

    def salience(name: str) -> float:
        if not strength:
            rows = knowledge.table("salience").filter(pl.col("item") == "entity").rename({"item_id": "entity_id"})
            named = knowledge.table("entity_names").join(rows, on="entity_id").select("display", "access_count")
            strength.update({fold(key): float(count > 0) for key, count in named.iter_rows()} or {"": 0.0})
        return strength.get(fold(name), 0.0)

    def echoes() -> pl.DataFrame:
        return knowledge.table("echoes")

    of_snapshot = (names, salience, echoes)
    return MemoryReader(
        knowledge.space, knowledge.known_at, *of_snapshot, asked_of, embed, owner, catalog=knowledge.catalog
    )


def memories_of_entity(knowledge: Opened, name: str, as_of: Moment | None, *, kind: str = "") -> dict[str, Any]:
    """Return the fields of an entity card that come from memories: its sections and the last contact."""
    at = None if as_of is None else to_moment(as_of, knowledge.settings.zone)
    reader = knowledge.memory_reader
    cards = reader.about(name, at=at, limit=CANDIDATES, is_question=False)
    moment = at or knowledge.known_at or datetime.now(UTC)
    called = tuple(dict.fromkeys((name, *reader.names(name))))
    names = {fold(each) for each in called} - {OWNER}
    said = [card.said_at for card in cards if card.speaker and fold(card.speaker) in names and card.said_at <= moment]
    return {"memories": card_sections(cards, called, kind=kind, at=moment), "last_contact": max(said, default=None)}


def card_sections(cards: Sequence[MemoryCard], called: Sequence[str], *, kind: str, at: datetime) -> Sections:
    """Return what stands on the card of an entity, by section.

    On the card of a person stands only what names this person, and not what stands near such a sentence.

    Args:
        cards: the memories about the entity, the best match first.
        called: its names, the one it is shown under first; OWNER among them for the owner.
        kind: its type, one of ENTITY_TYPES.
        at: the time asked about.
    """
    if fold(called[0]) not in PROGRAMS:  # what an assistant said beside it is not about it
        cards = [card for card in cards if card.method != "local" or (card.speaker or "").casefold() not in PROGRAMS]
    if kind == PERSON and fold(called[0]) != OWNER and OWNER not in called:
        cards = [card for card in cards if _names_person(card, called)]
    return sections_of(cards, at=at, names=called)


def _names_person(card: MemoryCard, names: Sequence[str]) -> bool:
    """Return whether a memory, its speaker or one of its entities has a word of the names of a person."""
    words = {fold(word) for text in (card.text, card.speaker or "", *card.entities) for word in WORD.findall(text)}
    own = {word for each in names for word in map(fold, WORD.findall(each)) if len(word) > 1}
    return any(_is_form(word, each) for word in words for each in own)


def _is_form(word: str, name: str) -> bool:
    """Return whether a word is a name, maybe in a case: "Xavers"."""
    return word.startswith(name) and len(word) - len(name) <= LONGEST_ENDING


def owner_called(knowledge: Opened, called: str) -> str:
    """Return the name of the memory's owner for "me" in any language, else `called`."""
    if not is_oneself(called):
        return called
    if knowledge.day is not None:
        owners = knowledge.table("known_entities").filter("is_owner")["entity_id"].to_list()
        return owners[0] if owners else OWNER
    declared = knowledge.settings.owners.get(knowledge.space.user)
    return declared.name if declared and declared.name else OWNER


def merges_of(knowledge: Opened, entity_id: str) -> tuple[str, ...]:
    """Return which names were taken for one or kept apart, and why."""
    rows = knowledge.table("entity_merges").filter(pl.col("entity_id") == entity_id).sort("left_name", "right_name")
    return tuple(
        f"{r['left_name']} {'=' if r['decision'] == 'merged' else '≠'} {r['right_name']}: {r['reason']}"
        for r in rows.iter_rows(named=True)
        if fold(r["left_name"]) != fold(r["right_name"])  # of the same name only the types differed
    )


def unresolved_card(knowledge: Opened, called: str, as_of: Moment | None) -> EntityCard:
    """Return the card of a name before the first snapshot, from the extracted rows.

    Raises:
        InvalidQueryError: for a name that no source has.
    """
    row = live_entity(knowledge.space, owner_called(knowledge, called))
    return EntityCard(
        **{name: row[name] for name in ENTITY_FIELDS},
        aliases=other_names(row),
        state="candidate",
        salience=0.0,
        access_count=0,
        last_accessed_at=None,
        snapshot=None,
        **memories_of_entity(knowledge, row["name"], as_of, kind=row["type"]),
        sources=tuple(_sources(knowledge, row["source_ids"])),
    )


def _sources(knowledge: Opened, source_ids: list[str]) -> list[Mentioned]:
    columns = ["source_id", "source", "uri", "title", "event_at"]
    with Catalog(knowledge.space) as catalog:
        table = Lake(knowledge.space, catalog).read("text", columns=columns)
    rows = pl.DataFrame(pl.from_arrow(table)).filter(pl.col("source_id").is_in(source_ids))
    newest = rows.rename({"source": "source_type"}).sort(["event_at", "source_id"], descending=[True, False])
    return [Mentioned(**row) for row in newest.head(MOST_SOURCES).iter_rows(named=True)]


def names_of(knowledge: Opened, called: str) -> tuple[str, ...]:
    """Return the other names of the entity called so which mean no other one; () without a snapshot, or of none."""
    if knowledge.day is None or (entity_id := _meant(knowledge, called)) is None:
        return ()
    row = knowledge.table("known_entities").row(by_predicate=pl.col("entity_id") == entity_id, named=True)
    others = dict.fromkeys(name for name in (row["name"], *row["aliases"]) if name != called)
    return tuple(name for name in others if _meant(knowledge, name) == entity_id)


def _meant(knowledge: Opened, called: str) -> str | None:
    try:
        return one_entity(knowledge.table("entity_names"), owner_called(knowledge, called))[0]
    except InvalidQueryError:
        return None
