"""The house rules that an import graph can show."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("brain_retrieval", "brain_pipelines")
FORBIDDEN_IN_RETRIEVAL = {"dagster", "dagster_postgres", "brain_pipelines", "pdfplumber", "pypdfium2", "trafilatura"}
FORBIDDEN_IN_RETRIEVAL |= {"docx", "cv2", "whisperx"}
# A stage is pure: it sees rows, never an orchestrator or a store.
FORBIDDEN_IN_STAGES = {"dagster", "brain_retrieval.stores"}
# Table definitions lie beside the stores; they are schemas, not access.
SCHEMAS = {"brain_retrieval.stores.knowledge_tables", "brain_retrieval.stores.memory_tables"}
HEAVY = ("dagster", "lancedb", "onnxruntime", "spacy", "openai", "torch", "cv2", "neo4j", "pdfplumber", "trafilatura")
HEAVY += ("av", "faster_whisper", "rapidocr", "PIL", "pptx", "playwright", "onnx", "scipy", "icalendar", "fsspec")
MAX_LINES = 300

FILES = sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Return every dotted name that a file imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def reaches(name: str, forbidden: set[str]) -> bool:
    return any(name == f or name.startswith(f + ".") for f in forbidden)


@pytest.mark.parametrize("path", [p for p in FILES if p.is_relative_to(ROOT / "brain_retrieval")], ids=lambda p: p.name)
def test_retrieval_never_looks_back(path: Path) -> None:
    assert not {name for name in imported(path) if reaches(name, FORBIDDEN_IN_RETRIEVAL)}


PURE_DIRS = ("stages", "readers", "sources", "knowledge/entities", "knowledge/memory", "knowledge/prompts")
PURE = [p for d in PURE_DIRS for p in (ROOT / "brain_pipelines" / d).rglob("*.py")]


@pytest.mark.parametrize("path", sorted(PURE), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_stages_sources_and_readers_are_pure(path: Path) -> None:
    assert not {name for name in imported(path) - SCHEMAS if reaches(name, FORBIDDEN_IN_STAGES)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_file_holds_one_idea_and_says_which(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= MAX_LINES
    assert not text.strip() or ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("module", ["brain_retrieval", "brain_pipelines.commands.app"])
def test_importing_is_light(module: str) -> None:
    """What is imported at every sensor tick and every command must not load a model library."""
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "[]"


def test_definitions_load_no_model_library() -> None:
    heavy = tuple(m for m in HEAVY if m != "dagster")
    code = f"import sys, brain_pipelines.definitions; print([m for m in {heavy!r} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert result.stdout.strip().splitlines()[-1] == "[]"
