"""Prompt and response models for extraction from a batch of texts. Change VERSION when either changes.

Models cannot count characters, so they copy quotes instead of giving offsets; the offsets are looked up afterwards.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from brain_retrieval.models.chat.protocol import DATA_RULE, as_data

VERSION = "1"
NAME = "extraction"

EntityType = Literal["Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool"]
Relation = Literal[
    "KNOWS", "WORKS_WITH", "MEMBER_OF", "WORKED_ON", "OWNS", "DEPENDS_ON", "RELATED_TO", "PART_OF", "USES", "ABOUT"
]
Stance = Literal["negated", "possible", "conditional", "question", "reported"]

SYSTEM = f"""You read texts of a person's own archive and write down who and what they name, and what they state.
{DATA_RULE}
Each item has an index. Answer with one entry for every item, under its own index, also when it holds nothing. What you
write of an item must stand in that item alone.

entities: what an item names.
- name: the fullest form the item uses, copied exactly. Who says "I" is called as the item's header says.
- type: Person; Organization (company, team, group); Project (work item, initiative, product being made); Concept (idea,
  topic, field); Location (place, region); Event (meeting, milestone, incident); Document (file, article, book); Tool
  (software, service, device).
- aliases: the other forms by which the item names it, copied exactly; no pronouns.
- about: at most twelve words on what the item says it is, or "".
- sure: 0 to 10 that it is one, and of this type.
Leave out pronouns, dates, numbers and words about the conversation itself.

facts: what an item states, each a single statement. Split "A and B lead C and D" into four.
- subject: the name of an entity of this item.
- verb: in its dictionary form with its preposition, without auxiliaries and without "not": "lead", "depend on", "be
  manager of", "live in".
- object: the name of an entity of this item, or a value (a date, a number, a quality).
- relation: KNOWS (person, person), WORKS_WITH (person, person), MEMBER_OF (person, organization), WORKED_ON (person or
  organization, work), OWNS (person or organization, thing), DEPENDS_ON (thing, thing), PART_OF (part, whole), USES (who
  or what, tool), ABOUT (text or meeting, topic), else RELATED_TO.
- stance: [] for a plain statement, else what applies: negated (it is not, no longer or never so), possible (might,
  plans to, wants to, thinks), conditional (if, unless), question, reported (somebody else is said to have said it).
  Keep uncertain statements and mark them so.
- when: "" unless the item says when it holds: 2021-03 (then), 2021/ (since), /2022-05-10 (until), 2021/2022. Count
  "last year" from the item's date.
- quote: 3 to 8 words in a row copied exactly from the item where it states this.
- note: role, duration, amount or reason if the text gives one, at most twelve words, or "".
- sure: 0 to 10 that the item states this.

Answer in one line of JSON without spaces between its parts."""


def _cut(most: int) -> BeforeValidator:
    # Longer values are cut, not rejected: one long description must not invalidate the answer of an item.
    return BeforeValidator(lambda value: value[:most].strip() if isinstance(value, str) else value)


Name = Annotated[str, _cut(120)]
Quote = Annotated[str, _cut(400)]
Short = Annotated[str, _cut(160)]
Score = Annotated[float, Field(description="0 to 10")]


class ReadEntity(BaseModel):
    """Something an item names. The keys are single tokens: answers are most of the cost."""

    model_config = ConfigDict(extra="ignore")

    name: Name
    type: EntityType
    aliases: list[Name] = Field(max_length=20)
    about: Short
    sure: Score

    @property
    def quotes(self) -> list[str]:
        """Forms of which at least one must occur in the item."""
        return [self.name, *self.aliases]


class ReadFact(BaseModel):
    """Something an item states."""

    model_config = ConfigDict(extra="ignore")

    subject: Name
    verb: Name
    object: Name
    relation: Relation
    stance: list[Stance] = Field(max_length=5)
    when: Short
    quote: Quote
    note: Short
    sure: Score

    @property
    def quotes(self) -> list[str]:
        """The quote, which must occur in the item."""
        return [self.quote]

    @property
    def is_negated(self) -> bool:
        return "negated" in self.stance

    @property
    def modality(self) -> str:
        """The modality that is farthest from asserted, as in the local tier."""
        return next((m for m in ("question", "reported", "conditional", "possible") if m in self.stance), "asserted")


class ItemReading(BaseModel):
    """Entities and facts of one item."""

    model_config = ConfigDict(extra="ignore")

    index: int
    entities: list[ReadEntity] = Field(max_length=200)
    facts: list[ReadFact] = Field(max_length=200)


class ExtractionAnswer(BaseModel):
    """Answer of the model for a batch."""

    model_config = ConfigDict(extra="ignore")

    items: list[ItemReading] = Field(max_length=64)


def header(*, source: str, day: str, speaker: str | None) -> str:
    """Return the header line of an item; `speaker` is the referent of "I" where the text has no label."""
    who = "" if speaker is None else f', "I" is {" ".join(speaker.split())[:60]}'
    return f"{source} of {day}{who}"


def user_prompt(items: Sequence[tuple[str, str]]) -> str:
    """Return the request for items of (header, text); their indices run from 0."""
    return "\n\n".join(f"Item {n}: {head}\n{as_data(text)}" for n, (head, text) in enumerate(items))
