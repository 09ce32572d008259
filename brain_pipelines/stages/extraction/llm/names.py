"""Entities of one text from a chat model's readings: merged across parts, with every name checked against the text.

A name that is not in the text would merge unrelated entities during entity resolution, so it is replaced by a form that
is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.llm.items import Item
from brain_pipelines.stages.extraction.llm.prompt import ItemReading, ReadEntity
from brain_pipelines.stages.extraction.llm.quotes import Quotable, Span
from brain_pipelines.stages.extraction.local.names.aliases import normalise
from brain_pipelines.stages.extraction.local.names.mention import PHRASE, Mention
from brain_pipelines.stages.extraction.local.names.speakers import HUMAN_ROLES, OWNER
from brain_retrieval.ids import content_id

_LEXICON = LEXICONS.read("pronouns")

NAME_WORDS = 8
_PRONOUNS = _LEXICON.words("pronouns")


@dataclass
class Named:
    """An entity of the text. `forms` are the spellings under which it was found there."""

    name: str
    types: Counter[str] = field(default_factory=Counter)
    confidence: float = 0.0
    description: str = ""
    forms: set[str] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    method: str = "llm"
    entity_id: str = ""

    @property
    def type(self) -> str:
        return min(self.types, key=lambda kind: (-self.types[kind], kind))


class Names:
    """The entities of one text, found by any of their names."""

    def __init__(
        self, source_id: str, text: str, parts: Iterable[tuple[Item, ItemReading]], marks: Iterable[Mention]
    ) -> None:
        self.source_id = source_id
        self._text = Quotable(text)
        self._named: dict[str, Named] = {}
        marks = list(marks)
        self._taken = {position for mark in marks for position in range(mark.start, mark.end)}
        for item, reading in parts:
            for entity in reading.entities:
                self._enter(item, entity)
        for mark in marks:
            self._mark(mark)
        self._joined = self._join()
        for key, named in self._named.items():
            named.entity_id = content_id("entity", source_id, key)
        self._give_spans({key: named.forms for key, named in self._named.items()})

    def __iter__(self) -> Iterator[Named]:
        """Yield the entities in the order of their keys."""
        return (named for _, named in sorted(self._named.items()))

    def find(self, name: str, kind: str | None = None) -> Named | None:
        """Return the entity of a name; with `kind`, an unknown name that is in the text, or the owner, is added."""
        key = normalise(OWNER if is_owner(name) else name)
        key = self._joined.get(key, key)
        if key in self._named:
            return self._named[key]
        place = self._text.find(name)
        if kind is None or (place is None and not is_owner(name)):
            return None
        named = Named(
            OWNER if place is None else name, confidence=PHRASE, entity_id=content_id("entity", self.source_id, key)
        )
        named.types["Person" if place is None else kind] += 1
        self._named[key] = named
        if place is not None:
            self._give_spans({key: {name}})
        return named

    def _enter(self, item: Item, read: ReadEntity) -> None:
        forms = [f for f in read.quotes if self._is_name(f) and any(item.quotable.every(f))]
        if is_owner(read.name):
            name, forms = OWNER, [f for f in forms if not is_owner(f)]
        elif self._text.find(read.name) is not None:
            name = read.name
        elif forms:
            name = max(forms, key=len)
        else:
            return
        named = self._named.setdefault(normalise(name), Named(name))
        named.types[read.type] += round(read.sure * 1000) + 1
        named.confidence = max(named.confidence, read.sure)
        named.description = named.description or read.about
        named.forms.update(" ".join(form.split()) for form in forms)

    def _is_name(self, form: str) -> bool:
        return form.casefold() not in _PRONOUNS and len(form.split()) <= NAME_WORDS

    def _mark(self, mark: Mention) -> None:
        """Add a mention found by rules (an address, a speaker label); the model is not needed for these."""
        key = normalise(mark.name)
        named = self._named.setdefault(key, Named(mark.name, method="local"))
        if named.method == "local":
            named.types[mark.type] += 1
        named.confidence = max(named.confidence, mark.confidence)
        named.spans.append((mark.start, mark.end))

    def _join(self) -> dict[str, str]:
        """Merge entities that are forms of others; return the key of the entity for each alternative form.

        A form shared by several entities is ambiguous and joins none; nor do entities of different types merge.
        """
        bearers: dict[str, set[str]] = {}
        for key, named in self._named.items():
            for form in named.forms:
                if normalise(form) != key:
                    bearers.setdefault(normalise(form), set()).add(key)
        joined: dict[str, str] = {}
        for form, keys in sorted(bearers.items()):
            key = min(keys)
            if len(keys) > 1 or joined.get(key) == form:
                continue
            short = self._named.get(form)
            if short is not None and short.type != self._named[key].type:
                continue
            joined[form] = key
        for form in list(joined):
            key = joined[form]
            while key in joined and key != form:
                key = joined[key]
            joined[form] = key
            if form in self._named:
                self._absorb(self._named[key], self._named.pop(form))
        return joined

    @staticmethod
    def _absorb(whole: Named, short: Named) -> None:
        whole.types += short.types
        whole.confidence = max(whole.confidence, short.confidence)
        whole.description = whole.description or short.description
        whole.forms |= short.forms | {short.name}
        whole.spans += short.spans

    def _give_spans(self, forms: Mapping[str, Iterable[str]]) -> None:
        """Assign each free occurrence of a form in the text to one entity, longest form first."""
        wanted = {
            (end - start, start, key)
            for key, own in forms.items()
            for form in own
            for start, end in self._text.every(form)
        }
        for length, start, key in sorted(wanted, key=lambda w: (-w[0], w[1], w[2])):
            span = range(start, start + length)
            if self._taken.isdisjoint(span):
                self._taken.update(span)
                self._named[key].spans.append((start, start + length))


def is_owner(name: str) -> bool:
    """Return whether a name denotes the owner of the memory."""
    return name.casefold().strip() in HUMAN_ROLES | {"i"}
