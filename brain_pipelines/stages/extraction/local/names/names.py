"""Named entity recognition: the model's entities corrected by gazetteers → token spans with type and confidence.

Gazetteers take precedence, because a small model labels "Kafka" as a person and "Alice" as a company.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.evidence.sentence_evidence import with_support
from brain_pipelines.stages.extraction.local.names.evidence.trade_evidence import firm_with_partners, firms_by_ending
from brain_pipelines.stages.extraction.local.names.evidence.typing_by_evidence import with_evidence
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    given_names,
    known_first_words,
    known_names,
    level_of_region,
    rarer_given_names,
    type_of_noun,
)
from brain_pipelines.stages.extraction.local.names.mention import (
    EVIDENT,
    FULL_NAME,
    GUESSED,
    LISTED,
    LOWER_CASE,
    MODEL,
    NAMED,
)
from brain_pipelines.stages.extraction.local.names.people import MAX_SURNAMES, TITLES, Name, entity_at, people, trimmed
from brain_pipelines.stages.extraction.local.names.span_form import name_inside
from brain_pipelines.stages.extraction.local.names.street_names import street_names
from brain_pipelines.stages.extraction.local.names.written_large import written_large
from brain_pipelines.stages.extraction.memories.writing import Writing
from brain_retrieval.language.lexicon import SHARED

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Entity types by OntoNotes label, the scheme that the model was trained on.
MODEL_TYPES = {
    "PERSON": "Person",
    "ORG": "Organization",
    "GPE": "Location",
    "LOC": "Location",
    "FAC": "Location",
    "EVENT": "Event",
    "WORK_OF_ART": "Document",
    "LAW": "Document",
    "PRODUCT": "Tool",
}
_CODE = re.compile(r"[0-9A-F]{6}\b|\S*\d\S*$")
_RELATIVES = SHARED.read("callings").words("relatives")
_MINE = SHARED.read("possessors").words("mine")
_SECTION_WORDS = LEXICONS.read("sentence_evidence").words("section_words")
_OWNERS = frozenset({"DT", "PRP$", "POS"})
LITERALS = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})


def find_names(doc: "Doc", people_here: frozenset[str] = frozenset(), writing: Writing | None = None) -> list[Name]:
    """Return the names in a parse in order, without overlaps.

    Args:
        doc: the parse of a block.
        people_here: names of who speaks in the text or was there.
        writing: of the whole text; None leaves out names that only their large letters show.
    """
    taken: set[int] = set()
    found: list[Name] = []
    # In order of precedence: a token taken by an earlier source is not available to a later one.
    sure: set[int] = set()
    for listed, names in (
        (True, _speakers(doc, people_here)),
        (True, (Name(*span, "Location", EVIDENT) for span in street_names(doc))),
        (True, _with_partners(doc)),
        (True, _listed(doc)),
        (True, people(doc)),
        (True, (Name(*span, "Organization", EVIDENT) for span in firms_by_ending(doc))),
        (True, _relatives(doc)),
        (False, _labelled(doc)),
    ):
        for name in names:
            tokens = range(name.start, name.end)
            if taken.isdisjoint(tokens):
                sure.update(tokens if listed else ())
                taken.update(tokens)
                found.append(name)
    found.sort(key=lambda name: name.start)
    found = with_evidence(doc, found, sure)
    found = [_retyped(doc, name, after) for name, after in zip_longest(found, found[1:])]
    found = with_support(doc, found, sure)
    more = () if writing is None else written_large(doc, found, writing)
    return [_hyphenated(doc, name) for name in sorted([*found, *more], key=lambda name: name.start)]


def _hyphenated(doc: "Doc", name: Name) -> Name:
    """Return a person's name with what a hyphen joins to it: "Hyun-woo", where the parser found only "Hyun"."""
    hyphen, rest = doc[name.end : name.end + 1].text, doc[name.end + 1 : name.end + 2]
    joined = (
        hyphen == "-" and not doc[name.end - 1].whitespace_ and not doc[name.end].whitespace_ and rest.text.isalpha()
    )
    return replace(name, end=name.end + 2) if joined and name.type == "Person" else name


def _retyped(doc: "Doc", name: Name, after: Name | None) -> Name:
    """Return the name with its type corrected by its neighbours: "Sen. Weiss", "Blythe, Calif."."""
    if name.type == "Person" or name.confidence > MODEL:
        is_odd = name.type == "Person" and doc[name.start].text not in given_names() and name.confidence <= NAMED
        return replace(name, type="Location") if is_odd and _before_region(doc, name, after) else name
    if _before_region(doc, name, after):
        return replace(name, type="Location")
    title = doc[name.start - 1].lower_.rstrip(".") if name.start else ""
    titled = title in TITLES and type_of_noun(doc[name.start].lower_) in (None, "Person")  # not "Mayor Street"
    return replace(name, type="Person") if titled and name.end - name.start <= MAX_SURNAMES else name


def _before_region(doc: "Doc", name: Name, after: Name | None) -> bool:
    """Return whether a comma and a state or country follow, as after the name of a town."""
    if after is None or after.type != "Location" or doc[name.end : after.start].text != ",":
        return False
    return level_of_region(doc[after.start : after.end].text) is not None and name.end - name.start <= MAX_SURNAMES


def _speakers(doc: "Doc", named: frozenset[str]) -> Iterator[Name]:
    longest = max((len(name.split(" ")) for name in named), default=0)
    for token in doc:
        for length in range(min(longest, len(doc) - token.i), 0, -1):
            span = doc[token.i : token.i + length]
            if span.text in named and not (length == 1 and _is_part(doc, token)):
                yield Name(span.start, span.end, "Person", FULL_NAME if length > 1 else NAMED)
                break


def _with_partners(doc: "Doc") -> Iterator[Name]:
    """Yield the companies with "&" in their names: "Moss & Sons"."""
    for token in doc:
        if span := firm_with_partners(doc, token.i):
            yield Name(*span, "Organization", EVIDENT)


def _relatives(doc: "Doc") -> Iterator[Name]:
    """Yield the relatives that are called by what they are, as by a name: "Mum called", "my Mum", but not "her Mum"."""
    for token in doc:
        if _is_relative(token) and token.ent_type_ not in LITERALS and not _is_of_others(token):
            after = doc[token.i + 1 : token.i + 2]
            if not any(_is_capitalised(t) and t.pos_ == "PROPN" for t in after):
                yield Name(token.i, token.i + 1, "Person", LISTED)


def _is_relative(token: "Token") -> bool:
    return token.text.istitle() and token.lower_ in _RELATIVES


def _is_of_others(token: "Token") -> bool:
    """Return whether a relative is that of someone else: "her Mum", "the Dad next door"."""
    before = token.doc[max(0, token.i - 1) : token.i]
    return any(t.tag_ in _OWNERS and t.lower_ not in _MINE for t in before)


def _is_part(doc: "Doc", token: "Token") -> bool:
    """Return whether a speaker's first name is a month here, or part of another name: "May", "Alice Springs"."""
    after = doc[token.i + 1] if token.i + 1 < len(doc) else None
    another = after is not None and after.pos_ == "PROPN" and after.text[:1].isupper()
    return another or token.ent_type_ in ("DATE", "TIME") or token.pos_ in ("AUX", "VERB")


def _listed(doc: "Doc") -> Iterator[Name]:
    first_words, names = known_first_words(), known_names()
    for token in doc:
        for length in range(min(first_words.get(token.text, 0), len(doc) - token.i), 0, -1):
            kind = names.get(doc[token.i : token.i + length].text)
            if kind and not _inside_longer_name(doc, token.i, token.i + length, kind):
                yield Name(token.i, token.i + length, kind, NAMED)
                break


def _inside_longer_name(doc: "Doc", start: int, end: int, kind: str) -> bool:
    """Return whether the model has a longer entity here, such as "Oracle Health Services" for "Oracle"."""
    entity = entity_at(doc, start)
    if entity is None:
        return False
    if kind == "Location":
        return trimmed(entity) != (start, end)  # "England" of the "England national team"
    beside = [*doc[max(entity.start, start - 1) : start], *doc[end : min(end + 1, entity.end)]]
    return any(_is_capitalised(t) and t.pos_ == "PROPN" for t in beside)


def _is_capitalised(token: "Token") -> bool:
    return any(c.isupper() for c in token.text)  # "Alice", "eBay"


def _labelled(doc: "Doc") -> Iterator[Name]:
    for entity in doc.ents:
        kind = MODEL_TYPES.get(entity.label_)
        if kind is None:
            continue
        if kind in ("Document", "Event") and (joined := _joined_people(entity)):
            yield from joined
            continue
        start, end = name_inside(doc, *trimmed(entity), kind)
        is_others = end == start + 1 and _is_relative(doc[start]) and _is_of_others(doc[start])
        name = _graded(doc, start, end, kind) if start < end and not is_others else None
        if name is not None:
            yield name


def _joined_people(entity: "Span") -> list[Name]:
    """Return the people whose given names, joined by "and", are taken for a title: "Tomasz and Hyun-woo"."""
    firsts = [entity[0], *(token.nbor(1) for token in entity[1:-1] if token.lower_ in ("and", "&", ","))]
    found: list[Name] = []
    for token in firsts:
        forms = (token.doc[token.i : token.i + length].text for length in (1, 3))  # "Hyun", "Hyun-woo"
        if not any(form in every_given_name() or form in rarer_given_names() for form in forms):
            return []
        found.append(Name(token.i, token.i + 1, "Person", LISTED))
    return found if len(found) > 1 else []


def _is_code(name: str) -> bool:
    """Return whether a name is a code, such as a number or a colour: "A8B0B7", "FFFFFF"."""
    return _CODE.match(name) is not None


def _graded(doc: "Doc", start: int, end: int, kind: str) -> Name | None:
    """Return a model entity as a name, with type and confidence by its head noun and form; None if it is not a name."""
    last, length = doc[end - 1], end - start
    if any(token.text in ("/", "|") for token in doc[start:end]):
        return None  # cells of a table, not a name
    if not any(_is_capitalised(token) for token in doc[start:end]):
        is_noun = kind not in ("Person", "Location") or type_of_noun(last.lower_)
        return None if is_noun else Name(start, end, kind, LOWER_CASE)
    head_type = type_of_noun(last.lower_) or type_of_noun(last.lower_.removesuffix("s"))  # "Northwind Labs"
    if all(token.lower_ in _SECTION_WORDS or token.is_punct for token in doc[start:end]):
        return None  # a heading of minutes
    if kind == "Person" and _is_code(doc[start:end].text):
        return None
    if kind == "Organization" and last.text == "Party" and length > 1:
        return Name(start, end, kind, MODEL)  # capitalised "Party" is an organisation, not an event
    if head_type == "Person" and kind != "Person" and length == 1:
        return None  # "our CTO"
    if kind == "Person" and length >= 2 and head_type in (None, "Person"):
        return Name(start, end, kind, NAMED)
    if head_type and head_type != "Person" and (length > 1 or kind == "Organization"):
        return Name(start, end, head_type, MODEL if length > 1 else GUESSED)
    return Name(start, end, kind, MODEL if length > 1 or last.pos_ == "PROPN" else GUESSED)
