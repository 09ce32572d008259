"""Likeness of texts, so that copies of one text count once, whoever's domains they lie on."""

from collections.abc import Iterable

from brain_retrieval.evidence.words import tokens_of

WORDS = 5  # of a shingle
ALIKE = 0.6  # share of the shorter text's shingles that the other has
LEAST_WORDS = 8  # of texts that are compared
PIECE, MOST_PIECES = 1500, 100  # characters of a piece, which has at most 400 words; pieces of a text

Shingles = frozenset[str]


def shingles(text: str) -> Shingles:
    """Return the sequences of five words in a text, in lower case; none of a text with fewer than eight words."""
    pieces = (text[start : start + PIECE] for start in range(0, min(len(text), PIECE * MOST_PIECES), PIECE))
    words = [token.low for piece in pieces for token in tokens_of(piece)]
    if len(words) < LEAST_WORDS:
        return frozenset()
    return frozenset(" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1))


def is_copy(own: Shingles, others: Iterable[Shingles]) -> bool:
    """Return whether a text repeats one of the others for the most part."""
    return any(own and other and len(own & other) >= ALIKE * min(len(own), len(other)) for other in others)
