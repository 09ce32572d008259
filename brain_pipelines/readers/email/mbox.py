"""Reader of mailboxes (mbox, RFC 4155, such as Gmail's export): stream of messages. Standard library, bounded memory.

Each message is read by `eml.py`. How many are taken is decided by the caller.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from brain_pipelines.readers.email.eml import read_message
from brain_pipelines.readers.email.mail_message import parse_mail
from brain_pipelines.readers.email.mail_shape import header_names, is_mail
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

LINE_BYTES = 1 << 16  # a longer line is read in pieces
_FIRST = re.compile(rb"From \S{1,300}.{0,60}\d{4}.{0,20}\r?\n(?=[>A-Za-z][A-Za-z0-9-]*:)")
_UNDATED = re.compile(rb"From [^\r\n]{0,300}\r?\n")
_DATED = re.compile(rb"From .{0,300}\d\d:\d\d.{0,40}\s*$")
_BARE = re.compile(rb"From \S{1,300}\s*$")
_DASH = re.compile(rb"From -\s*$")  # what Netscape and Mozilla write, also without an empty line before it
_HEADER = re.compile(rb">?[A-Za-z][\w-]{0,100}\s?:|>From ")
_ESCAPED = re.compile(rb">+From ")


def mailbox_messages(path: Path, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Yield (rest of the "From " line, bytes of the message with ">From " unescaped).

    A message above `limits.max_file_bytes` is cut one byte above the limit, so that its reader refuses it.
    """
    envelope: str | None = None
    parts: list[bytes] = []
    size = 0
    for separator, line in _lines(path):
        if separator:
            if envelope is not None:
                yield envelope, b"".join(parts)
            envelope, parts, size = line[5:].decode("ascii", "replace").strip(), [], 0
        elif envelope is not None and size <= limits.max_file_bytes:
            parts.append(line[: limits.max_file_bytes + 1 - size])
            size += len(parts[-1])
    if envelope is not None:
        yield envelope, b"".join(parts)


def _lines(path: Path) -> Iterator[tuple[bool, bytes]]:
    """Yield (whether the line begins a message, the line). A "From " line does if a header follows it."""
    held: bytes | None = None
    blank = starts = True
    with path.open("rb") as file:
        start = file.read(len(BOM_UTF8) + 6)  # an editor has put a mark before the first line
        dashed = start.removeprefix(BOM_UTF8).startswith(b"From -")
        file.seek(len(BOM_UTF8) if start.startswith(BOM_UTF8) else 0)
        while line := file.readline(LINE_BYTES):
            if held is not None:
                yield bool(_HEADER.match(line)), held
                held = None
            bare = blank or (dashed and _DASH.match(line))
            if starts and (_DATED.match(line) or (bare and _BARE.match(line))):
                held = line
            else:
                yield False, line[1:] if starts and _ESCAPED.match(line) else line
            blank, starts = not line.strip(), line.endswith(b"\n")
    if held is not None:
        yield False, held


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return a whole mailbox as one text, one block per message; used for attached mailboxes.

    Raises:
        BadInputError: if it is too large, or no message in it can be read.
    """
    check_size(path, limits.max_file_bytes)
    blocks: list[Block] = []
    people: dict[str, None] = {}
    refused: list[str] = []
    for n, (_, data) in enumerate(mailbox_messages(path, limits)):
        if n >= limits.max_parts:
            refused.append(f"more than {limits.max_parts} mails; the others are left out")
            break
        try:
            found = read_message(parse_mail(data, limits), limits, "mbox")
        except BadInputError as error:
            refused.append(f"mail {n + 1}: {error}")
            continue
        blocks += found.blocks
        people |= dict.fromkeys(found.participants)
    if not blocks:
        raise BadInputError(refused[0] if refused else "a mailbox without a mail")
    return Extracted("mbox", blocks, repairs=refused[:50], participants=list(people)[:100])


def _is_mailbox(start: bytes, _complete: bool) -> bool:
    start = start.removeprefix(BOM_UTF8)
    if _FIRST.match(start):
        return True
    # Netscape and others write "From - " without a date: the headers below must be those of a mail.
    first = _UNDATED.match(start)
    return first is not None and is_mail(header_names(start[first.end() :]))


FORMAT = Format(
    "mbox",
    "application/mbox",
    "a mailbox (mbox)",
    family="email",
    suffixes=(".mbox",),
    as_text=True,
    shape=_is_mailbox,
    read=Isolated(read_file, ("lxml.html", "mailparser_reply", "charset_normalizer")),
)
