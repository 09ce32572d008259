"""Searching, contexts and knowledge with the mandatory dependencies alone; what says that an extra is missing."""

import json
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from brain_retrieval.extras import EXTRAS
from tests.blocking import installed_by, project, roots_of, run_without

READ = """
import json
from brain_retrieval import Brain
with Brain.open({home!r}, user="alice") as brain:
    found = brain.search("Where does Bob live?")
    assert found, found.warnings
    pack = brain.context("Where does Bob live?", max_tokens=300)
    card = brain.source(found[0].source_ref.source_id)
    report = brain.evidence("Bob Lee lives in Berlin.")
    assert report.claim.method == "rules"
    assert report.findings[0].considered, report.warnings
    knowledge = brain.knowledge()
    entity = knowledge.entity("Bob Lee")
    print(json.dumps({{
        "hits": [hit.text for hit in found], "warnings": [*found.warnings, *pack.warnings], "pack": pack.text,
        "uri": card.uri, "facts": [fact.to_json() for fact in entity.facts],
        "storylines": len(knowledge.storylines()),
    }}, default=str))
"""


@pytest.fixture
def home(bench, known) -> Path:
    bench.run()  # the index, too
    return bench.home.path


def mandatory() -> set[str]:
    return roots_of(installed_by(project()["dependencies"])) | {"brain_retrieval"}


def test_reading_needs_the_mandatory_dependencies_alone(home: Path) -> None:
    assert not {"dagster", "spacy", "typer", "rich", "neo4j", "openai", "av"} & mandatory()
    done = run_without(READ.format(home=str(home)), allowed=mandatory())
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert any("Lisbon" in hit for hit in answer["hits"]) and "Lisbon" in answer["pack"]
    assert answer["warnings"] == []
    assert answer["uri"] and any("Lisbon" in str(fact) for fact in answer["facts"])
    # The same with one of them blocked fails, so the block works.
    assert run_without(READ.format(home=str(home)), allowed=mandatory() - {"polars"}).returncode != 0


def test_extras_are_those_of_the_project() -> None:
    extras = project()["optional-dependencies"]
    assert set(EXTRAS) == set(extras) - {"all"}
    known = {root for roots in EXTRAS.values() for root in roots}
    for extra in ("cli", "neo4j", "openai", "mcp", "pipelines", "media"):
        assert set(EXTRAS[extra]) <= roots_of(installed_by(extras[extra])), extra
        direct = {canonicalize_name(Requirement(line).name) for line in extras[extra]}
        assert all(roots_of([name]) & known for name in direct), extra
    assert extras["all"] == ["brain[cli,neo4j,openai,mcp,serve,pipelines,media,workers]"]


OPEN_CHAT = """
from pydantic import SecretStr
from brain_retrieval.models.chat.openai_calls import open_client
open_client(SecretStr("x"), base_url=None, timeout_seconds=1)
"""
OPEN_GRAPH = """
from pathlib import Path
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.graph.opening import open_graph
open_graph(Space(Path("."), "a"), Settings(graph={"provider": "neo4j"}))
"""
ASK_IMAGE = """
from brain_retrieval.query.media_question import image_question
from brain_retrieval.settings import Settings
image_question(b"", "", Settings())
"""
ASK_AUDIO = ASK_IMAGE.replace("image_question", "audio_question").replace('b"", "", ', '"x.wav", ')
OPEN_OCR = "from brain_retrieval.models.vision import ocr_rapid; ocr_rapid._models_dir()"


@pytest.mark.parametrize(
    ("blocked", "code", "extra"),
    [
        ("typer", "from brain_pipelines.commands.entry import main; main()", "cli"),
        ("dagster", "import brain_pipelines.definitions", "pipelines"),
        ("dagster", "import brain_pipelines.ingest.local_runs", "pipelines"),
        ("openai", OPEN_CHAT, "openai"),
        ("rapidocr", OPEN_OCR, "media"),
        ("rapidocr", ASK_IMAGE, "media"),
        ("pillow_heif", ASK_IMAGE, "media"),
        ("av", ASK_AUDIO, "media"),
        ("neo4j", OPEN_GRAPH, "neo4j"),
    ],
)
def test_a_missing_extra_is_named(blocked: str, code: str, extra: str) -> None:
    done = run_without(code, blocked=[blocked])
    assert done.returncode != 0
    assert f'pip install "brain[{extra}]"' in done.stderr


def test_a_recording_without_its_library_is_no_empty_text(bench) -> None:
    path = Path(__file__).parents[1] / "samples" / "jfk.opus"
    code = (
        "from pathlib import Path; from brain_pipelines.readers.registry import FORMATS; "
        "from brain_retrieval.settings import Limits\n"
        f"print(FORMATS['ogg'].read(Path({str(path)!r}), Limits(), Path({str(bench.home.path)!r})))"
    )
    # The reader is a process of its own: there the library is missing because a broken one lies before it.
    hidden = bench.home.path / "hidden" / "av"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'av'\", name='av')")
    root = Path(__file__).parents[2]
    done = run_without(code, PYTHONPATH=f"{hidden.parent}:{root}")
    assert done.returncode != 0
    assert 'MissingExtraError: av is not installed; it comes with an extra: pip install "brain[media]"' in done.stderr
