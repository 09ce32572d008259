"""Removal of signatures, device lines ("Sent from my …"), disclaimers and mailing list footers."""

import re

from brain_pipelines.readers.email.mail_words import (
    ADDRESS,
    DASHES,
    DISCLAIMER,
    LINK,
    PHONE,
    closings,
    device_lines,
    disclaimer_marks,
)

MAX_SIGNATURE = 16  # lines with words
LONG_LINE = 90  # characters; a longer line is not part of a signature
ROUNDS = 6
_SIGNED = re.compile(r"[-–—]{1,2}\s?[^\W\d_a-z]\w+(?: [^\W\d_a-z]\w*\.?){0,2}")  # "-Jane Roe"
_SENTENCE = re.compile(r"[a-zà-ÿа-я]{3}[.?!]\s*$")


def strip_signature(lines: list[str], sender: str = "") -> tuple[list[str], int]:
    """Return the lines of the message, and the number of removed lines that had words.

    Args:
        lines: the sender's own text, without quotes.
        sender: the sender's name, which on the last line by itself is a signature.
    """
    kept = _without_disclaimers(lines)
    for _ in range(ROUNDS):
        start = _start_of_signature(kept, sender)
        if start is None or not any(line.strip() for line in kept[:start]):
            break
        kept = kept[:start]
    kept = _trimmed(kept)
    if not kept:
        return _trimmed(lines), 0
    return kept, sum(bool(line.strip()) for line in lines) - sum(bool(line.strip()) for line in kept)


def _start_of_signature(lines: list[str], sender: str) -> int | None:
    full = [n for n, line in enumerate(lines) if line.strip()]
    for look in (_behind_dashes, _device_line, _closing, _own_name, _contacts):
        start = look(lines, full[-MAX_SIGNATURE - 1 :], sender)
        if start is not None:
            return start
    return None


def _behind_dashes(lines: list[str], last: list[int], _sender: str) -> int | None:
    for n in last:
        line = lines[n]
        below = [lines[m] for m in last if m > n]
        if line in ("-- ", "--", "--\u00a0"):
            return n
        is_rule = len(line) < 200 and DASHES.fullmatch(line) and (len(line.strip()) > 2 or line.strip() in ("—", "–"))
        # A rule may also separate topics: the text below it must look like a signature or a mailing list footer.
        prose = any(len(one) > LONG_LINE or _SENTENCE.search(one) or one.endswith("?") for one in below)
        if is_rule and not prose and (not below or _is_contact(below)):
            return n
    return None


def _device_line(lines: list[str], last: list[int], _sender: str) -> int | None:
    for n in last[-3:]:
        line = lines[n].strip()
        if len(line) <= LONG_LINE and len(line.split()) <= 9 and "," not in line and device_lines().match(line):
            above = lines[n - 1].strip() if n else ""
            return n - 1 if n > 1 and _is_name(above) and not lines[n - 2].strip() else n
    return None


def _closing(lines: list[str], last: list[int], _sender: str) -> int | None:
    for n in last[-8:]:
        if len(lines[n]) > 60 or not closings().fullmatch(lines[n]):
            continue
        below = [lines[m] for m in last if m > n]
        if len(below) <= 7 and all(len(one) <= LONG_LINE and not _SENTENCE.search(one) for one in below):
            return n
    return None


def _own_name(lines: list[str], last: list[int], sender: str) -> int | None:
    if len(last) < 2:
        return None
    line = lines[last[-1]].strip()
    if _SIGNED.fullmatch(line) and not lines[last[-1] - 1].strip():
        return last[-1]
    names = {sender.casefold(), *(part for part in sender.casefold().split() if len(part) > 2)} - {""}
    return last[-1] if line.strip(" -–—,.!").casefold() in names else None


def _contacts(lines: list[str], last: list[int], _sender: str) -> int | None:
    """Return the start of a final paragraph that consists of a name with addresses and phone numbers."""
    end = last[-1] if last else 0
    start = end
    while start > 0 and lines[start - 1].strip():
        start -= 1
    block = lines[start : end + 1]
    if not 2 <= len(block) <= 10 or start == 0 or any(len(line) > LONG_LINE for line in block):
        return None
    contact = sum(_is_contact([line]) and len(line.split()) <= 6 for line in block)
    return start if _is_name(block[0]) and contact and not any(_SENTENCE.search(line) for line in block) else None


def _is_name(line: str) -> bool:
    words = line.strip(" ,").split()
    return 1 <= len(words) <= 6 and line[:1].isupper() and not line.rstrip().endswith((":", "?", "!", ";"))


def _is_contact(lines: list[str]) -> bool:
    return any(ADDRESS.search(one[:300]) or LINK.search(one[:300]) or PHONE.search(one[:300]) for one in lines)


def _without_disclaimers(lines: list[str]) -> list[str]:
    """Remove the paragraphs that are disclaimers or mailing list footers, unless nothing else would be left."""
    kept: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        if not _is_disclaimer("\n".join(paragraph)):
            kept += paragraph
        paragraph = []
        kept.append(line)
    return kept if any(line.strip() for line in kept) else lines


def _is_disclaimer(paragraph: str) -> bool:
    if not 20 <= len(paragraph) <= 4000:
        return False
    marked = bool(disclaimer_marks().match(paragraph[:200])) and "mail" in paragraph.lower()
    return marked or bool(DISCLAIMER.search(paragraph))


def _trimmed(lines: list[str]) -> list[str]:
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    last = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].strip()), -1)
    return lines[first : last + 1]
