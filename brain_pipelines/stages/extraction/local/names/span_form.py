"""The part of a model's entity that is a name: without the verb of a task, a commit hash, or what a dash parts off."""

import re
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import TITLES, is_descriptive, is_word
from brain_pipelines.stages.extraction.local.names.gazetteers import given_names, towns
from brain_pipelines.stages.extraction.local.names.name_forms import ends_place
from brain_pipelines.stages.extraction.local.names.people import TITLES as NEWS_TITLES
from brain_pipelines.stages.extraction.local.names.people import is_preposition, is_small
from brain_retrieval.language.lexicon import SHARED

if TYPE_CHECKING:
    from spacy.tokens import Doc

_TASK_VERBS = LEXICONS.read("sentence_evidence").words("task_verbs")
_HOLIDAYS = LEXICONS.read("sentence_evidence").words("holidays")
_HASH = re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}", re.IGNORECASE)
_DASHES = frozenset("-–+=>")  # in an entry of a list, with blanks around: "Sander Pick - Textile"
_ADDRESSED = TITLES & NEWS_TITLES  # "mr", but neither "justice" nor "pan"
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)?", re.IGNORECASE)
_DATES = SHARED.read("dates")
_MONTHS = _DATES.words("months") | _DATES.words("short_months")
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_VERBS = frozenset({"VBD", "VBZ"})
_ENDED_BY_VERB = ("Person", "Organization", "Location")
_ENDS = frozenset("([{<;—―\\•→")


def name_inside(doc: "Doc", start: int, end: int, kind: str) -> tuple[int, int]:
    """Return the token span of the name in a model's entity, (0, 0) if nothing of it is a name.

    >>> "Add Spectron", "Commit 7c41e0d", "Data Management - @ann", "Lisa on Instagram"  # doctest: +SKIP
    "Spectron", nothing, "Data Management", "Lisa"
    """
    begin = start
    while start < end and (_is_task(doc, start, end) or _is_day(doc, start) or _is_holiday(doc, start, end)):
        start += 1
    was_dated = start > begin and not _is_task(doc, start - 1, end)
    while was_dated and start < end and doc[start].text.islower():
        start += 1  # "Ghent" of "Easter in Ghent"
    stop = next((i for i in range(start, end) if _separates(doc, i, start, end, kind)), end)
    was_cut, end = stop < end or was_dated, stop
    while start < end and not any(char.isalnum() for char in doc[end - 1].text):
        end -= 1
    known = doc[start].text in given_names() or doc[start].text in towns() if start < end else False
    if was_cut and end == start + 1 and is_word(doc[start]) and not known:
        return 0, 0  # "Commit" of "Commit 7c41e0d"
    return (start, end) if start < end else (0, 0)


def _is_task(doc: "Doc", i: int, end: int) -> bool:
    """Return whether the first word of a line is a verb before a name: "Add Spectron", but "Will Smith"."""
    token = doc[i]
    if not token.is_sent_start or token.text in given_names():
        return False
    return token.lower_ in _TASK_VERBS and i + 1 < end and doc[i + 1].text[:1].isupper()


def _is_holiday(doc: "Doc", i: int, end: int) -> bool:
    """Return whether a token is a day of the year by name, and of no longer name: "Easter", not "Easter Road"."""
    return doc[i].lower_ in _HOLIDAYS and (i + 1 == end or not doc[i + 1].text[:1].isupper())


def is_fragment(doc: "Doc", start: int, end: int) -> bool:
    """Return whether the sentence of a span has no finite verb beside it: a heading, a label, an entry of a list."""
    return not any(t.tag_ in _FINITE and not start <= t.i < end for t in doc[start].sent)


def _is_day(doc: "Doc", i: int) -> bool:
    """Return whether a token is the day or the month of a date: "7th Jun", but neither "June" nor "6th Fleet"."""
    return _is_date(doc, i) or (i > 0 and _is_date(doc, i - 1))


def _is_date(doc: "Doc", i: int) -> bool:
    """Return whether a day and a month stand here."""
    months = i + 1 < len(doc) and doc[i + 1].lower_.rstrip(".") in _MONTHS
    return months and _DAY.fullmatch(doc[i].text) is not None


def _ends_with_result(doc: "Doc", i: int, start: int, end: int) -> bool:
    """Return whether token `i`, the last one, says what was decided of a place: "Elm Road Approved"."""
    return i == end - 1 and i > start + 1 and ends_place(doc[i - 1].text) and is_descriptive(doc[i])


def _separates(doc: "Doc", i: int, start: int, end: int, kind: str) -> bool:
    """Return whether a name ends before token `i`."""
    token = doc[i]
    if token.like_url or _HASH.fullmatch(token.text) or token.text[:1] == "@" and i > start:
        return True
    if token.text[0] in _ENDS and ")" not in doc[i:end].text:
        return True
    if i > start and token.text[0].isdigit() and any(t.lower_.rstrip(".") in _MONTHS for t in doc[i + 1 : end]):
        return True  # "Olney 4-11 Sept."
    if token.text in _DASHES and i > start + 1 and doc[i - 1].whitespace_ and token.whitespace_:
        return is_fragment(doc, start, end)
    if i > start and kind in _ENDED_BY_VERB and (token.tag_ in _VERBS and token.text.islower() or token.text == "with"):
        return True  # "Moss Housing wants Welsh"
    if i > start and _is_title_of_next(doc, i, kind) or _ends_with_result(doc, i, start, end):
        return True
    return (
        kind == "Person"
        and i > start
        and (is_preposition(token) or _is_between_blanks(doc, i) or is_small(doc, i, start))
    )


def _is_title_of_next(doc: "Doc", i: int, kind: str) -> bool:
    """Return whether a name of its own begins here: "Rita Moss & Mr", "P Lind and Mr Ott"."""
    ahead = (doc[i], *doc[i + 1 : i + 2]) if doc[i].text == "&" or doc[i].tag_ == "CC" else (doc[i],)
    return kind in ("Person", "Organization") and any(t.lower_.rstrip(".") in _ADDRESSED for t in ahead)


def _is_between_blanks(doc: "Doc", i: int) -> bool:
    """Return whether a dash parts a person's name from what follows: "Moss - quarter salary"."""
    return doc[i].text in _DASHES and bool(doc[i - 1].whitespace_) and bool(doc[i].whitespace_)
