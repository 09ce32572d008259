"""Architecture rules: layer order, no import cycles, file and folder sizes, and which modules may import Dagster."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from brain_retrieval.home import Home
from tests.import_graph import PACKAGES, cycles, edges, files, imported, read
from tests.paths import ROOT

# Layers, top to bottom: a layer imports only those below it. Connectors and the engine are on the same level.
ROOMS = (
    *(("commands",), ("server",), ("ingest",), ("definitions",), ("orchestration",)),
    *(("knowledge",), ("stages",)),
    *(("connectors", "engine"), ("landing",), ("sources",), ("readers",), ("brain_retrieval",)),
)
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}
RETRIEVAL_LAYERS = ("serve", "brain", "evidence", "query", "knowledge", "models", "stores", "teams", "settings")
# After a deletion the graph derives facts from what evidence is left; the derivation itself opens no store.
# Pure formulas that the graph applies to its own rows.
RETRIEVAL_EXCEPTIONS = {
    ("brain_retrieval.stores.graph.forgetting", "brain_retrieval.knowledge.derive"),
    ("brain_retrieval.stores.graph.memory_block", "brain_retrieval.knowledge.salience"),
}
RETRIEVAL_LEVEL = {name: level for level, name in enumerate(RETRIEVAL_LAYERS)}
MAX_ROOT_ENTRIES = {"brain_pipelines": 12, "brain_retrieval": 16}
MAX_MODULES, MAX_LINES, MAX_FUNCTION_LINES = 25, 300, 60
# Modules that may import Dagster: orchestration, the definitions, and commands that run a job in process.
DAGSTER_ALLOWED = ("brain_pipelines.orchestration.", "brain_pipelines.definitions")
DAGSTER_ALLOWED += ("brain_pipelines.ingest.local_runs", "brain_pipelines.ingest.one_file")
FORBIDDEN_IN_RETRIEVAL = {"dagster", "dagster_postgres", "brain_pipelines", "pdfplumber", "pypdfium2", "trafilatura"}
FORBIDDEN_IN_RETRIEVAL |= {"docx", "cv2", "whisperx"}
# Table definitions lie beside the stores; they are schemas, not access.
SCHEMAS = {"brain_retrieval.stores.knowledge_tables", "brain_retrieval.stores.memory_tables"}
PURE = ("stages.", "readers.", "sources.", "knowledge.entities.", "knowledge.memory.", "knowledge.prompts.")
HEAVY = ("dagster", "lancedb", "onnxruntime", "spacy", "openai", "torch", "cv2", "neo4j", "pdfplumber", "trafilatura")
HEAVY += ("av", "faster_whisper", "rapidocr", "PIL", "pptx", "playwright", "onnx", "scipy", "icalendar", "fsspec")
HEAVY += ("obstore",)
TOP_LEVEL = {"brain_pipelines", "brain_retrieval", "tests", "data", "dagster_home", "benchmarks", "docs", "Makefile"}
TOP_LEVEL |= {"README.md", "CHANGELOG.md", "pyproject.toml", "workspace.yaml", "compose.yaml"}
PIPELINES = sorted(name for name in files() if name.startswith("brain_pipelines."))
RETRIEVAL = sorted(name for name in files() if name.startswith("brain_retrieval"))


def layer(module: str) -> str:
    package, _, rest = module.partition(".")
    return package if package == "brain_retrieval" else rest.split(".")[0]


def retrieval_layer(module: str) -> str:
    return module.removeprefix("brain_retrieval").lstrip(".").split(".")[0]


def reaches(name: str, forbidden: set[str]) -> bool:
    return any(name == f or name.startswith(f + ".") for f in forbidden)


def test_nothing_else_lies_at_the_top() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    top = {line.strip('"').split("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith((".", "requirements"))} <= TOP_LEVEL


def test_every_package_has_a_layer() -> None:
    assert {layer(name) for name in PIPELINES} <= set(LEVEL)


def test_modules_import_only_lower_layers() -> None:
    found = []
    for module in PIPELINES:
        own = layer(module)
        targets = {target for target in edges()[module] if layer(target) not in (own, "")}
        found += [(module, target) for target in targets if LEVEL[layer(target)] <= LEVEL[own]]
    assert found == []


def test_retrieval_modules_import_only_lower_layers() -> None:
    found = []
    for module in set(RETRIEVAL) - {"brain_retrieval"}:  # which has the public names
        own = RETRIEVAL_LEVEL.get(retrieval_layer(module), len(RETRIEVAL_LAYERS))
        above = {t for t in edges()[module] if RETRIEVAL_LEVEL.get(retrieval_layer(t), len(RETRIEVAL_LAYERS)) < own}
        found += [(module, target) for target in above if (module, target) not in RETRIEVAL_EXCEPTIONS]
    assert found == []


def test_no_modules_import_each_other() -> None:
    assert list(cycles()) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_package_roots_have_few_entries(package: str) -> None:
    entries = {p.name for p in (ROOT / package).iterdir()} - {"__init__.py", "__pycache__", "py.typed"}
    assert len(entries) <= MAX_ROOT_ENTRIES[package]


def test_folders_have_few_modules() -> None:
    folders = Counter(path.parent for path in files().values())
    assert not {str(folder.relative_to(ROOT)): n for folder, n in folders.items() if n > MAX_MODULES}


def importing(modules: Iterable[str], forbidden: set[str]) -> list[tuple[str, str]]:
    """Return the modules that import one of `forbidden`, each with what it imports."""
    return [(module, name) for module in modules for name in imported(files()[module]) if reaches(name, forbidden)]


def test_retrieval_imports_neither_dagster_nor_readers() -> None:
    assert importing(RETRIEVAL, FORBIDDEN_IN_RETRIEVAL) == []


def test_only_orchestration_imports_dagster() -> None:
    others = [module for module in PIPELINES if not module.startswith(DAGSTER_ALLOWED)]
    assert len(others) > len(PIPELINES) // 2
    assert importing(others, {"dagster", "dagster_postgres"}) == []


def test_stages_sources_and_readers_open_no_store() -> None:
    pure = [module for module in PIPELINES if module.removeprefix("brain_pipelines.").startswith(PURE)]
    assert len(pure) > len(PIPELINES) // 4
    found = importing(pure, {"brain_retrieval.stores"})
    assert [one for one in found if one[1] != "brain_retrieval.stores" and not reaches(one[1], SCHEMAS)] == []


def test_files_are_short_and_have_a_module_docstring() -> None:
    lines = {module: path.read_text("utf-8").count("\n") for module, path in files().items()}
    assert [module for module, count in lines.items() if count > MAX_LINES] == []
    assert [module for module, path in files().items() if not read(path).has_docstring] == []


def test_functions_are_short() -> None:
    functions = [(module, *one) for module, path in files().items() for one in read(path).functions]
    assert len(functions) > len(files())
    assert [(module, name) for module, name, lines in functions if lines >= MAX_FUNCTION_LINES] == []


@pytest.mark.parametrize("module", ["brain_retrieval", "brain_pipelines.commands.app"])
def test_importing_is_light(module: str) -> None:
    """What is imported at every sensor tick and every command must not load a model library."""
    assert loaded_by(module, (*HEAVY, "numpy", "polars", "pyarrow", "pydantic_settings")) == "[]"


def test_definitions_load_no_model_library() -> None:
    assert loaded_by("brain_pipelines.definitions", tuple(m for m in HEAVY if m != "dagster")) == "[]"


def test_the_status_of_a_home_loads_neither_dagster_nor_a_store_nor_what_stages_run(tmp_path: Path) -> None:
    Home(tmp_path).space("alice").root.mkdir(parents=True)
    stages = "brain_pipelines.stages."
    runs = (f"{stages}extractions_local", f"{stages}extractions_llm", f"{stages}enrichment.extractive")
    names = "from brain_pipelines.commands.status import Home, status"
    code = f"pathlib; {names}; assert status(Home(pathlib.Path({str(tmp_path)!r})))['users']"
    assert loaded_by(code, (*HEAVY, "numpy", "polars", "pyarrow", "duckdb", "tokenizers", *runs)) == "[]"


def loaded_by(module: str, libraries: tuple[str, ...]) -> str:
    code = f"import gc, sys; gc.disable(); import {module}; print([m for m in {libraries!r} if m in sys.modules])"
    command = [sys.executable, "-W", "ignore", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(ROOT))
    return result.stdout.strip().splitlines()[-1]
