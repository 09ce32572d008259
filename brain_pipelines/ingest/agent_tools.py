"""The tools with which an agent writes into its user's memory.

`agent_write.py` turns a write into an inbox file and processes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict, Unpack

from brain_pipelines.ingest.agent_targets import Targets, as_fields, same
from brain_pipelines.ingest.agent_write import Receipt, write_operation
from brain_pipelines.ingest.deduplicate import Entry, find_duplicate, token_cost
from brain_pipelines.readers.agent.memory_operation import End, parse_operation
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Home, Space
from brain_retrieval.moments import to_moment
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.locking import writer_lock


class Policy(TypedDict, total=False):
    """How long a memory is kept, and who may see it."""

    retention: str | None  # keep_forever, ephemeral or decay (the default)
    sensitivity: str | None  # low, normal (the default) or high; for access control, never for decay


class RelationshipDetails(Policy, total=False):
    """What else a relationship may state."""

    properties: Mapping[str, str]  # such as role, duration, since: at most 20


class AgentTools:
    """Memory writes for one user.

    The framework, not the agent, binds the user, the author and the source the write is based on.

    >>> tools = AgentTools(home, "alice", added_by="planner")  # doctest: +SKIP
    >>> tools.add_note_to_person("Bob Lee", "Prefers short meetings.", lifetime="year").visible  # doctest: +SKIP
    True
    """

    def __init__(
        self,
        home: Home | Path | str,
        user: str,
        *,
        added_by: str | None = None,
        source_entity_key: str | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Bind the tools.

        Args:
            added_by: author of the writes; default: the user.
            source_entity_key: the source being processed, if any; a note repeated from it is not stored twice.
            clock: returns the time of a write as an aware datetime.

        Raises:
            InvalidUserError: if the user id is malformed.
        """
        self.home = home if isinstance(home, Home) else Home(Path(home).expanduser().resolve())
        self.space: Space = self.home.space(user)
        self.added_by, self.source_entity_key, self._clock = added_by or user, source_entity_key, clock

    def add_note_to_person(
        self, entity_key: str, note_content: str, lifetime: str = "month", **policy: Unpack[Policy]
    ) -> Receipt:
        """Append a note to a person.

        Args:
            entity_key: an id or a name; an unknown name creates a new person.
            note_content: the note.
            lifetime: week, month, year or forever; an expired note is still found by search.
            policy: `retention` and `sensitivity`, see `Policy`.

        Raises:
            BadInputError: if an argument is invalid, or the target is known with another class.
        """
        return self.add_note(entity_key, note_content, lifetime, entity_class="Person", **policy)

    def add_note_to_concept(
        self, entity_key: str, note_content: str, lifetime: str = "month", **policy: Unpack[Policy]
    ) -> Receipt:
        """Append a note to a concept. See `add_note_to_person`."""
        return self.add_note(entity_key, note_content, lifetime, entity_class="Concept", **policy)

    def add_note_to_entity(
        self, entity_key: str, note_content: str, lifetime: str = "month", **policy: Unpack[Policy]
    ) -> Receipt:
        """Append a note to an entity: an organisation, place, project, tool, …. See `add_note_to_person`."""
        return self.add_note(entity_key, note_content, lifetime, entity_class="Entity", **policy)

    def add_note(
        self,
        entity_key: str,
        note_content: str,
        lifetime: str = "month",
        *,
        entity_class: str | None = None,
        **policy: Unpack[Policy],
    ) -> Receipt:
        """Append a note to the entity behind the key, optionally restricted to a class."""
        end = Targets(self.space).find(entity_key, entity_class)
        fields = {"op": "add_note", **as_fields("entity", end), "content": note_content, "lifetime": lifetime}
        return self._write({**fields, **policy}, [end])

    def create_relationship(
        self,
        from_entity_key: str,
        to_entity_key: str,
        relationship_type: str,
        description: str,
        attitude: int,
        proximity: int,
        confidence: float = 0.8,
        **more: Unpack[RelationshipDetails],
    ) -> Receipt:
        """State a directed relationship. If it is stated again with other values, the newest values count.

        Args:
            relationship_type: one word or a few: "mentor", "works on".
            attitude: 1 (worst) to 5 (best); the words depend on the kind, see docs/agent-tools.md.
            proximity: 1 (farthest) to 5 (closest).
            confidence: 0 to 1.
            more: `properties`, `retention` and `sensitivity`, see `RelationshipDetails`.

        Raises:
            BadInputError: if an argument is not allowed, or both keys mean the same entity.
        """
        fields = (relationship_type, description, attitude, proximity, confidence)
        return self.relate((from_entity_key, None), (to_entity_key, None), *fields, **more)

    def relate(
        self,
        left: tuple[str, str | None],
        right: tuple[str, str | None],
        relationship_type: str,
        description: str,
        attitude: int,
        proximity: int,
        confidence: float = 0.8,
        **more: Unpack[RelationshipDetails],
    ) -> Receipt:
        """Like `create_relationship`, between two pairs of key and class (None: the class in the snapshot)."""
        ends = self._pair(left, right)
        fields = {
            "op": "create_relationship",
            **as_fields("from", ends[0]),
            **as_fields("to", ends[1]),
            "relationship_type": relationship_type,
            "description": description,
            "attitude": attitude,
            "proximity": proximity,
            "confidence": confidence,
        }
        return self._write({**fields, **more}, ends)

    def add_note_to_relationship(
        self,
        from_entity_key: str,
        to_entity_key: str,
        note_content: str,
        lifetime: str = "month",
        **policy: Unpack[Policy],
    ) -> Receipt:
        """Append a note to the relationship between two entities; the direction does not matter."""
        ends = self._pair((from_entity_key, None), (to_entity_key, None))
        pair = {**as_fields("from", ends[0]), **as_fields("to", ends[1])}
        fields = {"op": "add_note_to_relationship", **pair, "content": note_content, "lifetime": lifetime}
        return self._write({**fields, **policy}, ends)

    def memory_store(
        self,
        category: str,
        content: str,
        context: str | None = None,
        priority: str = "medium",
        tags: Sequence[str] = (),
        related_to: Sequence[str] = (),
        source: str = "session",
        expires: datetime | str | None = None,
        **policy: Unpack[Policy],
    ) -> dict[str, Any]:
        """Store an entry, unless one of the same category is equivalent (cosine ≥ 0.92, see `deduplicate.py`).

        Args:
            category: preference, instruction, fact, project, person, decision or insight.
            context: reason or origin of the entry.
            priority: critical, high, medium or low.
            related_to: names of entities, or ids.
            source: session, manual, migration or consolidation.
            expires: an ISO 8601 date or time; without an offset in the time zone of the settings.
            policy: `retention` and `sensitivity`, see `Policy`.

        Returns:
            id: source_id of the entry; of the existing one if `deduplicated`.
            stored: whether this call stored it.
            deduplicated: whether an equivalent entry existed; the call then stores nothing.
            token_cost: tokens of the entry under the embedding model's tokenizer.
            uri, visible.
        """
        settings = load_settings(self.home.path)
        moment = expires.isoformat() if isinstance(expires, datetime) else expires
        fields: dict[str, Any] = {"op": "store", "category": category, "content": content, "priority": priority}
        related = Targets(self.space).named(related_to)
        fields |= {"context": context, "tags": list(tags), "related_to": related, "source": source}
        fields |= {"expires": moment, **policy}
        fields = {key: value for key, value in fields.items() if value not in (None, [])}
        parse_operation(fields)  # validates before any comparison
        if not any(char.isalnum() for char in content):
            raise BadInputError("content: there is no letter or digit in it")
        if moment is not None and to_moment(moment, settings.zone) <= self._clock():
            raise BadInputError(f"expires: {moment} has passed, and an entry holds until then")
        cost = token_cost(content, settings)
        with writer_lock(self.space):  # no other process may store between the comparison and the write
            now = self._clock()
            if entry := find_duplicate(self.space, settings, Entry(category, content), now=now):
                return {
                    "id": entry.source_id, "stored": False, "deduplicated": True, "token_cost": cost,
                    "uri": entry.uri, "visible": True,
                }  # fmt: skip
            receipt = self._write(fields, [], at=now)
        return {
            "id": receipt.source_id, "stored": not receipt.unchanged, "deduplicated": receipt.unchanged,
            "token_cost": cost, "uri": receipt.uri, "visible": receipt.visible,
        }  # fmt: skip

    def merge(self, left: str, right: str) -> Receipt:
        """Declare two names or ids to be the same entity. Takes effect with the next snapshot and can be undone."""
        return self._decide("merge", left, right)

    def unmerge(self, left: str, right: str) -> Receipt:
        """Declare two names or ids to be different entities. Overrides every rule and every earlier decision."""
        return self._decide("unmerge", left, right)

    # ---------------------------------------------------------------------------------------------------------

    def _decide(self, kind: str, left: str, right: str) -> Receipt:
        targets = Targets(self.space)
        fields: dict[str, Any] = {"op": kind}
        for side, key in (("left", left), ("right", right)):
            fields |= {f"{side}_key": key.strip(), f"{side}_name": targets.shown(key)}
        unknown = [key for key in (left, right) if targets.is_new(key)]
        warnings = [f"no snapshot contains {key!r} yet; the decision takes effect once one does" for key in unknown]
        return replace(self._write(fields, []), warnings=tuple(warnings))

    def _pair(self, left: tuple[str, str | None], right: tuple[str, str | None]) -> list[End]:
        targets = Targets(self.space)
        ends = [targets.find(*left), targets.find(*right)]
        if same(ends):
            raise BadInputError(f"{ends[0].name} has no relationship with itself")
        return ends

    def _write(self, fields: dict[str, Any], ends: Sequence[End], *, at: datetime | None = None) -> Receipt:
        bound = {"added_by": self.added_by, "source_entity_key": self.source_entity_key or None}
        return write_operation(self.space, {**fields, **bound}, ends, at=at or self._clock())
