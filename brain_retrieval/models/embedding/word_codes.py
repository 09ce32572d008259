"""One code of CODE_BITS bits for each content word of a text: what late interaction compares instead of whole vectors.

A word's vector is the mean of those of its tokens (the encoder's last hidden state, before pooling, unit length),
wherever it stands in the text. The code holds the vector's signs in CODE_BITS fixed random directions: the share of
bits in which two codes differ is an estimate of the angle between the vectors (Charikar 2002, "Similarity estimation
techniques from rounding algorithms"), at 16 bytes a word instead of 1,536 a token.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from brain_retrieval.language.stop_words import function_words

CODE_BITS = 128
CODE_BYTES = CODE_BITS // 8
SEED = 20
FEW = 32  # words up to which no BLAS is used: its threads keep all cores busy for 15 ms after each product
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class WordCodes:
    """The distinct content words of one text, in lower case, and uint8 (words, CODE_BYTES), their codes.

    `tokens` has of how many tokens of the model a word is made, wherever it stands in the text.
    """

    words: tuple[str, ...]
    codes: np.ndarray
    tokens: tuple[int, ...] = ()

    def packed(self) -> bytes:
        """Return the codes one after the other, as the index stores them; empty without a word."""
        return self.codes.tobytes()


def word_codes(text: str, hidden: np.ndarray, spans: Sequence[tuple[int, int]]) -> WordCodes:
    """Return the codes of the content words of a text.

    Args:
        hidden: float32 (tokens, width), one vector a token.
        spans: half-open character spans of the tokens, empty for the special ones.
    """
    words, of_character = content_words(text)
    numbers = np.array([of_character[start] if end > start else -1 for start, end in spans], dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    order = order[int((numbers < 0).sum()) :]
    if not len(order):
        return WordCodes((), np.empty((0, CODE_BYTES), np.uint8))
    vectors = hidden[order]
    vectors /= np.maximum(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), 1e-12)[:, None]
    found, starts = np.unique(numbers[order], return_index=True)  # words beyond the last token have none
    sums, directions = np.add.reduceat(vectors, starts, axis=0), directions_of(hidden.shape[1])
    along = sums @ directions if len(sums) > FEW else np.einsum("ij,jk->ik", sums, directions)
    tokens = tuple(np.diff(starts, append=len(order)).tolist())
    return WordCodes(tuple(words[number] for number in found.tolist()), np.packbits(along > 0, axis=1), tokens)


def content_words(text: str) -> tuple[list[str], list[int]]:
    """Return the distinct words in lower case that are no English function words, and the number of the word to which
    each character belongs, -1 for none.

    Function words of other languages are kept: they cost room, and no question looks for them.
    """
    numbers = dict[str, int]()
    of_character, stop = [-1] * (len(text) + 1), function_words()
    for match in _WORD.finditer(text):
        if (word := match[0].lower()) not in stop:
            number = numbers.setdefault(word, len(numbers))
            of_character[match.start() : match.end()] = [number] * (match.end() - match.start())
    return list(numbers), of_character


@lru_cache(maxsize=4)
def directions_of(width: int) -> np.ndarray:
    """Return float32 (width, CODE_BITS): orthogonal directions, the same on every machine.

    A model narrower than that gets random ones. NumPy guarantees the numbers of `RandomState`, not those of its newer
    generators.
    """
    drawn = np.random.RandomState(SEED).standard_normal((width, CODE_BITS))
    if width < CODE_BITS:
        return drawn.astype(np.float32)
    basis, upper = np.linalg.qr(drawn)
    return (basis * np.sign(np.diag(upper))).astype(np.float32)


def closest(asked: np.ndarray, stored: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return float64 (texts, asked) in [-1, 1]: for each text and word asked the cosine with the text's closest word.

    Args:
        asked: uint8 (asked, CODE_BYTES).
        stored: uint8 (words, CODE_BYTES), the codes of all texts, one text after the other.
        lengths: int64 (texts,), words of each text, 1 at least; they add up to those of `stored`.
    """
    ours, theirs = (np.ascontiguousarray(codes).view(np.uint64) for codes in (asked, stored))
    halves = np.ascontiguousarray(theirs.T)
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    least = np.empty((len(lengths), len(ours)), dtype=np.uint8)  # bits in which the closest word differs
    for number, word in enumerate(ours):
        apart = np.bitwise_count(halves[0] ^ word[0])
        apart += np.bitwise_count(halves[1] ^ word[1])
        least[:, number] = np.minimum.reduceat(apart, starts)
    return np.cos(least * (np.pi / CODE_BITS))
