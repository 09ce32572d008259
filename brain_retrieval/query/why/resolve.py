"""What an id means: a memory, a relation, a passage, a source, a name, a storyline … or a place in a source."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.live_entities import live_entity
from brain_retrieval.knowledge.lookup import find_entities, suggestions
from brain_retrieval.query.why import roots
from brain_retrieval.query.why.node import LineageNode
from brain_retrieval.query.why.stored import Row, Stored

LONGEST, MOST_NEAR, LEAST_DIGITS = 2000, 5, 4
SPAN = re.compile(r"(\d{1,12}):(\d{1,12})\]")  # behind a uri and "[", as hits and evidence print it
Make = Callable[[Stored, Row, int], LineageNode]
Found = tuple[str, Make, Row]
# Kind of id -> table of the newest snapshot, its column, and how a row is shown.
SNAPSHOT: dict[str, tuple[str, str, Make]] = {
    "fact": ("known_facts", "fact_id", roots.of_relation),
    "storyline": ("storylines", "storyline_id", roots.of_storyline),
    "macro": ("macros", "macro_id", roots.of_macro),
    "note": ("notes", "note_id", roots.of_note),
}
# Kind of id -> table of the lake. A relation as one source states it has the same kind of id as one of the snapshot.
LAKE: dict[str, tuple[str, str, Make]] = {
    "chunk": ("chunks", "chunk_id", roots.of_passage),
    "mention": ("mentions", "mention_id", roots.of_mention),
    "fact": ("facts", "fact_id", roots.of_stated),
    "source": ("raw", "source_id", roots.of_source),
}


def resolve(stored: Stored, asked: str) -> tuple[Found, list[str]]:
    """Return what an id, a uri, an address, a hash or a name means, and the other names it could mean.

    Raises:
        InvalidQueryError: if this user has nothing of that id; the message names the nearest there are.
    """
    wanted = asked.strip()
    if not wanted or len(wanted) > LONGEST:
        raise InvalidQueryError("say what is meant: an id, a uri or a name")
    kind = wanted.partition("_")[0]
    found = _by_id(stored, wanted, kind) or _by_place(stored, wanted) or _by_address(stored, wanted)
    if found is not None:
        return found, []
    named = _by_name(stored, wanted)
    if named is not None:
        return named
    near = _near(stored, wanted, kind)
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise InvalidQueryError(f"nothing here has the id or name {wanted[:200]!r}{hint}")


def _by_id(stored: Stored, wanted: str, kind: str) -> Found | None:
    if kind == "memory":
        row = stored.memory(wanted)
        return None if row is None else (kind, roots.of_memory, row)
    if kind == "answer":
        kept = stored.answers.kept(wanted) if stored.answers else None
        return None if kept is None else (kind, roots.of_answer, vars(kept))
    if kind in SNAPSHOT:
        table, column, make = SNAPSHOT[kind]
        if rows := stored.rows(table, **{column: wanted}):
            return kind, make, rows[0]
    if kind in LAKE:
        table, column, make = LAKE[kind]
        if rows := stored.find(f"SELECT * FROM {table} WHERE {column} = $1 LIMIT 1", wanted):
            return ("stated" if table == "facts" else kind), make, rows[0]
    return None


def _by_place(stored: Stored, wanted: str) -> Found | None:
    """Return the place that "uri [first:last]" means."""
    uri, _, span = wanted.rpartition("[")
    match = SPAN.fullmatch(span)
    item = stored.item(uri.strip()) if match else None
    if match is None or item is None:
        return None
    first, last = int(match[1]), int(match[2])
    rows = stored.of_source("text", item["source_id"], item["source"], item["day"])
    length = len(rows[0]["text"]) if rows else 0
    if not 0 <= first < last <= length:
        raise InvalidQueryError(f"the text of {item['uri']} has {length} characters; {first}:{last} is not in it")
    return "place", roots.of_place, {**item, "span": (first, last)}


def _by_address(stored: Stored, wanted: str) -> Found | None:
    """Return the source with a uri, a web address, or a hash of its bytes."""
    digest = wanted.removeprefix("sha256:")
    if re.fullmatch(r"[0-9a-f]{64}", digest):
        column, value = "sha256", digest
    elif wanted.startswith(("http://", "https://")):
        column, value = "url", wanted
    else:
        column, value = "uri", wanted if wanted.startswith("inbox:") else f"inbox:{wanted}"
    rows = stored.find(f"SELECT * FROM raw WHERE {column} = $1 ORDER BY received_at DESC, source_id LIMIT 1", value)
    if not rows and column == "uri":  # a file with several items: the first of them
        begins = f"{value}#"
        rows = stored.find("SELECT * FROM raw WHERE starts_with(uri, $1) ORDER BY uri, source_id LIMIT 1", begins)
    return ("source", roots.of_source, rows[0]) if rows else None


def _by_name(stored: Stored, wanted: str) -> tuple[Found, list[str]] | None:
    if stored.known.day is None:
        try:
            return ("live", roots.of_live_name, live_entity(stored.space, wanted)), []
        except InvalidQueryError:
            return None
    ids = find_entities(stored.table("entity_names"), wanted)
    if not ids:  # the id of a name within one source
        member = stored.rows("entity_members", member_id=wanted)
        ids = [member[0]["entity_id"]] if member else []
    rows = stored.rows("known_entities", entity_id=ids[0]) if ids else []
    others = [f"{stored.known.display_name(one)} ({one})" for one in ids[1 : MOST_NEAR + 1]]
    return (("name", roots.of_name, rows[0]), others) if rows else None


def _near(stored: Stored, wanted: str, kind: str) -> list[str]:
    """Return ids that begin alike, uris with a similar file name, or similar names."""
    digits = wanted.partition("_")[2]
    if len(digits) >= LEAST_DIGITS and kind in {"memory", *SNAPSHOT, *LAKE}:
        return _beginning(stored, kind, f"{kind}_{digits[:LEAST_DIGITS]}")
    if wanted.startswith("inbox:") or "/" in wanted or "." in wanted:
        rows: list[Any] = stored.find("SELECT DISTINCT uri FROM raw ORDER BY uri LIMIT 20000")
        uris = {row["uri"].rpartition("/")[2].lower(): row["uri"] for row in rows}
        near = get_close_matches(wanted.partition("[")[0].strip().rpartition("/")[2].lower(), list(uris), MOST_NEAR)
        return [uris[one] for one in near]
    return suggestions(stored.table("entity_names"), wanted, MOST_NEAR)


def _beginning(stored: Stored, kind: str, start: str) -> list[str]:
    found: set[str] = set()
    if kind == "memory":
        ids = stored.memories.rows["memory_id"]
        found |= set(ids.filter(ids.str.starts_with(start)).to_list())
    if kind in SNAPSHOT:
        table, column, _ = SNAPSHOT[kind]
        ids = stored.table(table)[column]
        found |= set(ids.filter(ids.str.starts_with(start)).to_list())
    if kind in LAKE:
        table, column, _ = LAKE[kind]
        sql = f"SELECT DISTINCT {column} AS id FROM {table} WHERE starts_with({column}, $1) ORDER BY id LIMIT 20"
        found |= {row["id"] for row in stored.find(sql, start)}
    return sorted(found)[:MOST_NEAR]
