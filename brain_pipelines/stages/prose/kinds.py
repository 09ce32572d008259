"""Kinds of the parts of a text, and what may be read from each.

| kind | what | names | facts, memories, summaries | keywords |
|---|---|---|---|---|
| prose | sentences of a writer or speaker | yes | yes | yes |
| heading | titles of sections | yes | no; one with "I" or "we" as its subject is a memory | yes |
| picture | recognised text that is no sentence | yes | no | yes |
| described | a model's description of a picture | yes | no; a summary where there is no prose | without prose |
| table, data | cells; the values of JSON, XML, fields | yes | no; memories from rows of notes | without prose |
| label | keys, roles, and words that Brain puts before a value | no | no | no |
| caption | also alternative texts | no | no | no |
| contents, links, code | tables of contents, link lists, code and logs | no | no | no |
| generated | sentences that Brain itself wrote | no | no | no |
| for programs | what others write for an assistant to read | no | no | no |
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a part of a text is; text outside every part is prose."""

    PROSE = "prose"
    HEADING = "heading"
    PICTURE = "picture"
    DESCRIBED = "described"
    TABLE = "table"
    DATA = "data"
    LABEL = "label"
    CAPTION = "caption"
    CONTENTS = "contents"
    LINKS = "links"
    CODE = "code"
    GENERATED = "generated"
    FOR_PROGRAMS = "for programs"


NAMELESS = frozenset(
    (Kind.LABEL, Kind.CAPTION, Kind.CONTENTS, Kind.LINKS, Kind.CODE, Kind.GENERATED, Kind.FOR_PROGRAMS)
)
TOPICAL = frozenset((Kind.PROSE, Kind.HEADING, Kind.PICTURE))  # whose words are keywords
WITHOUT_PROSE = frozenset((Kind.DESCRIBED, Kind.TABLE, Kind.DATA))  # whose words are, where there is no prose


@dataclass(frozen=True, slots=True)
class Part:
    """Characters `start` to `end` of a text, half-open."""

    start: int
    end: int
    kind: Kind
