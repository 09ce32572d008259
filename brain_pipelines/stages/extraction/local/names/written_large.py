"""Names that only their large letters show, in a text with a parse: products, code names, companies no one lists.

The parser labels few of them ("Okta", "Heron"). A large word inside a sentence is a name unless the text has it in
small letters too, or only behind an article. What it is the name of is left open, unless the words around it tell.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.names.evidence.large_words import runs_of_large_words
from brain_pipelines.stages.extraction.local.names.evidence.sentence_evidence import (
    is_member_evidence,
    stands_for_place,
)
from brain_pipelines.stages.extraction.local.names.evidence.tool_evidence import is_tool
from brain_pipelines.stages.extraction.local.names.evidence.trade_evidence import is_trade_evidence
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import is_word
from brain_pipelines.stages.extraction.local.names.gazetteers import given_names, type_of_noun
from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, LARGE, QUALIFIED
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending
from brain_pipelines.stages.extraction.local.names.people import Name
from brain_pipelines.stages.extraction.memories.writing import Writing
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.stop_words import function_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DATES = SHARED.read("dates")
_DAYS = _DATES.words("weekdays")
_CALENDAR = _DATES.words("months") | _DATES.words("short_months") | _DAYS | frozenset(day[:3] for day in _DAYS)
MOST_WORDS = 3
_OWNERS = frozenset({"DT", "PRP$"})
TITLE_SHARE = 0.5  # of the words of a sentence that are large, from which on it is a title


def written_large(doc: "Doc", found: list[Name], writing: Writing) -> Iterator[Name]:
    """Yield the names that none of `found` overlaps; `writing` is that of the whole text."""
    taken = {i for name in found for i in range(name.start, name.end)}
    for start, end in runs_of_large_words(doc):
        if end - start <= MOST_WORDS and taken.isdisjoint(range(start, end)) and _is_name(doc, start, end, writing):
            yield _typed(doc, start, end)


def _is_name(doc: "Doc", start: int, end: int, writing: Writing) -> bool:
    first = doc[start]
    if any(token.lower_ in writing.small or token.lower_ in _CALENDAR for token in doc[start:end]) or _is_in_title(
        first
    ):
        return False
    if end - start > 1:
        return True
    if type_of_noun(first.lower_) or first.text in given_names() or len(first) < 2:
        return False
    if first.pos_ != "PROPN" or first.lower_ in function_words(ENGLISH):
        return False  # "Having", "Instead"
    if not is_word(first):
        return not (start and doc[start - 1].tag_ in _OWNERS)
    return writing.free[first.lower_] > writing.determined[first.lower_]


def _is_in_title(token: "Token") -> bool:
    """Return whether most words of a sentence are large, so that large letters tell nothing."""
    words = [t for t in token.sent if t.is_alpha and not t.is_stop]
    return len(words) > 1 and sum(t.text[0].isupper() for t in words) > TITLE_SHARE * len(words) and is_word(token)


def _is_where_something_is(doc: "Doc", start: int) -> bool:
    """Return whether "in" stands between a name and what follows: "the Acorn Nursery in Olney"."""
    if start < 2 or doc[start - 1].lower_ != "in":
        return False
    before = doc[start - 2]
    return before.pos_ == "PROPN" and before.text[:1].isupper() and not before.is_sent_start


def _typed(doc: "Doc", start: int, end: int) -> Name:
    """Return a run of large words with the type that its words or those around it tell."""
    if kind := type_by_ending(doc[start:end].text):
        return Name(start, end, kind, EVIDENT)
    if stands_for_place(doc, start, end) or _is_where_something_is(doc, start):
        return Name(start, end, "Location", EVIDENT)
    if is_member_evidence(doc, start, end) or is_trade_evidence(doc, start, end):
        return Name(start, end, "Organization", EVIDENT)
    if is_tool(doc, start, end):
        return Name(start, end, "Tool", EVIDENT)
    ordinary = end - start > 1 and all(is_word(token) for token in doc[start:end])
    return Name(start, end, "Concept", QUALIFIED if ordinary else LARGE)
