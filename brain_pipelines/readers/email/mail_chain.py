"""The mails in a forwarded text, each with its sender: below headers, below "On … wrote:", and by the depth of ">".

Ann's words                               Ann: the sender of the forwarded mail
On 3 May 2026 Bo Berg wrote:
> Bo's words                              Bo Berg
>> older words                            not known: no heading names their writer
> an answer of Bo between them            Bo Berg
"""

import re
from collections.abc import Sequence

from brain_pipelines.readers.email.mail_people import name_of_field
from brain_pipelines.readers.email.mail_quote import Cut, find_cut, is_quoted
from brain_pipelines.readers.email.mail_reply import SplitReply, sender_of_cut, unquoted
from brain_pipelines.readers.email.mail_signature import strip_signature
from brain_pipelines.readers.email.mail_words import ADDRESS, WROTE_BY
from brain_retrieval.settings import Cleaning

MOST_MAILS = 30  # in one forwarded text
_DEPTH = re.compile(r"[ \t]{0,4}(?:\|?>[ \t]?)*")
WRAPPED, LONG = 30, 60  # characters of the end of a line that was wrapped without its marks, and of the line before

Part = tuple[str, str]  # sender, "" if not known, and text


def forwarded_parts(split: SplitReply, cleaning: Cleaning | None = None) -> list[Part]:
    """Return the mails of a forwarded text in its order; an answer between quoted lines is a part of its own."""
    lines = split.chain or tuple(split.forwarded.split("\n"))
    bare = unquoted(list(lines))
    writers = _writers(lines, bare, split.forwarded_from)
    parts: list[tuple[str, list[str]]] = []
    for line, writer in zip(bare, writers, strict=True):
        if writer is None:
            continue
        if parts and (parts[-1][0] == writer or not line.strip()):
            parts[-1][1].append(line)
        elif line.strip():
            parts.append((writer, [line]))
    signed = cleaning is not None and not cleaning.signatures
    texts = ((name, "\n".join(own if signed else strip_signature(own, name)[0]).strip()) for name, own in parts)
    return [(name, text) for name, text in texts if text]


def _writers(lines: Sequence[str], bare: list[str], sender: str) -> list[str | None]:
    """Return who wrote each line, "" if that is not known; None for the headings between the mails."""
    depths = _depths(lines)
    first = next((depth for depth, line in zip(depths, bare, strict=True) if line.strip()), 0)
    at_depth = {first: sender}
    cuts = {cut.start: cut for cut in _cuts(bare)}
    found: list[str | None] = []
    heading = 0
    for number, depth in enumerate(depths):
        if (cut := cuts.get(number)) is not None:
            heading = cut.body
            below = next((depths[n] for n in range(cut.body, len(bare)) if bare[n].strip()), depth)
            at_depth = {d: who for d, who in at_depth.items() if d < below} | {below: _writer(cut)}
        found.append(None if number < heading else at_depth.get(depth, ""))
    return found


def _depths(lines: Sequence[str]) -> list[int]:
    """Return how deep each line is quoted; an empty line, and the end of a wrapped one, as deep as the line before."""
    depths: list[int] = []
    before = 0
    for number, line in enumerate(lines):
        if line.strip(" >|\t") and not (before and _is_wrapped(lines, number)):
            found = _DEPTH.match(line)
            before = found.group().count(">") if found and is_quoted(line.lstrip()) else 0
        depths.append(before)
    return depths


def _is_wrapped(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is the end of the one before, which a mail program has wrapped without its marks."""
    line, above, below = lines[number], lines[number - 1].rstrip(), "".join(lines[number + 1 : number + 2])
    if len(line.strip()) > WRAPPED or len(above) < LONG or above.endswith((".", "!", "?", ":")):
        return False
    return is_quoted(above.lstrip()) and not is_quoted(line) and (is_quoted(below) or not below.strip())


def _cuts(bare: list[str]) -> list[Cut]:
    """Return the headings of the mails, in order."""
    found: list[Cut] = []
    position = 0
    while len(found) < MOST_MAILS and (cut := find_cut(bare[position:])) is not None:
        found.append(Cut(position + cut.start, position + cut.body, cut.kind, cut.heading, cut.sender))
        position = max(position + 1, found[-1].body)
    return found


def _writer(cut: Cut) -> str:
    """Return the sender that a heading names, "" if it names none for sure."""
    if cut.kind != "wrote":
        return sender_of_cut(cut)
    said = " ".join(" ".join(cut.heading).split())
    if match := WROTE_BY.search(said):
        return match["before"] or match["behind"]
    address = ADDRESS.search(said)
    return name_of_field(address.group().strip("<>()[]:,;\"'")) if address else ""
