"""The quality gate of a snapshot: counts that must be zero (blocking) and rates that should stay low (warning)."""

from collections.abc import Mapping, Sequence

import polars as pl

from brain_pipelines.knowledge.snapshot_gate import BLOCKING
from brain_retrieval.stores.memory_tables import THEME
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

# Highest value that passes. Counts check correctness and block publication; rates only warn.
TABLE_LIMITS: Mapping[str, float] = {
    "orphan_edges": 0.0,
    "unsupported_summaries": 0.0,
    "overlapping_facts": 0.0,
    "duplicate_rate": 0.05,
    "junk_rate": 0.6,
    "contradiction_rate": 0.1,
    "retired_rate": 0.3,
}
# Of what is shown, measured in `memory_quality.py`.
MEMORY_LIMITS: Mapping[str, float] = {
    # Measured on the labelled sentences: at the display threshold about one shown memory in six is unwanted.
    "expected_junk": 0.25,
    "doubtful_shown": 0.1,
    "broken_shown": 0.05,
    "generic_entities": 0.05,
    "odd_people": 0.1,
    "merged_amounts": 0.05,
    "conflicting_values": 0.0,
}
LIMITS: Mapping[str, float] = {**TABLE_LIMITS, **MEMORY_LIMITS}
SAMPLED = "expected_junk"  # its detail holds the ids of the sample
JUNK_CONFIDENCE = 0.6
MEANINGS: Mapping[str, str] = {
    "orphan_edges": "Facts, entity members and storylines that refer to a missing entity or storyline.",
    "unsupported_summaries": "Summaries that their citations do not support.",
    "overlapping_facts": "Functional facts whose validity intervals overlap.",
    "duplicate_rate": "Share of entities with the same letters and digits as another entity of their class.",
    "junk_rate": "Share of entities with a single low-confidence mention and no facts.",
    "contradiction_rate": "Share of facts that contradict another fact.",
    "retired_rate": "Share of facts that were superseded.",
    "expected_junk": "Mean probability that a shown memory is not worth keeping; `sample` names 20 shown ones by id.",
    "doubtful_shown": "Share of shown memories below the display probability, such as what has ended a likelier one.",
    "broken_shown": "Share of shown memories that are markup, an entry of a log, or lack an end of a bracket or quote.",
    "generic_entities": "Share of entities that are no names (no capital letter, no digit) and no topic that recurs.",
    "odd_people": "Share of people whose name has not the form of a person's name.",
    "merged_amounts": "Share of facts with several passages that state different numbers.",
    "conflicting_values": "Attributes with one value at a time for which several are shown as current.",
}


def measure(
    members: pl.DataFrame,
    entities: pl.DataFrame,
    facts: pl.DataFrame,
    storylines: pl.DataFrame,
    storyline_sources: pl.DataFrame,
    *,
    unsupported_summaries: int,
    topics: pl.DataFrame | None = None,
) -> dict[str, float]:
    """Return each measure of LIMITS for the tables of a snapshot; facts may refer to `topics` too."""
    return {
        "orphan_edges": float(_orphans(members, entities, facts, storylines, storyline_sources, topics)),
        "unsupported_summaries": float(unsupported_summaries),
        "overlapping_facts": float(_overlapping(facts)),
        "duplicate_rate": _duplicates(entities),
        "junk_rate": _junk(entities, facts),
        "contradiction_rate": _share(facts, pl.col("status") == "contradicted"),
        "retired_rate": _share(facts, pl.col("status") == "superseded"),
    }


def passed(metric: str, value: float) -> bool:
    """Return whether a measure is within its limit."""
    return value <= LIMITS[metric]


def quality_table(measures: Mapping[str, float], sample: Sequence[str] = ()) -> pl.DataFrame:
    """Return QUALITY rows; `sample` holds ids of shown memories, for a reader to judge."""
    details = dict.fromkeys(BLOCKING, "blocks publication") | {SAMPLED: " ".join(sample)}
    rows = [
        {
            "metric": name,
            "value": round(value, 9),
            "limit": LIMITS[name],
            "passed": passed(name, value),
            "detail": details.get(name, ""),
        }
        for name, value in sorted(measures.items())
    ]
    return pl.DataFrame(rows, schema=pl.DataFrame(SNAPSHOT_TABLES["quality"].empty_table()).schema)


def _orphans(
    members: pl.DataFrame,
    entities: pl.DataFrame,
    facts: pl.DataFrame,
    storylines: pl.DataFrame,
    storyline_sources: pl.DataFrame,
    topics: pl.DataFrame | None,
) -> int:
    """Count references to entities and storylines that do not exist."""
    known, stories = entities["entity_id"].implode(), storylines["storyline_id"].implode()
    stated = entities["entity_id"] if topics is None else pl.concat([entities["entity_id"], topics["entity_id"]])
    stated = stated.implode()
    return (
        members.filter(~pl.col("entity_id").is_in(known)).height
        + facts.filter(~pl.col("subject_id").is_in(stated)).height
        + facts.filter(pl.col("object_id").is_not_null() & ~pl.col("object_id").is_in(stated)).height
        + storylines.filter(
            ~pl.col("anchor_id").is_in(known) & ~pl.col("anchor_id").str.starts_with(f"{THEME}_")
        ).height
        + storyline_sources.filter(~pl.col("storyline_id").is_in(stories)).height
    )


def _overlapping(facts: pl.DataFrame) -> int:
    """Count undisputed functional facts that overlap in time with the one before of the same subject and predicate."""
    held = (
        facts.filter(pl.col("functional") & (pl.col("status") != "contradicted") & (pl.col("polarity") == "affirmed"))
        .filter(pl.col("contradicts").list.len() == 0)
        .filter(
            pl.col("modality") == "asserted", pl.col("valid_to").is_null() | (pl.col("valid_to") > pl.col("valid_from"))
        )
    )
    # Sorted by begin, a fact can be compared with its predecessor alone.
    ordered = held.sort("subject_id", "predicate", "valid_from", "fact_id")
    key = ["subject_id", "predicate"]
    before = ordered.with_columns(
        pl.col("valid_to").shift(1).over(key).alias("ended"),
        pl.col("object_key").shift(1).over(key).alias("other"),
    ).filter(pl.col("other").is_not_null() & (pl.col("other") != pl.col("object_key")))
    return before.filter(pl.col("ended").is_null() | (pl.col("ended") > pl.col("valid_from"))).height


def _duplicates(entities: pl.DataFrame) -> float:
    """Return the share of entities that have the same letters and digits as another of their class."""
    if entities.is_empty():
        return 0.0
    bare = entities.with_columns(pl.col("canonical_name").str.replace_all(r"[^\p{L}\p{N}]", "").alias("bare"))
    groups = bare.filter(pl.col("bare") != "").group_by("entity_class", "bare").len()
    return float((groups["len"] - 1).sum()) / entities.height


def _junk(entities: pl.DataFrame, facts: pl.DataFrame) -> float:
    """Return the share of entities with a single low-confidence mention and no facts."""
    used = pl.concat([facts["subject_id"], facts["object_id"].drop_nulls()]).unique().implode()
    lonely = (pl.col("mention_count") <= 1) & (pl.col("confidence") < JUNK_CONFIDENCE) & ~pl.col("is_owner")
    return _share(entities, lonely & ~pl.col("entity_id").is_in(used))


def _share(frame: pl.DataFrame, condition: pl.Expr) -> float:
    return frame.filter(condition).height / frame.height if frame.height else 0.0
