"""Homes for the retrieval benchmark: one per set, with one user for each `corpus`, built once and then kept.

    python -m benchmarks.retrieval_homes PATH [--sets locomo hotpotqa] [--layout ingested units] [--extract locomo]

PATH holds one folder per set. Layout "ingested": the material is written as the files that a user would have, landed,
and taken through the stages as `brain ingest` does, in this process. Layout "units": one unit of the set, one chunk.
Each home also holds `questions.jsonl`, one question a line: {user, query, category, gold, held, gold_text}, see
`retrieval_gold.py`. A home without a `complete.json` that names the same data is built from the beginning.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.retrieval_gold import COLUMNS, chunks_by_file, question_row
from benchmarks.retrieval_material import File, Material, data_files, read_lines, read_material
from benchmarks.retrieval_units import fill, load, question_rows
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.landing.inbox import FileState, source_of
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import combined_hash, stable_hash
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index

SETS = ("locomo", "multihoprag", "hotpotqa", "musique", "qmsum", "twowiki")
LAYOUTS = ("ingested", "units")
UNITS_OF = {"locomo": "locomo_turn"}  # the folder whose units are those of a set
CACHE = Path(tempfile.gettempdir()) / "brain-benchmark"
RECEIVED = datetime(2025, 1, 1, tzinfo=UTC)  # a fixed time of receipt gives the same rows every time
INDEXED = ("raw", "text", "chunks", "embeddings")
EXTRACTED = ("extractions", "memory_vectors", "enrichments")
SETTINGS = 'first_day = "2020-01-01"\n'  # before the first event of any set
COMPLETE, QUESTIONS = "complete.json", "questions.jsonl"


def open_home(name: str, layout: str, data: Path, cache: Path = CACHE, *, extract: bool = False) -> Path:
    """Return the home of a set, built if it is not there or its data changed.

    Args:
        extract: also run the stages behind the index; a home that is complete without them gets them added.
    """
    home = cache / layout / name
    folder = data / (UNITS_OF.get(name, name) if layout == "units" else name)
    digest = combined_hash(stable_hash(path.read_text("utf-8")) for path in data_files(folder))
    state = _state(home)
    if state.get("data") != digest:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        (home / "brain.toml").write_text(SETTINGS, "utf-8")
        started = time.perf_counter()
        rows = build_units(home, folder) if layout == "units" else build_ingested(home, folder)
        (home / QUESTIONS).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
        state = {"data": digest, "stages": [*INDEXED], "seconds": round(time.perf_counter() - started)}
        (home / COMPLETE).write_text(json.dumps(state), "utf-8")
    if extract and layout == "ingested" and not set(EXTRACTED) <= set(state["stages"]):
        add_extractions(home)
        (home / COMPLETE).write_text(json.dumps(state | {"stages": [*INDEXED, *EXTRACTED]}), "utf-8")
    return home


def _state(home: Path) -> dict[str, Any]:
    path = home / COMPLETE
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def read_questions(home: Path) -> list[dict[str, Any]]:
    """Return the questions of a home, in the order of the set."""
    return list(read_lines(home / QUESTIONS))


def build_ingested(home: Path, folder: Path) -> list[dict[str, Any]]:
    """Land the material of a set, run the stages up to the index, and return the lines of `questions.jsonl`."""
    settings = load_settings(home)
    lines: list[dict[str, Any]] = []
    for material in read_material(folder):
        space = Home(home).space(material.user).create()
        _run(space, settings, _land(space, settings, material), INDEXED)
        files = chunks_by_file(index_rows(space, COLUMNS))
        rows = [question_row(material.user, question, files) for question in material.questions]
        lines += [row for row in rows if row is not None]
    return lines


def build_units(home: Path, folder: Path) -> list[dict[str, Any]]:
    """Write the units of a set into an index and return the lines of `questions.jsonl`."""
    embedder = build_embedder(load_settings().embedding)
    lines: list[dict[str, Any]] = []
    for corpus in load(folder):
        fill(home, corpus, embedder)
        lines += question_rows(corpus)
    return lines


def add_extractions(home: Path) -> None:
    """Run the stages behind the index over everything that has landed in a home."""
    settings = load_settings(home)
    for user in Home(home).users():
        space = Home(home).space(user)
        with Catalog(space) as catalog:
            texts = catalog.ledger(stage="text")
        days: dict[str, set[str]] = {}
        for row in texts:
            days.setdefault(row.source, set()).add(row.day)
        _run(space, settings, days, EXTRACTED)


def index_rows(space: Space, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a user's index, ordered by id."""
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        return index.read(columns=columns).to_pylist() if index is not None else []


def _land(space: Space, settings: Settings, material: Material) -> dict[str, set[str]]:
    """Write and land the files of a user; return the days that changed, by source."""
    days: dict[str, set[str]] = {}
    with open_landing(space, settings) as landing:
        for file in material.files:
            state = FileState.of(_write(space.inbox, file), space.inbox)
            days.setdefault(source_of(state.uri), set()).update(landing.land(state, now=RECEIVED))
    return days


def _write(inbox: Path, file: File) -> Path:
    path = inbox / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.text, "utf-8")
    os.utime(path, (file.modified.timestamp(), file.modified.timestamp()))
    return path


def _run(space: Space, settings: Settings, days: dict[str, set[str]], names: Iterable[str]) -> None:
    wanted = set(names)
    for source, dirty in days.items():
        for stage in STAGES:
            if stage.name in wanted and dirty:
                found = SOURCES_BY_NAME[source]
                report = materialize(stage, found, space, sorted(dirty), settings=settings, run_id="benchmark")
                if report.failed:
                    raise SystemExit(f"{space.user} {source} {stage.name}: {len(report.failed)} days failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="PATH", help="folder with one folder per set")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--layout", nargs="+", choices=LAYOUTS, default=list(LAYOUTS))
    parser.add_argument("--extract", nargs="*", default=[], metavar="SET", help="sets to run the other stages over")
    parser.add_argument("--cache", type=Path, default=CACHE)
    options = parser.parse_args()
    for layout in options.layout:
        for name in options.sets:
            home = open_home(name, layout, options.data, options.cache, extract=name in options.extract)
            print(home, len(read_questions(home)), "questions,", _state(home), flush=True)


if __name__ == "__main__":
    main()
