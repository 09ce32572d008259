"""What users tell their memory of themselves is shown first; what they ask an assistant for is not."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench

MESSAGES = (
    "I'm allergic to peanuts.",
    "I live in Porto with my wife Ana.",
    "Remember: the wifi password at the cabin is Birch42.",
    "Our rent is 840 euros a month.",
    "Ich habe zwei Kinder, Lea und Max.",
    "Soy alérgica a las nueces.",
)
OTHERS = (
    "What's the weather like in Porto tomorrow?",
    "Can you write me a short poem about the sea?",
    "Thanks, that helped a lot!",
    "I like that idea.",
)
CHAT = (
    ("user", "Hello, my name is Emily."),
    ("assistant", "Hello Emily, I'm a helpful assistant and I love talking to you."),
    ("user", "I really enjoy painting and tea tasting."),
    ("assistant", "I enjoy painting too."),
    ("user", "I've been learning to draw recently, but I feel like I'm not so good."),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Messages and a chat with an assistant."""
    bench = Bench(Home(tmp_path_factory.mktemp("oneself") / "home"))
    for number, text in enumerate((*MESSAGES, *OTHERS)):
        sent = json.dumps({"content": text, "timestamp": f"2026-01-05T10:{number:02d}:00Z"})
        bench.land(bench.drop("alice", "message", f"{number}.json", sent, day="2026-01-05"))
    lines = [
        json.dumps({"role": role, "content": text, "timestamp": f"2026-01-06T10:{number:02d}:00Z"})
        for number, (role, text) in enumerate(CHAT)
    ]
    bench.land(bench.drop("emily", "conversation", "chat.jsonl", "\n".join(lines), day="2026-01-06"), "emily")
    bench.run(source="message")
    bench.run("emily", "conversation")
    yield bench.home.path


def shown(home: Path, user: str) -> set[str]:
    done = CliRunner().invoke(app, ["facts", "--user", user, "--home", str(home), "--json"])
    assert done.exit_code == 0, done.output
    return {memory["quote"] for memory in json.loads(done.stdout)["memories"]}


def test_messages_about_oneself_are_shown_and_requests_are_not(home: Path) -> None:
    assert shown(home, "alice") == set(MESSAGES)


def test_a_chat_tells_who_its_user_is_and_not_its_assistant(home: Path) -> None:
    found = shown(home, "emily")
    assert any("my name is Emily" in text or "My name is Emily" in text for text in found)
    assert "I really enjoy painting and tea tasting." in found  # also after "I've been learning to draw recently"
    assert not found & {text for role, text in CHAT if role == "assistant"}


def test_an_agent_knows_it_from_the_start_of_a_conversation_before_the_first_night(home: Path) -> None:
    with Brain.open(home, user="alice") as brain:
        text = brain.conversation_context().text
    for said in ("I'm allergic to peanuts.", "Remember: the wifi password at the cabin is Birch42."):
        assert f": {said}" in text


def remembered(home: Path, user: str, question: str) -> list[tuple[str, str]]:
    """Return status and evidence of the memories that answer a question."""
    done = CliRunner().invoke(app, ["ask", question, "--user", user, "--home", str(home), "--json"])
    assert done.exit_code == 0, done.output
    return [(memory["status"], memory["quote"]) for memory in json.loads(done.stdout)["memories"]]


def test_a_question_about_oneself_is_answered_by_what_one_has_said(home: Path) -> None:
    (name,) = remembered(home, "emily", "What is my name?")
    assert name[0] == "current" and "name is Emily" in name[1]
    assert remembered(home, "emily", "What do I like?") == [("current", "I really enjoy painting and tea tasting.")]
    assert remembered(home, "alice", "What am I allergic to?") == [("current", "I'm allergic to peanuts.")]


def test_where_others_live_is_no_answer_and_a_successor_in_another_language_is(home: Path) -> None:
    bench = Bench(Home(home))
    for name, text in (("bob", "Bob Lee lives in Lisbon."), ("graz", "Ich wohne jetzt in Graz.")):
        sent = json.dumps({"content": text, "timestamp": "2026-02-05T10:00:00Z"})
        bench.land(bench.drop("alice", "message", f"{name}.json", sent, day="2026-02-05"))
    bench.run(source="message")
    assert remembered(home, "alice", "Where do I live?") == [
        ("current", "Ich wohne jetzt in Graz."),
        ("ended", "I live in Porto with my wife Ana."),
    ]


def test_the_card_of_the_owner_is_found_by_me_and_has_nothing_of_the_assistant(home: Path) -> None:
    done = CliRunner().invoke(app, ["entity", "me", "--user", "emily", "--home", str(home)])
    assert done.exit_code == 0, done.output
    assert "I really enjoy painting and tea tasting." in done.stdout and "assistant:" not in done.stdout


TRIPS = (
    "I'm planning a beach trip to Santa Monica soon.",
    "I usually take Zumba classes on Tuesdays at 7:00 PM.",
    "I'm thinking of hosting a farm open house event soon.",
    "I've recently started taking a BodyPump class on Mondays.",
    "I'm planning a trip to the mountains with my sister.",
)


def test_what_a_user_tells_next_does_not_end_what_was_said_before(home: Path) -> None:
    bench = Bench(Home(home))
    lines = [
        json.dumps({"role": "user", "content": text, "timestamp": f"2026-03-0{number}T10:00:00Z"})
        for number, text in enumerate(TRIPS, 1)
    ]
    bench.land(bench.drop("carl", "conversation", "chat.jsonl", "\n".join(lines), day="2026-03-01"), "carl")
    bench.run("carl", "conversation")
    done = CliRunner().invoke(app, ["facts", "--all", "--user", "carl", "--home", str(home), "--json"])
    found = {memory["quote"]: memory["status"] for memory in json.loads(done.stdout)["memories"]}
    assert set(TRIPS) <= found.keys() and "ended" not in found.values()
