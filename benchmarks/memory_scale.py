"""Time of questions about memories by their number, against a bare scan of the same files for the same word.

    python -m benchmarks.memory_scale --rows 1000 --rows 10000 --rows 100000 --rows 1000000

The memories are made up (`memory_history.py`) and written into a real lake, compacted by months, of a temporary home
without a snapshot. "Frequent" is the person in most of them, "rare" a noun in few. Each question is asked `--times`
times in one process; "first" is the first one of a new process, after imports. The floor reads the texts from Parquet
with polars and counts those with the word. CPU time is that of all threads. Prints one Markdown table.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import typer

from benchmarks.memory_history import Sentences
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.lake_files import write_file

USER = "bench"
START = datetime(2022, 1, 1, 9, tzinfo=UTC)
SOURCES = ("note", "conversation", "email")
A_SOURCE = 5  # memories of a document
A_DAY = 50  # memories of a day, until there are MOST_DAYS
MOST_DAYS = 1095
MOST_MADE = 100_000  # memories that differ; more are the same ones in other sources
FIRST = """
import sys, time
from benchmarks.memory_scale import knowledge_of
began, busy = time.perf_counter(), time.process_time()
knowledge_of(sys.argv[1]).memories(sys.argv[2])
print(f"{1000 * (time.perf_counter() - began):,.0f} ({1000 * (time.process_time() - busy):,.0f})")
"""


def knowledge_of(home: Path | str) -> Knowledge:
    return Knowledge(Home(Path(home)).space(USER), load_settings(Path(home)))


def write_memories(home: Path, rows: int) -> Sentences:
    """Fill the lake of USER with memories, and with the entities in them; return their sentences."""
    rng = random.Random(rows)
    sentences, made = Sentences(rows, rng), []
    for number in range(min(rows, MOST_MADE) // A_SOURCE):
        at = START + timedelta(days=rng.randrange(min(MOST_DAYS, max(30, rows // A_DAY))), minutes=rng.randrange(600))
        source, source_id = rng.choice(SOURCES), content_id("source", number)
        known = {"source_id": source_id, "source": source, "uri": f"inbox:{source}/{number}", "ttl_policy": None}
        known |= {"day": at.date().isoformat(), "event_at": at, "received_at": at, "method": "local"}
        known |= {"trust": "owner", "sensitivity": "normal", "code_version": "1", "config_hash": ""}
        made += [{**known, **sentences.row(source_id, place, at)} for place in range(A_SOURCE)]
    once = pa.Table.from_pylist(made, TABLES["memories"])
    copies = [copied(pl.DataFrame(pl.from_arrow(once)), number) for number in range(max(1, rows // once.num_rows))]
    space, memories = Home(home).space(USER).create(), pl.concat(copies)
    write_months(space, "memories", memories)
    write_months(space, "entities", entities_of(memories))
    return sentences


def copied(memories: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return the memories as they are said in other sources."""
    ids = [pl.col(name) + f"{number or ''}" for name in ("memory_id", "source_id", "uri")]
    return memories.with_columns(ids)


def entities_of(memories: pl.DataFrame) -> pl.DataFrame:
    """Return rows of ENTITIES: each name of each source."""
    name = pl.col("entities").struct
    named = memories.explode("entities").with_columns(name=name.field("name"), type=name.field("type"))
    found = named.drop_nulls("name").unique(["source_id", "name"], maintain_order=True)
    empty = pl.DataFrame(pl.from_arrow(TABLES["entities"].empty_table())).schema
    given = {"entity_id": pl.col("source_id") + pl.col("name"), "confidence": 0.85, "mention_count": 1, "aliases": []}
    columns = [
        (given[name] if isinstance(given.get(name), pl.Expr) else pl.lit(given.get(name))).cast(kind).alias(name)
        for name, kind in empty.items()
        if name in given or name not in found.columns
    ]
    return found.with_columns(columns).select(empty.names())


def write_months(space: Space, table: str, rows: pl.DataFrame) -> None:
    """Write rows as compaction leaves them: one file for each source and month."""
    current = []
    parts = rows.sort("day").with_columns(month=pl.col("day").str.head(7)).partition_by("source", "month")
    with Catalog(space) as catalog:
        for part in parts:
            source, month = part["source"][0], part["day"][0][:7]
            arrow = part.select(TABLES[table].names).to_arrow().cast(TABLES[table])
            path = write_file(space.lake, f"{table}/{source}/{month}", "month", arrow)
            size = (space.lake / path).stat().st_size
            for day, count in part.group_by("day").len().iter_rows():
                current.append(LakeFile(table, source, day, path, count, size, content_id(path, day)))
        catalog.swap_lake_files(current, [], now=time.time())


def floor(space: Space, word: str) -> int:
    """Return how many texts have a word, by a scan of the lake files."""
    with Catalog(space) as catalog:
        paths = sorted({space.lake / file.path for file in catalog.lake_files("memories")})
    scan = pl.scan_parquet(paths).select("text").filter(pl.col("text").str.contains(word, literal=True))
    return scan.select(pl.len()).collect().item()


def questions(home: Path, sentences: Sentences) -> dict[str, Callable[[], object]]:
    knowledge, space = knowledge_of(home), Home(home).space(USER)
    frequent, rare = sentences.people[0], sentences.nouns[len(sentences.nouns) // 2]
    noun, day = sentences.nouns[20], (START + timedelta(days=20)).isoformat()
    return {
        "floor: scan for a word": lambda: floor(space, frequent),
        "facts": knowledge.memories,
        "facts about a frequent person": lambda: knowledge.memories(frequent),
        "facts about a rare thing": lambda: knowledge.memories(rare),
        "facts about a person and a thing": lambda: knowledge.memories(f"{frequent} {noun}"),
        "facts about the speaker": lambda: knowledge.memories("user"),
        "facts about a frequent person, as of": lambda: knowledge.memories(frequent, as_of=day),
        "entity card, frequent": lambda: knowledge.entity(frequent),
        "entity card, rare": lambda: knowledge.entity(sentences.firms[-1]),
    }


def measured(name: str, question: Callable[[], object], times: int) -> Iterator[str]:
    took, spent = [], []
    for _ in range(times):
        began, busy = time.perf_counter(), time.process_time()
        question()
        took.append(1000 * (time.perf_counter() - began))
        spent.append(1000 * (time.process_time() - busy))
    yield name
    yield from (f"{value:,.0f}" for value in (*np.percentile(took, [50, 95]), np.median(spent)))


def first_question(home: Path, about: str) -> str:
    command = [sys.executable, "-c", FIRST, str(home), about]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main(
    rows: list[int] = typer.Option([1000, 10_000, 100_000], help="Memories of the user; repeat it."),  # noqa: B008
    times: int = typer.Option(20, help="How often each question is asked."),
    most_all: int = typer.Option(100_000, help="The largest number of memories for which all are listed."),
) -> None:
    print("| memories | question | p50 ms | p95 ms | CPU ms | first ms (CPU) |\n" + "|---" * 6 + "|")
    for count in rows:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            sentences = write_memories(home, count)
            first = first_question(home, sentences.people[0])
            for name, question in questions(home, sentences).items():
                question()
                of_first = first if name == "facts about a frequent person" else ""
                print("|", " | ".join((f"{count:,}", *measured(name, question, times), of_first)), "|", flush=True)
            if count <= most_all:
                knowledge = knowledge_of(home)
                cells = measured("all memories", lambda known=knowledge: known.memories(every=True), 1)
                print("|", " | ".join((f"{count:,}", *cells, "")), "|", flush=True)


if __name__ == "__main__":
    typer.run(main)
