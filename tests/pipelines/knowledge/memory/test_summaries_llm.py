"""Summaries by a chat model: requests, filtering of unsupported sentences, and fallback on failure."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.memory.citation_check import unsupported
from brain_retrieval.errors import BudgetExceededError
from brain_retrieval.models.chat.build import build_chat
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.settings import load_settings
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI
from tests.pipelines.knowledge.memory.history import Said, lines, summarised, texts

STORY = [
    Said(f"s{n}", n * 2.0, summary=f"Bob paints room {n} of the old house in {colour}.")
    for n, colour in enumerate(("green", "yellow", "violet", "orange", "white", "black"))
]
MORE = Said("s6", 13, summary="Bob sells the old house to Priya and keeps the garden.")


def asked(body: dict) -> str:
    return body["messages"][1]["content"]


def passages(body: dict) -> list[str]:
    return [line for line in asked(body).splitlines() if re.match(r"\[\d+\] ", line)]


def retell(body: dict) -> str:
    """Answer with a paraphrase of the last passage."""
    stated = passages(body)[-1].split(": ", 1)[1]
    said = {"text": f"Lately {stated[0].lower()}{stated[1:]}", "passages": [len(passages(body))]}
    return json.dumps({"sentences": [said]})


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=retell) as running:
        yield running


@pytest.fixture
def chat(server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    for name, value in {
        "MODEL": "m1",
        "BASE_URL": server.base_url,
        "API_KEY": "sk-secret-1",
        "MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(f"BRAIN_LLM__{name}", value)
    model = build_chat(load_settings(tmp_path))
    assert model is not None
    return model


def answer(*sentences: tuple[str, list[int]]) -> Callable[[dict], str]:
    return lambda body: json.dumps({"sentences": [{"text": text, "passages": numbers} for text, numbers in sentences]})


def test_new_storyline_is_summarised_from_its_sources(chat: ChatModel, server: FakeOpenAI) -> None:
    made = summarised(STORY, 12, chat=chat)
    (row,) = made.rows.to_dicts()
    assert (row["method"], row["model"], made.asked) == ("llm", "m1", 1)
    assert row["description"] == "Lately bob paints room 5 of the old house in black."
    assert row["citations"] == [{"source_id": "s5", "start": 0, "end": len(STORY[5].summary), "memory_id": None}]
    (request,) = server.requests
    assert len(passages(request.body)) == 6 and "<data" in asked(request.body)
    assert unsupported(made.rows, texts(STORY)) == []


def test_unchanged_summary_is_not_requested_again(chat: ChatModel, server: FakeOpenAI) -> None:
    first = summarised(STORY, 12, chat=chat)
    again = summarised(STORY, 12, chat=chat, previous=first.rows)
    assert (again.asked, again.carried, len(server.requests)) == (0, 1, 1)
    assert_frame_equal(again.rows, first.rows)


def test_changed_summary_is_updated_with_new_sources(chat: ChatModel, server: FakeOpenAI) -> None:
    first = summarised(STORY, 12, chat=chat)
    made = summarised([*STORY, MORE], 14, chat=chat, previous=first.rows, previous_sources=lines(STORY, 12)[1])
    request = server.requests[-1].body
    assert first.rows["description"][0] in asked(request)
    assert [line.split(": ", 1)[1] for line in passages(request)] == [STORY[5].summary, MORE.summary]
    assert made.rows["citations"][0][0]["source_id"] == "s6"


@pytest.mark.parametrize("known", [True, False])
def test_text_from_a_removed_or_edited_source_is_dropped(chat: ChatModel, server: FakeOpenAI, known: bool) -> None:
    first = summarised(STORY, 12, chat=chat)
    before = lines(STORY, 12)[1] if known else None
    for history in (STORY[:5], [*STORY[:5], Said("s5", 10, summary="Bob visits Carol in Porto for a week.")]):
        made = summarised(history, 12, chat=chat, previous=first.rows, previous_sources=before)
        assert "current summary" not in asked(server.requests[-1].body) or not known
        assert "black" not in made.rows["description"][0]
        assert unsupported(made.rows, texts(history)) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ([("Bob paints the old house violet.", [3])], 1),
        (
            [("Bob paints the old house violet.", [3]), ("Bob married Maria in secret.", [3])],
            1,
        ),  # second sentence unsupported
        ([("Bob paints the old house violet.", [99])], 0),  # no such passage
        ([("Bob paints the old house violet.", [])], 0),  # no passage
        ([("Bob paints 14 rooms of the old house.", [1, 2])], 0),  # unsupported number
        ([("Bob paints the old house with Klaus Peterson.", [1, 2, 3])], 0),  # a name that no passage has
        ([("Bob paints room 2 of the old house on 5 January 2026.", [3])], 1),  # the date of the passage
        ([("Bob.", [1])], 0),  # no content words
        ([], 0),
    ],
)
def test_only_supported_sentences_are_kept(
    chat: ChatModel, server: FakeOpenAI, said: list[tuple[str, list[int]]], kept: int
) -> None:
    server.chat = answer(*said)
    made = summarised(STORY, 12, chat=chat)
    (row,) = made.rows.to_dicts()
    assert row["method"] == ("llm" if kept else "extractive")
    assert bool(made.problems) == (not kept)
    if kept:
        assert row["description"] == said[0][0]
    assert unsupported(made.rows, texts(STORY)) == []


def many(count: int) -> list[Said]:
    """Return successive storylines of Bob."""
    return [Said(f"{k}-{s.id}", s.at + 120 * k, summary=s.summary) for k in range(count) for s in STORY]


def test_requests_stop_after_three_failures(chat: ChatModel, server: FakeOpenAI) -> None:
    server.script(*[fake.server_error()] * 9)
    made = summarised(many(5), 500, chat=chat)
    assert (made.asked, len(server.requests), made.left) == (3, 3, 3)  # of five storylines and a macro
    assert set(made.rows["method"]) == {"extractive"} and len(made.problems) == 4
    assert "sk-secret" not in str(made.problems)


def test_a_request_that_is_too_long_holds_the_newer_half(chat: ChatModel, server: FakeOpenAI) -> None:
    server.script(fake.api_error(400, "This model's maximum context length is 2048 tokens."))
    made = summarised(STORY, 12, chat=chat)
    first, second = (len(request.body["messages"][1]["content"]) for request in server.requests)
    assert second < first and not any("context" in problem for problem in made.problems)


def test_requests_stop_when_the_budget_is_spent(chat: ChatModel) -> None:
    class Spent:
        name = chat.name

        def complete(self, *args, **options):
            raise BudgetExceededError("the budget of this month is spent")

    made = summarised(many(3), 300, chat=Spent())
    assert (made.asked, made.left) == (1, 3)
    assert set(made.rows["method"]) == {"extractive"}


def test_request_limit_applies_and_the_next_snapshot_continues(chat: ChatModel) -> None:
    history = many(4)
    made = summarised(history, 400, chat=chat, requests=3)
    assert (made.asked, made.left) == (3, 2)
    assert made.problems == ("2 summaries were left to another snapshot: 3 requests were made",)
    then = summarised(history, 400, chat=chat, previous=made.rows)
    assert (then.asked, then.carried, then.left) == (2, 3, 0)
    assert set(then.rows["method"]) == {"llm"}


def test_skipped_items_keep_their_older_summary(chat: ChatModel) -> None:
    first = summarised(STORY, 12, chat=chat)
    later = [*STORY, MORE]
    before = lines(STORY, 12)[1]
    kept = summarised(later, 14, chat=chat, requests=0, previous=first.rows, previous_sources=before)
    assert kept.left == 1
    assert_frame_equal(kept.rows, first.rows)
    gone = summarised(later[1:], 14, chat=chat, requests=0, previous=first.rows, previous_sources=before)
    assert gone.rows["method"].to_list() == ["extractive"]


def test_macro_is_summarised_from_its_storyline_summaries(chat: ChatModel, server: FakeOpenAI) -> None:
    made = summarised(many(2), 300, chat=chat)
    (macro,) = made.rows.filter(pl.col("item") == "macro").to_dicts()
    assert macro["method"] == "llm" and len(passages(server.requests[-1].body)) == 2
    cited = {c["source_id"] for row in made.rows.to_dicts() if row["item"] == "storyline" for c in row["citations"]}
    assert {c["source_id"] for c in macro["citations"]} <= cited


def test_model_text_is_replaced_without_a_model(chat: ChatModel) -> None:
    first = summarised(STORY, 12, chat=chat)
    assert_frame_equal(summarised(STORY, 12, previous=first.rows).rows, summarised(STORY, 12).rows)
