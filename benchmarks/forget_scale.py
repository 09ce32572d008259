"""What forgetting one source costs by the number of chunks that its user has.

    python -m benchmarks.forget_scale --chunks 10000 --chunks 100000 --chunks 1000000 [--folder DIR]

Notes of 50 chunks, two a day, are landed and go through the stages raw, text, chunks and embeddings as in a run; only
the model is left out: a chunk gets a random vector of unit length, and four characters count as a token. The nightly
maintenance runs once, then one note is forgotten, as `brain forget source` does, and a day, as `brain forget day` does.
The other note of the note's day goes through all stages again. Seconds, CPU seconds and the peak of memory are those
of each phase; "written" is what the process wrote to files. `--folder` keeps the home; one that is there already is not
filled again.
"""

import argparse
import functools
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.knowledge.forgetting import derived, forget, known
from brain_pipelines.knowledge.forgetting.plan import Scope
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.home import Home, Space
from brain_retrieval.models.embedding.onnx_embedder import OnnxEmbedder
from brain_retrieval.models.embedding.tokenizer import ApproximateCounter, FileTokenizer
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import collect_garbage, compact

USER, SOURCE = "bench", "note"
FIRST = date(1990, 1, 1)
CHUNKS_A_NOTE, WORDS_A_CHUNK, NOTES_A_DAY = 50, 60, 2
DAYS_AT_ONCE, RUNS = 100, 25  # a run takes that many days, and more if there would be more runs
FILLED = ("raw", "text", "chunks", "embeddings")
PHASES = (
    ("preview", forget, "preview"),
    ("lake and index rows", derived, "strip"),
    ("stages again", derived, "run_again"),
    ("snapshots", known, "build_again"),
    ("files written again", forget, "scrub"),
    ("check", forget, "check_user"),
)


@contextmanager
def without_model() -> Iterator[None]:
    """Give chunks random vectors instead of those of the model, and count four characters as a token."""
    random_numbers, real = np.random.default_rng(1), OnnxEmbedder.embed
    counted, estimate = (FileTokenizer.count, FileTokenizer.spans), ApproximateCounter()

    def embed(self: OnnxEmbedder, texts: Any, **_options: Any) -> np.ndarray:
        vectors = random_numbers.standard_normal((len(texts), self.dim), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    OnnxEmbedder.embed = embed  # pyright: ignore[reportAttributeAccessIssue]
    FileTokenizer.count = lambda self, text: estimate.count(text)
    FileTokenizer.spans = lambda self, text: estimate.spans(text)
    try:
        yield
    finally:
        OnnxEmbedder.embed = real
        FileTokenizer.count, FileTokenizer.spans = counted


def write_notes(space: Space, settings: Settings, notes: int) -> list[str]:
    """Land notes of made-up words; return their days. Each chunk is a paragraph with a heading."""
    chance = random.Random(notes)
    words = [f"{a}{b}{c}" for a in ("bar", "fen", "mol", "tor") for b in "aeiou" for c in ("den", "lim", "rus", "vat")]
    folder = space.inbox / SOURCE
    folder.mkdir(parents=True)
    with open_landing(space, settings) as landing:
        for number in range(notes):
            day = FIRST + timedelta(days=number // NOTES_A_DAY)
            parts = [
                f"## Part {part} of {number}\n\n{' '.join(chance.choices(words, k=WORDS_A_CHUNK))} n{number}p{part}."
                for part in range(CHUNKS_A_NOTE)
            ]
            path = folder / f"{number}.md"
            path.write_text("\n\n".join(parts))
            at = datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp()
            os.utime(path, (at, at))
            landing.land(FileState.of(path, space.inbox))
        return landing.days(SOURCE)


def fill(home: Home, chunks: int) -> int:
    """Fill a home with about as many chunks and maintain its stores; return the number of chunks."""
    (home.path / "brain.toml").write_text(f"first_day = {FIRST}\n[chunking.note]\nmax_size = 400\nmin_size = 100\n")
    settings, space = load_settings(home.path), home.space(USER).create()
    days = sorted(write_notes(space, settings, max(2, chunks // CHUNKS_A_NOTE)))
    at_once = max(DAYS_AT_ONCE, len(days) // RUNS)
    with without_model():
        for start in range(0, len(days), at_once):
            for name in FILLED:
                stage, span = STAGES_BY_NAME[name], days[start : start + at_once]
                materialize(stage, SOURCES_BY_NAME[SOURCE], space, span, settings=settings, run_id="fill")
    with Catalog(space) as catalog:
        compact(Lake(space, catalog), before_month="9999-01")
        collect_garbage(Lake(space, catalog), timedelta())
        index = active_index(space, catalog)
        if index is None:
            raise SystemExit("nothing was indexed")
        index.compact(keep=timedelta())
        return index.count()


def written() -> int:
    """Return the bytes that this process has written to files."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("write_bytes"))


@contextmanager
def timed_phases() -> Iterator[dict[str, tuple[float, float, float]]]:
    """Measure the phases of a forgetting: name -> (seconds, CPU seconds, most MB of memory)."""
    found: dict[str, tuple[float, float, float]] = {}
    real = [(module, name, getattr(module, name)) for _, module, name in PHASES]

    def timed(label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            began, used = time.perf_counter(), time.process_time()
            peak(again=True)
            try:
                return function(*args, **options)
            finally:
                before = found.get(label, (0.0, 0.0, 0.0))
                seconds, cpu = time.perf_counter() - began, time.process_time() - used
                found[label] = (before[0] + seconds, before[1] + cpu, max(before[2], peak()))

        return call

    for (label, _, _), (module, name, function) in zip(PHASES, real, strict=True):
        setattr(module, name, timed(label, function))
    try:
        yield found
    finally:
        for module, name, function in real:
            setattr(module, name, function)


def peak(*, again: bool = False) -> float:
    """Return the most MB of memory that this process has held, since it was last asked with `again`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000
    if again:
        Path("/proc/self/clear_refs").write_text("5")
    return found


def stored(home: Home) -> int:
    """Return the bytes of all files of a home."""
    return sum(path.stat().st_size for path in home.path.rglob("*") if path.is_file())


def measure_filling(home: Home, chunks: int) -> Iterator[str]:
    """Fill a home and yield a row of a table."""
    home.path.mkdir(parents=True)
    began, used = time.perf_counter(), time.process_time()
    count = fill(home, chunks)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    yield f"| (filling) | {seconds:.0f} | {cpu:.0f} | {peak():,.0f} | {count:,} chunks, {stored(home) / 1e6:,.0f} MB |"


def measure(home: Home, scope: Scope) -> Iterator[str]:
    """Forget something, and yield rows of a table."""
    size = stored(home)
    with without_model(), timed_phases() as phases:
        began, used, before = time.perf_counter(), time.process_time(), written()
        plan = forget.preview(home, USER, scope, command="benchmark")
        receipt = forget.forget(home, plan)
        seconds, cpu, wrote = time.perf_counter() - began, time.process_time() - used, written() - before
    if not receipt["complete"]:
        raise SystemExit(f"still found: {receipt['check']['remaining']}")
    for label, (a, b, most) in phases.items():
        yield f"| {scope.kind}: {label} | {a:.1f} | {b:.1f} | {most:,.0f} | |"
    most = max(most for _, _, most in phases.values())
    left = f"{size / 1e6:,.0f} → {stored(home) / 1e6:,.0f} MB stored, {wrote / 1e6:,.0f} MB written"
    searched = f"{receipt['check']['files']:,} files searched, nothing found"
    yield f"| **forget a {scope.kind}** | {seconds:.1f} | {cpu:.1f} | {most:,.0f} | {left}; {searched} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, action="append")
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    print("| phase | seconds | CPU s | peak MB | |\n|---|---|---|---|---|")
    for chunks in args.chunks or [10_000]:
        with tempfile.TemporaryDirectory(prefix="brain-forget-") as folder:
            home = Home((args.folder or Path(folder)) / f"home-{chunks}")
            notes = max(2, chunks // CHUNKS_A_NOTE)
            day = FIRST + timedelta(days=notes // NOTES_A_DAY // 4)
            for row in measure_filling(home, chunks) if not home.path.exists() else ():
                print(row, flush=True)
            for scope in (Scope("source", f"{SOURCE}/{notes // 2}.md"), Scope("day", day.isoformat())):
                for row in measure(home, scope):
                    print(row, flush=True)


if __name__ == "__main__":
    main()
