"""Throughput of the pipeline in documents and chunks per second, against the bare embedder on the same chunks.

    python benchmarks/ingest.py [--documents 400] [--days 31] [--words 400] [--repeat 3]

The floor embeds exactly the texts that the pipeline embeds, with the same model object, and nothing else. `index path`
is raw → text → chunks → embeddings through a Dagster run; extractions and enrichments are reported separately.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from datetime import date, datetime, timedelta
from pathlib import Path

APART = ("extractions", "enrichments")  # not part of the floor
QUIET_INSTANCE = {"telemetry": {"enabled": False}}
WORDS = (
    "the a of and to in for with on project review deadline budget team design library release meeting decision "
    "customer report search index graph memory storyline schedule travel kitchen garden recipe invoice contract "
    "Alice Bob Carol Lisbon Berlin moved decided planned wrote fixed shipped delayed prefers maintains leads depends"
).split()


def write_inbox(home: Path, documents: int, days: int, words: int) -> None:
    """Write Markdown notes of about `words` words with headings and paragraphs, spread over `days` days."""
    rng = random.Random(7)
    folder = home / "inbox" / "bench" / "note"
    folder.mkdir(parents=True)
    for n in range(documents):
        day = date(2026, 1, 1) + timedelta(days=n % days)
        paragraphs = []
        for p in range(max(1, words // 80)):
            sentences = [" ".join(rng.choices(WORDS, k=rng.randint(8, 16))).capitalize() + "." for _ in range(7)]
            paragraphs.append((f"## Part {p}\n\n" if p % 2 == 0 else "") + " ".join(sentences))
        path = folder / f"note-{n:05}.md"
        path.write_text(f"# Note {n}\n\n" + "\n\n".join(paragraphs) + "\n")
        stamp = datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp()
        os.utime(path, (stamp, stamp))


def run(documents: int, days: int, words: int) -> dict[str, float]:
    """Return seconds per step, and the counts, for one new home."""
    import dagster as dg

    from brain_pipelines.definitions import build_defs
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.scan import scan_inbox
    from brain_pipelines.orchestration.days.calendar import Calendar
    from brain_pipelines.orchestration.partitions import range_tags
    from brain_pipelines.stages.registry import STAGES
    from brain_retrieval.home import Home
    from brain_retrieval.models.embedding.build import build_embedder
    from brain_retrieval.settings import load_settings
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.index.migration import active_index

    with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
        path = Path(directory)
        write_inbox(path, documents, days, words)
        home = Home(path)
        space, settings = home.space("bench"), load_settings(path)
        embedder = build_embedder(settings.embedding)
        embedder.embed(["warm up"])
        figures: dict[str, float] = {}

        began = time.perf_counter()
        with open_landing(space, settings) as landing:
            scan_inbox(space, landing, until=time.monotonic() + 3600)
        figures["landing"] = time.perf_counter() - began

        with dg.DagsterInstance.local_temp(overrides=QUIET_INSTANCE) as instance:
            instance.add_dynamic_partitions("users", ["bench"])
            job = build_defs(home).resolve_job_def("note")
            last = (date(2026, 1, 1) + timedelta(days=days - 1)).isoformat()
            quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
            began = time.perf_counter()
            result = job.execute_in_process(
                instance=instance,
                tags=range_tags("bench", "2026-01-01", last, Calendar(date(2024, 1, 1))),
                run_config=quiet,
            )
            figures["run"] = time.perf_counter() - began
            for stage in STAGES:
                event = result.asset_materializations_for_node(f"note__{stage.name}")[0]
                figures[stage.name] = float(event.metadata["seconds"].value)  # type: ignore[arg-type]

        with Catalog(space) as catalog:
            index = active_index(space, catalog)
            assert index is not None
            texts = index.read(columns=["search_text"])["search_text"].to_pylist()
        began = time.perf_counter()
        embedder.embed(texts)
        figures["floor"] = time.perf_counter() - began
        figures["chunk_count"], figures["documents"] = len(texts), documents
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--days", type=int, default=31)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    runs = [run(args.documents, args.days, args.words) for _ in range(args.repeat)]
    median = {key: statistics.median(r[key] for r in runs) for key in runs[0]}
    orchestration = median["run"] - sum(median[s] for s in ("raw", "text", "chunks", "embeddings", *APART))
    path = median["run"] - sum(median[s] for s in APART)
    print(
        f"{median['documents']:.0f} documents, {median['chunk_count']:.0f} chunks, {args.days} days in one run, "
        f"median of {args.repeat}\n"
    )
    print("| step | seconds | share of the index path |\n|---|---|---|")
    for step in ("raw", "text", "chunks", "embeddings"):
        print(f"| {step} | {median[step]:.2f} | {median[step] / path:.0%} |")
    print(
        f"| Dagster (events of {args.days} × 6 partitions, checks) | {orchestration:.2f} | {orchestration / path:.0%} |"
    )
    print(
        f"| **index path** | **{path:.2f}** | "
        f"{median['documents'] / path:.1f} documents/s, {median['chunk_count'] / path:.1f} chunks/s |"
    )
    print(f"| bare embedder (floor) | {median['floor']:.2f} | {median['chunk_count'] / median['floor']:.1f} chunks/s |")
    ratios = [r["floor"] / (r["run"] - sum(r[s] for s in APART)) for r in runs]
    print(f"| **floor / index path** | **{statistics.median(ratios):.2f}** | {min(ratios):.2f}–{max(ratios):.2f} |")
    for step in APART:
        print(f"| {step} (apart) | {median[step]:.2f} | {median[step] / path:.0%} |")
    print(f"| landing (copy, hash, record) | {median['landing']:.2f} | |")


if __name__ == "__main__":
    main()
