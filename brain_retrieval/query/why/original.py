"""The original bytes of a source: whether they are still there and intact, and where a sentence stands in them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from brain_retrieval.home import Space

MOST_HASHED = 1 << 28  # bytes of a file that is read to compare its hash
MOST_DECODED = 1 << 24  # bytes of a text in which a place is looked for
MARK = b"\xef\xbb\xbf"  # byte order mark of UTF-8


@dataclass(frozen=True)
class Place:
    """Where a sentence stands in the original: half-open ranges of characters, and of bytes where it is UTF-8.

    `exact` is false if only the part of the original is known that the sentence was read from.
    """

    characters: tuple[int, int]
    bytes: tuple[int, int] | None
    exact: bool

    def __str__(self) -> str:
        first, last = self.characters
        found = f"{'' if self.exact else 'within '}characters {first}–{last}"
        return found + (f", bytes {self.bytes[0]}–{self.bytes[1]}" if self.bytes else "")


def state_of(space: Space, sha256: str) -> str:
    """Return in words what is stored of the bytes with this hash."""
    blob = space.blob(sha256)
    if blob.is_file():
        if blob.stat().st_size > MOST_HASHED:
            return "kept; too large to compare its hash here"
        with blob.open("rb") as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == sha256
        return "kept, and its hash is right" if same else "damaged: its bytes have another hash"
    if blob.with_suffix(".enc").is_file():
        return "kept encrypted"
    if blob.with_suffix(".dropped").is_file():
        return "dropped once its text was read (privacy.raw)"
    return "missing"


def place_in(path: Path, segments: Sequence[Mapping[str, Any]], start: int, end: int, quote: str) -> Place | None:
    """Return where a span of the cleaned text stands in the original; None where the original is no text.

    Args:
        path: of the original bytes.
        segments: of the source's text, with their places in the original.
        start, end: the span in the cleaned text; quote: its characters.
    """
    holding = [one for one in segments if one["start"] < end and one["end"] > start and one["raw_start"] is not None]
    text = _decoded(path)
    forms = dict.fromkeys((quote, json.dumps(quote, ensure_ascii=False)[1:-1], json.dumps(quote)[1:-1]))
    if not holding:  # a page, a mail: the sentence may stand there word for word
        said = [form for form in forms if text is not None and form and text.count(form) == 1]
        return _place(path, text, text.index(said[0]), said[0]) if text is not None and said else None
    first, last = holding[0]["raw_start"], holding[-1]["raw_end"]
    if text is None or last > len(text):
        return Place((first, last), None, exact=False)
    for form in forms:
        if form and (at := text.find(form, first, last)) >= 0:
            return _place(path, text, at, form)
    return replace(_place(path, text, first, text[first:last]), exact=False)


def _place(path: Path, text: str, at: int, said: str) -> Place:
    """Return the place of characters of a text in UTF-8."""
    before = _mark(path) + len(text[:at].encode())
    return Place((at, at + len(said)), (before, before + len(said.encode())), exact=True)


def _decoded(path: Path) -> str | None:
    """Return the text of a file in UTF-8 without its mark, None for any other and for one that is too large."""
    try:
        return path.read_bytes().decode("utf-8-sig") if path.stat().st_size <= MOST_DECODED else None
    except (OSError, UnicodeDecodeError):
        return None


def _mark(path: Path) -> int:
    with path.open("rb") as file:
        return len(MARK) if file.read(len(MARK)) == MARK else 0
