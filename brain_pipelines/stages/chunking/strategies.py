"""The six chunking strategies: text and outline → spans. This module defines the units of each strategy.

| strategy | units | joins | best for |
|---|---|---|---|
| fixed | windows of exactly the size | – | large uniform texts |
| sentence | sentences | up to the minimum | questions and answers |
| paragraph | paragraphs | up to the minimum | articles |
| recursive | paragraphs, then lines, sentences, words | up to the maximum; half full, until a section | documents |
| document | paragraphs of one section, page or table | until the section ends, if it has the minimum | web pages |
| semantic | turns, else paragraphs, else sentences | until the topic shifts | conversations, mixed content |

With `preserve_boundaries` and no minimum, paragraphs and turns stay apart (a chunk never spans a blank line).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from brain_pipelines.readers.topic_shifts import Embed, topic_shifts
from brain_pipelines.stages.chunking.boundaries import between_characters
from brain_pipelines.stages.chunking.packing import keep_limit, overlap_starts, pack, shrink
from brain_pipelines.stages.chunking.ruler import CharacterRuler, Ruler, Span
from brain_retrieval.language.sentences import PARAGRAPH_BREAK, paragraphs, sentences, trim
from brain_retrieval.settings import ChunkingConfig


@dataclass(frozen=True)
class Outline:
    """Structure of a text: chunks end at `sections`, `turns` are not split."""

    sections: Sequence[Span] = ()
    turns: Sequence[Span] = ()


def cut(ruler: Ruler, config: ChunkingConfig, outline: Outline, embed: Embed | None = None) -> list[Span]:
    """Return the spans of a text in order. Every character that is not white space is in at least one."""
    if config.strategy == "fixed":
        return fixed(ruler, config)
    units, breaks = _units(ruler.text, config, outline, embed)
    return _join(units, breaks, ruler, config, outline)


def fixed(ruler: Ruler, config: ChunkingConfig) -> list[Span]:
    """Return windows of `max_size`, each beginning `overlap` before the end of the one before.

    In characters the overlap is exact. White space is kept, so that it is; windows of nothing else are left out.
    """
    spans: list[Span] = []
    start, length = 0, len(ruler.text)
    while start < length:
        done = spans[-1][1] if spans else start
        reach = between_characters(ruler.text, max(start, done), ruler.reach(start, config.max_size))
        # Only tokens need the exact figure; trimming white space would make an overlap in characters inexact.
        end = reach if isinstance(ruler, CharacterRuler) else shrink(start, reach, ruler, config.max_size)[1]
        if spans and end <= spans[-1][1]:  # the end of one huge token, which alone measures more
            start = spans[-1][1]
            continue
        if not ruler.text[start:end].isspace():
            spans.append((start, end))
        if end >= length:
            break
        start = max(start + 1, ruler.back(end, config.overlap)) if config.overlap else end
    return spans


def _units(text: str, config: ChunkingConfig, outline: Outline, embed: Embed | None) -> tuple[list[Span], set[int]]:
    """Return the units of a text and the indexes of those before which a chunk should end."""
    if config.strategy == "sentence":
        return sentences(text), set()
    if config.strategy == "paragraph":
        return paragraphs(text), set()
    if config.strategy in ("recursive", "document"):
        units = [span for section in _cover(text, outline.sections) for span in paragraphs(text, *section)]
        starts = {start for start, _ in outline.sections}
        return units, {n for n, (start, _) in enumerate(units) if start in starts}
    units = [trim(text, a, b) for a, b in _cover(text, outline.turns)] if outline.turns else paragraphs(text)
    if len(units) < 2 and not outline.turns:
        units = sentences(text)
    return units, topic_shifts([text[a:b] for a, b in units], embed)


def _cover(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans and whatever lies between, before and after them, trimmed, without empty ones."""
    edges, position = [], 0
    for start, end in spans:
        edges += [(position, start), (start, end)]
        position = end
    edges.append((position, len(text)))
    trimmed = (trim(text, a, b) for a, b in edges)
    return [(a, b) for a, b in trimmed if a < b]


def _join(units: list[Span], breaks: set[int], ruler: Ruler, config: ChunkingConfig, outline: Outline) -> list[Span]:
    # Room for the overlap is kept free, or growing a chunk backwards would push it over the limit. A turn or
    # paragraph that needs that room stays whole, with less overlap or none.
    limit = max(1, config.max_size - config.overlap)
    whole = config.max_size if config.preserve_boundaries else limit
    fill = config.strategy in ("recursive", "document", "semantic")
    minimum = max(config.min_size, limit // 2) if config.strategy == "recursive" else config.min_size
    apart = config.preserve_boundaries and not config.min_size and config.strategy != "recursive"
    if apart:
        breaks, fill = set(range(len(units))), False
    spans = pack(units, ruler, limit=limit, whole=whole, minimum=minimum, breaks=breaks, fill=fill)
    walls = {units[n][0] for n in breaks} if config.strategy == "document" else set()
    if apart:
        walls |= _after_blank_lines(ruler.text, units)
    turns = config.strategy == "semantic" and outline.turns
    finer = units if turns else [s for a, b in units for s in sentences(ruler.text, a, b)]
    starts = overlap_starts(spans, finer, ruler, overlap=config.overlap, limit=config.max_size, walls=walls)
    return keep_limit(spans, starts, finer, ruler, config.max_size)


def _after_blank_lines(text: str, units: list[Span]) -> set[int]:
    gaps = pairwise(units)
    return {start for (_, end), (start, _) in gaps if PARAGRAPH_BREAK.search(text, end, start)}
