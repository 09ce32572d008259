"""From a span of a source down: sentence → passage → text → original bytes → how they arrived."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from brain_retrieval.home import Space
from brain_retrieval.query.hits import clock
from brain_retrieval.query.why.node import LineageNode
from brain_retrieval.query.why.original import place_in, state_of
from brain_retrieval.query.why.stored import Row, Stored

SHOWN = 160  # characters of a text
MOST_PARENTS = 4  # an attachment of a mail of an archive …
_FETCH = {"asked-url": "asked for", "status": "status", "via": "linked from", "depth": "links from the seed"}
_FETCH |= {"job": "crawl", "rendered": "rendered"}


def sentence(stored: Stored, item: Row, span: tuple[int, int], quote: str = "") -> LineageNode:
    """Return a span of a source with all below it; `quote` are its characters, read if not given."""
    text = _text_row(stored, item)
    words = quote or (text["text"][span[0] : span[1]] if text else "")
    found = _passages(stored, item, span)
    inner = text_node(stored, item, span, words)
    below = (passage_node(stored, found[0], (inner,)),) if found else (inner,)
    return LineageNode("sentence", f"{item['uri']} [{span[0]}:{span[1]}]", shortened(words), {}, None, below, 0,
                (item["source_id"], *span))  # fmt: skip


def passage_node(stored: Stored, row: Row, below: tuple[LineageNode, ...]) -> LineageNode:
    """Return a row of CHUNKS as a node."""
    facts = {"characters": f"{row['start']}–{row['end']} of the text", "tokens": str(row["token_count"])}
    facts |= {name: value for name, value in {"section": row["section"], "place": _place(row)}.items() if value}
    source = (row["source_id"], row["start"], row["end"])
    return LineageNode(
        "passage", row["chunk_id"], shortened(row["text"]), facts, stored.made("chunks", row), below, 0, source
    )


def text_node(stored: Stored, item: Row, span: tuple[int, int] | None = None, quote: str = "") -> LineageNode:
    """Return the text of a source and the bytes it was read from; only the bytes if it could not be read."""
    text = _text_row(stored, item)
    if text is None:
        return original_node(stored, item, None)
    place = None
    path = stored.space.blob(item["sha256"])
    if span is not None and path.is_file():
        place = place_in(path, text["segments"] or (), *span, quote)
    facts = {"length": f"{len(text['text'])} characters"}
    facts |= {"language": text["language"]} if text["language"] else {}
    facts |= {"authors": ", ".join(text["authors"])} if text["authors"] else {}
    facts |= _recognised(text)
    below = (original_node(stored, item, None if place is None else str(place)),)
    return LineageNode("text", text["source_id"], text["title"], facts, stored.made("text", text), below)


def original_node(stored: Stored, item: Row, place: str | None) -> LineageNode:
    """Return the original bytes of a source and how they arrived."""
    facts = {"file": f"{item['name']}, {item['mime']}, {item['bytes']} bytes"}
    facts |= {"place in it": place} if place else {}
    facts |= {"state": state_of(stored.space, item["sha256"]), "path": _blob_path(stored.space, item["sha256"])}
    made = stored.made("raw", item)
    return LineageNode("original", f"sha256:{item['sha256']}", "", facts, made, (arrival_node(stored, item),))


def arrival_node(stored: Stored, item: Row, parents: int = MOST_PARENTS) -> LineageNode:
    """Return how a source arrived: a file of the inbox, a fetched page, a message, a part of another source."""
    meta: Mapping[str, str] = json.loads(item["meta"])
    file, _, fragment = item["uri"].partition("#")
    facts = {"received": stamp(item["received_at"]), "happened": f"{stamp(item['event_at'])} ({item['event_from']})"}
    facts |= {"trust": item["trust"]} | ({"item": unquote(fragment)} if fragment else {})
    if item["url"]:
        facts |= {"address": item["url"]} | {said: meta[name] for name, said in _FETCH.items() if meta.get(name)}
        facts |= {"redirected": meta["redirects"].replace(" ", " → ")} if meta.get("redirects") else {}
        facts |= {"fetched": stamp(item["fetched_at"])} if item["fetched_at"] else {}
    others = {"headers", "url", "fetched_at", "redirects", *_FETCH}
    facts |= {name: str(value) for name, value in sorted(meta.items()) if name not in others and value}
    parent = stored.item(item["parent_id"]) if item["parent_id"] and parents else None
    below = () if parent is None else (_parent(stored, parent, parents - 1),)
    words = "fetched page" if item["url"] and item["fetched_at"] else "file of the inbox"
    there = (stored.space.inbox / unquote(file.removeprefix("inbox:"))).is_file()
    facts |= {"in the inbox": "still" if there else "not any more"}
    return LineageNode("arrival", file, words, facts, None, below)


def source_node(stored: Stored, item: Row) -> LineageNode:
    """Return a source as a whole."""
    return LineageNode("source", item["source_id"], item["uri"], described(item), None, (text_node(stored, item),), 0,
                (item["source_id"], 0, 0))  # fmt: skip


def described(item: Row) -> dict[str, str]:
    """Return of what kind a source is and when it happened."""
    return {"type": item["source"], "happened": item["event_at"].date().isoformat()}


def shortened(text: str, most: int = SHOWN) -> str:
    """Return a text on one line, its end left out if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def stamp(at: datetime) -> str:
    """Return a time to the second in ISO 8601."""
    return at.isoformat(timespec="seconds")


def _parent(stored: Stored, parent: Row, left: int) -> LineageNode:
    below = (arrival_node(stored, parent, left),)
    facts = described(parent) | {"SHA-256": parent["sha256"]}
    return LineageNode("source", parent["source_id"], parent["uri"], facts, None, below)


def _text_row(stored: Stored, item: Row) -> Row | None:
    found = stored.of_source("text", item["source_id"], item["source"], item["day"])
    return found[0] if found else None


def _passages(stored: Stored, item: Row, span: tuple[int, int]) -> list[Row]:
    """Return the passages that hold a span, the one that holds most of it and begins first before others."""
    found = stored.of_source("chunks", item["source_id"], item["source"], item["day"])
    holding = [row for row in found if row["start"] < span[1] and row["end"] > span[0]]
    return sorted(holding, key=lambda row: (max(row["start"], span[0]) - min(row["end"], span[1]), row["position"]))


def _place(row: Row) -> str:
    seconds = "–".join(clock(at) for at in (row["start_seconds"], row["end_seconds"]) if at is not None)
    return ", ".join(part for part in (f"p. {row['page']}" if row["page"] else "", row["cells"], seconds) if part)


def _recognised(text: Row) -> dict[str, str]:
    """Return what recognised a text that was not written as one: a model, and how sure it was."""
    found: Any = json.loads(text["attributes"]).get("provenance") or {}
    if not found.get("origin") or found["origin"] == "file":
        return {}
    sure = found.get("confidence")
    return {"recognised by": found["origin"] + (f", {sure:.2f} sure" if sure is not None else "")}


def _blob_path(space: Space, sha256: str) -> str:
    return space.blob(sha256).relative_to(space.home).as_posix()
