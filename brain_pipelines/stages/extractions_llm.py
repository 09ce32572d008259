"""Extraction with a chat model: its answers → the same rows as local extraction, with exact spans.

Requests are built in `extraction/llm/`. A text without a usable answer is extracted locally and gets an issue.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from brain_pipelines.engine.isolation import concerns_run, isolated
from brain_pipelines.engine.stage import Row, StageInput, StageOutput
from brain_pipelines.readers.contract import Issue, describe
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.extraction.llm.client import OUTPUT_TOKENS, TextReading, read_with
from brain_pipelines.stages.extraction.llm.facts import Stated, facts_of
from brain_pipelines.stages.extraction.llm.names import Named, Names
from brain_pipelines.stages.extraction.llm.prompt import VERSION
from brain_pipelines.stages.extraction.local.names.speakers import OWNER, Turn, speaker_mentions, turns_of
from brain_pipelines.stages.extraction.local.relations.patterns import pattern_mentions
from brain_pipelines.stages.extractions_local import Extraction, batches, said_at
from brain_retrieval.ids import content_id
from brain_retrieval.models.chat.cached_chat import CachedChat
from brain_retrieval.schemas import SOURCE_COLUMNS
from brain_retrieval.settings import Settings

LLM = "llm"
CODE_VERSION = "1"
_SOURCE_FIELDS = [column.name for column in SOURCE_COLUMNS]


@dataclass(frozen=True)
class Outcome:
    """The extraction of one text, None without a usable answer; `remark` is the reason of an issue, "" for none."""

    extraction: Extraction | None
    remark: str = ""


def config(settings: Settings, source: Source) -> list[Any]:
    """Return the settings that the rows depend on; never the API key, the URL of the model or the batch size."""
    if not wants_llm(settings, source):
        return []
    return [LLM, settings.llm.model, VERSION, CODE_VERSION, settings.llm.max_input_chars]


def wants_llm(settings: Settings, source: Source) -> bool:
    """Return whether a chat model is configured for extraction from this source."""
    return settings.extraction.provider == LLM and not source.extract_locally


def run_extractions(
    stage_input: StageInput, read_locally: Callable[[Sequence[Row]], Iterable[Extraction]]
) -> StageOutput:
    """Extract mentions, entities and facts from every text of the span, with a chat model if one is configured.

    Args:
        stage_input: rows of DOCUMENT_TEXT by day.
        read_locally: yields the extractions, in order, of the rows without a usable answer of the model.
    """
    output = StageOutput()
    settings = stage_input.settings
    days = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    total = len(days)
    outcomes = [Outcome(None)] * total
    asked = total and wants_llm(settings, stage_input.source)
    chat = stage_input.chat(max_output_tokens=OUTPUT_TOKENS) if asked else None
    if chat is not None:
        with chat:
            outcomes = extract_with(chat, [row for _, row in days], settings, progress=stage_input.progress)
    local = [row for (_, row), outcome in zip(days, outcomes, strict=True) if outcome.extraction is None]
    read = _each(local, read_locally)
    done = total - len(local)
    for (day, row), outcome in zip(days, outcomes, strict=True):
        extraction = outcome.extraction
        if extraction is None:
            extraction = next(read)
            done += 1
            stage_input.progress(done, total, "texts")
        if isinstance(extraction, Exception):
            output.fail(day, row, extraction)
            continue
        output.add("mentions", day, extraction.mentions)
        output.add("entities", day, extraction.entities)
        output.add("facts", day, extraction.facts)
        output.add("memories", day, extraction.memories)
        if outcome.remark:
            issue = Issue(row["source_id"], row["uri"], outcome.remark[:500], "repaired")
            output.issues.setdefault(day, []).append(issue)
    return output


def _each(
    rows: Sequence[Row], read_locally: Callable[[Sequence[Row]], Iterable[Extraction]]
) -> Iterator[Extraction | Exception]:
    """Yield the local extraction of each row, in order; for a row that makes the extractor raise, the error."""
    for batch in batches(rows):
        for _, found in isolated(batch, lambda some: list(read_locally(some))):
            yield from [found] if isinstance(found, Exception) else found


def extract_with(
    chat: CachedChat,
    documents: Sequence[Row],
    settings: Settings,
    *,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Outcome]:
    """Return the outcome for each row of DOCUMENT_TEXT, in order. A failing endpoint does not raise."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None and count:
            progress(min(done, len(documents)), len(documents), "texts")

    readings = read_with(
        chat,
        documents,
        batch_size=settings.extraction.batch_size,
        max_input_chars=settings.llm.max_input_chars,
        progress=advance,
    )
    return [_outcome(document, reading, settings) for document, reading in zip(documents, readings, strict=True)]


def _outcome(document: Row, reading: TextReading, settings: Settings) -> Outcome:
    if reading.error is not None:
        said = f"read without the chat model, `brain rerun --force` asks it again: {reading.error}"
        return Outcome(None, said)
    try:
        extraction = rows_of(document, reading, settings)
    except Exception as error:
        if concerns_run(error):
            raise
        return Outcome(None, f"read without the chat model, whose answer could not be used: {describe(error)}")
    count = reading.dropped
    remark = f"the chat model's quotes of {count} statements are not in the text; they are left out" if count else ""
    return Outcome(extraction, remark)


def rows_of(document: Row, reading: TextReading, settings: Settings) -> Extraction:
    """Return the MENTIONS, ENTITIES and FACTS rows of one text."""
    text = document["text"]
    turns = turns_of(document)
    marks = [*speaker_mentions(turns), *pattern_mentions(text)]
    names = Names(document["source_id"], text, reading.parts, marks)
    stated = facts_of(text, reading.parts, names, document.get("language"), settings.zone)
    shared = {name: document[name] for name in _SOURCE_FIELDS}
    # A list, and before the entities: facts may add entities to `names`.
    facts = list(_fact_rows(document, stated, turns))
    return Extraction(
        mentions=[{**shared, **row} for named in names for row in _mention_rows(document, named)],
        entities=[{**shared, **_entity_row(named)} for named in names],
        facts=[{**shared, **row} for row in facts],
    )


def _mention_rows(document: Row, named: Named) -> Iterator[Row]:
    for start, end in sorted(named.spans):
        yield {
            "mention_id": content_id("mention", document["source_id"], start, end),
            "entity_id": named.entity_id,
            "name": named.name,
            "type": named.type,
            "text": document["text"][start:end],
            "start": start,
            "end": end,
            "confidence": named.confidence,
            "method": named.method,
        }


def _entity_row(named: Named) -> Row:
    return {
        "entity_id": named.entity_id,
        "name": named.name,
        "type": named.type,
        "aliases": sorted(named.forms - {named.name}),
        "mention_count": len(named.spans),
        "confidence": named.confidence,
        "description": named.description or None,
        "method": named.method,
    }


def _fact_rows(document: Row, facts: Iterator[Stated], turns: Sequence[Turn]) -> Iterator[Row]:
    """Yield one row for each fact; among duplicates in one sentence the one with the highest confidence."""
    seen: set[str] = set()
    source_id, text = document["source_id"], document["text"]
    for fact in sorted(facts, key=lambda f: (f.start, -f.confidence)):
        fact_id = content_id("fact", source_id, fact.subject.name, fact.predicate, fact.value, fact.start)
        if fact_id in seen:
            continue
        seen.add(fact_id)
        turn = next((t for t in turns if t.start <= fact.start < t.end), None)
        yield {
            "fact_id": fact_id,
            "subject": fact.subject.name,
            "subject_id": fact.subject.entity_id,
            "subject_type": fact.subject.type,
            "predicate": fact.predicate,
            "relation": fact.relation,
            "object": fact.value,
            "object_id": fact.object.entity_id if fact.object else None,
            "object_type": fact.object.type if fact.object else "Literal",
            "polarity": fact.polarity,
            "modality": fact.modality,
            "confidence": fact.confidence,
            "said_at": said_at(document, fact.start),
            "stated_from": fact.stated_from,
            "stated_to": fact.stated_to,
            "description": fact.description or None,
            "attitude": None,
            "proximity": None,
            "rule": LLM,
            "method": LLM,
            "start": fact.start,
            "end": fact.end,
            "evidence": text[fact.start : fact.end],
            "speaker": turn.speaker if turn and (turn.label or turn.speaker != OWNER) else None,
        }
