"""A person's name as mail programs and calendars write it, without what is not part of the name."""

import re
from collections.abc import Iterator

from brain_pipelines.stages.extraction.lexicons import LEXICONS

_WORDS = LEXICONS.read("person_form")
_PRESENTING = LEXICONS.every_language("presenting")

_BRACKETS = re.compile(r" ?(?:\([^()]*+(?:\)|$)|\[[^\[\]]*+(?:\]|$)|<[^<>]*+(?:>|$))")
# "Jane Doe/HQ/Acme@ACME" is the name of a Lotus Notes user; "Alice/Bob" is not.
NOTES_PATH = r"(?:CN=)?(?P<notes>[^\W\d_][^/@=\n]{0,60}?)\s?(?:(?:/[\w =&-]{1,30}){2,4}(?:@\w+)?|/[\w =&-]{1,30}@\w+)"
_NOTES_PATH = re.compile(NOTES_PATH, re.IGNORECASE)
NOTES_USER = (
    r"(?<![\w.'’-])(?P<user>[A-Z][\w.'’-]{0,30}+(?: [A-Z][\w.'’-]{0,30}+){1,3}+)"
    r"(?:/[A-Z][\w&-]{0,30}+){1,3}+@[A-Z][\w-]{0,30}+"
)
# "Jane Doe@ACME" and "Jane Doe@acme.com", but not jane@acme.com, which has no second word
_AT_ORGANISATION = re.compile(
    r"(?<=\w) ?@ ?[A-Za-z][\w -]{0,60}+$|(?<= )(?P<last>[A-Z][\w'’-]{1,30}+)@[A-Za-z][\w./: -]{0,60}+$"
)
_AFTER = re.compile(rf" (?:{_WORDS.pattern('behind')}) .*$| ?[|;].*$", re.IGNORECASE)
_BORN = re.compile(
    rf"^(?P<now>[^,(]{{1,80}}?)(?:, | \(|, \(| )(?:{_WORDS.pattern('born')}) (?P<before>[^\W\d_][^,()]{{0,60}}+)\)?$",
    re.IGNORECASE,
)
_NAME = r"[A-ZÀ-ÖØ-ÞŁŚŻŞÇİČŠŽ][\w'’-]{1,30}+"
_BORN_IN_TEXT = re.compile(
    rf"(?<![\w'’-])(?P<now>{_NAME}(?: {_NAME}){{1,2}})(?:,? \(|, | )(?:{_WORDS.pattern('born')}) "
    rf"(?P<before>{_NAME}(?: {_NAME}){{0,2}})"
)

_PRESENTED = re.compile(
    rf"(?<!\w)(?:(?i:{_PRESENTING.pattern('named')}) (?P<name>{_NAME}(?: {_NAME}){{0,2}})"
    rf"|(?i:{_PRESENTING.pattern('being')}) (?P<full>{_NAME}(?: {_NAME}){{1,2}}))"
    r"(?=[,.!;)]|\s*$| (?:and|und|et|y|e)\s)",
    re.MULTILINE,
)


def bare_person(name: str) -> str:
    """Return a name without brackets, Lotus Notes path, organisation behind "@" and what a mail program appends.

    >>> bare_person("Jane Doe/HQ/Acme@ACME")
    'Jane Doe'
    >>> bare_person("Doe, Jane (Chair, CPC) via Lists")
    'Doe, Jane'
    """
    plain = " ".join(name.strip("\"' \t").split())
    plain = plain[1:] if plain[:1] == "@" and plain[1:2].isupper() else plain
    bare = _BRACKETS.sub("", plain)
    path = _NOTES_PATH.fullmatch(bare)
    bare = path["notes"] if path else _AT_ORGANISATION.sub(r"\g<last>", bare)
    bare = _AFTER.sub("", bare).strip(" ,;:-\"'")
    return bare or plain


def former_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield the present and the former full name of each "Anna Schmidt (née Weber)" in a text."""
    for match in _BORN_IN_TEXT.finditer(text):
        now, before = match["now"], match["before"]
        yield now, before if " " in before else f"{now.split(' ')[0]} {before}"


def own_names(text: str) -> Iterator[str]:
    """Yield the names by which the speaker of a text presents himself or herself: "I'm Ann Lee", "ich heiße Ann".

    Behind "I am" it takes a full name, since one is many things.
    """
    for match in _PRESENTED.finditer(text):
        yield match["full"] or match["name"]


def names_borne(name: str) -> tuple[str, str] | None:
    """Return the present and the former full name of "Anna Schmidt (née Weber)", None without a former name."""
    match = _BORN.match(" ".join(name.split()))
    if match is None:
        return None
    given, before = match["now"].split(" ")[0], match["before"]
    return match["now"], before if " " in before else f"{given} {before}"
