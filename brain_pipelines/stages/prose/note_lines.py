"""The lines of a note, and what shows that one quotes: its marks, who is named below it, what a reading device adds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from brain_pipelines.readers.webpage.person_name import is_person
from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import alternatives

_WORDS = LEXICONS.every_language("quotes")
_INDENT = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>[-*+•][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?(?P<quote>(?:>[ \t]?){0,6})(?P<words>[^\n]*)"
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_TAB = 4  # columns
_NAME = r"[^\W\d_a-zß-ÿ][\w.'’-]{0,25}"
_OF = rf"(?:{LEXICONS.every_language('plain_names').pattern('particles')}|der|den)"
_NAMED = rf"{_NAME}(?: (?:(?:{_OF}|{_WORDS.pattern('joined')}|&) ){{0,2}}{_NAME}){{0,4}}"
_PERSON = re.compile(rf"{_NAME}(?: (?:{_OF} ){{0,2}}{_NAME}){{1,3}}")
# "— Richard Hamming", "– [[Woody Allen]], *Getting Even*", "~ Rumi"
_SIGNED = re.compile(rf"(?:[—–―~]|--)\s?[*_\[(]{{0,4}}(?P<name>{_NAMED})[\])*_]{{0,4}}(?P<rest>[\s,(].{{0,120}})?")
_HYPHEN = re.compile(rf"-\s?[*_\[(]{{0,4}}(?P<name>{_NAMED})[\])*_]{{0,4}}")
_CLOSED = re.compile(
    rf"[\"“„«].{{12,3000}}[\"”“»][*_\s]{{0,3}}(?P<sign>(?:[—–―~-]|--)\s?[*_\[(]{{0,4}}{_NAMED}.{{0,100}})"
)
_LINK = r"(?:\[[^\[\]\n]{1,200}\]\(https?://[^()\s]{1,400}\)|https?://[^\s()]{4,400})"
_LINKED = re.compile(rf"\s*{_LINK}\s*")
_APART = re.compile(
    rf"\s*(?:\({_LINK}\)|(?:[—–―-]|--)\s?{_LINK})\s*"
)  # "([The talk](https://…))", "– [The talk](https://…)"
_CALLOUT = re.compile(r"\s*\[!(?P<kind>[a-z-]{2,20})\]", re.IGNORECASE)
LEAST_SAID = 5  # blanks in a line between quotation marks; shorter ones are titles
CITING = frozenset(("quote", "cite"))  # the kinds of callouts that quote


@dataclass(frozen=True)
class Line:
    """A line: its span, its indent in columns, whether it has a bullet or is marked with ">", and its words."""

    start: int
    end: int
    indent: int
    bullet: bool
    marked: bool
    words: str  # without indent, bullet and marks


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text outside of code."""
    fenced = False
    for match in _INDENT.finditer(text):
        if _FENCE.match(text, match.start(), match.end()):
            fenced = not fenced
        elif not fenced and (match.start() == 0 or text[match.start() - 1] == "\n"):
            marked = bool(match["quote"]) and not match["quote"].startswith(">>>")
            indent = len(match["indent"].expandtabs(_TAB))
            yield Line(*match.span(), indent, match["bullet"] is not None, marked, match["words"].strip())


def callout_of(words: str) -> str | None:
    """Return the kind of a callout ("> [!note]") that a line begins."""
    found = _CALLOUT.match(words)
    return found["kind"].lower() if found else None


def signed(words: str, *, inside: bool) -> re.Match[str] | None:
    """Return the name of the writer in a line that has nothing else: "— Richard Hamming".

    Args:
        words: of the line.
        inside: whether it is the last line of the quotation, where a hyphen and a name do, too.
    """
    found = _SIGNED.fullmatch(words)
    return found or (_HYPHEN.fullmatch(words) if inside else None)


def signed_quotation(words: str) -> re.Match[str] | None:
    """Return the name of the writer behind a line between quotation marks: “…” — K."""
    found = _CLOSED.fullmatch(words)
    name = signed(found["sign"].strip(), inside=True) if found and words.count(" ") >= LEAST_SAID else None
    return name if name is None or name.re is not _HYPHEN or person(name["name"]) else None


def person(name: str) -> str | None:
    """Return a name if it is that of one person, in full."""
    return name if _PERSON.fullmatch(name) and is_person(name) else None


def names_source(words: str) -> bool:
    """Return whether a line only says where a quotation is from: "Source: …", a link in brackets or behind a dash."""
    return bool(words) and (_source().match(words) is not None or _APART.fullmatch(words) is not None)


def is_link(words: str) -> bool:
    """Return whether a line is a link alone: what stands under it may be from there."""
    return _LINKED.fullmatch(words) is not None


def introduced_by(words: str) -> str | None:
    """Return who says what follows a line ("Ann Lee wrote:"), "" if that is not sure, None if it introduces nothing."""
    bare = words.rstrip("*_ ")
    if not bare.endswith(":") or _self().search(bare):
        return None
    found = _introduction().search(bare)
    if found is None:
        return None
    first, _, others = (found["name"] or "").partition(" ")
    return person(others if first.lower() in _WORDS.words("before") else f"{first} {others}") or ""


def gathers(title: str) -> str:
    """Return what is gathered under a title: "book" for passages of a book, "quotes" for quotations, else ""."""
    return "book" if _titles("books").search(title) else "quotes" if _titles("sections").search(title) else ""


def speaks_of_oneself(words: str) -> bool:
    """Return whether the writer of a note is the subject of a line."""
    return _self().search(words) is not None


def is_highlight(words: str) -> bool:
    """Return whether a reading device has written a line about a passage that was marked."""
    return _highlight().match(words) is not None


def is_own_note(words: str) -> bool:
    """Return whether a line is, or announces, a note of the reader."""
    return _own_note().match(words) is not None


def has_location(words: str) -> bool:
    """Return whether a passage ends with its place in a book, as reading devices and reference managers write it."""
    bare = words[-400:]
    return _location().search(bare) is not None or words[:1] in '"“„«' and "](zotero://" in bare


@cache
def _source() -> re.Pattern[str]:
    words = alternatives(_WORDS.listed("sources"))
    return re.compile(rf"[—–*_(-]{{0,3}}\s?(?:{words})[*_]{{0,2}}:\s?\S", re.IGNORECASE)


@cache
def _introduction() -> re.Pattern[str]:
    verbs = alternatives(_WORDS.listed("introduces"))
    return re.compile(rf"(?:(?P<name>{_NAMED}) )?(?<!\w)(?i:{verbs})(?!\w)[^.!?\n]{{0,40}}:$")


@cache
def _self() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’])(?:{alternatives(_WORDS.listed('self'))})(?:(?<=['’])|(?!\w))", re.IGNORECASE)


@cache
def _titles(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{alternatives(_WORDS.listed(key))})(?![\w-])", re.IGNORECASE)


@cache
def _highlight() -> re.Pattern[str]:
    return re.compile(rf"\W{{0,4}}(?:{_WORDS.expression('highlights')})", re.IGNORECASE)


@cache
def _own_note() -> re.Pattern[str]:
    return re.compile(rf"\W{{0,4}}(?:{_WORDS.expression('own_notes')})", re.IGNORECASE)


@cache
def _location() -> re.Pattern[str]:
    """Return a pattern for "(Location 269)", "([Location 269](https://readwise.io/to_kindle?…))"."""
    words, linked = _WORDS.expression("locations"), r"(?:\([^()\s]{1,300}\))?"
    return re.compile(rf"\(\[?(?:{words})\s\d[\d,.–-]{{0,14}}\]?{linked}\)[\s.]{{0,3}}$", re.IGNORECASE)
