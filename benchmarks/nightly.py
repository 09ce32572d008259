"""Cost of a snapshot by size of one user's history: CPU seconds and peak memory, stage by stage.

    python benchmarks/nightly.py [--rows 1000 10000 100000 1000000]

A history consists of sources with 12 mentions, 6 entities, 2 facts and 5 memories (`memory_history.py`) each, over days
of ten years, so a fifth of the rows are memories; names follow Zipf's law over a vocabulary that grows with the square
root of the history. It is written into a real lake in a temporary home; every stage of the snapshot then runs as in the
job, in a new process for each size. "again" is the same snapshot repeated without changes. The ratio is seconds per row
relative to the smallest history. Seconds are CPU time of all
threads of the process, so that a busy machine changes them little.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.memory_history import Sentences
from brain_retrieval.home import Home
from brain_retrieval.ids import content_id
from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.maintenance import maintain

USER = "bench"
DAY = "2026-01-01"
MEMORIES_A_SOURCE = 5
TABLES_WRITTEN = ("text", "mentions", "entities", "facts", "memories")
ROWS_A_SOURCE = 20 + MEMORIES_A_SOURCE
START = datetime(2016, 1, 1, tzinfo=UTC)
DAYS = 3650
GIVEN = "Alice Bob Carla Daniel Elena Frank Grace Hugo Ines Jonas Karin Liam Mona Nils Olga Priya Quinn Rosa".split()
SYLLABLES = "an bel cor dan el fen gar hol is jun kel lor mar nor os pel rin sol tan ul ver win".split()
PREDICATES = "work at|live in|lead|use|meet|depend on|report to|like|prefer|join|leave|move to".split("|")


def vocabulary(size: int, rng: random.Random) -> list[tuple[str, str]]:
    """Return (name, type) pairs: two sevenths people, the rest organisations, projects, places, concepts, tools."""
    names: dict[str, str] = {}
    while len(names) < size:
        word = "".join(rng.choice(SYLLABLES) for _ in range(3)).capitalize()
        kind = rng.choice(["Person", "Person", "Organization", "Project", "Location", "Concept", "Tool"])
        name = f"{rng.choice(GIVEN)} {word}" if kind == "Person" else word
        names.setdefault(name, kind)
    return list(names.items())


def write_history(home: Home, rows: int) -> None:
    """Fill the lake of USER with `rows` extraction rows and the texts they come from."""
    rng = random.Random(rows)
    sources = max(1, rows // ROWS_A_SOURCE)
    words = vocabulary(max(50, int(20 * rows**0.5)), rng)
    weights = [1 / (n + 1) for n in range(len(words))]
    sentences = Sentences(MEMORIES_A_SOURCE * sources, rng)
    by_day: dict[str, list[int]] = {}
    for number in range(sources):
        day = (START + timedelta(days=rng.randrange(DAYS))).date().isoformat()
        by_day.setdefault(day, []).append(number)
    tables: dict[str, dict[str, list[dict]]] = {name: {} for name in TABLES_WRITTEN}
    for day, numbers in by_day.items():
        for number in numbers:
            for table, row in source_rows(number, day, rng.choices(words, weights, k=6), sentences, rng):
                tables[table].setdefault(day, []).append(row)
    space = home.space(USER).create()
    with Catalog(space) as catalog:
        for table, days in tables.items():
            Lake(space, catalog).replace_many(table, "note", days)
    maintain(space)  # earlier snapshots would have compacted the lake


def source_rows(number: int, day: str, names: list[tuple[str, str]], sentences: Sentences, rng: random.Random):
    """Yield (table, row) of one source that mentions six names twice, states two facts and has five memories."""
    source_id = content_id("source", "bench", number)
    at = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    shared = {
        "source_id": source_id,
        "source": "note",
        "uri": f"inbox:note/{number}.md",
        "day": day,
        "event_at": at,
        "received_at": at,
        "trust": "owner",
        "sensitivity": "normal",
        "code_version": "1",
        "config_hash": "",
        "method": "local",
    }
    distinct = list(dict(names).items())
    pieces = [
        f"{name} {rng.choice(PREDICATES)} {other}."
        for (name, _), (other, _) in zip(distinct, distinct[1:] + distinct[:1], strict=True)
    ]
    text = " ".join(pieces * 2)
    yield (
        "text",
        filled("text", {**shared, "title": f"Note {number}", "text": text, "format": "markdown", "attributes": "{}"}),
    )
    ids = {name: content_id("entity", source_id, name) for name, _ in distinct}
    for name, kind in distinct:
        entity = {"entity_id": ids[name], "name": name, "type": kind, "confidence": 0.85, "mention_count": 2}
        yield "entities", filled("entities", {**shared, **entity})
        for nth in range(2):
            start = text.index(name) if not nth else text.rindex(name)
            mention = {"mention_id": content_id("mention", source_id, name, nth), "entity_id": ids[name], "name": name}
            span = {"type": kind, "text": name, "start": start, "end": start + len(name), "confidence": 0.85}
            yield "mentions", filled("mentions", {**shared, **mention, **span})
    for nth in range(2 if len(distinct) > 2 else 0):
        (subject, kind), (obj, other) = distinct[nth], distinct[nth + 1]
        fact = {
            "fact_id": content_id("fact", source_id, nth),
            "subject": subject,
            "subject_id": ids[subject],
            "subject_type": kind,
            "predicate": rng.choice(PREDICATES),
            "relation": "RELATED_TO",
            "object": obj,
            "object_id": ids[obj],
            "object_type": other,
            "polarity": "affirmed",
            "modality": "asserted",
            "confidence": 0.7,
            "said_at": at,
            "rule": "active",
            "start": 0,
            "end": len(pieces[0]),
            "evidence": pieces[0],
        }
        yield "facts", filled("facts", {**shared, **fact})
    for nth in range(MEMORIES_A_SOURCE):
        memory = sentences.row(source_id, nth, at, [name for name, _ in distinct])
        span = {"start": 0, "end": len(pieces[0]), "evidence": pieces[0]}
        yield "memories", filled("memories", {**shared, **memory, **span})


def filled(table: str, row: dict) -> dict:
    """Return the row with empty lists and nulls for missing columns."""
    return {f.name: row.get(f.name, [] if str(f.type).startswith("list") else None) for f in TABLES[table]}


def measure(home: Path) -> dict:
    """Run the snapshot of a home in this process, twice; return CPU seconds by stage, and the peak memory in MB."""
    from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
    from brain_pipelines.knowledge.run_snapshot import run_stage

    space, settings = Home(home).space(USER), load_settings(home)
    seconds, rows = {}, {}
    for stage in SNAPSHOT_STAGES:
        began = time.process_time()
        report = run_stage(stage, SNAPSHOT_STAGES, space, DAY, settings=settings)
        seconds[stage.name], rows = time.process_time() - began, {**rows, **report.rows}
    began = time.process_time()
    for stage in SNAPSHOT_STAGES:
        assert run_stage(stage, SNAPSHOT_STAGES, space, DAY, settings=settings).skipped or not stage.tables
    again = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = sum(p.stat().st_size for p in space.knowledge.rglob("*.parquet")) / 1e6
    return {"seconds": seconds, "again": again, "peak_mb": peak, "rows": rows, "snapshot_mb": size}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.home:
        print(json.dumps(measure(arguments.home)))
        return
    floor = None
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory() as folder:
            write_history(Home(Path(folder)), rows)
            command = [sys.executable, __file__, "--home", folder]
            result = subprocess.run(command, capture_output=True, text=True, check=True)
            found = json.loads(result.stdout.splitlines()[-1])
        total = sum(found["seconds"].values())
        floor = floor or total / rows
        stages = " ".join(f"{name} {value:.2f}" for name, value in found["seconds"].items())
        print(
            f"{rows:>9,} rows: {total:7.2f} s ({total / rows / floor:.3f}× a row), again {found['again']:.2f} s, "
            f"peak {found['peak_mb']:.0f} MB, snapshot {found['snapshot_mb']:.1f} MB"
        )
        print(f"          {stages}")
        counts = {
            k: found["rows"].get(k, 0)
            for k in ("known_sources", "known_entities", "known_facts", "storylines", "macros")
        }
        print(f"          {counts}", flush=True)


if __name__ == "__main__":
    main()
