"""What a name is the name of by its own words: "Elm Road" is a place, "Helio Systems" a company.

Some of these words are surnames too: behind a given name they tell nothing ("Diane Lane").
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import is_participle, is_word
from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, rarer_given_names, type_of_noun

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WORDS = LEXICONS.every_language("name_forms")
_OPENINGS, _ENDINGS = _WORDS.words("place_openings"), _WORDS.words("place_endings")
_MOSTLY_SURNAMES = _WORDS.words("place_or_surname")
_SURNAMES = _WORDS.words("place_surnames") | _MOSTLY_SURNAMES
_ORGANISATIONS = _WORDS.words("organisation_endings")
_FIRMS_OR_SURNAMES = _WORDS.words("organisation_or_surname")
SHORTEST_WORD = 3  # letters of an ordinary word in a name; shorter ones are nicknames, too: "Weird Al"
SURE_WORDS = 3  # of a name without a given name that ends with what may be a surname: "Ferry Feed Mill"


def type_by_ending(name: str) -> str | None:
    """Return Organization or Location if the last word of a name tells so for certain: "Helio Systems", "Logan Square".

    Endings that are surnames too tell it of three words without a given name: "Ferry Feed Mill".
    """
    words = name.replace("-", " ").split()  # "Anna-Seghers-Platz"
    if len(words) < 2:
        return None
    last = words[-1].casefold().rstrip(".")
    if last in _ORGANISATIONS or (last in _FIRMS_OR_SURNAMES and words[0] not in every_given_name()):
        return "Organization"
    is_ending = last in _ENDINGS | _SURNAMES and not _is_surname(last, words)
    return "Location" if is_ending else None


def is_place(doc: "Doc", start: int, end: int) -> bool:
    """Return whether a word of a name tells that it is a place: "Rua da Graça", "Mill Lane"."""
    return end - start > 1 and (doc[start].lower_ in _OPENINGS or doc[end - 1].lower_.rstrip(".") in _ENDINGS)


def is_building(doc: "Doc", start: int, end: int) -> bool:
    """Return whether what may be the surname of a person ends the name of a place here: "Village Hall"."""
    if end - start < 2 or doc[end - 1].lower_ not in _SURNAMES:
        return False
    return is_word(doc[start]) or type_by_ending(doc[start:end].text) == "Location"


def is_organisation(doc: "Doc", start: int, end: int) -> bool:
    """Return whether the last word of a name tells that it is a company: "Helio Systems"."""
    return type_by_ending(doc[start:end].text) == "Organization"


def is_of_words(doc: "Doc", start: int, end: int) -> bool:
    """Return whether several ordinary words make a name, none a given name: "Customer Support", "Loading Zone"."""
    tokens = doc[start:end]
    if len(tokens) < 2 or type_of_noun(tokens[-1].lower_) == "Person":  # "Bubble Boy"
        return False
    return all(
        token.text.istitle()
        and len(token) >= SHORTEST_WORD
        and (is_word(token) or is_participle(token))
        and not (token.text in every_given_name() or token.text in rarer_given_names())
        for token in tokens
    )


def ends_place(word: str) -> bool:
    """Return whether a capitalised word ends names of places and is no surname: "Road", not "Lane"."""
    return word[:1].isupper() and word.lower().rstrip(".") in _ENDINGS - _SURNAMES


def begins_place(name: str) -> bool:
    """Return whether the first word of several says that the name is a place: "Rua da Graça"."""
    first, _, rest = name.partition(" ")
    return bool(rest) and first.lower() in _OPENINGS


def place_openings(language: str | None) -> frozenset[str]:
    """Return the words of a language that names of streets begin with; none for a language without any."""
    known = LEXICONS.has("name_forms", language)
    return LEXICONS.read("name_forms", language).words("place_openings") if known else frozenset()


def is_place_ending(word: str) -> bool:
    """Return whether a word in lower case ends names of places: "road", "lane", "hall"."""
    return word in _ENDINGS | _SURNAMES


def _is_surname(last: str, words: Sequence[str]) -> bool:
    """Return whether the last word of a name may be the surname of a person."""
    if last not in _SURNAMES:
        return False
    is_personal = words[0] in every_given_name() or len(words[0].rstrip(".")) == 1
    return is_personal or len(words) < SURE_WORDS
