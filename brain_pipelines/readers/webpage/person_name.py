"""Names of persons in the author field or the byline of a web page: a person's full name or nothing.

Fields for authors often hold something else: roles, organisations, user names, dates, the label of a button. Two words
with capital letters that are none of these count as a name; in scripts without capital letters a few characters do.
"""

import re
from functools import cache

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.language.lexicon import SHARED, alternatives

MAX_FIELD = 300  # characters of a field that are looked at
MAX_NAME = 60  # characters
MAX_WORDS = 5
MAX_PEOPLE = 20
_ADDRESS = re.compile(r"\S{1,100}@\S{1,100}|https?://\S{1,300}|@\w{1,50}")
_ASIDE = re.compile(r"\([^()]{0,200}\)?|\[[^\[\]]{0,200}\]?")
_END = re.compile(r"\d|[|•·—–/…\n\t]|\s-\s|\.\s(?=[a-z])|:\s")
_WORD = re.compile(r"[^\W\d_]+(?:['’.·-][^\W\d_]+)*\.?")
_TITLE = re.compile(r"[A-Z]{2,5}|(?:[A-Z][a-z]?\.){2,4}|[JS]r\.?|Ph\.?D\.?")  # degrees and the like behind a comma
_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}")
_CASELESS = re.compile(
    r"[\u0590-\u08ff\u0900-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+"
)


def person_names(field: str, *, inverted: bool = False, certain: bool = True) -> list[str]:
    """Return the full names in an author field, [] if it holds none.

    Args:
        field: "By Ada Lovelace and Charles Babbage, 3 March 2020".
        inverted: a field where "Lovelace, Ada" is one person.
        certain: whether the field is one for names; else a name in Chinese characters counts only behind "作者:".
    """
    text = _ASIDE.sub(" ", _ADDRESS.sub(" ", field[:MAX_FIELD]).strip())
    found = _lead().match(text)
    text = _before_date(text[found.end() :] if found else text)
    if inverted and text.count(",") == 1:
        last, first = (part.strip() for part in text.split(","))
        if first and last and not _TITLE.fullmatch(first):
            text = f"{first} {last}"
    names = [_bare(part) for part in _between().split(text)]
    if not certain and not found:
        names = [name for name in names if not _HAN.fullmatch(name)]
    return distinct_names([name for name in names if is_person(name)])


def distinct_names(names: list[str]) -> list[str]:
    """Return names without repetitions; of two spellings the one that is not all capitals, of two lengths the first."""
    kept: dict[str, str] = {}
    for name in names:
        key = re.sub(r"[\W_]", "", name).casefold()
        if key not in kept or (kept[key].isupper() and not name.isupper()):
            kept[key] = name
    return list(kept.values())[:MAX_PEOPLE]


def is_person(name: str) -> bool:
    """Return whether a text has the form of a person's full name, without words for roles and organisations."""
    words = name.split()
    if not name or len(name) > MAX_NAME or not all(_WORD.fullmatch(word) for word in words):
        return False
    if any(part.casefold() in _no_name() for word in words for part in re.split(r"[-.·]", word)):
        return False
    if all(_CASELESS.fullmatch(word) for word in words):
        return bool(_HAN.fullmatch(name)) or 2 <= len(words) <= MAX_WORDS
    inside = SHARED.read("names").words("inside")
    capital = [word for word in words if word[0].isupper()]
    small = [word for word in words if not word[0].isupper()]
    return len(capital) >= 2 and len(words) <= MAX_WORDS and all(word in inside for word in small)


def _bare(part: str) -> str:
    """Return a name without degrees and punctuation around it."""
    part = " ".join(part.split()).strip(" ,.;:*\"'“”„«»-–")
    return "" if _TITLE.fullmatch(part) else part


def _before_date(text: str) -> str:
    """Return the text before the first digit, separator or date."""
    end = _END.search(text)
    cut = text[: end.start()] if end else text
    if end and text[end.start()].isdigit():
        words = cut.rstrip(" ,.-").split()
        while words and words[-1].casefold().strip(".,") in _calendar():  # "Nathan Willis March 25"
            words.pop()
        cut = " ".join(words)
    return cut


@cache
def _lead() -> re.Pattern[str]:
    words = alternatives(LEXICONS.every_language("byline").listed("by"))
    return re.compile(rf"\s*+(?:(?:{words})(?:\s*[:：]\s*|\s+))+", re.I)


@cache
def _between() -> re.Pattern[str]:
    words = alternatives(LEXICONS.every_language("byline").listed("and"))
    return re.compile(rf"[,;&、，；]|\s(?:{words})\s", re.I)


@cache
def _no_name() -> frozenset[str]:
    return LEXICONS.every_language("byline").words("no_name")


@cache
def _calendar() -> frozenset[str]:
    months = SHARED.every_language("dates")
    short = SHARED.read("dates").table("short_months")
    return frozenset([*months.listed("months"), *months.listed("weekdays"), *short])
