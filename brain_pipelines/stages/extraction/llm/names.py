"""Names that a model found, added to the entities and mentions of the local tier.

A name counts only where the text holds it. The model's type replaces a guessed one; facts of the entity follow.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.llm.improve import LLM
from brain_pipelines.stages.extraction.llm.lines import Row
from brain_pipelines.stages.extraction.llm.prompt import DescribedName, ReadName
from brain_pipelines.stages.extraction.llm.quotes import Quotable
from brain_pipelines.stages.extraction.local.names.aliases import normalise
from brain_pipelines.stages.extraction.local.names.speakers import HUMAN_ROLES
from brain_pipelines.stages.extraction.local.relations.relation_domains import fitting_relation
from brain_retrieval.ids import content_id
from brain_retrieval.language.stop_words import function_words
from brain_retrieval.language.support import added_names, numbers_of

_NO_NAMES = LEXICONS.read("pronouns").words("pronouns") | HUMAN_ROLES
NAME_WORDS = 8
NAMED_LARGE = frozenset(("Person", "Location"))  # types whose names have capital letters
# Confidence of a name by the model; a local entity surer than SURE (a speaker, an address) keeps its type.
CONFIDENCE, SURE = 0.9, 0.95


@dataclass
class _Found:
    """What the model said of one name, in all requests about the text."""

    name: str
    types: Counter[str] = field(default_factory=Counter)
    forms: set[str] = field(default_factory=set)
    about: str = ""

    @property
    def type(self) -> str:
        return min(self.types, key=lambda kind: (-self.types[kind], kind))


class TextNames:
    """The entities and mentions of one text, extended by the names of a model."""

    def __init__(self, document: Row, mentions: Sequence[Row], entities: Sequence[Row], shared: Row) -> None:
        self._document, self._shared = document, shared
        self._text = Quotable(document["text"])
        self.mentions = list(mentions)
        self._entities = {entity["entity_id"]: dict(entity) for entity in entities}
        self._taken = {place for row in mentions for place in range(row["start"], row["end"])}
        self._ids: dict[str, str] = {}
        for entity in entities:
            for form in (entity["name"], *entity["aliases"]):
                self._ids.setdefault(normalise(form), entity["entity_id"])

    @property
    def entities(self) -> list[Row]:
        return list(self._entities.values())

    def add(self, names: Iterable[DescribedName | ReadName]) -> None:
        """Add names; their order does not matter."""
        found: dict[str, _Found] = {}
        for name in sorted(names, key=lambda n: n.n):
            if _is_name(name.n) and self._is_written_as_name(name):
                one = found.setdefault(normalise(name.n), _Found(" ".join(name.n.split())))
                one.types[name.t] += 1
                if isinstance(name, DescribedName):
                    one.forms |= {" ".join(form.split()) for form in name.a if _is_name(form)}
                    one.about = one.about or self._described(name)
        for key, one in sorted(found.items(), key=lambda item: (-len(item[0]), item[0])):
            self._enter(key, one)

    def _is_written_as_name(self, name: ReadName) -> bool:
        """Return whether the text writes a name with a capital letter or a digit, where it must have one.

        Tools and teams may have small letters ("pandas"), and people in a text that has no capital letter at all.
        """
        text, common = self._document["text"], function_words(self._document.get("language"))
        if all(word.casefold() in common for word in name.n.split()):
            return False
        written = " ".join(text[start:end] for start, end in self._text.every(name.n))
        small = written == written.lower() != written.upper() and not any(map(str.isdigit, written))
        return not small or name.t not in NAMED_LARGE or text == text.lower()

    def _described(self, name: DescribedName) -> str:
        """Return the description of a name, "" if it has a number or a name that the text does not have."""
        text = self._document["text"]
        return "" if numbers_of(name.d) - numbers_of(text) or added_names(name.d, f"{name.n} {text}") else name.d

    def _enter(self, key: str, found: _Found) -> None:
        forms = sorted({found.name, *found.forms}, key=lambda form: (-len(form), form))
        entity_id = self._ids.get(key) or content_id("entity", self._document["source_id"], key)
        free = [
            (span, form)
            for form in forms
            if self._ids.get(normalise(form), entity_id) == entity_id
            for span in self._free(form)
        ]
        known = self._entities.get(entity_id)
        if known is None and not free:
            return
        entity = known or {
            **self._shared,
            "entity_id": entity_id,
            "name": found.name,
            "type": found.type,
            "aliases": [],
            "mention_count": 0,
            "confidence": CONFIDENCE,
            "description": None,
            "method": LLM,
        }
        self._entities[entity_id] = entity
        self._ids[key] = entity_id
        if entity["confidence"] < SURE:
            entity |= {"type": found.type, "confidence": max(entity["confidence"], CONFIDENCE), "method": LLM}
        held = {form for form in forms if self._text.holds(form)} - {entity["name"]}
        entity["aliases"] = sorted({*entity["aliases"], *held})
        entity["description"] = entity["description"] or found.about or None
        entity["mention_count"] += len(free)
        self.mentions += [self._mention(entity, span) for span, _ in free]

    def _free(self, form: str) -> list[tuple[int, int]]:
        """Return the occurrences of a form that belong to no mention yet, and take them."""
        free = []
        for start, end in self._text.every(form):
            if self._taken.isdisjoint(range(start, end)):
                self._taken.update(range(start, end))
                free.append((start, end))
        return free

    def _mention(self, entity: Row, span: tuple[int, int]) -> Row:
        start, end = span
        return {
            **self._shared,
            "mention_id": content_id("mention", self._document["source_id"], start, end),
            "entity_id": entity["entity_id"],
            "name": entity["name"],
            "type": entity["type"],
            "text": self._document["text"][start:end],
            "start": start,
            "end": end,
            "confidence": CONFIDENCE,
            "method": LLM,
        }

    def retyped(self, rows: Sequence[Row]) -> list[Row]:
        """Return mentions with the types of their entities."""
        return [{**row, "type": self._entities[row["entity_id"]]["type"]} for row in rows]

    def facts(self, facts: Sequence[Row]) -> list[Row]:
        """Return facts with the types of their entities, and relations that fit these."""
        return [self._fact(fact) for fact in facts]

    def _fact(self, fact: Row) -> Row:
        types = {
            f"{role}_type": self._entities.get(fact[f"{role}_id"], {}).get("type", fact[f"{role}_type"])
            for role in ("subject", "object")
        }
        if all(fact[name] == kind for name, kind in types.items()):
            return fact
        relation = fitting_relation(fact["relation"], types["subject_type"], types["object_type"])
        return {**fact, **types, "relation": relation}

    def named_in(self, row: Row) -> list[Row]:
        """Return the entities of a row of MEMORIES: its own, with their types, and those that its line names."""
        own = [{**one, "type": (self._entities.get(one["entity_id"]) or one)["type"]} for one in row["entities"]]
        listed = {one["entity_id"] for one in own}
        line = Quotable(row["text"])
        named = [
            {"entity_id": entity["entity_id"], "name": entity["name"], "type": entity["type"], "role": "named"}
            for entity in self.entities
            if entity["entity_id"] not in listed
            and any(line.holds(form) for form in (entity["name"], *entity["aliases"]))
        ]
        return own + sorted(named, key=lambda one: one["entity_id"])


def _is_name(form: str) -> bool:
    folded = " ".join(form.split()).casefold()
    return bool(folded) and folded not in _NO_NAMES and len(folded.split()) <= NAME_WORDS
