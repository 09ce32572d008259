"""Tests on the first bytes of a file: is it text, where does it start behind a byte order mark or an XML prolog.

Standard library only and bounded, because it runs at every landing.
"""

import re

WIDE_BOMS = ((b"\0\0\xfe\xff", "utf-32"), (b"\xff\xfe\0\0", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
BOMS = (b"\xef\xbb\xbf", *(mark for mark, _ in WIDE_BOMS))
# What may precede the first element of a page, a drawing or a feed, and the bytes that close it.
_PROLOG = ((re.compile(rb"<!--"), b"-->"), (re.compile(rb"<\?xml|<!doctype\s+(?:svg|rss|rdf:rdf|feed)\b", re.I), b">"))
# The first element of XML without a declaration, unless it is a page or a drawing.
_VOCABULARY = re.compile(rb"<(?!(?:html|svg)\b)[A-Za-z][\w.:-]{0,60}\s[^<>]{0,4000}?xmlns(?::[\w.-]{1,60})?=", re.I)

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")


def text_start(head: bytes) -> bytes | None:
    """Return a text's first bytes as UTF-8, without mark and leading white space; None if binary."""
    if not is_text(head):
        return None
    marked = next((name for mark, name in WIDE_BOMS if head.startswith(mark)), None)
    if wide := marked or utf16_without_mark(head):
        head = head.decode(wide, "ignore").encode()
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def after_prolog(start: bytes) -> int:
    """Return the offset behind XML declarations, the document type of a drawing or a feed, and comments.

    Linear time: a regular expression for a run of comments takes exponential time when no element follows.
    """
    position = 0
    while closing := next((end for opening, end in _PROLOG if opening.match(start, position)), None):
        closed = start.find(closing, position + 4)
        if closed < 0:
            break
        position = closed + len(closing)
        while start[position : position + 1].isspace():
            position += 1
    return position


def names_vocabulary(start: bytes) -> bool:
    """Return whether a text is XML whose first element names its vocabulary, which is not HTML: a feed, an export."""
    return _VOCABULARY.match(start) is not None


def is_text(head: bytes) -> bool:
    """Return whether bytes are text in any common encoding: at most 2 % control characters and 0.2 % NULs.

    A log file that a crash has padded with a few NULs still counts as text. In what is UTF-8 without any other control
    character up to 5 % may be NULs: lists whose entries end with one, notes of programs that write them.
    """
    if head.startswith(BOMS) or utf16_without_mark(head):
        return True
    if head.count(0) * 20 <= len(head) and _is_plain(head.replace(b"\0", b"")):
        return True
    controls = sum(head.count(bytes([c])) for c in range(32) if c not in (9, 10, 12, 13, 27))
    return controls * 50 <= len(head) and head.count(0) * 500 <= len(head)


def _is_plain(head: bytes) -> bool:
    """Return whether bytes are UTF-8 without control characters; the last character may be cut."""
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if error.end < len(head) or len(head) - error.start > 3:
            return False
        text = head[: error.start].decode()
    return _CONTROL.search(text) is None


def utf16_without_mark(head: bytes) -> str | None:
    """Return "utf-16-le" or "utf-16-be" if every other byte of the beginning is NUL, as in Latin text."""
    sample = head[: min(len(head), 2048) // 2 * 2]
    if len(sample) < 8:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.6 and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.6 and odd == 0 else None
