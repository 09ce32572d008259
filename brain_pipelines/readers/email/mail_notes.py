"""Headers of quoted mails as Lotus Notes writes them: who, when, then "To:", "cc:" and "Subject:", without "From:".

| the line above "To:" | sender |
|---|---|
| Ann Lee/HOU/ECT@ECT, below it 08/02/2000 09:30 PM | Ann Lee |
| "Lee, Ann" <alee@example.com> on 11/13/2000 08:44:57 AM | Ann Lee |
| none | not known |
"""

import re

from brain_pipelines.readers.email.mail_people import name_of_field
from brain_pipelines.readers.email.mail_words import ADDRESS, DASHES, OTHER_FIELDS, SUBJECT_FIELDS

LONGEST, MOST_LINES, MOST_ABOVE = 400, 30, 8  # characters of a line; lines of the header, and above "To:"
_DATE = r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4},?\s+(?:at\s)?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AP]M)?(?:\s[A-Z]{3,4})?"
_WHEN = re.compile(rf"\s*{_DATE}\s*", re.IGNORECASE)
_NAMED = re.compile(
    rf"\s*(?P<who>[^\s:][^:\n]{{2,120}}?)(?:\s+(?:on|am|le|el|il|em)\s+|\s+)(?:{_DATE})\s*", re.IGNORECASE
)
_BESIDE = re.compile(r"\s*(?:please respond to|sent by:?)\s.*", re.IGNORECASE)
_SUBJECT = re.compile(rf"\s*(?:{SUBJECT_FIELDS})\s?:", re.IGNORECASE)
_FIELD = re.compile(rf"\s*(?:{OTHER_FIELDS}|{SUBJECT_FIELDS})\s?:", re.IGNORECASE)
_TO = re.compile(r"\s{0,40}(?:to|an|à|para|a)\s?:", re.IGNORECASE)
_WRAPPED = re.compile(r"\s*(?:[\d:/]{4,10}\s)?(?:[AP]M)?\s*-{5,}\s*", re.IGNORECASE)  # the end of "Forwarded by … on"


def notes_header(lines: list[str], to: int) -> tuple[int, int, str] | None:
    """Return the first line of a header whose "To:" is line `to`, the line behind it, and the sender ("" if unknown).

    None if it is none: it has a subject, and "cc:" or a date.
    """
    if not _TO.match(lines[to][:LONGEST]):
        return None
    end, fields = _fields(lines, to)
    start, sender, dated = _above(lines, to)
    if end is None or len(fields) < 2 and not dated:
        return None
    return start, end, sender


def _fields(lines: list[str], to: int) -> tuple[int | None, set[str]]:
    """Return the line behind the subject, None without one, and the other fields."""
    found, blank = set[str](), 0
    for n in range(to, min(len(lines), to + MOST_LINES)):
        line = lines[n][:LONGEST]
        if _SUBJECT.match(line):
            wrapped = n + 1 < len(lines) and lines[n + 1].strip() and bool(line.partition(":")[2].strip())
            return (n + 2 if wrapped else n + 1), found
        if _FIELD.match(line):
            found.add(line.partition(":")[0].strip().casefold())
            blank = 0
        elif not line.strip():
            blank += 1
            if blank > 1:
                break
        elif blank or not ("@" in line or "," in line or "/" in line or '"' in line):
            break  # prose, no list of receivers
    return None, found


def _above(lines: list[str], to: int) -> tuple[int, str, bool]:
    """Return the first line of who and when above "To:", the sender, and whether a date stands there."""
    start, dated = to, False
    for n in range(to - 1, max(-1, to - MOST_ABOVE), -1):
        line = lines[n][:LONGEST]
        if not line.strip() or _BESIDE.fullmatch(line):
            continue
        if _WHEN.fullmatch(line) and not dated:
            start, dated = n, True
        elif not dated and (named := _NAMED.fullmatch(line)):
            return n, name_of_field(named["who"]), True
        elif dated and _is_sender(line):
            return n, name_of_field(line), True
        else:
            break
    return start, "", dated


def _is_sender(line: str) -> bool:
    return bool("@" in line or ADDRESS.search(line) or name_of_field(line)) and not DASHES.fullmatch(line)


def behind_rule(lines: list[str], start: int) -> int:
    """Return the line behind the rest of a wrapped "---- Forwarded by Ann Lee on 08/02/2000 05:09 PM ----"."""
    return start + 1 if start < len(lines) and _WRAPPED.fullmatch(lines[start][:LONGEST]) else start
