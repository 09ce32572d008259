"""Elements of a large XML file one after the other, each with its bytes and the texts inside it.

Runs at landing: standard library, in pieces of a megabyte, without external files. A declaration of entities ends it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.parsers import expat

from brain_retrieval.errors import BadInputError

PIECE = 1 << 20  # bytes
MAX_TEXT = 4_000  # characters kept of a text inside an element
MAX_DEPTH = 200
MAX_BLANKS = 1_000  # before the ">" of a tag that ends


@dataclass
class Element:
    """An element: the span of its bytes in the file, texts by name, and the spans of the elements to be left out."""

    name: str
    start: int
    end: int = 0
    texts: dict[str, list[str]] = field(default_factory=dict)
    inner: list[tuple[int, int]] = field(default_factory=list)

    def one(self, name: str) -> str:
        """Return the first text of an element inside that has this name, "" if there is none."""
        return next((text for text in self.texts.get(name, ()) if text), "")


@dataclass
class _Reader:
    wanted: Sequence[str]
    texts: Sequence[str]
    inner: str
    found: list[Element] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    open: Element | None = None
    said: list[str] = field(default_factory=list)
    inner_start: int = -1

    def __post_init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise BadInputError("XML with a declaration of entities (entity bomb)")

    def _start(self, name: str, _attributes: object) -> None:
        self.path.append(name)
        if len(self.path) > MAX_DEPTH:
            raise BadInputError("XML nested too deeply")
        if self.open is None and name in self.wanted:
            self.open = Element(name, self.parser.CurrentByteIndex)
        elif self.open is not None and name == self.inner and self.inner_start < 0:
            self.inner_start = self.parser.CurrentByteIndex
        self.said = []

    def _text(self, text: str) -> None:
        if self.open is not None and self.inner_start < 0 and self.path[-1] in self.texts:
            room = MAX_TEXT - sum(map(len, self.said))
            self.said.append(text[:room])

    def _end(self, name: str) -> None:
        self.path.pop()
        if self.open is None:
            return
        end = self.parser.CurrentByteIndex + len(f"</{name}".encode())  # up to its ">", which may follow a blank
        if self.inner_start >= 0 and name == self.inner:
            self.open.inner.append((self.inner_start, end))
            self.inner_start = -1
        elif self.inner_start < 0 and name in self.texts:
            self.open.texts.setdefault(name, []).append(" ".join("".join(self.said).split()))
        elif name == self.open.name and name not in self.path:
            self.open.end = end
            self.found.append(self.open)
            self.open = None
        self.said = []


def elements(path: Path, wanted: Sequence[str], texts: Sequence[str] = (), inner: str = "") -> Iterator[Element]:
    """Yield the elements of a file that have one of the wanted names and are in no other of them, as they end.

    Args:
        path: of a file in UTF-8.
        wanted: names of elements, with their prefix as written.
        texts: names of elements in them whose text is kept.
        inner: name of elements in them whose spans are kept.

    Raises:
        BadInputError: if it is not well-formed, or declares entities; what ended before was yielded.
    """
    reader = _Reader(wanted, texts, inner)
    with path.open("rb") as file:
        while True:
            piece = file.read(PIECE)
            try:
                reader.parser.Parse(piece, not piece)
            except expat.ExpatError as error:
                yield from reader.found
                raise BadInputError(f"damaged XML: {error}") from None
            yield from reader.found
            reader.found.clear()
            if not piece:
                return


def bytes_of(path: Path, element: Element) -> bytes:
    """Return the bytes of an element without those of its inner elements."""
    pieces, position = [], element.start
    with path.open("rb") as file:
        for start, end in element.inner:
            pieces.append(_read(file, position, start))
            position = _closed(file, end)
        pieces.append(_read(file, position, _closed(file, element.end)))
    return b"".join(pieces)


def inner_bytes(path: Path, element: Element) -> Iterator[bytes]:
    """Yield the bytes of the inner elements of an element."""
    with path.open("rb") as file:
        for start, end in element.inner:
            yield _read(file, start, _closed(file, end))


def _closed(file: IO[bytes], end: int) -> int:
    """Return the offset behind the ">" that ends a tag."""
    file.seek(end)
    return end + file.read(MAX_BLANKS).find(b">") + 1


def _read(file: IO[bytes], start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)
