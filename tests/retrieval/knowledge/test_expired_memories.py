"""Memories of an ephemeral source end with it; those of other sources do not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories.stored import memory_index, visible
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.frames import frame

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = "2026-01-05"


def test_memories_of_an_expired_source_are_left_out(tmp_path: Path) -> None:
    space = Home(tmp_path).space("alice").create()
    cases = {"old": ("ephemeral", 30), "new": ("ephemeral", 29), "kept": ("keep_forever", 400), "plain": (None, 400)}
    rows = [
        {"memory_id": name, "source": "note", "day": DAY, "ttl_policy": ttl, "received_at": NOW - timedelta(days=age)}
        for name, (ttl, age) in cases.items()
    ]
    with Catalog(space) as catalog:
        Lake(space, catalog).replace("memories", "note", DAY, frame("memories", *rows).to_arrow())
    index = memory_index(space)
    assert set(index.rows.filter(visible(index))["memory_id"]) == {"new", "kept", "plain"}
    before = visible(index, until=NOW - timedelta(days=2))
    assert set(index.rows.filter(before)["memory_id"]) == {"old", "new", "kept", "plain"}
