"""Chunking of texts that are made to be slow, to overflow a limit, or to be cut in the middle of a character."""

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_pipelines.readers.topic_shifts import topic_shifts
from brain_pipelines.stages.chunking.boundaries import inside_character
from brain_pipelines.stages.chunking.ruler import CharacterRuler, RememberingCounter, TokenRuler
from brain_pipelines.stages.chunks import chunk_text
from brain_retrieval.language.sentences import sentences
from brain_retrieval.models.embedding.tokenizer import ApproximateCounter, build_tokenizer
from brain_retrieval.settings import ChunkingConfig, EmbeddingSettings

STRATEGIES = ("fixed", "semantic", "recursive", "document", "paragraph", "sentence")


@cache
def counter():
    return build_tokenizer(EmbeddingSettings())


@settings(max_examples=120, deadline=None)
@given(
    text=st.text(st.characters(), max_size=80).map(lambda t: t * 4),
    strategy=st.sampled_from(STRATEGIES),
    unit=st.sampled_from(["tokens", "characters"]),
    size=st.integers(1, 40),
    overlap=st.integers(0, 39),
    minimum=st.integers(0, 40),
)
def test_any_code_points_and_any_sizes(text, strategy, unit, size, overlap, minimum) -> None:
    """Every code point there is, halves of surrogate pairs too, and sizes down to one."""
    config = ChunkingConfig(
        strategy=strategy, unit=unit, max_size=size, overlap=min(overlap, size - 1), min_size=min(minimum, size)
    )
    spans = chunk_text(text, config, counter())
    ruler = TokenRuler(text, counter()) if unit == "tokens" else CharacterRuler(text)
    covered = {n for a, b in spans for n in range(a, b)}
    assert all(c.isspace() or n in covered for n, c in enumerate(text))
    assert all(text[a:b].strip() and (ruler.exact(a, b) <= size or b - a == 1) for a, b in spans)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(spans))


HOSTILE = {
    "dots": ".",
    "dots-and-quotes": '."',
    "brackets": "!)",
    "line-ends": "a\n",
    "blank-lines": "ok\n\n",
    "sentences": "A b. ",
    "cjk-sentences": "漢字。",
    "flags": "🇩🇪",
    "accents": "\u0301",
    "joiners": "👩\u200d",
}


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.timeout(200)
def test_no_pattern_is_quadratic(pattern: str, strategy: str) -> None:
    """A tenth of a million characters; a quadratic step would take minutes."""
    text = pattern * (100_000 // len(pattern))
    config = ChunkingConfig(strategy=strategy, unit="characters", max_size=512, overlap=50, min_size=100)
    spans = chunk_text(text, config, ApproximateCounter())
    assert max(b - a for a, b in spans) <= 512 and spans[-1][1] >= len(text.rstrip())


class CountingCounter(ApproximateCounter):
    """Counts how many characters it was given."""

    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str) -> int:
        self.characters += len(text)
        return super().count(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        self.characters += len(text)
        return super().spans(text)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_text_is_tokenised_about_twice(strategy: str) -> None:
    """Once as a whole and once a chunk, with its overlap; the work grows as the text does."""
    text = "\n\n".join(
        f"Paragraph {n} is about subject {n * 7}. It goes on for a while, and ends." for n in range(4000)
    )
    used = CountingCounter()
    chunk_text(text, ChunkingConfig(strategy=strategy, max_size=216, overlap=21, min_size=43), used)
    assert used.characters <= 2.6 * len(text)


def test_a_piece_is_counted_once() -> None:
    used = CountingCounter()
    remembering = RememberingCounter(used)
    assert remembering.count("abcde") == remembering.count("abcde") == 2
    assert used.characters == 5


@pytest.mark.parametrize(
    "character", ["👍🏽", "🇩🇪", "👩‍👩‍👧", "क्षि", "e\u0301\u0323", "\u1100\u1161\u11a8", "🏴\U000e0067\U000e007f"]
)
def test_what_a_reader_sees_as_one_character_is_not_parted(character: str) -> None:
    text = character * 200
    edges = set(range(0, len(text) + 1, len(character)))
    assert {n for n in range(len(text)) if not inside_character(text, n)} == edges - {len(text)}
    for unit in ("tokens", "characters"):
        spans = chunk_text(text, ChunkingConfig(unit=unit, max_size=19), counter())
        assert {edge for span in spans for edge in span} <= edges


def test_long_runs_of_stops_end_one_sentence() -> None:
    text = "Contents" + "." * 5000 + " 12. Next"
    assert [text[a:b][-4:] for a, b in sentences(text)] == ["....", "12.", "Next"]


@pytest.mark.timeout(200)
def test_topics_of_many_like_units_take_linear_time() -> None:
    assert topic_shifts(["the same bread again"] * 50_000) == set()
