"""Labelled sentences for `memorable.py`, read as the extraction stage reads them.

One JSON object a line: sentence, prev (the one before, "Speaker: …" in talk), source, group, origin, draw, date,
speaker, listener, keep, kind, gold; language where it is known.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from brain_pipelines.stages.extraction.local.blocks import blocks_of
from brain_pipelines.stages.extraction.local.names.names import find_names
from brain_pipelines.stages.extraction.local.names.speakers import OWNER
from brain_pipelines.stages.extraction.local.nlp import parse, scope
from brain_pipelines.stages.extraction.memories.parsed import sentences_of
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_pipelines.stages.extraction.memories.setting import Setting
from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.text import language_of

SOURCES = {"mail": "email"}
NO_DATE = date(2026, 1, 1)
BLOCK = 50  # numbers of neighbouring items that may be of one meeting
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A labelled sentence. `sentence` is None if it is taken for no prose, which predicts that it is not kept."""

    row: Row
    sentence: Sentence | None
    before: Sequence[Sentence]
    signals: Signals

    @property
    def keep(self) -> bool:
        return bool(self.row["keep"])

    @property
    def document(self) -> str:
        """The text that it is of: a conversation, a note, a meeting, a mail."""
        number = self.row["origin"].rsplit(" ", 1)[-1]
        if self.row["source"] == "meeting" and number.isdigit():
            return f"{self.row['group']} {int(number) // BLOCK}"
        return (
            self.row["group"] if self.row["source"] == "conversation" else f"{self.row['group']} {self.row['origin']}"
        )


def labelled(paths: Iterable[Path], *, parsed: bool = True) -> list[Case]:
    """Return the cases of the files; without `parsed` English is read like a language without a parser."""
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines() if line.strip()]
    languages = _languages(rows)
    with scope():
        return [_case(row, languages[row["origin"]], parsed) for row in rows]


def _languages(rows: Sequence[Row]) -> dict[str, str]:
    together: dict[str, list[str]] = {}
    for row in rows:
        together.setdefault(row["origin"], []).append(row["sentence"])
    known = {row["origin"]: row["language"] for row in rows if row.get("language")}
    found = {origin: language_of(" ".join(sentences)) for origin, sentences in together.items() if len(sentences) > 2}
    return {origin: known.get(origin) or found.get(origin) or "en" for origin in together}


def _case(row: Row, language: str, parsed: bool) -> Case:
    said, before = row["sentence"], row["prev"] or ""
    speaker, spoken = OWNER if row["source"] == "note" else row["speaker"], None
    if speaker and row["source"] not in ("note", "mail") and ": " in before:
        spoken, before = before.split(": ", 1)
    found = _read(said, row, speaker, row["listener"], language, parsed)
    sentence = max(found, key=lambda each: len(each.text)) if found else None
    earlier = _read(before, row, spoken, None, language, parsed)
    return Case(row, sentence, earlier, read_signals(sentence) if sentence else Signals())


def _read(
    text: str, row: Row, speaker: str | None, listener: str | None, language: str, parsed: bool
) -> list[Sentence]:
    day = date.fromisoformat(row["date"]) if row["date"] else NO_DATE
    source = str(row["source"])
    setting = Setting(
        text, datetime.combine(day, time(12), UTC), day, SOURCES.get(source, source), language, speaker, listener
    )
    blocks = list(blocks_of(text))
    if not parsed or language != "en":
        return [sentence for block in blocks for sentence in sentences_of(block, None, setting)]
    found: list[Sentence] = []
    for block, doc in parse(blocks):
        found += sentences_of(block, doc, setting, find_names(doc))
    return found
