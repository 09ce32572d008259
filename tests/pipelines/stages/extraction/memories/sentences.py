"""Sentences without a parse, for the tests of signals."""

from datetime import UTC, date, datetime

from brain_pipelines.stages.extraction.memories.sentence import Sentence

SAID = date(2025, 6, 18)


def sentence(text: str, language: str = "en", speaker: str | None = None) -> Sentence:
    """Return a sentence said on 18 June 2025, a Wednesday."""
    said_at = datetime(SAID.year, SAID.month, SAID.day, 12, tzinfo=UTC)
    return Sentence(text, range(len(text)), said_at, SAID, "note", language, speaker)
