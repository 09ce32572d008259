"""What each kind of thing is made of: a node for a memory, a relation, a name, a storyline, a note, with all below."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from brain_retrieval.models.chat.chat_cache import Kept
from brain_retrieval.query.why.chain import passage_node, sentence, shortened, source_node, stamp, text_node
from brain_retrieval.query.why.node import LineageNode
from brain_retrieval.query.why.stored import Row, Stored, first

MERGED = 6  # reasons for which names are one
_NAMED_SO = """
SELECT entity_id, source_id, name, mention_count FROM entities
WHERE list_contains($1, source_id) AND list_contains($2, name) ORDER BY event_at DESC, entity_id
"""
_FIRST_MENTION = "SELECT * FROM mentions WHERE source_id = $1 AND entity_id = $2 ORDER BY start, mention_id LIMIT 1"


def of_memory(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a row of MEMORIES."""
    facts = {"kind": row["kind"], "said": stamp(row["said_at"]), "holds from": row["effective_from"].date().isoformat()}
    facts |= {"until": row["valid_to"].date().isoformat()} if row["valid_to"] else {}
    facts |= {"speaker": row["speaker"]} if row["speaker"] else {}
    facts |= {"certainty": f"{row['modality']}, {row['polarity']}", "method": row["method"]}
    facts |= {"worth keeping": f"{row['keep']:.2f}"}
    span = (row["start"], row["end"])
    below = _sentences(stored, [(row["source_id"], *span, row["evidence"])])
    made = stored.made("extractions", row)
    return LineageNode("memory", row["memory_id"], row["text"], facts, made, below, 0, (row["source_id"], *span))


def of_relation(stored: Stored, row: Row, limit: int) -> LineageNode:
    """Return a row of KNOWN_FACTS with the statements it was derived from."""
    said = f"{row['subject']} · {'not ' if row['polarity'] == 'negated' else ''}{row['predicate']} · {row['object']}"
    facts = {"status": row["status"], "holds from": row["valid_from"].date().isoformat()}
    facts |= {"until": row["valid_to"].date().isoformat()} if row["valid_to"] else {}
    facts |= {"confidence": f"{row['confidence']:.2f}", "sources": str(row["source_count"])}
    stated = stored.rows("fact_evidence", evidence_id=list(row["evidence_ids"]))
    shown, more = first(sorted(stated, key=lambda one: (one["said_at"], one["evidence_id"])), limit)
    places = [(one["source_id"], one["start"], one["end"], one["evidence"]) for one in shown]
    below = _sentences(stored, places)
    return LineageNode("relation", row["fact_id"], said, facts, stored.made_in_snapshot("facts"), below, more)


def of_stated(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a row of FACTS: a relation as one source states it."""
    said = f"{row['subject']} · {'not ' if row['polarity'] == 'negated' else ''}{row['predicate']} · {row['object']}"
    facts = {"said": stamp(row["said_at"]), "certainty": f"{row['modality']}, {row['polarity']}"}
    facts |= {"confidence": f"{row['confidence']:.2f}", "rule": row["rule"], "method": row["method"]}
    below = _sentences(stored, [(row["source_id"], row["start"], row["end"], row["evidence"])])
    return LineageNode("statement", row["fact_id"], said, facts, stored.made("extractions", row), below)


def of_mention(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a row of MENTIONS."""
    below = _sentences(stored, [(row["source_id"], row["start"], row["end"], row["text"])])
    facts = {"name": row["name"], "type": row["type"], "method": row["method"]}
    return LineageNode("mention", row["mention_id"], row["text"], facts, stored.made("extractions", row), below)


def of_name(stored: Stored, row: Row, limit: int) -> LineageNode:
    """Return a row of KNOWN_ENTITIES with the mentions in each source that were resolved to it."""
    facts = {"type": row["type"], "sources": str(row["source_count"]), "confidence": f"{row['confidence']:.2f}"}
    facts |= {"also": ", ".join(row["aliases"])} if row["aliases"] else {}
    merges = stored.rows("entity_merges", entity_id=row["entity_id"])[:MERGED]
    facts |= {"joined": "; ".join(_merge(one) for one in merges)} if merges else {}
    members = stored.rows("entity_members", entity_id=row["entity_id"])
    shown, more = first(sorted(members, key=lambda one: (one["event_at"], one["member_id"]), reverse=True), limit)
    below = tuple(_named(stored, one) for one in shown)
    return LineageNode("name", row["entity_id"], row["name"], facts, stored.made_in_snapshot("entities"), below, more)


def of_live_name(stored: Stored, row: Row, limit: int) -> LineageNode:
    """Return a name before the first snapshot, as `live_entity` has it, with the mentions in each source."""
    facts = {"type": row["type"], "sources": str(row["source_count"])}
    rows = stored.find(_NAMED_SO, row["source_ids"], [row["name"], *row["aliases"]])
    shown, more = first(rows, limit)
    below = tuple(
        _named(stored, {**one, "member_id": one["entity_id"], "rule": "same name", "score": 1.0}) for one in shown
    )
    return LineageNode("name", row["entity_id"], row["name"], facts, None, below, more)


def of_storyline(stored: Stored, row: Row, limit: int) -> LineageNode:
    """Return a row of STORYLINES: the sentences of its summary, then its other sources."""
    facts = {"about": row["anchor"], "sources": str(row["source_count"]), "state": "open" if row["open"] else "closed"}
    facts |= {"from": row["started_at"].date().isoformat(), "to": row["last_source_at"].date().isoformat()}
    cited, more, summary = _cited(stored, row["storyline_id"], limit)
    facts |= {"summary": summary} if summary else {}
    used = {one.source[0] for one in cited if one.source}
    members = sorted(
        stored.rows("storyline_sources", storyline_id=row["storyline_id"]), key=lambda one: one["event_at"]
    )
    others = [one for one in members if one["source_id"] not in used]
    shown, left = first(others, max(0, limit - len(cited)))
    below = (*cited, *_sources(stored, [one["source_id"] for one in shown]))
    made = stored.made_in_snapshot("storylines")
    return LineageNode("storyline", row["storyline_id"], row["name"], facts, made, below, more + left)


def of_macro(stored: Stored, row: Row, limit: int) -> LineageNode:
    """Return a row of MACROS with its storylines."""
    facts = {"about": row["anchor"], "sources": str(row["total_source_count"])}
    parts = stored.rows("storylines", storyline_id=list(row["storyline_ids"]))
    shown, more = first(sorted(parts, key=lambda one: (one["started_at"], one["storyline_id"])), limit)
    below = tuple(of_storyline(stored, one, 2) for one in shown)
    return LineageNode("macro", row["macro_id"], row["name"], facts, stored.made_in_snapshot("macros"), below, more)


def of_note(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a row of NOTES, and the source that it was written about, if it names one."""
    facts = {"by": row["added_by"], "added": stamp(row["date_added"]), "kept": row["lifetime"]}
    facts |= {"expired": "yes"} if row["expired"] else {}
    about = [row["source_entity_key"]] if row["source_entity_key"] else []
    below = _sources(stored, [row["source_id"], *about])
    return LineageNode(
        "note", row["note_id"], shortened(row["content"]), facts, stored.made_in_snapshot("notes"), below
    )


def of_answer(stored: Stored, row: Row, limit: int) -> LineageNode:
    """Return a cached answer of a chat model with the places that its request quoted."""
    quoted = stored.answers.quoted_by(row["key"]) if stored.answers else []
    below = _sentences(stored, [(source_id, start, end, "") for source_id, start, end in quoted[:limit]])
    return answer_node(Kept(**row), below, max(0, len(quoted) - limit))


def answer_node(kept: Kept, below: tuple[LineageNode, ...] = (), more: int = 0) -> LineageNode:
    """Return a cached answer as a node; its text is what the model said, without the marks of JSON."""
    said = " ".join(_strings(json.loads(kept.answer)))
    facts = {"asked for": kept.task, "model": kept.model, "last used": kept.at[:10]}
    return LineageNode("answer", kept.key, shortened(said), facts, None, below, more)


def _strings(value: Any) -> list[str]:
    """Return the strings in a JSON value, in their order."""
    if isinstance(value, str):
        return [value] if value else []
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


def of_passage(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a row of CHUNKS."""
    item = stored.item(row["source_id"])
    inner = () if item is None else (text_node(stored, item, (row["start"], row["end"]), row["text"]),)
    return passage_node(stored, row, inner)


def of_source(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a row of RAW."""
    return source_node(stored, row)


def of_place(stored: Stored, row: Row, _limit: int) -> LineageNode:
    """Return a span of a source: a row of RAW with the `span` asked for."""
    return sentence(stored, row, row["span"])


def _sentences(stored: Stored, places: Iterable[tuple[str, int, int, str]]) -> tuple[LineageNode, ...]:
    """Return a node for each (source id, start, end, quote) whose source is there."""
    held = [(stored.holding(source_id), start, end, quote) for source_id, start, end, quote in places]
    return tuple(sentence(*one, (start, end), quote) for one, start, end, quote in held if one is not None)


def _sources(stored: Stored, ids: Sequence[str]) -> tuple[LineageNode, ...]:
    held = [stored.holding(one) for one in ids]
    return tuple(source_node(*one) for one in held if one is not None)


def _named(stored: Stored, member: Row) -> LineageNode:
    """Return how a source names an entity, with the first place where it does."""
    facts = {"rule": f"{member['rule']}, {member['score']:.2f}", "times": str(member["mention_count"])}
    rows = stored.find(_FIRST_MENTION, member["source_id"], member["member_id"])
    made = stored.made("extractions", rows[0]) if rows else None
    places = [(row["source_id"], row["start"], row["end"], row["text"]) for row in rows]
    below = _sentences(stored, places) or _sources(stored, [member["source_id"]])
    return LineageNode("mention", member["member_id"], member["name"], facts, made, below)


def _merge(row: Row) -> str:
    sign = "=" if row["decision"] == "merged" else "≠"
    return f"{row['left_name']} {sign} {row['right_name']} ({row['reason']})"


def _cited(stored: Stored, item_id: str, limit: int) -> tuple[tuple[LineageNode, ...], int, str]:
    """Return what the summary of an item cites, how many more citations there are, and how it was written."""
    found: list[Any] = stored.rows("summaries", item_id=item_id)
    if not found:
        return (), 0, ""
    summary = found[0]
    shown, more = first(summary["citations"], limit)
    nodes: list[LineageNode] = []
    for one in shown:
        row = stored.memory(one["memory_id"]) if one["memory_id"] else None
        place = (one["source_id"], one["start"], one["end"], "")
        nodes += [of_memory(stored, row, limit)] if row is not None else _sentences(stored, [place])
    said = summary["method"] + (f", {summary['model']}" if summary["model"] else "")
    return tuple(nodes), more, said
