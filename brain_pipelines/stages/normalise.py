"""Text normalisation: line ends, spaces, control and invisible characters, Unicode NFC, repair of wrong decoding.

Pure functions. Offsets of segments and anchors are mapped to the cleaned text; their raw spans are unchanged.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from brain_pipelines.readers.encoding import repair_mojibake

_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # colours of a terminal
# Control characters, zero width space, soft hyphen, word joiner, byte order mark, and bidirectional overrides,
# which hide text from people but not from models. Joiners are kept: emoji and Persian need them.
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_SPACE = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # cannot be stored as UTF-8
_INNER_SPACES = re.compile(r"(?<=\S)[ \t]{2,}|(?<=\S)\t")
_TRAILING = re.compile(r"(?<![ \t])[ \t]++$", re.M)
_EMPTY_LINES = re.compile(r"\n{3,}")
_VISIBLE, _WORD = re.compile(r"\S"), re.compile(r"\S+")
MAX_NAME = 300  # characters of a heading path, a speaker, a message id


def clean(text: str, *, spaces: bool = True) -> str:
    """Return `text` in NFC with plain line ends and spaces; indentation and single empty lines stay. Idempotent.

    Without `spaces`, repeated spaces and empty lines stay too.
    """
    text = _SURROGATE.sub("\ufffd", text)
    text = _LINE_END.sub("\n", _ESCAPE.sub("", text))
    text = _SPACE.sub(" ", _INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFC", text)
    if not spaces:
        return text
    text = _TRAILING.sub("", text)
    return _EMPTY_LINES.sub("\n\n", _INNER_SPACES.sub(" ", text))


def _clean_names(segment: dict[str, Any]) -> dict[str, str]:
    named = {key: segment.get(key) for key in ("section", "speaker", "message_id")}
    return {key: " ".join(clean(value).split())[:MAX_NAME] for key, value in named.items() if isinstance(value, str)}


def normalise(
    text: str, segments: Sequence[dict[str, Any]], anchors: Sequence[dict[str, Any]] = (), *, spaces: bool = True
) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]], bool]:
    """Return the cleaned text, its segments and anchors with their new offsets, and whether decoding was repaired.

    Text between segments keeps its line breaks; segments that become empty are left out. `spaces` as in `clean`.
    """
    parts: list[str] = []
    moved: list[dict[str, Any]] = []
    placed: list[dict[str, Any]] = []
    position = before = anchor = 0
    repaired = False
    for segment in segments:
        decoded = repair_mojibake(text[segment["start"] : segment["end"]])
        repaired = repaired or decoded != text[segment["start"] : segment["end"]]
        body = clean(decoded, spaces=spaces).strip("\n").rstrip()
        own: list[dict[str, Any]] = []
        while anchor < len(anchors) and anchors[anchor]["end"] <= segment["end"]:
            own.append(anchors[anchor])
            anchor += 1
        if not body.strip():
            continue
        gap = clean(text[before : segment["start"]]) if parts else ""
        parts += [gap, body]
        start = position + len(gap)
        position = start + len(body)
        moved.append({**segment, **_clean_names(segment), "start": start, "end": position})
        placed += _moved(own, text[segment["start"] : segment["end"]], segment["start"], body, start)
        before = segment["end"]
    return "".join(parts), moved, placed, repaired


def _moved(
    anchors: Sequence[dict[str, Any]], before: str, before_start: int, after: str, after_start: int
) -> list[dict[str, Any]]:
    """Return anchors with their offsets in `after`, the cleaned form of `before`; empty ones are left out.

    Cleaning changes white space but keeps the order of all visible characters, so the n-th visible character of
    `before` is the n-th of `after`. A repair of the encoding changes the number of characters but not of words, so
    words are matched then; if the number of words differs too, offsets are scaled.
    """
    if not anchors:
        return []
    before = _INVISIBLE.sub(" ", before)
    units, moved = list(_VISIBLE.finditer(before)), list(_VISIBLE.finditer(after))
    if len(units) != len(moved):
        units, moved = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    starts, ends = [u.start() for u in units], [u.end() for u in units]
    scale = len(moved) / len(units) if units else 0.0
    found = []
    for anchor in anchors:
        first = bisect_right(ends, anchor["start"] - before_start)
        last = bisect_left(starts, anchor["end"] - before_start)
        first, last = round(first * scale), round(last * scale)
        if first < last:
            start, end = moved[first].start() + after_start, moved[last - 1].end() + after_start
            found.append({**anchor, "start": start, "end": end})
    return found
