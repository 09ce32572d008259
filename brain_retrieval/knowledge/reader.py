"""`Knowledge`: read access to what Brain knows of one user: memories, entities, relations, storylines.

Memories are read as soon as they are extracted (`memories/reader.py`); entities, relations (facts) and storylines are
those of the newest snapshot. Relations as they were known earlier are derived from the evidence that Brain had then.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import polars as pl

from brain_retrieval.errors import NoSnapshotError
from brain_retrieval.home import Space
from brain_retrieval.knowledge.cards import EntityCard, FactCard, Mentioned, StorylineCard
from brain_retrieval.knowledge.derive import derive_facts
from brain_retrieval.knowledge.fact_cards import fact_cards, surest_first, touching
from brain_retrieval.knowledge.lookup import find_entities, inferred_names, one_anchor, one_entity, other_names
from brain_retrieval.knowledge.memories import SHOWN
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memory_cards import (
    ENTITY_FIELDS,
    memories_of_entity,
    memory_reader,
    merges_of,
    owner_called,
    unresolved_card,
)
from brain_retrieval.knowledge.note_cards import notes_about
from brain_retrieval.knowledge.predicates import canonical, normalised
from brain_retrieval.knowledge.salience import salience_of, state_at
from brain_retrieval.knowledge.stories.habit_cards import HabitCard, habits_of
from brain_retrieval.knowledge.stories.storyline_cards import storyline_cards
from brain_retrieval.knowledge.validity import drift, valid_at
from brain_retrieval.moments import Moment, to_moment
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.snapshots import SnapshotStore

MOST_SOURCES = 10
RETIRED = ("superseded", "ended")


def _forms(predicate: str) -> list[str]:
    """Return how facts may show a predicate: "Works_on" is shown as "work on"."""
    plain = normalised(predicate)
    first, blank, rest = plain.partition(" ")
    verbs = [first, first.removesuffix("s"), first.removesuffix("es")]
    return [plain, *(f"{verb}{blank}{rest}" for verb in verbs), canonical(plain).predicate]


class Knowledge:
    """The knowledge of one user.

    >>> Knowledge(space, settings).facts("Bob", as_of="2026-01-01")  # doctest: +SKIP
    """

    def __init__(
        self,
        space: Space,
        settings: Settings,
        *,
        known_at: Moment | None = None,
        on_recall: Callable[[Iterable[tuple[str, str]]], None] | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Open the newest snapshot. Without one, memories and entities can be read, facts and storylines can not.

        Args:
            known_at: memories and facts from the sources received by then.
            on_recall: called with the items (kind, id) that a caller asked for by name and was shown.
            catalog: of the user, if it is open.
        """
        self.space, self.settings, self.catalog = space, settings, catalog
        self.known_at = None if known_at is None else to_moment(known_at, settings.zone)
        self._on_recall = on_recall or (lambda _items: None)
        self._store = SnapshotStore(space)
        # For an earlier time the evidence is filtered; the newest snapshot is used, because its names are the best.
        self.day = self._store.newest()
        self._tables: dict[str, pl.DataFrame] = {}

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of the snapshot (see `stores/knowledge_tables.py` and `stores/memory_tables.py`).

        Raises:
            NoSnapshotError: if there is no snapshot yet.
        """
        if self.day is None:
            user = self.space.user
            raise NoSnapshotError(f"no snapshot of {user!r} yet; `brain nightly --user {user}` makes one")
        if name not in self._tables:
            self._tables[name] = self._store.read(self.day, name)
        return self._tables[name]

    # -- memories -------------------------------------------------------------------------------------------------

    def memories(
        self, about: str | None = None, *, as_of: Moment | None = None, every: bool = False, limit: int = SHOWN
    ) -> list[MemoryCard]:
        """Return memories: what holds first, then what has ended.

        Args:
            about: a name, an id, or words such as "launch date"; without it, the most notable memories of all.
            as_of: what held at that time.
            every: all of them, in order of time, also unlikely ones and questions.
            limit: of the cards, unless `every`.

        Raises:
            InvalidQueryError: for an invalid time.
        """
        at = None if as_of is None else to_moment(as_of, self.settings.zone)
        if every:
            return self.memory_reader.everything(about, at=at)
        if about is None:
            return self.memory_reader.notable(at=at, limit=limit)
        if self.day is not None:
            self._on_recall([("entity", one) for one in find_entities(self.table("entity_names"), about)[:1]])
        return self.memory_reader.answers(about, at=at, limit=limit)

    @property
    def memory_reader(self) -> MemoryReader:
        """Reads memories with the names and strengths of this snapshot."""
        return self._memory_reader

    @cached_property
    def _memory_reader(self) -> MemoryReader:
        return memory_reader(self)  # one for all: it keeps the vector of a question, and what names mean

    # -- facts ----------------------------------------------------------------------------------------------------

    def facts(
        self,
        about: str | None = None,
        *,
        predicate: str | None = None,
        as_of: Moment | None = None,
        history: bool = False,
        limit: int = 100,
    ) -> list[FactCard]:
        """Return facts, by default those that hold now, sorted by confidence, then newest first.

        Args:
            about: a name or an id; facts with it as subject or object.
            predicate: as facts show it; capitals, underscores and the ending of a third person do not count.
            as_of: facts that held at that time.
            history: include superseded, ended and future facts; sorted by time.

        Raises:
            InvalidQueryError: for an unknown name or an invalid time.
        """
        found = self._known_facts
        if about is not None:
            found = touching(found, one_entity(self.table("entity_names"), about)[0])
        if predicate is not None:
            found = found.filter(pl.col("predicate").is_in(_forms(predicate)))
        if as_of is not None:
            found = valid_at(found, to_moment(as_of, self.settings.zone))
        elif not history:
            found = self._current(found)
        found = found.sort("subject", "predicate", "valid_from", "fact_id") if history else surest_first(found)
        shown = found.head(limit)
        if about is not None:
            self._on_recall([("fact", key) for key in shown["fact_id"].to_list()])
        return self._fact_cards(shown)

    def drift(self, about: str) -> dict[str, list[FactCard]]:
        """Return an entity's preferences, rules and policies over time: predicate -> facts in order of time."""
        chains = drift(self._known_facts, one_entity(self.table("entity_names"), about)[0])
        return {name: self._fact_cards(chain) for name, chain in chains.items()}

    def _facts_of(self, entity_id: str, as_of: Moment | None) -> pl.DataFrame:
        found = touching(self._known_facts, entity_id)
        held = self._current(found) if as_of is None else valid_at(found, to_moment(as_of, self.settings.zone))
        return surest_first(held)

    def _current(self, facts: pl.DataFrame) -> pl.DataFrame:
        """Return the facts that are neither retired nor in the future."""
        now = self.known_at or datetime.now(UTC)
        return facts.filter(~pl.col("status").is_in(RETIRED) & (pl.col("valid_from") <= now))

    @cached_property
    def _known_facts(self) -> pl.DataFrame:
        if self.known_at is None:
            return self.table("known_facts")
        known = self.table("fact_evidence").filter(pl.col("received_at") <= self.known_at)
        return derive_facts(known, now=self.known_at)

    def _fact_cards(self, facts: pl.DataFrame) -> list[FactCard]:
        return fact_cards(facts, self.table("fact_evidence"), self.sources)

    # -- entities -------------------------------------------------------------------------------------------------

    def entity(self, called: str, *, as_of: Moment | None = None) -> EntityCard:
        """Return the card of an entity, found by any of its names or ids, also earlier ones; "me" is the owner.

        Args:
            called: a name or an id.
            as_of: what held at that time; notes, storylines and sources of later are left out, and the description,
                which is that of the snapshot.

        Raises:
            InvalidQueryError: for an unknown name; the message suggests similar ones.
        """
        if self.day is None:
            return unresolved_card(self, called, as_of)
        entity_id, others = one_entity(self.table("entity_names"), owner_called(self, called))
        notes = tuple(notes_about(self, entity_id))
        self._on_recall([("entity", entity_id), *(("note", note.note_id) for note in notes)])
        row = self.table("known_entities").row(by_predicate=pl.col("entity_id") == entity_id, named=True)
        if as_of is not None:
            row |= {"description": ""}
        until = datetime.max.replace(tzinfo=UTC) if as_of is None else to_moment(as_of, self.settings.zone)
        return EntityCard(
            **{name: row[name] for name in ENTITY_FIELDS},
            aliases=other_names(row),
            **self.strength(entity_id),
            snapshot=self.day,
            **memories_of_entity(self, row["name"], as_of, kind=row["type"]),
            facts=tuple(self._fact_cards(self._facts_of(entity_id, as_of))),
            notes=tuple(note for note in notes if note.date_added <= until),
            storylines=tuple(card for card in storyline_cards(self, entity_id) if card.started_at <= until),
            sources=tuple(self._mentions(entity_id, until)),
            merges=merges_of(self, entity_id),
            probably=inferred_names(self.table("entity_merges"), entity_id, row["aliases"]),
            similar=tuple(self.display_name(other) for other in others[:5]),
        )

    def strength(self, item_id: str) -> dict[str, Any]:
        """Return state, salience, access_count and last_accessed_at of an item now, also between snapshots."""
        return self.strengths([item_id])[item_id]

    def strengths(self, item_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        """Return what `strength` does of each of some items."""
        rows, now = self.table("salience").filter(pl.col("item_id").is_in(list(item_ids))), datetime.now(UTC)
        unknown = {"state": "candidate", "salience": 0.0, "access_count": 0, "last_accessed_at": None}
        found: dict[str, dict[str, Any]] = {}
        for row in rows.iter_rows(named=True):
            strength = {"state": state_at(row, now, self.settings.memory), "salience": salience_of(row, now)}
            recalls = {"access_count": row["access_count"], "last_accessed_at": row["last_accessed_at"]}
            found.setdefault(row["item_id"], {**strength, **recalls})
        return {item_id: found.get(item_id, unknown) for item_id in item_ids}

    def _mentions(self, entity_id: str, until: datetime) -> list[Mentioned]:
        members = self.table("entity_members").filter(pl.col("entity_id") == entity_id).select("source_id").unique()
        found = self.mentioned(members, newest_first=True)
        return [one for one in found if one.event_at <= until][:MOST_SOURCES]

    def display_name(self, entity_id: str) -> str:
        """Return the name of an entity, its id if it is not known."""
        rows = self.table("known_entities").filter(pl.col("entity_id") == entity_id)
        return rows["name"][0] if rows.height else entity_id

    # -- storylines -----------------------------------------------------------------------------------------------

    def storylines(self, about: str | None = None, *, open_only: bool = False) -> list[StorylineCard]:
        """Return macros, then storylines, newest first.

        Raises:
            InvalidQueryError: for an unknown name.
        """
        if about is None:
            return storyline_cards(self, open_only=open_only)
        found = storyline_cards(self, one_anchor(self.table, about), open_only=open_only)
        self._on_recall([(card.level, card.id) for card in found])
        return found

    # -- habits ---------------------------------------------------------------------------------------------------

    def habits(self, *, open_only: bool = False) -> list[HabitCard]:
        """Return the habits of the newest snapshot, the latest first; none that is stated and no longer holds.

        Args:
            open_only: only what has come back lately.

        Raises:
            NoSnapshotError: if there is no snapshot yet.
        """
        return habits_of(self, open_only=open_only)

    # -- sources --------------------------------------------------------------------------------------------------

    @property
    def sources(self) -> pl.DataFrame:
        """Source ids with their places and titles."""
        return self.table("known_sources").select("source_id", "uri", "title")

    def mentioned(self, source_ids: pl.DataFrame, *, newest_first: bool) -> list[Mentioned]:
        """Return sources by their ids, a column `source_id`, in order of time."""
        rows = self.table("known_sources").join(source_ids, on="source_id", how="semi")
        ordered = rows.sort(["event_at", "source_id"], descending=[newest_first, False])
        names = Mentioned.__dataclass_fields__
        return [Mentioned(**{name: row[name] for name in names}) for row in ordered.iter_rows(named=True)]
