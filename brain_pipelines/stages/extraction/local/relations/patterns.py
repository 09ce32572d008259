"""Regular expressions for e-mail addresses, URLs, file names, handles and Lotus Notes users, in any language."""

import re
from collections.abc import Iterator
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import given_names, known_names
from brain_pipelines.stages.extraction.local.names.mention import NAMED, PATTERN, Mention
from brain_pipelines.stages.extraction.local.names.person_form import NOTES_USER

_FORMS = re.compile(
    r"(?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,7}\.[^\W\d_][\w-]{1,62})"
    r"|(?P<url>\b(?:https?://|www\.)[^\s<>\"'`{}|\\^\[\]]{3,2000})"
    r"|(?P<file>(?<![\w./@-])[\w-]{1,100}(?:\.[\w-]{1,40}){0,3}"
    r"\.(?:pdf|docx?|xlsx?|pptx?|csv|md|txt|json|ya?ml|toml|ipynb|html?|py|ts|js|sql|zip)\b(?![\w@/]))"
)
# Case-sensitive and of two to four words, since a slash also joins ordinary words: "Jane Doe/HQ/Acme@ACME".
_NOTES_USER = re.compile(NOTES_USER)
# What people are called by on code hosts and in chats: "@alanshaw", but no package "@scope/name" and no address.
_HANDLE = re.compile(r"(?<![\w.+/@`$&=-])@(?P<handle>[A-Za-z][\w-]{1,38}(?<!-))(?![\w/@(`=]|\.\w|-\w| [A-Z][a-z])")
_NO_HANDLES = LEXICONS.read("speakers").words("no_handles")
_TRAILING = ".,;:!?)”’…"


def pattern_mentions(text: str, start: int = 0, end: int | None = None) -> Iterator[Mention]:
    """Yield URLs and file names (Document), e-mail addresses (Concept), handles and Notes users of `text[start:end]`.

    An e-mail address is not typed as a person: entity resolution decides whose it is. Names of pictures and recordings
    are those of what a text shows ("IMG_2664.jpg"), not of what it is about.
    """
    for match in _FORMS.finditer(text, start, len(text) if end is None else end):
        found = match.group().rstrip(_TRAILING)
        # A closing bracket belongs to the address only if the address opens one (Wikipedia URLs).
        if "(" not in found:
            found = found.split(")")[0]
        elif match.group()[len(found) : len(found) + 1] == ")":
            found += ")"
        kind = "Concept" if match.lastgroup == "mail" else "Document"
        yield Mention(match.start(), match.start() + len(found), found, kind, PATTERN)
    for match in _HANDLE.finditer(text, start, len(text) if end is None else end):
        if _is_handle(match["handle"]):
            yield Mention(match.start(), match.end(), match.group(), "Person", NAMED)
    for match in _NOTES_USER.finditer(text, start, len(text) if end is None else end):
        yield Mention(match.start(), match.end(), match["user"], "Person", PATTERN)


def _is_handle(word: str) -> bool:
    """Return whether a word behind "@" names a person: no call to all, known program or given name."""
    if word.casefold() in _NO_HANDLES or word in given_names():
        return False
    return word.casefold() not in _known_names()


@cache
def _known_names() -> frozenset[str]:
    return frozenset(map(str.casefold, known_names()))
