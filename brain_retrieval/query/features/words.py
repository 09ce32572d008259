"""Features from the words of the question that a candidate contains, weighted by how rare they are among candidates."""

import re
from collections.abc import Sequence

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool

LONG = 6  # letters from which a word is compared without its last two, as inflection changes them
WORD = re.compile(r"\w+")


def words(pool: Pool) -> Features:
    """Return the shares of the question's words in the text and title, of its best clause, and of its word pairs."""
    stems = list(dict.fromkeys(stem(word) for word in WORD.findall(pool.question.words.lower())))
    inside = contained(stems, pool.lowered)
    rarity = np.log(1.0 + len(pool) / (1.0 + inside.sum(axis=0)))
    titles = contained(stems, [title.lower() for title in pool.candidates.titles])
    return {
        "coverage": weighted_share(inside, rarity),
        "title_coverage": weighted_share(titles, rarity),
        "rarest": (inside * rarity).max(axis=1, initial=0.0) / max(float(rarity.max(initial=0.0)), 1e-9),
        "clause": best_clause(stems, inside, rarity, pool.question.clauses),
        "pairs": adjacent(inside),
    }


def stem(word: str) -> str:
    """Return a lower-case word without the letters that inflection changes."""
    return word[: max(LONG - 2, len(word) - 2)] if len(word) >= LONG else word


def contained(stems: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    """Return bool (texts, stems): whether a word of the text begins with the stem."""
    found = np.zeros((len(texts), len(stems)), dtype=bool)
    for column, start in enumerate(stems):
        for row, text in enumerate(texts):
            found[row, column] = begins_a_word(start, text)
    return found


def begins_a_word(start: str, text: str) -> bool:
    """Return whether `start` stands in `text` where no letter or digit comes before it."""
    place = text.find(start)
    while place > 0 and text[place - 1].isalnum():
        place = text.find(start, place + 1)
    return place >= 0


def has_word(text: str, word: str) -> bool:
    """Return whether `word`, or several in a row, stands in `text` with no letter or digit before or after it."""
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not (place and text[place - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            return True
        place = text.find(word, place + 1)
    return False


def weighted_share(inside: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return float64 (n,) in [0, 1]: the share of the words contained, by weight."""
    total = float(weights.sum())
    return np.asarray(inside @ weights / total) if total else np.zeros(len(inside))


def best_clause(stems: Sequence[str], inside: np.ndarray, weights: np.ndarray, clauses: Sequence[str]) -> np.ndarray:
    """Return float64 (n,): the weighted share of the words of the clause that a candidate covers best."""
    parts = [[stems.index(s) for s in {stem(w) for w in WORD.findall(c.lower())} if s in stems] for c in clauses]
    shares = [weighted_share(inside[:, part], weights[part]) for part in parts if part]
    return np.asarray(np.max(shares, axis=0)) if shares else weighted_share(inside, weights)


def adjacent(inside: np.ndarray) -> np.ndarray:
    """Return float64 (n,): the share of the question's successive word pairs of which both words are contained."""
    if inside.shape[1] < 2:
        return inside.any(axis=1).astype(np.float64)
    return np.asarray(np.mean(inside[:, 1:] & inside[:, :-1], axis=1, dtype=np.float64))
