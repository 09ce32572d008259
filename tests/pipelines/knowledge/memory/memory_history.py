"""Helpers for tests of storylines made of memories: rows of MEMORIES, their texts, and the tables of a snapshot."""

from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.macros import build_macros
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.summaries import Summaries, build_summaries
from brain_retrieval.stores.memory_tables import SUMMARIES
from tests.pipelines.knowledge.frames import frame
from tests.pipelines.knowledge.memory.history import SETTINGS, Said, day, enrichments, known, lines, members, texts


def memories(history: list[Said], **changes: dict[str, Any]) -> pl.DataFrame:
    """Return one memory for each source, equal to its `summary`; `changes` are columns by source id."""
    rows = [
        {
            "memory_id": f"m-{s.id}", "source_id": s.id, "source": s.type, "text": s.summary, "evidence": s.summary,
            "said_at": day(s.at), "effective_from": day(s.at), "start": 0, "end": len(s.summary), "kind": "fact",
            "keep": 0.6, "self_contained": True, "modality": "asserted", "cue": "none", "polarity": "affirmed",
            "entities": [
                {"entity_id": f"{s.id}:{name}", "name": name.title(), "type": "Person", "role": "subject"}
                for name in s.about
                if name.title() in s.summary
            ],
            **changes.get(s.id, {}),
        }
        for s in history
        if s.summary
    ]  # fmt: skip
    return frame("memories", *rows)


def built(
    history: list[Said], rows: pl.DataFrame, until: float, *, previous: pl.DataFrame | None = None, **more: Any
) -> tuple[pl.DataFrame, pl.DataFrame, Summaries]:
    """Return STORYLINES, MACROS and summaries of the snapshot of a history with memories."""
    usable = StoryMemories(rows, members(history), day(until))
    found, attached = lines(history, until, memories=usable, **more)
    macros = build_macros(found, known(history), now=day(until), settings=SETTINGS)
    before = pl.DataFrame(SUMMARIES.empty_table()) if previous is None else previous
    made = build_summaries(
        found, attached, macros, texts(history), enrichments(history), before, known_entities=known(history),
        memories=usable,
    )  # fmt: skip
    return found, macros, made
