"""Entities before the first snapshot: the extracted entities of all sources, grouped by their exact name.

A snapshot resolves spellings, nicknames and short forms; until then a card shows what one name leads to.
"""

from typing import Any

import polars as pl

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Space
from brain_retrieval.knowledge.lookup import suggestions, without_title
from brain_retrieval.knowledge.vocabulary import entity_class
from brain_retrieval.language.folding import fold
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_cache import LakeCache

_COLUMNS = ["entity_id", "source_id", "name", "type", "aliases", "mention_count", "confidence", "event_at"]
PERSON = "Person"
_OF_ANOTHER = r"['’]s? |['’]s?$"  # in a name: "ann lee's number" is none of Ann Lee
MOST_CACHED = 1_000_000  # rows of all users that one process keeps


def live_names(space: Space, catalog: Catalog | None = None) -> pl.DataFrame:
    """Return one row for each name in each source: `form` (folded), name, type, source_id, event_at, counts.

    `catalog` is that of the user, if it is open.
    """
    return _NAMES.of(space, catalog)


def _names_of(rows: pl.DataFrame) -> pl.DataFrame:
    own = rows.with_columns(called=pl.col("name")).drop("aliases")
    others = rows.explode("aliases").rename({"aliases": "called"})
    named = pl.concat([own, others.select(own.columns)])
    kept = named.filter(pl.col("called").is_not_null())
    # Each name is folded once: the same few names are in most sources.
    forms = kept.select(pl.col("called").unique())
    forms = forms.with_columns(pl.col("called").map_elements(fold, return_dtype=pl.String).alias("form"))
    return kept.join(forms, on="called", maintain_order="left")


_NAMES = LakeCache("entities", _names_of, most_rows=MOST_CACHED, columns=_COLUMNS)


def _called(names: pl.DataFrame, called: str) -> pl.DataFrame:
    """Return the rows of the entity with a name, else of the one with a name of which it is a part.

    A first name is that of the only person whose name begins with it, if there is one: "Ann" of Ann Lee. A part of
    several names leads to one of them: a person rather than a thing, then that of most sources, then the shortest.
    """
    form = fold(called)
    if not form:
        return names.clear()
    found = names.filter(pl.col("form") == form)
    if " " in form and not found.is_empty():
        return found
    whole = names.filter((pl.col("type") == PERSON) & pl.col("form").str.starts_with(f"{form} "))
    whole = whole.filter(~pl.col("form").str.contains(_OF_ANOTHER))
    if not found.is_empty():
        own = names.filter(pl.col("form").is_in(whole["form"].to_list()))
        return pl.concat([found, own]) if whole["form"].n_unique() == 1 else found
    inside = names.filter(pl.format(" {} ", "form").str.contains(f" {form} ", literal=True))
    if inside.is_empty():
        return inside
    ranked = inside.group_by("form").agg(
        is_person=(pl.col("type") == PERSON).any(),
        sources=pl.col("source_id").n_unique(),
        letters=pl.col("form").first().str.len_chars(),
    )
    order = ["is_person", "sources", "letters", "form"]
    best = ranked.sort(order, descending=[True, True, False, False])["form"][0]
    return names.filter(pl.col("form") == best)


def _is_longer(name: str, called: str) -> bool:
    return fold(name).startswith(f"{fold(called)} ")


def live_entity(space: Space, called: str) -> dict[str, Any]:
    """Return the columns of KNOWN_ENTITIES for a name, and its `source_ids`, from the extracted entities alone.

    Raises:
        InvalidQueryError: for a name that no source has; the message suggests similar ones.
    """
    names = live_names(space)
    entity = entity_called(names, called)
    if entity is None:
        near = suggestions(names.select(pl.col("called").alias("display")).unique(), called)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise InvalidQueryError(f"nothing is known of {called.strip()[:300]!r}{hint}")
    return entity


def entity_called(names: pl.DataFrame, called: str) -> dict[str, Any] | None:
    """Return what `live_entity` does, from the rows of `live_names`; None for a name that no source has."""
    found = _called(names, called)
    found = _called(names, without_title(called)) if found.is_empty() else found
    if found.is_empty():
        return None
    counts = found.group_by("name").agg(pl.len()).sort(["len", "name"], descending=[True, False])
    kinds = (
        found.group_by("type").agg(pl.col("confidence").sum()).sort(["confidence", "type"], descending=[True, False])
    )
    name, kind = counts["name"][0], kinds["type"][0]
    if whole := sorted({one for one in found["name"].to_list() if _is_longer(one, called)}):
        name, kind = whole[0], PERSON  # what the sources call a person in full
    sources = found.unique("source_id")
    return {
        "entity_id": found.sort("entity_id")["entity_id"][0],
        "name": name,
        "entity_class": entity_class(kind),
        "type": kind,
        "canonical_name": fold(name).replace(" ", "-"),
        "is_owner": False,
        "description": "",
        "mention_count": int(found.unique("entity_id")["mention_count"].sum()),
        "source_count": sources.height,
        "distinct_source_days": sources["event_at"].dt.date().n_unique(),
        "first_mentioned_at": found["event_at"].min(),
        "last_mentioned_at": found["event_at"].max(),
        "confidence": round(float(found["confidence"].max() or 0.0), 6),  # pyright: ignore[reportArgumentType]
        "aliases": sorted(set(found["called"].to_list()) - {name}),
        "source_ids": sorted(set(found["source_id"].to_list())),
    }
