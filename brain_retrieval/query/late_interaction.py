"""Late interaction: how well each word of the question is met by the closest word of a passage (Khattab and Zaharia
2020, "ColBERT"), by the codes of words in the index. Nothing is retrieved by it; it scores what was found.

The score of a passage is the mean over the question's content words of the cosine with the closest word of the passage,
weighted by how few candidates contain the word. A model reads each word with those around it, so a word matches another
one of the same meaning, and less the same one in another.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from brain_retrieval.models.embedding.word_codes import CODE_BYTES, WordCodes, closest
from brain_retrieval.query.candidates import Arm, Candidates
from brain_retrieval.query.features.presence import stem
from brain_retrieval.schemas.names import WORD_CODES

NAME = "late_interaction"
DEPTH = 200  # passages that are compared with each other: the best has 1, the last of them 0.5


def late_interaction(
    candidates: Candidates, asked: WordCodes, rarity: Mapping[str, float], otherwise: np.ndarray
) -> Arm | None:
    """Return how well each candidate meets the words of the question; None if there are none or no passage has codes.

    Args:
        asked: of the question.
        rarity: by the question's stems; other words are left out.
        otherwise: float64 (n,) in [0, 1], what the normalised score of a passage without codes is to be, such as one of
            a row that was written before there were any.
    """
    weights = np.array([rarity.get(stem(word), 0.0) for word in asked.words])
    stored, lengths = codes_of(candidates)
    known = lengths > 0
    if not weights.any() or not known.any():
        return None
    counted = weights > 0
    scores = np.full(len(candidates), np.nan)
    scores[known] = closest(asked.codes[counted], stored, lengths[known]) @ (weights[counted] / weights.sum())
    best = candidates.best_first(np.nan_to_num(scores, nan=-np.inf))[: min(DEPTH, int(known.sum()))]
    ranks = np.zeros(len(candidates), dtype=np.int64)
    ranks[best] = np.arange(1, len(best) + 1)
    highest, lowest = scores[best[0]], scores[best[-1]]
    scores[~known] = (highest - 2 * (1 - otherwise) * (highest - lowest))[~known]  # the inverse of `by_spread`
    return Arm(NAME, scores, ranks)


def codes_of(candidates: Candidates) -> tuple[np.ndarray, np.ndarray]:
    """Return uint8 (words, CODE_BYTES), the codes of all candidates in a row, and int64 (n,), words of each."""
    column: Any = candidates.rows.column(WORD_CODES).combine_chunks()
    _, offsets, data = column.buffers()
    if not len(column) or data is None:
        return np.empty((0, CODE_BYTES), np.uint8), np.zeros(len(column), np.int64)
    places = np.frombuffer(offsets, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    codes = np.frombuffer(data, dtype=np.uint8)[places[0] : places[-1]].reshape(-1, CODE_BYTES)
    return codes, np.diff(places).astype(np.int64) // CODE_BYTES
