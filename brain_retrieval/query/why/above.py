"""What depends on something: passages, statements, relations, names, storylines, and what its statements ended."""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from brain_retrieval.knowledge.memories.endings import Ender, Endings, Moment
from brain_retrieval.query.why.chain import shortened
from brain_retrieval.query.why.node import Dependents, LineageNode
from brain_retrieval.query.why.roots import answer_node
from brain_retrieval.query.why.stored import Row, Stored

ANSWERS = "cached answers of a chat model"
MOST_COMPARED = 60  # earlier statements that a statement may have ended, those that share its rarest words
MOST_ENDING = 40  # statements of one source whose endings are looked for


def above(stored: Stored, kind: str, row: Row, limit: int) -> tuple[Dependents, ...]:
    """Return what depends on a row of a kind of `resolve`, without empty groups."""
    found = _ABOVE.get(kind, _nothing)(stored, row)
    return tuple(Dependents(name, len(nodes), tuple(nodes[:limit])) for name, nodes in found if nodes)


Groups = list[tuple[str, Sequence[LineageNode]]]


def _nothing(_stored: Stored, _row: Row) -> Groups:
    return []


def _of_memory(stored: Stored, row: Row) -> Groups:
    members = {entity["entity_id"] for entity in row["entities"] or () if entity["entity_id"]}
    names = {one["entity_id"] for one in stored.rows("entity_members", member_id=list(members))}
    cited = stored.table("summaries").to_dicts()
    citing = {one["item_id"] for one in cited if any(c["memory_id"] == row["memory_id"] for c in one["citations"])}
    return [
        ("ended by", _enders(stored, row["memory_id"])),
        ("statements it ended", _ended(stored, [row["memory_id"]])),
        ("relations from the same sentence", _relations(stored, _stated(stored, row["source_id"], _span(row)))),
        ("names in it", _names(stored, names)),
        ("storylines with it", _stories(stored, citing)),
        (ANSWERS, _answers(stored, row["source_id"], _span(row))),
    ]


def _of_place(stored: Stored, row: Row) -> Groups:
    span = row["span"] if "span" in row else _span(row)
    rows = _statements(stored, row["source_id"], span)
    return [
        ("statements", [_memory(one) for one in rows]),
        ("relations", _relations(stored, _stated(stored, row["source_id"], span))),
        ("statements they ended", _ended(stored, [one["memory_id"] for one in rows])),
        (ANSWERS, _answers(stored, row["source_id"], span)),
    ]


def _of_chunk(stored: Stored, row: Row) -> Groups:
    ledger = stored.catalog.get_ledger(row["source"], "embeddings", row["day"])
    done = ledger is not None and ledger.state == "ok"
    facts = {"made": ledger.started_at.isoformat(timespec="seconds")} if ledger is not None else {}
    entry = [LineageNode("index entry", row["chunk_id"], "words and vector", facts)] if done else []
    return [("in the search index", entry), *_of_place(stored, row)]


def _of_source(stored: Stored, row: Row) -> Groups:
    key = row["source_id"]
    chunks = stored.of_source("chunks", key, row["source"], row["day"])
    parts = stored.find("SELECT source_id, uri FROM raw WHERE parent_id = $1 ORDER BY uri", key)
    members = {one["entity_id"] for one in stored.rows("entity_members", source_id=key)}
    stories = {one["storyline_id"] for one in stored.rows("storyline_sources", source_id=key)}
    macros = {one["macro_id"] for one in stored.with_any("macros", "storyline_ids", stories)}
    notes = stored.rows("notes", source_entity_key=key) + stored.rows("notes", source_id=key)
    rows = _statements(stored, key, None)
    return [
        ("passages", [LineageNode("passage", one["chunk_id"], shortened(one["text"])) for one in chunks]),
        ("parts of it", [LineageNode("source", one["source_id"], one["uri"]) for one in parts]),
        ("statements", [_memory(one) for one in rows]),
        ("statements they ended", _ended(stored, [one["memory_id"] for one in rows[:MOST_ENDING]])),
        ("relations", _relations(stored, _stated(stored, key, None))),
        ("names", _names(stored, members)),
        ("storylines", _stories(stored, stories | macros)),
        ("notes", _notes(notes)),
        (ANSWERS, _answers(stored, key, None)),
        ("claims checked online", _checks(stored, row)),
    ]


def _of_relation(stored: Stored, row: Row) -> Groups:
    ends = {row["subject_id"], row["object_id"]} - {None}
    later = [row["superseded_by_fact_id"]] if row["superseded_by_fact_id"] else []
    return [
        ("ended by", _facts(stored.rows("known_facts", fact_id=later))),
        ("relations it ended", _facts(stored.rows("known_facts", superseded_by_fact_id=row["fact_id"]))),
        ("disputed with", _facts(stored.rows("known_facts", fact_id=list(row["contradicts"])))),
        ("names", _names(stored, ends)),
    ]


def _of_stated(stored: Stored, row: Row) -> Groups:
    return [("relations", _relations(stored, {row["fact_id"]})), ("statements", _near_statements(stored, row))]


def _of_mention(stored: Stored, row: Row) -> Groups:
    names = {one["entity_id"] for one in stored.rows("entity_members", member_id=row["entity_id"])}
    return [("names", _names(stored, names))]


def _of_name(stored: Stored, row: Row) -> Groups:
    key = row["entity_id"]
    facts = stored.rows("known_facts", subject_id=key) + stored.rows("known_facts", object_id=key)
    notes = stored.rows("notes", entity_id=key) + stored.rows("notes", other_entity_id=key)
    stories = {one["storyline_id"] for one in stored.rows("storylines", anchor_id=key)}
    macros = {one["macro_id"] for one in stored.rows("macros", anchor_id=key)}
    unique = {one["fact_id"]: one for one in facts}
    return [
        ("relations", _facts(unique.values())),
        ("storylines", _stories(stored, stories | macros)),
        ("notes", _notes(notes)),
    ]


def _of_storyline(stored: Stored, row: Row) -> Groups:
    macros = {one["macro_id"] for one in stored.with_any("macros", "storyline_ids", [row["storyline_id"]])}
    return [("part of", _stories(stored, macros)), ("names", _names(stored, {row["anchor_id"]}))]


def _of_note(stored: Stored, row: Row) -> Groups:
    return [("names", _names(stored, {row["entity_id"], row["other_entity_id"]} - {None}))]


_ABOVE: dict[str, Callable[[Stored, Row], Groups]] = {
    "memory": _of_memory, "place": _of_place, "chunk": _of_chunk, "source": _of_source, "fact": _of_relation,
    "stated": _of_stated, "mention": _of_mention, "name": _of_name, "storyline": _of_storyline, "note": _of_note,
}  # fmt: skip


def _span(row: Row) -> tuple[int, int]:
    return row["start"], row["end"]


def _statements(stored: Stored, source_id: str, span: tuple[int, int] | None) -> list[Row]:
    """Return the statements of a source, or of those that touch a span of it, in the order of the text."""
    rows = stored.memories.take(stored.memories.sources.having(source_id))
    inside = [row for row in rows if span is None or (row["start"] < span[1] and row["end"] > span[0])]
    return sorted(inside, key=lambda row: (row["start"], row["clause"], row["memory_id"]))


def _near_statements(stored: Stored, row: Row) -> list[LineageNode]:
    return [_memory(one) for one in _statements(stored, row["source_id"], _span(row))]


def _stated(stored: Stored, source_id: str, span: tuple[int, int] | None) -> set[str]:
    """Return the ids of the relations as a source states them, or of those that touch a span of it."""
    rows = stored.rows("fact_evidence", source_id=source_id)
    return {one["evidence_id"] for one in rows if span is None or (one["start"] < span[1] and one["end"] > span[0])}


def _relations(stored: Stored, evidence: set[str]) -> list[LineageNode]:
    return _facts(stored.with_any("known_facts", "evidence_ids", evidence)) if evidence else []


def _facts(rows: Iterable[Row]) -> list[LineageNode]:
    found = sorted(rows, key=lambda one: (one["subject"], one["predicate"], one["fact_id"]))
    return [
        LineageNode("relation", one["fact_id"], f"{one['subject']} · {one['predicate']} · {one['object']}",
             {"status": one["status"]})
        for one in found
    ]  # fmt: skip


def _names(stored: Stored, ids: Iterable[str]) -> list[LineageNode]:
    rows = stored.rows("known_entities", entity_id=sorted(ids))
    found = sorted(rows, key=lambda one: (-one["source_count"], one["name"]))
    return [LineageNode("name", one["entity_id"], one["name"], {"type": one["type"]}) for one in found]


def _stories(stored: Stored, ids: Iterable[str]) -> list[LineageNode]:
    wanted = sorted(ids)
    stories = [LineageNode("storyline", one["storyline_id"], one["name"])
               for one in stored.rows("storylines", storyline_id=wanted)]  # fmt: skip
    return stories + [
        LineageNode("macro", one["macro_id"], one["name"]) for one in stored.rows("macros", macro_id=wanted)
    ]


def _notes(rows: Iterable[Row]) -> list[LineageNode]:
    unique = {one["note_id"]: one for one in rows}
    return [LineageNode("note", key, shortened(one["content"])) for key, one in sorted(unique.items())]


def _memory(row: Row, facts: dict[str, str] | None = None) -> LineageNode:
    said = {"said": row["said_at"].date().isoformat()} | (facts or {})
    return LineageNode("memory", row["memory_id"], row["text"], said)


def _row_of(stored: Stored, memory_id: str) -> int:
    return int(stored.memories.rows["memory_id"].index_of(memory_id) or 0)


def _answers(stored: Stored, source_id: str, span: tuple[int, int] | None) -> list[LineageNode]:
    return [answer_node(one) for one in stored.answers.quoting(source_id, span)] if stored.answers else []


def _checks(stored: Stored, row: Row) -> list[LineageNode]:
    """Return the claims that a page helped to answer; of a claim only its hash is kept."""
    found = []
    for one in stored.checks(row["uri"].partition("#")[0]):
        times = {"checked": one["checked_at"][:19], "from memory until": one["fresh_until"][:19]}
        facts = times | {"search ended": one["stop"]}
        found.append(LineageNode("claim", "", f"a claim with the hash {one['key']}", facts))
    return found


def _enders(stored: Stored, memory_id: str) -> list[LineageNode]:
    """Return what has ended a statement by now, with the rule."""
    found = Endings(stored.memories).of(_row_of(stored, memory_id), Moment(datetime.now(UTC)))
    return [_memory(stored.memories.take(np.array([one.row]))[0], _rule(one)) for one in found]


def _rule(one: Ender) -> dict[str, str]:
    return {"rule": one.rule + ("" if one.sure else ", perhaps"), "since": one.since.date().isoformat()}


def _ended(stored: Stored, ids: Iterable[str]) -> list[LineageNode]:
    """Return the statements that these have ended by now, each with the rule."""
    endings, now = Endings(stored.memories), Moment(datetime.now(UTC))
    own = {_row_of(stored, one) for one in ids}
    candidates = sorted({row for one in sorted(own) for row in _comparable(stored, endings, one)} - own)
    found = {row: [one for one in endings.of(row, now) if one.row in own] for row in candidates}
    hit = [(row, enders[0]) for row, enders in found.items() if enders]
    rows = stored.memories.take(np.array([row for row, _ in hit], np.int64)) if hit else []
    return [_memory(row, _rule(ender)) for row, (_, ender) in zip(rows, hit, strict=True)]


def _comparable(stored: Stored, endings: Endings, row: int) -> list[int]:
    """Return the statements that share most with one, rare words before frequent ones; what it may have ended."""
    index, facet = stored.memories, endings.facet(row)
    score: dict[int, float] = {}
    for word in sorted(facet.words | facet.concepts):
        having = index.words.having(word)
        weight = math.log(1 + index.rows.height / max(len(having), 1))
        for other in having[-1000:].tolist():
            score[other] = score.get(other, 0.0) + weight
    score.pop(row, None)
    return sorted(score, key=lambda one: (-score[one], one))[:MOST_COMPARED]
