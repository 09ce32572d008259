"""Sentences of the passages found, each with its place in the source and what its pronouns may stand for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from brain_retrieval.evidence.candidates.statement import Statement, rank_score
from brain_retrieval.evidence.lexicons import known, listed
from brain_retrieval.evidence.words import tokens_of
from brain_retrieval.language.sentences import sentences
from brain_retrieval.query.hits import Hit

MOST_CHARACTERS = 800  # of a sentence; a longer one is a table or a list without full stops
LEAST_CHARACTERS = 10
COVERED = 0.8  # share of a sentence that is known as a memory
Place = tuple[str, int, int]
Span = tuple[int, int]
_ITEM = re.compile(r"\n(?=[ \t]{0,12}(?:[-*•+–]|\d{1,3}[.)])[ \t])")
_MARK = re.compile(r"\s{0,12}(?:[-*•+–]|\d{1,3}[.)])[ \t]")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]([^\n]*+)", re.MULTILINE)


def sentences_of(hits: Iterable[Hit], language: str | None, covered: Sequence[Place] = ()) -> list[Statement]:
    """Return the sentences of passages but for those that are in `covered`, which are known as memories."""
    by_source: dict[str, list[tuple[int, int]]] = {}
    for source_id, start, end in covered:
        by_source.setdefault(source_id, []).append((start, end))
    return [
        one
        for rank, hit in enumerate(hits)
        for one in _sentences(hit, language, rank_score(rank))
        if not _is_covered(one.span, by_source.get(one.source_id, ()))
    ]


def placed(text: str, language: str | None) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Yield the sentences of a text with their characters, and what their pronouns may stand for.

    A heading is no statement, but pronouns below may stand for what it names. A text of headings alone is all that its
    author wrote, and is read.
    """
    parts, before = list(_parts(text)), ""
    only_headings = not any(text[start:end].strip() for start, end, heading in parts if not heading)
    for first, last, heading in parts:
        if heading and not only_headings:
            before = text[first:last]
            continue
        for start, end in _lines(text, sentences(text, first, last, language)):
            own = text[start:end]
            if LEAST_CHARACTERS <= end - start <= MOST_CHARACTERS:
                yield " ".join(own.split()), (start, end), _stands_for(own, before, language)
            before = own


def _parts(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the characters of each heading, without its marks, and of what stands between headings."""
    done = 0
    for match in _HEADING.finditer(text):
        yield done, match.start(), False
        yield *match.span(1), True
        done = match.end()
    yield done, len(text), False


def _lines(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield sentences, of a list without full stops its items."""
    for start, end in spans:
        marks = [start, *(match.start() for match in _ITEM.finditer(text, start, end)), end]
        for begin, stop in pairwise(marks):
            item = text[begin:stop]
            bare = _MARK.match(item)
            begin += bare.end() if bare else 0
            stop -= len(item) - len(item.rstrip())
            if begin < stop:
                yield begin, stop


def _sentences(hit: Hit, language: str | None, score: float) -> Iterator[Statement]:
    ref = hit.source_ref
    found = list(placed(hit.text, language))
    whole = bool(found)
    for text, (start, end), context in found or _beginning(hit.text):
        yield Statement(
            text=text,
            origin="passage",
            source_id=ref.source_id,
            source=ref.source,
            uri=ref.uri,
            span=(ref.span[0] + start, ref.span[0] + end),
            said_at=ref.time or hit.temporal_context.event_at,
            received_at=hit.temporal_context.received_at,
            day=hit.temporal_context.day,
            context=context,
            title=ref.title,
            speaker=_speaker(ref.speaker),
            url=ref.url,
            language=language,
            score=score,
            whole=whole,
        )


def _beginning(text: str) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Yield the beginning of a passage without a sentence of a usual length, so that it is shown where it is found."""
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if end - start > MOST_CHARACTERS:
        cut = start + MOST_CHARACTERS
        blank = text.rfind(" ", start, cut)
        end = blank if blank > start else cut
    if end > start:
        yield " ".join(text[start:end].split()), (start, end), ""


def _stands_for(text: str, before: str, language: str | None) -> str:
    """Return the sentence before, if this one has a pronoun that may stand for something in it."""
    pronouns = listed("pronouns", known(language))
    return before if any(token.low in pronouns for token in tokens_of(text)) else ""


def said_before(hit: Hit, start: int, text: str, language: str | None) -> str:
    """Return what the pronouns of a text that begins at character `start` of a source may stand for."""
    before = hit.text[: max(0, start - hit.source_ref.span[0])]
    spans = sentences(before, language=language)
    return _stands_for(text, before[slice(*spans[-1])], language) if spans else ""


def _speaker(speakers: str | None) -> str | None:
    """Return the speaker of a passage, None if several speak in it."""
    return speakers if speakers and ", " not in speakers else None


def _is_covered(span: tuple[int, int], known_spans: Iterable[tuple[int, int]]) -> bool:
    length = max(1, span[1] - span[0])
    return any(min(span[1], end) - max(span[0], start) >= COVERED * length for start, end in known_spans)
