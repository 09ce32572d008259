"""What the view compares of a row of MEMORIES: its words, its people and things, its moments and its certainty."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from brain_retrieval.knowledge.memories.amounts import beside_amounts
from brain_retrieval.knowledge.memories.compared.claims import Claim, claim_of, is_rule, is_stated
from brain_retrieval.knowledge.memories.compared.names_and_times import of_days, of_name, since, until, words_of_names
from brain_retrieval.knowledge.memories.concept_groups import of_slot
from brain_retrieval.language.concepts import MARK, NEW, PART, TITLED, compounds_in
from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.light_words import light_words, points_back
from brain_retrieval.language.of_words import language_by_words
from brain_retrieval.language.plain import lowered, plain
from brain_retrieval.language.values import VERSION, in_use, product_names

Row = Mapping[str, Any]
LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
_LABEL = re.compile(r"^\w{1,20}:\s")  # "Correction: …"
_HEADING = re.compile(r"^(?P<words>\w{1,20}(?:\s\w{1,20}){0,2}):\s")
_MEASURED = re.compile(r"\d\s?([^\W\d_]{3,})")  # "1,450 euros"
_MOST_HEADS, _LEAST, _DAYS = 3, 2, ("st", "nd", "rd", "th")
ATTITUDE, RULE, _PARTED = MARK + "attitude", MARK + "rule", (NEW, PART, TITLED)
ABOUT = ("speaker", "subject")  # roles of the entities that a memory is about


@dataclass(frozen=True, eq=False)
class Facet:
    """A row in the form in which it is compared."""

    row: Row
    kept: dict[str, Any] = field(default_factory=dict, repr=False)  # what other modules have read in its text

    @cached_property
    def language(self) -> str:
        """The code of the language that it is written in, as far as its words tell it."""
        return self.row.get("language") or language_by_words(self.row["text"])

    @cached_property
    def order(self) -> tuple[datetime, datetime, str, int, int, str]:
        """What is later holds: by the day from which it holds, when it was said, and its place in its source."""
        return self.known_from, *self.said

    @cached_property
    def said(self) -> tuple[datetime, str, int, int, str]:
        """When it was said, and its place in its source."""
        row = self.row
        return row["said_at"], row["source_id"], row["start"], row["clause"], row["memory_id"]

    @cached_property
    def only_ended(self) -> bool:
        """Whether it states when something ended, and not when that began: "until March"."""
        row = self.row
        return row["valid_to"] is not None and not row["from_stated"] and row["valid_to"] <= row["said_at"]

    @cached_property
    def starts(self) -> datetime:
        """From when it may hold; an end without a start says that it held before."""
        return LONG_AGO if self.only_ended else self.row["effective_from"]

    @cached_property
    def known_from(self) -> datetime:
        """From when it replaces what held before: of what has only an end, this end, since its beginning is unknown."""
        return self.row["valid_to"] if self.only_ended else self.row["effective_from"]

    @cached_property
    def holds_since(self) -> bool:
        """Whether it says now what has held since an earlier day: "910 euros since February"."""
        row = self.row
        if not row["from_stated"] or row["valid_to"] is not None or row["effective_from"] >= row["said_at"]:
            return False
        return row["modality"] == "asserted" and since().search(lowered(row["text"])) is not None

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words, those of its entities among them."""
        own = (word for word in self.row["anchors"] if not word.startswith(MARK))
        return frozenset(own) | self.names

    @cached_property
    def concepts(self) -> frozenset[str]:
        marked = (word for word in self.row["anchors"] if word.startswith(MARK) and not word.startswith(_PARTED))
        return frozenset((*marked, *of_slot(self.row["slot_attribute"])))

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the names of its entities."""
        return words_of_names(entity["name"] for entity in self.row["entities"])

    @cached_property
    def people(self) -> tuple[frozenset[str], ...]:
        """The names of its people, each as its words."""
        entities = self.row["entities"]
        return tuple(of_name(one["name"]) for one in entities if (one.get("type") or "").casefold() == "person")

    @cached_property
    def written(self) -> frozenset[str]:
        """Its words that stand in its text; the others come from the sentence before."""
        return frozenset(word_form(match.group()) for match in WORD.finditer(plain(self.row["text"]))) | self.names

    @cached_property
    def small(self) -> frozenset[str]:
        """Its words that stand in its text with a small letter: "lab" is no word of the name "Northwind Labs"."""
        return frozenset(word_form(plain(word)) for word in WORD.findall(self.row["text"]) if word[0].islower())

    @cached_property
    def measured(self) -> frozenset[str]:
        """The words behind its numbers: "euros" of "1,450 euros" is a unit, and not what has that price."""
        return frozenset(word_form(plain(word.casefold())) for word in _MEASURED.findall(self.row["text"]))

    @cached_property
    def priced(self) -> frozenset[str]:
        """The words that say what its amounts of money are amounts of."""
        return (beside_amounts(self.row["text"]) & self.words) - self.voice

    @cached_property
    def voice(self) -> frozenset[str]:
        """The words of the name of who says it."""
        return of_name(self.row["speaker"] or "")

    @cached_property
    def heads(self) -> frozenset[str]:
        """The words of what it is about: its subject or speaker, else the words that it begins with.

        "16 March it is" begins with nothing but its value: it is about what the sentence before it is about.
        """
        other = self.row["speaker"] if self.only_spoken else None
        entities = (entity for entity in self.row["entities"] if entity["name"] != other)
        about = [entity["name"] for entity in entities if entity["role"] in ABOUT]
        if about:
            return words_of_names(about)
        found = self._beginning()
        return found if found - light_words() else (self.words - self.written) or found

    @cached_property
    def label(self) -> str:
        """The words in front of a colon with which it begins: "ops log"."""
        found = _HEADING.match(self.row["text"].removeprefix(f"{self.row['speaker']}: "))
        return plain(found["words"]) if found else ""

    @cached_property
    def telling(self) -> frozenset[str]:
        """Its words without light ones ("move", "Mrs") and days ("12th"), which are no matter in common."""
        return frozenset(one for one in self.words - light_words() if not (one[0].isdigit() and one[-2:] in _DAYS))

    @cached_property
    def claim(self) -> Claim:
        """What it affirms or denies."""
        return claim_of(self.row, self.words - self.voice)

    @cached_property
    def matters(self) -> frozenset[str]:
        """Its telling words that another memory may be about as well.

        The sentence before says what it is about only where it does not itself: "it is 910 euros now". The lines of a
        list, "bike lock 0382" below "alarm code 2290", are about different things.
        """
        return self.telling & self.written if self._names_subject else self.telling

    @cached_property
    def _names_subject(self) -> bool:
        own = (self.subjects | self._beginning()) & self.written - light_words()
        return bool(own) and not points_back(lowered(self.row["text"]), self.language)

    @cached_property
    def telling_heads(self) -> frozenset[str]:
        """The words of what it is about, without the light ones."""
        return self.heads - light_words()

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The words of the names of its subjects."""
        return words_of_names(entity["name"] for entity in self.row["entities"] if entity["role"] == "subject")

    @cached_property
    def is_about_oneself(self) -> bool:
        """Whether its speaker speaks of himself or herself."""
        return any(entity["role"] == "speaker" for entity in self.row["entities"])

    @cached_property
    def is_of_person(self) -> bool:
        """Whether it is about a person: its subject or its speaker."""
        return any(entity.get("type") == "Person" and entity["role"] in ABOUT for entity in self.row["entities"])

    def _beginning(self) -> frozenset[str]:
        """Return the first content words that follow each other: "choir concert" of "The choir concert is on …".

        A sentence that begins with a content word begins with a name, or with a verb: it is taken as long as words
        have capital letters.
        """
        found: list[str] = []
        said = self.row["text"].removeprefix(f"{self.row['speaker']}: ")
        heading = _HEADING.match(said)  # "Ops log: …", and not the name of "Projekt Kranich: …"
        said = said[heading.end() :] if heading and heading["words"][1:].islower() else _LABEL.sub("", said)
        words = WORD.findall(said)
        name_only = bool(words) and word_form(plain(words[0])) in self.words
        for before, word in pairwise(["", *words]):
            if word == "s":
                continue  # the "s" of "Dario's bike" parts nothing
            own = word_form(plain(word)) in self.words
            if own and not (name_only and found and word.islower() and len(before) >= _LEAST):
                found.append(word_form(plain(word)))
            elif found and of_days().issuperset(found):
                found.clear()  # "Dal primo maggio la farmacia" is about the pharmacy
            elif found:
                break
        return frozenset(found[:_MOST_HEADS])

    @cached_property
    def new(self) -> frozenset[str]:
        """The words that it calls new."""
        return frozenset(word.removeprefix(NEW) for word in self.row["anchors"] if word.startswith(NEW))

    @cached_property
    def compounds(self) -> dict[str, frozenset[str]]:
        """The words of its compounds with their heads: "car" with "key" of "the car key"."""
        return compounds_in(self.row["anchors"])

    @cached_property
    def slot(self) -> tuple[str, frozenset[str], frozenset[str]] | None:
        """Its attribute with the words of the subject and of the value."""
        row = self.row
        if row["slot_attribute"] is None:
            return None
        subject, value = (of_name(row[key] or "") for key in ("slot_subject", "slot_value"))
        return (row["slot_attribute"], subject, value) if subject else None

    @cached_property
    def values(self) -> dict[str, frozenset[str]]:
        pairs = [(value["dimension"], value["value"]) for value in self.row["values"]]
        return {one: frozenset(value for other, value in pairs if other == one) for one, _ in pairs}

    @cached_property
    def comparable(self) -> dict[str, frozenset[str]]:
        """Its values that another memory may replace: all but the days on which something happened or begins."""
        said_on, begins = (self.row[key].date().isoformat() for key in ("said_at", "effective_from"))
        begun = begins if self.row["from_stated"] and self.slot is not None else ""
        coming = frozenset(day for day in self.values.get("date", ()) if day[:10] > said_on and day != begun)
        others = {dimension: found for dimension, found in self.values.items() if dimension not in ("date", VERSION)}
        versions = frozenset(value for value in self.values.get(VERSION, ()) if not self._is_limit(value))
        return {**others, **({VERSION: versions} if versions else {}), **({"date": coming} if coming else {})}

    def _is_limit(self, value: str) -> bool:
        """Return whether a value only says until when something holds: "until version 4"."""
        limit = rf"{until()}\s{{1,3}}(?:\w{{1,20}}\s{{1,3}})?{re.escape(plain(value))}(?!\w)"
        return re.search(limit, plain(self.row["text"])) is not None

    @cached_property
    def in_use(self) -> bool:
        """Whether it says of a version that it is in use."""
        return in_use(plain(self.row["text"]), self.language)

    @cached_property
    def products(self) -> frozenset[str]:
        """The names in front of its versions: "postgres" of "now runs Postgres 14.2"."""
        found = product_names(self.row["text"], self.values.get(VERSION, ()), self.language)
        return frozenset(map(word_form, found))

    @cached_property
    def ends(self) -> frozenset[str]:
        """The ids of the memories that it states to hold no longer, according to a model."""
        return frozenset(self.row["ends_hint"] or ())

    @cached_property
    def asserted(self) -> bool:
        return is_stated(self.row)

    @cached_property
    def negated(self) -> bool:
        return self.row["polarity"] == "negated"

    @cached_property
    def only_spoken(self) -> frozenset[str]:
        """The words of the speaker's name, if the speaker says it of something else: "Priya: Six have confirmed"."""
        speaker = self.row["speaker"]
        if not speaker or not self.row["text"].startswith(f"{speaker}: "):
            return frozenset()
        return self.voice - words_of_names(
            entity["name"] for entity in self.row["entities"] if entity["name"] != speaker
        )

    @cached_property
    def cue(self) -> str:
        return self.row["cue"]

    @cached_property
    def can_change(self) -> bool:
        """Whether it may end what is asserted and affirmed: by a cue, a value, a slot, an attitude or a denial."""
        return self.cue != "none" or self.claim.denied or bool(self.row["values"] or self.kinds)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What it states without a cue: dimensions of values, the attribute of its slot, an attitude, a stored rule."""
        others = ((self.slot[0],) if self.slot else ()) + ((RULE,) if is_rule(self.row) else ())
        return frozenset((*self.values, *others)) | (self.concepts & {ATTITUDE})
