"""Rows of MEMORIES for the tests: one for each sentence of a text, as plain as the local tier makes them."""

from collections.abc import Iterable, Iterator
from typing import Any

from brain_pipelines.stages.extraction.local.names.speakers import turns_of
from brain_pipelines.stages.extractions_local import Extraction, extract_documents, said_at
from brain_retrieval.ids import content_id
from brain_retrieval.language.sentences import sentences
from brain_retrieval.schemas.tables import SOURCE_COLUMNS

Row = dict[str, Any]


def memory(document: Row, start: int, end: int, **changes: Any) -> Row:
    """Return the row of characters `start` to `end`; `changes` replace its columns."""
    said = said_at(document, start)
    row = {
        **{column.name: document[column.name] for column in SOURCE_COLUMNS},
        "memory_id": content_id("memory", document["source_id"], start, end),
        "text": document["text"][start:end],
        "kind": "fact",
        "keep": 0.5,
        "self_contained": False,
        "entities": [],
        "anchors": [],
        "values": [],
        "said_at": said,
        "effective_from": said,
        "from_stated": False,
        "polarity": "affirmed",
        "modality": "asserted",
        "cue": "none",
        "method": "local",
        "clause": 0,
        "start": start,
        "end": end,
        "evidence": document["text"][start:end],
    }
    nothing = ("speaker", "listener", "valid_to", "slot_subject", "slot_attribute", "slot_value", "ends_hint")
    return {**row, **dict.fromkeys(nothing), **changes}


def memories(document: Row, **changes: Any) -> list[Row]:
    """Return a row for each sentence of a row of DOCUMENT_TEXT."""
    return [
        memory(document, start, end, **{"speaker": turn.speaker, **changes})
        for turn in turns_of(document)
        for start, end in sentences(document["text"], turn.start, turn.end)
    ]


def extract_with_memories(documents: Iterable[Row]) -> Iterator[Extraction]:
    """Yield the local extraction of rows of DOCUMENT_TEXT, with these memories."""
    documents = list(documents)
    for document, extraction in zip(documents, extract_documents(documents), strict=True):
        extraction.memories = memories(document)
        yield extraction
