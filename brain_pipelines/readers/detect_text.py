"""What a text is, told from its beginning: a page, a mail, a calendar, a table, JSON, or words.

Standard library only and bounded: it runs at every landing. Binary formats are told apart in detect.py.
"""

import csv
import json
import re

BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
# What may stand before the first element of a page or a drawing, and the bytes that close it.
_PROLOG = ((re.compile(rb"<!--"), b"-->"), (re.compile(rb"<\?xml|<!doctype\s+svg", re.I), b">"))
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.I)
_HTML_BLOCK = re.compile(rb"<(?:article|div|main|section|table|p|h[1-6]|ul|title|meta)\b[^>]*>", re.I)
_MARKDOWN = re.compile(
    rb"^(?:#{1,6} \S|```|[-*] \[[ xX]\] )|\[[^\]\n]{1,500}\]\([^)\s]{1,2000}\)|\A---\n(?:\w[\w -]*:.*\n)+---\n", re.M
)
# A mail begins with headers; these are in nearly every one, and hardly in anything else in such company.
_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]{1,60}):[ \t\r\n]")
_MAIL_HEADERS = frozenset(
    b"from to cc subject date received message-id mime-version return-path delivered-to content-type reply-to".split()
)
_CERTAIN_HEADERS = frozenset(b"received message-id mime-version return-path delivered-to".split())
_MBOX = re.compile(rb"From \S{1,300}.{0,60}\d{4}.{0,20}\r?\n(?=[>A-Za-z][A-Za-z0-9-]*:)")
_SRT = re.compile(rb"\d+\s*\r?\n\d{1,2}:\d{2}:\d{2}[,.]\d{1,3} --> ")
_SVG = re.compile(rb"<(?:svg:)?svg\b", re.I)
TABLE_LINES = 30


def text_format(head: bytes, complete: bool) -> str:
    """Return the format of a file that begins with `head`, "binary" if it is no text."""
    if not is_text(head):
        return "binary"
    if wide := "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else utf16_without_mark(head):
        head = head.decode(wide, "ignore").encode()
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        return "text"
    root = _after_prolog(start)
    if named := _by_first_words(start) or ("svg" if _SVG.match(start, root) else None):
        return named
    if _HTML.match(start, root) or (start[:1] == b"<" and len(_HTML_BLOCK.findall(start[:4096])) >= 3):
        return "html"
    if start[:5] == b"<?xml":
        return "xml"
    if found := _json_format(start, complete) or _mail_format(start):
        return found
    if _MARKDOWN.search(start.replace(b"\r\n", b"\n")):
        return "markdown"
    return _table_format(start, complete) or "text"


def _by_first_words(start: bytes) -> str | None:
    for words, name in ((b"BEGIN:VCALENDAR", "ics"), (b"BEGIN:VCARD", "vcf"), (b"WARC/", "warc")):
        if start[: len(words)].upper() == words:
            return name
    if re.match(rb"WEBVTT(?:\s|$)", start):
        return "vtt"
    return "srt" if _SRT.match(start) else None


def _after_prolog(start: bytes) -> int:
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


def _mail_format(start: bytes) -> str | None:
    if _MBOX.match(start):
        return "mbox"
    if not _HEADER.match(start):
        return None
    block = re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0]
    lines = [line for line in block.splitlines() if line[:1] not in (b" ", b"\t")]
    names = {found[1].lower() for line in lines[:200] if (found := _HEADER.match(line + b"\n"))}
    if len(names & _MAIL_HEADERS) < 3 or not (names & _CERTAIN_HEADERS or names >= {b"from", b"subject"}):
        return None
    return "mhtml" if re.search(rb"multipart/related", block, re.I) and b"snapshot-content-location" in names else "eml"


def _table_format(start: bytes, complete: bool) -> str | None:
    """Return "tsv" or "csv" where every line has the same number of cells, and they look like cells."""
    lines = start.decode("utf-8", "replace").splitlines()
    lines = [line for line in (lines if complete else lines[:-1]) if line.strip()][:TABLE_LINES]
    if len(lines) < 2:
        return None
    for delimiter, name in (("\t", "tsv"), (",", "csv"), (";", "csv"), ("|", "csv")):
        try:
            rows = list(csv.reader(lines, delimiter=delimiter, strict=True))
        except csv.Error:
            continue
        width = len(rows[0])
        if width < 2 or any(len(row) != width for row in rows) or (len(rows) == 2 and width < 3):
            continue
        cells = [cell for row in rows for cell in row]
        # In prose a comma is followed by a space and the pieces are long.
        spaced = sum(cell.startswith(" ") for row in rows for cell in row[1:])
        if spaced * 2 < len(cells) and sum(map(len, cells)) < 80 * len(cells):
            return name
    return None


def _json_format(start: bytes, complete: bool) -> str | None:
    if start[:1] not in b"{[":
        return None
    lines = [line for line in start.split(b"\n") if line.strip()]
    objects = [_is_object(line) for line in (lines if complete else lines[:-1])[:50]]
    # One broken line does not make a transcript something else; a pretty-printed value has no whole object a line.
    if len(objects) > 1 and sum(objects) * 2 > len(objects):
        return "jsonl"
    if not complete:
        return "json" if re.match(rb'\{\s*"|\[\s*[\[{"\d\-tfn\]]', start) else None
    try:
        json.loads(start)
    except RecursionError:
        return "json"  # so deep that it can be nothing else
    except ValueError:
        return "jsonl" if any(objects) else None
    return "json"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


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
