"""Regular expressions for e-mail addresses, URLs, file names and names of Lotus Notes users, in any language."""

import re
from collections.abc import Iterator

from brain_pipelines.stages.extraction.local.names.mention import PATTERN, Mention
from brain_pipelines.stages.extraction.local.names.person_form import NOTES_USER

_FORMS = re.compile(
    r"(?P<mail>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})"
    r"|(?P<url>\b(?:https?://|www\.)[^\s<>\"'`{}|\\^\[\]]{3,2000})"
    r"|(?P<file>(?<![\w./@-])[\w-]{1,100}(?:\.[\w-]{1,40}){0,3}"
    r"\.(?:pdf|docx?|xlsx?|pptx?|csv|md|txt|json|ya?ml|toml|ipynb|html?|py|ts|js|sql|png|jpe?g|svg|mp[34]|wav|zip)\b(?![\w@/]))"
)
# Case-sensitive and of two to four words, since a slash also joins ordinary words: "Jane Doe/HQ/Acme@ACME".
_NOTES_USER = re.compile(NOTES_USER)
_TRAILING = ".,;:!?)”’…"


def pattern_mentions(text: str, start: int = 0, end: int | None = None) -> Iterator[Mention]:
    """Yield URLs and file names (type Document), e-mail addresses (type Concept) and Notes users of `text[start:end]`.

    An e-mail address is not typed as a person: entity resolution decides whose it is.
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
    for match in _NOTES_USER.finditer(text, start, len(text) if end is None else end):
        yield Mention(match.start(), match.end(), match["user"], "Person", PATTERN)
