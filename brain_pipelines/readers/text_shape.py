"""Whether bytes are a text, where its words begin, and where the first element of markup may stand.

Standard library only and bounded: it runs at every landing.
"""

import re

BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
# What may stand before the first element of a page or a drawing, and the bytes that close it.
_PROLOG = ((re.compile(rb"<!--"), b"-->"), (re.compile(rb"<\?xml|<!doctype\s+svg", re.I), b">"))


def text_start(head: bytes) -> bytes | None:
    """Return a text's beginning in UTF-8 or an 8-bit encoding, without mark and leading white space; None if binary."""
    if not is_text(head):
        return None
    if wide := "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else utf16_without_mark(head):
        head = head.decode(wide, "ignore").encode()
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def after_prolog(start: bytes) -> int:
    """Return where the first element may begin: after XML declarations, the document type of a drawing, and comments.

    Every byte is looked at once. A regular expression for a run of comments takes time that doubles with each of them
    when no element follows.
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


def is_text(head: bytes) -> bool:
    """Tell text in any common encoding from binary data: hardly a control character, and next to no NUL.

    A log that a crash has padded with a few NULs is still a text.
    """
    if head.startswith(BOMS) or utf16_without_mark(head):
        return True
    controls = sum(head.count(bytes([c])) for c in range(32) if c not in (9, 10, 12, 13, 27))
    return controls * 50 <= len(head) and head.count(0) * 500 <= len(head)


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
