"""Descriptions of entities: quoted sentences of facts, or a model's text for recently recalled or noted entities."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from brain_pipelines.knowledge.memory.citation_check import unsupported
from brain_pipelines.knowledge.memory.entity_descriptions import build_descriptions
from brain_pipelines.knowledge.memory.summaries import Summaries
from brain_retrieval.models.chat.build import build_chat
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.knowledge_tables import FACT_EVIDENCE, KNOWN_FACTS, NOTES
from brain_retrieval.stores.memory_tables import SUMMARIES
from tests.fake_openai import FakeOpenAI
from tests.pipelines.knowledge.memory.history import Said, day, known

TEXTS = {
    "s1": "Bob leads the design team.",
    "s2": "We met at noon. Bob lives in Lisbon with Carol.",
    "s3": "Bob lives in Porto.",
    "n1": "Bob prefers short mails in the morning.",
}
NOW = day(20)


def frame(rows: list[dict], schema) -> pl.DataFrame:
    """Return rows of a snapshot table with defaults for all required columns."""
    empty = pl.DataFrame(schema.empty_table())
    spare = {pl.String: "", pl.Float64: 0.9, pl.Int64: 1, pl.Boolean: False}
    full = [
        {f.name: row.get(f.name, None if f.nullable else spare.get(empty.schema[f.name].base_type(), day(0)))
         for f in schema} for row in rows
    ]  # fmt: skip
    return pl.DataFrame([{k: v if v != "[]" else [] for k, v in row.items()} for row in full], schema=empty.schema)


def said(source: str, sentence: str, at: float, *, object_id: str | None = None) -> dict:
    start = TEXTS[source].index(sentence)
    return {"evidence_id": f"e-{source}", "source_id": source, "source_type": "note", "said_at": day(at),
            "subject_id": "bob", "object_id": object_id, "start": start, "end": start + len(sentence),
            "evidence": sentence}  # fmt: skip


EVIDENCE = [
    said("s1", "Bob leads the design team.", 1),
    said("s2", "Bob lives in Lisbon with Carol.", 2, object_id="carol"),
    said("s3", "Bob lives in Porto.", 3),
]
FACTS = [
    {"fact_id": "f1", "status": "current", "confidence": 0.8, "evidence_ids": ["e-s1"]},
    {"fact_id": "f2", "status": "superseded", "confidence": 0.9, "evidence_ids": ["e-s2"]},
    {"fact_id": "f3", "status": "current", "confidence": 0.9, "evidence_ids": ["e-s3"]},
]
NOTE = {"note_id": "n", "target": "entity", "entity_id": "bob", "content": "Bob prefers short mails in the morning.",
        "date_added": day(18), "expired": False, "source_id": "n1"}  # fmt: skip


def described(
    facts: list[dict] = FACTS,
    evidence: list[dict] = EVIDENCE,
    notes: tuple[dict, ...] = (),
    previous: pl.DataFrame | None = None,
    *,
    recalled: bool = False,
    **more,
) -> Summaries:
    given = [
        {**fact, "polarity": "affirmed", "modality": "asserted", "contradicts": [], "source_ids": []} for fact in facts
    ]
    return build_descriptions(
        known([Said("s1", 1, ("bob", "carol"))]),
        frame(given, KNOWN_FACTS),
        frame(evidence, FACT_EVIDENCE),
        frame(list(notes), NOTES),
        pl.DataFrame(list(TEXTS.items()), schema=["source_id", "text"], orient="row"),
        pl.DataFrame(SUMMARIES.empty_table()) if previous is None else previous,
        accessed={"bob": NOW - timedelta(days=2)} if recalled else {"bob": NOW - timedelta(days=8)},
        now=NOW,
        **more,
    )


def test_current_facts_are_quoted_chronologically() -> None:
    made = described()
    (row,) = made.rows.to_dicts()
    assert (row["item_id"], row["item"], row["method"]) == ("bob", "entity", "extractive")
    assert row["description"] == "Bob leads the design team. Bob lives in Porto."
    texts = pl.DataFrame(list(TEXTS.items()), schema=["source_id", "text"], orient="row")
    assert unsupported(made.rows, texts) == []
    assert made.rows.to_arrow().cast(SUMMARIES).schema == SUMMARIES


def test_fact_that_holds_again_is_described_for_its_object_too() -> None:
    back = [FACTS[0], {**FACTS[1], "status": "current"}]
    made = described(back).rows
    assert made["item_id"].to_list() == ["bob", "carol"]
    assert made["description"][1] == "Bob lives in Lisbon with Carol."


def test_result_is_independent_of_order_and_unchanged_rows_are_carried_over() -> None:
    first = described()
    assert_frame_equal(described(FACTS[::-1], EVIDENCE[::-1]).rows, first.rows)
    again = described(previous=first.rows)
    assert again.carried == 1
    assert_frame_equal(again.rows, first.rows)
    assert described(FACTS[:1], previous=first.rows).rows["description"].to_list() == ["Bob leads the design team."]
    assert described([], previous=first.rows).rows.is_empty()


def test_entity_with_only_notes_is_described_by_its_note() -> None:
    assert described([], [], (NOTE,)).rows["description"].to_list() == [NOTE["content"]]
    assert described([], [], ({**NOTE, "expired": True},)).rows.is_empty()
    assert described([], [], ({**NOTE, "content": "never written"},)).rows.is_empty()


def retell(body: dict) -> str:
    last = [line for line in body["messages"][1]["content"].splitlines() if line.startswith("[")][-1]
    return json.dumps(
        {
            "sentences": [
                {"text": last.split(": ", 1)[1].replace("Bob", "He"), "passages": [int(last[1 : last.index("]")])]}
            ]
        }
    )


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=retell) as running:
        yield running


@pytest.fixture
def chat(server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    for name, value in {"MODEL": "m1", "BASE_URL": server.base_url, "MAX_ATTEMPTS": "1"}.items():
        monkeypatch.setenv(f"BRAIN_LLM__{name}", value)
    model = build_chat(load_settings(tmp_path))
    assert model is not None
    return model


def test_model_describes_recently_recalled_or_noted_entities(chat: ChatModel, server: FakeOpenAI) -> None:
    assert described(chat=chat).rows["method"].to_list() == ["extractive"] and not server.requests
    assert described(chat=chat, recalled=True).rows["description"].to_list() == ["He lives in Porto."]
    noted = described(notes=(NOTE,), chat=chat)
    assert noted.rows["description"].to_list() == ["He prefers short mails in the morning."]
    assert noted.rows["citations"].to_list() == [
        [{"source_id": "n1", "start": 0, "end": len(NOTE["content"]), "memory_id": None}]
    ]
    clean = described(notes=(NOTE,), chat=chat, previous=noted.rows)
    assert (clean.carried, clean.asked, len(server.requests)) == (1, 0, 2)


def test_model_text_is_kept_until_its_evidence_is_gone(chat: ChatModel) -> None:
    before = frame(EVIDENCE, FACT_EVIDENCE)
    first = described(FACTS[:1], EVIDENCE[:1], chat=chat, recalled=True)
    grown = described(chat=chat, previous=first.rows, previous_evidence=before[:1])
    assert_frame_equal(grown.rows, first.rows)  # not recalled recently, so it is not renewed
    again = described(chat=chat, previous=first.rows, previous_evidence=before[:1], recalled=True)
    assert again.rows["description"].to_list() == ["He lives in Porto."]
    lost = described(FACTS[:1], EVIDENCE[:1], previous=first.rows, previous_evidence=before, chat=chat)
    assert lost.rows["method"].to_list() == ["extractive"]
    assert described(FACTS[2:], previous=first.rows, chat=chat).rows["description"].to_list() == ["Bob lives in Porto."]
