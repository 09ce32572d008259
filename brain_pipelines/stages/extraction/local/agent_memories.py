"""Memories of a memory operation: what was written, as sentences that name the one they are about.

A note about Bob Smith says "Is allergic to nuts.": its memory is "Bob Smith: Is allergic to nuts.". Someone chose to
write it, so all of its sentences are memories, and likely ones; `method` says whether the owner or an agent wrote them.
"""

import json
from datetime import datetime
from typing import Any

from brain_pipelines.stages.extraction.local.agent_operations import AGENT, DECISIONS, named_ends
from brain_pipelines.stages.extraction.local.names.aliases import normalise
from brain_pipelines.stages.extraction.local.names.speakers import OWNER
from brain_retrieval.ids import content_id
from brain_retrieval.language.folding import fold

BY_OWNER, LOCAL = "owner", "local"
KEEP = 0.8  # at least: it was written in order to be kept
# A relationship whose writer is less sure of it than of its opposite is a guess: it is no statement, and ends none.
SURE = 0.5
RELATIONSHIP = "create_relationship"
# Categories of an entry that say its kind where its words do not: "Format code with ruff."
STATED_KINDS = ("preference", "instruction", "decision")
# What the grammar of a rule may look like: "invoices are sent by mail", "werden verschickt".
KINDS_OF_RULES = {"instruction": ("event", "plan"), "decision": ("event",)}

Row = dict[str, Any]


def method_of(document: Row) -> str:
    """Return the method of the memories of an operation: "owner" or "agent"."""
    return BY_OWNER if json.loads(document["attributes"]).get("by", OWNER) == OWNER else AGENT


def operation_memories(document: Row, memories: list[Row]) -> list[Row]:
    """Return the rows of MEMORIES that were read from an operation as its memories."""
    operation = json.loads(document["attributes"])
    if operation["op"] in DECISIONS:
        return []
    ends = named_ends(document, operation)
    about = [] if operation["op"] == "store" else [end.name for end in ends]
    known = [
        {
            "entity_id": content_id("entity", document["source_id"], normalise(end.name)),
            "name": end.name,
            "type": end.type,
            "role": "named",
        }
        for end in ends
    ]
    return [
        row | {"method": LOCAL} if _is_why(row, operation) else _about(row, operation, about, known) for row in memories
    ]


def _is_why(row: Row, operation: Row) -> bool:
    """Return whether a sentence only says why something was written: it was not chosen to be remembered itself."""
    return row["evidence"] in (operation.get("context") or "") and row["evidence"] not in (
        operation.get("content") or ""
    )


def _about(row: Row, operation: Row, about: list[str], known: list[Row]) -> Row:
    ends = [row["valid_to"]] if row["valid_to"] else []
    if operation.get("expires"):  # of an entry
        ends.append(datetime.fromisoformat(operation["expires"]))
    kept = {**row, "keep": max(row["keep"], KEEP), "valid_to": min(ends, default=None)}
    category = operation.get("category")
    if category in STATED_KINDS and (row["kind"] == "fact" or _is_rule(row, category)):
        kept["kind"] = category
    if not about:
        return kept
    said = row["text"].removeprefix(f"{row['speaker']}: ")
    missing = [name for name in about if fold(name) not in fold(said)]
    # Who wrote it is no part of what it says, unless it says so.
    others = [one for one in row["entities"] if one["role"] != "speaker" or fold(one["name"]) in fold(said)]
    listed = {entity["entity_id"] for entity in others}
    named = [entity for entity in known if entity["entity_id"] not in listed]
    guessed = operation.get("confidence", 1.0) < SURE and row["modality"] == "asserted"
    return {
        **kept,
        "modality": "possible" if guessed else row["modality"],
        "text": f"{_head(operation, about, missing)}: {said}" if missing else _with_properties(said, operation),
        "speaker": None,
        "self_contained": True,
        "entities": [*others, *named],
    }


def _is_rule(row: Row, category: str) -> bool:
    """Return whether a sentence that elsewhere tells an event or plan is a rule: "Holidays are approved by Ann".

    It was stored as an instruction, or as a decision that is no plan, and nothing says when it happens.
    """
    if row["kind"] not in KINDS_OF_RULES.get(category, ()):
        return False
    dated = any(value["dimension"] == "date" for value in row["values"] or ())
    return not (dated or row["from_stated"] or row["valid_to"])


def _head(operation: Row, about: list[str], missing: list[str]) -> str:
    """Return what a sentence is about: the names it lacks, or the relationship that it describes."""
    if operation["op"] != RELATIONSHIP:
        return " and ".join(missing)
    left, right = about
    return _with_properties(f"{left} {operation['relationship_type'].replace('_', ' ')} {right}", operation)


def _with_properties(said: str, operation: Row) -> str:
    """Return a sentence with the properties of the relationship that it does not say itself."""
    given = (operation.get("properties") or {}).items()
    stated = "; ".join(f"{name}: {value}" for name, value in given if fold(value) not in fold(said))
    if not stated:
        return said
    end = said[len(said.rstrip(".!")) :]
    return f"{said[: len(said) - len(end)]} ({stated}){end}"
