"""Prompt and response models for memories from numbered sentences. Change VERSION when either changes.

Answers are most of the cost: keys are single letters, defaults are left out, and no sentence is repeated. A model
cannot count characters, so the number of a sentence stands for its span.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from brain_retrieval.models.chat.protocol import DATA_RULE

VERSION = "2"
NAME = "memories"

Kind = Literal["fact", "event", "plan", "preference", "decision", "relationship", "instruction", "feeling"]
EntityType = Literal["Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool"]
NoteKind = Literal["from", "until", "stance", "slot", "changes"]

# Attributes of slots that the instructions list, beside offices.
ATTRIBUTES = frozenset(
    ("lives_in", "works_at", "leads", "partner_of", "called", "owes", "plays_for", "studies", "drives")
)

SYSTEM = f"""You read numbered sentences of a person's own archive and pick those that the person would want back months
later, each as one line that can be understood on its own.
{DATA_RULE}
A block begins with the kind of source. Below it stand the day on which something was said, the names known so far, and
the sentences: "3 Ann to Bo: …" is number 3, said by Ann to Bo; "user" is the owner of the archive. "= …" is a proposed
line for the sentence above it. "- …" is context without a number: use it to understand, never pick it.

keep: one entry for each number worth keeping, in order. Worth keeping is what states something particular about a
person, a thing or a plan: facts, events, plans, decisions, preferences, relationships, rules, amounts, dates. Leave out
greetings, praise, filler, questions without a statement, and what is understood only there and then.
- i: the number.
- k: what it is: fact (also a state or a rule of the world), event (it happened), plan, preference, decision,
  relationship (between people), instruction (how something is to be done), feeling.
- t: the line, in the language of the sentence, or "" if the proposed line (or the sentence, if none is proposed) is
  already right. Change only what is needed: "I" and "my" become the speaker, "you" the listener, "he", "it", "there"
  what they stand for if a sentence here says so, and after a relative date comes its day: "yesterday [2026-03-03]".
- n: notes, [] for none, each with k and v:
  - from: the day, month or year from which it holds, if the sentence says so and it is not the day it was said.
  - until: the last day, month or year for which it holds, if the sentence says so.
  - stance: possible (may, wants to, plans), conditional (if), reported (others say so) or question; none for a plain
    statement.
  - slot: "subject | attribute | value" where the sentence states for sure one of: lives_in, works_at, leads,
    partner_of, called, owes, plays_for, studies, drives, or an office ("manager": "Ann | manager | Bo").
  - changes: numbers above in the same block whose statement this one says to hold no longer, as "2" or "2 5".

In t nothing may be lost and nothing added:
- Every number, amount, unit, name, address, title and condition of the sentence stays, word for word.
- "not", "never", "no longer" stay. A doubt stays a doubt.
- No name, number or date that is not in the sentence, its context or its day. If you do not know who "she" is, keep it.

Examples, all from a note of 2026-03-04, Wednesday, by user:
"1 We pay the junior developer 2,140.50 euros net until August." → {{"i":1,"k":"fact","t":"user: We pay the junior
developer 2,140.50 euros net until August [2026-08].","n":[{{"k":"until","v":"2026-08"}}]}}
  wrong: "user pays a developer about 2,100 euros." (amount, "junior", "net" and the end are lost)
"2 Dr. Imhof moved my appointment at 12 Rue Pasteur to the day after tomorrow, 9:40." → {{"i":2,"k":"event","t":"Dr.
Imhof moved user's appointment at 12 Rue Pasteur to the day after tomorrow [2026-03-06], 9:40.","n":[]}}
  wrong: "The doctor's appointment was moved." (name, address, day and time are lost)
"- Salim came by." "3 He no longer works at Orbit, maybe he will join Nova." → {{"i":3,"k":"fact","t":"Salim no longer
works at Orbit, maybe Salim will join Nova.","n":[]}}
  wrong: "Salim works at Nova." (the denial and the doubt are lost)
"4 Katrin lives in Jena now." "= Katrin lives in Jena now." → {{"i":4,"k":"fact","t":"","n":[{{"k":"slot","v":"Katrin |
lives_in | Jena"}}]}}
"5 What a lovely day!" → no entry.
{{names}}
last: the highest number you read, whether you kept it or not.

Answer in one line of JSON without spaces between its parts."""

NAMES = """
names: names in the numbered sentences that are missing among the known ones or have the wrong type there; each once, as
the sentence writes it. No pronouns, dates, numbers or common nouns.
- n: the name.
- t: Person; Organization (company, team, group); Project (work item, initiative, product being made); Concept (idea,
  topic, field); Location (place, region); Event (meeting, milestone, incident); Document (file, article, book); Tool
  (software, service, device)."""

DESCRIBED = """
names: every name in the numbered sentences, each once in its fullest form, as a sentence writes it. No pronouns, dates,
numbers or common nouns.
- n: the name.
- t: Person; Organization (company, team, group); Project (work item, initiative, product being made); Concept (idea,
  topic, field); Location (place, region); Event (meeting, milestone, incident); Document (file, article, book); Tool
  (software, service, device).
- a: the other forms in which the sentences write it, copied exactly.
- d: at most twelve words on what the sentences say it is, or ""."""


def _cut(most: int) -> BeforeValidator:
    # Longer values are cut, not rejected: one long value must not invalidate the whole answer.
    return BeforeValidator(lambda value: value[:most].strip() if isinstance(value, str) else value)


Text = Annotated[str, _cut(1000)]
Short = Annotated[str, _cut(160)]


class Part(BaseModel):
    """A part of an answer, which many endpoints do not hold to the schema: one slip must not cost the whole answer.

    The schema itself asks for everything.
    """

    model_config = ConfigDict(extra="ignore")

    # Fields that may be missing or null, and what they are then.
    left_out: ClassVar[Mapping[str, Any]] = {}
    # Lists of parts of which one without a known value of a field is left out: list -> field, values.
    listed: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        filled = {**given, **{name: value for name, value in cls.left_out.items() if given.get(name) is None}}
        for name, (field, values) in cls.listed.items():
            if isinstance(filled[name], list):
                filled[name] = [one for one in filled[name] if not isinstance(one, dict) or one.get(field) in values]
        return filled


class Note(Part):
    """Something a sentence states beside its line; `v` is read in `notes.py`."""

    k: NoteKind
    v: Short


class Entry(Part):
    """A sentence worth keeping; an empty `t` approves the proposed line."""

    left_out: ClassVar[Mapping[str, Any]] = {"t": "", "n": []}
    listed: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {"n": ("k", get_args(NoteKind))}

    i: int
    k: Kind
    t: Text
    n: list[Note] = Field(max_length=8)


class ReadName(Part):
    """A name and its type."""

    n: Short
    t: EntityType


class DescribedName(ReadName):
    """A name with its other forms and a description."""

    left_out: ClassVar[Mapping[str, Any]] = {"a": [], "d": ""}

    a: list[Short] = Field(max_length=20)
    d: Short


class MemoryAnswer(Part):
    """Answer of the model for a request."""

    left_out: ClassVar[Mapping[str, Any]] = {"names": []}
    listed: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {"names": ("t", get_args(EntityType))}

    keep: list[Entry] = Field(max_length=64)
    names: list[ReadName] = Field(max_length=100)
    last: int


class DescribedAnswer(Part):
    """Answer of the model for a request that asks for descriptions of names, too."""

    left_out: ClassVar[Mapping[str, Any]] = {"names": []}
    listed: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {"names": ("t", get_args(EntityType))}

    keep: list[Entry] = Field(max_length=64)
    names: list[DescribedName] = Field(max_length=100)
    last: int


def system_prompt(*, described: bool) -> str:
    """Return the instructions; `described` asks for forms and descriptions of the names."""
    return SYSTEM.replace("{names}", DESCRIBED if described else NAMES)


def answer_schema(*, described: bool) -> type[MemoryAnswer] | type[DescribedAnswer]:
    """Return the response model that belongs to `system_prompt`."""
    return DescribedAnswer if described else MemoryAnswer
