"""Titles and summaries of storylines quote no source of high sensitivity, unless half of the sources are such."""

import polars as pl

from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.summaries import build_summaries
from brain_retrieval.stores.memory_tables import SUMMARIES
from tests.pipelines.knowledge.memory.history import Said, day, enrichments, known, lines, members, sources, texts
from tests.pipelines.knowledge.memory.memory_history import memories

STORY = [Said(f"s{n}", n * 2.0, summary=f"Bob builds part {n} of the boat.") for n in range(7)]


def quoted(*closed: str) -> set[str]:
    levels = ["high" if said.id in closed else "normal" for said in STORY]
    known_sources = sources(STORY).with_columns(
        pl.Series("sensitivity", levels), pl.lit("").alias("uri"), pl.lit([], pl.List(pl.String)).alias("participants")
    )
    usable = StoryMemories(memories(STORY), members(STORY), day(30), sources=known_sources)
    found, attached = lines(STORY, 30, memories=usable)
    assert attached.height == len(STORY)  # they count all the same
    made = build_summaries(
        found, attached, pl.DataFrame(schema={"macro_id": pl.String, "total_source_count": pl.Int64}), texts(STORY),
        enrichments(STORY), pl.DataFrame(SUMMARIES.empty_table()), known_entities=known(STORY), memories=usable,
    )  # fmt: skip
    return {cited["source_id"] for row in made.rows.to_dicts() for cited in row["citations"]}


def test_a_few_of_them_are_not_quoted() -> None:
    everything = quoted()
    assert {"s0", "s6"} <= everything
    assert quoted("s0", "s6").isdisjoint({"s0", "s6"})
    assert quoted("s0", "s6")


def test_a_storyline_made_of_them_quotes_them() -> None:
    assert {"s0", "s6"} <= quoted("s0", "s1", "s5", "s6")
