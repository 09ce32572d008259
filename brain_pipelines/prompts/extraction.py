"""Entities and facts of a batch of texts by a chat model: prompt and response models. Change VERSION with either.

Offsets are never asked for: models cannot count. They copy words, and we look up where those stand.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from brain_retrieval.models.chat import DATA_RULE, as_data

VERSION = "1"
NAME = "extraction"

EntityType = Literal["Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool"]
Relation = Literal[
    "KNOWS", "WORKS_WITH", "MEMBER_OF", "WORKED_ON", "OWNS", "DEPENDS_ON", "RELATED_TO", "PART_OF", "USES", "ABOUT"
]
Modality = Literal["asserted", "possible", "conditional", "question", "reported"]

SYSTEM = f"""You read texts of a person's own archive and write down who and what they name, and what they state.
{DATA_RULE}
Each item has an index. Answer with one entry for every item, under its own index, also when it holds nothing. What you
write of an item must stand in that item alone.

entities: what an item names.
- name: the fullest form the item uses, in its own spelling. Who says "I" is called as the item's header says.
- type: Person; Organization (company, team, group); Project (work item, initiative, product being made); Concept (idea,
  topic, field); Location (place, region); Event (meeting, milestone, incident); Document (file, article, book); Tool
  (software, service, device).
- aliases: the other forms by which the item names it, copied exactly; no pronouns.
- quote: one form copied exactly from the item, to find it by.
- description: at most twelve words on what the item says it is, or "".
- confidence: 0 to 1 that it is one, and of this type.
Leave out pronouns, dates, numbers and words about the conversation itself.

facts: what an item states, each a single statement. Split "A and B lead C and D" into four.
- subject, object: the name of an entity of this item; the object may be a value (a date, a number, a quality) instead.
- object_type: the type of the object, or Literal for a value.
- predicate: a verb in its dictionary form with its preposition, without auxiliaries and without "not": "lead",
  "depend on", "be manager of", "live in".
- relation: KNOWS (person, person), WORKS_WITH (person, person), MEMBER_OF (person, organization), WORKED_ON (person or
  organization, work), OWNS (person or organization, thing), DEPENDS_ON (thing, thing), PART_OF (part, whole), USES (who
  or what, tool), ABOUT (text or meeting, topic), else RELATED_TO.
- polarity: negated if the text says it is not, no longer or never so; else affirmed.
- modality: asserted; possible (might, plans to, wants to, thinks); conditional (if, unless); question; reported
  (somebody else is said to have said it). Keep uncertain statements and mark them so.
- quote: 3 to 15 words copied exactly from the item that state it, "not" and "might" included.
- description: role, duration, amount or reason if the text gives one, at most twelve words, or "".
- valid_from, valid_to: since when and until when, as YYYY, YYYY-MM or YYYY-MM-DD, or "". Only where the item says so;
  count "last year" from the item's date.
- confidence: 0 to 1 that the item states this."""


def _cut(most: int) -> BeforeValidator:
    # Longer is cut, not refused: one long description must not cost an item its answer.
    return BeforeValidator(lambda value: value[:most].strip() if isinstance(value, str) else value)


Name = Annotated[str, _cut(120)]
Quote = Annotated[str, _cut(400)]
Short = Annotated[str, _cut(160)]
Score = Annotated[float, Field(description="0 to 1")]


class ReadEntity(BaseModel):
    """Something an item names."""

    model_config = ConfigDict(extra="ignore")

    name: Name
    type: EntityType
    aliases: list[Name] = Field(max_length=20)
    quote: Quote
    description: Short
    confidence: Score


class ReadFact(BaseModel):
    """Something an item states."""

    model_config = ConfigDict(extra="ignore")

    subject: Name
    predicate: Name
    object: Name
    object_type: EntityType | Literal["Literal"]
    relation: Relation
    polarity: Literal["affirmed", "negated"]
    modality: Modality
    quote: Quote
    description: Short
    valid_from: Short
    valid_to: Short
    confidence: Score


class ItemReading(BaseModel):
    """What was read in one item."""

    model_config = ConfigDict(extra="ignore")

    index: int
    entities: list[ReadEntity] = Field(max_length=200)
    facts: list[ReadFact] = Field(max_length=200)


class ExtractionAnswer(BaseModel):
    """What the model says of a batch."""

    model_config = ConfigDict(extra="ignore")

    items: list[ItemReading] = Field(max_length=64)


def header(*, source: str, day: str, speaker: str | None) -> str:
    """Return what is said of an item before its text; `speaker` is who says "I" where no label tells."""
    who = "" if speaker is None else f', "I" is {" ".join(speaker.split())[:60]}'
    return f"{source} of {day}{who}"


def user_prompt(items: Sequence[tuple[str, str]]) -> str:
    """Return the request for items of (header, text); their indices run from 0."""
    return "\n\n".join(f"Item {n}: {head}\n{as_data(text)}" for n, (head, text) in enumerate(items))
