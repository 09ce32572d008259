"""Reader of Outlook messages (.msg, MS-OXMSG), converted to a MIME mail first. Runs in the sandbox's child.

With a scratch directory the mail is written there as `message.eml`, so that its attachments are handled like those of
any mail. Property numbers are those of MS-OXPROPS. Rich text (RTF) is decompressed only if there is no other text.
Voting buttons, categories and other properties without an equivalent in a mail are left out.
"""

import re
from datetime import UTC, datetime
from email.encoders import encode_base64
from email.generator import BytesGenerator
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.parser import HeaderParser
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from brain_pipelines.readers.email.eml import read_message
from brain_pipelines.readers.email.mail_message import MAX_DEPTH, decoded, parse_mail, to_text
from brain_pipelines.readers.email.outlook_rtf import rich_text
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MESSAGE_FILE = "message.eml"
ROOT_HEADER, EMBEDDED_HEADER = 32, 24  # bytes before the properties (MS-OXMSG, 2.4.1)
_KEPT = (
    "Message-ID", "In-Reply-To", "References", "Date", "Received", "From", "To", "Cc", "Reply-To", "List-Id",
    "List-Post", "List-Unsubscribe",
)  # fmt: skip
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
_KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
_IMPORTANCE = {0: "low", 2: "high"}


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return the message of a file.

    Raises:
        BadInputError: if it is too large, damaged, or without text.
    """
    check_size(path, limits.max_file_bytes)
    data = to_mail(path, limits)
    if scratch is not None:
        (scratch / MESSAGE_FILE).write_bytes(data)
    return read_message(parse_mail(data, limits), limits, "msg")


def to_mail(path: Path, limits: Limits) -> bytes:
    """Convert an Outlook message to the bytes of an e-mail with its attachments.

    Raises:
        BadInputError: if the file is damaged.
    """
    from olefile import OleFileIO
    from oxmsg.storage import Storage

    try:
        with OleFileIO(str(path)) as file:
            root = Storage.from_ole(file)
        mail = _Item(root, ROOT_HEADER, limits).build(0)
    except (MemoryError, RecursionError, BadInputError):
        raise
    except Exception as error:
        raise BadInputError(f"a damaged Outlook message ({type(error).__name__})") from error
    out = BytesIO()
    BytesGenerator(out, mangle_from_=False).flatten(mail)
    return out.getvalue()


class _Item:
    """One storage of the file: the message, a recipient, an attachment or an embedded message."""

    def __init__(self, storage: Any, offset: int, limits: Limits) -> None:
        self.storage, self.limits = storage, limits
        self._streams = {stream.name.upper(): stream.bytes_ for stream in storage.streams}
        fixed = self._streams.get("__PROPERTIES_VERSION1.0", b"")
        segments = (fixed[n : n + 16] for n in range(offset, len(fixed) - 15, 16))
        self._fixed = {int.from_bytes(s[2:4], "little"): s[8:16] for s in segments}

    def text(self, *properties: int) -> str:
        """Return the first of some string properties that is set, "" if none is."""
        for one in properties:
            if data := self._streams.get(f"__SUBSTG1.0_{one:04X}001F"):
                return data.decode("utf-16-le", "replace").strip("\0")
            if data := self._streams.get(f"__SUBSTG1.0_{one:04X}001E"):
                return to_text(data.strip(b"\0"), self._charset())
        return ""

    def binary(self, one: int) -> bytes:
        return self._streams.get(f"__SUBSTG1.0_{one:04X}0102", b"")

    def number(self, one: int) -> int | None:
        data = self._fixed.get(one)
        return int.from_bytes(data[:4], "little") if data else None

    def time(self, *properties: int) -> datetime | None:
        """Return a time, which is stored in units of 100 ns since 1601."""
        for one in properties:
            seconds = int.from_bytes(self._fixed.get(one, b""), "little") / 1e7 - 11_644_473_600
            if 0 < seconds < 7.2e9:
                return datetime.fromtimestamp(seconds, UTC)
        return None

    def children(self, start: str) -> list[Any]:
        return [one for one in self.storage.storages if one.name.lower().startswith(start)]

    def _charset(self) -> str | None:
        page = self.number(0x3FFD) or self.number(0x3FDE)
        return "utf-8" if page == 65001 else f"cp{page}" if page else None

    def html(self) -> str:
        if data := self.binary(0x1013):
            page = self.number(0x3FDE)
            return to_text(data, "utf-8" if page in (None, 65001) else f"cp{page}")
        return self.text(0x1013)

    def build(self, depth: int) -> Message:
        """Return the mail with its headers, texts and attachments."""
        if depth > MAX_DEPTH:
            raise BadInputError(f"messages nested more than {MAX_DEPTH} deep")
        mail = MIMEMultipart("mixed")
        _write_headers(mail, self)
        texts = [("plain", self.text(0x1000)), ("html", self.html())]
        if not any(text.strip() for _, text in texts) and (packed := self.binary(0x1009)):
            texts = [("plain", rich_text(packed, self.limits.max_file_bytes))]
        alternatives = MIMEMultipart("alternative")
        for subtype, text in texts:
            if text.strip():
                alternatives.attach(_leaf("text", subtype, text.encode("utf-8", "replace"), charset="utf-8"))
        mail.attach(alternatives)
        for storage in self.children("__attach_version1.0_")[: self.limits.max_parts + 1]:
            if (part := _attachment(_Item(storage, 8, self.limits), depth)) is not None:
                mail.attach(part)
        return mail


def _write_headers(mail: Message, item: _Item) -> None:
    sent = HeaderParser().parsestr(item.text(0x007D))
    for name in _KEPT:
        for value in sent.get_all(name, [])[:20]:
            _set(mail, name, str(value))  # encoded words stay: decoded, a name may hold a comma
    _set_once(mail, "Subject", item.text(0x0037, 0x0E1D))
    name, address = item.text(0x0C1A, 0x0042), item.text(0x5D01, 0x0C1F, 0x0065)
    _set_once(mail, "From", _address(name, address))
    _set_once(mail, "Message-ID", item.text(0x1035))
    _set_once(mail, "In-Reply-To", item.text(0x1042))
    _set_once(mail, "References", item.text(0x1039))
    people: dict[str, list[str]] = {}
    for storage in item.children("__recip_version1.0_")[:1000]:
        one = _Item(storage, 8, item.limits)
        people.setdefault(_KINDS.get(one.number(0x0C15) or 1, "To"), []).append(
            _address(one.text(0x3001), one.text(0x39FE, 0x3003))
        )
    for kind, listed in people.items():
        _set_once(mail, kind, ", ".join(filter(None, listed)))
    if found := item.time(0x0039, 0x0E06, 0x3007):
        _set_once(mail, "Date", format_datetime(found))
    _set_once(mail, "Importance", _IMPORTANCE.get(item.number(0x0017) or 1, ""))
    mail["MIME-Version"] = mail["MIME-Version"] or "1.0"


def _address(name: str, address: str) -> str:
    name = "".join(char for char in " ".join(name.split()) if char not in '"<>\\')
    address = "" if address.upper().startswith("/O=") else "".join(address.split())  # an address inside Exchange
    if not address:
        return f'"{name}" <>' if name else ""
    return f'"{name}" <{address}>' if name and name != address else address


def _set_once(mail: Message, name: str, value: str) -> None:
    if name not in mail:
        _set(mail, name, value)


def _set(mail: Message, name: str, value: str) -> None:
    value = " ".join(_BREAKS.sub(" ", value).split())  # one line, which prevents header injection
    if value:
        # Raw UTF-8 bytes (RFC 6532): only our own parser reads this mail.
        mail[name] = value.encode("utf-8", "replace").decode("ascii", "surrogateescape")


def _attachment(item: _Item, depth: int) -> Message | None:
    embedded = next(iter(item.children("__substg1.0_3701000d")), None)
    name = item.text(0x3707, 0x3704, 0x3001)
    if embedded is not None:
        part = MIMENonMultipart("message", "rfc822")
        part.attach = lambda payload: Message.attach(part, payload)
        part.attach(_Item(embedded, EMBEDDED_HEADER, item.limits).build(depth + 1))
    else:
        main, _, sub = (item.text(0x370E).lower() or "application/octet-stream").partition("/")
        if not (main.isalnum() and sub) or main in ("multipart", "message"):
            main, sub = "application", "octet-stream"
        part = _leaf(main, "".join(c for c in sub if c.isalnum() or c in "-+._") or "octet-stream", item.binary(0x3701))
    content_id = decoded(item.text(0x3712)).strip("<> ")
    if content_id:
        part["Content-ID"] = f"<{content_id}>" if content_id.isascii() else ""
    kind = "inline" if content_id else "attachment"
    part.add_header("Content-Disposition", kind, filename=("utf-8", "", decoded(name) or "attachment"))
    return part


def _leaf(main: str, sub: str, data: bytes, charset: str | None = None) -> Message:
    part = MIMENonMultipart(main, sub or "octet-stream", charset=charset) if charset else MIMENonMultipart(main, sub)
    part.set_payload(data)
    encode_base64(part)
    return part


READ = Isolated(read_file, ("lxml.html", "mailparser_reply", "oxmsg", "striprtf.striprtf", "charset_normalizer"))
FORMAT = Format(
    "msg",
    "application/vnd.ms-outlook",
    "an Outlook message (.msg)",
    family="email",
    suffixes=(".msg",),
    ole_streams=("__substg1.0_", "__properties_version1.0"),
    read=READ,
)
