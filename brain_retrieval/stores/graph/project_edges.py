"""The graph edges of a snapshot: mentions, facts, members of storylines and macros, notes."""

from collections.abc import Iterator

import polars as pl

from brain_retrieval.ids import content_id
from brain_retrieval.stores.graph.frames import pack
from brain_retrieval.stores.graph.memory_block import blocks
from brain_retrieval.stores.graph.project_nodes import Tables, literal_key
from brain_retrieval.stores.memory_tables import THEME

FACT_COLUMNS = (
    "predicate polarity modality functional ended_known_from status supersedes_fact_id superseded_by_fact_id "
    "contradicts evidence_count source_count first_said_at last_said_at description attitude proximity properties "
    "recorded_by evidence_ids source_ids".split()
)
VALIDITY = ("valid_from", "valid_to", "known_from")


def edges(tables: Tables) -> Iterator[pl.DataFrame]:
    """Yield every edge of the snapshot."""
    if "entity_members" in tables:
        yield _mentions(tables["entity_members"])
    if "known_facts" in tables:
        yield facts(tables["known_facts"], tables.get("salience"))
    yield from _storylines(tables)
    if "notes" in tables:
        yield from _notes(tables["notes"])


def facts(rows: pl.DataFrame, salience: pl.DataFrame | None) -> pl.DataFrame:
    """Return the edges of rows of `known_facts`, from subject to object, with their memory blocks."""
    own = rows.select(*FACT_COLUMNS, "fact_id", relationship_type="predicate", recorded_at="known_from")
    objects = rows.select("fact_id", "object_id").iter_rows()
    ends = [object_id or literal_key(fact_id) for fact_id, object_id in objects]
    return rows.select(
        "kind", "relation", "confidence", "predicate", key="fact_id", start="subject_id",
        end=pl.Series(ends, dtype=pl.String()), negated=pl.col("polarity") == "negated",
        ended_known_from=_micros("ended_known_from"), **{name: _micros(name) for name in VALIDITY},
        properties=pack(pl.concat([own, blocks(rows, "fact_id", salience, "fact")], how="horizontal")),
    )  # fmt: skip


def _mentions(members: pl.DataFrame) -> pl.DataFrame:
    """Return one edge for each source and entity; a source may have several names for the same."""
    named = members.sort("member_id").with_columns(
        names=pl.concat_list(pl.concat_list("name"), pl.col("aliases").fill_null([]))
    )
    rows = named.group_by("source_id", "entity_id", maintain_order=True).agg(
        pl.col("names").explode().unique().sort(),
        pl.col("mention_count").sum(),
        pl.col("source_type", "event_at", "received_at").first(),
        pl.col("confidence").max(),
        rules=pl.col("rule").unique().sort(),
    )
    properties = rows.select("names", "rules", "mention_count", "source_type", "event_at", "received_at")
    return _edges(rows, "mentions", ("source_id", "entity_id"), properties, since="event_at", known="received_at")


def _storylines(tables: Tables) -> Iterator[pl.DataFrame]:
    if (rows := tables.get("storylines")) is not None:
        rows = rows.filter(~pl.col("anchor_id").str.starts_with(f"{THEME}_"))
        yield _edges(rows, "about", ("storyline_id", "anchor_id"), since="started_at")
    if (rows := tables.get("storyline_sources")) is not None:
        properties = rows.select("source_type", "event_at", "weight")
        yield _edges(rows, "includes", ("storyline_id", "source_id"), properties, since="event_at")
    if (rows := tables.get("macros")) is not None:
        yield _edges(rows, "rooted_in", ("macro_id", "anchor_id"), since="started_at")
        groups = rows.explode("storyline_ids").filter(pl.col("storyline_ids").is_not_null())
        yield _edges(groups, "groups", ("macro_id", "storyline_ids"), since="started_at")


def _notes(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    for column in ("entity_id", "other_entity_id"):
        about = rows.filter(pl.col(column).is_not_null())
        yield _note_edges(about, "HAS_NOTE", (column, "note_id"))
    # The source that the note is about, else the note's own source.
    added = rows.with_columns(pl.coalesce("source_entity_key", "source_id").alias("added_in"))
    yield _note_edges(added, "ADDED_IN", ("note_id", "added_in"))


def _note_edges(rows: pl.DataFrame, kind: str, ends: tuple[str, str]) -> pl.DataFrame:
    return _edges(rows, kind, ends, since="date_added", until="expires_at", known="date_added")


def _edges(
    rows: pl.DataFrame,
    kind: str,
    ends: tuple[str, str],
    properties: pl.DataFrame | None = None,
    *,
    since: str,
    until: str | None = None,
    known: str | None = None,
) -> pl.DataFrame:
    """Return edges of a kind other than facts; `since`, `until` and `known` name the columns of their validity."""
    keys = [content_id(kind, start, end) for start, end in rows.select(ends).iter_rows()]
    when = dict(zip(VALIDITY, (since, until, known), strict=True))
    return rows.select(
        confidence=pl.col("confidence") if kind == "mentions" else pl.lit(1.0),
        key=pl.Series(keys, dtype=pl.String()), kind=pl.lit(kind), start=ends[0], end=ends[1], relation=pl.lit(kind),
        **{name: _micros(column) for name, column in when.items() if column},
        properties=pl.lit("{}") if properties is None else pack(properties),
        predicate=pl.lit(kind), negated=pl.lit(value=False),
    )  # fmt: skip


def _micros(column: str) -> pl.Expr:
    return pl.col(column).dt.epoch("us")
