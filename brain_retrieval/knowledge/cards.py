"""Records that the knowledge reader returns: facts, entities and storylines with evidence, and their JSON form."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.knowledge.memories.sections import Sections
from brain_retrieval.stores.memory_tables import THEME


@dataclass(frozen=True)
class Evidence:
    """A passage that states a fact: the half-open span in the cleaned text of its source."""

    source_id: str
    uri: str
    title: str
    span: tuple[int, int]
    quote: str
    said_at: datetime
    received_at: datetime
    speaker: str | None
    confidence: float
    method: str  # local | llm | agent


@dataclass(frozen=True)
class FactCard:
    """A fact with its validity interval, knowledge time, superseded facts and evidence."""

    fact_id: str
    subject_id: str
    subject: str
    predicate: str
    relation: str
    object_id: str | None
    object: str
    polarity: str
    modality: str
    status: str  # current | superseded | ended | contradicted
    valid_from: datetime
    valid_to: datetime | None
    known_from: datetime
    confidence: float
    source_count: int
    supersedes_fact_id: str | None
    superseded_by_fact_id: str | None
    contradicts: tuple[str, ...]
    description: str
    attitude: int | None
    proximity: int | None
    properties: Mapping[str, str] = field(default_factory=dict)  # role, duration, … as stated
    evidence: tuple[Evidence, ...] = ()

    @property
    def sentence(self) -> str:
        """The fact as text: "Bob · live in · Lisbon", with "not" if it is negated."""
        return f"{self.subject} · {'not ' if self.polarity == 'negated' else ''}{self.predicate} · {self.object}"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return plain({**asdict(self), "sentence": self.sentence})


@dataclass(frozen=True)
class NoteCard:
    """A note of an agent or a person on an entity."""

    note_id: str
    content: str
    lifetime: str
    date_added: datetime
    expires_at: datetime | None
    added_by: str
    about: str | None  # the other entity, if the note is on a relationship
    state: str = "candidate"  # candidate | active | core | archived
    salience: float = 0.0
    ttl_policy: str = "decay"
    sensitivity: str = "normal"
    access_count: int = 0
    last_accessed_at: datetime | None = None


@dataclass(frozen=True)
class Mentioned:
    """A source that mentions an entity or belongs to a storyline."""

    source_id: str
    source_type: str
    uri: str
    title: str
    event_at: datetime


@dataclass(frozen=True)
class Sentence:
    """A citation of a summary sentence: the half-open span in the cleaned text of a source."""

    source_id: str
    uri: str
    span: tuple[int, int]


@dataclass(frozen=True)
class StoryPart:
    """A sentence of a storyline and when it was said: how it began, a turn, or the state now."""

    part: str  # beginning | turn | now
    at: datetime
    text: str


@dataclass(frozen=True)
class StorylineCard:
    """A storyline (events around one entity over time) or a macro (a group of storylines), with its sources."""

    id: str
    level: str  # storyline | macro
    anchor_id: str
    anchor: str
    name: str  # a title
    description: str
    open: bool
    state: str
    salience: float
    source_count: int
    distinct_days: int
    started_at: datetime
    last_event_at: datetime
    team: str | None
    method: str  # of the description: extractive | llm
    citations: tuple[Sentence, ...] = ()
    parts: tuple[StoryPart, ...] = ()  # the sentences of the description, one for each citation; empty for prose
    sources: tuple[Mentioned, ...] = ()
    storyline_ids: tuple[str, ...] = ()  # of a macro, in order of time

    @property
    def is_theme(self) -> bool:
        """Whether it is about what someone does, such as running, and not about an entity."""
        return self.anchor_id.startswith(f"{THEME}_")

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return plain(asdict(self))


@dataclass(frozen=True)
class EntityCard:
    """One entity: names, counts, salience, memories, relations (facts), notes, storylines and sources."""

    entity_id: str
    name: str
    entity_class: str
    type: str
    canonical_name: str
    aliases: tuple[str, ...]
    is_owner: bool
    description: str
    mention_count: int
    source_count: int
    distinct_source_days: int
    first_mentioned_at: datetime
    last_mentioned_at: datetime
    confidence: float
    state: str
    salience: float
    access_count: int
    last_accessed_at: datetime | None
    snapshot: str | None  # the knowledge day its names were resolved on; None before the first snapshot
    memories: Sections = field(default_factory=Sections)
    last_contact: datetime | None = None  # when a person last spoke or wrote
    facts: tuple[FactCard, ...] = ()
    notes: tuple[NoteCard, ...] = ()
    storylines: tuple[StorylineCard, ...] = ()
    sources: tuple[Mentioned, ...] = ()
    merges: tuple[str, ...] = ()  # the reasons for merging its names
    probably: tuple[str, ...] = ()  # those of its aliases that are inferred from their form or context, not stated
    similar: tuple[str, ...] = field(default=())  # other entities the name could refer to

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return {**plain(asdict(self)), "facts": [fact.to_json() for fact in self.facts]}
