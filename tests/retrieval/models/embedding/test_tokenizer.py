"""Token counts and spans: exact offsets for any text, no padding or cut from the file, long texts in blocks."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.errors import InvalidSettingsError, ModelMissingError
from brain_retrieval.models.embedding import tokenizer as module
from brain_retrieval.models.embedding.tokenizer import ApproximateCounter, TokenCounter, build_tokenizer
from brain_retrieval.settings import EmbeddingSettings


@pytest.fixture(scope="module")
def counter(models_dir: Path) -> TokenCounter:
    return build_tokenizer(EmbeddingSettings(), models_dir=models_dir)


def test_identity(counter: TokenCounter) -> None:
    assert (counter.name, counter.approximate) == ("minilm-tokenizer", False)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n ", []),
        ("Hello, wörld!", ["Hello", ",", "wörld", "!"]),
        ("unbelievably", ["un", "bel", "ie", "va", "bly"]),
        ("a 🙂 b", ["a", "🙂", "b"]),
        ("日本", ["日", "本"]),
    ],
)
def test_spans_are_the_tokens_of_the_text(counter: TokenCounter, text: str, tokens: list[str]) -> None:
    assert [text[start:end] for start, end in counter.spans(text)] == tokens
    assert counter.count(text) == len(tokens)


def test_the_padding_and_cut_of_the_file_are_off(counter: TokenCounter) -> None:
    assert counter.count("word") == 1
    assert counter.count("word " * 1000) == 1000


@given(st.text(max_size=300))
def test_spans_are_ordered_and_inside_whatever_the_text(counter: TokenCounter, text: str) -> None:
    spans = counter.spans(text)
    assert len(spans) == counter.count(text)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(before[0] <= after[0] and before[1] <= after[1] for before, after in pairwise(spans))


def test_blocks_change_nothing(counter: TokenCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The café's naïve façade — 3.14 %, e-mail: a@b.example\n\n  🙂 done. " * 40
    whole = counter.spans(text)
    monkeypatch.setattr(module, "BLOCK_CHARS", 50)
    assert counter.spans(text) == whole
    assert counter.count(text) == len(whole)


def test_a_text_without_white_space_is_still_cut_into_blocks(
    counter: TokenCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK_CHARS", 10)
    text = "x" * 95
    assert counter.spans(text)[-1][1] == 95


def test_estimate_is_marked_and_covers_the_text() -> None:
    counter = ApproximateCounter()
    assert counter.approximate
    assert counter.count("") == 0
    assert counter.spans("123456789") == [(0, 4), (4, 8), (8, 9)]
    assert counter.count("123456789") == 3


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "minilm-tokenizer"),
        ({"provider": "openai", "model": "text-embedding-3-small"}, "minilm-tokenizer"),
        ({"tokenizer": "approximate"}, "approximate-4"),
        ({"tokenizer": "minilm-tokenizer"}, "minilm-tokenizer"),
    ],
)
def test_the_settings_choose(models_dir: Path, settings: dict[str, str], name: str) -> None:
    assert build_tokenizer(EmbeddingSettings(**settings), models_dir=models_dir).name == name


def test_a_model_directory_brings_its_own(models_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").symlink_to(models_dir / "minilm-tokenizer" / "tokenizer.json")
    counter = build_tokenizer(EmbeddingSettings(model=str(tmp_path)), models_dir=tmp_path)
    assert counter.name == f"{tmp_path.name}-be50c362"
    assert counter.count("two words") == 2


@pytest.mark.parametrize(
    ("settings", "error"), [({}, ModelMissingError), ({"tokenizer": "none-such"}, InvalidSettingsError)]
)
def test_missing_tokenizer_is_an_error(tmp_path: Path, settings: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error, match="minilm-tokenizer"):
        build_tokenizer(EmbeddingSettings(**settings), models_dir=tmp_path)
