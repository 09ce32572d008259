"""The tables of the lake and the index: names, columns and Arrow types. No reading or writing happens here.

Times are UTC microseconds. `day` is the ISO date of the partition. `start`/`end` are character offsets into the
cleaned text of the source, half-open, so `text[start:end]` is the span. No row holds a run id or a processing
time: a row is a function of the raw bytes, the landing record, the code version and the configuration.
"""

import pyarrow as pa

TIME = pa.timestamp("us", tz="UTC")
TEXT = pa.string()


def _field(name: str, kind: pa.DataType, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable)


SOURCE_COLUMNS = [
    _field("source_id", TEXT),
    _field("source", TEXT),  # source type: note, document, conversation
    _field("uri", TEXT),  # inbox:<source>/<path>[#<item>]; never an absolute path
    _field("day", TEXT),
    _field("event_at", TIME),
    _field("received_at", TIME),
    _field("trust", TEXT),
    _field("sensitivity", TEXT),
]
DERIVED_COLUMNS = [_field("code_version", TEXT), _field("config_hash", TEXT)]

# One structural unit of a source's text: a page, a message, a section, a table.
SEGMENT = pa.struct(
    [
        _field("start", pa.int64()),
        _field("end", pa.int64()),
        _field("kind", TEXT),  # page | message | section | table | body
        _field("raw_start", pa.int64(), True),  # character span in the decoded original, where it is a text
        _field("raw_end", pa.int64(), True),
        _field("section", TEXT, True),  # heading path, " > " between levels
        _field("page", pa.int32(), True),  # from 1
        _field("message_id", TEXT, True),
        _field("speaker", TEXT, True),
        _field("time", TIME, True),
    ]
)

RAW = pa.schema(
    [
        *SOURCE_COLUMNS,
        _field("event_from", TEXT),  # given | content | name | metadata | file
        _field("sha256", TEXT),
        _field("bytes", pa.int64()),
        _field("item", TEXT),  # selector of the item inside its file, "" for the whole file
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
        _field("text", TEXT),
        _field("segments", pa.list_(SEGMENT)),
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
        _field("page", pa.int32(), True),
        _field("message_ids", pa.list_(TEXT)),
        _field("speakers", pa.list_(TEXT)),
        _field("time", TIME, True),  # of the first message in the chunk
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
        *DERIVED_COLUMNS,
    ]
)

ENTITIES = pa.schema(
    [
        _field("entity_id", TEXT),  # within one source; resolution across sources is a later layer
        *SOURCE_COLUMNS,
        _field("name", TEXT),
        _field("type", TEXT),
        _field("aliases", pa.list_(TEXT)),
        _field("mention_count", pa.int32()),
        _field("confidence", pa.float64()),
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
        _field("rule", TEXT),
        _field("start", pa.int64()),  # evidence span
        _field("end", pa.int64()),
        _field("evidence", TEXT),
        _field("speaker", TEXT, True),
        *DERIVED_COLUMNS,
    ]
)

# Lake tables by name. The key of every table is (source, day); a stage replaces that key as a whole.
TABLES: dict[str, pa.Schema] = {
    "raw": RAW,
    "text": DOCUMENT_TEXT,
    "chunks": CHUNKS,
    "mentions": MENTIONS,
    "entities": ENTITIES,
    "facts": FACTS,
}

ENTITY_TYPES = ("Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool")
RELATIONS = (
    "KNOWS",
    "WORKS_WITH",
    "MEMBER_OF",
    "WORKED_ON",
    "OWNS",
    "DEPENDS_ON",
    "RELATED_TO",
    "PART_OF",
    "USES",
    "ABOUT",
)

# LanceDB declares a primary key by field metadata; with it two runs on one partition cannot leave duplicates.
PRIMARY_KEY = {b"lance-schema:unenforced-primary-key:position": b"1"}


def index_schema(dim: int) -> pa.Schema:
    """Return the schema of a user's index table for vectors of `dim` float32: the chunk columns and more.

    `search_text` is the context header and the text, what the lexical arm reads; `vector` is unit length.
    """
    columns = [f for f in CHUNKS if f.name != "chunk_id"]
    return pa.schema(
        [
            pa.field("id", TEXT, nullable=False, metadata=PRIMARY_KEY),
            *columns,
            _field("search_text", TEXT),
            _field("vector", pa.list_(pa.float32(), dim)),
        ]
    )
