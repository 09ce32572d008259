"""Whether words of a question stand in a text, by simple string search: no tokens are made of the texts."""

import re
from collections.abc import Sequence

import numpy as np

from brain_retrieval.query.features.texts import Texts

LONG = 6  # letters from which a word is compared without its last two, as inflection changes them
WORD = re.compile(r"\w+")


def stems_of(words: str) -> list[str]:
    """Return the distinct words of a text in lower case, each without the letters that inflection changes."""
    return list(dict.fromkeys(stem(word) for word in WORD.findall(words.lower())))


def stem(word: str) -> str:
    """Return a lower-case word without the letters that inflection changes."""
    return word[: max(LONG - 2, len(word) - 2)] if len(word) >= LONG else word


def contained(stems: Sequence[str], texts: Texts) -> np.ndarray:
    """Return bool (texts, stems): whether a word of the text begins with the stem."""
    found = np.zeros((len(texts.texts), len(stems)), dtype=bool)
    for column, start in enumerate(stems):
        for row in texts.holding(start):
            text = texts.texts[row]
            place = text.find(start)
            found[row, column] = not place or not text[place - 1].isalnum() or begins_a_word(start, text)
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
