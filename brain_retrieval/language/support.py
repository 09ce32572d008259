"""Whether a sentence rests on the passages it cites: its numbers, its names and enough of its words stand in them."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache

from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.negation import languages_that_deny, negation, not_denials
from brain_retrieval.language.sentences import sentences
from brain_retrieval.language.stop_words import function_words

# Minimum share of a sentence's content words that the cited passages must contain. It is low because a paraphrase keeps
# names and topics only: checked is that a sentence is about its passages, not its wording.
FLOOR = 0.4
SAME_WORDS = 0.8  # share of a sentence's content words that make it the same statement as a quoted one, or its denial
STEM = 5  # letters by which two words are compared
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
# A language that writes all nouns with a capital letter: a noun that a summary adds is no name.
_LARGE_NOUNS = "de"


def is_supported(
    said: str,
    quotes: Sequence[str],
    dates: Iterable[datetime],
    words: Callable[[str], Iterable[str]],
    *,
    ignored: str = "",
    known: str = "",
) -> bool:
    """Return whether a sentence rests on the passages it cites: their words and numbers, no other name or denial.

    Arguments as of `covers`; names of `known` may stand in the sentence, too.
    """
    return (
        covers(said, quotes, dates, words, ignored)
        and not added_names(said, " ".join([ignored, known, *quotes]))
        and not _denies_otherwise(said, quotes, words)
        and not _has_another_subject(said, quotes, words, " ".join([ignored, known, *quotes]))
    )


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


def _denies_otherwise(said: str, quotes: Sequence[str], words: Callable[[str], Iterable[str]]) -> bool:
    """Return whether a sentence has the words of a quoted one, and only one of the two denies them.

    "He no longer works there" may well stand for "he left": sentences in other words are not compared.
    """
    said, quotes = (said.replace("’", "'"), [quote.replace("’", "'") for quote in quotes])
    own = stems(_denials().sub(" ", said), words)
    alike = [part for part in _parts(quotes) if len(own & stems(part, words)) >= SAME_WORDS * len(own)]
    denied = _denies(said)
    return bool(alike) and all(_denies(part) != denied for part in alike)


def _has_another_subject(said: str, quotes: Sequence[str], words: Callable[[str], Iterable[str]], known: str) -> bool:
    """Return whether a sentence says of a name at its beginning, which is new, what a passage says of another.

    Any first word has a capital letter: only where the rest of the sentence is that of the passage is it a name. Where
    nouns have one too, names look like any noun.
    """
    first = _WORD.search(said)
    if first is None or not _is_name_like(first.group()) or fold(first.group())[:STEM] in fold(known):
        return False
    if _has_large_nouns(f"{known} {said}"):
        return False
    rest = stems(said[first.end() :], words)
    alike = [part for part in _parts(quotes) if rest and len(rest & stems(part, words)) >= SAME_WORDS * len(rest)]
    there = fold(said)
    return bool(alike) and all(
        any(_is_name_like(word) and fold(word)[:STEM] not in there for word in _WORD.findall(part)) for part in alike
    )


def _is_name_like(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word.casefold() not in _no_names()


def _parts(quotes: Sequence[str]) -> list[str]:
    """Return the sentences of quotes."""
    return [quote[start:end] for quote in quotes for start, end in sentences(quote, 0, len(quote), None)]


def _denies(text: str) -> bool:
    return _denials().search(_no_denials().sub(" ", text)) is not None


@cache
def _denials() -> re.Pattern[str]:
    """Return a pattern for the negating words of all languages."""
    return _any_of(negation(language) for language in languages_that_deny())


@cache
def _no_denials() -> re.Pattern[str]:
    return _any_of(not_denials(language) for language in languages_that_deny())


def _any_of(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one.pattern})" for one in patterns), re.IGNORECASE)


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
    return inside and _is_name_like(word)


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
