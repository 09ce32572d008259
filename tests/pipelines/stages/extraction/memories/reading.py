"""Sentences of a DOCUMENT_TEXT row as the extraction stage reads them, for tests."""

from typing import Any

from brain_pipelines.stages.extraction.local.blocks import blocks_of
from brain_pipelines.stages.extraction.local.names.names import find_names
from brain_pipelines.stages.extraction.local.names.speakers import turns_of
from brain_pipelines.stages.extraction.local.nlp import parse, scope
from brain_pipelines.stages.extraction.memories.parsed import sentences_of
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.setting import settings_of
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names
from tests.pipelines.stages.extraction.local.documents import document


def read(row: dict[str, Any]) -> list[Sentence]:
    """Return all sentences of a document, parsed if it is English."""
    turns = turns_of(row)
    found: list[Sentence] = []
    for turn, setting in zip(turns, settings_of(row, turns), strict=True):
        blocks = list(blocks_of(row["text"], turn.start, turn.end, setting.heads))
        if row["language"] == "en":
            with scope():
                for block, doc in parse(blocks):
                    found += sentences_of(block, doc, setting, find_names(doc))
        else:
            for block in blocks:
                found += sentences_of(block, None, setting, plain=plain_names(block.text, setting.language))
    return found


def read_text(text: str, **changes: Any) -> list[Sentence]:
    """Return the sentences of an English document."""
    return read(document(text, **changes))
