"""Rows for the store tests: every column filled, content a function of the arguments."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from brain_retrieval.ids import content_id
from brain_retrieval.schemas.names import ORIGIN_NAMES, PLACE_NAMES

DIM = 8
DERIVED = {"code_version": "1", "config_hash": "c0ffee"}


def source_columns(source: str, day: str, item: str) -> dict[str, Any]:
    """Return the columns that every table shares."""
    return {
        "source_id": content_id("src", source, item),
        "source": source,
        "uri": f"inbox:{source}/{item}.md",
        "day": day,
        "event_at": datetime.fromisoformat(f"{day}T12:00:00+00:00"),
        "received_at": datetime(2026, 3, 1, tzinfo=UTC),
        "trust": "own",
        "sensitivity": "private",
        "ttl_policy": None,
    }


def chunk(source: str, day: str, number: int, text: str = "the quarterly budget", salt: str = "") -> dict[str, Any]:
    """Return one row of the chunks table."""
    return {
        "chunk_id": content_id("chk", salt, source, day, number),
        **source_columns(source, day, f"item{number // 4}"),
        "title": "Ünïcode 'title'",
        "position": number,
        "start": number * 10,
        "end": number * 10 + len(text),
        "text": text,
        "context": f"{day} > Notes",
        "token_count": 3,
        "strategy": "section",
        "section": None if number % 2 else "Intro > Aims",
        **dict.fromkeys([*PLACE_NAMES, *ORIGIN_NAMES]),
        "message_ids": ["m1"] if number % 3 else [],
        "speakers": ["Ana", "O'Brien"] if number % 2 else [],
        "time": None,
        **DERIVED,
    }


def chunks(source: str, day: str, count: int, **options: Any) -> list[dict[str, Any]]:
    """Return `count` rows of the chunks table for one partition."""
    return [chunk(source, day, number, **options) for number in range(count)]


def document(source: str, day: str, item: str, text: str = "some text") -> dict[str, Any]:
    """Return one row of the text table, the one with nested columns."""
    segment = dict.fromkeys(["raw_start", "raw_end", "section", *PLACE_NAMES, "message_id", "speaker", "time"])
    page = {**segment, "start": 0, "end": 4, "kind": "page", "page": 1, "time": datetime(2026, 1, 1, tzinfo=UTC)}
    return {
        **source_columns(source, day, item),
        "format": "md",
        "title": item,
        "language": None,
        "authors": ["Ana"],
        "participants": ["Ana", "Bo"],
        **dict.fromkeys(ORIGIN_NAMES),
        "attributes": "{}",
        "text": text,
        "anchors": [{**dict.fromkeys(PLACE_NAMES), "start": 0, "end": 4, "page": 1, "box": [0.0, 0.25, 0.5, 1.0]}],
        "segments": [page, {**segment, "start": 4, "end": len(text), "kind": "body"}],
        **DERIVED,
    }


def vector_of(identifier: str, dim: int = DIM) -> np.ndarray:
    """Return a unit vector that depends on the id alone."""
    seed = int.from_bytes(identifier.encode()[-8:], "big")
    vector = np.random.default_rng(seed).normal(size=dim).astype(np.float32)
    return vector / np.linalg.norm(vector)


def indexed(rows: Sequence[dict[str, Any]], dim: int = DIM) -> list[dict[str, Any]]:
    """Return index rows of chunk rows."""
    made = []
    for row in rows:
        rest = {key: value for key, value in row.items() if key != "chunk_id"}
        search_text = f"{row['context']}\n{row['text']}"
        key = row["chunk_id"]
        computed = {"search_text": search_text, "vector": vector_of(key, dim), "word_codes": codes_of(key)}
        made.append({"id": key, **rest, **computed})
    return made


def codes_of(identifier: str) -> bytes:
    """Return the code of one word that depends on the id alone."""
    return hashlib.blake2b(identifier.encode(), digest_size=16).digest()
