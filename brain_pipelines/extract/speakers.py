"""Turns of a text: who says which part. In a conversation the segments tell; in other texts labels at line starts do.

The label ("Alice Chen: ") is not prose: it is left out of what is parsed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from brain_pipelines.extract.gazetteers import given_names
from brain_pipelines.extract.mention import FULL_NAME, Mention

# Roles of a chat log. What "user" says is said by the person whose memory this is; a machine has no "I".
HUMAN_ROLES = frozenset({"user", "human", "me", "you"})
MACHINE_ROLES = frozenset({"assistant", "system", "agent", "ai", "bot", "tool", "model", "function", "developer"})
OWNER = "user"

_LABEL = re.compile(r"^[ \t]*(?P<name>[A-Za-z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}):[ \t]+(?=\S)", re.MULTILINE)


@dataclass(frozen=True)
class Turn:
    """Characters `start` to `end` of the text are said by `speaker` (None: unknown), labelled at `label`."""

    start: int
    end: int
    speaker: str | None = None
    label: tuple[int, int] | None = None

    @property
    def first_person(self) -> str | None:
        """Who "I" is in this turn: None for a machine or an unknown speaker."""
        word = (self.speaker or "").casefold()
        if not word or word in MACHINE_ROLES:
            return None
        return OWNER if word in HUMAN_ROLES else self.speaker

    @property
    def names_person(self) -> bool:
        """Tell whether the speaker is called by a name and not by a role."""
        word = (self.speaker or "").casefold()
        return bool(word) and word not in HUMAN_ROLES | MACHINE_ROLES and any(c.isalpha() for c in word)


def turns_of(document: dict[str, Any]) -> list[Turn]:
    """Return the turns of a DOCUMENT_TEXT row in order; they cover its prose and do not overlap."""
    text = document["text"]
    messages = [s for s in document.get("segments") or () if s["kind"] == "message"]
    if messages:
        return [_message(text, segment) for segment in messages]
    labelled = list(_labelled(text))
    if labelled:
        return labelled
    authors = document.get("authors") or ()
    if document.get("source") == "note":
        return [Turn(0, len(text), authors[0] if len(authors) == 1 else OWNER)]
    return [Turn(0, len(text), authors[0] if len(authors) == 1 else None)]


def speaker_mentions(turns: list[Turn]) -> Iterator[Mention]:
    """Yield the labels that are names of persons."""
    for turn in turns:
        if turn.label is not None and turn.names_person and turn.speaker is not None:
            yield Mention(*turn.label, turn.speaker, "Person", FULL_NAME)


def _message(text: str, segment: dict[str, Any]) -> Turn:
    start, end, speaker = segment["start"], segment["end"], segment.get("speaker")
    label = f"{speaker}:"
    if speaker and text.startswith(label, start):
        return Turn(start + len(label), end, speaker, (start, start + len(speaker)))
    return Turn(start, end, speaker)


def _labelled(text: str) -> Iterator[Turn]:
    labels = [m for m in _LABEL.finditer(text) if _is_speaker(m.group("name"))]
    if len(labels) < 2:
        return
    if text[: labels[0].start()].strip():
        yield Turn(0, labels[0].start())
    ends = [*(m.start() for m in labels[1:]), len(text)]
    for match, end in zip(labels, ends, strict=True):
        yield Turn(match.end(), end, match.group("name"), match.span("name"))


def _is_speaker(name: str) -> bool:
    return name.casefold() in HUMAN_ROLES | MACHINE_ROLES or name.split(" ")[0] in given_names()
