"""Lenient parser of mails: tree of MIME parts and decoded headers (RFC 5322, 2045–2047 and 2231).

The limits on parts and depth are enforced here; which parts are text and which are attachments is decided in
`mail_parts.py`. Headers are kept raw (policy compat32): the structured header parser of newer policies fails on, or
takes quadratic time for, headers that are common in practice.
"""

import codecs
import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message
from email.parser import BytesFeedParser
from email.utils import getaddresses
from typing import Any

from brain_pipelines.readers.encoding import decode
from brain_pipelines.readers.text_shape import utf16_without_mark
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MAX_DEPTH = 30  # of multiparts in multiparts
MAX_HEADER = 32_000  # characters of one header; a longer one is cut
MAX_HEADERS = 100_000
MAX_ADDRESSES = 1_000

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
# Charset names used for other encodings, and Python codecs that are not charsets (two of them take quadratic time).
_CHARSETS = {
    "iso-8859-1": "cp1252",
    "us-ascii": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
}
_CHARSETS |= {"iso-8859-8-i": "iso-8859-8", "iso-8859-9": "cp1254", "unicode-1-1-utf-7": "utf-7", "shift_jis": "cp932"}
_NO_CHARSETS = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "palmos"}


class MailPart(Message):
    """A MIME part with its nesting depth and the remaining number of parts of the mail."""

    depth = 0
    left: list[int]

    def attach(self, payload: Any) -> None:
        payload.depth = self.depth + 1
        if payload.depth > MAX_DEPTH:
            raise BadInputError(f"parts nested more than {MAX_DEPTH} deep")
        super().attach(payload)


def parse_mail(data: bytes, limits: Limits) -> MailPart:
    """Return the tree of a mail. A broken mail is parsed as far as possible.

    Raises:
        BadInputError: if it has far more parts than the limit on attachments, or is nested too deeply.
    """
    if wide := "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else utf16_without_mark(data[:2048]):
        data = data.decode(wide, "replace").encode()
    left = [2 * limits.max_parts + 50]

    def part(policy: Any) -> MailPart:
        left[0] -= 1
        if left[0] < 0:
            raise BadInputError(f"more than {2 * limits.max_parts + 50} parts in one mail")
        return MailPart(policy=policy)

    parser = BytesFeedParser(part)  # pyright: ignore[reportCallIssue, reportArgumentType]
    try:
        parser.feed(data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
        return parser.close()  # pyright: ignore[reportReturnType]
    except RecursionError:
        raise BadInputError("parts nested too deeply") from None


def headers(part: Message, name: str) -> list[str]:
    """Return the decoded values of a header, each on one line."""
    found: list[str] = []
    for n, (key, value) in enumerate(part.raw_items()):
        if n >= MAX_HEADERS:
            break
        if key.lower() == name:
            found.append(decoded(str(value)))
    return found


def header(part: Message, name: str) -> str:
    """Return the first value of a header, "" if there is none."""
    return next(iter(headers(part, name)), "")


def decoded(raw: str) -> str:
    """Return a raw header value as text: encoded words and raw bytes decoded, folds and control characters removed."""
    value = _CONTROL.sub(" ", _from_bytes(raw[:MAX_HEADER]))
    if "=?" in value:
        value = "".join(_words(value))
    return " ".join(_CONTROL.sub(" ", value).split())


def _from_bytes(raw: str) -> str:
    """Return a value with the 8-bit bytes decoded that the parser has kept as surrogates."""
    if raw.isascii():
        return raw
    data = raw.encode("utf-8", "surrogateescape")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _words(value: str) -> Iterator[str]:
    try:
        parts = decode_header(value)
    except Exception:  # wrong base64 in an encoded word
        yield value
        return
    for part, charset in parts:
        if isinstance(part, str):
            yield part
        elif charset:
            yield to_text(part, charset)
        else:
            yield part.decode("raw_unicode_escape", "replace")  # as the library encoded it


def to_text(data: bytes, charset: str | None) -> str:
    """Return bytes decoded in the stated charset; in the likeliest one if it is missing, unknown or wrong."""
    name = _CHARSETS.get((charset or "").lower().strip("\"' "), (charset or "").strip("\"' "))
    try:
        known = codecs.lookup(name).name.replace("-", "_") if name else ""
    except (LookupError, ValueError):
        known = ""
    if known and known not in _NO_CHARSETS:
        try:
            return data.decode(known)
        except (UnicodeError, LookupError):
            pass
    try:
        return data.decode("utf-8") if b"\0" not in data[:200] else decode(data).text
    except UnicodeDecodeError:
        return _guessed(data)
    except BadInputError:
        return data.decode("utf-8", "replace")


def _guessed(data: bytes) -> str:
    try:
        return decode(data).text
    except BadInputError:
        return data.decode("utf-8", "replace")


def addresses(part: Message, *names: str) -> list[tuple[str, str]]:
    """Return the (name, address) pairs of address headers; the name may be ""."""
    # Decoding goes last: a decoded name may hold a comma.
    raw = [_from_bytes(str(value))[:MAX_HEADER] for key, value in part.raw_items() if key.lower() in names]
    values = [_CONTROL.sub(" ", value) for value in raw[:20]]
    try:
        pairs = getaddresses(values)
    except RecursionError:  # deeply nested comments
        from brain_pipelines.readers.email.mail_words import ADDRESS

        pairs = [("", address) for address in ADDRESS.findall(" ".join(values))]
    return [
        (decoded(name).strip("'\" "), " ".join(address.split())[:320])
        for name, address in pairs[:MAX_ADDRESSES]
        if name or address
    ]
