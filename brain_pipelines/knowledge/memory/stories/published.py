"""Sources written for everybody: web pages and newsletters. They tell of the world, not of what the owner goes through.

A storyline quotes them only where nothing else tells of its anchor.
"""

import json
from collections.abc import Collection, Sequence

import polars as pl

from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_retrieval.knowledge.memories.supersession import WEB
from brain_retrieval.teams import SEPARATOR

LEAST_OWN = 2  # sources of one's own that tell of an anchor, from which on published ones are left out


def published_sources(texts: pl.DataFrame) -> frozenset[str]:
    """Return the sources that are pages of the web or newsletters: mails to many, or of a list of one sender alone.

    Args:
        texts: source_id, source, authors, attributes (JSON; of a mail the `list_id` of its headers, and `mass_mail`).
    """
    kinds = texts.select("source_id", kind=pl.col("source").str.split(SEPARATOR).list.last())
    pages = kinds.filter(pl.col("kind").is_in(WEB))["source_id"]
    listed = texts.filter(pl.col("attributes").str.contains('"list_id"', literal=True))
    lists = [
        (source_id, json.loads(attributes).get("list_id"), author)
        for source_id, attributes, authors in listed.select("source_id", "attributes", "authors").iter_rows()
        for author in authors or ("",)
    ]
    rows = pl.DataFrame(lists, schema={"source_id": pl.String, "list": pl.String, "author": pl.String}, orient="row")
    alone = rows.drop_nulls("list").filter(pl.col("author").n_unique().over("list") == 1)
    to_many = texts.filter(pl.col("attributes").str.contains('"mass_mail": ?true'))["source_id"]
    return frozenset(pages) | frozenset(alone["source_id"]) | frozenset(to_many)


def own_first(memories: Sequence[StoryMemory], published: Collection[str]) -> list[StoryMemory]:
    """Return the memories that are not published, or all of them if fewer than LEAST_OWN sources tell such ones."""
    own = [m for m in memories if m.source_id not in published]
    return own if len({m.source_id for m in own if m.tellable}) >= LEAST_OWN else list(memories)
