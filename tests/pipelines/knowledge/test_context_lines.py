"""Lines of a pack about what is known, and the start of a conversation, over a real snapshot."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from brain_pipelines.ingest.agent_tools import AgentTools
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_retrieval.brain import Brain
from brain_retrieval.errors import NoSnapshotError
from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench

NOW = datetime.now(UTC)
ALL = dict.fromkeys(
    ("include_memories", "include_entities", "include_relationships", "include_notes", "include_cross_references"), True
)


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home with a note, a relation and a snapshot, which the tests only read."""
    bench = Bench(Home(tmp_path_factory.mktemp("noted") / "home"))
    bench.home.path.mkdir()
    tools = AgentTools(bench.home, "alice", clock=lambda: NOW - timedelta(minutes=5))
    tools.add_note_to_person("Bob Lee", "Bob Lee prefers short meetings.", retention="keep_forever")
    tools.create_relationship("Bob Lee", "Atlas", "works on", "Since May.", 4, 4, properties={"role": "lead"})
    for stage in SNAPSHOT_STAGES:
        run_stage(stage, SNAPSHOT_STAGES, bench.space(), NOW.date().isoformat(), settings=bench.settings, force=False)
    return bench


@pytest.fixture
def brain(noted: Bench) -> Iterator[Brain]:
    retrieval = noted.settings.retrieval.model_copy(update={"trained": False})  # the order of hits does not matter
    settings = noted.settings.model_copy(update={"retrieval": retrieval})
    with Brain.open(noted.home.path, user="alice", settings=settings) as opened:
        yield opened


def kinds(pack) -> set[str]:
    return {item.kind for item in pack.known}


def test_lines_are_added_only_when_they_are_asked_for(brain) -> None:
    assert brain.context("What does Bob Lee do?", log=False).known == ()
    one = brain.context("What does Bob Lee do?", log=False, include_relationships=True)
    assert kinds(one) == {"relationship"}
    assert "- [RELATION] Bob Lee · work on · Atlas\n" in one.text


def test_all_kinds_say_what_is_known_of_the_entity_asked_about(brain) -> None:
    pack = brain.context("What does Bob Lee do?", log=False, **ALL)
    assert {"entity", "relationship", "note"} <= kinds(pack)
    assert "- [ENTITY: person] Bob Lee" in pack.text
    assert "- [NOTE] Bob Lee: Bob Lee prefers short meetings." in pack.text
    assert pack.timings is not None
    assert pack.known_ms > 0
    assert all(item.tokens > 0 for item in pack.known)


def test_lines_keep_to_their_share_and_what_is_left_out_is_reported(brain) -> None:
    pack = brain.context("What does Bob Lee do?", 100, log=False, **ALL)
    assert pack.total_tokens <= 100
    assert sum(item.tokens for item in pack.known) <= 50
    assert any(reason.startswith("notes: ") for reason in pack.known_dropped)


def test_nothing_is_shown_that_was_not_known_then(brain) -> None:
    before = NOW - timedelta(days=1)
    pack = brain.context("What does Bob Lee do?", log=False, known_at=before, as_of=before, **ALL)
    assert not {"relationship", "note", "memory"} & kinds(pack)


def test_a_prompt_has_the_entities_after_the_system_text(brain) -> None:
    prompt = brain.enrich_prompt("What does Bob Lee do?", "Be brief.", log=False)
    assert prompt.startswith("Be brief.\n\n<retrieved_knowledge ")
    assert "- [ENTITY: person] Bob Lee" in prompt


def test_the_start_of_a_conversation_is_short_and_quick(brain) -> None:
    brain.conversation_context()
    started = time.process_time()
    pack = brain.conversation_context()
    assert time.process_time() - started < 3
    assert pack.total_tokens <= 1300
    assert "## Time\n- Now: " in pack.text
    assert "[RELATION] Bob Lee · work on · Atlas" in pack.text
    assert "## Recent Sources\n- " in pack.text
    assert pack.warnings == ()


def test_the_start_shows_nothing_of_later(brain) -> None:
    pack = brain.conversation_context(now=NOW - timedelta(days=30))
    assert "Atlas" not in pack.text


def test_the_start_keeps_to_its_budget(brain) -> None:
    pack = brain.conversation_context(60)
    assert 0 < pack.total_tokens <= 60
    assert pack.known_dropped


def test_without_a_snapshot_the_start_is_the_time_and_a_warning(bench) -> None:
    bench.space().create()
    AgentTools(bench.home, "alice", clock=lambda: NOW).add_note_to_person("Bob Lee", "Bob Lee likes tea.")
    with Brain.open(bench.home.path, user="alice") as opened:
        pack = opened.conversation_context()
    assert "## Time" in pack.text
    assert len([w for w in pack.warnings if "no snapshot" in w]) == 1
    with Brain.open(bench.home.path, user="alice") as opened, pytest.raises(NoSnapshotError):
        opened.knowledge().facts()
