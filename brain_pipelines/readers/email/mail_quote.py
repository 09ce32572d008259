"""Detection of quoted text in a mail: quoted lines, "On … wrote:", header blocks of Outlook, forwards.

Works line by line in linear time, also for a million lines or a single line of 60 MB.
"""

import re
from dataclasses import dataclass

from brain_pipelines.readers.email.mail_notes import behind_rule, notes_header
from brain_pipelines.readers.email.mail_people import name_of_field
from brain_pipelines.readers.email.mail_words import (
    ADDRESS,
    DASHES,
    FORWARDED,
    FROM_FIELDS,
    ORIGINAL,
    OTHER_FIELDS,
    STARTS,
    SUBJECT_FIELDS,
    WHEN,
    WROTE,
)

MAX_ATTRIBUTION = 320  # characters of "On … wrote:", over at most 4 lines
LONGEST_CITED = 60  # characters up to the mark behind a name
# "Jim> ", "  JL>> ", "Peter B.> ": the name or the initials of who is quoted.
_CITED = re.compile(r"[ \t]{0,16}[^\W\d_a-zß-ÿ][\w.'-]{0,20}(?: [^\W\d_a-zß-ÿ][\w.'-]{0,20})?>{1,6}(?:[ \t]|$)")
# ">>> Ann Lee <ann@example.org> 11/07/00 10:08PM >>>", as GroupWise writes it
_GROUPWISE = re.compile(
    r">>>\s(?P<who>[^\n>]{2,80}?(?:<[^<>\n]{3,100}>)?)\s\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\s\d{1,2}[:.]\d{2}\s?(?:[AP]M)?\s>>>\s*"
)
BLOCK_LINES = 40  # maximum number of lines of an Outlook header block, which may name many receivers
PLAIN_LINES = 2  # of them, that neither are a field nor name receivers: the rest of a subject
_NAMING = re.compile(r"[@,;/<>]")
_FROM = re.compile(rf"[*\s]*(?:{FROM_FIELDS})\s?[*\s]*[:：]", re.I)
_SUBJECT = re.compile(rf"[*\s]*(?:{SUBJECT_FIELDS})\s?[*\s]*[:：]", re.I)
_OTHER = re.compile(rf"[*\s]*(?:{OTHER_FIELDS})\s?[*\s]*[:：]", re.I)


@dataclass(frozen=True)
class Cut:
    """Everything from line `start` on is quoted; `body` is the first line behind the heading of the quote."""

    start: int
    body: int
    kind: str  # forward | original | block | wrote
    heading: tuple[str, ...] = ()
    sender: str = ""  # of the quoted mail, where its heading has no "From:"


def attribution(lines: list[str], end: int) -> int | None:
    """Return the first line of an "On … wrote:" that ends at line `end`, None if none does."""
    last = lines[end].strip()
    if last[-1:] not in (":", "："):
        return None
    for start in range(end, max(-1, end - 4), -1):
        if start < end and not lines[start].strip():
            return None
        text = " ".join(line[:MAX_ATTRIBUTION].strip() for line in lines[start : end + 1])
        if len(text) > MAX_ATTRIBUTION:
            return None
        if not WHEN.search(text):
            continue
        if WROTE.search(text) and STARTS.match(text):
            return start
        if ADDRESS.search(text) and (STARTS.match(text) or WROTE.search(text)):
            return start
    return None


def is_quoted(line: str) -> bool:
    """Return whether a line is marked as a quote, also behind a name ("Jim> "); a Python prompt (">>>") is not."""
    if line.startswith((">", "|>")):
        return not line.startswith(">>> ")
    return ">" in line[:LONGEST_CITED] and _CITED.match(line) is not None


def header_block(lines: list[str], start: int) -> int | None:
    """Return the line behind a block of mail headers that begins at `start`, None if there is none."""
    if not _FROM.match(lines[start][:200]):
        return None
    subject = others = False
    count, end, plain = 0, start + 1, 0
    for n in range(start + 1, min(len(lines), start + BLOCK_LINES)):
        line = lines[n][:400]
        is_subject = bool(_SUBJECT.match(line))
        if is_subject or _OTHER.match(line):
            count, end = count + 1, n + 1
            subject, others = subject or is_subject, others or not is_subject
        elif not line.strip() and count >= 2:
            break
        elif line.strip() and not _NAMING.search(line):
            plain += 1
            if plain > PLAIN_LINES:
                break
    block = " ".join(line[:400] for line in lines[start:end])
    return end if count >= 1 and others and (subject or (count >= 2 and ADDRESS.search(block))) else None


def find_cut(lines: list[str]) -> Cut | None:
    """Return where quoted text without ">" begins; lines marked with ">" are left to the caller."""
    for n, line in enumerate(lines):
        if not line.strip() or is_quoted(line):
            continue
        short = len(line) < 200
        if short and FORWARDED.fullmatch(line):
            return Cut(n, *_heading(lines, n + 1, "forward"))
        if short and ORIGINAL.fullmatch(line):
            return Cut(n, *_heading(lines, n + 1, "original"))
        if short and (named := _GROUPWISE.fullmatch(line)):
            return Cut(n, n + 1, "original", (line,), name_of_field(named["who"]))
        if (end := header_block(lines, n)) is not None:
            return Cut(_with_rule(lines, n), end, "block", tuple(lines[n:end]))
        if short and (found := notes_header(lines, n)) is not None:
            return Cut(_with_rule(lines, found[0]), found[1], "block", tuple(lines[found[0] : found[1]]), found[2])
        start = attribution(lines, n)
        if start is not None and not _quote_follows(lines, n):
            return Cut(start, n + 1, "wrote", tuple(lines[start : n + 1]))
    return None


def _heading(lines: list[str], start: int, kind: str) -> tuple[int, str, tuple[str, ...], str]:
    start = behind_rule(lines, start)
    while start < len(lines) and not lines[start].strip(" >"):
        start += 1
    bare = [line.lstrip("> ") for line in lines[start : start + 2 * BLOCK_LINES]]
    end = header_block(bare, 0) if bare else None
    if end is not None:
        return start + end, kind, tuple(bare[:end]), ""
    headers = (notes_header(bare, n) for n in range(min(len(bare), BLOCK_LINES)))
    found = next(filter(None, headers), None)
    if found is not None and not any(line.strip() for line in bare[: found[0]]):
        return start + found[1], kind, tuple(bare[: found[1]]), found[2]
    return start, kind, (), ""


def _with_rule(lines: list[str], start: int) -> int:
    """Return the line of the horizontal rule above a header block, which belongs to the block."""
    n = start - 1
    while n >= 0 and not lines[n].strip():
        n -= 1
    return n if n >= 0 and len(lines[n].strip()) >= 3 and DASHES.fullmatch(lines[n][:200]) else start


def _quote_follows(lines: list[str], n: int) -> bool:
    for line in lines[n + 1 : n + 6]:
        if line.strip():
            return is_quoted(line)
    return False


def mark_quotes(lines: list[str]) -> list[bool]:
    """Return for each line whether it is quoted: marked with ">", or the "On … wrote:" above such lines."""
    marks = [is_quoted(line) for line in lines]
    for n, line in enumerate(lines):
        if not marks[n] and line.strip() and _quote_follows(lines, n):
            start = attribution(lines, n)
            if start is not None:
                marks[start : n + 1] = [True] * (n + 1 - start)
    return marks
