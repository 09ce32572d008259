"""Reader of rich text (.rtf), without pictures and embedded objects. Runs in the sandbox's child."""

import re
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.dates import beginning
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_DEPTH = 1000
_MADE = re.compile(rb"\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2}))?(?:\\min(\d{1,2}))?")
_CODEPAGE = re.compile(rb"\\ansicpg(\d{3,5})")
_BRACE = re.compile(rb"\\[{}\\]|[{}]")
_INFO = re.compile(r"\{\\info\b")
_FIELD = r"\{\\%s\s+([^{}\\]{1,300})\}"


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the text of a document as one block, with title and author if given.

    Raises:
        BadInputError: if it is empty, too large, nested too deeply, or without text.
    """
    from striprtf.striprtf import rtf_to_text

    check_size(path, limits.max_file_bytes)
    data = path.read_bytes()
    _check_depth(data)
    codepage = _codepage(data)
    source = data.decode(codepage, "replace")
    try:
        text = rtf_to_text(source, encoding=codepage, errors="replace")
    except (ValueError, IndexError, LookupError, OverflowError) as error:
        raise BadInputError(f"damaged rich text: {type(error).__name__}: {str(error)[:100]}") from None
    lines = (line.rstrip() for line in text.replace("\0", "").split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not text:
        raise BadInputError("no text in the document")
    start = _INFO.search(source)
    head = source[start.start() : start.start() + 4000] if start else ""
    author = _field(head, "author")
    return Extracted("rtf", [Block(text)], _field(head, "title") or _first_line(text), [author] if author else [])


def _check_depth(data: bytes) -> None:
    depth = 0
    for brace in _BRACE.finditer(data):
        depth += {b"{": 1, b"}": -1}.get(brace[0], 0)
        if depth > MAX_DEPTH:
            raise BadInputError("nested too deeply")


def _codepage(data: bytes) -> str:
    match = _CODEPAGE.search(data[:4096])
    name = f"cp{match[1].decode()}" if match else "cp1252"
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name


def _field(head: str, name: str) -> str:
    match = re.search(_FIELD % name, head)
    return " ".join(match[1].split()) if match else ""


def _first_line(text: str) -> str:
    first, _, rest = text.partition("\n")
    return first.strip() if rest and 3 <= len(first.strip()) <= 80 else ""


def made_on(path: Path, zone: tzinfo) -> datetime | None:
    """Return the creation date in the document's properties."""
    match = _MADE.search(beginning(path))
    if not match:
        return None
    year, month, day, hour, minute = (int(group or 0) for group in match.groups())
    return parse_time(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}", zone)


FORMAT = Format(
    "rtf",
    "application/rtf",
    "rich text (RTF)",
    family="document",
    suffixes=(".rtf",),
    magic=(b"{\\rtf",),
    read=Isolated(read_file, ("striprtf.striprtf",)),
    date_of=made_on,
)
