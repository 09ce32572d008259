"""Retention and sensitivity of entities, facts and notes, from the sources that they rest on."""

from collections.abc import Mapping

import polars as pl

from brain_retrieval.knowledge.memory_states import SENSITIVITIES

KEEP, EPHEMERAL, DECAY, NORMAL = "keep_forever", "ephemeral", "decay", "normal"
POLICIES = {"item_id": pl.String, "ttl_policy": pl.String, "sensitivity": pl.String}


def fact_policies(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return item_id, ttl_policy, sensitivity of facts."""
    stated = tables["known_facts"].select(pl.col("fact_id").alias("item_id"), "source_ids").explode("source_ids")
    return _from_sources(stated.rename({"source_ids": "source_id"}), tables["known_sources"])


def entity_policies(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return item_id, ttl_policy, sensitivity of entities; keep_forever are the owner, and those with such a note.

    A source that is kept forever may name a hundred entities, so it alone keeps none of them.
    """
    members = tables["entity_members"].select(pl.col("entity_id").alias("item_id"), "source_id")
    found = _from_sources(members, tables["known_sources"])
    noted = tables["notes"].filter(pl.col("target") == "entity").join(_kept(tables), on="source_id", how="semi")
    owners = tables["known_entities"].filter("is_owner")["entity_id"]
    kept = pl.concat([noted["entity_id"], owners]).unique()
    rest = tables["known_entities"].select(pl.col("entity_id").alias("item_id"))
    rows = rest.join(found, on="item_id", how="left")
    ttl = pl.col("ttl_policy").replace({KEEP: DECAY}).fill_null(DECAY)
    return rows.select(
        "item_id",
        pl.when(pl.col("item_id").is_in(kept.implode())).then(pl.lit(KEEP)).otherwise(ttl).alias("ttl_policy"),
        pl.col("sensitivity").fill_null(NORMAL),
    )


def note_policies(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return item_id, ttl_policy, sensitivity of notes: those of the source that a note is."""
    rows = tables["notes"].select(pl.col("note_id").alias("item_id"), "source_id")
    return _from_sources(rows, tables["known_sources"])


def _kept(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["known_sources"].filter(pl.col("ttl_policy") == KEEP).select("source_id")


def _from_sources(stated: pl.DataFrame, sources: pl.DataFrame) -> pl.DataFrame:
    """Return the policy of items, given the sources that state each.

    An item is kept forever if one of its sources is, and ephemeral only if all are. Its sensitivity is the lowest of
    its sources: what one of them says openly is no secret.
    """
    known = sources.select("source_id", "ttl_policy", pl.col("sensitivity").replace_strict(_levels(), default=1))
    rows = stated.join(known, on="source_id")
    ttl, names = pl.col("ttl_policy"), {number: name for name, number in _levels().items()}
    policy = (
        pl.when((ttl == KEEP).any())
        .then(pl.lit(KEEP))
        .when((ttl == EPHEMERAL).all())
        .then(pl.lit(EPHEMERAL))
        .otherwise(pl.lit(DECAY))
    )
    found = rows.group_by("item_id").agg(policy.alias("ttl_policy"), pl.col("sensitivity").min())
    level = pl.col("sensitivity").replace_strict(names, default=NORMAL, return_dtype=pl.String)
    return found.with_columns(level).select(pl.col(name).cast(kind) for name, kind in POLICIES.items())


def _levels() -> dict[str, int]:
    return {name: number for number, name in enumerate(SENSITIVITIES)}
