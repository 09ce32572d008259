"""Rows of MEMORIES by the local tier, improved by a model's entries. What an entry may change is checked here.

The rows stay the same in number, id and evidence: a model judges, rewrites and classifies. A line that fails a check
leaves its row as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta, tzinfo

from brain_pipelines.stages.extraction.llm.changes import changed
from brain_pipelines.stages.extraction.llm.checks import fault_of, is_near, may_end, says_slot
from brain_pipelines.stages.extraction.llm.client import Kept
from brain_pipelines.stages.extraction.llm.lines import Group, Line, Row
from brain_pipelines.stages.extraction.llm.notes import moment, numbers_of, period_of, slot_of
from brain_pipelines.stages.extraction.llm.prompt import Entry
from brain_pipelines.stages.extraction.llm.quantities import may_state

LLM = "llm"
# The probability of worth after a model's yes and no. Set by rule: there are no labelled answers of a model.
YES, NO = 0.8, 0.3
MOST_ENDED = 4
NO_PLACE = "words to replace are not in the line"
STANCES = ("possible", "conditional", "reported", "question")


@dataclass
class Improved:
    """New rows by memory id, and why lines of the model were not used."""

    rows: dict[str, Row] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def improve_group(group: Group, kept: Kept, zone: tzinfo) -> Improved:
    """Return the rows of a group's sentences after the model's answer. Days are those of `zone`."""
    entries = {entry.i: entry for entry in kept.entries}
    found = Improved()
    for number, line in enumerate(group.lines, 1):
        row, entry = line.row, entries.get(number)
        if entry is None:
            found.rows[row["memory_id"]] = {**row, "keep": min(row["keep"], NO), "method": LLM}
            continue
        text = changed(row["text"], entry.words)
        if text == row["text"]:
            text, fault = "", ""  # nothing to check: the line is the stored one
        else:
            fault = NO_PLACE if text is None else fault_of(text, line, group.language)
        if fault:
            found.faults.append(fault)
        else:
            found.rows[row["memory_id"]] = _improved(line, entry, text or "", group, group.lines[: number - 1], zone)
    return found


def _improved(line: Line, entry: Entry, text: str, group: Group, earlier: Sequence[Line], zone: tzinfo) -> Row:
    row, language = line.row, group.language
    return {
        **row,
        "text": text or row["text"],
        "kind": entry.k or row["kind"],
        "keep": max(row["keep"], YES),
        "self_contained": row["self_contained"] or bool(text),
        "method": LLM,
        **_times(line, entry, language, zone),
        **_stance(row, entry),
        **_slot(row, entry, text or row["text"], language),
        **_changes(row, entry, earlier, language),
    }


def _notes(entry: Entry, kind: str) -> list[str]:
    return [note.v for note in entry.n if note.k == kind]


def _times(line: Line, entry: Entry, language: str | None, zone: tzinfo) -> Row:
    """Return the stated start and end, where the rules found none, the sentence has a time, and the two agree."""
    row = line.row
    since, until = (_period(line, _notes(entry, kind), language) for kind in ("from", "until"))
    start = row["effective_from"] if row["from_stated"] or since is None else moment(since[0], zone)
    end = row["valid_to"] if row["valid_to"] is not None or until is None else moment(until[1], zone)
    if end is not None and start >= end:
        return {}
    return {
        "effective_from": start,
        "from_stated": start != row["effective_from"] or row["from_stated"],
        "valid_to": end,
    }


def _period(line: Line, given: Sequence[str], language: str | None) -> tuple[date, date] | None:
    period = period_of(given[0]) if given and is_near(given[0].strip(), line) else None
    if period and not may_state(given[0].strip(), f"{line.row['evidence']} {line.row['text']}", language):
        return None
    # The first and the last years of the calendar cannot be moved to another zone.
    return period if period and timedelta(days=2) < period[0] - date.min and period[1].year < date.max.year else None


def _stance(row: Row, entry: Entry) -> Row:
    """Return the modality: a model may doubt what the rules took as asserted, never the other way round."""
    given = [value for value in _notes(entry, "stance") if value in STANCES]
    return {"modality": given[0]} if given and row["modality"] == "asserted" else {}


def _slot(row: Row, entry: Entry, text: str, language: str | None) -> Row:
    slots = [slot for slot in map(slot_of, _notes(entry, "slot")) if slot is not None]
    if row["slot_attribute"] is not None or not slots or row["modality"] != "asserted":
        return {}
    if not says_slot(slots[0], text, row, language):
        return {}
    subject, attribute, value = slots[0]
    return {"slot_subject": subject, "slot_attribute": attribute, "slot_value": value}


def _changes(row: Row, entry: Entry, earlier: Sequence[Line], language: str | None) -> Row:
    numbers = {number for given in _notes(entry, "changes") for number in numbers_of(given)}
    named = [line.row for number, line in enumerate(earlier, 1) if number in numbers]
    ended = [one["memory_id"] for one in named if may_end(row, one, language)]
    # One sentence that ends everything above it was not understood.
    return {"ends_hint": ended, "cue": "strong"} if 0 < len(named) <= MOST_ENDED and ended else {}
