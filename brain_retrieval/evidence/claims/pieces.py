"""Statements of a claim by word lists: where one ends and the next begins, and its subject, action and object.

`parsed.py` does the same with the grammar of an English parser, where that is installed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from brain_retrieval.evidence.lexicons import known, listed
from brain_retrieval.evidence.words import Mention, Token, mentions_in, tokens_of
from brain_retrieval.language.sentences import sentences

LONG = 4  # letters of a word whose ending says that it is a verb
NEAR = 3  # words between an auxiliary and its verb
MOST_PIECES = 8
_ENDING = " \t\n.;,:"


@dataclass(frozen=True)
class Piece:
    """One statement: its text, and the words of its subject, action and object; `past` if it speaks of what was."""

    text: str
    subject: str = ""
    action: str = ""
    object: str = ""
    past: bool = False

    @property
    def whole(self) -> bool:
        """Whether it can stand for a statement."""
        return bool(self.action and self.subject)


def pieces_of(text: str, language: str | None) -> list[Piece]:
    """Return the statements of a text, at most eight; one without a subject has that of the one before."""
    parts = [part for start, end in sentences(text) for part in _parts(text[start:end], known(language))]
    found: list[Piece] = []
    for part in parts[:MOST_PIECES]:
        piece = roles_of(part, language)
        if found and found[-1].subject and _begins_with_verb(part, known(language)):
            piece = roles_of(f"{found[-1].subject} {part}", language)
        found.append(piece)
    return found


def roles_of(text: str, language: str | None) -> Piece:
    """Return a statement with its subject, action and object; the subject of a passive is what stands after "by"."""
    own = known(language)
    tokens = tokens_of(text)
    place = _action(tokens, mentions_in(text, language), own)
    if place is None:
        return Piece(text, subject=text.strip(_ENDING))
    start, end = place
    first = start_of(tokens, start, own)
    past = _is_past(tokens, first, start, own)
    before, after = text[: tokens[first].start], text[end:]
    by = next((t for t in tokens if t.start >= end and t.low in listed("by", own)), None)
    verb = text[start:end].strip(_ENDING)
    if by is not None and by.start - end <= 1 and _is_passive(tokens, start, own):
        return Piece(text, after[by.end - end :].strip(_ENDING), verb, before.strip(_ENDING), past)
    if _is_inverted(before, own):
        subject, rest = _first_noun(after)
        return Piece(text, subject, verb, f"{rest} {before}".strip(_ENDING), past)
    return Piece(text, before.strip(_ENDING), verb, after.strip(_ENDING), past)


def _is_inverted(before: str, language: str) -> bool:
    """Return whether the subject follows the verb: "Ab März kostet der Eintritt …"."""
    first = next((token.low for token in tokens_of(before)), "")
    fronted = listed("introducers", language) | listed("adverbs", language)
    return bool(listed("verb_endings", language)) and first in fronted


def _first_noun(text: str) -> tuple[str, str]:
    """Return a text up to its first word in capitals, with those that follow it at once, and what is behind."""
    tokens = tokens_of(text)
    last = next((place for place, token in enumerate(tokens) if token.is_capital), None)
    if last is None:
        return text.strip(_ENDING), ""
    while last + 1 < len(tokens) and tokens[last + 1].is_capital:
        last += 1
    return text[: tokens[last].end].strip(_ENDING), text[tokens[last].end :].strip(_ENDING)


def _is_past(tokens: Sequence[Token], first: int, start: int, language: str) -> bool:
    """Return whether an auxiliary says that it was, or without one the ending of the verb."""
    low = tokens[first].low
    return low in listed("past", language) or (tokens[first].end > start and low.endswith("ed"))


def _begins_with_verb(text: str, language: str) -> bool:
    tokens = tokens_of(text)
    return bool(tokens) and _is_verb(tokens, 0, {m.start: m for m in mentions_in(text, language)}, language)


def start_of(tokens: Sequence[Token], start: int, language: str) -> int:
    """Return the token at which a verb with its auxiliaries begins."""
    helpers = listed("copulas", language) | listed("auxiliaries", language)
    place = next(i for i, token in enumerate(tokens) if token.end > start)
    for back in range(1, NEAR + 1):
        if place - back >= 0 and tokens[place - back].low in helpers:
            return place - back
    return place


def _is_passive(tokens: Sequence[Token], start: int, language: str) -> bool:
    place = next(i for i, token in enumerate(tokens) if token.end > start)
    return any(token.low in listed("copulas", language) for token in tokens[max(0, place - NEAR) : place + 1])


def _parts(sentence: str, language: str) -> list[str]:
    """Split a sentence at semicolons, and at coordinators with a verb on either side."""
    found: list[str] = []
    for half in sentence.split(";"):
        begin = 0
        for token in tokens_of(half):
            if token.low not in listed("coordinators", language):
                continue
            before, after = half[begin : token.start], half[token.end :]
            if _has_verb(before, language) and _begins_statement(after, language):
                found.append(before.strip(_ENDING))
                begin = token.end
        found.append(half[begin:].strip(_ENDING))
    return [part for part in found if part]


def _has_verb(text: str, language: str) -> bool:
    return _action(tokens_of(text), mentions_in(text, language), language) is not None


def _begins_statement(text: str, language: str) -> bool:
    """Return whether a verb follows soon: at once, or after a short subject without another coordinator."""
    tokens = tokens_of(text)
    if not tokens:
        return False
    if _is_verb(tokens, 0, {m.start: m for m in mentions_in(text, language)}, language):
        return True
    place = _action(tokens, mentions_in(text, language), language)
    joined = listed("coordinators", language)
    return place is not None and not any(t.low in joined for t in tokens if t.end <= place[0])


def _action(tokens: Sequence[Token], mentions: Sequence[Mention], language: str) -> tuple[int, int] | None:
    """Return the span of the verb of a statement: of a known verb behind its subject, else of an auxiliary."""
    at = {mention.start: mention for mention in mentions}
    helpers = listed("copulas", language) | listed("auxiliaries", language)
    for place, token in enumerate(tokens):
        if token.low in helpers:
            known_here = at.get(token.start)  # "can't stand"
            return _behind(tokens, place, at, language) if known_here is None else (token.start, known_here.end)
        follows = tokens[place + 1].low if place + 1 < len(tokens) else ""
        if place and follows not in helpers and _is_verb(tokens, place, at, language):
            return token.start, at[token.start].end if token.start in at else token.end
    return _second(tokens, language)


def _second(tokens: Sequence[Token], language: str) -> tuple[int, int] | None:
    """Return the verb of a language whose nouns have capitals: the first word without one behind the subject."""
    endings = tuple(listed("verb_endings", language))
    quiet = listed("determiners", language) | listed("noun_articles", language) | listed("adverbs", language)
    for before, token in pairwise(tokens):
        subject = before.is_capital or before.low in listed("pronouns", language)
        if subject and not token.is_capital and token.low not in quiet and token.low.endswith(endings or ("\0",)):
            return token.start, token.end
    return None


def _behind(tokens: Sequence[Token], place: int, at: dict[int, Mention], language: str) -> tuple[int, int]:
    """Return the span of the verb that an auxiliary belongs to, else that of the auxiliary."""
    helpers = listed("copulas", language) | listed("auxiliaries", language)
    for token in tokens[place + 1 : place + 1 + NEAR]:
        if token.low in listed("determiners", language) and token.start not in at:
            break
        if token.start in at:
            return token.start, at[token.start].end
        if token.low in listed("verbs", language) and token.low not in helpers:
            return token.start, token.end
        if token.low.endswith("ed"):
            return token.start, token.end
    return tokens[place].start, tokens[place].end


def _is_verb(tokens: Sequence[Token], place: int, at: dict[int, Mention], language: str) -> bool:
    token = tokens[place]
    helpers = listed("copulas", language) | listed("auxiliaries", language)
    if token.low in helpers:
        return True
    before = tokens[place - 1].low if place else ""
    if before in listed("determiners", language) or before in listed("of", language):
        return False
    regular = place > 0 and len(token.low) > LONG and token.low.endswith(tuple(listed("participle", language)))
    return token.low in listed("verbs", language) or token.start in at or regular
