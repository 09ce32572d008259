"""Spans are exact, ids are unique, and a document's result does not depend on what it is processed with."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain_pipelines.stages.extraction.local.blocks import MAX_BLOCK_CHARS, blocks_of
from brain_pipelines.stages.extraction.local.names.entities import Registry
from brain_pipelines.stages.extraction.local.names.mention import Mention
from brain_pipelines.stages.extractions_local import Extraction, extract_document, extract_documents
from brain_retrieval.schemas.names import ENTITY_TYPES, RELATIONS
from brain_retrieval.schemas.tables import ENTITIES, FACTS, MENTIONS
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.local.labelled import HELD_OUT, TUNED

PIECES = st.sampled_from(
    [
        *(s.text for s in TUNED[:20]),
        "# Plan\n",
        "- **Alice Chen** owns\n  the [billing API](https://example.com/a?b=1).\n",
        "```\ndef alice(): return 'Bob'\n```\n",
        "| Bob | owns | Kafka |\n|---|---|---|\n",
        "mail bob.smith@example.com, see spec-v2.pdf!",
        "🙂👩‍👩‍👧 İstanbul ǅ ﬁ \u200b\ufeff",
        "Alice: hello\nBob: I like tea.\n",
        "\r\n\t\x00\x0b\u2028 ",
        "x" * 200,
        "李雷 работает в Москве.",
        '{"a": ["Alice Chen", "owns \\"it\\""]}',
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=30)), max_size=6).map(" ".join)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(row: dict[str, Any], found: Extraction) -> None:
    """Assert what must hold of the extraction of any document."""
    text = row["text"]
    for rows, key, schema in (
        (found.mentions, "mention_id", MENTIONS),
        (found.entities, "entity_id", ENTITIES),
        (found.facts, "fact_id", FACTS),
    ):
        ids = [r[key] for r in rows]
        assert len(ids) == len(set(ids))
        assert all({*r, "code_version", "config_hash"} == set(schema.names) for r in rows)
        assert all(0 < r["confidence"] <= 1 for r in rows)
    entities = {e["entity_id"]: e for e in found.entities}
    for m in found.mentions:
        assert 0 <= m["start"] < m["end"] <= len(text)
        assert text[m["start"] : m["end"]] == m["text"]
        assert (entities[m["entity_id"]]["name"], entities[m["entity_id"]]["type"]) == (m["name"], m["type"])
        assert m["type"] in ENTITY_TYPES
    for left, right in zip(found.mentions, found.mentions[1:], strict=False):
        inside = left["start"] <= right["start"] and right["end"] <= left["end"]
        assert left["end"] <= right["start"] or inside
    for f in found.facts:
        assert 0 <= f["start"] < f["end"] <= len(text)
        assert text[f["start"] : f["end"]] == f["evidence"]
        assert f["relation"] in RELATIONS
        assert entities[f["subject_id"]]["name"] == f["subject"]
        assert f["object_id"] is None or entities[f["object_id"]]["name"] == f["object"]
    counts = {e["entity_id"]: e["mention_count"] for e in found.entities}
    assert sum(counts.values()) == len(found.mentions)


@QUICK
@given(TEXTS)
def test_spans_of_any_text_are_exact(text: str) -> None:
    row = document(text)
    check(row, extract_document(row))


@QUICK
@given(st.lists(st.tuples(st.sampled_from(["Alice", "user", "assistant", "李雷", "Dr. No"]), TEXTS), max_size=4))
def test_spans_of_any_conversation_are_exact(turns: list[tuple[str, str]]) -> None:
    row = conversation(turns)
    check(row, extract_document(row))


@QUICK
@given(TEXTS)
def test_blocks_map_back_to_the_text(text: str) -> None:
    previous = -1
    for block in blocks_of(text):
        assert 0 < len(block.text) == len(block.offsets) <= MAX_BLOCK_CHARS
        assert all(c in (text[o], " ") for c, o in zip(block.text, block.offsets, strict=True))
        assert block.offsets[0] > previous
        assert list(block.offsets) == sorted(set(block.offsets))
        previous = block.offsets[-1]


def test_result_does_not_depend_on_batch_or_order() -> None:
    sentences = [s.text for s in (*TUNED, *HELD_OUT)]
    rng = random.Random(3)
    rows = [document(" ".join(rng.sample(sentences, rng.randint(1, 12))), source_id=f"source_{n}") for n in range(40)]
    alone = {row["source_id"]: extract_document(row) for row in rows}
    rng.shuffle(rows)
    for row, found in zip(rows, extract_documents(rows), strict=True):
        assert found == alone[row["source_id"]]


def test_ids_depend_on_the_source_and_the_words_only() -> None:
    text = "Alice owns the billing API."
    first = extract_document(document(text))
    again = extract_document(document(text, received_at=None, trust="low"))
    other = extract_document(document(text, source_id="source_2"))
    assert [f["fact_id"] for f in first.facts] == [f["fact_id"] for f in again.facts]
    assert {e["entity_id"] for e in first.entities}.isdisjoint(e["entity_id"] for e in other.entities)


def test_entity_id_does_not_depend_on_type_or_spelling() -> None:
    ids = {
        row["entity_id"]
        for name, kind in (("The Kafka", "Tool"), ("kafka", "Person"))
        for row in Registry("s", [Mention(0, 5, name, kind, 0.7)]).entity_rows()
    }
    assert len(ids) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\n ",
        "?!… --- ***",
        "a" * 100_000,
        "word " * 8000,
        "\x00\x01\ufffd" * 1000,
        "😀" * 5000,
        "(" * 3000,
        "| a | b |\n" * 500,
        "[" * 5000,
        "aGVsbG8gd29ybGQ" * 3000,
        "Alice, " * 2000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_malformed_texts_do_not_raise(text: str) -> None:
    row = document(text)
    check(row, extract_document(row))


def test_code_is_not_read() -> None:
    found = extract_document(document("Alice owns it.\n```\nBob owns Kafka\n```\n"))
    assert {e["name"] for e in found.entities} == {"Alice"}


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (
            f"I was on [the town's page](https://example.org/{'x' * 90}). I also spoke.",
            ["I was on the town's page. I also spoke."],
        ),
        ('I moved to <acronym title="Berkeley">BSD</acronym> <b>today</b>.', ["I moved to BSD today."]),
        ("[^1]: Stefan sent me the answer[^2] too.", ["Stefan sent me the answer too."]),
        (
            "I sit at the laptop in the kitchen and am logged in to\n**Kestrel 3** at work.",
            ["I sit at the laptop in the kitchen and am logged in to Kestrel 3 at work."],
        ),
        ("**Members present:**\nAnn and Bo were there for the whole of the evening\n**Place:** Jena", None),
    ],
)
def test_links_footnotes_and_bold_words_leave_the_sentence_whole(text: str, blocks: list[str] | None) -> None:
    found = [block.text for block in blocks_of(text)]
    assert found == blocks if blocks else len(found) == 3
