"""Turns of a text: who says which part of it. A quoted part is said by its writer; of many the writer is not known."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.prose.quoted import Quoted

_WORDS = LEXICONS.read("speakers")

# Roles in chat logs. "user" is the owner of the memory; a machine has no first person.
HUMAN_ROLES = _WORDS.words("human_roles")
MACHINE_ROLES = _WORDS.words("machine_roles")
OWNER = "user"
_NUMBERED = re.compile(r"speaker \d+")  # an unidentified voice of a recording


@dataclass(frozen=True)
class Turn:
    """Characters `start` to `end` of the text, their speaker (None: unknown) and the span of the speaker's label.

    The name that a message of a chat begins with, if it calls one of the others, lies before `start`.
    """

    start: int
    end: int
    speaker: str | None = None
    label: tuple[int, int] | None = None
    quoted: bool = False  # whether the writer of the text has taken it from another one

    @property
    def first_person(self) -> str | None:
        """The referent of "I" in this turn: None for a machine or an unknown speaker."""
        word = (self.speaker or "").casefold()
        if not word or word.split()[0] in MACHINE_ROLES or _NUMBERED.fullmatch(word):
            return None
        return OWNER if word in HUMAN_ROLES else self.speaker

    @property
    def is_foreign(self) -> bool:
        """Whether a machine says it, or the writer has pasted it from someone who is not known."""
        word = (self.speaker or "").casefold()
        return word.split()[0] in MACHINE_ROLES if word else self.quoted

    @property
    def names_person(self) -> bool:
        """Whether the speaker has a name rather than a role."""
        word = (self.speaker or "").casefold()
        if not word or word in HUMAN_ROLES or word.split()[0] in MACHINE_ROLES or _NUMBERED.fullmatch(word):
            return False
        return any(c.isalpha() for c in word)


def with_quoted(turns: Sequence[Turn], quoted: Sequence[Quoted], text: str) -> Iterator[Turn]:
    """Yield the turns of a text, those that hold a quoted part in pieces.

    Args:
        turns: in order and apart.
        quoted: in order and apart; what lies outside of every turn, as a label does, is left out.
        text: a piece of it without words is no turn.
    """
    for turn in turns:
        position, label = turn.start, turn.label
        first = bisect_right(quoted, turn.start, key=lambda part: part.end)
        last = bisect_left(quoted, turn.end, key=lambda part: part.start)
        for part in quoted[first:last]:
            start, end = max(part.start, turn.start), min(part.end, turn.end)
            if text[position:start].strip():
                yield replace(turn, start=position, end=start, label=label)
                label = None
            yield replace(turn, start=start, end=end, speaker=part.writer, label=None, quoted=True)
            position = end
        if first >= last or text[position : turn.end].strip():
            yield replace(turn, start=position, label=label)
