"""Splitting of a mail's text into the sender's own text, forwarded text, quotes and signatures."""

import re
from dataclasses import dataclass
from email.utils import parseaddr
from itertools import takewhile

from brain_pipelines.readers.email.mail_quote import Cut, find_cut, is_quoted, mark_quotes
from brain_pipelines.readers.email.mail_signature import strip_signature
from brain_pipelines.readers.email.mail_words import (
    BEHALF,
    DASHES,
    FORWARD_SUBJECT,
    FROM_FIELDS,
    OTHER_FIELDS,
    REPLY_PREFIX,
    SUBJECT_FIELDS,
    device_lines,
)
from brain_retrieval.settings import Cleaning

_FROM = re.compile(rf"[*\s]*(?:{FROM_FIELDS})\s?[*\s]*[:：][*\s]*(.+)", re.I)
_SENT_ON = re.compile(r"\s(?:on|am|le|el|il|em)\s+(?=\d{1,4}[/.-]\d)", re.IGNORECASE)  # "From: Ann Lee on 08/02/2000"
_FIELD = re.compile(rf"[*\s]*(?:{OTHER_FIELDS}|{SUBJECT_FIELDS})\s?[*\s]*[:：]", re.I)
_OF_LIST = re.compile(r"-bounces(?: at |@)|-request(?: at |@)")
MOST_HEADINGS = 30  # of quoted mails in one mail
_MARKS = re.compile(r"(?:\|?>\s?)+")


@dataclass(frozen=True)
class SplitReply:
    """The parts of a text.

    `kept_quote` is set if `own` or `forwarded` is the quote, because there was no other text.
    """

    own: str
    forwarded: str = ""
    forwarded_from: str = ""
    chain: tuple[str, ...] = ()  # the lines of `forwarded` with their quote marks
    quoted: int = 0  # omitted lines that are quotes
    signature: int = 0  # omitted lines that are a signature, a disclaimer or a footer
    kept_quote: bool = False


def split_reply(
    text: str, *, subject: str = "", sender: str = "", cleaning: Cleaning | None = None, answers: bool = False
) -> SplitReply:
    """Return the parts of a mail's plain text.

    Args:
        text: the plain text; quotes in HTML have been marked with ">".
        subject: distinguishes a forward from a reply if the text does not.
        sender: the sender's name.
        cleaning: whether signatures and quotes are left out; None: both.
        answers: whether its headers name a mail that it answers.
    """
    cleaning = cleaning or Cleaning()
    if not cleaning.quotes and not cleaning.signatures:
        return SplitReply(text.strip())
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").split("\n")
    lines = [line if line == "-- " else line.rstrip() for line in lines]
    lines, cut = _with_marked(lines, subject, answers=answers)
    above = lines[: cut.start] if cut else lines
    below = lines[cut.start :] if cut else []
    marks = mark_quotes(above)
    own, signed = _own_words(above, marks, sender, signed=not cleaning.signatures)
    if not cleaning.quotes:  # between quotes signatures are not looked for
        first = marks.index(True) if True in marks else len(above)
        between = any(line.strip() for line, quoted in zip(above[first:], marks[first:], strict=True) if not quoted)
        kept = lines if between else [*own, "", *lines[first:]]
        return SplitReply("\n".join(kept).strip(), signature=0 if between else signed)
    if cut and _is_forward(cut, subject, answers=answers and any(line.strip() for line in own)):
        forwarded, chain = "\n".join(unquoted(lines[cut.body :])).strip(), tuple(lines[cut.body :])
        return SplitReply("\n".join(own), forwarded, sender_of_cut(cut), chain, sum(marks), signed)
    if not any(line.strip() for line in own):
        quote = [line for line, quoted in zip(above, marks, strict=True) if quoted] + (lines[cut.body :] if cut else [])
        kept = any(line.strip() for line in quote)
        text = "\n".join(unquoted(quote if kept else lines)).strip()
        if kept and cut and not any(marks):
            return SplitReply("", text, sender_of_cut(cut), tuple(lines[cut.body :]), kept_quote=True)
        return SplitReply(text, kept_quote=kept)
    return SplitReply("\n".join(own), quoted=sum(marks) + len(below), signature=signed)


def _with_marked(lines: list[str], subject: str, *, answers: bool) -> tuple[list[str], Cut | None]:
    """Return the lines, and where unmarked quotes begin.

    The headers above quoted lines that are marked with ">" are marked like them, since answers may stand between these.
    """
    cut = find_cut(lines)
    for _ in range(MOST_HEADINGS):
        if cut is None or cut.kind == "wrote" or _is_forward(cut, subject, answers=answers):
            break
        if not any(line.strip() for line in lines[: cut.start]) or not is_quoted(
            next((line for line in lines[cut.body :] if line.strip()), "")
        ):
            break
        headings = [f"> {line}" for line in lines[cut.start : cut.body]]
        lines = [*lines[: cut.start], *headings, *lines[cut.body :]]
        cut = find_cut(lines)
    return lines, cut


def _own_words(lines: list[str], marks: list[bool], sender: str, *, signed: bool) -> tuple[list[str], int]:
    """Return the unquoted lines without signatures, which may occur above and below a quote; with them if `signed`."""
    runs: list[list[str]] = [[]]
    for line, quoted in zip(lines, marks, strict=True):
        if quoted and runs[-1]:
            runs.append([])
        elif not quoted:
            runs[-1].append(line)
    filled = [run for run in runs if any(line.strip() for line in run)]
    kept: list[str] = []
    left_out = 0
    for n, run in enumerate(filled):
        ends = n == len(filled) - 1
        # Text between two quotes is an inline answer; only the first and the last run of lines may be signed.
        body, count = _strip(run, sender, below=n > 0) if (ends or n == 0) and not signed else (run, 0)
        left_out += count
        kept += [*([""] if kept else []), *body]
    if len(filled) == 1 and len(filled[0]) < len(lines) and _is_only_signature(kept):
        return [], left_out + len(kept)
    while kept and not kept[0].strip():
        kept.pop(0)
    return kept, left_out


def _strip(run: list[str], sender: str, *, below: bool) -> tuple[list[str], int]:
    """Remove the signature of a run of lines; a run below a quote may consist of a signature only."""
    if not below:
        return strip_signature(run, sender)
    body, count = strip_signature(["Above.", "", *run], sender)
    return body[2:], count


def _is_only_signature(lines: list[str]) -> bool:
    """Return whether the lines above a quote are only a device line or a rule, so that there is no new text."""
    full = [line for line in lines if line.strip()]
    if not full or len(full) > 8:
        return False
    return bool(device_lines().match(full[0][:200]) or DASHES.fullmatch(full[0][:200]))


def _is_forward(cut: Cut, subject: str, *, answers: bool) -> bool:
    """Return whether a mail passes on another one: it says so, or neither its subject nor its headers answer one."""
    if cut.kind in ("forward", "wrote"):
        return cut.kind == "forward"
    passed_on = not answers and bool(subject.strip()) and not REPLY_PREFIX.match(subject)
    return passed_on or bool(FORWARD_SUBJECT.match(subject))


def sender_of_cut(cut: Cut) -> str:
    """Return the sender that the headers of a quoted mail name, "" if they name none, or a mailing list."""
    for number, line in enumerate(cut.heading):
        if match := _FROM.match(line[:400]):
            below = takewhile(lambda one: not _FIELD.match(one[:400]), cut.heading[number + 1 : number + 3])
            if found := BEHALF.search(" ".join((line[:400], *(one[:400] for one in below)))):
                return found["name"].strip(" '\"")
            value = re.sub(r"\[mailto:[^\]]*\]", "", match[1]).replace("*", "").strip()
            value = _SENT_ON.split(value, maxsplit=1)[0]
            name, address = parseaddr(value.replace("[", "<").replace("]", ">"))
            sender = name or (address if "@" in address else value)
            return "" if _OF_LIST.search(sender) else sender
    return cut.sender


def unquoted(lines: list[str]) -> list[str]:
    """Return lines without quote marks (">")."""
    return [_MARKS.sub("", line, count=1) if is_quoted(line) else line for line in lines]
