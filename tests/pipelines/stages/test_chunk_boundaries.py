"""Chunking at turns, paragraphs and pages: what fits stays whole, what overlaps stays on its side of a wall."""

import random
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise

import pytest

from brain_pipelines.stages.chunking.ruler import Span, TokenRuler
from brain_pipelines.stages.chunking.sizing import RESERVED_TOKENS
from brain_pipelines.stages.chunking.strategies import Outline
from brain_pipelines.stages.chunks import MAX_CONTEXT_TOKENS, chunk_document, chunk_text
from brain_retrieval.models.embedding.tokenizer import build_tokenizer
from brain_retrieval.schemas.names import ORIGIN_NAMES, PLACE_NAMES
from brain_retrieval.settings import ChunkingConfig, EmbeddingSettings

WORDS = "budget harbour yeast sails meeting flour deadline, release. who? notes! e.g. Dr. 3.14 naïve 漢字".split()


@cache
def counter():
    return build_tokenizer(EmbeddingSettings())


def random_turns(seed: int) -> tuple[str, list[Span]]:
    chance = random.Random(seed)
    text, turns = "", []
    for n in range(chance.randint(2, 30)):
        words = chance.choices(WORDS, k=chance.randint(1, chance.choice([5, 60, 200])))
        line = f"{'AB'[n % 2]}: {' '.join(words)}\n"
        turns.append((len(text), len(text) + len(line)))
        text += line
    return text, turns


@pytest.mark.parametrize("seed", range(40))
def test_a_turn_is_split_only_if_it_alone_is_too_large(seed: int) -> None:
    text, turns = random_turns(seed)
    chance = random.Random(-seed)
    size = chance.choice([32, 64, 216, 512])
    minimum = chance.choice([0, size // 5])
    config = ChunkingConfig(strategy="semantic", max_size=size, overlap=chance.randint(0, size // 2), min_size=minimum)
    ruler = TokenRuler(text, counter())
    spans = chunk_text(text, config, counter(), outline=Outline(turns=turns))
    assert all(ruler.exact(*span) <= size for span in spans)
    cuts = {edge for span in spans for edge in span}
    for start, end in turns:
        if ruler.exact(start, end) <= size:
            assert not any(start < cut < end - 1 for cut in cuts)


@pytest.mark.parametrize("strategy", ["paragraph", "document", "semantic"])
def test_a_paragraph_that_needs_the_room_of_the_overlap_stays_whole(strategy: str) -> None:
    text = "\n\n".join("word " * 480 + "end." for _ in range(3))
    spans = chunk_text(text, ChunkingConfig(strategy=strategy, max_size=512, overlap=50), counter())
    assert [text[a:b].endswith("end.") for a, b in spans] == [True] * 3


@pytest.mark.parametrize("strategy", ["paragraph", "document", "semantic"])
def test_an_overlap_does_not_reach_over_a_blank_line_without_a_minimum(strategy: str) -> None:
    text = "\n\n".join(f"Paragraph {n} begins. It ends here." for n in range(3))
    spans = chunk_text(text, ChunkingConfig(strategy=strategy, max_size=100, overlap=20), counter())
    assert len(spans) == 3 and not any("\n\n" in text[a:b] for a, b in spans)


def test_sentences_of_one_paragraph_do_overlap_without_a_minimum() -> None:
    text = "One thing is. " * 30
    config = ChunkingConfig(strategy="sentence", max_size=20, overlap=5, min_size=8)
    spans = chunk_text(text, config, counter())
    assert all(text[b[0] : a[1]] == "One thing is." for a, b in pairwise(spans))


class EdgeCounter:
    """Like some tokenizers: a slice that begins with a small letter is two tokens more than it was inside the text."""

    def count(self, text: str) -> int:
        return counter().count(text) + 2 * text[:1].islower()

    def spans(self, text: str) -> list[Span]:
        return counter().spans(text)


@pytest.mark.parametrize("overlap", [0, 10])
@pytest.mark.parametrize("strategy", ["fixed", "semantic", "recursive", "document", "paragraph", "sentence"])
def test_the_limit_holds_for_a_slice_that_measures_more_than_it_did_in_the_text(strategy: str, overlap: int) -> None:
    text = "\n\n".join(["small letters begin it. then more of them, and so on. " * 3] * 30 + ["word " * 300])
    config = ChunkingConfig(strategy=strategy, max_size=60, overlap=overlap, min_size=20)
    spans = chunk_text(text, config, EdgeCounter())
    covered = {n for a, b in spans for n in range(a, b)}
    assert all(EdgeCounter().count(text[a:b]) <= 60 for a, b in spans)
    assert all(c.isspace() or n in covered for n, c in enumerate(text))
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))
    if strategy != "fixed":  # too large by a token or two is parted between sentences, not into a chunk and a crumb
        assert min(counter().count(text[a:b]) for a, b in spans[:-1]) >= 5


def test_a_chunk_ends_where_the_topic_of_a_conversation_shifts() -> None:
    bread = ["The bread dough needs more flour.", "Yeast makes the dough rise.", "Bake the bread with flour and yeast."]
    boats = ["The boat needs new sails.", "Which harbour will the race start from?", "The sails tear in a race."]
    text = "".join(f"{'AB'[n % 2]}: {content}\n" for n, content in enumerate(bread * 3 + boats * 3))
    lines = text.splitlines(keepends=True)
    ends = [sum(map(len, lines[: n + 1])) for n in range(len(lines))]
    turns = list(zip([0, *ends[:-1]], ends, strict=True))
    config = ChunkingConfig(strategy="semantic", max_size=512, min_size=20)
    spans = chunk_text(text, config, counter(), outline=Outline(turns=turns))
    assert [text[a:b].count("\n") + 1 for a, b in spans] == [9, 9]


@pytest.mark.parametrize("strategy", ["recursive", "paragraph", "semantic", "sentence", "document"])
def test_a_text_without_sentences_overlaps_at_words(strategy: str) -> None:
    text = " ".join(f"word{n}" for n in range(2000))
    spans = chunk_text(text, ChunkingConfig(strategy=strategy, max_size=200, overlap=20), counter())
    for (_, before), (start, _) in pairwise(spans):
        assert 10 <= counter().count(text[start:before]) <= 20
        assert text[start - 1] == " " and text[start] == "w"


@pytest.mark.parametrize("overlap", [0, 1, 20, 99])
def test_fixed_windows_in_tokens_overlap_as_asked(overlap: int) -> None:
    text = " ".join(f"word {n}" for n in range(600))
    spans = chunk_text(text, ChunkingConfig(strategy="fixed", max_size=100, overlap=overlap), counter())
    assert all(counter().count(text[a:b]) <= 100 for a, b in spans)
    assert all(overlap - 3 <= counter().count(text[b[0] : a[1]]) <= overlap for a, b in pairwise(spans))


def table(rows: int) -> dict:
    text = "".join(f"| row {n} | value {n * n} | note about {n} |\n" for n in range(rows))
    nothing = dict.fromkeys(("raw_start", "raw_end", "section", *PLACE_NAMES, "message_id", "speaker", "time"))
    at = datetime(2026, 1, 5, tzinfo=UTC)
    segment = {**nothing, "start": 0, "end": len(text), "kind": "table", "page": 2}
    shared = {
        "source_id": "s",
        "uri": "inbox:document/d",
        "event_at": at,
        "received_at": at,
        "sensitivity": "normal",
        "ttl_policy": None,
    }
    shared |= {**dict.fromkeys(ORIGIN_NAMES), "anchors": []}
    return {**shared, "trust": "own", "title": "T", "text": text, "segments": [segment]}


def test_a_table_is_cut_at_the_end_of_a_row() -> None:
    config = ChunkingConfig(strategy="document", max_size=200, overlap=20, min_size=50)
    chunks = chunk_document(table(200), config, counter())
    assert len(chunks) > 5 and all(c["text"].endswith("|") and c["page"] == 2 for c in chunks)


@pytest.mark.parametrize("title", ["Q3 budget", "季度预算会议记录" * 40, "é" * 500])
def test_a_header_leaves_the_room_that_was_kept_for_it(title: str) -> None:
    chunk = chunk_document({**table(3), "title": title}, ChunkingConfig(), counter())[0]
    assert chunk["context"] and title.startswith(chunk["context"])
    assert counter().count(chunk["context"]) <= MAX_CONTEXT_TOKENS == RESERVED_TOKENS - 2


def test_number_and_place_of_a_chunk_follow_from_its_row() -> None:
    document = table(100)
    chunks = chunk_document(document, ChunkingConfig(max_size=100), counter())
    assert [c["position"] for c in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk["strategy"] == "recursive" and chunk["token_count"] == counter().count(chunk["text"])
        assert document["text"][chunk["start"] : chunk["end"]] == chunk["text"]


def test_topics_by_vectors() -> None:
    import numpy as np

    text = "\n\n".join(["Apples again."] * 8 + ["Boats again."] * 8)
    config = ChunkingConfig(strategy="semantic", max_size=500, min_size=5)
    spans = chunk_text(
        text, config, counter(), embed=lambda units: np.array([[1.0, 0.0] if "A" in u else [0.0, 1.0] for u in units])
    )
    assert [("Apples" in text[a:b], "Boats" in text[a:b]) for a, b in spans] == [(True, False), (False, True)]
