"""Schemas of the knowledge tables of a snapshot: entities, facts, evidence and notes at the end of a day.

Every table is a function of the extraction rows with `received_at` up to the end of the knowledge day, of the access
log until then, and of the code and settings. No row holds a run id or a processing time. Ids are content-derived.
Storylines and salience are in `memory_tables.py`; storage of snapshots is in `snapshots.py`.
"""

import pyarrow as pa

from brain_retrieval.schemas.tables import TEXT, TIME

TEXTS = pa.list_(TEXT)


def field(name: str, kind: pa.DataType, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable)


# The sources a snapshot is computed from.
KNOWN_SOURCES = pa.schema(
    [
        field("source_id", TEXT),
        field("source_type", TEXT),
        field("uri", TEXT),
        field("title", TEXT),
        field("day", TEXT),  # of the event
        field("event_at", TIME),
        field("received_at", TIME),
        field("participants", TEXTS),
        field("summary", TEXT),
        field("keywords", TEXTS),
        field("tags", TEXTS),
        field("bucket", TEXT),
        field("sensitivity", TEXT),
        field("ttl_policy", TEXT),  # keep_forever | ephemeral | decay, as stated
        field("trust", TEXT),
        field("parent_id", TEXT, True),
        field("url", TEXT, True),
        field("team", TEXT, True),  # team of the space it lies in, null for the user's own
        field("digest", TEXT),  # hash of its text
    ]
)

# One row for each entity of each source: which entity of the user it is, and why.
ENTITY_MEMBERS = pa.schema(
    [
        field("member_id", TEXT),  # entity_id of the extraction, within one source
        field("entity_id", TEXT),  # of the user
        field("source_id", TEXT),
        field("source_type", TEXT),
        field("event_at", TIME),
        field("received_at", TIME),
        field("name", TEXT),
        field("type", TEXT),
        field("aliases", TEXTS),
        field("mention_count", pa.int32()),
        field("confidence", pa.float64()),
        field("rule", TEXT),  # same_name | part_of_name | initial | nickname | spelling | meaning | context | owner | …
        field("score", pa.float64()),  # of the rule that joined it, 1 for its own name
    ]
)

KNOWN_ENTITIES = pa.schema(
    [
        field("entity_id", TEXT),  # entity_key of the tools and of the graph
        field("entity_class", TEXT),  # Person | Concept | Entity
        field("type", TEXT),  # one of ENTITY_TYPES
        field("name", TEXT),
        field("canonical_name", TEXT),  # lower case, words joined by "-"
        field("aliases", TEXTS),
        field("is_owner", pa.bool_()),
        field("description", TEXT),
        field("mention_count", pa.int64()),
        field("source_count", pa.int64()),
        field("distinct_source_days", pa.int64()),  # days of events, not of ingestion
        field("first_mentioned_at", TIME),  # event time
        field("last_mentioned_at", TIME),
        field("first_received_at", TIME),
        field("last_received_at", TIME),
        field("confidence", pa.float64()),  # noisy-or over sources
    ]
)

# Every name an entity has or had. `name_id` is what the entity's id would be under that name, so an id that was
# valid on an earlier snapshot still leads to the entity that has the name now.
ENTITY_NAMES = pa.schema(
    [
        field("name_id", TEXT),
        field("entity_id", TEXT),
        field("name", TEXT),  # normalised
        field("display", TEXT),
        field("entity_class", TEXT),
        field("source_count", pa.int64()),
    ]
)

# Merge log: decisions that two names are or are not the same entity, with the reason; reversible.
ENTITY_MERGES = pa.schema(
    [
        field("merge_id", TEXT),
        field("left_id", TEXT),  # name_id
        field("left_name", TEXT),
        field("right_id", TEXT),
        field("right_name", TEXT),
        field("entity_id", TEXT),  # of the result; of the left name when kept apart
        field("decision", TEXT),  # merged | kept_apart
        field("rule", TEXT),
        field("score", pa.float64()),
        field("reason", TEXT),
        field("decided_by", TEXT),  # rule | owner | llm
    ]
)

# One row for each fact that a source states, in the words of the user's entities.
FACT_EVIDENCE = pa.schema(
    [
        field("evidence_id", TEXT),  # fact_id of the extraction
        field("source_id", TEXT),
        field("source_type", TEXT),
        field("said_at", TIME),  # event time of the message, else of the source
        field("received_at", TIME),
        field("subject_id", TEXT),
        field("subject", TEXT),
        field("subject_class", TEXT),
        field("predicate", TEXT),  # canonical
        field("predicate_text", TEXT),  # as extracted
        field("relation", TEXT),  # one of RELATIONS
        field("object_id", TEXT, True),  # null for a literal
        field("object", TEXT),
        field("object_class", TEXT),  # Person | Concept | Entity | Literal
        field("object_key", TEXT),  # object_id, or the normalised literal
        field("polarity", TEXT),
        field("modality", TEXT),
        field("confidence", pa.float64()),
        field("stated_from", TIME, True),  # "since March 2021"
        field("stated_to", TIME, True),  # "until June"
        field("description", TEXT, True),
        field("attitude", pa.int32(), True),  # 1–5
        field("proximity", pa.int32(), True),  # 1–5
        field("properties", TEXT, True),  # JSON object of strings: role, duration, …
        field("rule", TEXT),
        field("method", TEXT),  # local | llm | agent
        field("speaker", TEXT, True),
        field("trust", TEXT),
        field("start", pa.int64()),
        field("end", pa.int64()),
        field("evidence", TEXT),
    ]
)

KNOWN_FACTS = pa.schema(
    [
        field("fact_id", TEXT),
        field("subject_id", TEXT),
        field("subject", TEXT),
        field("subject_class", TEXT),
        field("predicate", TEXT),  # canonical
        field("relation", TEXT),
        field("kind", TEXT),  # has_relationship_with | engages_with | … | has_value for a literal
        field("object_id", TEXT, True),
        field("object", TEXT),
        field("object_class", TEXT),
        field("object_key", TEXT),
        field("polarity", TEXT),
        field("modality", TEXT),
        field("functional", pa.bool_()),  # at most one object at a time
        field("valid_from", TIME),
        field("valid_to", TIME, True),  # null: still valid as far as known
        field("known_from", TIME),  # when Brain first had evidence of it
        field("ended_known_from", TIME, True),  # when Brain first had evidence of its end
        field("status", TEXT),  # current | superseded | ended | contradicted
        field("supersedes_fact_id", TEXT, True),
        field("superseded_by_fact_id", TEXT, True),
        field("contradicts", TEXTS),  # fact ids
        field("confidence", pa.float64()),  # noisy-or over sources
        field("evidence_count", pa.int64()),
        field("source_count", pa.int64()),
        field("first_said_at", TIME),
        field("last_said_at", TIME),
        field("description", TEXT),
        field("attitude", pa.int32(), True),
        field("proximity", pa.int32(), True),
        field("properties", TEXT, True),  # of all statements together; where they differ, the newest
        field("recorded_by", TEXT),  # extraction | agent
        field("evidence_ids", TEXTS),
        field("source_ids", TEXTS),
    ]
)

NOTES = pa.schema(
    [
        field("note_id", TEXT),  # of source, target and content
        field("target", TEXT),  # entity | relationship
        field("entity_id", TEXT),
        field("other_entity_id", TEXT, True),  # of a relationship
        field("content", TEXT),
        field("lifetime", TEXT),  # week | month | year | forever
        field("date_added", TIME),
        field("expires_at", TIME, True),
        field("expired", pa.bool_()),  # at the end of the knowledge day
        field("added_by", TEXT),
        field("source_id", TEXT),  # of the note itself
        field("source_entity_key", TEXT, True),  # the source it was written about
    ]
)

QUALITY = pa.schema(
    [
        field("metric", TEXT),
        field("value", pa.float64()),
        field("limit", pa.float64(), True),
        field("passed", pa.bool_()),
        field("detail", TEXT),
    ]
)

KNOWLEDGE_TABLES: dict[str, pa.Schema] = {
    "known_sources": KNOWN_SOURCES,
    "entity_members": ENTITY_MEMBERS,
    "known_entities": KNOWN_ENTITIES,
    "entity_names": ENTITY_NAMES,
    "entity_merges": ENTITY_MERGES,
    # Common nouns that statements refer to; they are no entities.
    "topics": KNOWN_ENTITIES,
    "topic_members": ENTITY_MEMBERS,
    "fact_evidence": FACT_EVIDENCE,
    "known_facts": KNOWN_FACTS,
    "notes": NOTES,
    "quality": QUALITY,
}
