"""Parsing of person names, and rules for which forms of a name can belong to one person."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain_pipelines.knowledge.entities.names import TITLES, is_email
from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    given_names,
    nicknames,
    type_of_noun,
)
from brain_retrieval.language.folding import without_accents
from brain_retrieval.language.lexicon import SHARED

_WORDS = LEXICONS.read("people")

PARTICLES = _WORDS.words("particles")
_GENERATIONS = _WORDS.table("generations")
_FAMILY_FIRST = _WORDS.words("family_first")
_DEGREES = _WORDS.words("degrees")
# Local parts of role mailboxes ("info", "sales"), which belong to no person.
ROLE_BOXES = _WORDS.words("role_boxes")


# What one calls a relative instead of a name.
RELATIVES = SHARED.every_language("callings").words("relatives")
_CALLED = frozenset(map(without_accents, RELATIVES))
# Who a person is to someone, and the word before that one: "Primo do Rui" is not Rui.
_CALLINGS = frozenset(map(without_accents, SHARED.every_language("callings").words("callings")))
_OF = SHARED.every_language("callings").words("of")
_HEADINGS = LEXICONS.every_language("labels").words("headings")
MOST_OF_CALLING = 2  # words of "amica di", before the name of whose it is


@dataclass(frozen=True)
class PersonName:
    """The parts of a normalised name, without accents.

    `kind`: full | initial ("a chen") | lone (one word, or a title and one word) | address (`given` and `family`
    guessed from its local part) | none (not a usable name).
    """

    kind: str
    given: str = ""
    middle: tuple[str, ...] = ()
    family: str = ""
    generation: str = ""
    gender: str = "-"  # implied by a title, "-" if unknown


@lru_cache(maxsize=1 << 18)
def parse_person(normalised: str) -> PersonName:
    """Return the parts of a person's normalised name."""
    if is_email(normalised) or normalised[:1] == "@" and not normalised[1:2].isspace():
        return _parse_address(normalised.removeprefix("@"))
    found = without_accents(normalised.lstrip("@")).replace("'", "").split(" ")
    if _is_of_another(found):
        return PersonName("none")
    titles = [TITLES[w] for w in found if w in TITLES] if len(found) > 1 else []
    gender = next((t for t in titles if t != "-"), "-")
    rest = [w for w in found if w not in TITLES] if titles else found
    generation = next((_GENERATIONS[w] for w in rest[1:] if w in _GENERATIONS), "")
    rest = rest[:1] + [w for w in rest[1:] if w not in _GENERATIONS and w not in _DEGREES]
    if not rest or not rest[0]:
        return PersonName("none")
    if len(rest) == 1:
        return PersonName(_kind_of_word(rest[0], bool(titles)), rest[0], (), rest[0], generation, gender)
    # A family name begins at its first particle ("van", "de la"), which is never the first word.
    start = next((i for i in range(1, len(rest) - 1) if rest[i] in PARTICLES), len(rest) - 1)
    family = " ".join(rest[start:])
    kind = "initial" if len(rest[0]) == 1 and len(family) > 1 else "full"
    return PersonName(kind, rest[0], tuple(rest[1:start]), family, generation, gender)


def is_proper(display: str) -> bool:
    """Return whether a string is a person's name and not a description ("Melanie's kids", "our CTO").

    A name in lower case needs a known given name; in a script without case every string passes.
    """
    if display.casefold() in RELATIVES:
        return display[0].isupper()  # "Mum", as one calls her
    found = display.replace("’", "'").split()
    if not found or "'s " in " ".join(found) or type_of_noun(found[-1].casefold()) == "Person":
        return False
    if _is_of_another([without_accents(word.casefold()) for word in found]):
        return False
    cased = [w for w in found if w.lower() != w.upper()]
    if not cased or is_listed(cased[0].casefold()) or "@" in display:
        return True
    return cased[0][0].isupper() and cased[-1][0].isupper()


def stands_in_heading(display: str, *, sure: bool = False) -> bool:
    """Return whether a name begins or ends with a word of headings and begins with no given name: "Handoff Dana".

    Args:
        display: of a person.
        sure: whether the words around it show a person, whose surname may be such a word.
    """
    words = display.split()
    if not words or words[0] in every_given_name():  # "Rita Ora"
        return False
    return words[0].casefold() in _HEADINGS or (not sure and words[-1].casefold() in _HEADINGS)


def _is_of_another(found: Sequence[str]) -> bool:
    """Return whether words, without accents, say who a person is to another one: "primo do rui", "amica di lucia"."""
    return len(found) > MOST_OF_CALLING and found[0] in _CALLINGS and found[1] in _OF


def _kind_of_word(word: str, titled: bool) -> str:
    """Return the kind of a one-word name; in scripts without spaces (CJK) one word is a full name."""
    if word[0] >= "\u2e80" and len(word) >= 2 and not titled:
        return "full"
    return "lone" if any(c.isalpha() for c in word) else "none"


def _parse_address(address: str) -> PersonName:
    local = without_accents(address.partition("@")[0].partition("+")[0])
    for mark in "._-'":
        local = local.replace(mark, " ")
    parts = ["".join(c for c in part if c.isalpha()) for part in local.split()]
    parts = [part for part in parts if part]
    if not parts or len(parts) > 4 or ROLE_BOXES & set(parts):
        return PersonName("none")
    return PersonName("address", parts[0], tuple(parts[1:-1]), parts[-1] if len(parts) > 1 else "")


def same_given(one: str, other: str) -> bool:
    """Return whether two given names can be one: equal, an initial, or a nickname of the other."""
    if one == other:
        return True
    if len(one) == 1 or len(other) == 1:
        return one[:1] == other[:1]
    return other in longer_forms(one) or one in longer_forms(other) or bool(longer_forms(one) & longer_forms(other))


@lru_cache(maxsize=1 << 14)
def longer_forms(given: str) -> frozenset[str]:
    """Return the given names that a nickname may stand for."""
    return nicknames().get(given, frozenset())


@lru_cache(maxsize=1 << 14)
def is_listed(given: str) -> bool:
    """Return whether a word is in the lists of given names and nicknames."""
    return given.capitalize() in given_names() or given in nicknames()


def can_be_one(one: PersonName, other: PersonName) -> bool:
    """Return whether two names have no contradicting generation, gender or middle name.

    Given and family names are compared by the caller.
    """
    if one.generation != other.generation and one.generation and other.generation:
        return False
    if "-" not in (one.gender, other.gender) and one.gender != other.gender:
        return False
    return same_middle(one.middle, other.middle)


def same_middle(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether middle names agree position by position, as far as both names have them."""
    return all(same_given(a, b) for a, b in zip(one, other, strict=False))


def fits(short: PersonName, full: PersonName) -> str | None:
    """Return the rule by which a shorter form can stand for a full name, None if it cannot.

    "alice", "chen" and "ms chen" (part_of_name, "chen" of "a chen" too), "a chen", "alice c" (initial), "al chen"
    (nickname), "alice chen" for "alice marie chen" (part_of_name), "achen@…" (address).
    """
    if full.kind == "initial" and short.kind == "lone":
        return "part_of_name" if _is_surname_of(short, full) else None
    if full.kind != "full":
        return None
    if short.kind == "full" and (_begins(short, full) or _is_relative(short, full)):
        return "part_of_name"
    if not can_be_one(short, full):
        return None
    if short.kind == "lone":
        return _lone_fits(short, full)
    if short.kind == "address":
        return "address" if _address_fits(short, full) else None
    if len(short.family) == 1 and short.kind == "full":
        return "initial" if _abbreviates(short, full) else None
    if short.family != full.family:
        return None
    if short.kind == "initial":
        return "initial" if full.given[0] == short.given else None
    if short.kind != "full" or len(full.middle) < len(short.middle):
        return None
    if short.given == full.given:
        return "part_of_name" if len(full.middle) > len(short.middle) or full.generation != short.generation else None
    return "nickname" if full.given in longer_forms(short.given) else None


def _abbreviates(short: PersonName, full: PersonName) -> bool:
    """Return whether a name has only the first letter of the family name of another: "alice c" of "alice chen"."""
    whole = full.family.rpartition(" ")[2]  # "van der zee" is "z", too
    initials = {full.family[0], whole[0]} if len(full.family) > 1 else frozenset[str]()
    return short.given == full.given and short.family in initials and len(full.middle) >= len(short.middle)


def _begins(short: PersonName, full: PersonName) -> bool:
    """Return whether a full name is a prefix of another ("maria lopez" of "maria lopez garcia")."""
    mine, whole = (short.given, *short.middle, short.family), (full.given, *full.middle, full.family)
    return len(mine) < len(whole) and whole[: len(mine)] == mine


def _is_relative(short: PersonName, full: PersonName) -> bool:
    """Return whether a relative may have a full name: "Oma Lisbeth" of "Lisbeth Moser"."""
    return short.given in _CALLED and not short.middle and short.family == full.given


def _is_surname_of(short: PersonName, whole: PersonName) -> bool:
    """Return whether one word is the surname of a name with an initial: "Hale" or "Mr. Hale" of "M. Hale"."""
    is_given = short.gender == "-" and is_listed(short.given)
    return short.family == whole.family and not is_given and can_be_one(short, whole)


def _lone_fits(short: PersonName, full: PersonName) -> str | None:
    if short.gender == "-" and short.given == full.given:
        return "part_of_name"
    if short.family == full.family or short.family == full.family.rpartition(" ")[2]:
        # A known given name is hardly a family name: "Caroline" must not match "Sweet Caroline".
        doubtful = short.gender == "-" and is_listed(short.family) and not is_listed(full.given)
        return None if doubtful and full.given not in _FAMILY_FIRST | _CALLED else "part_of_name"
    is_short = full.given in longer_forms(short.given) or short.given in longer_forms(full.given)
    return "nickname" if is_short else None


def _address_fits(short: PersonName, full: PersonName) -> bool:
    given, family = full.given, full.family.replace(" ", "")
    if short.family:
        pairs = ((short.given, short.family), (short.family, short.given))
        return any(b == family and (a == given or (a and a == given[:1]) or _stands_for(a, given)) for a, b in pairs)
    box = short.given
    forms = (given + family, family + given, given[:1] + family, family + given[:1], given + family[:1])
    return len(box) >= 4 and box in forms or box == given


def _stands_for(short: str, given: str) -> bool:
    return given in longer_forms(short)
