"""A small real library for the search tests: two people, a conversation, notes; real embeddings, real stores."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_retrieval.home import Home, Space
from brain_retrieval.ids import content_id
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.schemas.names import ORIGIN_NAMES, PLACE_NAMES
from brain_retrieval.settings import EmbeddingSettings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.migration import ACTIVE

RECEIVED = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

TALK = [
    ("Ana", "Did you ever finish the pottery course you signed up for?"),
    ("Ben", "Yes! I made a blue bowl in the last lesson."),
    ("Ana", "Lovely. How is the kitchen renovation going?"),
    ("Ben", "Slowly, the plumber found a leak behind the writer."),
    ("Ana", "Oh no. Was it expensive?"),
    ("Ben", "About four hundred euros, and two days without water."),
]
NOTES = [
    ("2026-01-10", "phoenix.md", "Project Phoenix is led by Nina. The launch is planned for the first of April."),
    ("2026-02-14", "phoenix2.md", "Project Phoenix is now led by Omar, because Nina moved to the Berlin office."),
    ("2026-02-20", "bread.md", "Sourdough: feed the starter twice a day, bake at 230 degrees for forty minutes."),
    ("2026-02-21", "wifi.md", "The router's error code is E-4711; restarting it twice solves the problem."),
    ("2026-02-22", "tax.md", "The accountant needs all receipts for the annual tax return before May."),
]


def row(
    source: str,
    item: str,
    day: str,
    text: str,
    *,
    position: int = 0,
    start: int = 0,
    speaker: str | None = None,
    received_at: datetime = RECEIVED,
    hour: int = 12,
) -> dict[str, Any]:
    """Return one index row without its vector."""
    source_id = content_id("src", source, item)
    event_at = datetime.fromisoformat(f"{day}T{hour:02}:00:00+00:00")
    return {
        "id": content_id("chk", source_id, position, text),
        "source_id": source_id,
        "source": source,
        "uri": f"inbox:{source}/{item}",
        "day": day,
        "event_at": event_at,
        "received_at": received_at,
        "trust": "own",
        "sensitivity": "normal",
        "ttl_policy": None,
        "title": item.removesuffix(".md"),
        "position": position,
        "start": start,
        "end": start + len(text),
        "text": text,
        "context": "",
        "token_count": len(text.split()),
        "strategy": "paragraph",
        "section": None,
        **dict.fromkeys([*PLACE_NAMES, *ORIGIN_NAMES]),
        "message_ids": [f"m{position}"] if speaker else [],
        "speakers": [speaker] if speaker else [],
        "time": event_at if speaker else None,
        "code_version": "1",
        "config_hash": "c0ffee",
        "search_text": text,
    }


def talk_rows(day: str = "2026-01-05", item: str = "talk.jsonl") -> list[dict[str, Any]]:
    """Return the conversation, one chunk a turn."""
    rows, start = [], 0
    for position, (speaker, words) in enumerate(TALK):
        text = f"{speaker}: {words}"
        rows.append(row("conversation", item, day, text, position=position, start=start, speaker=speaker))
        start += len(text) + 1
    return rows


def note_rows() -> list[dict[str, Any]]:
    return [row("note", item, day, text) for day, item, text in NOTES]


def embedder() -> Embedder:
    return build_embedder(EmbeddingSettings())


def fill(home: Path, user: str, rows: Sequence[dict[str, Any]]) -> Space:
    """Write `rows` into the real index of `user`, with their real vectors, and make it the active one."""
    space = Home(home).space(user).create()
    model = embedder()
    vectors = model.embed([r["search_text"] for r in rows])
    full = [r | {"vector": vector} for r, vector in zip(rows, vectors, strict=True)]
    index = LanceIndex(space, model=model.name, dim=model.dim)
    for source in sorted({r["source"] for r in full}):
        mine = [r for r in full if r["source"] == source]
        index.replace(source, sorted({r["day"] for r in mine}), mine)
    with Catalog(space) as catalog:
        catalog.set_meta(ACTIVE, f"{model.name}|{model.dim}")
    return space
