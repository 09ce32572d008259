"""Features from people: whether the question names the one who speaks in a candidate or has written it, or another."""

from functools import lru_cache

import numpy as np

from brain_retrieval.language.folding import fold
from brain_retrieval.query.features.bylines import byline_named
from brain_retrieval.query.features.pool import Features, Pool
from brain_retrieval.query.features.presence import has_word

_ARTICLES = frozenset("the der die das les los las gli".split())  # of three letters and more


def people(pool: Pool) -> Features:
    """Return whether the question names a speaker, only others who speak, and one who published or wrote it."""
    wrote = {"byline": byline_named(pool)}
    asked = fold(pool.question.text)
    speakers, numbers, rows = pool.candidates.spoken
    if not len(rows):
        return dict.fromkeys(("speaker", "other_speaker"), np.zeros(len(pool))) | wrote
    named = np.array([any(has_word(asked, part) for part in _called(speaker)) for speaker in speakers], dtype=bool)
    spoken, own = np.zeros(len(pool), dtype=bool), np.zeros(len(pool), dtype=bool)
    spoken[rows] = True
    own[rows[named[numbers]]] = True
    other = spoken & ~own & own.any()
    return {"speaker": own.astype(np.float64), "other_speaker": other.astype(np.float64)} | wrote


@lru_cache(maxsize=4_000)
def _called(speaker: str) -> tuple[str, ...]:
    """Return the first and the last word of a name, folded, without articles ("The Chair") and words of one or two
    letters.
    """
    parts = [part for part in fold(speaker).split() if len(part) > 2 and part not in _ARTICLES]
    return tuple(dict.fromkeys(parts[:1] + parts[-1:]))
