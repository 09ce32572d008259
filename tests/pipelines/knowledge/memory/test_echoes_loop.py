"""An agent that repeats retrieved text for a month: with echo detection none of it counts as evidence."""

from datetime import timedelta
from pathlib import Path

import polars as pl

from brain_pipelines.knowledge.echo_filter import without_echoes
from brain_pipelines.knowledge.memory.retrieval_echoes import find_echoes
from brain_pipelines.knowledge.memory.salience import compute_salience
from brain_retrieval.home import Home
from brain_retrieval.settings import MemorySettings
from brain_retrieval.stores.access_log import AccessLog
from tests.pipelines.knowledge.memory.agents import FACT, SHOWN, day, session, texts

DAYS = 32


def extracted(sources: list[dict]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return entities and mentions for each occurrence of "Nina"."""
    mentions, entities = [], []
    for source in sources:
        places = [n for n in range(len(source["text"])) if source["text"].startswith("Nina", n)]
        key = f"nina@{source['source_id']}"
        entities += [{"entity_id": key, "source_id": source["source_id"], "mention_count": len(places)}] * bool(places)
        mentions += [{"entity_id": key, "source_id": source["source_id"], "start": n, "end": n + 4} for n in places]
    return pl.DataFrame(entities), pl.DataFrame(mentions)


def test_repeated_output_adds_no_evidence_over_32_days(tmp_path: Path) -> None:
    """Each day the agent retrieves the newest passage about Nina, soon its own output, and repeats it."""
    sources = [session("note", ("Alice", FACT), at=0, kind="note")]
    chunks = {"note": FACT}
    with AccessLog(Home(tmp_path).space("alice")) as log:
        for number in range(1, DAYS + 1):
            newest = sources[-1]["source_id"]
            log.record([("source", newest), ("chunk", newest)], session=f"run-{number}", at=day(number))
            answer = f"According to your notes, {chunks[newest]}" if number % 2 else chunks[newest]
            said = session(f"run-{number:02}", ("user", "Where are we?"), ("assistant", answer), at=number)
            said["event_at"] += timedelta(minutes=5)
            sources.append(said)
            chunks[said["source_id"]] = FACT
        recalls = log.recalls(day(DAYS + 1))
    shown = recalls.filter(pl.col("item") == "chunk").select(
        chunk_id="item_id", source_id="item_id", text=pl.col("item_id").replace_strict(chunks), at="at"
    )
    entities, mentions = extracted(sources)
    echoes = find_echoes(texts(*sources), shown.cast(SHOWN))  # type: ignore[arg-type]
    kept = without_echoes(entities, mentions, echoes)
    assert (entities.height, entities["mention_count"].sum()) == (DAYS + 1, DAYS + 1)
    assert kept.to_dicts() == [{"entity_id": "nina@note", "source_id": "note", "mention_count": 1}]
    items = pl.DataFrame(
        {"item": "source", "item_id": "note", "created_at": day(0), "confidence": 1.0, "ttl_policy": "decay",
         "sensitivity": "normal", "initial": 0.5},
    )  # fmt: skip
    (row,) = compute_salience(items, recalls, now=day(DAYS + 1), settings=MemorySettings()).to_dicts()
    assert (row["access_count"], row["state"]) == (1, "active")
