"""What stands in a talk with an assistant without being said by the one in whose turn it stands.

| in a turn of | what | example |
|---|---|---|
| the user | a text handed over with a request | Translate this into Spanish: "I was born in Hull. …" |
| the user | several sentences between quotation marks | Continue: "I never liked the sea. I was born …" |
| the user | all turns of a game, until it is left | Let's play a text adventure. I live on Titan. |
| the assistant | the letter that it drafts | Dear Ms Lund, … I work as a nurse. … Kind regards, |

A text that the request calls the user's own ("improve my cover letter: …") is theirs.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from brain_pipelines.readers.email.mail_words import closings
from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.quotations import quotations
from brain_retrieval.language.plain import lowered, word_pattern

Row = dict[str, Any]
Span = tuple[int, int]

_ROLES = LEXICONS.read("speakers")
_HUMAN, _MACHINES = _ROLES.words("human_roles"), _ROLES.words("machine_roles")
_SPOKEN = ("message", "speech")
LONGEST_REQUEST = 400  # characters from the beginning of its line to the text
LEAST_TEXT = 40  # characters of a text that is handed over
LONG_QUOTE = 80  # characters between quotation marks that hold more than one sentence
LONGEST_GREETING, LONGEST_CLOSING = 80, 60  # characters of their lines
MOST_GREETING = 5  # words: "Sehr geehrter Herr Dr. Kern"
_SENTENCE_END = re.compile(r"[.!?…]\s+\S|\n")
_HANDS_OVER = re.compile(r":[ \t*_]*(?:\n\s*|(?=[\"“„«]))")
_MARKS = '"“”„«»'
_LINE = re.compile(r"[^\n]+")
_DECORATION = "*_>#` \t"


def assistant_of(document: Row) -> bool:
    """Return whether a DOCUMENT_TEXT row is a talk with a program: a turn of a user's and one of a machine."""
    spoken = {_role(one) for one in document.get("segments") or () if one["kind"] in _SPOKEN}
    return bool(spoken & _HUMAN) and bool(spoken & _MACHINES)


def handed_over(document: Row) -> Iterator[tuple[int, int, str | None]]:
    """Yield the spans of a talk with an assistant that are not said by the one in whose turn they stand.

    Each comes with its writer: the assistant for a letter that it drafts, None for what the user has handed over.
    """
    text, playing = document["text"], False
    if not assistant_of(document):
        return
    for one in document["segments"]:
        if one["kind"] not in _SPOKEN:
            continue
        start, end = _said(text, one)
        said = text[start:end]
        if _role(one) in _MACHINES:
            yield from ((start + a, start + b, one["speaker"]) for a, b in _letters(said))
        elif _role(one) in _HUMAN:
            playing = not _words("leaving").search(lowered(said)) and (playing or _begins_game(said))
            spans = [(0, len(said))] if playing else [*_given(said), *_quoted(said)]
            yield from ((start + a, start + b, None) for a, b in spans)


def _role(segment: Row) -> str:
    words = (segment.get("speaker") or "").casefold().split()
    return words[0] if words else ""


def _said(text: str, segment: Row) -> Span:
    """Return the span of a segment behind its label."""
    label, start = f"{segment.get('speaker')}:", segment["start"]
    return (start + len(label) if text.startswith(label, start) else start), segment["end"]


def _begins_game(said: str) -> bool:
    return bool(_words("playing").search(lowered(said)))


def _given(said: str) -> Iterator[Span]:
    """Yield the text behind a request that ends with a colon, to its closing mark or to the end of the turn."""
    for colon in _HANDS_OVER.finditer(said):
        request = lowered(said[max(0, colon.start() - LONGEST_REQUEST) : colon.start()].rpartition("\n\n")[2])
        if not _words("handing").search(request) or _words("own_text").search(request):
            continue
        start, end = colon.end(), len(said)
        if said[start : start + 1] in _MARKS:
            end = next((b for a, b in quotations(said) if a <= start < b), end)
        if end - start >= LEAST_TEXT:
            yield start, end
        return


def _quoted(said: str) -> Iterator[Span]:
    """Yield what stands between quotation marks and is longer than a sentence."""
    if _words("own_text").search(lowered(said)):
        return
    for start, end in quotations(said):
        closed = said[end - 1 : end] in _MARKS
        if closed and end - start >= LONG_QUOTE and _SENTENCE_END.search(said, start, end - 1):
            yield start, end


def _letters(said: str) -> Iterator[Span]:
    """Yield the letters in a turn, each from its greeting to the line behind its closing."""
    begun, lines = None, list(_LINE.finditer(said))
    for place, line in enumerate(lines):
        bare = line.group().strip(_DECORATION)
        if begun is None:
            begun = line.start() if _is_greeting(bare) else None
        elif len(bare) <= LONGEST_CLOSING and closings().fullmatch(bare):
            after = lines[place + 1] if place + 1 < len(lines) else line
            yield begun, after.end() if len(after.group()) <= LONGEST_CLOSING else line.end()
            begun = None


def _is_greeting(line: str) -> bool:
    if len(line) > LONGEST_GREETING or not line.endswith((",", ":", "!")):
        return False
    return bool(_words("greetings").match(lowered(line)))


def is_salutation(text: str) -> bool:
    """Return whether a text only greets a person: "Lieber Herr Drescher,", "Dear all:"; it says nothing.

    >>> is_salutation("Dear Mrs Hall,"), is_salutation("Hi, we have moved!"), is_salutation("Dear Ann is ill.")
    (True, False, False)
    """
    words = text.strip().strip(_DECORATION)
    within = words.rstrip(",:!").split()
    return len(within) <= MOST_GREETING and not any(word[-1] in ",:;" for word in within) and _is_greeting(words)


@cache
def _words(key: str) -> re.Pattern[str]:
    return word_pattern(LEXICONS.every_language("handed_over").listed(key))
