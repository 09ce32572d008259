"""The graph nodes of a snapshot: people, concepts, entities, sources, storylines, macros, notes, literal values."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from brain_retrieval.ids import content_id
from brain_retrieval.language.folding import fold
from brain_retrieval.stores.graph.frames import pack, taken
from brain_retrieval.stores.graph.memory_block import FRESH, OWNER, blocks
from brain_retrieval.stores.graph.rows import encode

Tables = Mapping[str, pl.DataFrame]

# Source types that have a different name in the documented schema.
CONTENT_TYPES = {"note": "text-note", "voice-memo": "text-note", "message": "conversation", "mailbox": "email"}
NOTE_COLUMNS = ("target", "content", "lifetime", "date_added", "expires_at", "expired", "added_by", "source_id")
STORYLINE_COLUMNS = "open source_count weight distinct_days started_at last_source_at promoted_at evidence_hash".split()
MACRO_COLUMNS = "storyline_count total_source_count started_at last_event_at evidence_hash".split()
MARKS = {"has_meso": "storylines", "has_macro": "macros"}
ENTITY_COLUMNS = (
    "canonical_name aliases is_owner mention_count source_count distinct_source_days first_mentioned_at "
    "last_mentioned_at first_received_at last_received_at".split()
)
SOURCE_COLUMNS = (
    "source_type uri title event_at received_at participants summary keywords tags bucket trust parent_id url".split()
)


def nodes(tables: Tables, user: str) -> Iterator[pl.DataFrame]:
    """Yield every node of the snapshot. Every node has its user and its creator (`created_by`)."""
    if "known_entities" in tables:
        yield _entities(tables, user)
    if "sources" in tables:
        yield _sources(tables, user)
    for kind, columns, state in (("storyline", STORYLINE_COLUMNS, "active"), ("macro", MACRO_COLUMNS, "core")):
        if f"{kind}s" in tables:
            yield _anchored(tables, kind, columns, state, user)
    if "notes" in tables:
        yield _notes(tables["notes"], user)
    if "known_facts" in tables:
        yield literals(tables["known_facts"], user)


def literals(facts: pl.DataFrame, user: str) -> pl.DataFrame:
    """Return the nodes of literal objects. Each fact has its own, so that equal values create no paths."""
    rows = facts.filter(pl.col("object_id").is_null())
    properties = rows.select("fact_id", value="object", created_by=pl.lit(user))
    keys = pl.Series([literal_key(fact_id) for fact_id in rows["fact_id"]], dtype=pl.String())
    return rows.select(
        "confidence", key=keys, kind=pl.lit("literal"), type=pl.lit("Literal"), name="object",
        names=pl.lit("[]"), properties=pack(properties),
    )  # fmt: skip


def literal_key(fact_id: str) -> str:
    """Return the key of the node that holds the literal object of a fact."""
    return content_id("literal", fact_id)


def _entities(tables: Tables, user: str) -> pl.DataFrame:
    rows, owner = tables["known_entities"], pl.col("is_owner")
    default = {name: pl.when(owner).then(pl.lit(value)).otherwise(pl.lit(FRESH[name])) for name, value in OWNER.items()}
    own = rows.select(
        *ENTITY_COLUMNS,
        entity_key="entity_id",
        created_by=pl.lit(user),
        created_at="first_received_at",
        updated_at="last_received_at",
        **{mark: pl.col("entity_id").is_in(_anchors(tables, table)) for mark, table in MARKS.items()},
    )
    described = _described(rows, "entity", "entity_id", tables.get("summaries"), pl.col("description").fill_null(""))
    block = blocks(rows, "entity_id", tables.get("salience"), "entity", default)
    names = [[name, *(aliases or ())] for name, aliases in rows.select("name", "aliases").iter_rows()]
    return rows.select(
        "type", "name", key="entity_id", kind=pl.col("entity_class").str.to_lowercase(),
        confidence=pl.when(owner).then(1.0).otherwise("confidence"), names=_folded(names),
        properties=_packed(own, described, block),
    )  # fmt: skip


def _sources(tables: Tables, user: str) -> pl.DataFrame:
    rows = tables["sources"]
    own = rows.select(
        *taken(rows, SOURCE_COLUMNS),
        *(column.alias("team_id") for column in taken(rows, ["team"])),
        entity_key="source_id",
        content_type=pl.col("source_type").replace(CONTENT_TYPES),
        processing_status=pl.lit("extracted"),
        created_by=pl.lit(user),
        created_at="received_at",
        updated_at="received_at",
    )
    block = blocks(rows, "source_id", tables.get("salience"), "source", {"sensitivity": pl.col("sensitivity")})
    titled = rows.select("source_id", title=pl.when(pl.col("title").fill_null("") != "").then("title").otherwise("uri"))
    return titled.select(
        key="source_id", kind=pl.lit("source"), type=pl.lit("Source"), name="title", confidence=pl.lit(1.0),
        names=_folded([[title] for title in titled["title"]]), properties=_packed(own, block),
    )  # fmt: skip


def _anchored(tables: Tables, kind: str, columns: Sequence[str], state: str, user: str) -> pl.DataFrame:
    rows, key = tables[f"{kind}s"], f"{kind}_id"
    own = rows.select(
        key, *columns, anchor_entity_key="anchor_id", team_id="team", created_by=pl.lit(user), created_at="started_at"
    )
    described = _described(rows, kind, key, tables.get("summaries"), pl.lit(""), dirty=True)
    block = blocks(rows, key, tables.get("salience"), kind, {"state": state})
    return rows.select(
        "name", key=key, kind=pl.lit(kind), type=pl.lit(kind.title()), confidence=pl.lit(1.0),
        names=_folded([[name] for name in rows["name"]]), properties=_packed(own, described, block),
    )  # fmt: skip


def _notes(rows: pl.DataFrame, user: str) -> pl.DataFrame:
    properties = rows.select(
        *NOTE_COLUMNS, "note_id", "source_entity_key", entity_key="entity_id", other_entity_key="other_entity_id",
        created_by=pl.lit(user), created_at="date_added",
    )  # fmt: skip
    return rows.select(
        key="note_id", kind=pl.lit("note"), type=pl.lit("Note"), name=pl.col("content").str.head(80),
        confidence=pl.lit(1.0), names=pl.lit("[]"), properties=pack(properties),
    )  # fmt: skip


def _described(
    rows: pl.DataFrame, item: str, key: str, summaries: pl.DataFrame | None, text: pl.Expr, *, dirty: bool = False
) -> pl.DataFrame:
    """Return the description of each row: its summary, else `text`; and, of what has one, whether it is outdated."""
    bare = rows.with_columns(text.alias("described.text"))
    if summaries is None:
        found = bare.select(description="described.text")
        return found.with_columns(is_dirty=pl.lit(True)) if dirty else found
    cited = pl.col("citations").list.eval(pl.element().struct.field("source_id")).list.unique().list.sort()
    summary = summaries.filter(pl.col("item") == item).select(
        **{"described.of": pl.col("item_id"), "described": pl.col("description"), "described.hash": "evidence_hash"},
        description_from="method", cited_source_ids=cited.fill_null([]),
    )  # fmt: skip
    joined = bare.join(summary, left_on=key, right_on="described.of", how="left", maintain_order="left")
    columns = [pl.coalesce("described", "described.text").alias("description"), "description_from", "cited_source_ids"]
    if dirty:
        fresh = (pl.col("described.hash") == pl.col("evidence_hash")).fill_null(value=False)
        columns.append((~fresh).alias("is_dirty"))
    return joined.select(columns)


def _anchors(tables: Tables, table: str) -> pl.Series:
    found = tables.get(table)
    return pl.Series([], dtype=pl.String()).implode() if found is None else found["anchor_id"].unique().implode()


def _packed(*parts: pl.DataFrame) -> pl.Series:
    return pack(pl.concat(parts, how="horizontal"))


def _folded(names: Sequence[Sequence[str]]) -> pl.Series:
    return pl.Series([encode(sorted({fold(name) for name in own})) for own in names], dtype=pl.String())
