"""Memory items of a snapshot (sources, entities, facts, storylines, macros), with creation and mention times."""

from collections.abc import Mapping

import polars as pl

from brain_retrieval.settings import MemorySettings

ITEM_COLUMNS = ["item", "item_id", "created_at", "confidence", "ttl_policy", "sensitivity", "initial"]
NORMAL, DECAY, FOREVER = "normal", "decay", "keep_forever"


def snapshot_items(
    tables: Mapping[str, pl.DataFrame], settings: MemorySettings, *, anchors: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return ITEM_COLUMNS, one row for each memory item, sorted by kind and id.

    An item is created at its first event, or when Brain received it if that was earlier (an appointment): an archive of
    2023 that is imported today is not as fresh as what was said yesterday. The owner and macros never decay. Storylines
    and macros start with the salience that their anchor had after its last mention or recall, whatever the day.

    Args:
        tables: known_sources, known_entities, known_facts; also storylines and macros, if `anchors` is given.
        anchors: SALIENCE of entities.
    """
    parts = [
        _rows(
            "source", tables["known_sources"], "source_id", _earlier("event_at"), settings, sensitivity="sensitivity"
        ),
        _entities(tables["known_entities"], settings),
        _rows(
            "fact",
            tables["known_facts"],
            "fact_id",
            _earlier("first_said_at", "known_from"),
            settings,
            confidence="confidence",
        ),
    ]
    if anchors is not None:
        strength = anchors.filter(pl.col("item") == "entity").select(
            pl.col("item_id").alias("anchor_id"), pl.col("anchor_salience").alias("strength")
        )
        began = _first_events(tables)
        for item, table, ttl in (("storyline", "storylines", DECAY), ("macro", "macros", FOREVER)):
            frame = tables[table].join(strength, on="anchor_id", how="left").join(began[item], on=f"{item}_id")
            initial = pl.col("strength").fill_null(settings.initial_salience)
            parts.append(_rows(item, frame, f"{item}_id", pl.col("began"), settings, ttl=ttl, initial=initial))
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


def _first_events(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return when each storyline and macro began."""
    sources = tables["known_sources"].select("source_id", _earlier("event_at").alias("began"))
    attached = tables["storyline_sources"].join(sources, on="source_id")
    storylines = attached.group_by("storyline_id").agg(pl.col("began").min())
    parts = tables["macros"].select("macro_id", pl.col("storyline_ids").alias("storyline_id")).explode("storyline_id")
    macros = parts.join(storylines, on="storyline_id").group_by("macro_id").agg(pl.col("began").min())
    return {"storyline": storylines, "macro": macros}


def _entities(entities: pl.DataFrame, settings: MemorySettings) -> pl.DataFrame:
    ttl = pl.when("is_owner").then(pl.lit(FOREVER)).otherwise(pl.lit(DECAY))
    initial = pl.when("is_owner").then(1.0).otherwise(settings.initial_salience)
    rows = _rows(
        "entity",
        entities,
        "entity_id",
        _earlier("first_mentioned_at", "first_received_at"),
        settings,
        confidence="confidence",
    )
    extra = entities.select(pl.col("entity_id").alias("item_id"), ttl.alias("ttl_policy"), initial.alias("initial"))
    return rows.drop("ttl_policy", "initial").join(extra, on="item_id").select(ITEM_COLUMNS)


def _rows(
    item: str,
    frame: pl.DataFrame,
    key: str,
    created: pl.Expr,
    settings: MemorySettings,
    *,
    confidence: str | None = None,
    sensitivity: str | None = None,
    ttl: str = DECAY,
    initial: pl.Expr | None = None,
) -> pl.DataFrame:
    return frame.select(
        pl.lit(item).alias("item"),
        pl.col(key).alias("item_id"),
        created.alias("created_at"),
        (pl.col(confidence) if confidence else pl.lit(1.0)).cast(pl.Float64).alias("confidence"),
        pl.lit(ttl).alias("ttl_policy"),
        (pl.col(sensitivity) if sensitivity else pl.lit(NORMAL)).alias("sensitivity"),
        (initial if initial is not None else pl.lit(settings.initial_salience)).cast(pl.Float64).alias("initial"),
    ).select(ITEM_COLUMNS)
