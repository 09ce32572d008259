"""No text makes the work on an item raise, and every span lies in its text: thousands of odd texts for each stage."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from brain_pipelines.engine.stage import Row, StageOutput
from brain_pipelines.readers.contract import Delivery, Reading
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages import chunks, enrichments, extractions, extractions_local, text
from brain_pipelines.stages.chunking.sizing import chunking_for
from brain_pipelines.stages.chunks import chunk_document
from brain_pipelines.stages.extraction.local.time.date_ranges import period_of
from brain_pipelines.stages.extraction.local.time.time_expressions import find_phrases, stated_between
from brain_pipelines.stages.normalise import clean, normalise
from brain_retrieval.errors import BadInputError
from brain_retrieval.models.embedding.tokenizer import build_tokenizer
from brain_retrieval.settings import Settings
from tests.pipelines.stages.extraction.local.documents import WHEN, conversation, document
from tests.pipelines.stages.odd_texts import ODD, odd_texts, times

DAY = "2026-03-02"
LANGUAGES = (None, "fr-FR", "en-gb", "de_AT", "zh", "xx", "English", "")
SOURCES = ("note", "email", "conversation")


@cache
def cleaned(count: int) -> list[Row]:
    """Return rows of DOCUMENT_TEXT of odd texts: alone, and in every seventh two of them as turns."""
    texts = [t for t in (clean(t) for t in odd_texts(count)) if t.strip()]
    rows = [document(t, title=t[:40], anchors=[], segments=[whole(t)]) for t in texts]
    rows[::7] = [conversation([("Ann", row["text"]), (row["text"][:30], "Yes.")], anchors=[]) for row in rows[::7]]
    return [complete(row, n) for n, row in enumerate(rows)]


def whole(text: str) -> Row:
    return {"start": 0, "end": len(text), "kind": "section"}


def complete(row: Row, number: int) -> Row:
    places = {"section": None, "speaker": None, "time": None, "message_id": None}
    places |= dict.fromkeys(("page", "box", "start_seconds", "end_seconds", "cells"))
    if number % 9 == 0:
        row["language"] = LANGUAGES[number // 9 % len(LANGUAGES)]
    missing = dict.fromkeys(("url", "fetched_at", "parent_id", "attributes"))
    row["segments"] = [{**places, **s} for s in row["segments"]]
    return {**missing, "participants": [], **row, "source_id": f"source_{number}"}


def holding(rows: list[Row]) -> Any:
    """Return what the validity checks look at of a stage's input."""
    return SimpleNamespace(rows={DAY: rows})


def test_cleaning_keeps_segments_in_the_text_and_is_done_once() -> None:
    for odd in odd_texts(4000):
        middle = len(odd) // 2
        segments = [whole(odd[:middle]), {**whole(odd), "start": middle}]
        anchors = [{"start": middle, "end": len(odd)}]
        cut, moved, placed, _ = normalise(odd, [s for s in segments if s["start"] < s["end"]], anchors)
        cut.encode()
        assert clean(clean(odd)) == clean(odd)
        assert all(0 <= s["start"] < s["end"] <= len(cut) for s in (*moved, *placed))


def files(source: str, count: int, directory: Path) -> Iterator[Path]:
    for number, odd in enumerate(odd_texts(count)):
        path = directory / f"{number}.{ {'note': 'md', 'email': 'eml', 'conversation': 'jsonl'}[source] }"
        data = odd.encode("utf-8", "surrogatepass")
        if source == "email" and number % 2:
            mail = EmailMessage()
            mail["Subject"] = " ".join(clean(odd)[:60].split()) or "none"
            mail["From"] = "ann@example.org"
            mail.set_content(data.decode("utf-8", "replace"))
            data = mail.as_bytes()
        elif source == "conversation" and number % 4:
            chat = {"speaker": odd[:20], "content": odd, "timestamp": times(random.Random(number)), "session": odd[:9]}
            data = json.dumps(chat).encode()
        path.write_bytes(data)
        yield path


@pytest.mark.parametrize("source", SOURCES)
def test_every_file_is_read_or_refused(source: str, tmp_path: Path) -> None:
    settings, kind = Settings(), SOURCES_BY_NAME[source]
    scratch, read = tmp_path / "scratch", 0  # of its own: what lies there goes into and out of the sandbox
    scratch.mkdir()
    for path in files(source, 400, tmp_path):
        delivery = Delivery("alice", f"inbox:{source}/{path.name}", path, path.stat().st_size, WHEN, WHEN)
        for item in kind.locate(delivery, UTC, settings.limits):
            place = tmp_path / "item"
            place.write_bytes(path.read_bytes() if item.content is None else item.content)
            try:
                row, _ = text.read_text(raw_row(source, path, item, place), place, kind, Reading(settings, scratch))
            except BadInputError as error:
                assert str(error)
                continue
            output = StageOutput()
            output.add("text", DAY, [row])
            assert text.segments_inside_text(holding([]), output) == 0
            json.dumps([row["title"], row["text"], row["attributes"]], ensure_ascii=False).encode()
            read += 1
    assert read > 150


def raw_row(source: str, path: Path, item, place: Path) -> Row:
    detected = detect_format(place)
    return {
        "source_id": "s",
        "sha256": sha256(place.read_bytes()).hexdigest(),
        "source": source,
        "uri": f"inbox:{source}/{path.name}",
        "day": DAY,
        "event_at": item.event_at,
        "received_at": WHEN,
        "event_from": item.event_from,
        "trust": "owner",
        "sensitivity": "normal",
        "ttl_policy": None,
        "item": item.fragment,
        "name": item.name or path.name,
        "parent_id": None,
        "url": None,
        "fetched_at": None,
        "meta": json.dumps(dict(item.meta)),
        "format": detected.name,
        "mime": detected.mime,
    }


def test_chunks_are_slices_of_odd_texts() -> None:
    settings = Settings()
    counter = build_tokenizer(settings.embedding, models_dir=settings.models_dir)
    rows = cleaned(1000)
    output = StageOutput()
    for number, row in enumerate(rows):
        source = SOURCES_BY_NAME[SOURCES[number % 3]]
        output.add("chunks", DAY, chunk_document(row, chunking_for(source, settings, row["format"]), counter))
    assert len(output.tables["chunks"][DAY]) >= len(rows)
    assert chunks.chunks_are_slices(holding(rows), output) == 0


def test_odd_texts_are_enriched_with_well_formed_rows() -> None:
    rows = cleaned(1000)
    output = StageOutput()
    for row in rows:
        output.add("enrichments", DAY, [enrichments._enriched(row, None, again=False)[0]])
    assert enrichments.enrichments_well_formed(holding(rows), output) == 0


def test_expressions_of_time_are_periods_or_nothing() -> None:
    chance = random.Random(3)
    said = datetime(2026, 3, 4, tzinfo=UTC)
    for odd in (*odd_texts(3000, seed=11), *(f"for {times(chance)} and {times(chance)}" for _ in range(4000))):
        phrases = list(find_phrases(odd))
        assert all(0 <= p.start < p.end <= len(odd) for p in phrases)
        for predicate in ("live in", "join", "leave", ""):
            start, end = stated_between(phrases, predicate, said, UTC)
            assert not (start and end) or start < end
        period = period_of(odd, said.date(), 1)
        assert period is None or period.start < period.end


def test_local_extraction_of_odd_texts_cites_them() -> None:
    rows = [row for row in cleaned(1500 + len(ODD)) if len(row["text"]) < 400]
    output = StageOutput()
    for found in extractions_local.extract_documents(rows):
        output.add("mentions", DAY, found.mentions)
        output.add("facts", DAY, found.facts)
    assert len(rows) > 1400 and len(output.tables["mentions"][DAY]) > 500 and len(output.tables["facts"][DAY]) > 100
    assert extractions.extractions_cite_text(holding(rows), output) == 0
