"""Chunking: exact offsets, kept limits, whole coverage, for every strategy and unit, on any text."""

from datetime import UTC, datetime
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brain_pipelines.readers.topic_shifts import topic_shifts
from brain_pipelines.stages.chunking.ruler import CharacterRuler, TokenRuler
from brain_pipelines.stages.chunking.sizing import fit
from brain_pipelines.stages.chunking.strategies import Outline
from brain_pipelines.stages.chunks import chunk_document, chunk_text
from brain_retrieval.language.sentences import sentences
from brain_retrieval.models.embedding.tokenizer import build_tokenizer
from brain_retrieval.schemas.names import ORIGIN_NAMES, PLACE_NAMES
from brain_retrieval.settings import ChunkingConfig, EmbeddingSettings

STRATEGIES = ("fixed", "semantic", "recursive", "document", "paragraph", "sentence")
CONVERSATION = ChunkingConfig(strategy="semantic", max_size=512, overlap=50, min_size=100)
DOCUMENT = ChunkingConfig(strategy="recursive", max_size=1000, overlap=100, min_size=200)

PIECES = st.sampled_from(
    [
        "Alice met Bob.",
        "\n\n",
        "\n",
        " ",
        "e.g. this ",
        "3.14 ",
        "日本語の文。",
        "👩‍👩‍👧",
        "é",
        "شكرا ",
        "x" * 150,
        "Really?! ",
        "\t",
        "a\u0301",
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=40).map("".join)


@cache
def counter():
    return build_tokenizer(EmbeddingSettings())


@st.composite
def configs(draw: st.DrawFn) -> ChunkingConfig:
    unit = draw(st.sampled_from(["tokens", "characters"]))
    size = draw(st.integers(8, 60))
    return ChunkingConfig(
        strategy=draw(st.sampled_from(STRATEGIES)),
        unit=unit,
        max_size=size,
        overlap=draw(st.integers(0, size // 3)),
        min_size=draw(st.sampled_from([0, size // 4])),
        preserve_boundaries=draw(st.booleans()),
    )


def exact(config: ChunkingConfig, text: str, span: tuple[int, int]) -> int:
    ruler = TokenRuler(text, counter()) if config.unit == "tokens" else CharacterRuler(text)
    return ruler.exact(*span)


@settings(max_examples=250, deadline=None)
@given(text=TEXTS, config=configs())
@example(text="x" * 500, config=ChunkingConfig(max_size=8))
@example(text="👩‍👩‍👧" * 40, config=ChunkingConfig(strategy="fixed", max_size=9, overlap=3))
def test_every_strategy_keeps_limits_offsets_and_coverage(text: str, config: ChunkingConfig) -> None:
    spans = chunk_text(text, config, counter())
    covered = set()
    for span in spans:
        start, end = span
        assert 0 <= start < end <= len(text)
        assert text[start:end].strip()
        assert exact(config, text, span) <= config.max_size or end - start == 1
        covered.update(range(start, end))
    assert all(character.isspace() or n in covered for n, character in enumerate(text))
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))
    assert spans == chunk_text(text, config, counter())


def test_paragraphs_stay_apart_without_a_minimum() -> None:
    """Three paragraphs of a few characters, at most 100: three chunks, none with a blank line."""
    text = "Paragraph 1.\n\nParagraph 2.\n\nParagraph 3."
    for strategy in ("semantic", "paragraph", "document"):
        spans = chunk_text(text, ChunkingConfig(strategy=strategy, max_size=100), counter())
        assert [text[a:b] for a, b in spans] == ["Paragraph 1.", "Paragraph 2.", "Paragraph 3."]


def test_paragraphs_merge_when_a_minimum_asks_for_it() -> None:
    text = "Paragraph 1.\n\nParagraph 2.\n\nParagraph 3."
    config = ChunkingConfig(strategy="paragraph", max_size=100, min_size=50)
    assert len(chunk_text(text, config, counter())) == 1


def test_fixed_windows_overlap_by_exactly_what_was_asked() -> None:
    text = "abcdefghij " * 40
    config = ChunkingConfig(strategy="fixed", unit="characters", max_size=100, overlap=20)
    chunks = [text[a:b] for a, b in chunk_text(text, config, counter())]
    assert len(chunks) > 3
    assert all(a[-20:] == b[:20] for a, b in pairwise(chunks))
    assert all(len(chunk) == 100 for chunk in chunks[:-1])


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", ["", " \n\t\n ", "\u2028"])
def test_empty_text_has_no_chunks(strategy: str, text: str) -> None:
    assert chunk_text(text, ChunkingConfig(strategy=strategy), counter()) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Smith met Mr. Jones. They talked.", 2),
        ("It costs 3.14 euros. Really? Yes!", 3),
        ("See e.g. the report. Done.", 2),
        ("He said “stop.” Then he left.", 2),
        ("第一文。第二文。", 2),
        ("J. K. Rowling wrote it. Fine.", 2),
        ("no punctuation at all", 1),
        ("Visit www.example.org today. Bye.", 2),
    ],
)
def test_sentences(text: str, count: int) -> None:
    found = [text[a:b] for a, b in sentences(text)]
    assert len(found) == count, found


FOOD = [
    "Let us bake bread with flour and yeast.",
    "The bread dough needs more flour.",
    "Yeast makes the dough rise.",
] * 2
SAIL = ["The boat needs new sails before the race.", "Which harbour will the race start from?", "The sails tear."] * 2


def test_a_topic_shift_is_found_where_it_is() -> None:
    assert topic_shifts(FOOD + SAIL) == {6}


def test_one_topic_has_no_shift() -> None:
    assert topic_shifts(FOOD) == set()


def conversation(turns: list[str]) -> dict:
    text, segments = "", []
    for n, content in enumerate(turns):
        speaker = ("Alice", "Bob")[n % 2]
        line = f"{speaker}: {content}\n"
        segments.append(
            {
                "start": len(text),
                "end": len(text) + len(line),
                "kind": "message",
                "raw_start": None,
                "raw_end": None,
                "section": None,
                **dict.fromkeys(PLACE_NAMES),
                "message_id": f"m{n}",
                "speaker": speaker,
                "time": datetime(2026, 1, 5, 9, n % 60, tzinfo=UTC),
            }
        )
        text += line
    at = datetime(2026, 1, 5, 9, tzinfo=UTC)
    shared = {"source_id": "s1", "uri": "inbox:conversation/c", "event_at": at, "received_at": at}
    shared |= {**dict.fromkeys(ORIGIN_NAMES), "anchors": []}
    return {
        **shared,
        "trust": "own",
        "sensitivity": "normal",
        "ttl_policy": None,
        "title": "Talk",
        "text": text,
        "segments": segments,
    }


def test_turns_are_never_split_and_know_their_messages() -> None:
    document = conversation([f"{sentence} ({n})" for n, sentence in enumerate((FOOD + SAIL) * 12)])
    chunks = chunk_document(document, CONVERSATION, counter())
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk["text"] == document["text"][chunk["start"] : chunk["end"]]
        assert chunk["text"].startswith(("Alice: ", "Bob: ")) and chunk["text"].endswith(")")
        assert chunk["token_count"] <= 512
        assert len(chunk["message_ids"]) == chunk["text"].count("\n") + 1
        assert chunk["context"] == "[05 Jan 2026] Talk" and chunk["time"] is not None
    assert {m for c in chunks for m in c["message_ids"]} == {f"m{n}" for n in range(len(document["segments"]))}


def test_a_turn_larger_than_the_limit_is_split_alone() -> None:
    document = conversation(["short", "long " * 2000, "short again"])
    chunks = chunk_document(document, CONVERSATION, counter())
    assert all(chunk["token_count"] <= 512 for chunk in chunks)
    assert len([c for c in chunks if "m1" in c["message_ids"]]) >= 4


def sections(*parts: tuple[str, str]) -> dict:
    document = conversation([])
    for name, body in parts:
        segment = {**dict.fromkeys(PLACE_NAMES), "kind": "section", "section": name, "page": 3}
        segment |= {"speaker": None, "message_id": None, "time": None}
        start = len(document["text"])
        document["text"] += body + "\n\n"
        document["segments"].append({**segment, "start": start, "end": start + len(body)})
    return document


def test_the_document_strategy_ends_at_a_section() -> None:
    document = sections(("A", "One. " * 40), ("B", "Two. " * 40), ("C", "Three. " * 400))
    config = ChunkingConfig(strategy="document", max_size=200, overlap=20, min_size=50)
    chunks = chunk_document(document, config, counter())
    assert {c["section"] for c in chunks} == {"A", "B", "C"} and {c["page"] for c in chunks} == {3}
    for chunk in chunks:
        assert len({word for word in ("One", "Two", "Three") if word in chunk["text"]}) == 1


def test_a_section_too_small_to_stand_alone_joins_the_next() -> None:
    document = sections(("Tags", "ui, dates"), ("A", "One. " * 40), ("B", "Two. " * 40))
    config = ChunkingConfig(strategy="document", max_size=200, min_size=50)
    texts = [c["text"] for c in chunk_document(document, config, counter())]
    assert len(texts) == 2 and texts[0].startswith("ui, dates\n\nOne.") and texts[1].startswith("Two.")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_chunk_is_of_one_page_and_has_its_box(strategy: str) -> None:
    document = sections(("", "The end of a page that says little."), ("", "Item | Cost\nBoard | 12\nPaint | 3"))
    boxes = [[0.1, 0.8, 0.9, 0.9], [0.1, 0.1, 0.5, 0.2]]
    for number, (segment, box) in enumerate(zip(document["segments"], boxes, strict=True), 1):
        segment |= {"page": number, "box": box, "kind": "page" if number == 1 else "table"}
    config = ChunkingConfig(strategy=strategy, max_size=60, overlap=10, min_size=40)
    chunks = chunk_document(document, config, counter())
    assert [(c["page"], c["box"]) for c in chunks] == [*enumerate(boxes, 1)]
    assert all(c["text"] == document["text"][c["start"] : c["end"]] for c in chunks)
    assert chunks[1]["text"].startswith("Item | Cost") and chunks[1]["text"].rstrip().endswith("Paint | 3")


def test_the_recursive_preset_fills_and_overlaps() -> None:
    body = "\n\n".join(f"Paragraph {n} says something about topic {n}. It ends here." for n in range(300))
    spans = chunk_text(body, DOCUMENT, counter())
    sizes = [counter().count(body[a:b]) for a, b in spans]
    assert all(size <= 1000 for size in sizes) and min(sizes[:-1]) >= 500
    assert all(b[0] < a[1] for a, b in pairwise(spans))


@pytest.mark.parametrize("text", ["word " * 200_000, "x" * 1_000_000, "漢" * 200_000], ids=["words", "one-word", "cjk"])
def test_large_texts_without_structure_are_cut_within_limits(text: str) -> None:
    for strategy in ("recursive", "semantic", "fixed"):
        spans = chunk_text(text, ChunkingConfig(strategy=strategy, max_size=512, overlap=50), counter())
        assert spans[-1][1] >= len(text.rstrip()) and max(b - a for a, b in spans) <= 512 * 16


def test_offsets_and_ids_are_stable() -> None:
    document = sections(("A", "One. " * 40))
    first = chunk_document(document, DOCUMENT, counter())
    assert first == chunk_document(document, DOCUMENT, counter())
    assert len({c["chunk_id"] for c in first}) == len(first)


def test_outline_is_optional() -> None:
    assert chunk_text("a b c", ChunkingConfig(strategy="document"), counter(), outline=Outline()) == [(0, 5)]


def test_presets_shrink_to_the_window_of_a_small_embedder() -> None:
    fitted = fit(DOCUMENT, 216)
    assert (fitted.max_size, fitted.overlap, fitted.min_size) == (216, 21, 43)
    assert fit(DOCUMENT, 8151) == DOCUMENT
    characters = ChunkingConfig(unit="characters", max_size=1000)
    assert fit(characters, 216) == characters
