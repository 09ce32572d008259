"""Bad inputs of every known kind, with the reason that the user must see. Shared by all robustness tests."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.samples import making

MEGABYTE = 1 << 20
XML = "word/document.xml"
LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'


@dataclass(frozen=True)
class BadInput:
    """A file that must be refused (or read with a repair) for `reason`, a regular expression."""

    name: str
    source: str
    reason: str
    content: bytes | Callable[[Path], object]
    repaired: bool = False

    def write(self, folder: Path) -> Path:
        """Write the file and return its path. The path is neutral; `name` is the name it was dropped under.

        Content that takes long to make is a function, so that importing this module does not make it: of the path that
        it writes to, or else it returns the bytes.
        """
        path = folder / "blob"
        content = self.content(path) if callable(self.content) else self.content
        if isinstance(content, bytes):
            path.write_bytes(content)
        return path


@cache
def word() -> bytes:
    """Return a sound document of Word."""
    return making.docx(sections={"Plan": ["We begin on Monday."]})


def line(**values: object) -> str:
    return json.dumps({"speaker": "Ann", "content": "Hello.", "session": "s", **values})


def lines(*values: str) -> bytes:
    return "\n".join(values).encode()


BAD_INPUTS = (
    BadInput(
        "encrypted.pdf",
        "document",
        r"^encrypted PDF: a password is needed$",
        lambda _: making.pdf("secret", password="x"),
    ),
    BadInput(
        "truncated.pdf", "document", r"^truncated PDF: its end is missing", lambda _: making.pdf("a", "b" * 500)[:-400]
    ),
    BadInput("half.pdf", "document", r"^truncated PDF", lambda _: making.pdf("a " * 900, "b " * 900)[:1200]),
    BadInput("zero.pdf", "document", r"^empty file \(0 bytes\)$", b""),
    BadInput("damaged.pdf", "document", r"^damaged PDF", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n0\n%%EOF\n"),
    BadInput(
        "scan.pdf",
        "document",
        r"^no text: 2 pictures of pages or figures, without words$",
        lambda _: making.pdf("", "", image=True),
    ),
    BadInput("blank.pdf", "document", r"^no text: 1 page, all blank$", lambda _: making.pdf("")),
    BadInput("binary.txt", "note", r"^named \.txt, but it is binary data", bytes(range(256)) * 40),
    BadInput("program.txt", "document", r"^named \.txt, but it is a Linux program", b"\x7fELF" + bytes(500)),
    BadInput(
        "image.pdf", "document", r"^named \.pdf, but it is a PNG image, which .*'document' does not read", making.png()
    ),
    BadInput(
        "slides.docx",
        "document",
        r"^named \.docx, but it is PowerPoint",
        lambda path: _office(path, "ppt/presentation.xml"),
    ),
    BadInput(
        "report.txt", "note", r"^named \.txt, but it is a PDF.*drop it under 'document'", lambda _: making.pdf("text")
    ),
    BadInput(
        "paper.txt",
        "document",
        r"^named \.txt, but it is a PDF; read as that$",
        lambda _: making.pdf("A paper."),
        repaired=True,
    ),
    BadInput(
        "page.pdf",
        "document",
        r"^named \.pdf, but it is a web page",
        b"<html><body><p>Hello there.</p></body></html>",
        True,
    ),
    BadInput(
        "old.docx",
        "document",
        r"^named \.docx, but it is a Word document of before 2007",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "WordDocument".encode("utf-16-le"),
    ),
    BadInput(
        "locked.docx",
        "document",
        r"is an encrypted Office document.*a password is needed",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
    ),
    BadInput(
        "mixed.txt",
        "note",
        r"^mixed encodings: UTF-8, but cp1252 in line 2$",
        "Zürich\n".encode() + "Müller, Café\n".encode("cp1252"),
        True,
    ),
    BadInput(
        "latin.md",
        "note",
        r"^not UTF-8; read as cp1252$",
        "Grüße aus München, es ist schön hier.\n".encode("cp1252"),
        True,
    ),
    BadInput("mojibake.txt", "note", r"^characters restored", "Lunch at CafÃ© Tejo, it wasnâ€™t far.".encode(), True),
    BadInput("spaces.txt", "note", r"^no text in the file$", b" \n\t\n  \n"),
    BadInput(
        "huge.txt",
        "note",
        r"^too large: 200\.0 MB, the limit is 64\.0 MB$",
        lambda path: making.sparse(path, b"words " * 20_000, 200 * MEGABYTE),
    ),
    BadInput(
        "huge.jsonl",
        "conversation",
        r"^too large: 200\.0 MB",
        lambda path: making.sparse(path, lines(line(), line()) * 999, 200 * MEGABYTE),
    ),
    BadInput(
        "huge.pdf",
        "document",
        r"^too large: 200\.0 MB, the limit is 128",
        lambda path: making.sparse(path, making.pdf("x"), 200 * MEGABYTE),
    ),
    BadInput(
        "bomb.docx",
        "document",
        r"^zip bomb: unpacks to \d+ times its size",
        lambda _: making.with_member(word(), XML, bytes(40 * MEGABYTE)),
    ),
    BadInput(
        "big-bomb.docx",
        "document",
        r"^zip bomb: \d+ MB when unpacked",
        lambda _: making.with_member(word(), XML, bytes(300 * MEGABYTE), level=1),
    ),
    BadInput(
        "liar.docx",
        "document",
        r"^damaged or truncated archive",
        lambda _: making.understated(making.with_member(word(), XML, bytes(20 * MEGABYTE)), XML),
    ),
    BadInput(
        "laughs.docx",
        "document",
        r"^XML with a declaration of entities",
        lambda _: making.with_member(word(), XML, LAUGHS),
    ),
    BadInput(
        "laughs-utf16.docx",
        "document",
        r"^XML with a declaration of entities",
        lambda _: making.with_member(word(), XML, LAUGHS.decode().encode("utf-16")),
    ),
    BadInput(
        "cut.docx",
        "document",
        r"^damaged or truncated archive: File is not a zip file$",
        lambda _: word()[: len(word()) // 2],
    ),
    BadInput("nothing.docx", "document", r"^no text in the document$", lambda _: making.docx()),
    BadInput(
        "nothing.html",
        "document",
        r"^no visible text in the page$",
        b"<html><head><title>x</title></head><body></body></html>",
    ),
    BadInput(
        "deep.json", "document", r"^(JSON nested too deeply|not valid JSON)", b'{"a":' * 5000 + b"1" + b"}" * 5000
    ),
    BadInput(
        "broken.jsonl", "conversation", r"^line 2: not JSON", lines(line(), '{"speaker": "Bob", "cont', line()), True
    ),
    BadInput(
        "strange.jsonl",
        "conversation",
        r"^line 2: no content, only price",
        lines(line(), '{"price": 3}', line()),
        repaired=True,
    ),
    BadInput(
        "nonsense.jsonl",
        "conversation",
        r"^no message in the file: not valid JSON: Expecting value at line 1",
        b"neither\nnor\n",
    ),
    BadInput("photo.jsonl", "conversation", r"^it is a PNG image, not a conversation", making.png()),
    BadInput("zero.jsonl", "conversation", r"^empty file \(0 bytes\)$", b""),
    BadInput(
        "backwards.jsonl",
        "conversation",
        r"^1 message out of order in time; kept in the order of the file$",
        lines(line(timestamp="2026-01-05T10:00:00Z"), line(timestamp="2026-01-05T09:00:00Z")),
        True,
    ),
    BadInput(
        "future.jsonl",
        "conversation",
        r"^1 message dated in the future \(2031-05-01T10:00\+00:00\)",
        lines(line(timestamp="2026-01-05T10:00:00Z"), line(timestamp="2031-05-01T10:00:00Z")),
        True,
    ),
    BadInput(
        "timeless.jsonl",
        "conversation",
        r"^1 message without a time; the time before is used$",
        lines(line(timestamp="2026-01-05T10:00:00Z"), line()),
        True,
    ),
    BadInput(
        "undated.jsonl",
        "conversation",
        r"^no message has a time; 2026-[0-9-]+T12:00\+00:00 is used$",
        lines(line(), line()),
        True,
    ),
)


def _office(path: Path, part: str) -> None:
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(part, "<x/>")


# File names given by people and programs. Each must round-trip byte for byte through its uri.
AWKWARD_NAMES = (
    "two words.md",
    "naïve — “quotes”.md",
    "日本語のメモ.md",
    "🙂 notes.md",
    "line\nbreak.md",
    "tab\there.md",
    "percent%20already.md",
    "hash#tag?query&x=1.md",
    "a..b.md",
    "...md",
    "-rf.md",
    "e\u0301 decomposed.md",
    "pipe|and;semicolon.md",
    "'; drop table item; --.md",
    "x" * 200 + ".md",
)
