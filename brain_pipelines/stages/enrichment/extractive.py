"""Extractive enrichment without a model: a pure function of the row, linear in a bounded part of the text."""

from dataclasses import dataclass, field
from typing import Any

from brain_pipelines.stages.enrichment.counted_words import turn_labels, words_that_count
from brain_pipelines.stages.enrichment.keywords import keywords_of
from brain_pipelines.stages.enrichment.sentences import sentences_of
from brain_pipelines.stages.enrichment.summary import choose_sentences, is_minutes, tells
from brain_pipelines.stages.enrichment.tags import CORRESPONDENCE, REFERENCES, sort_words
from brain_pipelines.stages.prose.parts import SPOKEN, parts_of


@dataclass(frozen=True)
class Enrichment:
    """Summary, keywords, tags and bucket of a text. `spans` locate the sentences of the summary in the text."""

    summary: str
    keywords: list[str]
    tags: list[str]
    bucket: str
    confidence: float
    spans: list[tuple[int, int]] = field(default_factory=list)


def enrich(document: dict[str, Any]) -> Enrichment:
    """Return the enrichment of a row of DOCUMENT_TEXT."""
    text, title, language = document["text"], document["title"], document.get("language")
    parts = parts_of(document)
    sentences = sentences_of(document, parts)
    speakers = {s.get("speaker") for s in document.get("segments") or () if s["kind"] in SPOKEN} or turn_labels(text)
    # Most sentences of a talk hang on the others: only what was decided or planned sums it up.
    spoken = len(speakers) > 1
    telling = [s for s in sentences if tells(text[s.start : s.end])] if spoken else sentences
    if is_minutes(title) and not spoken:
        telling = []
    chosen = choose_sentences(text, telling, title=title, language=language, spoken=spoken)
    spans = [(s.start, s.end) for s in chosen]
    words = words_that_count(text, parts)
    questions = sum(text[s.end - 1] in "?？" for s in sentences)
    found = sort_words(words, source=document["source"], questions=questions)
    return Enrichment(
        summary=quoted(text, spans),
        keywords=keywords_of(
            text,
            words,
            title=title,
            language=language,
            people=_speakers(document),
            own=document["source"] not in REFERENCES | CORRESPONDENCE,
            only_titled=document["source"] in CORRESPONDENCE,
        ),
        tags=found.tags,
        bucket=found.bucket,
        confidence=found.confidence,
        spans=spans,
    )


def _speakers(document: dict[str, Any]) -> set[str]:
    named = {segment.get("speaker") for segment in document.get("segments") or ()}
    return {name for name in (*named, *(document.get("participants") or ())) if name}


def quoted(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the pieces of a text as one line."""
    return " ".join(" ".join(text[start:end].split()) for start, end in spans)
