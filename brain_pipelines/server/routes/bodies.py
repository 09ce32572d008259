"""The bodies of requests. None of them names a user: the key does."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Question = Annotated[str, Field(min_length=1, max_length=8000, examples=["When is the launch?"])]
Time = Annotated[str | None, Field(max_length=40, description="ISO 8601 date or time.", examples=["2026-01-31"])]
Names = Annotated[list[Annotated[str, Field(max_length=300)]] | None, Field(max_length=100)]
Retention = Literal["keep_forever", "ephemeral", "decay"] | None
Sensitivity = Literal["low", "normal", "high"] | None
Include = Literal["memories", "entities", "relationships", "notes", "cross_references"]


class Body(BaseModel):
    """A body refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Scope(Body):
    """What a question is limited to."""

    as_of: Time = None
    known_at: Time = None
    sources: Names = None
    source_ids: Names = None
    people: Names = None
    day_from: Time = None
    day_to: Time = None
    recipe: Annotated[str | None, Field(max_length=40)] = None
    session: Annotated[str | None, Field(max_length=200)] = None

    def options(self) -> dict[str, Any]:
        """Return the options of `Brain.search`."""
        names = ("as_of", "known_at", "sources", "source_ids", "people", "day_from", "day_to", "recipe", "session")
        return {name: getattr(self, name) for name in names}


class SearchBody(Scope):
    """`POST /api/search`."""

    query: Question
    k: Annotated[int, Field(ge=1, le=100)] = 10


class ContextBody(Scope):
    """`POST /api/memory/context-pack`."""

    query: Question
    max_tokens: Annotated[int, Field(ge=1, le=100_000)] = 8000
    include: list[Include] = []


class RetrieveBody(Body):
    """`POST /api/knowledge/pipeline/retrieve`."""

    query: Question
    max_tokens: Annotated[int, Field(ge=1, le=100_000, alias="maxTokens")] = 8000
    include_entities: Annotated[bool, Field(alias="includeEntities")] = True


class ChunkOptions(Body):
    """Options of an ingestion. Chunking belongs to the source type, so these are checked and not applied."""

    strategy: Literal["fixed", "semantic", "recursive", "document", "paragraph", "sentence"] | None = None
    max_chunk_size: Annotated[int | None, Field(ge=1, le=1_000_000, alias="maxChunkSize")] = None


class IngestBody(Body):
    """`POST /api/knowledge/pipeline/ingest`."""

    content: Annotated[str, Field(min_length=1, examples=["# Launch\n\nThe launch is on 30 March."])]
    filename: Annotated[str, Field(min_length=1, max_length=300, examples=["launch.md"])]
    mime_type: Annotated[str | None, Field(alias="mimeType", max_length=100)] = None
    encoding: Literal["utf-8", "base64"] = "utf-8"
    options: ChunkOptions = ChunkOptions()


class MessageBody(Body):
    """`POST /api/messages`."""

    content: Annotated[str | list[Any], Field(examples=["The launch is on 30 March."])]
    session: Annotated[str | None, Field(max_length=200)] = None
    at: Annotated[datetime | None, Field(description="Time of the message (default: now).")] = None
    retention: Retention = None
    sensitivity: Sensitivity = None


class MemoryBody(Body):
    """`POST /api/memory/query`."""

    query: Question
    as_of: Time = None
    known_at: Time = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    k: Annotated[int, Field(ge=0, le=100, description="Passages to return beside memories; 0 for none.")] = 5


class FactsBody(Body):
    """`POST /api/memory/facts/query-at-time`."""

    about: Annotated[str, Field(min_length=1, max_length=300, examples=["launch"])]
    at: Annotated[str, Field(max_length=40, examples=["2026-01-31"])]
    known_at: Time = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class AuditBody(Body):
    """`POST /api/memory/audit`."""

    about: Annotated[str, Field(min_length=1, max_length=300, examples=["launch"])]
    at: Time = None
    known_at: Time = None


class EvidenceBody(Body):
    """`POST /api/evidence`."""

    claim: Annotated[str, Field(min_length=1, max_length=8000, examples=["The launch is on 2 March 2026."])]
    as_of: Time = None
    known_at: Time = None
    limit: Annotated[int, Field(ge=1, le=100, description="Evidence shown for each statement.")] = 10


class OnlineBody(Body):
    """`POST /api/evidence/online`. A limit above that of the settings counts as that one."""

    claim: Annotated[str, Field(min_length=1, max_length=8000, examples=["The Solberg bridge was opened in 1961."])]
    as_of: Time = None
    limit: Annotated[int, Field(ge=1, le=100, description="Evidence shown for each statement.")] = 10
    again: Annotated[bool, Field(description="Search although memory has an answer.")] = False
    max_rounds: Annotated[int | None, Field(ge=1, le=50)] = None
    max_queries: Annotated[int | None, Field(ge=1, le=200)] = None
    max_addresses: Annotated[int | None, Field(ge=1, le=500)] = None
    max_seconds: Annotated[float | None, Field(gt=0, le=3600)] = None
    max_bytes: Annotated[int | None, Field(ge=1024)] = None
    max_model_tokens: Annotated[int | None, Field(ge=1, description="Only where the settings allow any.")] = None


class NoteBody(Body):
    """`POST /api/notes`."""

    entity: Annotated[str, Field(min_length=1, max_length=300, examples=["Priya Nair"])]
    content: Annotated[str, Field(min_length=1, max_length=20_000, examples=["Prefers short meetings."])]
    entity_class: Annotated[Literal["Person", "Concept", "Entity"] | None, Field(alias="class")] = None
    lifetime: Literal["week", "month", "year", "forever"] = "month"
    retention: Retention = None
    sensitivity: Sensitivity = None


class ForgetScope(Body):
    """`POST /api/forget/preview`. A whole user is forgotten by the command line only."""

    kind: Literal["source", "day", "mentions"]
    value: Annotated[str, Field(min_length=1, max_length=1000, examples=["inbox:note/launch.md"])]
    source: Annotated[str | None, Field(max_length=40, description="Limits a day to one source type.")] = None


class ForgetBody(ForgetScope):
    """`POST /api/forget`."""

    items: Annotated[int, Field(ge=1, description="The total of the preview.")]


class KeyBody(Body):
    """`POST /api/keys`."""

    scopes: Annotated[list[Literal["read", "write", "forget", "admin"]], Field(min_length=1, max_length=4)]
    label: Annotated[str, Field(max_length=80)] = ""
