"""Snapshots of a small made-up life, from a compact description: consistent frames of every table of a snapshot."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pyarrow as pa

from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.derive import derive_facts
from brain_retrieval.knowledge.vocabulary import edge_kind, entity_class
from brain_retrieval.stores.knowledge_tables import KNOWLEDGE_TABLES
from brain_retrieval.stores.memory_tables import MEMORY_TABLES

TABLES = {**KNOWLEDGE_TABLES, **MEMORY_TABLES}
START = datetime(2026, 1, 1, 9, tzinfo=UTC)


def day(number: float) -> datetime:
    """Return 9:00 UTC of a day of the story, counted from 0."""
    return START + timedelta(days=number)


def entity_id(name: str, type_: str, user: str = "alice") -> str:
    return content_id("entity", user, entity_class(type_), name.casefold())


def source_id(name: str) -> str:
    return content_id("source", name)


@dataclass(frozen=True)
class Said:
    """A fact that a source states. `object` is a name of an entity of the story, else a literal."""

    subject: str
    predicate: str
    object: str
    sources: tuple[str, ...]
    confidence: float = 0.8
    since: float = 0.0
    until: float | None = None
    end_known: float | None = None
    polarity: str = "affirmed"


@dataclass
class Story:
    """Entities by name, sources by name with their day and the names in them, facts, storylines, notes."""

    types: dict[str, str]
    sources: Mapping[str, tuple[float, Sequence[str]]]
    facts: Sequence[Said] = ()
    storylines: Mapping[str, Sequence[str]] = field(default_factory=dict)  # anchor: sources
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)  # content: (entity, source)
    owner: str | None = None
    user: str = "alice"
    salience: bool = True
    derived: bool = False  # facts worked out from the evidence; else as described

    def id(self, name: str) -> str:
        return entity_id(name, self.types[name], self.user)

    def snapshot(self) -> dict[str, pl.DataFrame]:
        """Return the frames; the order of rows is that of the description."""
        rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for name, (at, mentioned) in self.sources.items():
            rows["known_sources"].append(self._source(name, at))
            rows["entity_members"] += [self._member(name, at, entity) for entity in mentioned]
        rows["known_entities"] = [row for name in self.types if (row := self._entity(name))]
        for said in self.facts:
            rows["fact_evidence"] += [self._evidence(said, source) for source in said.sources]
            rows["known_facts"].append(self._fact(said))
        for anchor, sources in self.storylines.items():
            self._storyline(rows, anchor, sources)
        for content, (entity, source) in self.notes.items():
            rows["notes"].append(self._note(content, entity, source))
        if self.salience:
            rows["salience"] = [self._salience(name) for name in list(self.types)[::2]]
        frames = {table: frame(table, rows[table]) for table in TABLES}
        if self.derived:
            frames["known_facts"] = derive_facts(frames["fact_evidence"])
        return {"sources": frames.pop("known_sources"), **frames}

    def without(self, source: str) -> "Story":
        """Return the story as if a source had never been."""
        sources = {name: kept for name, kept in self.sources.items() if name != source}
        facts = [replace(f, sources=tuple(s for s in f.sources if s != source)) for f in self.facts]
        storylines = {anchor: [s for s in names if s != source] for anchor, names in self.storylines.items()}
        notes = {content: at for content, at in self.notes.items() if at[1] != source}
        kept = [fact for fact in facts if fact.sources]
        return replace(self, sources=sources, facts=kept, storylines=storylines, notes=notes)

    def fact_id(self, said: Said) -> str:
        return content_id("fact", said.subject, said.predicate, said.object, said.polarity)

    def _source(self, name: str, at: float) -> dict[str, Any]:
        times = {"event_at": day(at), "received_at": day(at + 0.5)}
        texts = {"uri": f"inbox:note/{name}.md", "title": name, "day": str(day(at).date()), "summary": f"About {name}."}
        marks = {"bucket": "work", "sensitivity": "normal", "trust": "owner", "source_type": "note"}
        lists = {"participants": ["Alice"], "keywords": ["design"], "tags": []}
        return {"source_id": source_id(name), **times, **texts, **marks, **lists}

    def _member(self, source: str, at: float, entity: str) -> dict[str, Any]:
        ids = {"member_id": content_id("member", source, entity), "entity_id": self.id(entity)}
        times = {"event_at": day(at), "received_at": day(at + 0.5)}
        what = {"name": entity, "type": self.types[entity], "aliases": [], "rule": "same_name"}
        numbers = {"mention_count": 2, "confidence": 0.6, "score": 1.0}
        return {**ids, "source_id": source_id(source), "source_type": "note", **times, **what, **numbers}

    def _entity(self, name: str) -> dict[str, Any] | None:
        times = sorted(at for at, mentioned in self.sources.values() if name in mentioned)
        owner = name == self.owner
        if not times and not owner:
            return None
        times = times or [0.0]
        count = len(times)
        seen = {"first_mentioned_at": day(times[0]), "last_mentioned_at": day(times[-1])}
        received = {"first_received_at": day(times[0] + 0.5), "last_received_at": day(times[-1] + 0.5)}
        numbers = {"mention_count": 2 * count, "source_count": count, "distinct_source_days": len(set(times))}
        what = {"entity_class": entity_class(self.types[name]), "type": self.types[name], "name": name}
        names = {"canonical_name": name.casefold().replace(" ", "-"), "aliases": [], "description": ""}
        confidence = round(1 - 0.4**count, 9)
        return {"entity_id": self.id(name), **what, **names, **seen, **received, **numbers,
                "is_owner": owner, "confidence": confidence}  # fmt: skip

    def _ends(self, said: Said) -> dict[str, Any]:
        literal = said.object not in self.types
        object_class = "Literal" if literal else entity_class(self.types[said.object])
        object_id = None if literal else self.id(said.object)
        subject_class = entity_class(self.types[said.subject])
        ends = {"subject_id": self.id(said.subject), "subject": said.subject, "subject_class": subject_class}
        ends |= {"object_id": object_id, "object": said.object, "object_class": object_class}
        return {**ends, "object_key": object_id or said.object.casefold()}

    def _evidence(self, said: Said, source: str) -> dict[str, Any]:
        at = self.sources[source][0]
        ids = {"evidence_id": content_id("evidence", self.fact_id(said), source), "source_id": source_id(source)}
        times = {"said_at": day(at), "received_at": day(at + 0.5)}
        words = {"predicate": said.predicate, "predicate_text": said.predicate, "relation": "RELATED_TO"}
        how = {"polarity": said.polarity, "modality": "asserted", "confidence": said.confidence, "rule": "svo"}
        where = {"start": 0, "end": 10, "evidence": f"{said.subject} {said.predicate} {said.object}."}
        more = {"source_type": "note", "method": "local", "trust": "owner"}
        return {**ids, **times, **self._ends(said), **words, **how, **where, **more}

    def _fact(self, said: Said) -> dict[str, Any]:
        ends = self._ends(said)
        times = sorted(self.sources[source][0] for source in said.sources)
        until = {"valid_to": day(said.until)} if said.until is not None else {}
        known = said.end_known if said.end_known is not None else said.until
        ended = {"ended_known_from": day(known)} if known is not None else {}
        what = {"predicate": said.predicate, "relation": "RELATED_TO", "functional": False, "contradicts": []}
        state = {"polarity": said.polarity, "modality": "asserted", "status": "ended" if until else "current"}
        count = {"evidence_count": len(times), "source_count": len(times)}
        seen = {"first_said_at": day(times[0]), "last_said_at": day(times[-1]), "known_from": day(times[0] + 0.5)}
        evidence = sorted(content_id("evidence", self.fact_id(said), source) for source in said.sources)
        sources = sorted(source_id(source) for source in said.sources)
        more = {"description": "", "recorded_by": "extraction", "evidence_ids": evidence, "source_ids": sources}
        kind = edge_kind(ends["subject_class"], ends["object_class"])
        return {"fact_id": self.fact_id(said), **ends, "kind": kind, **what, **state, "valid_from": day(said.since),
                **until, **ended, **count, **seen, **more, "confidence": said.confidence}  # fmt: skip

    def _storyline(self, rows: dict[str, list[dict[str, Any]]], anchor: str, sources: Sequence[str]) -> None:
        key, times = content_id("storyline", anchor), sorted(self.sources[name][0] for name in sources)
        about = {"anchor_id": self.id(anchor), "anchor": anchor}
        when = {"started_at": day(times[0]), "last_source_at": day(times[-1]), "promoted_at": day(times[-1])}
        numbers = {"source_count": len(times), "weight": float(len(times)), "distinct_days": len(set(times))}
        made = {"name": f"{anchor} - storyline", "open": True, "evidence_hash": "h"}
        rows["storylines"].append({"storyline_id": key, **about, **when, **numbers, **made})
        for name in sources:
            ids = {"storyline_id": key, "source_id": source_id(name), "source_type": "note", "weight": 1.0}
            rows["storyline_sources"].append({**ids, "event_at": day(self.sources[name][0])})
        counts = {"storyline_count": 1, "total_source_count": len(times), "storyline_ids": [key]}
        life = {"started_at": day(times[0]), "last_event_at": day(times[-1]), "evidence_hash": "h"}
        rows["macros"].append(
            {"macro_id": content_id("macro", anchor), **about, "name": f"{anchor} - macro", **counts, **life}
        )
        cited = [{"source_id": source_id(name), "start": 0, "end": 5} for name in sources]
        summary = {"description": f"How {anchor} went.", "method": "extractive", "model": "", "evidence_hash": "h"}
        rows["summaries"].append({"item_id": key, "item": "storyline", "citations": cited, **summary})

    def _note(self, content: str, entity: str, source: str) -> dict[str, Any]:
        ids = {"note_id": content_id("note", content), "entity_id": self.id(entity), "source_id": source_id(source)}
        at = day(self.sources[source][0])
        life = {"lifetime": "month", "date_added": at, "expires_at": at + timedelta(days=30), "expired": False}
        return {**ids, "target": "entity", "content": content, **life, "added_by": "agent"}

    def _salience(self, name: str) -> dict[str, Any]:
        state = {"state": "active", "ttl_policy": "decay", "sensitivity": "normal"}
        numbers = {"confidence": 0.5, "access_count": 3, "last_recall_interval": 1.5}
        curve = {"decay_gradient": 1.0, "anchor_salience": 0.7, "anchor_at": day(1), "rate": 0.02}
        times = {"last_accessed_at": day(2), "created_at": day(0)}
        return {"item_id": self.id(name), "item": "entity", **state, **numbers, **curve, **times}


def frame(table: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return a frame of exactly the columns of a table; what a row lacks is null."""
    schema = TABLES[table]
    found = pl.from_arrow(pa.Table.from_pylist([{n: row.get(n) for n in schema.names} for row in rows], schema=schema))
    assert isinstance(found, pl.DataFrame)
    return found


def lisbon(user: str = "alice", **changes: Any) -> Story:
    """Return the story of the tests: Alice, Bob, a design system and a trip to Lisbon."""
    types = {
        "Alice": "Person", "Bob Stone": "Person", "Priya": "Person", "Acme": "Organization", "Lisbon": "Location",
        "Design system": "Project", "Accessibility": "Concept", "Typography": "Concept", "Figma": "Tool",
    }  # fmt: skip
    sources = {
        "kickoff": (0, ["Alice", "Bob Stone", "Design system", "Acme"]),
        "review": (3, ["Bob Stone", "Priya", "Design system", "Accessibility"]),
        "trip": (10, ["Alice", "Lisbon", "Priya"]),
        "tools": (12, ["Design system", "Figma", "Typography", "Accessibility"]),
        "gossip": (15, ["Priya", "Acme"]),
    }
    facts = [
        Said("Alice", "works at", "Acme", ("kickoff",), 0.9, 0, 20, 25),
        Said("Acme", "employs", "Bob Stone", ("kickoff",), 0.7),
        Said("Bob Stone", "leads", "Design system", ("kickoff", "review"), 0.95),
        Said("Design system", "needs", "Accessibility", ("review",), 0.8, 3),
        Said("Accessibility", "improves", "Typography", ("tools",), 0.6, 12),
        Said("Design system", "uses", "Figma", ("tools",), 0.9, 12),
        Said("Priya", "knows", "Bob Stone", ("review",), 0.75, 3),
        Said("Priya", "likes", "Lisbon", ("trip",), 0.8, 10, polarity="negated"),
        Said("Alice", "visits", "Lisbon", ("trip",), 0.85, 10, 17),
        Said("Alice", "arrives on", "10 January", ("trip",), 0.8, 10),
    ]
    storylines = {"Design system": ["kickoff", "review", "tools"]}
    notes = {"Prefers mornings.": ("Bob Stone", "review")}
    story = {"types": types, "sources": sources, "facts": facts, "storylines": storylines, "notes": notes}
    return Story(**{**story, "owner": "Alice", "user": user, **changes})
