"""Stage chunks: DOCUMENT_TEXT rows → CHUNKS rows. The chunking algorithms are in `chunking/`; this builds the rows.

A chunk is always exactly `text[start:end]` of its source, and of one page where there are pages. `position` is its
index among the chunks of the source.
"""

from bisect import bisect_left
from datetime import datetime
from itertools import pairwise
from typing import Any

from brain_pipelines.engine.stage import Stage, StageInput, StageOutput
from brain_pipelines.readers.topic_shifts import Embed
from brain_pipelines.sources.source import Source
from brain_pipelines.stages.chunking.place import place_of
from brain_pipelines.stages.chunking.ruler import CharacterRuler, Counter, RememberingCounter, Ruler, Span, TokenRuler
from brain_pipelines.stages.chunking.sizing import MAX_CONTEXT_TOKENS, chunking_for
from brain_pipelines.stages.chunking.strategies import Outline, cut
from brain_pipelines.stages.validity import ids_unique, rows_of, texts_of
from brain_retrieval.ids import content_id
from brain_retrieval.models.embedding.tokenizer import build_tokenizer
from brain_retrieval.schemas.names import ORIGIN_NAMES, SOURCE_NAMES
from brain_retrieval.settings import ChunkingConfig, Settings

CODE_VERSION = "10"
MAX_CONTEXT_CHARS = 120

Row = dict[str, Any]
_SECTIONS = ("section", "page", "table", "image", "frame", "described", "generated", "barcode")
_TURNS = ("message", "speech")
_SHARED = [name for name in SOURCE_NAMES if name not in ("source", "day")]


def chunk_text(
    text: str, config: ChunkingConfig, counter: Counter, *, outline: Outline | None = None, embed: Embed | None = None
) -> list[Span]:
    """Return the spans of a text: (start, end) in characters, half-open, in order.

    Args:
        config: strategy, unit and sizes.
        counter: counts tokens, where the unit is tokens.
        outline: sections and turns, for the strategies that use them.
        embed: maps texts to unit vectors, for `semantic`; None detects topic shifts by word overlap.
    """
    counter = RememberingCounter(counter)
    ruler: Ruler = TokenRuler(text, counter) if config.unit == "tokens" else CharacterRuler(text)
    return cut(ruler, config, outline or Outline(), embed)


def chunk_document(document: Row, config: ChunkingConfig, counter: Counter) -> list[Row]:
    """Return the CHUNKS rows of a DOCUMENT_TEXT row, without the columns that the engine fills in."""
    counter = RememberingCounter(counter)
    spans = [
        (start + first, end + first)
        for first, last in _pages(document)
        for start, end in chunk_text(
            document["text"][first:last], config, counter, outline=_outline(document["segments"], first, last)
        )
    ]
    return [_row(document, position, span, config, counter) for position, span in enumerate(spans)]


def _pages(document: Row) -> list[Span]:
    """Return the spans of the pages of a text, as a chunk cites one page; the whole text where it has none."""
    starts = [0]
    page = None
    for segment in document["segments"]:
        if segment["page"] is not None and segment["page"] != page:
            if page is not None:
                starts.append(segment["start"])
            page = segment["page"]
    return list(pairwise([*starts, len(document["text"])]))


def _outline(segments: list[Row], first: int, last: int) -> Outline:
    """Return the sections and turns of a part of the text, counted from its beginning."""
    own = [(s, (s["start"] - first, s["end"] - first)) for s in _intersecting(segments, first, last)]
    return Outline(
        sections=[span for segment, span in own if _is_section(segment)],
        turns=[span for segment, span in own if segment["kind"] in _TURNS],
    )


def _is_section(segment: Row) -> bool:
    return segment["kind"] in _SECTIONS or segment["kind"] == "data" and bool(segment["section"])


def _row(document: Row, position: int, span: Span, config: ChunkingConfig, counter: Counter) -> Row:
    start, end = span
    segments, anchors = document["segments"], document["anchors"]
    text = document["text"][start:end]
    within = _intersecting(segments, start, end)
    messages = [s for s in within if s["kind"] in _TURNS]
    time = next((s["time"] for s in messages if s["time"]), None)
    section = next((s["section"] for s in within if s["section"]), None)
    return {
        **{name: document[name] for name in _SHARED},
        "chunk_id": content_id("chunk", document["source_id"], position, text),
        "title": document["title"],
        "position": position,
        "start": start,
        "end": end,
        "text": text,
        "context": _shorten(_context(document["title"], section, time, text), counter),
        "token_count": counter.count(text),
        "strategy": config.strategy,
        "section": section,
        **place_of(within, _intersecting(anchors, start, end)),
        "message_ids": [s["message_id"] for s in messages if s["message_id"]],
        "speakers": list(dict.fromkeys(s["speaker"] for s in messages if s["speaker"])),
        "time": time,
        **{name: document[name] for name in ORIGIN_NAMES},
    }


def _intersecting(segments: list[Row], start: int, end: int) -> list[Row]:
    first = bisect_left(segments, start + 1, key=lambda s: s["end"])
    last = bisect_left(segments, end, key=lambda s: s["start"])
    return segments[first:last]


def _context(title: str, section: str | None, time: datetime | None, text: str) -> str:
    """Return the context header embedded with a chunk: date, title and section, unless the chunk begins with them."""
    parts = [part for part in (title, section) if part and not text.startswith(part)]
    if len(parts) == 2 and parts[1].startswith(parts[0]):
        parts = parts[1:]
    header = " > ".join(parts)[:MAX_CONTEXT_CHARS]
    return f"[{time:%d %b %Y}] {header}".rstrip() if time else header


def _shorten(context: str, counter: Counter) -> str:
    """Cut a header to the number of tokens reserved for it in the embedder's window."""
    if counter.count(context) <= MAX_CONTEXT_TOKENS:
        return context
    end = counter.spans(context)[MAX_CONTEXT_TOKENS - 1][1]
    return context[:end].rstrip()


def run_chunks(stage_input: StageInput) -> StageOutput:
    """Chunk every text of the span."""
    output = StageOutput()
    counter = build_tokenizer(stage_input.settings.embedding, models_dir=stage_input.settings.models_dir)
    done, total = 0, sum(len(rows) for rows in stage_input.rows.values())
    for day, rows in stage_input.rows.items():
        for row in rows:
            config = chunking_for(stage_input.source, stage_input.settings, row["format"])
            output.add("chunks", day, chunk_document(row, config, counter))
            done += 1
            stage_input.progress(done, total, "texts")
    return output


def chunks_are_slices(stage_input: StageInput, output: StageOutput) -> int:
    """Count chunks that are not exactly `text[start:end]` of their source."""
    texts = texts_of(stage_input)
    return sum(c["text"] != texts[c["source_id"]][c["start"] : c["end"]] for c in rows_of(output, "chunks"))


def _config(settings: Settings, source: Source) -> list[Any]:
    formats = ("", *sorted(source.chunking_by_format))
    sizes = [chunking_for(source, settings, name).model_dump(mode="json") for name in formats]
    return [sizes, build_tokenizer(settings.embedding, models_dir=settings.models_dir).name]


STAGE = Stage(
    name="chunks",
    upstream="text",
    tables=("chunks",),
    code_version=CODE_VERSION,
    config=_config,
    run=run_chunks,
    validity=(ids_unique, chunks_are_slices),
    description="Pieces of the text with exact offsets, cut by the source's strategy under a real tokenizer.",
)
