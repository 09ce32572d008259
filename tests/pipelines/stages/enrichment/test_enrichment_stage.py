"""The stage: rows through the engine, with and without a chat model, and what happens when that model fails."""

import json
from collections.abc import Iterator

import pytest

from brain_pipelines.stages.enrichment.prompt import excerpt, user_prompt
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI

NOTE = "The launch of the booking page moved to 16 March. Daniel decided it after the planning meeting."
ANSWER = {
    "summary": "The launch moved to 16 March.",
    "keywords": ["launch", "Launch", "booking page"],
    "tags": ["Planning"],
    "bucket": "PROJECTS",
    "bucket_confidence": 0.9,
}


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=lambda body: json.dumps(ANSWER)) as running:
        yield running


@pytest.fixture
def remote(bench, server, monkeypatch) -> FakeOpenAI:
    variables = {"ENRICHMENT__PROVIDER": "llm", "LLM__MODEL": "m1", "LLM__BASE_URL": server.base_url}
    for name, value in {**variables, "LLM__API_KEY": "sk-secret-key-1", "LLM__MAX_ATTEMPTS": "1"}.items():
        monkeypatch.setenv(f"BRAIN_{name}", value)
    return server


def rows(bench) -> list[dict]:
    space = bench.space()
    with Catalog(space) as catalog:
        return Lake(space, catalog).read("enrichments", source="note").to_pylist()


def issues(bench) -> list:
    with Catalog(bench.space()) as catalog:
        return catalog.quarantine(stage="enrichments")


def test_every_text_has_a_row(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", NOTE))
    bench.land(bench.drop("alice", "note", "b.md", "ok"))
    bench.run()
    found = rows(bench)
    assert len(found) == 2 and {row["method"] for row in found} == {"extractive"}
    (row,) = [row for row in found if "booking" in row["summary"]]
    assert (row["bucket"], row["day"]) == ("PROJECTS", "2026-01-05")
    (text,) = [t for t in bench.texts().values() if t.startswith("The launch")]
    spans = [text[s["start"] : s["end"]] for s in row["summary_spans"]]
    assert " ".join(spans) == row["summary"]
    assert bench.run()["enrichments"].computed == []


def test_a_chat_model_is_asked_once_a_text_and_filled_up(bench, remote: FakeOpenAI) -> None:
    bench.land(bench.drop("alice", "note", "a.md", NOTE))
    bench.run()
    (row,) = rows(bench)
    assert (row["summary"], row["method"], row["model"]) == (ANSWER["summary"], "llm", "m1")
    assert row["keywords"][:2] == ["launch", "booking page"] and 1 <= len(row["tags"]) <= 5
    assert row["summary_spans"] == []
    bench.run()
    (request,) = remote.requests
    assert NOTE in request.body["messages"][1]["content"] and "<data" in request.body["messages"][1]["content"]


def test_dead_endpoint_gives_an_issue_and_the_next_run_asks_again(bench, remote: FakeOpenAI) -> None:
    for name in ("a.md", "b.md", "c.md", "d.md", "e.md"):
        bench.land(bench.drop("alice", "note", name, f"{NOTE} {name}"))
    remote.script(*[fake.server_error()] * 3)
    report = bench.run()["enrichments"]
    assert report.computed and len(remote.requests) == 3  # then it is taken for down
    assert {row["method"] for row in rows(bench)} == {"extractive"}
    found = issues(bench)
    assert len(found) == 5 and {i.kind for i in found} == {"waiting"}
    assert "sk-secret" not in str(found)
    again = bench.run()
    assert [name for name, report in again.items() if report.computed] == ["enrichments"]
    assert {row["method"] for row in rows(bench)} == {"llm"} and issues(bench) == []
    assert bench.run()["enrichments"].computed == [] and len(remote.requests) == 3 + 5


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        ("The launch costs 987 euros.", "a number"),
        ("Daniel asked Zorro about it.", "a name"),
        ("2026-01-05", "nothing that the text says"),
        ("A recipe for plum cake.", "nothing that the text says"),
    ],
)
def test_a_summary_with_what_the_text_does_not_say_is_not_used(
    bench, remote: FakeOpenAI, summary: str, reason: str
) -> None:
    remote.chat = lambda body: json.dumps({**ANSWER, "summary": summary, "keywords": ["launch", "Zorro", "987"]})
    bench.land(bench.drop("alice", "note", "a.md", NOTE))
    bench.run()
    (row,) = rows(bench)
    assert row["summary"] and row["summary"] != summary and row["summary_spans"] and row["method"] == "llm"
    assert "Zorro" not in row["keywords"] and "987" not in row["keywords"] and row["keywords"][0] == "launch"
    (issue,) = issues(bench)
    assert reason in issue.reason and issue.kind == "repaired"


def test_tags_are_words(bench, remote: FakeOpenAI) -> None:
    tags = ["ab951a18322d", "tag_1", "http://a.example", "Urgent", "site-visit"]
    remote.chat = lambda body: json.dumps({**ANSWER, "tags": tags})
    bench.land(bench.drop("alice", "note", "a.md", NOTE))
    bench.run()
    (row,) = rows(bench)
    assert row["tags"][:2] == ["urgent", "site-visit"] and not {"ab951a18322d", "tag_1"} & set(row["tags"])


def test_a_text_that_is_too_long_for_the_endpoint_is_sent_in_part(bench, remote: FakeOpenAI) -> None:
    remote.script(*[fake.api_error(400, "This model's maximum context length is 2048 tokens.")] * 2)
    bench.land(bench.drop("alice", "note", "a.md", f"{NOTE} " * 200))
    bench.run()
    sizes = [len(request.body["messages"][1]["content"]) for request in remote.requests]
    assert len(sizes) == 3 and sizes[0] > 1.8 * sizes[1] > 3.2 * sizes[2]
    assert [row["method"] for row in rows(bench)] == ["llm"] and issues(bench) == []


def test_texts_that_a_model_refuses_keep_no_others_waiting(bench, remote: FakeOpenAI) -> None:
    for number in range(5):
        bench.land(bench.drop("alice", "note", f"{number}.md", f"{NOTE} {number}"))
    remote.script(fake.Reply(), *[fake.refusal()] * 3)
    bench.run()
    assert sorted(row["method"] for row in rows(bench)) == ["extractive"] * 3 + ["llm"] * 2
    assert {issue.kind for issue in issues(bench)} == {"repaired"}


def test_another_model_is_another_result(bench, remote: FakeOpenAI, monkeypatch) -> None:
    bench.land(bench.drop("alice", "note", "a.md", NOTE))
    bench.run()
    monkeypatch.setenv("BRAIN_LLM__API_KEY", "sk-other")
    assert bench.run()["enrichments"].computed == []
    monkeypatch.setenv("BRAIN_LLM__MODEL", "m2")
    reports = bench.run()
    assert reports["enrichments"].computed and not reports["extractions"].computed


@pytest.mark.parametrize("most", [300, 1000, 5000])
def test_long_texts_are_sampled_within_the_limit(most: int) -> None:
    text = "".join(f"{n:06} " for n in range(5000))
    part = excerpt(text, most)
    assert len(part) <= most and part[:6] == "000000" and part.endswith(text[-20:])
    assert len(user_prompt(text, title="t", source="note", day="2026-01-05", most=1000)) <= 1000
