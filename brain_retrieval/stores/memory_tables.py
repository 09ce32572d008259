"""Schemas of the memory tables of a snapshot: storylines, macros, habits, summaries, salience, retrieval echoes.

The knowledge tables are in `knowledge_tables.py`.
"""

import pyarrow as pa

from brain_retrieval.schemas.tables import TEXT, TIME
from brain_retrieval.stores.knowledge_tables import TEXTS, field

# The source span that supports a sentence of a summary; with `memory_id`, the sentence is the text of that memory.
CITATION = pa.struct(
    [
        field("source_id", TEXT),
        field("start", pa.int64()),
        field("end", pa.int64()),
        field("memory_id", TEXT, True),
    ]
)

# A part of an extractive summary made of memories; the description consists of the texts.
PART = pa.struct([field("part", TEXT), field("at", TIME), field("text", TEXT)])  # part: beginning | turn | now

# Beginning of the anchor_id of a storyline about what people do without a name for it: no entity has that id.
THEME = "theme"

STORYLINES = pa.schema(
    [
        field("storyline_id", TEXT),
        field("anchor_id", TEXT),
        field("anchor", TEXT),
        field("name", TEXT),  # a title
        field("topic", TEXT),  # commonest keywords, "" if there are none
        field("open", pa.bool_()),  # false after 90 idle days
        field("source_count", pa.int64()),
        field("weight", pa.float64()),  # sum of the weights of its sources' types
        field("distinct_days", pa.int64()),
        field("started_at", TIME),  # event time
        field("last_source_at", TIME),
        field("promoted_at", TIME),  # event time of the source with which the thresholds were met
        field("team", TEXT, True),
        field("evidence_hash", TEXT),  # of its sources; a summary is dirty when it was made of another
    ]
)

STORYLINE_SOURCES = pa.schema(
    [
        field("storyline_id", TEXT),
        field("source_id", TEXT),
        field("source_type", TEXT),
        field("event_at", TIME),
        field("weight", pa.float64()),
    ]
)

MACROS = pa.schema(
    [
        field("macro_id", TEXT),
        field("anchor_id", TEXT),
        field("anchor", TEXT),
        field("name", TEXT),  # a title
        field("storyline_ids", TEXTS),  # chronological
        field("storyline_count", pa.int64()),
        field("total_source_count", pa.int64()),
        field("started_at", TIME),
        field("last_event_at", TIME),
        field("team", TEXT, True),
        field("evidence_hash", TEXT),
    ]
)

# A sentence in which a habit shows; with `memory_id`, the memory that states it.
OCCURRENCE = pa.struct(
    [
        field("source_id", TEXT),
        field("start", pa.int64()),
        field("end", pa.int64()),
        field("at", TIME),
        field("text", TEXT),  # at most 200 characters of it, as one line
        field("memory_id", TEXT, True),
    ]
)

HABITS = pa.schema(
    [
        field("habit_id", TEXT),
        field("kind", TEXT),  # weekly | month_end | month_start | month_weekday | rule | procedure | stated
        field("name", TEXT),  # a title, or the words in which it was said
        field("steps", TEXTS),  # of a procedure, in order
        field("times", pa.int64()),  # days on which it was done or said
        field("started_at", TIME),
        field("last_at", TIME),
        field("open", pa.bool_()),  # false if it has not come back for long
        field("occurrences", pa.list_(OCCURRENCE)),  # one a day, chronological
    ]
)

SUMMARIES = pa.schema(
    [
        field("item_id", TEXT),  # storyline_id, macro_id or entity_id
        field("item", TEXT),  # storyline | macro | entity
        field("description", TEXT),
        field("citations", pa.list_(CITATION)),  # every sentence has one
        field("parts", pa.list_(PART)),  # one a citation, or none
        field("method", TEXT),  # extractive | llm
        field("model", TEXT),
        field("evidence_hash", TEXT),  # what it was made of
    ]
)

SALIENCE = pa.schema(
    [
        field("item_id", TEXT),
        field("item", TEXT),  # source | entity | fact | note | storyline | macro
        field("state", TEXT),  # candidate | active | core | archived; at the end of the knowledge day
        field("ttl_policy", TEXT),  # keep_forever | decay | ephemeral
        field("sensitivity", TEXT),  # low | normal | high; access control only
        field("confidence", pa.float64()),
        field("access_count", pa.int64()),  # recalls: at most one an item and session (or day)
        field("last_recall_interval", pa.float64()),  # days
        field("decay_gradient", pa.float64()),
        field("last_accessed_at", TIME, True),
        field("created_at", TIME),
        # Closed form: salience(t) = anchor_salience · exp(-rate · days between anchor_at and t), for t ≥ anchor_at.
        # It is computed when read: a stored value would change every day.
        field("anchor_salience", pa.float64()),
        field("anchor_at", TIME),
        field("rate", pa.float64()),  # per day
        field("expires_at", TIME, True),  # ephemeral
    ]
)

# Echoes: agent output that repeats retrieved text, and sources that repeat another; excluded from evidence.
ECHOES = pa.schema(
    [
        field("echo_id", TEXT),
        field("source_id", TEXT),
        field("start", pa.int64()),
        field("end", pa.int64()),
        field("of_source_id", TEXT),
        field("similarity", pa.float64()),
    ]
)

MEMORY_TABLES: dict[str, pa.Schema] = {
    "storylines": STORYLINES,
    "storyline_sources": STORYLINE_SOURCES,
    "macros": MACROS,
    "habits": HABITS,
    "summaries": SUMMARIES,
    "salience": SALIENCE,
    "echoes": ECHOES,
}
