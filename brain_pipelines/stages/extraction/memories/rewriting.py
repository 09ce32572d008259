"""A sentence as a text that is readable on its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals


@dataclass(frozen=True)
class Participant:
    """Who or what takes part in a sentence. `name` is "user" for the owner; `role` is one of MEMORY_ENTITY."""

    name: str
    type: str
    role: str  # speaker | listener | subject | named


@dataclass(frozen=True)
class Rewritten:
    """A sentence readable on its own, if `self_contained`; else something in it still refers outside."""

    text: str
    self_contained: bool
    participants: tuple[Participant, ...] = ()


def rewrite(
    sentence: Sentence, signals: Signals, before: Sequence[Sentence], owner_name: str | None = None
) -> Rewritten:
    """Return the text of a sentence and who takes part in it."""
    del signals, before, owner_name
    named = tuple(Participant(name.text, name.type, "named") for name in sentence.names)
    speaker = (Participant(sentence.speaker, "Person", "speaker"),) if sentence.speaker else ()
    return Rewritten(sentence.text, True, (*speaker, *named))
