"""Word lists that correct a small model: given names, names of tools and organisations, and nouns that tell a type.

The files in `lexicons/` say where they come from. Which list wins over the model is decided in `names.py`.
"""

from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import ENGLISH

_WORDS = LEXICONS.read("gazetteers")


@dataclass(frozen=True)
class GivenName:
    """Gender "m", "f" or "-"; `ambiguous` names are also ordinary words or places."""

    gender: str
    ambiguous: bool


def _lines(name: str) -> list[str]:
    content = (LEXICONS.folder / ENGLISH / name).read_text("utf-8")
    return [line for line in content.splitlines() if line and not line.startswith("#")]


@cache
def given_names() -> dict[str, GivenName]:
    """Return given names as written ("Alice") with what is known of them."""
    pairs = (line.split(" ") for line in _lines("given_names.txt"))
    return {name: GivenName(mark[0], mark.endswith("?")) for name, mark in pairs}


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
    """Return "country" or "state" of a name as it stands behind that of a town, None if it is neither."""
    return _regions().get(name) or _regions().get(f"{name}?")


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
    """Return the given names a short form may stand for, all in lower case."""
    pairs = (line.lower().split(": ") for line in _lines("nicknames.txt"))
    return {short: frozenset(full.split(", ")) for short, full in pairs}


def gender_of(name: str) -> str:
    """Return "m", "f" or "-" (unknown or both) of a person's name by its first word."""
    known = given_names().get(name.split(" ")[0])
    return known.gender if known else "-"


def type_of_noun(lemma: str) -> str | None:
    """Return the entity type that a phrase's head noun tells ("migration" -> "Project"), None if it tells none."""
    return _HEAD_NOUNS.get(lemma)


KIN = _WORDS.words("kin")
ROLES = _WORDS.words("roles")
_NOUNS_BY_TYPE = _WORDS.table("nouns_by_type")
_HEAD_NOUNS = dict.fromkeys(KIN | ROLES, "Person") | {
    noun: kind for kind, nouns in _NOUNS_BY_TYPE.items() for noun in nouns.split()
}
# Words that end a project's name without being part of it: "the UI redesign project" is called "UI redesign".
GENERIC_TAILS = _WORDS.words("generic_tails")
