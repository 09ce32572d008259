"""Extraction from agent memory operations: adds the entities and the relationship that the operation itself states.

The agent's text is extracted like any prose; the generated heading is not. Rows stated by the operation have the method
"agent" and its confidence. Merge and unmerge decisions yield no rows.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from brain_pipelines.stages.extraction.local.names.aliases import normalise
from brain_pipelines.stages.extraction.local.names.mention import Mention
from brain_pipelines.stages.extraction.local.names.operation_names import predicate_of, type_of_name
from brain_pipelines.stages.extraction.local.names.speakers import OWNER, Turn
from brain_pipelines.stages.extraction.local.relations.fact_properties import to_json
from brain_pipelines.stages.extraction.local.relations.relations import relation_of
from brain_pipelines.stages.prose.statements import word_count
from brain_retrieval.ids import content_id
from brain_retrieval.schemas.names import SOURCE_NAMES

SOURCE = "agent-note"
AGENT = "agent"
CONFIDENCE = 0.8
ENDS = {
    "add_note": ("entity",),
    "create_relationship": ("from", "to"),
    "add_note_to_relationship": ("from", "to"),
}
DECISIONS = ("merge", "unmerge")
MIN_WORDS, MIN_LETTERS = 2, 0.6  # thresholds for prose: words, and the share of letters and spaces

RELATED = "related"  # section name of the line that lists the related entities of an entry
_ID = re.compile(r"[a-z]+_[0-9a-f]{24}")

Row = dict[str, Any]


@dataclass(frozen=True)
class NamedEnd:
    """An entity named by an operation, with its span in the heading; `start` is -1 if it is not found there."""

    name: str
    type: str
    start: int
    end: int


def is_operation(document: Row) -> bool:
    """Return whether a row of DOCUMENT_TEXT is an agent operation."""
    return document.get("source") == SOURCE


def operation_turns(document: Row) -> list[Turn]:
    """Return the turns of an operation: the text written by the agent or owner, except decisions, code and lists."""
    operation = json.loads(document["attributes"])
    if operation["op"] in DECISIONS:
        return []
    speaker = OWNER if operation.get("by", OWNER) == OWNER else AGENT
    return [
        Turn(segment["start"], segment["end"], speaker)
        for segment in document["segments"]
        if segment["kind"] == "message" and is_prose(document["text"][segment["start"] : segment["end"]])
    ]


def is_prose(text: str) -> bool:
    """Return whether a text is prose, as opposed to code, a table or a list of numbers."""
    plain = sum(char.isalpha() or char.isspace() for char in text)
    return word_count(text) >= MIN_WORDS and plain >= MIN_LETTERS * len(text)


def operation_mentions(document: Row) -> list[Mention]:
    """Return mentions for the entities in the heading, with confidence 1.0 so that they win every overlap."""
    named = named_ends(document, json.loads(document["attributes"]))
    return [Mention(end.start, end.end, end.name, end.type, 1.0) for end in named if end.start >= 0]


def named_ends(document: Row, operation: Row) -> list[NamedEnd]:
    """Return the entities that an operation names, in its order; for a "store" entry those it is related to."""
    text, segments = document["text"], document["segments"]
    if operation["op"] == "store":
        names = [(" ".join(name.split()), None, None) for name in operation.get("related_to", ())]
        found = [(name, *other) for name, *other in dict.fromkeys(names) if not _ID.fullmatch(name)]
        start, end = next(((s["start"], s["end"]) for s in segments if s["section"] == RELATED), (0, 0))
    else:
        found = [_named(operation, prefix) for prefix in ENDS.get(operation["op"], ())]
        start, end = (segments[0]["start"], segments[0]["end"]) if segments else (0, 0)
    ends = []
    for name, kind, wanted in found:
        place = text.find(name, start, end)
        start = place + len(name) if place >= 0 else start
        ends.append(NamedEnd(name, kind or type_of_name(name, wanted), place, place + len(name)))
    return ends


def _named(operation: Row, prefix: str) -> tuple[str, str | None, str | None]:
    """Return name, type and class of the entity whose keys in the operation have this prefix."""
    key = operation["entity_key" if prefix == "entity" else f"{prefix}_entity_key"]
    name = " ".join((operation.get(f"{prefix}_name") or key).split())
    return name, operation.get(f"{prefix}_type"), operation.get(f"{prefix}_class")


def complete_operation(document: Row, mentions: list[Row], entities: list[Row], facts: list[Row]) -> None:
    """Add the entities and the relationship of an operation to the extracted rows of its text, in place.

    Works on the rows of either extractor. Entities that the operation names get its type, confidence and method.
    """
    operation = json.loads(document["attributes"])
    if operation["op"] in DECISIONS:
        for rows in (mentions, entities, facts):
            rows.clear()
        return
    if operation.get("by", OWNER) != OWNER:
        facts[:] = [{**fact, "speaker": operation.get("added_by")} for fact in facts]
    shared = {name: document[name] for name in SOURCE_NAMES}
    confidence = operation.get("confidence", CONFIDENCE)
    own = [_enter(end, shared, confidence, mentions, entities) for end in named_ends(document, operation)]
    stated = {row["entity_id"]: (row["name"], row["type"]) for row in own}
    for row in mentions:
        row["name"], row["type"] = stated.get(row["entity_id"], (row["name"], row["type"]))
    for fact in facts:
        for side in ("subject", "object"):
            said = (fact[side], fact[f"{side}_type"])
            fact[side], fact[f"{side}_type"] = stated.get(fact[f"{side}_id"], said)
    if operation["op"] == "create_relationship":
        facts.append({**shared, **relationship_fact(document, operation, own[0], own[1])})


def _enter(end: NamedEnd, shared: Row, confidence: float, mentions: list[Row], entities: list[Row]) -> Row:
    """Return the entity row of a named entity, adding the row and its mention in the heading if missing.

    The entity keeps its own name even if the text has a longer one: here "Bob" and "Bob Lee" may be two entities.
    """
    entity_id = content_id("entity", shared["source_id"], normalise(end.name))
    by_id = {row["entity_id"]: row for row in entities}
    row = by_id.get(entity_id)
    if row is None:
        row = {**shared, "entity_id": entity_id, "aliases": [], "mention_count": 0, "description": None}
        entities.append(row)
    row |= {"name": end.name, "type": end.type, "confidence": confidence, "method": AGENT}
    row["aliases"] = [alias for alias in row["aliases"] if alias != end.name]
    if end.start < 0:
        return row
    place = {"start": end.start, "end": end.end}
    there = next((m for m in mentions if place.items() <= m.items()), None)
    if there is None:
        there = {**shared, **place, "mention_id": content_id("mention", shared["source_id"], end.start, end.end)}
        mentions.append(there)
    if there.get("entity_id") != entity_id:
        row["mention_count"] += 1
        if other := by_id.get(there.get("entity_id", "")):
            other["mention_count"] -= 1
    there |= {"entity_id": entity_id, "name": end.name, "text": end.name}
    there |= {"type": end.type, "confidence": confidence, "method": AGENT}
    return row


def relationship_fact(document: Row, operation: Row, subject: Row, obj: Row) -> Row:
    """Return the columns of FACTS for a stated relationship, in the direction in which it was stated."""
    predicate = predicate_of(operation["relationship_type"])
    start, end = document["segments"][0]["start"], document["segments"][0]["end"]
    return {
        "fact_id": relationship_id(document["source_id"]),
        "subject": subject["name"],
        "subject_id": subject["entity_id"],
        "subject_type": subject["type"],
        "predicate": predicate,
        "relation": relation_of(predicate, subject["type"], obj["type"]),
        "object": obj["name"],
        "object_id": obj["entity_id"],
        "object_type": obj["type"],
        "polarity": "affirmed",
        "modality": "asserted",
        "confidence": operation.get("confidence", CONFIDENCE),
        "said_at": document["event_at"],
        "stated_from": None,
        "stated_to": None,
        "description": operation["description"],
        "attitude": operation["attitude"],
        "proximity": operation["proximity"],
        "properties": to_json(operation.get("properties")),
        "rule": AGENT,
        "method": AGENT,
        "start": start,
        "end": end,
        "evidence": document["text"][start:end],
        "speaker": None if operation.get("by", OWNER) == OWNER else operation.get("added_by"),
    }


def relationship_id(source_id: str) -> str:
    """Return the id of the fact of a stated relationship; an operation states at most one."""
    return content_id("fact", source_id, AGENT)
