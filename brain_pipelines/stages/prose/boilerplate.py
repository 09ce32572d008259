"""Lines of a text that say nothing of their own: tags, signatures below a closing, disclaimers, navigation, rights.

Each is recognised by its form, so that the same rules hold for a note, a chat and a page. What follows a closing is a
signature only if its first line reads like a name.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from brain_pipelines.readers.email.mail_words import DISCLAIMER, closings
from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.prose.kinds import Kind, Part
from brain_retrieval.language.plain import plain

_LINE = re.compile(r"[^\n]*\n?")
_TAGS = re.compile(r"[ \t]*(?:#[^\s#,;]{1,60}[ \t,;]{0,4}){1,40}")
_INLINE_FIELD = re.compile(r"[ \t]*(?:[-*+][ \t])?\[?[^\s:\[\]][^:\n\[\]]{0,40}::[ \t].*")  # "tags:: work"
_KEY = re.compile(r"[ \t]*(?:[-*+>][ \t]+)?[*_]{0,2}(?P<key>[^\W\d_][^\n:*_]{0,30})[*_]{0,2}:[*_]{0,2}[ \t]+\S.*")
_NAME = re.compile(r"[ \t]*(?:[^\W\d_]{1,5}\.[ \t]*){0,2}[^\W\d_a-zß-ÿ][^\W\d_]*(?:[ .'’-]{1,2}[^\W\d_]+){0,3}[ \t,]*")
_RIGHTS = re.compile(r"\W{0,4}(?:©|\([cC]\)\s|[Cc]opyright\b).{0,40}\d{4}.*")
_ENDED = re.compile(r"[.!?…][\"'”’)\]]*\s*$")
_ENTRY = re.compile(r"[|·•»›>/,\t]+| {2,}")
MOST_SIGNED, LONGEST_SIGNED, LONGEST_CLOSING = 10, 80, 40  # lines of a signature; characters of one, and of a closing
LEAST_SAID = 5  # words of a line with a full stop that is no longer a signature


def boilerplate_parts(text: str) -> Iterator[Part]:
    """Yield the parts of `text` that are tags, signatures, disclaimers, navigation and remarks on rights."""
    lines = [(match.start(), match.group().rstrip("\n")) for match in _LINE.finditer(text) if match.group()]
    signed_until = 0
    for number, (start, line) in enumerate(lines):
        if not line.strip():
            continue
        if number >= signed_until and _is_closing(line) and (end := _signature_end(lines, number + 1)):
            signed_until = end
        kind = Kind.DATA if number < signed_until else _kind_of(line)
        if kind:
            yield Part(start, start + len(line), kind)


def _kind_of(line: str) -> Kind | None:
    if _TAGS.fullmatch(line) or _INLINE_FIELD.fullmatch(line):
        return Kind.DATA
    key = _KEY.fullmatch(line)
    if key and plain(key["key"].strip()) in _listed("label_keys") and not _ENDED.search(line):
        return Kind.DATA
    bare = plain(line.strip(" \t*_-#|[]()"))
    if _RIGHTS.fullmatch(line) or bare.rstrip(".") in _listed("boilerplate"):
        return Kind.LABEL
    if all(entry.strip() in _listed("navigation") for entry in _ENTRY.split(bare) if entry.strip()) and bare:
        return Kind.LINKS
    return Kind.LABEL if DISCLAIMER.match(line.lstrip()) else None


def _is_closing(line: str) -> bool:
    return len(line) <= LONGEST_CLOSING and closings().fullmatch(line) is not None


def _signature_end(lines: Sequence[tuple[int, str]], first: int) -> int:
    """Return the number of the line after a signature that begins near `first`, 0 if there is none."""
    while first < len(lines) and not lines[first][1].strip():
        first += 1
    if first >= len(lines) or not _NAME.fullmatch(lines[first][1]):
        return 0
    end = first + 1
    while end < len(lines) and end - first < MOST_SIGNED and not _is_said(lines[end][1]):
        end += 1
    return end


def _is_said(line: str) -> bool:
    if len(line) > LONGEST_SIGNED or line.lstrip().startswith("#"):
        return True
    return bool(_ENDED.search(line)) and len(line.split()) >= LEAST_SAID


@cache
def _listed(key: str) -> frozenset[str]:
    return frozenset(plain(word) for word in LEXICONS.every_language("prose").listed(key))
