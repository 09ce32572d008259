"""Shingles: normalised words of texts and 64-bit hashes of every run of consecutive words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from brain_retrieval.language.folding import fold

Hashes = npt.NDArray[np.uint64]
SIZE = 5  # words of a shingle; a shorter sentence is one shingle of its own length
SHORTEST = 3  # words; shorter sentences ("Yes, thanks.") carry no information
_CITATION = re.compile(r"\[\d{1,3}\]")
# Each CJK character is a word of its own, because these scripts do not separate words.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_MULTIPLIER = 0x9E3779B97F4A7C15  # odd, so multiplication modulo 2^64 is invertible
_MASK = (1 << 64) - 1


def words_of(text: str) -> list[str]:
    """Return the folded words of a text, without punctuation, case and citation marks like [3]."""
    return _WORD.findall(fold(_CITATION.sub(" ", text)))


@lru_cache(maxsize=500_000)
def word_hash(word: str) -> int:
    """Return the first 64 bits of BLAKE2b, which unlike `hash` are the same in every process."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def run_hashes(words: Sequence[str], size: int) -> Hashes:
    """Return the hash of every run of `size` words, in order; empty if there are fewer words."""
    return _runs(np.array([word_hash(word) for word in words], dtype=np.uint64), size)


def all_runs(texts: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """Return the hashes of all runs of SHORTEST to SIZE words of many texts, and the text number of each."""
    listed = [words_of(text) for text in texts]
    flat = np.array([word_hash(word) for words in listed for word in words], dtype=np.uint64)
    owner = np.repeat(np.arange(len(listed)), [len(words) for words in listed])
    hashes, owners = [], []
    for size in range(SHORTEST, SIZE + 1):
        runs = _runs(flat, size)
        first = owner[: len(runs)]
        whole = first == owner[size - 1 :][: len(runs)]  # a run ends in the text it begins in
        hashes.append(runs[whole])
        owners.append(first[whole])
    return np.concatenate(hashes), np.concatenate(owners).astype(np.int64)


def _runs(words: Hashes, size: int) -> Hashes:
    count = len(words) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    total = np.full(count, size, dtype=np.uint64)
    for offset in range(size):
        total = total * np.uint64(_MULTIPLIER) + words[offset : offset + count]
    # A final mix spreads a difference in the last word over all 64 bits.
    return (total ^ (total >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9 & _MASK)
