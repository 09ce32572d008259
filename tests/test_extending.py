"""The recipes of docs/extending.md, followed: what each adds to a copy of the packages, and that it then works.

A file format has its own test (tests/pipelines/readers/test_new_format.py), so have a snapshot stage
(tests/pipelines/knowledge/test_pinned_inputs.py), the stores and a language.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

SOURCE_FILE = "brain_pipelines/sources/journal.py"
SOURCE_MODULE = '''"""journal: a diary as plain text, one file a day."""

from dataclasses import replace

from brain_pipelines.sources import note

SOURCE = replace(note.SOURCE, name="journal", description="A diary.", aliases=(), usual_for=())
'''
STAGE_FILE = "brain_pipelines/stages/lengths.py"
STAGE_MODULE = '''"""lengths: how long each text is."""

from brain_pipelines.engine.stage import Stage, StageInput, StageOutput
from brain_pipelines.stages.validity import ids_unique


def run_lengths(stage_input: StageInput) -> StageOutput:
    """Count the words of every text."""
    output = StageOutput()
    for day, rows in stage_input.rows.items():
        output.add("lengths", day, [{"source_id": r["source_id"], "words": len(r["text"].split())} for r in rows])
    return output


STAGE = Stage(
    name="lengths",
    upstream="text",
    tables=("lengths",),
    code_version="1",
    config=lambda settings, source: [],
    run=run_lengths,
    validity=(ids_unique,),
    description="How many words each text has.",
)
'''
SCHEMA = """    "lengths": pa.schema(
        [
            _field("source_id", TEXT), _field("source", TEXT), _field("day", TEXT), _field("words", pa.int64()),
            *DERIVED_COLUMNS,
        ]
    ),
}

# LanceDB declares"""
LINES = (
    ("brain_pipelines/sources/registry.py", "    note,\n", "    journal,\n    note,\n"),
    ("brain_pipelines/sources/registry.py", "    note.SOURCE,\n", "    journal.SOURCE,\n    note.SOURCE,\n"),
    ("brain_pipelines/stages/registry.py", "extractions, memory", "extractions, lengths, memory"),
    ("brain_pipelines/stages/registry.py", "    raw.STAGE,\n", "    raw.STAGE,\n    lengths.STAGE,\n"),
    ("brain_retrieval/schemas/tables.py", "}\n\n# LanceDB declares", SCHEMA),
)
USE = """
import json, sys
from pathlib import Path

from brain_pipelines.definitions import build_defs
from brain_pipelines.ingest.files import ingest
from brain_retrieval.home import Home
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

home = Home(Path(sys.argv[1]))
report = ingest(home, user="alice", source="journal", paths=[Path(sys.argv[2])])
with Catalog(home.space("alice")) as catalog:
    words = Lake(home.space("alice"), catalog).read("lengths", source="journal").to_pylist()
keys = {key.to_user_string() for key in build_defs(home).resolve_asset_graph().get_all_asset_keys()}
print(json.dumps({
    "success": report.success,
    "words": [(row["day"], row["words"], row["code_version"]) for row in words],
    "assets": sorted(key for key in keys if key.startswith("journal/") or key == "note/lengths"),
}))
"""

FEATURE_FILE = "brain_retrieval/query/features/beginnings.py"
FEATURE_MODULE = '''"""Features from where a candidate stands: whether its source begins with it."""

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool


def beginnings(pool: Pool) -> Features:
    """Return 1 for the first chunk of a source."""
    return {"beginning": (pool.candidates.positions == 0).astype(np.float64)}
'''
REGISTRY = "brain_retrieval/query/features/registry.py"
IMPORT = "from brain_retrieval.query.features.beside import beside\n"
DATE = '        "date": settings.date_boost * features["dates"]["date"],\n'
FEATURE_LINES = (
    (REGISTRY, IMPORT, "from brain_retrieval.query.features.beginnings import beginnings\n" + IMPORT),
    (REGISTRY, '    "beside": beside,\n', '    "beside": beside,\n    "beginnings": beginnings,\n'),
    (
        "brain_retrieval/settings/sections.py",
        "    date_boost: float",
        "    beginning_boost: float = 0.5\n    date_boost: float",
    ),
    (
        "brain_retrieval/query/ranking.py",
        DATE,
        DATE + '        "beginning": settings.beginning_boost * features["beginnings"]["beginning"],\n',
    ),
)
RANK = """
import json

from brain_retrieval.query.analysis import analyse
from brain_retrieval.query.ranking import rank
from brain_retrieval.settings import RetrievalSettings
from tests.retrieval.query.pools import Result, candidates_of, place

found = candidates_of({"a": place("a", 3), "b": place("b", 0)}, Result("lexical", {"a": 2.0, "b": 1.9}))
settings = RetrievalSettings(neighbour_weights=(), window_weight=0.0, parent_weight=0.0, trained=False)
question = analyse("the harbour", max_characters=100)
ranked = rank(found, method="weighted", weights={"lexical": 1.0}, question=question, settings=settings).best(2)
print(json.dumps([(found.ids[one.row], one.why.boosts) for one in ranked]))
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> dict[str, Any]:
    """Return what a copy of the packages does with one more source type and one more stage."""
    tree = tmp_path_factory.mktemp("tree")
    for package in ("brain_pipelines", "brain_retrieval"):
        shutil.copytree(ROOT / package, tree / package)  # with the bytecode: compiling takes most of the time
    (tree / SOURCE_FILE).write_text(SOURCE_MODULE)
    (tree / STAGE_FILE).write_text(STAGE_MODULE)
    for name, before, after in LINES:
        text = (tree / name).read_text()
        assert before in text, (name, before)
        (tree / name).write_text(text.replace(before, after, 1))
    (tree / "2026-01-05.md").write_text("Walked to the harbour with Priya.\n")
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONWARNINGS": "ignore"}
    environment["BRAIN_MODELS_DIR"] = str(models_dir)
    environment.pop("DAGSTER_HOME", None)
    command = [sys.executable, "-c", USE, str(tree / "home"), str(tree / "2026-01-05.md")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_source_type_is_a_file_and_a_line(extended: dict[str, Any]) -> None:
    stages = ("chunks", "embeddings", "enrichments", "extractions", "lengths", "memory_vectors", "raw", "text")
    assert extended["success"] is True
    assert extended["assets"] == [*(f"journal/{stage}" for stage in stages), "note/lengths"]


def test_a_stage_is_a_file_and_a_line(extended: dict[str, Any]) -> None:
    assert extended["words"] == [["2026-01-05", 6, "1"]]


def test_a_ranking_feature_is_a_function_a_line_and_a_weight(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "brain_retrieval", tmp_path / "brain_retrieval")
    (tmp_path / FEATURE_FILE).write_text(FEATURE_MODULE)
    for name, before, after in FEATURE_LINES:
        text = (tmp_path / name).read_text()
        assert before in text, (name, before)
        (tmp_path / name).write_text(text.replace(before, after, 1))
    with redirect_stdout(io.StringIO()) as said:  # the packages of this process are those of the checkout
        exec(RANK, {})
    assert json.loads(said.getvalue()) == [["a", {}], ["b", {}]]
    assert ranked_in(tmp_path) == [["b", {"beginning": 0.5}], ["a", {}]]


def ranked_in(tree: Path) -> list[Any]:
    """Return the order of two passages and their boosts, as the packages in `tree` rank them."""
    environment = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{ROOT}"}
    done = subprocess.run([sys.executable, "-c", RANK], capture_output=True, text=True, cwd=tree, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
