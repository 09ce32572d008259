"""Texts and memories as habits read them, made up for tests."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from brain_pipelines.knowledge.memory.habits.build import build_habits
from brain_pipelines.knowledge.memory.habits.stated import MEMORY_COLUMNS
from brain_pipelines.knowledge.memory.habits.written import TEXT_COLUMNS
from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.stores.knowledge_tables import KNOWN_ENTITIES

NOW = datetime(2026, 12, 1, tzinfo=UTC)
Turn = tuple[str, str]  # speaker, what was said


def notes(entries: Mapping[date, str], language: str = "en", source: str = "note") -> pl.DataFrame:
    """Return notes of days."""
    rows = [_row(f"n-{day}", day, text, [], language, source) for day, text in entries.items()]
    return _frame(rows)


def diary_file(entries: Mapping[date, str], written_on: date) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return one file with a section for each day, and its memories, which know the days of the sections."""
    text, sections = "", list[tuple[int, int, str]]()
    for said in entries.values():
        sections.append((len(text), len(text) + len(said), ""))
        text += f"{said}\n"
    row = _row("file", written_on, text, sections, "en", "note")
    plain = [{**one, "kind": "section", "speaker": None, "time": None} for one in row["segments"]]
    whole = _frame([{**row, "segments": plain}])
    found = memories(dict.fromkeys(entries, "-"), whole.with_columns(event_at=pl.lit(at(written_on))), source_id="file")
    starts = pl.Series([start for start, _, _ in sections])
    return whole, found.with_columns(start=starts, end=starts + 1)


def talks(entries: Mapping[date, Sequence[Turn]], language: str = "en") -> pl.DataFrame:
    """Return talks of days, as texts with a line for each turn."""
    rows = []
    for day, turns in entries.items():
        text, segments = "", []
        for speaker, said in turns:
            line = f"{speaker}: {said}"
            segments.append((len(text), len(text) + len(line), speaker))
            text += f"{line}\n"
        rows.append(_row(f"t-{day}", day, text, segments, language, "conversation"))
    return _frame(rows)


def memories(said: Mapping[date, str], texts: pl.DataFrame, **fields: object) -> pl.DataFrame:
    """Return asserted memories of notes, with these values of other columns."""
    schema = {name: kind for name, kind in _empty("memories").schema.items() if name in MEMORY_COLUMNS}
    plain: dict[str, Any] = {
        "keep": 0.8,
        "kind": "fact",
        "modality": "asserted",
        "polarity": "affirmed",
        "speaker": None,
        **fields,
    }
    found = dict(texts.select(pl.col("event_at").dt.date(), "source_id").iter_rows())
    of_all = plain.pop("source_id", None)
    rows = [
        {
            **plain,
            "memory_id": f"m-{day}",
            "source_id": of_all or found[day],
            "start": 0,
            "end": len(text),
            "said_at": at(day),
            "text": text,
            "evidence": text,
        }
        for day, text in said.items()
    ]
    return pl.DataFrame(rows, schema=schema)


def habits(texts: pl.DataFrame, said: pl.DataFrame | None = None, *, now: datetime = NOW) -> list[dict[str, Any]]:
    """Return the habits, computed twice from rows in different orders."""
    said = memories({}, texts) if said is None else said
    known = pl.DataFrame(KNOWN_ENTITIES.empty_table())
    one, other = (
        build_habits(t, m, known, now=now, zone=ZoneInfo("UTC"))
        for t, m in ((texts, said), (texts.reverse(), said.reverse()))
    )
    assert one.equals(other)
    return one.to_dicts()


def at(day: date) -> datetime:
    """Return the noon of a day."""
    return datetime.combine(day, time(12), tzinfo=UTC)


def _row(
    source_id: str, day: date, text: str, segments: Sequence[tuple[int, int, str]], language: str, source: str
) -> dict[str, Any]:
    kinds = [
        {"start": start, "end": end, "kind": "message", "speaker": speaker, "time": at(day)}
        for start, end, speaker in segments or [(0, len(text), None)]
    ]
    return {
        "source_id": source_id,
        "source": source,
        "language": language,
        "event_at": at(day),
        "sensitivity": "normal",
        "ttl_policy": None,
        "text": text,
        "segments": [{name: kind.get(name) for name in _fields()} for kind in kinds],
    }


def _fields() -> list[str]:
    return [one.name for one in TABLES["text"].field("segments").type.value_type]


def _empty(table: str) -> pl.DataFrame:
    return pl.DataFrame(TABLES[table].empty_table())


def _frame(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    schema = {name: kind for name, kind in _empty("text").schema.items() if name in TEXT_COLUMNS}
    return pl.DataFrame(rows, schema=schema).select(TEXT_COLUMNS)
