"""Time of questions about memories by their number, against a bare scan of the same files for the same word.

    python -m benchmarks.memory_scale --rows 1000 --rows 10000 --rows 100000 --rows 1000000

The memories are made up (`memory_history.py`) and written into a real lake, compacted by months, of a temporary home
without a snapshot. "Frequent" is the person in most of them, "rare" one in few. Each question is asked `--times` times
of the same process; "first" is the first one in a new process, after imports. The floor reads the texts from Parquet
with polars and counts those with the word. Prints one Markdown table.
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
import typer

from benchmarks.memory_history import Sentences
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.schemas import TABLES
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.maintenance import maintain

USER = "bench"
START = datetime(2022, 1, 1, 9, tzinfo=UTC)
SOURCES = ("note", "conversation", "email")
A_SOURCE = 5  # memories of a document
A_DAY = 50  # memories of a day, until there are MOST_DAYS
MOST_DAYS = 1095
FIRST = """
import sys, time
from benchmarks.memory_scale import knowledge_of
began = time.perf_counter()
knowledge_of(sys.argv[1]).memories(sys.argv[2])
print(time.perf_counter() - began)
"""


def knowledge_of(home: Path | str) -> Knowledge:
    return Knowledge(Home(Path(home)).space(USER), load_settings(Path(home)))


def write_memories(home: Path, rows: int) -> Sentences:
    """Fill the lake of USER with memories, and with the entities in them; return their sentences."""
    rng = random.Random(rows)
    sentences = Sentences(rows, rng)
    days = min(MOST_DAYS, max(30, rows // A_DAY))
    parts: dict[str, dict[str, tuple[list[dict], list[dict]]]] = {source: {} for source in SOURCES}
    for number in range(rows // A_SOURCE):
        at = START + timedelta(days=rng.randrange(days), minutes=rng.randrange(600))
        source, source_id = rng.choice(SOURCES), content_id("source", number)
        memories, entities = parts[source].setdefault(at.date().isoformat(), ([], []))
        made = [sentences.row(source_id, place, at) for place in range(A_SOURCE)]
        known = about_source(source_id, source, number, at)
        memories += [filled("memories", {**known, **row}) for row in made]
        named = {one["name"]: one["type"] for row in made for one in row["entities"]}
        entities += [entity_row(known, name, kind) for name, kind in named.items()]
    space = Home(home).space(USER).create()
    with Catalog(space) as catalog:
        for source, by_day in parts.items():
            for table, place in (("memories", 0), ("entities", 1)):
                Lake(space, catalog).replace_many(table, source, {day: rows[place] for day, rows in by_day.items()})
    maintain(space)
    return sentences


def about_source(source_id: str, source: str, number: int, at: datetime) -> dict:
    texts = {"uri": f"inbox:{source}/{number}", "day": at.date().isoformat(), "method": "local", "config_hash": ""}
    times = {"event_at": at, "received_at": at}
    shared = {"source_id": source_id, "source": source, "trust": "owner", "sensitivity": "normal", "code_version": "1"}
    return {**texts, **times, **shared}


def entity_row(known: dict, name: str, kind: str) -> dict:
    entity = {"entity_id": content_id("entity", known["source_id"], name), "name": name, "type": kind}
    return filled("entities", {**known, **entity, "confidence": 0.85, "mention_count": 1})


def filled(table: str, row: dict) -> dict:
    """Return the row with empty lists and nulls for missing columns."""
    return {f.name: row.get(f.name, [] if str(f.type).startswith("list") else None) for f in TABLES[table]}


def floor(space: Space, word: str) -> int:
    """Return how many texts have a word, by a scan of the lake files."""
    with Catalog(space) as catalog:
        paths = sorted({space.lake / file.path for file in catalog.lake_files("memories")})
    scan = pl.scan_parquet(paths).select("text").filter(pl.col("text").str.contains(word, literal=True))
    return scan.select(pl.len()).collect().item()


def questions(home: Path, sentences: Sentences) -> dict[str, Callable[[], object]]:
    knowledge, space = knowledge_of(home), Home(home).space(USER)
    frequent, rare = sentences.people[0], sentences.people[-1]
    noun, day = sentences.nouns[20], (START + timedelta(days=20)).isoformat()
    return {
        "floor: scan for a word": lambda: floor(space, frequent),
        "facts": knowledge.memories,
        "facts about a frequent person": lambda: knowledge.memories(frequent),
        "facts about a rare person": lambda: knowledge.memories(rare),
        "facts about a person and a thing": lambda: knowledge.memories(f"{frequent} {noun}"),
        "facts about the speaker": lambda: knowledge.memories("user"),
        "facts about a frequent person, as of": lambda: knowledge.memories(frequent, as_of=day),
        "entity card, frequent": lambda: knowledge.entity(frequent),
        "entity card, rare": lambda: knowledge.entity(sentences.people[len(sentences.people) // 2]),
    }


def measured(name: str, question: Callable[[], object], times: int) -> Iterator[str]:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        question()
        took.append(1000 * (time.perf_counter() - began))
    yield name
    yield from (f"{np.percentile(took, part):,.0f}" for part in (50, 95))


def first_question(home: Path, about: str) -> str:
    command = [sys.executable, "-c", FIRST, str(home), about]
    return f"{1000 * float(subprocess.run(command, capture_output=True, text=True, check=True).stdout):,.0f}"


def main(
    rows: list[int] = typer.Option([1000, 10_000, 100_000], help="Memories of the user; repeat it."),  # noqa: B008
    times: int = typer.Option(20, help="How often each question is asked."),
    most_all: int = typer.Option(100_000, help="The largest number of memories for which all are listed."),
) -> None:
    print("| memories | question | p50 ms | p95 ms | first ms |\n|---|---|---|---|---|")
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
