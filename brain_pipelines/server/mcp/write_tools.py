"""Tools that write: notes, relationships, entries, texts. Each is stored and searchable when it returns."""

import hashlib
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from brain_pipelines.server.mcp.answers import Answer, one_line, receipt
from brain_pipelines.server.mcp.arguments import (
    BasedOn,
    Category,
    Key,
    Lifetime,
    Names,
    NoteText,
    Priority,
    Properties,
    Retention,
    Sensitivity,
)
from brain_pipelines.server.mcp.memory import UserMemory
from brain_retrieval.errors import BadInputError

if TYPE_CHECKING:
    from brain_pipelines.ingest.agent_tools import RelationshipDetails
    from brain_pipelines.ingest.agent_write import Receipt

MOST_ITEMS = 20
MOST_SECONDS = 25.0  # of memory_ingest, after which no further text is begun: clients give up a call after a minute
TITLE_BYTES = 60


class TextItem(BaseModel):
    """One text to store."""

    text: str = Field(min_length=1, max_length=200_000, description="The whole text, Markdown or plain.")
    title: str = Field("", max_length=200, description="A short title.")
    kind: Literal["note", "document"] = Field(
        "document", description='"note" for the user\'s own words ("I" is the user), "document" for anything else.'
    )
    at: str | None = Field(None, max_length=40, description="When it was written or happened (ISO 8601); now if unset.")


def _note_tool(entity_class: str, description: str) -> Callable[..., Answer]:
    """Return the tool that appends a note to a person, a concept or an entity."""

    def add_note(
        memory: UserMemory,
        entity_key: Key,
        note_content: NoteText,
        lifetime: Lifetime = "month",
        retention: Retention = None,
        sensitivity: Sensitivity = None,
        source_id: BasedOn = None,
    ) -> Answer:
        with memory.writing:
            policy = _policy(retention, sensitivity)
            tools = memory.tools(source_id)
            done = tools.add_note(entity_key, note_content, lifetime, entity_class=entity_class, **policy)
        return _written("note", done)

    add_note.__name__ = f"add_note_to_{entity_class.lower()}"
    add_note.__doc__ = description
    return add_note


add_note_to_person = _note_tool(
    "Person",
    """Append a note to a person: what they are like, want, said or agreed with the user. Notes are never rewritten.

    For a connection between two people or things use create_relationship. Look the name up with graph_search first, so
    that no second person arises. Example: add_note_to_person(entity_key="Bob Smith", note_content="Bob Smith prefers
    short meetings.", lifetime="year").
    """,
)
add_note_to_concept = _note_tool(
    "Concept",
    """Append a note to a concept: an abstract topic, goal, value or preference such as "usability testing".

    For people, organisations, places and projects use the other note tools. Example:
    add_note_to_concept(entity_key="usability testing", note_content="Alice Chen tests with five people a round.").
    """,
)
add_note_to_entity = _note_tool(
    "Entity",
    """Append a note to a named thing: an organisation, place, project, product, event or document.

    For people use add_note_to_person, for abstract topics add_note_to_concept. Example:
    add_note_to_entity(entity_key="Northwind Labs", note_content="Northwind Labs moves to Hamburg in May 2026.").
    """,
)


def create_relationship(
    memory: UserMemory,
    from_entity_key: Key,
    to_entity_key: Key,
    relationship_type: Annotated[
        str, Field(min_length=1, max_length=100, description='One word or a few: "mentor", "works on".')
    ],
    description: NoteText,
    attitude: Annotated[int, Field(ge=1, le=5, description="1 hostile or against … 3 neutral … 5 close or for.")] = 3,
    proximity: Annotated[int, Field(ge=1, le=5, description="1 distant or unfamiliar … 5 intimate or essential.")] = 3,
    confidence: Annotated[float, Field(ge=0, le=1, description="How sure it is.")] = 0.8,
    properties: Properties = None,
    retention: Retention = None,
    sensitivity: Sensitivity = None,
    source_id: BasedOn = None,
) -> Answer:
    """State how one person, concept or thing relates to another. Stated again, the newest values count.

    Direction matters: from is the subject ("Priya Nair" leads "UI redesign"). To add detail to a known relationship use
    add_note_to_relationship. Example: create_relationship(from_entity_key="Priya Nair", to_entity_key="UI redesign",
    relationship_type="leads", description="Priya Nair leads the UI redesign since 2 February 2026.", attitude=5,
    proximity=5).
    """
    with memory.writing:
        more: RelationshipDetails = _policy(retention, sensitivity)
        if properties:
            more["properties"] = properties
        done = memory.tools(source_id).create_relationship(
            from_entity_key, to_entity_key, relationship_type, description, attitude, proximity, confidence, **more
        )
    return _written("relationship", done)


def add_note_to_relationship(
    memory: UserMemory,
    from_entity_key: Key,
    to_entity_key: Key,
    note_content: NoteText,
    lifetime: Lifetime = "month",
    retention: Retention = None,
    sensitivity: Sensitivity = None,
    source_id: BasedOn = None,
) -> Answer:
    """Append a note to the relationship of two people, concepts or things; the direction does not matter.

    Example: add_note_to_relationship(from_entity_key="Alice Chen", to_entity_key="Priya Nair", note_content="They go
    through the open tickets every Tuesday.").
    """
    with memory.writing:
        tools = memory.tools(source_id)
        policy = _policy(retention, sensitivity)
        done = tools.add_note_to_relationship(from_entity_key, to_entity_key, note_content, lifetime, **policy)
    return _written("note on the relationship", done)


def memory_store(
    memory: UserMemory,
    category: Annotated[Category, Field(description="What kind of entry it is.")],
    content: NoteText,
    context: Annotated[str | None, Field(max_length=2000, description="Why, or where it comes from.")] = None,
    priority: Priority = "medium",
    tags: Names = None,
    related_to: Annotated[Names, Field(description="Names or ids of people, projects, …")] = None,
    expires: Annotated[
        str | None, Field(max_length=40, description="ISO 8601 day or time after which it ends.")
    ] = None,
    retention: Retention = None,
    sensitivity: Sensitivity = None,
) -> Answer:
    """Remember one preference, instruction, fact, decision or insight of the user for later conversations.

    Use it as soon as the user states something lasting ("always answer in German", "we chose Postgres"). One entry is
    one thing. What is already known is not stored twice (deduplicated: true). For whole texts use memory_ingest, for
    what concerns one person or project a note tool. Example: memory_store(category="preference", content="Alice Chen
    wants dates written in words.", priority="high").
    """
    with memory.writing:
        done = memory.tools().memory_store(
            category, content, context, priority, tags or (), related_to or (), "session", expires,
            **_policy(retention, sensitivity),
        )  # fmt: skip
    said = "An entry with the same meaning is already there." if done["deduplicated"] else "Stored."
    return receipt(said + _later(visible=done["visible"]), {**done, "uri": one_line(done["uri"])})


def memory_ingest(
    memory: UserMemory,
    items: Annotated[list[TextItem], Field(min_length=1, max_length=MOST_ITEMS, description="The texts.")],
    retention: Retention = None,
    sensitivity: Sensitivity = None,
) -> Answer:
    """Store whole texts: minutes, articles, transcripts, documents that the user gives you. The same text counts once.

    For one sentence to remember use memory_store; for a web page knowledge_crawl. Takes texts only, no file paths.
    Each is searched for names and facts, and searchable when this returns. Long texts take seconds each; the answer
    counts those that were not begun. Example: memory_ingest(items=[{"title": "Minutes of 3 March", "text": "…",
    "kind": "document", "at": "2026-03-03"}]).
    """
    results: list[dict[str, Any]] = []
    began = time.monotonic()
    with memory.writing:
        for number, item in enumerate(items, 1):
            if results and time.monotonic() - began > MOST_SECONDS:
                break
            try:
                results.append(_take(memory, item, retention, sensitivity))
            except BadInputError as error:  # the other texts are stored all the same
                results.append({"title": one_line(item.title) or f"text {number}", "refused": str(error)})
    kept = sum(bool(one.get("source_id")) for one in results)
    refused = [one for one in results if one.get("refused")]
    known = sum(bool(one.get("unchanged")) for one in results)
    said = f"{kept} of {len(items)} texts are stored ({known} were already there)."
    lines = [said, *(f"id: {one['source_id']} {one['uri']}" for one in results if one.get("source_id"))]
    lines += [f"refused: {one['title']}: {one['refused']}" for one in refused]
    if waiting := len(items) - len(results):
        lines.append(f"The last {waiting} were not begun, for lack of time: call again with those.")
    if not kept and refused:
        raise BadInputError("; ".join(one["refused"] for one in refused))
    return Answer("\n".join(lines), {"summary": said, "items": results, "not_begun": waiting})


def _written(what: str, done: "Receipt") -> Answer:
    values: Mapping[str, Any] = done.to_json()
    shown = {**values, "uri": one_line(done.uri), "entities": [one_line(name) for name in done.entities]}
    said = f"The same {what} is already there." if done.unchanged else f"Stored a {what}."
    return receipt(said + _later(visible=done.visible), {key: one for key, one in shown.items() if key != "error"})


def _later(*, visible: bool) -> str:
    return "" if visible else " It is kept, but not searchable yet; memory_index_status says more later."


def _policy(retention: str | None, sensitivity: str | None) -> Any:
    stated = {"retention": retention, "sensitivity": sensitivity}
    return {name: value for name, value in stated.items() if value is not None}


def _take(memory: UserMemory, item: TextItem, retention: str | None, sensitivity: str | None) -> dict[str, Any]:
    """Store one text under a name that follows from it, so that the same text is one source."""
    from brain_pipelines.connectors.delivery import safe_name, target_of
    from brain_pipelines.ingest.one_file import NewFile, take_file
    from brain_pipelines.readers.source_policy import SourcePolicy
    from brain_retrieval.settings import load_settings

    settings = load_settings(memory.home.path)
    body = item.text if not item.title.strip() else f"# {' '.join(item.title.split())}\n\n{item.text}"
    content = body.encode("utf-8", "replace")
    if len(content) > settings.limits.max_file_bytes:
        raise BadInputError(f"a text may have {settings.limits.max_file_bytes >> 20} MB")
    digest = hashlib.sha256(content).hexdigest()[:16]
    words = (item.title.strip() or item.text.strip().partition("\n")[0]).encode()[:TITLE_BYTES]
    stem = words.decode("utf-8", "ignore").strip(". #").replace("/", "-")
    name = safe_name(f"agent/{stem}-{digest}.md" if stem else f"agent/{digest}.md") or f"agent/{digest}.md"
    target = target_of(memory.space, item.kind, name)
    if item.at:
        at = _moment(item.at, settings.zone)
    elif target.is_file():  # the same text without a time keeps the time at which it first came
        at = datetime.fromtimestamp(target.stat().st_mtime, UTC)
    else:
        at = datetime.now(UTC)
    policy = SourcePolicy(ttl_policy=retention, sensitivity=sensitivity)
    report = take_file(memory.space, settings, item.kind, NewFile(name, content, at, policy))
    return _outcome(memory, item, name, report)


def _outcome(memory: UserMemory, item: TextItem, name: str, report: Any) -> dict[str, Any]:
    from pathlib import Path

    from brain_pipelines.landing.inbox import to_uri
    from brain_retrieval.ids import content_id

    title = one_line(item.title) or name
    uri = to_uri(Path(item.kind) / name)
    if refused := [row["reason"] for row in report.quarantined if row["kind"] == "rejected"]:
        return {"title": title, "refused": refused[0]}
    stored = next((row for row in report.stored if row["uri"].split("#")[0] == uri), None)
    source_id = stored["source_id"] if stored else content_id("source", memory.user, item.kind, uri)
    values = {"title": title, "source_id": source_id, "uri": one_line(uri), "unchanged": bool(report.skipped)}
    failed = next((run["error"] for run in report.runs if not run["success"]), "")
    return values | ({"warning": "kept, but not searchable yet"} if failed else {})


def _moment(text: str, zone: Any) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise BadInputError(f"{text!r:.60} is not an ISO 8601 time, such as 2026-03-01T09:30") from None
    return at if at.tzinfo else at.replace(tzinfo=zone)
