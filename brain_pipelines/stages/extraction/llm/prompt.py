"""Prompt and response models for memories from numbered sentences. Change VERSION when either changes.

Answers are most of the cost, so they say only what differs from the lines of the local tier: numbers, and words that
replace words. A model cannot count characters, so the number of a sentence stands for its span.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from brain_retrieval.models.chat.protocol import DATA_RULE

VERSION = "3"
NAME = "memories"

Kind = Literal["fact", "event", "plan", "preference", "decision", "relationship", "instruction", "feeling"]
EntityType = Literal["Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool"]
NoteKind = Literal["from", "until", "stance", "slot", "changes"]

# Attributes of slots that the instructions list, beside offices.
ATTRIBUTES = frozenset(
    ("lives_in", "works_at", "leads", "partner_of", "called", "owes", "plays_for", "studies", "drives")
)

EXAMPLE = json.dumps(
    {
        "keep": [1, 2, 4, 5],
        "kinds": [{"k": "event", "i": [2]}],
        "words": [{"i": 2, "c": ["She", "Dr. Imhof"]}, {"i": 4, "c": ["He", "Salim", "he", "Salim"]}],
        "notes": [
            {"i": 1, "k": "until", "v": "2026-08"},
            {"i": 5, "k": "slot", "v": "Katrin | lives_in | Jena"},
        ],
        "names": [{"n": "Dr. Imhof", "t": "Person"}],
        "last": 5,
    },
    separators=(",", ":"),
)

SYSTEM = f"""You read numbered sentences of a person's own archive and pick those that the person would want back months
later, each as one line that can be understood on its own.
{DATA_RULE}
A block begins with the kind of source. Below it stand the day on which something was said, the names known so far, and
the sentences: "3 Ann to Bo: …" is number 3, said by Ann to Bo; "user" is the owner of the archive. "= plan (until
2026-08): …" is what is stored of the sentence above it: its kind, in brackets what is known already, and its line;
without a line the sentence itself. "- …" is context without a number: use it to understand, never pick it.

Say only what has to differ from what is stored, nothing twice; most lists of an answer are short or empty.
keep: the numbers worth keeping, in order. Worth keeping is what states something particular about a person, a thing or
a plan: facts, events, plans, decisions, preferences, relationships, rules, amounts, dates. Leave out greetings, praise,
filler, questions without a statement, and what is understood only there and then.
kinds: kept numbers whose stored kind is wrong, by what they are. i: the numbers; k: fact (also a state or a rule of the
world), event (it happened), plan, preference, decision, relationship (between people), instruction (how something is to
be done), feeling.
words: kept numbers whose line cannot be understood on its own. i: the number; c: in turn words of its line, copied
exactly and as few as possible, and the words in their place, in the language of the line. "he", "it", "there", "the
offer" become what they stand for if a sentence here says so; "I" and "you" the speaker and the listener, but "I" of
user stays; after a relative date comes its day: "yesterday [2026-03-03]". Only if most of a line has to change, c is
the whole line alone.
notes: i: the number; k and v:
- from: the day, month or year from which it holds, if the sentence says so and it is not the day it was said.
- until: the last day, month or year for which it holds, if the sentence says so.
- stance: possible (may, wants to, plans), conditional (if), reported (others say so) or question; none for a plain
  statement.
- slot: "subject | attribute | value" where the sentence states for sure one of: lives_in, works_at, leads, partner_of,
  called, owes, plays_for, studies, drives, or an office ("manager": "Ann | manager | Bo").
- changes: numbers above in the same block whose statement this one says to hold no longer, as "2" or "2 5".

In a line nothing may be lost and nothing added:
- Every number, amount, unit, name, address, title and condition of the sentence stays, word for word.
- "not", "never", "no longer" stay. A doubt stays a doubt.
- No name, number or date that is not in the sentence, its context or its day. If you do not know who "she" is, keep it.

Example, a note of 2026-03-04, Wednesday:
1 user: We pay the junior developer 2,140.50 euros net until August.
= fact
- Dr. Imhof called.
2 user: She moved my appointment at 12 Rue Pasteur to the day after tomorrow, 9:40.
= fact: She moved my appointment at 12 Rue Pasteur to the day after tomorrow [2026-03-06], 9:40.
3 user: What a lovely day!
= feeling
- Salim came by.
4 user: He no longer works at Orbit, maybe he will join Nova.
= fact (possible)
5 user: Katrin lives in Jena now.
= fact
Answer:
{EXAMPLE}
Wrong: the whole line of 1 again (nothing changes); "about 2,100 euros" for "2,140.50 euros net" (amount and "net" are
lost); "Salim works at Nova" for 4 (the denial and the doubt are lost).
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

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {**given, **{name: value for name, value in cls.left_out.items() if given.get(name) is None}}


def _fitting(part: type[Part]) -> BeforeValidator:
    # One part of a list that does not fit (a type that does not exist, no number) is left out.
    def fits(given: Any) -> bool:
        try:
            part.model_validate(given)
        except ValidationError:
            return False
        return True

    return BeforeValidator(lambda given: [one for one in given if fits(one)] if isinstance(given, list) else given)


class Change(BaseModel):
    """Words `a` of the stored line that become `b`; an empty `a` is the whole line."""

    a: str
    b: str


class Note(Part):
    """Something a sentence states beside its line; `v` is read in `notes.py`."""

    k: NoteKind
    v: Short


class Entry(BaseModel):
    """What an answer says of a sentence worth keeping; k is None where the stored kind is right."""

    i: int
    k: Kind | None = None
    words: list[Change] = Field(default_factory=list)
    n: list[Note] = Field(default_factory=list)


class NumberedKind(Part):
    """A kind and the numbered sentences of it."""

    k: Kind
    i: Annotated[list[int], BeforeValidator(lambda given: [given] if isinstance(given, int | str) else given)]


class NumberedChange(Part):
    """Changes of the line of a numbered sentence: words and what is in their place in turn, or the whole line alone."""

    i: int
    c: list[Text] = Field(min_length=1, max_length=32)

    @field_validator("c")
    @classmethod
    def _in_pairs(cls, given: list[str]) -> list[str]:
        if len(given) > 1 and len(given) % 2:
            raise ValueError("words without what is in their place")
        return given

    def changes(self) -> list[Change]:
        if len(self.c) == 1:
            return [Change(a="", b=self.c[0])]
        return [Change(a=old, b=new) for old, new in zip(self.c[::2], self.c[1::2], strict=True)]


class NumberedNote(Note):
    """A note of a numbered sentence."""

    i: int


class ReadName(Part):
    """A name and its type."""

    n: Short
    t: EntityType


class DescribedName(ReadName):
    """A name with its other forms and a description."""

    left_out: ClassVar[Mapping[str, Any]] = {"a": [], "d": ""}

    a: list[Short] = Field(max_length=20)
    d: Short


class Answer(Part):
    """Answer of the model for a request: numbers of sentences, and what differs from their rows."""

    left_out: ClassVar[Mapping[str, Any]] = {"kinds": [], "words": [], "notes": [], "names": []}

    keep: list[int] = Field(max_length=64)
    kinds: Annotated[list[NumberedKind], _fitting(NumberedKind)] = Field(max_length=16)
    words: Annotated[list[NumberedChange], _fitting(NumberedChange)] = Field(max_length=128)
    notes: Annotated[list[NumberedNote], _fitting(NumberedNote)] = Field(max_length=128)

    def entries(self) -> list[Entry]:
        """Return an entry for each number that is kept, in order; one whose line is changed is kept, too."""
        found = {number: Entry(i=number) for number in sorted({*self.keep, *(one.i for one in self.words)})}
        for kind in self.kinds:
            for number in found.keys() & set(kind.i):
                found[number].k = found[number].k or kind.k
        for change in self.words:
            found[change.i].words += change.changes()
        for note in self.notes:
            if note.i in found:
                found[note.i].n.append(Note(k=note.k, v=note.v))
        return list(found.values())


class MemoryAnswer(Answer):
    """Answer for a request that asks for the names that are missing."""

    names: Annotated[list[ReadName], _fitting(ReadName)] = Field(max_length=100)
    last: int


class DescribedAnswer(Answer):
    """Answer for a request that asks for descriptions of names, too."""

    names: Annotated[list[DescribedName], _fitting(DescribedName)] = Field(max_length=100)
    last: int


def system_prompt(*, described: bool) -> str:
    """Return the instructions; `described` asks for forms and descriptions of the names."""
    return SYSTEM.replace("{names}", DESCRIBED if described else NAMES)


def answer_schema(*, described: bool) -> type[MemoryAnswer] | type[DescribedAnswer]:
    """Return the response model that belongs to `system_prompt`."""
    return DescribedAnswer if described else MemoryAnswer
