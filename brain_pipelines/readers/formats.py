"""What a format is: how it is told from bytes, who reads it, the date inside it. One `FORMAT` beside each reader.

A new format is a file with a `FORMAT` and a line in `registry.py`; every other list is derived from the registry.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.extracted import Extracted
from brain_retrieval.settings import Limits

Reader = Callable[[Path, Limits, Path], Extracted]  # the file, what it may cost, a scratch directory
TEXT_SUFFIXES = (".txt", ".md")


@dataclass(frozen=True)
class Format:
    """A format and all that Brain knows about it. Without `read` it is only recognised, and refused by its label.

    Detection asks, in the order of the registry and until one fits: `magic` (the file starts with one of these),
    `structure` (of its first 64 kB), then for texts `opening` (words in any case) and `shape` (of the text without
    mark and leading white space, and whether that is all of it). Of a zip it asks for `zip_folder` (of an Office
    package) and `zip_mimetype`, of a compound file for `ole_streams`, of a gzip for what stands `in_gzip`. `narrow`
    looks further into a file of this format, and returns the name of the one that it is.
    """

    name: str
    mime: str
    label: str  # what people call it, with its article
    family: str = "other"  # what a source asks for: document, text, data, captions, image, audio, video, email, …
    suffixes: tuple[str, ...] = ()
    promised: bool = False  # other bytes under one of its suffixes are worth a word
    as_text: bool = False  # people keep it as a text: a note takes it word for word
    in_pieces: bool = False  # a text under one of its suffixes is a piece of it, whose bytes alone do not say so
    magic: tuple[bytes, ...] = ()
    structure: Callable[[bytes], bool] | None = None
    zip_folder: str = ""
    zip_mimetype: bytes = b""
    ole_streams: tuple[str, ...] = ()
    in_gzip: bytes = b""
    opening: tuple[bytes, ...] = ()
    shape: Callable[[bytes, bool], bool] | None = None
    narrow: Callable[[Path, bytes], str] | None = None
    read: Reader | None = None
    date_of: Callable[[Path, tzinfo], datetime | None] | None = None  # cheap and bounded: it runs at every landing
    date_from: str = "metadata"  # "content" where the date is of what is said and not of the file
    advice: str = ""  # behind the reason for which a source refuses it

    def begins(self, head: bytes) -> bool:
        """Tell whether a binary file that begins with `head` is of this format."""
        return any(head.startswith(magic) for magic in self.magic)

    def fits_text(self, start: bytes, complete: bool) -> bool:
        """Tell whether a text that begins with `start` is of this format."""
        if any(start[: len(words)].upper() == words for words in self.opening):
            return True
        return self.shape is not None and self.shape(start, complete)

    def promises(self, suffix: str) -> bool:
        """Tell whether a name with this suffix stands for this format."""
        return (self.promised and suffix in self.suffixes) or (self.as_text and suffix in TEXT_SUFFIXES)
