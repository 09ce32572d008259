"""Extraction without a chat model or network: cleaned text → rows of mentions, entities, facts and memories.

Named entity recognition, coreference and relation extraction are in `stages/extraction/local/`, the sentences that
become memories in `stages/extraction/memories/`; this module builds the rows, whose ids depend on the content only.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from typing import Any

from brain_pipelines.stages.extraction.local.agent_memories import method_of, operation_memories
from brain_pipelines.stages.extraction.local.agent_operations import (
    complete_operation,
    is_operation,
    operation_mentions,
    operation_turns,
)
from brain_pipelines.stages.extraction.local.language import is_english, known_language
from brain_pipelines.stages.extraction.local.names.attendance import is_listed_person
from brain_pipelines.stages.extraction.local.names.correspondents import correspondents_of
from brain_pipelines.stages.extraction.local.names.entities import Registry
from brain_pipelines.stages.extraction.local.names.person_form import former_names, own_names
from brain_pipelines.stages.extraction.local.names.speakers import OWNER, speaker_mentions, turns_of
from brain_pipelines.stages.extraction.local.nlp import DEFAULT_MODEL
from brain_pipelines.stages.extraction.local.parse_facts import (
    Fact,
    ParsedText,
    TextToRead,
    read_texts,
    read_unparsed,
)
from brain_pipelines.stages.extraction.local.relations.fact_properties import properties_of
from brain_pipelines.stages.extraction.local.relations.patterns import pattern_mentions
from brain_pipelines.stages.extraction.local.relations.relations import relation_of
from brain_pipelines.stages.extraction.local.time.time_expressions import stated_between
from brain_pipelines.stages.extraction.memories.memory_rows import Making, memory_rows
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.setting import settings_of
from brain_pipelines.stages.prose.parts import parts_of
from brain_retrieval.ids import content_id
from brain_retrieval.schemas.names import SOURCE_NAMES

BATCH_CHARS = 100_000

Row = dict[str, Any]
LOCAL = "local"
_UNSAID = dict.fromkeys(("description", "attitude", "proximity", "properties")) | {"method": LOCAL}


@dataclass
class Extraction:
    """Rows of MENTIONS, ENTITIES, FACTS and MEMORIES of one source, without `code_version` and `config_hash`.

    `sentences` are those that the memories were chosen from.
    """

    mentions: list[Row] = field(default_factory=list)
    entities: list[Row] = field(default_factory=list)
    facts: list[Row] = field(default_factory=list)
    memories: list[Row] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


def extract_document(document: Row, model: str = DEFAULT_MODEL, zone: tzinfo = UTC) -> Extraction:
    """Return the extraction of one row of DOCUMENT_TEXT. `extract_documents` is faster for many."""
    return next(extract_documents([document], model, zone))


def extract_documents(documents: Iterable[Row], model: str = DEFAULT_MODEL, zone: tzinfo = UTC) -> Iterator[Extraction]:
    """Yield the extraction of each row of DOCUMENT_TEXT, in order; none depends on the others.

    A text that is not English yields no facts. Relative dates are days of `zone`.

    Raises:
        ModelMissingError: if the parser `model` is not installed.
    """
    for batch in batches(map(_with_language, documents)):
        turns = [operation_turns(d) if is_operation(d) else turns_of(d) for d in batch]
        parts = [parts_of(document) for document in batch]
        texts = [
            TextToRead(d["text"], t, settings_of(d, t, zone, p), p, correspondents_of(d))
            for d, t, p in zip(batch, turns, parts, strict=True)
        ]
        english = [is_english(d.get("language"), d["text"]) for d in batch]
        parsed = iter(read_texts([text for text, parse in zip(texts, english, strict=True) if parse], model))
        for document, text, parse in zip(batch, texts, english, strict=True):
            found = next(parsed) if parse else read_unparsed(text, document.get("language"))
            yield _extraction(document, text, found, zone)


def _with_language(document: Row) -> Row:
    """Return a document with the language of its words, where it is too short to be identified otherwise."""
    return {**document, "language": known_language(document.get("language"), document["text"])}


def batches(documents: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield batches of about BATCH_CHARS characters, so that the parser's batches are full and memory is bounded."""
    batch: list[Row] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document["text"])
        if size >= BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _extraction(document: Row, read: TextToRead, parsed: ParsedText, zone: tzinfo) -> Extraction:
    text = document["text"]
    written = [mention for mention in pattern_mentions(text) if not read.is_nameless(mention.start)]
    mentions = [*speaker_mentions(list(read.turns)), *written, *parsed.mentions]
    mentions += operation_mentions(document) if is_operation(document) else []
    registry = Registry(document["source_id"], mentions, text, read.correspondents)
    for present, former in former_names(text):
        registry.also_called(present, former)
    for turn in read.turns:
        if turn.first_person == OWNER and not turn.quoted:
            for name in filter(is_listed_person, own_names(text[turn.start : turn.end])):
                registry.also_called(registry.find(OWNER, "Person").name, name)
    # A list, and before the entities: facts may add entities to the registry.
    facts = list(_fact_rows(document, parsed.facts, registry, zone))
    making = Making(entity_id=registry.id_of, zone=zone)
    if is_operation(document):
        making = replace(making, method=method_of(document), every=True)
    foreign = [] if is_operation(document) else [(turn.start, turn.end) for turn in read.turns if turn.is_foreign]
    shared = {name: document[name] for name in SOURCE_NAMES}
    extraction = Extraction(
        mentions=[{**shared, **row, "method": LOCAL} for row in registry.mention_rows(text)],
        entities=[{**shared, "description": None, **row, "method": LOCAL} for row in registry.entity_rows(foreign)],
        facts=[{**shared, **_UNSAID, **row} for row in facts],
        memories=memory_rows(document, parsed.sentences, making),
        sentences=parsed.sentences,
    )
    if is_operation(document):
        complete_operation(document, extraction.mentions, extraction.entities, extraction.facts)
        extraction.memories = operation_memories(document, extraction.memories)
    return extraction


def said_at(document: Row, position: int) -> Any:
    """Return the time of the words at a character offset: that of their message, else of the source."""
    for segment in document.get("segments") or ():
        if segment["start"] <= position < segment["end"] and segment.get("time") is not None:
            return segment["time"]
    return document["event_at"]


def _fact_rows(document: Row, facts: list[Fact], registry: Registry, zone: tzinfo) -> Iterator[Row]:
    """Yield one row for each fact; among duplicates in one sentence the one with the highest confidence."""
    seen: set[str] = set()
    for fact in sorted(facts, key=lambda f: (f.start, -f.confidence)):
        subject = registry.find(fact.subject, fact.subject_type)
        obj = registry.find(fact.object, fact.object_type) if fact.object_type != "Literal" else None
        name = fact.object if obj is None else obj.name
        if subject.entity_id == (obj.entity_id if obj else None):
            continue
        fact_id = content_id("fact", registry.source_id, subject.name, fact.predicate, name, fact.start)
        if fact_id in seen:
            continue
        seen.add(fact_id)
        said = said_at(document, fact.start)
        stated_from, stated_to = stated_between(fact.times, fact.predicate, said, zone)
        yield {
            "fact_id": fact_id,
            "subject": subject.name,
            "subject_id": subject.entity_id,
            "subject_type": subject.type,
            "predicate": fact.predicate,
            "relation": relation_of(fact.predicate, subject.type, obj.type if obj else "Literal"),
            "object": name,
            "object_id": obj.entity_id if obj else None,
            "object_type": obj.type if obj else "Literal",
            "polarity": fact.polarity,
            "modality": fact.modality,
            "confidence": fact.confidence,
            "rule": fact.rule,
            "start": fact.start,
            "end": fact.end,
            "evidence": document["text"][fact.start : fact.end],
            "speaker": fact.speaker,
            "said_at": said,
            "stated_from": stated_from,
            "stated_to": stated_to,
            "properties": properties_of(fact.predicate, name, fact.times),
        }
