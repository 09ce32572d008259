"""Features from people: whether the question names the one who speaks in a candidate, or another one."""

import numpy as np

from brain_retrieval.language.folding import fold
from brain_retrieval.query.features.pool import Features, Pool
from brain_retrieval.query.features.presence import has_word


def people(pool: Pool) -> Features:
    """Return whether the question names a speaker of the candidate, and whether it names only others who speak."""
    asked = fold(pool.question.text)
    named: dict[str, bool] = {}

    def is_named(speaker: str) -> bool:
        if speaker not in named:
            parts = [part for part in fold(speaker).split() if len(part) > 2]
            named[speaker] = any(has_word(asked, part) for part in parts[:1] + parts[-1:])
        return named[speaker]

    speakers = pool.candidates.listed("speakers")
    own = np.array([any(map(is_named, who or ())) for who in speakers], dtype=bool)
    spoken = np.array([bool(who) for who in speakers], dtype=bool)
    other = spoken & ~own & own.any()
    return {"speaker": own.astype(np.float64), "other_speaker": other.astype(np.float64)}
