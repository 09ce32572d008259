"""Citation check: whether the cited passages support a sentence, and which stored summaries are unsupported."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.extractive_summary import content_words
from brain_pipelines.knowledge.memory.passages import Library, Passage
from brain_retrieval.language.support import FLOOR, stems
from brain_retrieval.language.support import is_supported as rests_on

EXTRACTIVE, LLM = "extractive", "llm"


def is_supported(sentence: str, passages: Sequence[Passage], anchor: str = "") -> bool:
    """Return whether the cited passages contain enough of a sentence's words, all its numbers and names, and no denial.

    Numbers may also come from the date of a passage; words of the anchor's name are ignored.
    """
    quotes, dates = [p.text for p in passages], [p.source.at for p in passages]
    return rests_on(sentence, quotes, dates, content_words, ignored=anchor)


def is_valid(row: Mapping[str, Any], library: Library) -> bool:
    """Return whether the cited text of a SUMMARIES row exists and supports it; extractive ones must equal it.

    The cited text of a memory is the memory's, provided that its evidence stands at the cited place.
    """
    quotes = [library.said(c) for c in row["citations"]]
    if row["method"] == EXTRACTIVE:
        return row["description"] == " ".join(quotes) and all(quotes)
    words = stems(row["description"], content_words)
    # Half the floor: here all sentences are compared with all citations, and words of the anchor are not left out.
    return (
        bool(quotes) and all(quotes) and len(words & stems(" ".join(quotes), content_words)) >= FLOOR * len(words) / 2
    )


def unsupported(summaries: pl.DataFrame, texts: pl.DataFrame, memories: pl.DataFrame | None = None) -> list[str]:
    """Return the item_ids of SUMMARIES that their citations do not support; empty for a sound snapshot.

    Args:
        summaries: SUMMARIES.
        texts: source_id and text of at least every source that is cited.
        memories: CITED_COLUMNS of at least every memory that is cited.
    """
    rows = summaries.sort("item_id").to_dicts()
    cited = {c["source_id"] for row in rows for c in row["citations"]}
    ids = {c["memory_id"] for row in rows for c in row["citations"]}
    usable = memories.filter(pl.col("memory_id").is_in(sorted(ids - {None}))) if memories is not None else None
    nothing = pl.DataFrame(schema={"source_id": pl.String, "summary_spans": pl.List(pl.Null)})
    library = Library(texts, nothing, cited, usable)
    return [row["item_id"] for row in rows if not is_valid(row, library)]
