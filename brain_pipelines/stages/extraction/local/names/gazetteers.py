"""Gazetteers: given names, nicknames, names of tools and organisations, regions, and head nouns with an entity type.

The files in `lexicons/` state their sources. Precedence over the model is decided in `names.py`.
"""

from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.folding import without_accents
from brain_retrieval.language.lexicon import ENGLISH, code_of

_WORDS = LEXICONS.read("gazetteers")
_NICKNAMES, _GIVEN = "nicknames.txt", "given_names.txt"
_ANY, _RARER, _TOWNS = "any", "rarer_given_names.txt", "towns.txt"


@dataclass(frozen=True)
class GivenName:
    """Gender "m", "f" or "-"; `ambiguous` names are also ordinary words or places."""

    gender: str
    ambiguous: bool


def _lines(name: str, language: str = ENGLISH) -> list[str]:
    content = (LEXICONS.folder / language / name).read_text("utf-8")
    return [line for line in content.splitlines() if line and not line.startswith("#")]


@cache
def given_names() -> dict[str, GivenName]:
    """Return gender and ambiguity by given name as written ("Alice")."""
    pairs = (line.split(" ") for line in _lines(_GIVEN))
    return {name: GivenName(mark[0], mark.endswith("?")) for name, mark in pairs}


@cache
def given_names_of(language: str) -> dict[str, bool]:
    """Return the given names of a language other than English as written, and whether each is nothing else there."""
    if not (LEXICONS.folder / language / _GIVEN).exists():
        return {}
    marked = (line.partition(": ") for line in _lines(_GIVEN, language))
    return {name: mark != "?" for mark, _, names in marked for name in names.split()}


@cache
def every_given_name() -> dict[str, bool]:
    """Return the given names of all languages as written, and whether each is nothing else."""
    own: dict[str, bool] = {}
    for path in sorted(LEXICONS.folder.glob(f"*/{_GIVEN}")):
        if path.parent.name == ENGLISH:
            continue
        names = given_names_of(path.parent.name)
        own.update((name, alone and own.get(name, True)) for name, alone in names.items())
    return {name: not one.ambiguous for name, one in given_names().items()} | own


@cache
def known_names() -> dict[str, str]:
    """Return type by name ("Apache Spark" -> "Tool"), case sensitive."""
    found: dict[str, str] = {}
    for line in _lines("gazetteer.txt"):
        kind, _, names = line.partition(": ")
        found.update((name.strip(), kind) for name in names.split(","))
    found.update((name, "Location") for name in _regions() if not name.endswith("?"))
    return found


@cache
def _regions() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _lines("regions.txt"):
        level, _, names = line.partition(": ")
        found.update((name.strip(), level) for name in names.split(","))
    return found


def level_of_region(name: str) -> str | None:
    """Return "country" or "state" for a region name as written after a town ("Conn."), None for other names."""
    return _regions().get(name) or _regions().get(f"{name}?")


@cache
def listed_places() -> frozenset[str]:
    """Return the towns and countries of the lists of all languages as written ("Lisboa")."""
    return LEXICONS.every_language("plain_names").words("places")


@cache
def rarer_given_names() -> dict[str, bool]:
    """Return given names of many countries that no list of a language has ("Henrike"), and whether each is no word."""
    found: dict[str, bool] = {}
    for line in _lines(_RARER, _ANY):
        is_word = line.startswith("? ")
        found.update((name, not is_word) for name in line.removeprefix("? ").split(" "))
    known = every_given_name().keys() | known_names().keys()
    return {name: alone for name, alone in found.items() if name not in known}


@cache
def towns() -> frozenset[str]:
    """Return towns of the world that are no given names: "Durban". Some are also words ("Bath") or surnames."""
    names = frozenset(name for line in _lines(_TOWNS, _ANY) for name in line.split(", "))
    return (names - every_given_name().keys() - known_names().keys()) | listed_places()


@cache
def known_first_words() -> dict[str, int]:
    """Return the longest length in words of a known name by its first word, so that a scan can skip most tokens."""
    longest: dict[str, int] = {}
    for name in known_names():
        words = name.split(" ")
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest


@cache
def nicknames() -> dict[str, frozenset[str]]:
    """Return the given names a short form may stand for, of all languages, in lower case and without accents.

    A person keeps a short form in a text of another language, and what is short for several names stands for any.
    """
    found: dict[str, frozenset[str]] = {}
    for path in sorted(LEXICONS.folder.glob(f"*/{_NICKNAMES}")):
        for line in _lines(path.name, path.parent.name):
            short, _, full = without_accents(line.lower()).partition(": ")
            found[short] = found.get(short, frozenset()).union(full.split(", "))
    return found


@cache
def short_forms(language: str | None) -> frozenset[str]:
    """Return the short forms of given names of a language as written, such as "Kathi"; none of English."""
    code = code_of(language)
    if code == ENGLISH or not (LEXICONS.folder / code / _NICKNAMES).exists():
        return frozenset()
    return frozenset(line.partition(":")[0] for line in _lines(_NICKNAMES, code))


def gender_of(name: str) -> str:
    """Return "m", "f" or "-" (unknown or both) of a person's name by its first word."""
    known = given_names().get(name.split(" ")[0])
    return known.gender if known else "-"


def is_given_name(name: str) -> bool:
    """Return whether the first word of a name is a listed given name."""
    return name.split(" ")[0] in given_names()


def type_of_noun(lemma: str) -> str | None:
    """Return the entity type of a phrase by its head noun ("migration" → "Project"), None if unknown."""
    return _HEAD_NOUNS.get(lemma)


KIN = _WORDS.words("kin")
ROLES = _WORDS.words("roles")
_NOUNS_BY_TYPE = _WORDS.table("nouns_by_type")
_HEAD_NOUNS = dict.fromkeys(KIN | ROLES, "Person") | {
    noun: kind for kind, nouns in _NOUNS_BY_TYPE.items() for noun in nouns.split()
}
# Trailing words that are not part of a project's name: "the UI redesign project" → "UI redesign".
GENERIC_TAILS = _WORDS.words("generic_tails")
