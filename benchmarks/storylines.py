"""Seconds and memory of storylines, macros and summaries by size of history; the floor groups the same rows.

    python benchmarks/storylines.py [--rows 300000] [--anchors 20000] [--steps 3]

Each step is ten times larger than the previous one. Mentions follow a power law over anchors and nine years of days.
The floor counts sources and days of every entity with polars and builds nothing. Summaries are measured for a first
snapshot, and for the next one, after one new source for every tenth anchor with a storyline.
"""

import argparse
import random
import resource
import time
from datetime import UTC, datetime, timedelta

import polars as pl

START = datetime(2018, 1, 1, tzinfo=UTC)
DAYS = 3200
WORDS = [f"word{n}" for n in range(3000)]


def frames(rows: int, anchors: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return members, known entities and sources of a synthetic history; about ten mentions per source."""
    rng = random.Random(7)
    count = rows // 10
    days = sorted(rng.randrange(DAYS) for _ in range(count))
    types = ("note", "email", "slack-thread", "meeting")
    sources = pl.DataFrame(
        {
            "source_id": [f"src_{n:07}" for n in range(count)],
            "source_type": [types[n % 4] for n in range(count)],
            "title": [f"Source {n}" for n in range(count)],
            "event_at": [START + timedelta(days=day) for day in days],
            "summary": ["What was said." for _ in range(count)],
            "keywords": [rng.sample(WORDS, 8) for _ in range(count)],
            "parent_id": pl.Series([None] * count, dtype=pl.String),
        }
    ).with_columns(pl.col("event_at").dt.cast_time_unit("us"))
    weights = [1 / (n + 10) ** 0.9 for n in range(anchors)]
    who = rng.choices(range(anchors), weights, k=rows)
    members = pl.DataFrame(
        {"entity_id": [f"entity_{n:06}" for n in who], "source_id": [f"src_{rng.randrange(count):07}" for _ in who]}
    )
    names = [f"entity_{n:06}" for n in range(anchors)]
    known = pl.DataFrame(
        {"entity_id": names, "name": names, "type": "Person", "is_owner": [n == 0 for n in range(anchors)]}
    )
    return members, known.with_columns(aliases=pl.concat_list("name"), first_mentioned_at=pl.lit(START)), sources


def floor(members: pl.DataFrame, sources: pl.DataFrame) -> float:
    began = time.perf_counter()
    members.unique().join(sources, on="source_id").group_by("entity_id").agg(
        pl.len(), pl.col("event_at").dt.date().n_unique()
    )
    return time.perf_counter() - began


def summarise(sources, members, lines, attached, macros, build) -> tuple[float, float, int]:
    """Return seconds of a first snapshot and of the next one, and how many summaries the second reused."""
    from brain_pipelines.knowledge.memory.citation_check import unsupported
    from brain_pipelines.knowledge.memory.summaries import build_summaries
    from brain_retrieval.stores.memory_tables import SUMMARIES

    rng = random.Random(9)
    said = [
        {"source_id": s, "text": " ".join(" ".join(rng.choices(WORDS, k=12)).capitalize() + "." for _ in range(8))}
        for s in [*sources["source_id"], "src_new"]
    ]
    texts, spans = pl.DataFrame(said), pl.DataFrame([{"source_id": "", "summary_spans": [{"start": 0, "end": 0}]}])
    began = time.perf_counter()
    first = build_summaries(lines, attached, macros, texts, spans, pl.DataFrame(SUMMARIES.empty_table()))
    snapshot = time.perf_counter() - began
    assert unsupported(first.rows, texts) == []
    came = lines["anchor_id"].unique().sort()[::10]
    more = pl.DataFrame({"entity_id": came}).with_columns(source_id=pl.lit("src_new"))
    new = sources[-1:].with_columns(source_id=pl.lit("src_new"))
    lines, attached, macros = build(pl.concat([members, more]), pl.concat([sources, new]))
    began = time.perf_counter()
    second = build_summaries(lines, attached, macros, texts, spans, first.rows)
    return snapshot, time.perf_counter() - began, second.carried


def measure(rows: int, anchors: int) -> None:
    from brain_pipelines.knowledge.memory.macros import build_macros
    from brain_pipelines.knowledge.memory.storylines import build_storylines
    from brain_retrieval.settings.knowledge import MemorySettings

    members, known, sources = frames(rows, anchors)
    settings, now = MemorySettings(), START + timedelta(days=DAYS)

    def build(members, sources):
        recalls = {f"entity_{n:06}": 1 for n in range(0, anchors, 2)}
        lines, attached = build_storylines(members, known, sources, recalls=recalls, now=now, settings=settings)
        return lines, attached, build_macros(lines, known, now=now, settings=settings)

    base = floor(members, sources)
    began = time.perf_counter()
    lines, attached, macros = build(members, sources)
    seconds = time.perf_counter() - began
    first, second, carried = summarise(sources, members, lines, attached, macros, build)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{rows:>9,} rows {anchors:>7,} anchors: {seconds:6.2f} s  floor {base:6.3f} s  ratio {seconds / base:4.0f}  "
        f"{lines.height:>6,} storylines {macros.height:>6,} macros\n"
        f"{'':>9} summaries: first snapshot {first:6.2f} s, next {second:6.2f} s with {carried:,} carried over; "
        f"peak {peak:,.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--anchors", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    for step in reversed(range(options.steps)):
        measure(options.rows // 10**step, options.anchors // 10**step)


if __name__ == "__main__":
    main()
