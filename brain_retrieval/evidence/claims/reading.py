"""`read_claim`: a sentence taken apart into statements, by a parser or by word lists. No model is used here."""

import re
from dataclasses import replace
from functools import cache
from hashlib import sha1

from brain_retrieval.evidence.claims.anchors import anchors_of
from brain_retrieval.evidence.claims.claim import Claim, ClaimType, SubClaim
from brain_retrieval.evidence.claims.dates import located_whens
from brain_retrieval.evidence.claims.parsed import Parser
from brain_retrieval.evidence.claims.pieces import Piece, pieces_of, roles_of
from brain_retrieval.evidence.claims.quantities import quantities_in
from brain_retrieval.evidence.lexicons import claim_words, known, listed, pattern
from brain_retrieval.evidence.refutation import refuted_scopes
from brain_retrieval.evidence.words import (
    Mention,
    content_forms,
    denials_of,
    form_of,
    mentions_in,
    tokens_of,
    without_lack,
)
from brain_retrieval.language.concepts import MARK, concepts_of
from brain_retrieval.language.folding import fold
from brain_retrieval.language.plain import lowered, word_expression
from brain_retrieval.language.stance import modality_of
from brain_retrieval.query.analysis import Question

_TYPES: tuple[ClaimType, ...] = ("comparative", "therapeutic", "mechanistic", "causal", "temporal")
_BOUNDS = ("more_than", "less_than", "at_least", "at_most", "about")
NEAR = 6  # characters between an action and the expression that says more of it
HEDGED = ("possible", "conditional", "question")


def read_claim(question: Question, *, parser: Parser | None = None) -> Claim:
    """Return the claim that an analysed text states.

    Args:
        question: the text with its names, entities and time, as the analysis of questions has them.
        parser: of its language; None: word lists.
    """
    text, language = plain_form(question.text, question.language), question.language
    pieces, parsed = pieces_of(text, language), [] if parser is None else parser(text)
    if parsed and sum(piece.whole for piece in parsed) >= sum(piece.whole for piece in pieces):
        pieces = parsed  # a parser that sees fewer statements has misread it
    statements = tuple(statement_of(piece, question, language) for piece in pieces if piece.text)
    time = question.time if question.time is not None and question.time.restricts else None
    return Claim(
        text=question.text,
        key=key_of(question.text),
        statements=statements or (statement_of(roles_of(text, language), question, language),),
        entities=question.entities,
        topics=tuple(concept.removeprefix(MARK) for concept in concepts_of(text, language)),
        since=None if time is None else time.start,
        until=None if time is None else time.end,
        language=language,
        method="rules" if pieces is not parsed else "parser",
        warnings=question.warnings,
    )


def plain_form(text: str, language: str | None) -> str:
    """Return a claim in plain words: "is able to" as "can", "It was Agnes who found it" as "Agnes found it"."""
    own = known(language)
    text = without_lack(text, language)
    table = claim_words(own).table("plain") if "plain" in claim_words(own).keys else {}
    for long, short in table.items():
        text = re.sub(rf"(?<!\w){re.escape(long)}(?!\w)", str(short), text)
    if cleft := _cleft(own).match(text):
        return f"{cleft[2]} {text[cleft.end() :]}"
    return text


@cache
def _cleft(language: str) -> re.Pattern[str]:
    begins = word_expression(claim_words(language).listed("cleft"), lowered)
    links = word_expression(listed("relatives", language), lowered)
    return re.compile(rf"(?i)({begins})\s([^\s,]{{1,40}}(?:\s[^\s,]{{1,40}}){{0,4}}?),?\s(?:{links})\s")


def key_of(text: str) -> str:
    """Return the key of a claim: the same for texts that differ in case and blanks alone."""
    return sha1(" ".join(text.lower().split()).encode(), usedforsecurity=False).hexdigest()[:16]


def statement_of(piece: Piece, question: Question, language: str | None) -> SubClaim:
    """Return a statement with its anchors, quantities, dates, polarity and type."""
    refuted, piece = _without_refutation(piece, language)
    text = piece.text
    names = tuple(
        dict.fromkeys(name.text for name in question.names if name.text in text and _is_name(name.text, language))
    )
    if listed("noun_articles", known(language)):  # every noun has a capital
        sure = {fold(name) for one in question.entities for name in (one.name, one.canonical)}
        names = tuple(name for name in names if " " in name or fold(name) in sure)
    located = located_whens(text, language)
    spans = [(start, end) for start, end, _ in located]
    quantities = tuple(quantities_in(text, language, spans))
    stated = [*(quantity.text for quantity in quantities), *(text[start:end] for start, end in spans)]
    family, sign, piece = _with_family(piece, language)
    subject, rest = (_bare(part, language) for part in (piece.subject, piece.object))
    return SubClaim(
        text=text,
        subject=subject,
        action=piece.action,
        object=rest,
        family=family,
        sign=sign,
        negated=(len(denials_of(text, language, claimed=True)) + refuted) % 2 == 1,
        anchors=anchors_of(subject, piece.action, rest, names, stated, language),
        names=names,
        quantities=quantities,
        dates=tuple(when for _, _, when in located),
        type=type_of(text, language, dated=bool(located)),
        then=piece.past or pattern("then", known(language)).search(lowered(text)) is not None,
        hedged=is_hedged(text, language),
        language=language,
    )


def _without_refutation(piece: Piece, language: str | None) -> tuple[bool, Piece]:
    """Return whether a piece denies a statement as a whole ("It is a myth that …"), and that statement."""
    scopes = refuted_scopes(piece.text, language)
    if not scopes:
        return False, piece
    behind = piece.text[max(one.end for one in scopes) :].strip()
    if behind:  # "Contrary to what is said, …"
        return False, roles_of(behind, language)
    that = next((token for token in tokens_of(piece.text) if token.low in listed("that", known(language))), None)
    inner = "" if that is None else piece.text[that.end :].strip()
    return True, roles_of(inner, language) if inner else piece


def _bare(part: str, language: str | None) -> str:
    """Return words without dates and amounts, which are compared on their own, and without what introduces them.

    Of "three sheep" the sheep stay. Adverbs and denials at either end are left out too.
    """
    located = located_whens(part, language)
    spans = [(start, end) for start, end, _ in located]
    for one in quantities_in(part, language, spans):
        number = part[one.start : one.end].split(" ", 1)
        counted = len(number) > 1 and form_of(number[1].lower()) == one.dimension
        spans.append((one.start, one.start + len(number[0]) if counted else one.end))
    for start, end in sorted(spans, reverse=True):
        before = _without_bound(part[:start].rstrip(), language)
        while before and (last := before.rpartition(" ")[2].lower()) in listed("introducers", known(language)):
            before = before[: len(before) - len(last)].rstrip()
        part = f"{before} {part[end:].strip()}".strip()
    words = part.split()
    quiet = listed("adverbs", known(language))
    while words and words[-1].lower() in quiet:
        words.pop()
    while words and words[0].lower() in quiet:
        words.pop(0)
    return " ".join(words)


def _without_bound(before: str, language: str | None) -> str:
    """Return what stands before an amount without what bounds it: of "carries up to" the verb."""
    low = lowered(before)
    ends = [
        match.start()
        for key in _BOUNDS
        for match in pattern(key, known(language)).finditer(low)
        if match.end() == len(low)
    ]
    return before[: min(ends)].rstrip() if ends else before


def _is_name(text: str, language: str | None) -> bool:
    """Return whether a text that sources know as a name is one here: "budget", "2026" and "Danish" are not."""
    origins = {word for group in claim_words(known(language)).listed("origins") for word in group.split()}
    return any(letter.isupper() for letter in text) and text.lower() not in origins


def type_of(text: str, language: str | None, *, dated: bool = False) -> ClaimType:
    """Return the type of a statement by its words; "general" if they give none away."""
    low, own = lowered(text), known(language)
    for kind in _TYPES:
        if pattern(kind, own).search(low):
            return kind
    return "temporal" if dated else "general"


def is_hedged(text: str, language: str | None) -> bool:
    """Return whether a sentence states only a possibility."""
    for start, end, _ in located_whens(text, language):  # "in May"
        text = text[:start] + " " * (end - start) + text[end:]
    hedge = pattern("hedges", known(language)).search(lowered(text))
    return hedge is not None or modality_of(text, language) in HEDGED


def _with_family(piece: Piece, language: str | None) -> tuple[str, int, Piece]:
    """Return the family and sign of the action, and the piece with all words of that expression in its action.

    The expression has words of the action, begins soon behind it ("is … cheaper"), or else stands in the object. A word
    that only says which one the action is done to ("painted the booking page") says nothing of the action.
    """
    found = mentions_in(piece.text, language)
    start = piece.text.find(piece.action) if piece.action else -1
    end = start + len(piece.action)
    at = [one for one in found if start >= 0 and one.start < end and start < one.end]
    near = [one for one in found if start >= 0 and 0 <= one.start - end <= NEAR]
    own = [one for one in found if piece.object and piece.text[one.start : one.end] in piece.object]
    if content_forms(tokens_of(piece.action), language):
        near, own = ([one for one in some if not _says_which(piece, one, language)] for some in (near, own))
    best = next(iter((*at, *near, *own)), None)
    if best is None:
        return "", 1, piece
    if best in at and best.end > end and piece.object:  # "eats meat"
        rest = piece.text[best.end :].strip()
        piece = replace(piece, action=piece.text[min(start, best.start) : best.end], object=_after(piece.object, rest))
    if best in near and piece.action.lower() in listed("copulas", known(language)):
        said, rest = piece.text[best.start : best.end], piece.text[best.end :].strip()
        if rest in piece.object:
            piece = replace(piece, action=f"{piece.action} {said}", object=rest)
    return best.family, best.sign, piece


def _says_which(piece: Piece, one: Mention, language: str | None) -> bool:
    """Return whether a word of a family stands inside the object, at once before the noun that it belongs to.

    At the beginning of the object it may be what is done: "used to live in Tromsø".
    """
    said, rest = piece.text[one.start : one.end], piece.text[one.end :]
    behind = next(iter(tokens_of(rest)), None)
    if behind is None or not rest[: behind.start].isspace() or _bare(piece.object, language).startswith(said):
        return False
    return bool(content_forms([behind], language))


def _after(part: str, rest: str) -> str:
    """Return the end of a part that is the end of its sentence, without what is now in the action."""
    words = part.split()
    kept = next((place for place in range(len(words)) if rest.startswith(" ".join(words[place:])[:40])), len(words))
    return " ".join(words[kept:])
