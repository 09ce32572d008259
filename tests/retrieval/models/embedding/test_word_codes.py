"""Codes of words: which words have one, what a code keeps of a vector, and the closest word of each text."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest

from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.protocol import CodingEmbedder, Embedder
from brain_retrieval.models.embedding.word_codes import CODE_BYTES, closest, content_words, directions_of, word_codes
from brain_retrieval.settings import EmbeddingSettings

WIDTH = 384
TEXTS = [
    "The Harbour of Zürich: the harbour's old boats are for sale.",
    "",
    "of the and",
    "Unbelievably overparametrised tokenizers",
    "!!! ... 🙂",
    "She sold her boat in 2023.",
]


@pytest.fixture(scope="module")
def embedder(models_dir: Path) -> CodingEmbedder:
    return cast("CodingEmbedder", build_embedder(EmbeddingSettings(), models_dir=models_dir))


def spans_of(text: str) -> list[tuple[int, int]]:
    """Return a token of every three characters of each word, between two special tokens."""
    starts = [n for n, letter in enumerate(text) if not letter.isspace()][::3]
    return [(0, 0), *((start, start + 1) for start in starts), (0, 0)]


def test_content_words_are_counted_once_and_characters_know_theirs() -> None:
    text = "The boat, the BOAT and Zoë's"
    words, of_character = content_words(text)
    assert words == ["boat", "zoë"]
    assert [of_character[text.index(part)] for part in ("The", "boat", "BOAT", "Zoë", ",")] == [-1, 0, 0, 1, -1]
    assert len(of_character) == len(text) + 1


def test_a_code_has_the_signs_of_the_mean_of_a_words_vectors() -> None:
    text, rng = "harbour boat harbour", np.random.default_rng(1)
    spans = [(0, 0), (0, 4), (4, 7), (8, 12), (13, 20), (0, 0)]
    hidden = rng.normal(size=(6, WIDTH)).astype(np.float32) * np.arange(1, 7)[:, None].astype(np.float32)
    found = word_codes(text, hidden.copy(), spans)
    unit = hidden / np.linalg.norm(hidden, axis=1, keepdims=True)
    expected = np.stack([unit[[1, 2, 4]].sum(axis=0), unit[3]]) @ directions_of(WIDTH) > 0
    assert found.words == ("harbour", "boat")
    assert np.array_equal(np.unpackbits(found.codes, axis=1).astype(bool), expected)
    assert found.packed() == found.codes.tobytes() and len(found.packed()) == 2 * CODE_BYTES


def test_directions_are_orthogonal_and_do_not_change() -> None:
    directions = directions_of(WIDTH).astype(np.float64)
    assert np.abs(directions.T @ directions - np.eye(128)).max() < 1e-6
    assert directions[:2, :2].ravel().tolist() == pytest.approx([0.0442989, 0.0105873, -0.0053031, 0.105313], abs=1e-6)
    assert directions_of(8).shape == (8, 128)


def test_codes_estimate_the_angle_between_vectors() -> None:
    """The standard deviation of the share of bits is at most 1 / (2 √128), an angle of 8 degrees."""
    rng = np.random.default_rng(2)
    for cosine in (0.0, 0.5, 0.9, 1.0):
        first, other = np.linalg.qr(rng.normal(size=(WIDTH, 2)))[0].T
        pair = np.stack([first, cosine * first + np.sqrt(1 - cosine**2) * other]).astype(np.float32)
        codes = word_codes("boat harbour", pair, [(0, 4), (5, 12)]).codes
        angle = np.degrees(np.arccos(closest(codes[:1], codes[1:], np.array([1]))[0, 0]))
        assert abs(angle - np.degrees(np.arccos(cosine))) < 25


def test_closest_takes_the_best_word_of_each_text() -> None:
    rng = np.random.default_rng(3)
    asked, lengths = rng.integers(0, 256, (3, CODE_BYTES), dtype=np.uint8), np.array([2, 1, 4])
    stored = rng.integers(0, 256, (7, CODE_BYTES), dtype=np.uint8)
    stored[5] = asked[1]
    differing = np.array([[np.unpackbits(s ^ a).sum() for a in asked] for s in stored])
    expected = np.cos(np.pi * np.stack([differing[:2].min(0), differing[2], differing[3:].min(0)]) / 128)
    found = closest(asked, stored, lengths)
    assert found == pytest.approx(expected)
    assert found[2, 1] == 1.0


def test_any_text_has_codes_that_do_not_depend_on_the_batch(embedder: CodingEmbedder) -> None:
    vectors, codes = embedder.embed_coded(TEXTS)
    assert np.array_equal(vectors, cast("Embedder", embedder).embed(TEXTS))
    alone = [embedder.embed_coded([text])[1][0] for text in reversed(TEXTS)][::-1]
    assert [one.packed() for one in alone] == [one.packed() for one in codes]
    assert [len(one.words) for one in codes] == [len(one.codes) for one in codes]
    assert codes[1].words == codes[2].words == codes[4].words == ()
    assert {"harbour", "zürich", "boats"} <= set(codes[0].words)


def test_words_beyond_the_last_token_have_no_code(embedder: CodingEmbedder) -> None:
    _, [found] = embedder.embed_coded([" ".join(f"word{n}" for n in range(300))])
    assert "word5" in found.words and "word299" not in found.words


def test_related_words_are_closer_than_others(embedder: CodingEmbedder) -> None:
    _, [dog, puppy, tax] = embedder.embed_coded(["my dog", "their puppy", "the tax"])
    near = closest(dog.codes, np.concatenate([puppy.codes, tax.codes]), np.array([1, 1]))
    assert near[0, 0] > near[1, 0] + 0.1
