"""Rows of memories from the events of a timeline: the sentences and rows of the extraction stage, without a lake."""

from datetime import UTC, date, datetime, time

from brain_pipelines.stages.extraction.local.blocks import blocks_of
from brain_pipelines.stages.extraction.local.language import is_english
from brain_pipelines.stages.extraction.local.names.names import find_names
from brain_pipelines.stages.extraction.local.names.speakers import turns_of
from brain_pipelines.stages.extraction.local.nlp import parse, scope
from brain_pipelines.stages.extraction.memories.memory_rows import memory_rows
from brain_pipelines.stages.extraction.memories.parsed import sentences_of
from brain_pipelines.stages.extraction.memories.setting import settings_of
from brain_pipelines.stages.text import language_of
from brain_retrieval.schemas.tables import SOURCE_COLUMNS


def rows_of(timeline):
    """Return the rows of MEMORIES of a timeline; every event is a source of its own."""
    contents = [text for event in timeline["events"] for _, text in turns(event)]
    language = timeline.get("language") or language_of(" ".join(contents))
    documents = [document(event, f"source_{n:03}", language) for n, event in enumerate(timeline["events"])]
    return [row for each in documents for row in memory_rows(each, read(each))]


def turns(event):
    content = event["content"]
    return [("", content)] if isinstance(content, str) else content


def document(event, source_id, language):
    """Return a row of DOCUMENT_TEXT as the text stage writes it for a note or a conversation."""
    said = datetime.combine(date.fromisoformat(event["date"]), time(12), UTC)
    text, segments = "", []
    for speaker, content in turns(event):
        line = f"{speaker}: {content}\n" if speaker else content
        segments += [{"start": len(text), "end": len(text) + len(line), "kind": "message", "speaker": speaker}]
        text += line
    spoken = event["kind"] == "conversation"
    return {
        **{column.name: None for column in SOURCE_COLUMNS},
        "source_id": source_id,
        "source": event["kind"],
        "uri": f"inbox:{event['kind']}/{source_id}",
        "day": event["date"],
        "event_at": said,
        "received_at": said,
        "trust": "owner",
        "sensitivity": "normal",
        "format": "txt",
        "title": "",
        "language": language,
        "authors": [],
        "text": text,
        "segments": segments if spoken else [],
    }


def read(row):
    """Return all sentences of a document, parsed if it is English."""
    spoken = turns_of(row)
    found = []
    english = is_english(row["language"], row["text"])
    with scope():
        for turn, setting in zip(spoken, settings_of(row, spoken), strict=True):
            blocks = list(blocks_of(row["text"], turn.start, turn.end, setting.heads))
            parsed = parse(blocks) if english else [(block, None) for block in blocks]
            for block, doc in parsed:
                found += sentences_of(block, doc, setting, find_names(doc) if doc is not None else ())
    return found
