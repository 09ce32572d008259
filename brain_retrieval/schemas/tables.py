"""The tables of the lake and the index: columns and Arrow types. No reading or writing happens here.

Times are UTC microseconds. `day` is the ISO date of the partition. `start`/`end` are character offsets into the
cleaned text of the source, half-open, so `text[start:end]` is the span. No row holds a run id or a processing
time: a row is a function of the raw bytes, the landing record, the code version and the configuration.
"""

import pyarrow as pa

from brain_retrieval.schemas.names import HELD, WORD_CODES

TIME = pa.timestamp("us", tz="UTC")
TEXT = pa.string()


def _field(name: str, kind: pa.DataType, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable)


SOURCE_COLUMNS = [
    _field("source_id", TEXT),
    _field("source", TEXT),  # source type: note, document, conversation, …
    _field("uri", TEXT),  # inbox:<source>/<path>[#<item>]; never an absolute path
    _field("day", TEXT),
    _field("event_at", TIME),
    _field("received_at", TIME),
    _field("trust", TEXT),
    _field("sensitivity", TEXT),  # low | normal | high; for access control only
    _field("ttl_policy", TEXT, True),  # keep_forever | ephemeral | decay, as stated for the source; null: decay
]
DERIVED_COLUMNS = [_field("code_version", TEXT), _field("config_hash", TEXT)]

# Location of a piece of text on a page, in a picture, recording or table; columns that do not apply are null.
PLACE = [
    _field("page", pa.int32(), True),  # from 1
    _field("box", pa.list_(pa.float32()), True),  # left, top, right, bottom as fractions of the page or picture
    _field("start_seconds", pa.float64(), True),  # from the beginning of the recording
    _field("end_seconds", pa.float64(), True),
    _field("cells", TEXT, True),  # A1 notation, with the sheet: Budget!B2:D2
]

# The finest location: a line of a page or picture, a word of a recording, a row of a sheet.
ANCHOR = pa.struct([_field("start", pa.int64()), _field("end", pa.int64()), *PLACE])

# One structural unit of a source's text: a page, a message, a section, a table, a turn of speech, a picture.
SEGMENT = pa.struct(
    [
        _field("start", pa.int64()),
        _field("end", pa.int64()),
        # page | message | section | body | speech: what was written or said; image | frame: recognised text; table;
        # data: lines `key: value`; article: of a newspaper, copied into a mail; barcode; described: a model's words on
        # a picture; generated: sentences of Brain
        _field("kind", TEXT),
        _field("raw_start", pa.int64(), True),  # character span in the decoded original, where it is a text
        _field("raw_end", pa.int64(), True),
        _field("section", TEXT, True),  # heading path, " > " between levels
        *PLACE,
        _field("message_id", TEXT, True),
        _field("speaker", TEXT, True),
        _field("time", TIME, True),
    ]
)

# Provenance of a source. A child (an attachment, a linked page) names its parent.
ORIGIN_COLUMNS = [
    _field("parent_id", TEXT, True),  # source_id of the parent
    _field("url", TEXT, True),
    _field("fetched_at", TIME, True),
]

RAW = pa.schema(
    [
        *SOURCE_COLUMNS,
        _field("event_from", TEXT),  # given | content | name | metadata | file
        _field("sha256", TEXT),
        _field("bytes", pa.int64()),
        _field("item", TEXT),  # selector of the item inside its file, "" for the whole file
        _field("name", TEXT),  # file name of the item
        *ORIGIN_COLUMNS,
        _field("meta", TEXT),  # JSON object: further metadata from the sender or connector
        _field("format", TEXT),
        _field("mime", TEXT),
        *DERIVED_COLUMNS,
    ]
)

DOCUMENT_TEXT = pa.schema(
    [
        *SOURCE_COLUMNS,
        _field("format", TEXT),
        _field("title", TEXT),
        _field("language", TEXT, True),
        _field("authors", pa.list_(TEXT)),
        _field("participants", pa.list_(TEXT)),  # everyone who wrote, spoke or was addressed
        *ORIGIN_COLUMNS,
        _field("attributes", TEXT),  # JSON object, by source type: docs/sources.md
        _field("text", TEXT),
        _field("segments", pa.list_(SEGMENT)),
        _field("anchors", pa.list_(ANCHOR)),
        *DERIVED_COLUMNS,
    ]
)

CHUNKS = pa.schema(
    [
        _field("chunk_id", TEXT),
        *SOURCE_COLUMNS,
        _field("title", TEXT),
        _field("position", pa.int32()),  # from 0 within the source
        _field("start", pa.int64()),
        _field("end", pa.int64()),
        _field("text", TEXT),
        _field("context", TEXT),  # short header (date, title, section) embedded and searched with the text
        _field("token_count", pa.int32()),
        _field("strategy", TEXT),
        _field("section", TEXT, True),
        *PLACE,  # the page or slide, and the first sheet, that the chunk is of; seconds from its first to its last word
        _field("message_ids", pa.list_(TEXT)),
        _field("speakers", pa.list_(TEXT)),
        _field("time", TIME, True),  # of the first message in the chunk
        *ORIGIN_COLUMNS,
        *DERIVED_COLUMNS,
    ]
)

MENTIONS = pa.schema(
    [
        _field("mention_id", TEXT),
        *SOURCE_COLUMNS,
        _field("entity_id", TEXT),
        _field("name", TEXT),  # canonical name within the source
        _field("type", TEXT),
        _field("text", TEXT),
        _field("start", pa.int64()),
        _field("end", pa.int64()),
        _field("confidence", pa.float64()),
        _field("method", TEXT),  # local | llm | agent
        *DERIVED_COLUMNS,
    ]
)

ENTITIES = pa.schema(
    [
        _field("entity_id", TEXT),  # within one source; resolution across sources happens in the snapshot
        *SOURCE_COLUMNS,
        _field("name", TEXT),
        _field("type", TEXT),
        _field("aliases", pa.list_(TEXT)),
        _field("mention_count", pa.int32()),
        _field("confidence", pa.float64()),
        _field("description", TEXT, True),
        _field("method", TEXT),
        *DERIVED_COLUMNS,
    ]
)

FACTS = pa.schema(
    [
        _field("fact_id", TEXT),
        *SOURCE_COLUMNS,
        _field("subject", TEXT),
        _field("subject_id", TEXT),
        _field("subject_type", TEXT),
        _field("predicate", TEXT),  # lemma form, e.g. "lead", "depend on"
        _field("relation", TEXT),  # one of RELATIONS
        _field("object", TEXT),
        _field("object_id", TEXT, True),  # null for a literal
        _field("object_type", TEXT),
        _field("polarity", TEXT),  # affirmed | negated
        _field("modality", TEXT),  # asserted | possible | conditional | question | reported
        _field("confidence", pa.float64()),
        _field("said_at", TIME),  # time of the message, else of the source
        _field("stated_from", TIME, True),  # start of validity as stated: "since March 2021"
        _field("stated_to", TIME, True),  # "until June"
        _field("description", TEXT, True),
        _field("attitude", pa.int32(), True),  # 1–5, only if stated
        _field("proximity", pa.int32(), True),
        _field("properties", TEXT, True),  # JSON object of strings: role, duration, …; only if stated
        _field("rule", TEXT),
        _field("method", TEXT),  # local | llm | agent
        _field("start", pa.int64()),  # evidence span
        _field("end", pa.int64()),
        _field("evidence", TEXT),
        _field("speaker", TEXT, True),
        *DERIVED_COLUMNS,
    ]
)

# A sentence or clause that a reader may want back, readable on its own, with the span it comes from. docs/memories.md
MEMORY_ENTITY = pa.struct(
    [
        _field("entity_id", TEXT, True),  # of the extraction, within one source; null if it is no entity there
        _field("name", TEXT),
        _field("type", TEXT),  # one of ENTITY_TYPES
        _field("role", TEXT),  # speaker | listener | subject | named
    ]
)

MEMORY_VALUE = pa.struct([_field("dimension", TEXT), _field("value", TEXT)])  # EUR 840, kg 64, date 2025-06-12, …

MEMORIES = pa.schema(
    [
        _field("memory_id", TEXT),
        *SOURCE_COLUMNS,
        _field("text", TEXT),  # self-contained: names for "I" and "she", dates in brackets
        _field("kind", TEXT),  # one of MEMORY_KINDS
        _field("keep", pa.float64()),  # calibrated probability that a reader would want it back later
        _field("self_contained", pa.bool_()),  # false if something in it still refers outside the sentence
        _field("speaker", TEXT, True),
        _field("listener", TEXT, True),
        _field("entities", pa.list_(MEMORY_ENTITY)),
        _field("anchors", pa.list_(TEXT)),  # normalised content words
        _field("values", pa.list_(MEMORY_VALUE)),
        _field("said_at", TIME),
        _field("effective_from", TIME),  # from when it holds: as stated, else said_at
        _field("from_stated", pa.bool_()),
        _field("valid_to", TIME, True),  # stated end
        _field("polarity", TEXT),  # affirmed | negated
        _field("modality", TEXT),  # asserted | reported | possible | conditional | question
        _field("cue", TEXT),  # of change: none | weak | strong
        _field("slot_subject", TEXT, True),  # only where sure: ("Katrin", "lives_in", "Jena")
        _field("slot_attribute", TEXT, True),
        _field("slot_value", TEXT, True),
        _field("ends_hint", pa.list_(TEXT), True),  # memories that it states to hold no longer, according to a model
        _field("method", TEXT),  # local | llm | agent | owner
        _field("clause", pa.int32()),  # number of the clause in its sentence, 0 for a whole sentence
        _field("start", pa.int64()),  # evidence span
        _field("end", pa.int64()),
        _field("evidence", TEXT),
        *DERIVED_COLUMNS,
    ]
)

MEMORY_VECTORS = pa.schema(
    [
        *(_field(name, TEXT) for name in ("memory_id", "source_id", "source", "day")),
        _field("model", TEXT),  # that embedded it
        _field("text_hash", TEXT),  # of the text that was embedded
        _field("vector", pa.list_(pa.int8())),  # direction only: its length says nothing
        *DERIVED_COLUMNS,
    ]
)

SPAN = pa.struct([_field("start", pa.int64()), _field("end", pa.int64())])

ENRICHMENTS = pa.schema(
    [
        *SOURCE_COLUMNS,
        _field("summary", TEXT),  # one or two sentences; "" where the text has none
        _field("keywords", pa.list_(TEXT)),  # 5–10 where the text is long enough, best first
        _field("tags", pa.list_(TEXT)),  # 3–5: domain, context, tone, source type
        _field("bucket", TEXT),  # one of BUCKETS
        _field("bucket_confidence", pa.float64()),
        _field("summary_spans", pa.list_(SPAN)),  # spans of the sentences; empty if a model wrote the summary
        _field("method", TEXT),  # extractive | llm
        _field("model", TEXT),
        *DERIVED_COLUMNS,
    ]
)

# Lake tables by name. The key of every table is (source, day); a stage replaces that key as a whole.
TABLES: dict[str, pa.Schema] = {
    "raw": RAW,
    "text": DOCUMENT_TEXT,
    HELD: DOCUMENT_TEXT,
    "chunks": CHUNKS,
    "mentions": MENTIONS,
    "entities": ENTITIES,
    "facts": FACTS,
    "memories": MEMORIES,
    "memory_vectors": MEMORY_VECTORS,
    "enrichments": ENRICHMENTS,
}

# LanceDB declares a primary key by field metadata; with it two runs on one partition cannot leave duplicates.
PRIMARY_KEY = {b"lance-schema:unenforced-primary-key:position": b"1"}


def index_schema(dim: int) -> pa.Schema:
    """Return the schema of a user's index table: the chunk columns, `search_text`, and `vector` of `dim` float32.

    `search_text` is the context header and the text, searched by the lexical retriever; scripts that write no words
    apart stand in it as pairs of letters (`language/letter_pairs.py`). `vector` has unit length.
    `word_codes` holds 16 bytes for each of its content tokens (`models/embedding/word_codes.py`); null if the model
    gives none, or if the row was written before there were any.
    """
    columns = [f for f in CHUNKS if f.name != "chunk_id"]
    return pa.schema(
        [
            pa.field("id", TEXT, nullable=False, metadata=PRIMARY_KEY),
            *columns,
            _field("search_text", TEXT),
            _field("vector", pa.list_(pa.float32(), dim)),
            _field(WORD_CODES, pa.binary(), True),
        ]
    )
