"""What the asset catalogue of Dagster shows of an asset: group, description, columns, kinds, pool, page of the docs.

Dagster orders groups by name: `from_…` are the source types, then come knowledge and memory, maintenance between them.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

import dagster as dg
import pyarrow as pa

from brain_pipelines.engine.stage import Stage
from brain_pipelines.knowledge.stage import SnapshotStage
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.sources.source import Source
from brain_retrieval.schemas.tables import TABLES, index_schema
from brain_retrieval.settings import Settings
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

DOCS = {
    "raw": "docs/sources.md",
    "text": "docs/sources.md",
    "chunks": "docs/retrieval.md",
    "embeddings": "docs/retrieval.md",
    "extractions": "docs/extraction.md",
    "memory_vectors": "docs/retrieval.md",
    "enrichments": "docs/enrichment.md",
    "knowledge": "docs/knowledge.md",
    "memory": "docs/memory.md",
    "maintenance": "docs/operations.md",
    "team": "docs/teams.md",
}
READ_BY = {
    "raw": "Read by `text`, and by nothing that searches.",
    "text": "Read by `chunks`, `extractions`, `enrichments`, and when a passage is shown with its surroundings.",
    "chunks": "Read by `embeddings`, and when the search index has to be built again.",
    "embeddings": "Read by every search and every context pack. What is here can be found.",
    "extractions": "Read by `brain facts`, and by the nightly snapshot.",
    "memory_vectors": "Read by every search: a sentence that fits the question raises its passage.",
    "enrichments": "Read by `brain source`, and by the nightly snapshot.",
}


def group_of(source: str) -> str:
    """Return the group of a source type's assets; Dagster does not allow "-" in it."""
    return f"from_{source.replace('-', '_')}"


def describe_stage(source: Source, stage: Stage) -> str:
    """Return what an asset of a source holds, of which items, and what reads it."""
    lines = [
        stage.description,
        f"**Items.** {source.description}",
        f"**Partition.** A day of events of one user; stored as {_tables(stage.tables)}.",
        "A day that has not changed is skipped; `force` in the run's configuration computes it again.",
        READ_BY.get(stage.name, ""),
    ]
    return "\n\n".join(line for line in lines if line)


def describe_snapshot_stage(stage: SnapshotStage) -> str:
    """Return what an asset of a snapshot holds and when it is computed."""
    tables = f" Tables: {_tables(stage.tables)}." if stage.tables else ""
    return (
        f"{stage.description}\n\n**Partition.** The knowledge of one user at the end of a day, from everything "
        f"received until then.{tables} Computed by the schedule `nightly` and by `brain nightly`."
    )


def _tables(names: Sequence[str]) -> str:
    return ", ".join("the search index" if name == "index" else f"`{name}`" for name in names)


def stage_kinds(stage: Stage, settings: Settings) -> set[str]:
    """Return the technologies of a stage, at most three."""
    if stage.name == "embeddings":
        return {"lancedb", settings.embedding.provider}
    return {"parquet", "openai"} if provider_pool(stage, settings).startswith("chat") else {"parquet"}


def pool_of(source: Source, stage: Stage, settings: Settings) -> str | None:
    """Return what a stage occupies while it runs: `ocr`, `speech`, `embedding_<provider>`, `chat_<task>`, or None.

    dagster.yaml limits how many runs may occupy a pool at once. `ocr` and `speech` are of one machine, so each cell has
    its own; the limits of an endpoint hold for all cells.
    """
    if stage.name == "text":
        return Names.of(settings).pool(source.pool) or None
    return provider_pool(stage, settings) or None


def provider_pool(stage: Stage, settings: Settings) -> str:
    """Return the pool of the model that a stage calls, "" if it calls none."""
    if stage.name in ("embeddings", "memory_vectors"):
        return f"embedding_{settings.embedding.provider}"
    if stage.name == "extractions" and settings.extraction.provider == "llm":
        return "chat_extraction"
    if stage.name == "enrichments" and settings.enrichment.provider == "llm":
        return "chat_enrichment"
    return ""


def snapshot_pool(stage: SnapshotStage, settings: Settings) -> str | None:
    """Return the pool of a stage of a snapshot: that of the chat model or of the graph server, or None."""
    if stage.name == "summaries" and settings.memory.summaries == "llm":
        return "chat_summaries"
    return "neo4j" if stage.publishes and settings.graph.provider == "neo4j" else None


def stage_metadata(stage: Stage) -> dict[str, Any]:
    """Return the definition metadata of a stage of a source: columns of its tables, page of the docs."""
    return {**_columns(stage.tables, {**TABLES, "index": index_schema(1)}), **docs_of(stage.name)}


def snapshot_metadata(stage: SnapshotStage) -> dict[str, Any]:
    """Return the definition metadata of a stage of a snapshot."""
    return {**_columns(stage.tables, SNAPSHOT_TABLES), **docs_of(stage.group)}


def docs_of(name: str) -> dict[str, Any]:
    """Return the metadata that name the page of the docs about a stage or a group; empty if there is none."""
    return {"docs": dg.MetadataValue.path(DOCS[name])} if name in DOCS else {}


def _columns(names: Sequence[str], schemas: Mapping[str, pa.Schema]) -> dict[str, Any]:
    """Return the column schemas of tables; that of the first is where Dagster looks for the columns of an asset."""
    found = [(name, column_schema(schemas[name])) for name in names if name in schemas]
    return {
        ("dagster/column_schema" if number == 0 else f"{name}_columns"): dg.MetadataValue.table_schema(schema)
        for number, (name, schema) in enumerate(found)
    }


@cache
def column_schema(schema: pa.Schema) -> dg.TableSchema:
    """Return a table's columns with their types and whether they may be null."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=_type_name(column.type),
                constraints=dg.TableColumnConstraints(nullable=column.nullable),
            )
            for column in schema
        ]
    )


def _type_name(kind: pa.DataType) -> str:
    """Return a short name of a type: that of a struct names its fields only."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"list<{_type_name(kind.value_type)}>"
    if pa.types.is_fixed_size_list(kind):
        return f"vector<{kind.value_type}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(kind.field(n).name for n in range(kind.num_fields))}>"
    return str(kind)


def snapshot_freshness(settings: Settings) -> dg.FreshnessPolicy:
    """Return how old the newest snapshot may be: a user with data gets one at least every `knowledge.refresh_days`."""
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(days=settings.knowledge.refresh_days + 1))


NIGHTLY_FRESHNESS = dg.FreshnessPolicy.time_window(fail_window=timedelta(days=3), warn_window=timedelta(hours=36))
