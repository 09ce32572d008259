"""Throughput of the pipeline in documents and chunks per second, against the bare embedder on the same chunks.

    python benchmarks/ingest.py [--documents 400] [--days 31] [--words 400] [--repeat 3]

The floor embeds exactly the texts that the pipeline embeds, with the same model object, and nothing else. `index path`
is raw → text → chunks → embeddings through a run in the Dagster instance of `brain init`; `--apart` also runs the other
stages, which are reported separately. Times are CPU seconds of the process, since other work makes wall time useless;
floor and run alternate.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

PATH = ("raw", "text", "chunks", "embeddings")
APART = ("extractions", "memory_vectors", "enrichments")  # not part of the floor
FIRST = date(2026, 1, 1)
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
        day = FIRST + timedelta(days=n % days)
        paragraphs = []
        for p in range(max(1, words // 80)):
            sentences = [" ".join(rng.choices(WORDS, k=rng.randint(8, 16))).capitalize() + "." for _ in range(7)]
            paragraphs.append((f"## Part {p}\n\n" if p % 2 == 0 else "") + " ".join(sentences))
        path = folder / f"note-{n:05}.md"
        path.write_text(f"# Note {n}\n\n" + "\n\n".join(paragraphs) + "\n")
        stamp = datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp()
        os.utime(path, (stamp, stamp))


def cpu() -> float:
    """Return CPU seconds (user and system) of this process and its children so far."""
    return sum(os.times()[:4])


def set_up(path: Path) -> None:
    """Write the configuration of `brain init` into a new home and name the home in the environment."""
    from brain_pipelines.commands.init import set_up

    set_up(path)
    os.environ |= {"BRAIN_HOME": str(path), "DAGSTER_HOME": str(path / "dagster_home")}


@contextmanager
def measured_stages() -> Iterator[dict[str, float]]:
    """Yield the CPU seconds by stage, which are known at the end."""
    from brain_pipelines.orchestration import source_assets

    found: dict[str, float] = {}
    plain = source_assets.materialize

    def measured(stage: Any, *args: Any, **options: Any) -> Any:
        began = cpu()
        try:
            return plain(stage, *args, **options)
        finally:
            found[stage.name] = cpu() - began

    source_assets.materialize = measured
    try:
        yield found
    finally:
        source_assets.materialize = plain


def run_job(home: Any, last: str, wanted: Sequence[str]) -> dict[str, float]:
    """Run stages of the notes over all days; return the CPU seconds of the run and of each stage."""
    import dagster as dg

    from brain_pipelines.definitions import build_defs
    from brain_pipelines.ingest.local_runs import open_instance
    from brain_pipelines.orchestration.days.calendar import Calendar
    from brain_pipelines.orchestration.partitions import range_tags

    with open_instance(home.path) as instance, measured_stages() as stages:
        instance.add_dynamic_partitions("users", ["bench"])
        job = build_defs(home).resolve_job_def("note")
        quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        tags = range_tags("bench", FIRST.isoformat(), last, Calendar(date(2024, 1, 1)))
        began = cpu()
        keys = [dg.AssetKey(["note", name]) for name in wanted]
        assert job.execute_in_process(instance=instance, tags=tags, run_config=quiet, asset_selection=keys).success
        return {"run": cpu() - began, **stages}


def run(documents: int, days: int, words: int, *, apart: bool = False) -> dict[str, float]:
    """Return CPU seconds per step, and the counts, for one new home."""
    from brain_pipelines.landing.landing import open_landing
    from brain_pipelines.landing.scan import scan_inbox
    from brain_retrieval.home import Home
    from brain_retrieval.models.embedding.build import build_embedder
    from brain_retrieval.settings import load_settings
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.index.migration import active_index

    with tempfile.TemporaryDirectory(prefix="brain-bench-") as directory:
        path = Path(directory)
        set_up(path)
        write_inbox(path, documents, days, words)
        home = Home(path)
        space, settings = home.space("bench"), load_settings(path)
        embedder = build_embedder(settings.embedding)
        embedder.embed(["warm up"])

        began = cpu()
        with open_landing(space, settings) as landing:
            scan_inbox(space, landing, until=time.monotonic() + 3600, settle_seconds=0)
        landed = cpu() - began
        last = (FIRST + timedelta(days=days - 1)).isoformat()
        figures = run_job(home, last, PATH)
        figures["landing"] = landed

        with Catalog(space) as catalog:
            index = active_index(space, catalog)
            assert index is not None
            texts = index.read(columns=["search_text"])["search_text"].to_pylist()
        began = cpu()
        embedder.embed(texts)
        figures["floor"] = cpu() - began
        figures["chunk_count"], figures["documents"] = len(texts), documents
        if apart:
            figures |= {name: found for name, found in run_job(home, last, APART).items() if name in APART}
        return figures


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--days", type=int, default=31)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--apart", action="store_true")
    args = parser.parse_args()
    run(2, 2, args.words)  # warms up imports and models
    runs = [run(args.documents, args.days, args.words, apart=args.apart) for _ in range(args.repeat)]
    median = {key: statistics.median(r[key] for r in runs) for key in runs[0]}
    path = median["run"]
    print(
        f"{median['documents']:.0f} documents, {median['chunk_count']:.0f} chunks, {args.days} days in one run, "
        f"median of {args.repeat}\n"
    )
    print("| step | CPU seconds | share of the index path |\n|---|---|---|")
    for step in PATH:
        print(f"| {step} | {median[step]:.2f} | {median[step] / path:.0%} |")
    orchestration = path - sum(median[step] for step in PATH)
    print(
        f"| Dagster ({args.days} × {len(PATH)} partitions, checks) | {orchestration:.2f} | {orchestration / path:.0%} |"
    )
    print(
        f"| **index path** | **{path:.2f}** | "
        f"{median['documents'] / path:.1f} documents/s, {median['chunk_count'] / path:.1f} chunks/s |"
    )
    print(f"| bare embedder (floor) | {median['floor']:.2f} | {median['chunk_count'] / median['floor']:.1f} chunks/s |")
    ratios = [r["floor"] / r["run"] for r in runs]
    print(f"| **floor / index path** | **{statistics.median(ratios):.2f}** | {min(ratios):.2f}–{max(ratios):.2f} |")
    for step in APART if args.apart else ():
        print(f"| {step} (apart) | {median[step]:.2f} | {median[step] / path:.0%} |")
    print(f"| landing (copy, hash, record) | {median['landing']:.2f} | |")


if __name__ == "__main__":
    main()
