"""The `Format` record: signatures for detection, reader, date inside the file. Each reader module has its `FORMAT`.

A new format is a file with a `FORMAT` and a line in `registry.py`; every other list is derived from the registry.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.parts import Part
from brain_retrieval.settings import Limits

Reader = Callable[[Path, Limits, Path], Extracted]  # file, limits, scratch directory
Parts = Callable[[Path, tzinfo, Limits], Iterator[Part]]
TEXT_SUFFIXES = (".txt", ".md")


@dataclass(frozen=True)
class Format:
    """A file format. Without `read` it is only detected, and refused with its `label` as the reason.

    Detection tests the formats in registry order until one matches: `magic` (the file starts with one of these),
    `structure` (a test of its first 64 kB), then for texts `opening` (first words, in any case) and `shape` (a test of
    the text without byte order mark and leading white space, and of whether that is all of it). A zip is matched by
    `zip_folder` (of an Office package) and `zip_mimetype`, a compound file by `ole_streams`, a gzip by the first
    unpacked bytes, `in_gzip`. `narrow` inspects a file of this format and returns the name of the more specific one.
    """

    name: str
    mime: str
    label: str  # its everyday name with an article, for messages
    family: str = "other"  # by which sources select formats: document, text, data, captions, image, audio, video, …
    suffixes: tuple[str, ...] = ()
    promised: bool = False  # a file with one of its suffixes but other content is reported as a repair
    as_text: bool = False  # kept by people as plain text: the source `note` takes it verbatim
    in_pieces: bool = False  # a text with one of its suffixes is read as this format though its bytes do not show it
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
    date_from: str = "metadata"  # "content" where the date is that of the content and not of the file
    parts: Parts | None = None  # of a file of many notes: each as a file of this format; none: it is one item
    advice: str = ""  # appended to the reason when a source refuses it

    def begins(self, head: bytes) -> bool:
        """Return whether a binary file that begins with `head` is of this format."""
        return any(head.startswith(magic) for magic in self.magic)

    def fits_text(self, start: bytes, complete: bool) -> bool:
        """Return whether a text that begins with `start` is of this format."""
        if any(start[: len(words)].upper() == words for words in self.opening):
            return True
        return self.shape is not None and self.shape(start, complete)

    def promises(self, suffix: str) -> bool:
        """Return whether a file name with this suffix implies this format."""
        return (self.promised and suffix in self.suffixes) or (self.as_text and suffix in TEXT_SUFFIXES)
