"""Query analysis by rules: content words and dates of a question. No model is used, nothing is searched."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import cache

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.language.lexicon import ENGLISH, SHARED, code_of, number_of
from brain_retrieval.language.stop_words import question_words


@dataclass(frozen=True)
class DateMention:
    """A date, month or day mentioned in a question; parts that are not mentioned are None."""

    year: int | None
    month: int
    day: int | None

    def matches(self, when: date) -> bool:
        """Return whether `when` lies on the date or in the month named."""
        return self.year in (None, when.year) and self.month == when.month and self.day in (None, when.day)


@dataclass(frozen=True)
class Question:
    """An analysed question. `text` is embedded for the vector retriever, `words` go to the lexical retriever."""

    text: str
    words: str
    dates: tuple[DateMention, ...]
    warnings: tuple[str, ...]
    clauses: tuple[str, ...] = ()

    @property
    def searchable(self) -> bool:
        """Whether the question contains a letter or digit."""
        return bool(self.words)


def analyse(query: str, *, max_characters: int, language: str | None = None) -> Question:
    """Return the analysed query; it is cut at `max_characters`, with a warning.

    `language` (ISO 639-1) is that of the user's full-text index; None means English.

    Raises:
        InvalidQueryError: if it is not a string, or only white space.
    """
    if not isinstance(query, str):
        raise InvalidQueryError(f"a query is text, not {type(query).__name__}")
    warnings = []
    if len(query) > max_characters:
        warnings.append(f"query cut to its first {max_characters:,} of {len(query):,} characters")
    text = clean(query[:max_characters])
    if not text:
        raise InvalidQueryError("the query is empty")
    words = content_words(text, language)
    if not words:
        warnings.append("the query has no letter or digit; nothing was searched")
    return Question(text, words, find_dates(text, language), tuple(warnings))


def clean(text: str) -> str:
    """Return `text` in NFC without control characters or lone surrogates, white space runs as one blank."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in valid)
    return " ".join(unicodedata.normalize("NFC", visible).split())


def content_words(text: str, language: str | None = None) -> str:
    """Return `text` without question words and function words; unchanged if nothing would be left.

    Question words and auxiliaries ("what did … do") match everywhere and cost 5 points of recall@5 on
    conversations; the index itself removes only articles and prepositions.
    """
    stop = question_words(language)
    words = re.findall(r"\w+(?:['’]\w+)?", text)
    kept = [word for place, word in enumerate(words) if not _is_stop_word(word, stop, first=place == 0)]
    return " ".join(kept or words)


def _is_stop_word(word: str, stop: frozenset[str], *, first: bool) -> bool:
    # "May" and "Will" inside a sentence are names.
    name = word.istitle() and len(word) > 1 and not first
    return not name and re.sub(r"['’]s$", "", word.lower()) in stop


def find_dates(text: str, language: str | None = None) -> tuple[DateMention, ...]:
    """Return the distinct dates and months in `text`, longest match first, in `language` or English.

    >>> find_dates("What happened on 7 May 2023 or in June?")
    (DateMention(year=2023, month=5, day=7), DateMention(year=None, month=6, day=None))
    """
    found: dict[DateMention, None] = {}
    for code in dict.fromkeys((code_of(language), ENGLISH)):
        forms = _date_forms(code) if SHARED.has("dates", code) else ()
        for form in forms:
            for match in form.finditer(text):
                if mention := _mention(match.groupdict(), code):
                    found[mention] = None
            text = form.sub(" ", text)
    return tuple(found)


@cache
def _date_forms(language: str) -> tuple[re.Pattern[str], ...]:
    dates = SHARED.read("dates", language)
    month = rf"(?P<m>{dates.pattern('months', 'short_months')})\.?"
    day = rf"(?P<d>\d{{1,2}})(?:{dates.pattern('ordinals')})?"
    of, before = dates.pattern("of"), dates.pattern("before_a_month")
    forms = (
        r"\b(?P<y>\d{4})-(?P<n>\d{2})-(?P<d>\d{2})\b",
        rf"\b{day}\s+(?:(?:{of})\s+)?{month}(?:,?\s+(?P<y>\d{{4}}))?\b",
        rf"\b{month}\s+{day}(?:,?\s+(?P<y>\d{{4}}))?\b",
        rf"\b{month},?\s+(?:(?:{of})\s+)?(?P<y>\d{{4}})\b",
        # a bare month needs a word before it: "may" and "march" are verbs as well
        rf"\b(?:{before})[\s-]+{month}(?!\w)",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _mention(parts: dict[str, str | None], language: str) -> DateMention | None:
    name = parts.get("m")
    dates = SHARED.read("dates", language)
    months = {**number_of(dates.listed("months")), **dates.table("short_months")}
    month = int(months[name.lower()] if name else parts.get("n") or 0)
    year, day = (int(value) if (value := parts.get(key)) else None for key in ("y", "d"))
    try:
        # 2000 is a leap year: 29 February without a year is a date. A year or day of 0 is none.
        date(2000 if year is None else year, month, 1 if day is None else day)
    except ValueError:
        return None
    return DateMention(year, month, day)
