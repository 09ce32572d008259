"""Corrects the types of a parse's names by evidence, and adds the people that the parser overlooked.

The parser was trained on news: it takes many given names of other countries for companies or for nothing, and many
songs, plants and illnesses for people.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.names.evidence.large_words import runs_of_large_words
from brain_pipelines.stages.extraction.local.names.evidence.listed_towns import as_town, overlooked_town
from brain_pipelines.stages.extraction.local.names.evidence.sentence_evidence import is_workplace, stands_for_place
from brain_pipelines.stages.extraction.local.names.evidence.tool_evidence import CONFIDING, is_tool, is_version
from brain_pipelines.stages.extraction.local.names.evidence.trade_evidence import is_trade_evidence
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import (
    STRONG,
    TITLES,
    WEAK,
    is_calling_alone,
    is_descriptive,
    is_participle,
    is_plural,
    is_word,
    person_evidence,
    thing_of_noun,
    thing_type,
)
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    given_names,
    known_names,
    level_of_region,
    listed_places,
    rarer_given_names,
    type_of_noun,
)
from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, GUESSED, LISTED, MODEL, NAMED
from brain_pipelines.stages.extraction.local.names.name_forms import (
    ends_place,
    is_building,
    is_of_words,
    is_organisation,
    is_place,
    is_place_ending,
    type_by_ending,
)
from brain_pipelines.stages.extraction.local.names.people import (
    Name,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MAX_WORDS = 4


def with_evidence(doc: "Doc", found: list[Name], sure: set[int]) -> list[Name]:
    """Return the names with types by evidence, and the people overlooked; `sure` are the tokens of listed names."""
    found = [_as_tool(doc, name) for name in found]
    kept = [
        name if name.start in sure else _of_tool(doc, name) or _typed(doc, _widened(doc, name, found)) for name in found
    ]
    taken = {i for name in kept for i in range(name.start, name.end)}
    overlooked = [run for run in runs_of_large_words(doc) if taken.isdisjoint(range(*run))]
    for start, end in overlooked:
        evidence = person_evidence(doc, start, end)
        listed = is_given_elsewhere(doc[start])
        if (evidence or listed) and _is_personal(doc, start, end):
            confidence = LISTED if listed else EVIDENT if evidence == STRONG else GUESSED
            kept.append(Name(start, end, "Person", confidence))
        elif town := overlooked_town(doc, start, end):
            kept.append(town)
    return sorted(_coordinated(doc, kept, overlooked), key=lambda name: name.start)


def _as_tool(doc: "Doc", name: Name) -> Name:
    """Return a name of the form of a person's as a program if its sentence shows one, without a version behind it."""
    if name.type != "Person":
        return name
    versioned = name.end - name.start == 2 and is_version(doc[name.end - 1].text)
    end = name.end - 1 if versioned else name.end
    if end == name.start + 1 and not versioned and is_given_elsewhere(doc[name.start]):
        return name
    if person_evidence(doc, name.start, end) or not is_tool(doc, name.start, end):
        return name
    return replace(name, end=end, type="Tool", confidence=EVIDENT)


def _of_tool(doc: "Doc", name: Name) -> Name | None:
    """Return what the parser or its sentence shows as a program, None for other names.

    What the lists have as a given name or town is none if only the parser says so: "flights to Recife".
    """
    if name.type != "Tool":
        return None
    if name.confidence <= MODEL and name.end == name.start + 1 and is_given_elsewhere(doc[name.start]):
        return replace(name, type="Person", confidence=LISTED)
    return as_town(doc, name, 0) or name


def _typed(doc: "Doc", name: Name) -> Name:
    """Return a name that the parser found, with the type that its sentence shows."""
    evidence = person_evidence(doc, name.start, name.end)
    if name.end == name.start + 1 and is_calling_alone(doc[name.start]):
        return replace(name, type="Concept", confidence=GUESSED)
    if by_form := as_town(doc, name, evidence) or _by_form(doc, name, evidence):
        return by_form
    if name.type != "Person":
        if name.type == "Location" and name.end < len(doc) and doc[name.end].tag_ == "POS":
            return name  # "San Francisco's neighbour" is a town
        personal = name.confidence <= MODEL and _is_personal(doc, name.start, name.end)
        enough = evidence == STRONG or (evidence == WEAK and name.end - name.start <= 2)
        if personal and enough:
            return replace(name, type="Person", confidence=NAMED if evidence == STRONG else EVIDENT)
        if personal and name.end == name.start + 1 and is_given_elsewhere(doc[name.start]):
            return replace(name, type="Person", confidence=LISTED)
        ordinary = name.end == name.start + 1 and is_word(doc[name.start]) and name.type != "Location"
        return replace(name, confidence=min(name.confidence, GUESSED)) if ordinary else name
    shown = thing_type(doc, name.start, name.end)
    if name.end == name.start + 1 and is_word(doc[name.start]) and is_plural(doc[name.start]):
        return replace(name, type="Concept", confidence=GUESSED)  # "Companies want engaged workers"
    ordinary = is_of_words(doc, name.start, name.end)
    if evidence != STRONG and not shown and (ordinary or _is_written_as_thing(doc, name)):
        return replace(name, type="Concept", confidence=GUESSED)
    if evidence == STRONG or (evidence and not shown) or name.confidence > NAMED:
        return replace(name, confidence=max(name.confidence, EVIDENT))
    shown = shown or _of_last_word(doc, name)
    if shown or _is_phrase(doc, name.start, name.end):
        return replace(name, type=shown or "Concept", confidence=GUESSED)
    if name.end == name.start + 1:
        given = is_given_elsewhere(doc[name.start]) or every_given_name().get(doc[name.start].text, False)
        return replace(name, confidence=LISTED if given else min(name.confidence, GUESSED))
    return replace(name, confidence=min(name.confidence, MODEL))


def is_given_elsewhere(token: "Token") -> bool:
    """Return whether a word is a given name of another language, and no word of English or place: "Dinesh"."""
    word = token.text
    known = every_given_name().get(word, rarer_given_names().get(word, False)) and word not in given_names()
    return known and not is_word(token) and word not in listed_places()


def _is_where(doc: "Doc", name: Name) -> bool:
    """Return whether one lives or is in what the parser takes for a person: "in Nether Wallop"."""
    if not name.start or doc[name.start].text in given_names():
        return False
    return stands_for_place(doc, name.start, name.end) or _is_inside(doc, name)


def _by_form(doc: "Doc", name: Name, evidence: int) -> Name | None:
    """Return a name with the type that its words or the preposition before it show, None if they show none."""
    if name.type in ("Person", "Organization") and is_place(doc, name.start, name.end):
        return replace(name, type="Location")
    if evidence != STRONG and name.confidence <= NAMED and is_trade_evidence(doc, name.start, name.end):
        return replace(name, type="Organization", confidence=EVIDENT)
    if name.type == "Location" and name.confidence <= MODEL and is_organisation(doc, name.start, name.end):
        return replace(name, type="Organization")
    if (
        evidence != STRONG
        and name.confidence <= MODEL
        and name.type != "Organization"
        and is_workplace(doc, name.start)
    ):
        return replace(name, type="Organization", confidence=EVIDENT)
    if name.type != "Person":
        return None
    if not evidence and is_building(doc, name.start, name.end):
        return replace(name, type="Location")
    if name.confidence <= NAMED and not evidence and _is_where(doc, name):
        return replace(name, type="Location", confidence=EVIDENT)
    if evidence != STRONG and _begins_with_town(doc, name):
        return replace(name, type="Location", confidence=MODEL)
    if is_organisation(doc, name.start, name.end):
        return replace(name, type="Organization", confidence=MODEL)
    return None


def _begins_with_town(doc: "Doc", name: Name) -> bool:
    """Return whether several words begin with a listed place that is no given name: "Lisboa Oriente"."""
    first = doc[name.start].text
    return name.end - name.start > 1 and first in listed_places() and first not in every_given_name()


def _is_inside(doc: "Doc", name: Name) -> bool:
    """Return whether several words stand behind "in": one may be interested in a person of one word."""
    before = doc[name.start - 1]
    owned = name.end < len(doc) and doc[name.end].tag_ == "POS"
    return (
        before.lower_ == "in"
        and name.end - name.start > 1
        and not owned
        and before.head.lemma_.lower() not in CONFIDING
    )


def _is_written_as_thing(doc: "Doc", name: Name) -> bool:
    """Return whether a name is written as none of a person is: "WASI.dev", "JSON Canvas", "nginx config"."""
    tokens = doc[name.start : name.end]
    if any(token.text.capitalize() in given_names() for token in tokens):
        return False
    return any(_is_code(token.text) for token in tokens) or all(token.text.islower() for token in tokens)


def _of_last_word(doc: "Doc", name: Name) -> str | None:
    """Return the type of the thing that the last word of several names: "Raspberry Pi Camera"."""
    several = name.end - name.start > 1 and doc[name.start].text not in given_names()
    return thing_of_noun(doc[name.end - 1].lower_) if several else None


def _is_phrase(doc: "Doc", start: int, end: int) -> bool:
    """Return whether a name reads like a title made of ordinary words: "Fallen Leaves", "Paper Moons"."""
    tokens = list(doc[start:end])
    if len(tokens) < 2 or not all(is_word(t) or is_participle(t) for t in tokens):
        return False
    if any(is_descriptive(t) or is_participle(t) for t in (tokens[0], tokens[-1])) or is_plural(tokens[-1]):
        return not any(token.text in every_given_name() for token in tokens)
    return False


def _widened(doc: "Doc", name: Name, found: list[Name]) -> Name:
    """Return "Parvathi Menon" where the parser found only "Menon"."""
    after = doc[name.end] if name.end < len(doc) else None
    if after is not None and ends_place(after.text) and not any(o.start <= after.i < o.end for o in found):
        return replace(name, end=name.end + 1)  # "Furlong Drove", where the parser took the ending for a verb
    if _lacks_first_word(doc, name, found):
        return replace(name, start=name.start - 1)  # "Cuckoo Lane", where the parser found only "Lane"
    if name.type not in ("Person", "Organization") or name.confidence > MODEL or name.end - name.start > 1:
        return name
    for start, end in runs_of_large_words(doc):
        inside = start <= name.start and name.end <= end
        alone = not any(o is not name and start < o.end and o.start < end for o in found)
        if inside and alone and end - start > 1 and not any(is_word(t) for t in doc[start:end]):
            return replace(name, start=start, end=end)
    return name


def _lacks_first_word(doc: "Doc", name: Name, found: list[Name]) -> bool:
    """Return whether a name is only the last word of a place: a large word stands before it inside the sentence."""
    if name.end - name.start > 1 or not name.start or not is_place_ending(doc[name.start].lower_):
        return False
    before = doc[name.start - 1]
    taken = any(other.start <= before.i < other.end for other in found)
    return not taken and not before.is_sent_start and before.text.istitle() and before.lower_ not in TITLES


def _is_personal(doc: "Doc", start: int, end: int) -> bool:
    """Return whether a span could be a person's name by its words."""
    tokens = doc[start:end]
    if end - start > MAX_WORDS or tokens.text in known_names() or level_of_region(tokens.text):
        return False
    if type_by_ending(tokens.text) or any(type_of_noun(t.lower_) for t in tokens):
        return False
    if start and doc[start - 1].lower_ in ("the", "a", "an") and doc[end - 1].ent_type_ != "PERSON":
        return False
    if any(_is_code(t.text) or t.tag_ == "POS" for t in tokens):
        return False
    return not any(is_word(t) and t.text not in given_names() for t in tokens) or _is_mixed(doc, start, end)


def _is_code(word: str) -> bool:
    """Return whether a word is no part of a person's name by its form: "IBM", "PharmaMar", "v2", "Acme.com"."""
    inner = word[3:]  # "McDonald", "DeVito"
    return (word.isupper() and len(word) > 1) or any(
        c.isdigit() or c == "." or c.isupper() and "-" not in word for c in inner
    )


def _is_mixed(doc: "Doc", start: int, end: int) -> bool:
    """Return whether an ordinary word ends the name of a person: "Harpreet Gill"."""
    return end - start > 1 and not is_word(doc[start])


def _coordinated(doc: "Doc", names: list[Name], overlooked: list[tuple[int, int]]) -> list[Name]:
    """Return the names and the overlooked ones that "and" joins to a person: "Emeka and Adaeze"."""
    taken = {i for name in names for i in range(name.start, name.end)}
    people = {i for name in names if name.type == "Person" for i in (name.start, name.end)}
    more = [
        Name(start, end, "Person", GUESSED)
        for start, end in overlooked
        if taken.isdisjoint(range(start, end))
        and _is_personal(doc, start, end)
        and (_and(doc, end) in people or _and(doc, start - 1, -1) in people)
    ]
    return [*names, *more]


def _and(doc: "Doc", i: int, step: int = 1) -> int | None:
    """Return the boundary behind an "and" or comma at token `i`, None without one."""
    if 0 <= i < len(doc) and (doc[i].lower_ in ("and", "or", "&")):
        return i + 1 if step > 0 else i
    return None
