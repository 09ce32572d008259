"""Schema of a memory operation, one JSON object: a note, a relationship, a memory entry, an entity merge decision.

Validation and derived attributes are here; `operation_text.py` turns operations into text.
"""

import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.memory_states import SEMANTIC_DAYS
from brain_retrieval.knowledge.vocabulary import entity_class
from brain_retrieval.language.folding import fold

Lifetime = Literal["week", "month", "year", "forever"]
Category = Literal["preference", "instruction", "fact", "project", "person", "decision", "insight"]
Priority = Literal["critical", "high", "medium", "low"]
Origin = Literal["session", "manual", "migration", "consolidation"]
Retention = Literal["keep_forever", "ephemeral", "decay"]
Sensitivity = Literal["low", "normal", "high"]
EntityClass = Literal["Person", "Concept", "Entity"]
EntityType = Literal["Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool"]

LIFETIME_DAYS: dict[str, int | None] = {"week": 7, "month": 30, "year": 365, "forever": None}
MAX_NAME, MAX_CONTENT = 200, 20_000  # characters
ENTITY_ID = re.compile(r"entity_[0-9a-f]{24}")

Key = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Content = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT)]
Scale = Annotated[int, Field(ge=1, le=5)]
Share = Annotated[float, Field(ge=0, le=1)]


class End(BaseModel, frozen=True):
    """An entity that an operation refers to: its key as given, its name at the time, and its class if known."""

    key: str
    name: str
    entity_class: EntityClass | None = None
    type: EntityType | None = None
    entity_id: str | None = None


class _Operation(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    type: Literal["agent-note", "agent_note"] = "agent-note"
    at: datetime | None = None
    added_by: Annotated[str, Field(max_length=MAX_NAME)] | None = None
    source_entity_key: str | None = Field(None, validation_alias=AliasChoices("source_entity_key", "source_id"))

    def end(self, prefix: str) -> End:
        """Return the entity in the fields with a prefix ("entity", "from", "to", "left", "right")."""
        given = {name: getattr(self, f"{prefix}_{name}", None) for name in ("class", "type", "id")}
        key = getattr(self, f"{prefix}_entity_key" if prefix in ("from", "to") else f"{prefix}_key")
        name = " ".join((getattr(self, f"{prefix}_name") or key).split())
        if ENTITY_ID.fullmatch(name):
            raise BadInputError(f"{name} is an id; {prefix}_name must say whose")
        kind: Any = given["class"] or (entity_class(given["type"]) if given["type"] else None)
        return End(key=key, name=name, entity_class=kind, type=given["type"], entity_id=given["id"])

    @property
    def ends(self) -> tuple[End, ...]:
        """Return the entities that the operation is about, in order."""
        return ()

    def attributes(self, at: datetime) -> dict[str, Any]:
        """Return the operation, done at `at`, as flat JSON including derived attributes."""
        said = self.model_dump(mode="json", exclude_none=True, exclude={"type", "at"})
        return {**said, "at": at.isoformat(), **self.derived(at)}

    def derived(self, at: datetime) -> dict[str, Any]:
        """Return attributes derived from the operation and its time."""
        del at
        return {}


class _Kept(_Operation):
    """What is kept as a memory: with a retention and a sensitivity, which are decay and normal if not stated."""

    ttl_policy: Retention | None = Field(None, validation_alias=AliasChoices("ttl_policy", "retention"))
    sensitivity: Sensitivity | None = None


class _Note(_Kept):
    content: Content
    lifetime: Lifetime = "month"

    @property
    def note_id(self) -> str:
        """The id of the note: the same words about the same target from the same source are one note."""
        targets = [f"{end.entity_class or ''}:{fold(end.name)}" for end in self.ends]
        return content_id("note", self.source_entity_key or "", *sorted(targets), self.content)

    def derived(self, at: datetime) -> dict[str, Any]:
        days = None if self.ttl_policy == "keep_forever" else LIFETIME_DAYS[self.lifetime]
        if self.ttl_policy == "ephemeral":
            days = min(days or SEMANTIC_DAYS, SEMANTIC_DAYS)
        expires = None if days is None else (at + timedelta(days=days)).isoformat()
        return {"note_id": self.note_id, "expires_at": expires}


class AddNote(_Note):
    """A note about a person, a concept or an entity."""

    op: Literal["add_note"]
    entity_key: Key
    entity_name: Key | None = None
    entity_class: EntityClass | None = None
    entity_type: EntityType | None = None
    entity_id: str | None = None

    @property
    def ends(self) -> tuple[End, ...]:
        return (self.end("entity"),)


class _Between(_Kept):
    from_entity_key: Key
    from_name: Key | None = None
    from_class: EntityClass | None = None
    from_type: EntityType | None = None
    from_id: str | None = None
    to_entity_key: Key
    to_name: Key | None = None
    to_class: EntityClass | None = None
    to_type: EntityType | None = None
    to_id: str | None = None

    @property
    def ends(self) -> tuple[End, ...]:
        return (self.end("from"), self.end("to"))

    @model_validator(mode="after")
    def _two(self) -> Self:
        _check_two(self, "a relationship is between two")
        return self


class CreateRelationship(_Between):
    """A directed relationship: from → type → to."""

    op: Literal["create_relationship"]
    relationship_type: Key
    description: Content
    attitude: Scale
    proximity: Scale
    confidence: Share = 0.8
    properties: dict[Key, Key] | None = Field(None, max_length=20)  # role, duration, …


class AddRelationshipNote(_Between, _Note):
    """A note about the relationship between two entities."""

    op: Literal["add_note_to_relationship"]


class Store(_Kept):
    """A durable memory entry with category and priority, provided to later sessions."""

    op: Literal["store"]
    category: Category
    content: Content
    context: Annotated[str, Field(max_length=MAX_CONTENT)] | None = None
    priority: Priority = "medium"
    tags: tuple[Key, ...] = Field((), max_length=50)
    related_to: tuple[Key, ...] = Field((), max_length=50)
    source: Origin = "session"
    expires: datetime | None = None

    @model_validator(mode="after")
    def _either(self) -> Self:
        if self.expires and self.ttl_policy == "keep_forever":
            raise ValueError("an entry that is kept forever does not expire")
        return self


class Decide(_Operation):
    """The owner's decision that two names are the same entity, or are not."""

    op: Literal["merge", "unmerge"]
    left_key: Key = Field(validation_alias=AliasChoices("left_key", "left"))
    right_key: Key = Field(validation_alias=AliasChoices("right_key", "right"))
    left_name: Key | None = None
    right_name: Key | None = None

    @property
    def ends(self) -> tuple[End, ...]:
        return (self.end("left"), self.end("right"))

    @model_validator(mode="after")
    def _two(self) -> Self:
        _check_two(self, "a decision is about two")
        return self


Operation = AddNote | CreateRelationship | AddRelationshipNote | Store | Decide
_ADAPTER: TypeAdapter[Operation] = TypeAdapter(Annotated[Operation, Field(discriminator="op")])


def parse_operation(value: Any) -> Operation:
    """Validate a JSON value and return its operation.

    Raises:
        BadInputError: with what is missing, unknown or out of range, at most three faults.
    """
    if not isinstance(value, dict) or "op" not in value:
        raise BadInputError("not an operation: it has no 'op'")
    try:
        operation = _ADAPTER.validate_python(value)
        _ = operation.ends
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise BadInputError("; ".join(_reason(one) for one in found[:3])) from None
    return operation


def _reason(error: Any) -> str:
    if error["type"] == "union_tag_invalid":
        return "op must be add_note, create_relationship, add_note_to_relationship, store, merge or unmerge"
    place = ".".join(str(part) for part in error["loc"][1:])
    message = error["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _check_two(operation: _Operation, said: str) -> None:
    left, right = operation.ends
    if (left.key, left.entity_class) == (right.key, right.entity_class):
        raise ValueError(f"{said}, not {left.name} and itself")
