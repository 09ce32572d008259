"""Whether a sentence rests on the passages it cites: its numbers, its names and enough of its words stand in them."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache

from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.stop_words import function_words

# Minimum share of a sentence's content words that the cited passages must contain. It is low because a paraphrase keeps
# names and topics only: checked is that a sentence is about its passages, not its wording.
FLOOR = 0.4
STEM = 5  # letters by which two words are compared
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
# A language that writes all nouns with a capital letter: a noun that a summary adds is no name.
_LARGE_NOUNS = "de"


def covers(
    said: str,
    quotes: Sequence[str],
    dates: Iterable[datetime],
    words: Callable[[str], Iterable[str]],
    ignored: str = "",
) -> bool:
    """Return whether quotes contain all numbers of a sentence and at least FLOOR of its content words.

    Args:
        said: the sentence.
        quotes: texts of the passages it cites.
        dates: of those passages; their years, months and days may stand in the sentence as numbers.
        words: returns the content words of a text.
        ignored: text whose words do not count, such as the name of what all passages are about.
    """
    cited = " ".join(quotes)
    named = {
        number for day in dates for number in (f"{day:%Y}", f"{day:%m}", f"{day:%d}", str(day.month), str(day.day))
    }
    if not set(_NUMBER.findall(said)) <= {*_NUMBER.findall(cited), *named}:
        return False
    own = stems(said, words) - stems(ignored, words)
    return bool(own) and len(own & stems(cited, words)) >= FLOOR * len(own)


def stems(text: str, words: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Return the first letters of each content word of a text."""
    return frozenset(word[:STEM] for word in words(text) if not word.isdigit())


def numbers_of(text: str) -> set[str]:
    """Return the numbers of a text as they are written."""
    return set(_NUMBER.findall(text))


def added_names(said: str, known: str) -> list[str]:
    """Return the words of `said` that look like names and are not in `known`, in their order.

    A name has a capital letter inside a sentence, and neither it nor its first letters stand in `known`. Where nouns
    have one too, only two such words side by side count.
    """
    there = fold(known)
    found = [match for match in _WORD.finditer(said) if _looks_like_a_name(match, said)]
    new = [match for match in found if fold(match.group())[:STEM] not in there]
    if _has_large_nouns(f"{known} {said}"):
        begins, ends = ({place(match) for match in new} for place in (re.Match.start, re.Match.end))
        new = [match for match in new if match.start() - 1 in ends or match.end() + 1 in begins]
    return [match.group() for match in new]


def _looks_like_a_name(match: re.Match[str], said: str) -> bool:
    before = said[: match.start()].rstrip("\"'«„“(¿¡ ")
    word = match.group()
    inside = bool(before) and before[-1] not in ".!?:;…\n"
    return inside and len(word) > 1 and word[0].isupper() and word.casefold() not in _no_names()


@cache
def _no_names() -> frozenset[str]:
    """Return words with a capital letter that are no names: months and weekdays, and those that any text has."""
    dates = SHARED.every_language("dates")
    times = [*dates.listed("months"), *dates.listed("weekdays")]
    return frozenset(word.casefold() for word in times) | function_words(None)


def _has_large_nouns(text: str) -> bool:
    """Return whether more words of a text are function words of such a language than of English."""
    words = [word.casefold() for word in _WORD.findall(text)]
    large, english = function_words(_LARGE_NOUNS), function_words("en")
    return sum(word in large for word in words) > sum(word in english for word in words)
