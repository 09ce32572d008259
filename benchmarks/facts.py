"""Seconds and memory of deriving facts from one user's evidence; the floor groups the same rows by statement.

    python benchmarks/facts.py [--rows 300000] [--steps 4]

A third of the statements have predicates that allow one value at a time, one in thirty is negated, one in fifty has its
own dates. Before that: the labelled histories of the tests, read by the local extraction, compared with a baseline in
which the latest statement wins for every predicate.
"""

import argparse
import random
import resource
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

START = datetime(2018, 1, 1, tzinfo=UTC)
DAYS = 3200
FREE = ("use", "like", "know", "mention", "work on", "visit", "discuss", "fix", "write", "meet")
FUNCTIONAL = ("live in", "work at", "report to")


def evidence(rows: int) -> pl.DataFrame:
    """Return FACT_EVIDENCE of a synthetic history: ten statements per entity."""
    from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

    rng = random.Random(7)
    people = max(rows // 30, 10)
    made = [_row(n, rng, people) for n in range(rows)]
    empty = pl.DataFrame(pl.from_arrow(SNAPSHOT_TABLES["fact_evidence"].empty_table()))
    frame = pl.DataFrame(made, schema={name: empty.schema[name] for name in made[0]}, orient="row")
    missing = [pl.lit(None).cast(kind).alias(n) for n, kind in empty.schema.items() if n not in frame.columns]
    return frame.with_columns(missing).select(empty.columns)


def _row(n: int, rng: random.Random, people: int) -> dict[str, object]:
    functional = rng.random() < 1 / 3
    predicate = rng.choice(FUNCTIONAL if functional else FREE)
    person, other = rng.randrange(people), rng.randrange(people if not functional else 200)
    kind = "Person" if predicate in ("report to", "know", "meet") else "Entity"
    said = START + timedelta(days=rng.randrange(DAYS), seconds=rng.randrange(86400))
    dated = rng.random() < 0.02
    return {
        "evidence_id": f"fact_{n:08}", "source_id": f"src_{n // 8:07}", "source_type": "note", "said_at": said,
        "received_at": said + timedelta(hours=1), "subject_id": f"entity_{person:06}", "subject": f"Person {person}",
        "subject_class": "Person", "predicate": predicate, "predicate_text": predicate, "relation": "RELATED_TO",
        "object_id": f"{kind}_{other:06}", "object": f"Thing {other}", "object_class": kind,
        "object_key": f"{kind}_{other:06}", "polarity": "negated" if rng.random() < 1 / 30 else "affirmed",
        "modality": "possible" if rng.random() < 0.1 else "asserted", "confidence": 0.8,
        "stated_from": said - timedelta(days=400) if dated else None,
        "stated_to": said - timedelta(days=30) if dated and rng.random() < 0.5 else None,
        "rule": "active", "method": "local", "trust": "own", "start": 10 * (n % 8), "end": 10 * (n % 8) + 9,
        "evidence": "What was said.",
    }  # fmt: skip


def measure(rows: int) -> None:
    from brain_retrieval.knowledge.derive import derive_facts

    frame = evidence(rows)
    began = time.perf_counter()
    frame.group_by("subject_id", "predicate", "object_key", "polarity").agg(pl.len(), pl.col("said_at").min())
    floor = time.perf_counter() - began
    began, used = time.perf_counter(), time.process_time()
    facts = derive_facts(frame)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    retired = facts.filter(pl.col("status") != "current").height
    print(f"| {rows:,} | {facts.height:,} | {retired:,} | {seconds:.2f} | {cpu:.2f} | {floor:.3f} | {memory:.2f} |")


def latest_wins(rows: pl.DataFrame) -> set[str]:
    """Return the facts retired by a baseline that keeps only the last statement of every subject and predicate."""
    said = rows.filter(pl.col("modality") == "asserted").sort("said_at", "start")
    last = said.group_by("subject_id", "predicate").agg(pl.col("object_key", "polarity").last())
    retired = said.join(last, on=["subject_id", "predicate", "object_key", "polarity"], how="anti", nulls_equal=True)
    denied = pl.when(pl.col("polarity") == "negated").then(pl.lit("not ")).otherwise(pl.lit(""))
    return set(retired.select(pl.format("{}{} {} {}", denied, "subject", "predicate", "object"))["literal"].to_list())


def histories() -> None:
    """Print the share of retired facts that were retired wrongly, and the share of ended facts that were retired."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from brain_retrieval.knowledge.derive import derive_facts
    from tests.pipelines.knowledge.fact_scenarios import NOW, SCENARIOS, evidence_of, extracted, split

    counts = {"latest wins everywhere": [0, 0, 0], "Brain": [0, 0, 0]}
    ended = 0
    for scenario, found in zip(SCENARIOS, extracted(SCENARIOS), strict=True):
        rows = evidence_of(found)
        ended += len(set(scenario.past))
        by = {"latest wins everywhere": latest_wins(rows), "Brain": set(split(derive_facts(rows, now=NOW))[1])}
        for name, retired in by.items():
            wrong = len(retired - set(scenario.past))
            counts[name] = [
                a + b for a, b in zip(counts[name], (len(retired), wrong, len(retired) - wrong), strict=True)
            ]
    print(f"{len(SCENARIOS)} histories, {ended} ended facts\n")
    print("| | retired | wrongly | of ended facts |\n|---|---|---|---|")
    for name, (retired, wrong, right) in counts.items():
        print(f"| {name} | {retired} | {wrong / max(retired, 1):.0%} | {right / ended:.0%} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    histories()
    print()
    print("| evidence | facts | not current | s | CPU s | floor, s | GB |\n|---|---|---|---|---|---|---|")
    for step in reversed(range(args.steps)):
        measure(max(args.rows // 10**step, 100))


if __name__ == "__main__":
    main()
