"""Memory items of a snapshot (sources, entities, facts, notes, storylines, macros), with creation and mention times."""

from collections.abc import Mapping

import polars as pl

from brain_pipelines.knowledge.memory.item_policies import (
    DECAY,
    KEEP,
    NORMAL,
    POLICIES,
    entity_policies,
    fact_policies,
    note_policies,
)
from brain_retrieval.settings import MemorySettings

ITEM_COLUMNS = "item item_id created_at received_at confidence ttl_policy sensitivity initial".split()
FOREVER = KEEP


def snapshot_items(
    tables: Mapping[str, pl.DataFrame], settings: MemorySettings, *, anchors: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return ITEM_COLUMNS, one row for each memory item, sorted by kind and id.

    An item is created at its first event, or when Brain received it if that was earlier (an appointment): an archive of
    2023 that is imported today is not as fresh as what was said yesterday. The owner and macros never decay, nor do
    entities with a note that is kept forever. Storylines and macros start with the salience that their anchor had after
    its last mention or recall, whatever the day. What is ephemeral expires some days after Brain received it.

    Args:
        tables: known_sources, known_entities, entity_members, known_facts, notes; also storylines and macros, if
            `anchors` is given.
        anchors: SALIENCE of entities.
    """
    parts = [
        _rows("source", tables["known_sources"], _times("event_at"), settings, policies=_of_sources(tables)),
        _entities(tables, settings),
        _rows(
            "fact",
            tables["known_facts"],
            _times("first_said_at", "known_from"),
            settings,
            confidence="confidence",
            policies=fact_policies(tables),
        ),
        _rows("note", _notes(tables), _times("date_added"), settings, policies=note_policies(tables)),
    ]
    if anchors is not None:
        strength = anchors.filter(pl.col("item") == "entity").select(
            pl.col("item_id").alias("anchor_id"), pl.col("anchor_salience").alias("strength")
        )
        began = _first_events(tables)
        for item, table, ttl in (("storyline", "storylines", DECAY), ("macro", "macros", FOREVER)):
            frame = tables[table].join(strength, on="anchor_id", how="left").join(began[item], on=f"{item}_id")
            initial = pl.col("strength").fill_null(settings.initial_salience)
            parts.append(_rows(item, frame, _times("began", "began"), settings, ttl=ttl, initial=initial))
    return pl.concat(parts).sort("item", "item_id")


def mentions_of(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return item_id, at: the events of sources that mention an entity, a fact or a storyline."""
    evidence = tables["fact_evidence"].select(
        pl.col("evidence_id").alias("evidence_ids"), _earlier("said_at").alias("at")
    )
    stated = tables["known_facts"].select("fact_id", "evidence_ids").explode("evidence_ids")
    sources = tables["known_sources"].select("source_id", _earlier("event_at").alias("at"))
    parts = (
        tables["entity_members"].select("entity_id", _earlier("event_at").alias("at")),
        stated.join(evidence, on="evidence_ids").select("fact_id", "at"),
        tables["storyline_sources"].join(sources, on="source_id").select("storyline_id", "at"),
    )
    named = [part.rename(dict(zip(part.columns, ("item_id", "at"), strict=True))) for part in parts]
    return pl.concat(named).unique().sort("item_id", "at")


def _earlier(event: str, received: str = "received_at") -> pl.Expr:
    """Return the earlier of event and receipt."""
    return pl.min_horizontal(event, received)


def _times(event: str, received: str = "received_at") -> tuple[pl.Expr, pl.Expr]:
    """Return the expressions of creation and of receipt."""
    return _earlier(event, received), pl.col(received)


def _first_events(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return when each storyline and macro began."""
    sources = tables["known_sources"].select("source_id", _earlier("event_at").alias("began"))
    attached = tables["storyline_sources"].join(sources, on="source_id")
    storylines = attached.group_by("storyline_id").agg(pl.col("began").min())
    parts = tables["macros"].select("macro_id", pl.col("storyline_ids").alias("storyline_id")).explode("storyline_id")
    macros = parts.join(storylines, on="storyline_id").group_by("macro_id").agg(pl.col("began").min())
    return {"storyline": storylines, "macro": macros}


def _of_sources(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["known_sources"].select(pl.col("source_id").alias("item_id"), "ttl_policy", "sensitivity")


def _notes(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the notes with the time at which Brain received them; one without a source counts from its own time."""
    received = tables["known_sources"].select("source_id", "received_at")
    notes = tables["notes"].join(received, on="source_id", how="left")
    return notes.with_columns(pl.coalesce("received_at", "date_added").alias("received_at"))


def _entities(tables: Mapping[str, pl.DataFrame], settings: MemorySettings) -> pl.DataFrame:
    policies = entity_policies(tables)
    known = tables["known_entities"].join(policies, left_on="entity_id", right_on="item_id")
    initial = pl.when(pl.col("ttl_policy") == FOREVER).then(1.0).otherwise(settings.initial_salience)
    times = _times("first_mentioned_at", "first_received_at")
    return _rows("entity", known, times, settings, confidence="confidence", policies=policies, initial=initial)


def _rows(
    item: str,
    frame: pl.DataFrame,
    times: tuple[pl.Expr, pl.Expr],
    settings: MemorySettings,
    *,
    confidence: str | None = None,
    policies: pl.DataFrame | None = None,
    ttl: str = DECAY,
    initial: pl.Expr | None = None,
) -> pl.DataFrame:
    """Return ITEM_COLUMNS; `policies` (item_id, ttl_policy, sensitivity) are those of single items, `ttl` of all."""
    created, received = times
    rows = frame.select(
        pl.lit(item).alias("item"),
        pl.col(f"{item}_id").alias("item_id"),
        created.alias("created_at"),
        received.alias("received_at"),
        (pl.col(confidence) if confidence else pl.lit(1.0)).cast(pl.Float64).alias("confidence"),
        (initial if initial is not None else pl.lit(settings.initial_salience)).cast(pl.Float64).alias("initial"),
    )
    own = pl.DataFrame(schema=POLICIES) if policies is None else policies
    filled = rows.join(own, on="item_id", how="left").with_columns(
        pl.col("ttl_policy").fill_null(ttl), pl.col("sensitivity").fill_null(NORMAL)
    )
    return filled.select(ITEM_COLUMNS)
