"""The parts of a text that are no prose, by the kinds of its segments, its layout and the form of its lines."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.stages.prose.boilerplate import boilerplate_parts
from brain_pipelines.stages.prose.kinds import Kind, Part
from brain_pipelines.stages.prose.layout import layout_parts
from brain_pipelines.stages.prose.machine_text import machine_parts
from brain_pipelines.stages.prose.statements import is_whole_sentence
from brain_pipelines.stages.prose.to_programs import paragraphs_for_programs
from brain_retrieval.language.sentences import sentences

Row = dict[str, Any]
SPOKEN = ("message", "speech")
# Kinds of segments, by readers, that are of one kind as a whole.
_WHOLE = {
    "table": Kind.TABLE,
    "generated": Kind.GENERATED,
    "described": Kind.DESCRIBED,
    "data": Kind.DATA,
    "barcode": Kind.DATA,
    "caption": Kind.CAPTION,
}
_RECOGNISED = ("image", "frame")
_DATA_FAMILIES = ("data", "contact")  # readers of these formats write the entries of a file as lines `key: value`
_TITLED = ("section", "page")
_OF_OTHERS = frozenset({"email", "document", "web-page", "web-crawl"})  # what others may have written for programs
_KEY = re.compile(r"[ \t]*(?:(?:[-*+#;]|//)[ \t]+)?[^:=\n]{1,200}?(?::(?=\s|$)|=)[ \t]*")
# What readers put before what was said, shown or written.
_OURS = re.compile(r"(?:Notes|Context|On screen at [\d:.]{1,12}|Picture at [\d:.]{1,12}): ")
_PLACEHOLDER = re.compile(
    r"(?:\[error\] )?\[(?P<what>tool call|tool result|file|image|picture|audio|video|document|recording)\b"
    r"[^\]\n]{0,600}\]"
    r"(?P<rest>[^\n]*)"
)


def parts_of(document: Row) -> list[Part]:
    """Return the parts of a DOCUMENT_TEXT row that are no prose: in order, apart, none empty."""
    text, segments = document["text"], document.get("segments") or ()
    known = FORMATS.get(document.get("format") or "")
    if known is not None and known.family in _DATA_FAMILIES and not any(s["kind"] in SPOKEN for s in segments):
        return _apart(_split(text, Part(0, len(text), Kind.DATA)))
    by_segment = chain.from_iterable(_segment_parts(text, segment) for segment in segments)
    formed = (*layout_parts(text), *machine_parts(text), *boilerplate_parts(text))
    by_form = chain.from_iterable(_split(text, part) for part in formed)
    written = paragraphs_for_programs(text) if document.get("source") in _OF_OTHERS else ()
    for_programs = [Part(start, end, Kind.FOR_PROGRAMS) for start, end in written]
    return _apart(chain(for_programs, by_segment, by_form))


def kind_at(parts: Sequence[Part], position: int) -> Kind:
    """Return the kind of the character at an offset."""
    at = bisect_right(parts, position, key=lambda part: part.start) - 1
    return parts[at].kind if at >= 0 and position < parts[at].end else Kind.PROSE


def spans_of(parts: Sequence[Part], length: int, kinds: Iterable[Kind]) -> list[tuple[int, int]]:
    """Return the spans of a text of this length that are of one of the kinds, in order."""
    wanted = frozenset(kinds)
    found, position = [], 0
    for part in [*parts, Part(length, length, Kind.PROSE)]:
        if Kind.PROSE in wanted and part.start > position:
            found.append((position, part.start))
        if part.kind in wanted and part.end > part.start:
            found.append((part.start, part.end))
        position = part.end
    return found


def _segment_parts(text: str, segment: Row) -> Iterator[Part]:
    start, end, kind = segment["start"], segment["end"], segment["kind"]
    if kind in _WHOLE:
        yield from _split(text, Part(start, end, _WHOLE[kind]))
        return
    label = f"{segment.get('speaker')}:"
    if kind in SPOKEN and segment.get("speaker") and text.startswith(label, start):
        yield Part(start, start + len(label), Kind.LABEL)
        start += len(label)
    elif ours := _OURS.match(text, start, end):
        yield Part(start, ours.end(), Kind.LABEL)
        start = ours.end()
    if kind in SPOKEN:
        yield from _placeholders(text, start, end)
    elif kind in _RECOGNISED:
        spans = sentences(text, start, end)
        yield from (Part(a, b, Kind.PICTURE) for a, b in spans if not is_whole_sentence(text[a:b]))
    elif kind in _TITLED and segment.get("section"):
        title = segment["section"].rpartition(" > ")[2]
        if text.startswith(title, start) and text[start + len(title) : start + len(title) + 1] in ("", "\n"):
            yield Part(start, start + len(title), Kind.HEADING)


def _placeholders(text: str, start: int, end: int) -> Iterator[Part]:
    """Yield the words in brackets that readers write for calls of tools and for files."""
    if text.find("[", start, end) < 0:
        return
    for match in _PLACEHOLDER.finditer(text, start, end):
        yield Part(match.start(), match.start("rest"), Kind.LABEL)
        if match["what"] == "tool call" and match["rest"]:
            yield Part(*match.span("rest"), Kind.CODE)


def _split(text: str, part: Part) -> Iterator[Part]:
    """Yield the keys and the values of data; another part as it is."""
    if part.kind is not Kind.DATA:
        yield part
        return
    start = part.start
    while start < part.end:
        end = text.find("\n", start, part.end)
        end = part.end if end < 0 else end
        key = _KEY.match(text, start, end)
        value = key.end() if key else start
        yield Part(start, value, Kind.LABEL)
        yield Part(value, end, Kind.DATA)
        start = end + 1


def _apart(parts: Iterable[Part]) -> list[Part]:
    """Return the parts in order without overlaps; of two that begin together the first given counts."""
    found: list[Part] = []
    position = 0
    for part in sorted(parts, key=lambda one: one.start):
        start = max(part.start, position)
        if start < part.end:
            found.append(part if start == part.start else Part(start, part.end, part.kind))
            position = part.end
    return found
