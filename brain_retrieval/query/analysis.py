"""What a question says about itself, read without a model: its words, its dates. Nothing is searched here."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.stopwords import STOP_WORDS

_MONTHS = "january february march april may june july august september october november december"
MONTHS = _MONTHS.split()
_MONTH = "(?P<{0}>" + "|".join([*MONTHS, *(m[:3] for m in MONTHS if m != "may"), "sept"]) + r")\.?"
_DAY = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"
_DATE_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<y>\d{4})-(?P<n>\d{2})-(?P<d>\d{2})\b",
        rf"\b{_DAY.format('d')}\s+(?:of\s+)?{_MONTH.format('m')}(?:,?\s+(?P<y>\d{{4}}))?\b",
        rf"\b{_MONTH.format('m')}\s+{_DAY.format('d')}(?:,?\s+(?P<y>\d{{4}}))?\b",
        rf"\b{_MONTH.format('m')},?\s+(?:of\s+)?(?P<y>\d{{4}})\b",
        # a bare month needs a word before it: "may" and "march" are verbs as well
        rf"\b(?:in|during|of|since|until|early|late|mid|last|this|next)[\s-]+{_MONTH.format('m')}(?!\w)",
    )
)


@dataclass(frozen=True)
class DateMention:
    """A calendar date, month or day named in a question; None is what the question leaves open."""

    year: int | None
    month: int
    day: int | None

    def matches(self, when: date) -> bool:
        """Return whether `when` lies on the date or in the month named."""
        return self.year in (None, when.year) and self.month == when.month and self.day in (None, when.day)


@dataclass(frozen=True)
class Question:
    """A question ready for the arms. `text` is embedded, `words` go to the lexical arm."""

    text: str
    words: str
    dates: tuple[DateMention, ...]
    warnings: tuple[str, ...]

    @property
    def searchable(self) -> bool:
        """Whether there is a letter or a digit to search for."""
        return bool(self.words)


def analyse(query: str, *, max_characters: int) -> Question:
    """Return what can be read off `query` itself; beyond `max_characters` it is not read, with a warning.

    Raises:
        InvalidQueryError: if it is not text, or nothing but white space.
    """
    if not isinstance(query, str):
        raise InvalidQueryError(f"a query is text, not {type(query).__name__}")
    warnings = []
    if len(query) > max_characters:
        warnings.append(f"query cut to its first {max_characters:,} of {len(query):,} characters")
    text = clean(query[:max_characters])
    if not text:
        raise InvalidQueryError("the query is empty")
    words = content_words(text)
    if not words:
        warnings.append("the query has no letter or digit; nothing was searched")
    return Question(text, words, find_dates(text), tuple(warnings))


def clean(text: str) -> str:
    """Return `text` in NFC without control characters or lone surrogates, white space runs as one blank."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in valid)
    return " ".join(unicodedata.normalize("NFC", visible).split())


def content_words(text: str) -> str:
    """Return the words of `text` that say what is sought; all words if none would be left.

    Question words and auxiliaries ("what did … do") match everywhere and cost 5 points of recall@5 on
    conversations; the index removes articles and prepositions alone.
    """
    words = re.findall(r"\w+(?:['’]\w+)?", text)
    kept = [word for place, word in enumerate(words) if not _is_stop_word(word, first=place == 0)]
    return " ".join(kept or words)


def _is_stop_word(word: str, *, first: bool) -> bool:
    # "May" and "Will" inside a sentence are names.
    name = word.istitle() and len(word) > 1 and not first
    return not name and re.sub(r"['’]s$", "", word.lower()) in STOP_WORDS


def find_dates(text: str) -> tuple[DateMention, ...]:
    """Return the dates and months named in `text`, each once, longest reading first.

    >>> find_dates("What happened on 7 May 2023 or in June?")
    (DateMention(year=2023, month=5, day=7), DateMention(year=None, month=6, day=None))
    """
    found: dict[DateMention, None] = {}
    for pattern in _DATE_PATTERNS:
        for match in pattern.finditer(text):
            if mention := _mention(match.groupdict()):
                found[mention] = None
        text = pattern.sub(" ", text)
    return tuple(found)


def _mention(parts: dict[str, str | None]) -> DateMention | None:
    name = parts.get("m")
    month = int(parts.get("n") or 0) if name is None else 1 + [m[:3] for m in MONTHS].index(name[:3].lower())
    year, day = (int(value) if (value := parts.get(key)) else None for key in ("y", "d"))
    try:
        # 2000 is a leap year: 29 February without a year is a date. A year or day of 0 is none.
        date(2000 if year is None else year, month, 1 if day is None else day)
    except ValueError:
        return None
    return DateMention(year, month, day)
