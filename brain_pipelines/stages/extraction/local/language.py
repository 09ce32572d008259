"""Language check before parsing: the parser is trained on English and finds false names in other languages.

A text too short for language identification, and a paragraph of a text in several languages, have the language of most
of their function words and common verbs.
"""

import re
from collections import Counter
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import code_of
from brain_retrieval.language.stop_words import function_words

SAMPLE_CHARS = 4000
MIN_LATIN = 0.7  # share of ASCII letters, for a text too short for language identification

LEAST_WORDS = 2  # of the language of a text too short for language identification
LEAST_FOREIGN = 4  # words of another language in a paragraph that is not in that of its text
MOST_OWN = 0.5  # of them, that may also be words of that of its text
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]")


def is_english(language: str | None, text: str) -> bool:
    """Return whether `language` (ISO 639-1) is English; if it is None, whether most letters are ASCII."""
    if language is not None:
        return language.lower().split("-")[0] == "en"
    letters = _LETTERS.findall(text[:SAMPLE_CHARS])
    return bool(letters) and sum(c.isascii() for c in letters) / len(letters) >= MIN_LATIN


def known_language(language: str | None, text: str) -> str | None:
    """Return `language`; if it is None, that of most words of `text`, None if two languages have as many."""
    if language is not None:
        return language
    best = [*_votes(text[:SAMPLE_CHARS]).most_common(2), ("", 0), ("", 0)]
    return best[0][0] if best[0][1] >= LEAST_WORDS and best[0][1] > best[1][1] else None


def language_of_block(language: str | None, text: str) -> str | None:
    """Return the language of a paragraph of a text in `language`: another one only where its words clearly are."""
    votes = _votes(text)
    best = votes.most_common(1)
    if not best or best[0][0] == code_of(language) or best[0][1] < LEAST_FOREIGN:
        return language
    return best[0][0] if votes[code_of(language)] <= MOST_OWN * best[0][1] else language


def _votes(text: str) -> Counter[str]:
    """Return how many words are common words of each language; a large one inside the text may be a name ("Lee")."""
    found = (match.group() for match in _WORD.finditer(text) if match.start() == 0 or match.group()[0].islower())
    words, common = [word.lower() for word in found], _common()
    counts = {language: sum(word in known for word in words) for language, known in common.items()}
    return Counter({language: count for language, count in counts.items() if count})


@cache
def _common() -> dict[str, frozenset[str]]:
    verbs = {language: LEXICONS.read("plain_verbs", language) for language in LEXICONS.languages("plain_verbs")}
    return {language: function_words(language) | one.words("forms") for language, one in verbs.items()}
