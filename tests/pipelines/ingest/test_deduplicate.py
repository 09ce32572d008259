"""Duplicate check for memory entries: equivalent entries are stored once, similar but different ones are kept."""

from datetime import UTC, datetime, timedelta

import pytest

from brain_pipelines.ingest.agent_tools import AgentTools
from brain_pipelines.ingest.deduplicate import differ_in_meaning

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)


def test_equivalent_entry_is_not_stored_again(bench) -> None:
    now = [AT]
    agent = AgentTools(bench.home, "alice", clock=lambda: now[0])
    first = agent.memory_store("preference", "Use dark mode in the editor.", context="Asked twice.", tags=["ui"])
    assert first == {**first, "stored": True, "deduplicated": False, "visible": True, "token_cost": 7}
    now[0] += timedelta(days=2)
    for content in ("Use dark mode in editors.", "use dark mode in  the editor"):
        again = agent.memory_store("preference", content)
        assert (again["id"], again["uri"]) == (first["id"], first["uri"])
        assert (again["stored"], again["deduplicated"]) == (False, True)
    others = [("preference", "Use light mode in the editor."), ("instruction", "Use dark mode in the editor.")]
    assert all(agent.memory_store(*other)["stored"] for other in others)
    assert len(bench.texts("alice", "agent-note")) == 3


def test_expired_entry_is_not_a_duplicate(bench) -> None:
    now = [AT]
    agent = AgentTools(bench.home, "alice", clock=lambda: now[0])
    first = agent.memory_store("fact", "The lift is out of order.", expires="2026-01-08")
    now[0] = AT + timedelta(days=1)
    assert agent.memory_store("fact", "The lift is out of order.")["id"] == first["id"]
    now[0] = AT + timedelta(days=5)
    assert agent.memory_store("fact", "The lift is out of order.")["stored"]


def test_candidates_come_from_index_when_there_are_many_entries(bench, monkeypatch) -> None:
    monkeypatch.setattr("brain_pipelines.ingest.deduplicate.NEAREST", 2)
    agent = AgentTools(bench.home, "alice", clock=lambda: AT)
    contents = ["The harbour opens at six.", "Bob likes green tea.", "The lease ends in June.", "Paint the door red."]
    ids = [agent.memory_store("fact", content)["id"] for content in contents]
    assert agent.memory_store("fact", "The lease is ending in June.")["id"] == ids[2]
    assert agent.memory_store("fact", "The roof leaks.")["stored"]


def test_text_beyond_model_input_is_compared_word_for_word(bench) -> None:
    agent = AgentTools(bench.home, "alice", clock=lambda: AT)
    long = "The tide tables of the harbour are kept by the master of the port. " * 30
    first = agent.memory_store("fact", long + "The key is under the mat.")
    assert agent.memory_store("fact", long + "The key hangs in the shed.")["stored"]
    assert agent.memory_store("fact", long + "The key is under the mat.")["id"] == first["id"]


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Prefers tea over coffee.", "Prefers coffee over tea.", True),
        ("User prefers tabs over spaces", "The user prefers spaces over tabs.", True),
        ("User prefers tabs over spaces", "The user prefers tabs over spaces.", False),
        ("Ring the bell before noon.", "Ring the bell after noon.", True),
        ("Share the calendar with Mum.", "Hide the calendar from Mum.", True),
        ("Nimm den Bus statt der Bahn.", "Nimm die Bahn statt des Busses.", True),
        ("Prefiere el mar a la montaña.", "Prefiere la montaña al mar.", True),
        ("Grüße am Ende immer.", "Grüße am Ende nie.", True),
        ("Paul manages Rita.", "Rita manages Paul.", True),
        ("The alarm rings at six.", "The alarm is ringing at six.", False),
        ("Les factures sont payées en mai.", "Nos factures sont payées en mai.", False),
        ("The door code is 7731.", "The door code is 4471.", True),
        ("Meet at 9:30.", "Meet at 9:30 sharp.", False),
        ("We deploy on Fridays.", "We don't deploy on Fridays.", True),
        ("We deploy on Fridays.", "We deploy on Mondays.", True),
        ("La piscine est ouverte le soir.", "La piscine n'est plus ouverte le soir.", True),
        ("Le train s'arrête ici.", "Le train ne s'arrête plus ici.", True),
        ("Alice likes short meetings.", "Alice prefers meetings to be short.", False),
        ("Write in English.", "write in english", False),
        ("", "", False),
    ],
)
def test_differ_in_meaning(one: str, other: str, differ: bool) -> None:
    assert differ_in_meaning(one, other) is differ_in_meaning(other, one) is differ


def test_duplicate_check_uses_redacted_text(bench, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "true")
    monkeypatch.setenv("BRAIN_PRIVACY__RAW", "keep")
    agent = AgentTools(bench.home, "alice", clock=lambda: AT)
    first = agent.memory_store("person", "Bob's address is bob.lee@example.org.")
    assert "example.org" not in "".join(bench.texts("alice", "agent-note").values())
    assert agent.memory_store("person", "Bob's address is bob.lee@example.org.", context="Again.")["id"] == first["id"]
