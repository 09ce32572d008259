"""Entities of one source: mentions grouped by alias, and the rows of both. Ids depend on source and name only."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.aliases import group_names, normalise
from brain_pipelines.stages.extraction.local.names.mention import FULL_NAME, MODEL, PHRASE, Mention
from brain_retrieval.ids import content_id
from brain_retrieval.language.lexicon import SHARED

_TITLES = LEXICONS.read("people").words("titles") | LEXICONS.every_language("plain_names").words("titles")
_RELATIVES = SHARED.every_language("callings").words("relatives")
LONGEST_TITLE = 24  # characters before a name that a title is looked for in


@dataclass
class Entity:
    """An entity of one source, under its fullest name."""

    entity_id: str
    name: str
    type: str
    confidence: float
    aliases: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    is_headed: bool = False  # whether the header of a mail names it, which counts as a mention where no other is


class Registry:
    """The entities of one source, found by any of their names."""

    def __init__(
        self, source_id: str, mentions: Iterable[Mention], text: str = "", correspondents: Iterable[str] = ()
    ) -> None:
        """`correspondents` are the full names of who wrote or received the source, which its text may lack."""
        self.source_id = source_id
        self._mentions = _without_overlaps(mentions)
        headed = [Mention(0, 0, name, "Person", FULL_NAME) for name in correspondents]
        self._joined = group_names([*self._mentions, *headed], _titled(self._mentions, text))
        relatives = _called_relatives(self._mentions, text)
        for word, names in relatives.items():
            if len({self._key(name) for name in names}) == 1 and normalise(word) not in self._joined:
                self._joined[normalise(word)] = self._key(names[0])
        groups: dict[str, list[Mention]] = {}
        for mention in self._mentions:
            groups.setdefault(self._key(mention.name), []).append(mention)
        full = {self._key(mention.name): mention.name for mention in headed}
        for key in full:
            groups.setdefault(key, [])
        self._entities = {key: self._entity(key, group, full.get(key)) for key, group in sorted(groups.items())}
        for word, names in relatives.items():
            for name in names:
                self.also_called(name, f"{word} {name}")

    def _key(self, name: str) -> str:
        key = normalise(name)
        for _ in range(4):  # aliases chain: "a. chen" -> "alice" -> "alice chen"
            if key not in self._joined:
                break
            key = self._joined[key]
        return key

    def _entity(self, key: str, group: list[Mention], headed: str | None) -> Entity:
        """Return the entity of a group of mentions; `headed` is its name in the header of a mail."""
        if headed is not None:
            entity_id = content_id("entity", self.source_id, key)
            aliases = sorted({mention.name for mention in group} - {headed})
            return Entity(entity_id, headed, "Person", FULL_NAME, aliases, group, is_headed=True)
        own = Counter(m.name for m in group if normalise(m.name) == key)
        names = own or Counter(m.name for m in group)
        name = min(names, key=lambda n: (-names[n], n))
        aliases = sorted({m.name for m in group} - {name})
        kind = _type(group)
        return Entity(
            content_id("entity", self.source_id, key), name, kind, max(m.confidence for m in group), aliases, group
        )

    def find(self, name: str, kind: str) -> Entity:
        """Return the entity of a name; one without a mention (the owner behind "I") is added with type `kind`."""
        key = self._key(name)
        if key not in self._entities:
            self._entities[key] = Entity(content_id("entity", self.source_id, key), name, kind, PHRASE)
        return self._entities[key]

    def id_of(self, name: str, _kind: str = "") -> str | None:
        """Return the id of the entity with this name, None if there is none."""
        entity = self._entities.get(self._key(name))
        return entity.entity_id if entity else None

    def mention_rows(self, text: str) -> Iterator[dict[str, Any]]:
        """Yield the mentions in the order of the text."""
        for mention in self._mentions:
            entity = self._entities[self._key(mention.name)]
            yield {
                "mention_id": content_id("mention", self.source_id, mention.start, mention.end),
                "entity_id": entity.entity_id,
                "name": entity.name,
                "type": entity.type,
                "text": text[mention.start : mention.end],
                "start": mention.start,
                "end": mention.end,
                "confidence": mention.confidence,
            }

    def also_called(self, name: str, other: str) -> None:
        """Record another name of an entity of the text, such as a maiden name; no effect without the entity."""
        entity = self._entities.get(self._key(name))
        if entity is not None and other not in (entity.name, *entity.aliases):
            entity.aliases = sorted([*entity.aliases, other])

    def entity_rows(self, foreign: Sequence[tuple[int, int]] = ()) -> Iterator[dict[str, Any]]:
        """Yield the entities in the order of their keys.

        Args:
            foreign: spans of the text, in order and apart, that no person of the home says: what an assistant says and
                what is pasted. What nothing else names is no more than a common noun: it needs to be named by someone.
        """
        for _, entity in sorted(self._entities.items()):
            yield {
                "entity_id": entity.entity_id,
                "name": entity.name,
                "type": entity.type,
                "aliases": entity.aliases,
                "mention_count": max(len(entity.mentions), int(entity.is_headed)),
                "confidence": min(entity.confidence, PHRASE) if _is_foreign(entity, foreign) else entity.confidence,
            }


def _is_foreign(entity: Entity, foreign: Sequence[tuple[int, int]]) -> bool:
    """Return whether all mentions of an entity lie in `foreign` spans."""
    return bool(foreign and entity.mentions) and all(_lies_in(mention.start, foreign) for mention in entity.mentions)


def _lies_in(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    place = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return place >= 0 and position < spans[place][1]


def _titled(mentions: Iterable[Mention], text: str) -> frozenset[str]:
    """Return the normalised names that stand behind a title in the text: "hale" of "Mr. Hale"."""
    before = ((m, text[max(0, m.start - LONGEST_TITLE) : m.start].split()) for m in mentions)
    return frozenset(normalise(m.name) for m, words in before if words and words[-1].lower().rstrip(".") in _TITLES)


def _called_relatives(mentions: Iterable[Mention], text: str) -> dict[str, list[str]]:
    """Return for each word that a relative is called by the names behind it: "Oma" of "Oma Lisbeth"."""
    found: dict[str, list[str]] = {}
    for mention in mentions:
        before = text[max(0, mention.start - LONGEST_TITLE) : mention.start]
        word = before.split()[-1] if before.endswith(" ") and before.strip() else ""
        if mention.type == "Person" and word.istitle() and word.lower() in _RELATIVES:
            names = found.setdefault(word, [])
            names += [mention.name] if mention.name not in names else []
    return {word: sorted(names) for word, names in sorted(found.items())}


def _without_overlaps(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions in order, resolving overlaps in favour of higher confidence, then of greater length.

    Nesting is allowed: a phrase may contain a name ("Kafka cluster" and "Kafka"). Other overlaps are conflicts.
    """
    kept: list[Mention] = []
    owner: dict[int, Mention] = {}
    for mention in sorted(mentions, key=lambda m: (-m.confidence, m.start - m.end, m.start, m.name, m.type)):
        span = range(mention.start, mention.end)
        held = [owner[i] for i in span if i in owner]
        if all(mention.start <= m.start and m.end <= mention.end and len(span) > m.end - m.start for m in held):
            owner.update((i, mention) for i in span)
            kept.append(mention)
    return sorted(kept, key=lambda m: (m.start, -m.end))


def _type(group: list[Mention]) -> str:
    """Return the type with the highest total confidence; Concept for guesses whose word also occurs in lower case."""
    if all(m.confidence <= MODEL for m in group) and any(m.name.islower() and m.type == "Concept" for m in group):
        return "Concept"
    weight: Counter[str] = Counter()
    for mention in group:
        weight[mention.type] += round(mention.confidence * 1000) if mention.confidence < FULL_NAME else 2000
    return min(weight, key=lambda kind: (-weight[kind], kind))
