"""Normalisation of names: the form that an entity's id is computed from, and weaker forms used as blocking keys.

`normalise` removes only what never distinguishes things (case, spacing, hyphens, a leading article, a legal suffix).
What may distinguish them (accents, word order, plural) is removed only by the weaker forms, whose matches need more
evidence.
"""

import re
import unicodedata
from functools import lru_cache

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.person_form import bare_person
from brain_retrieval.language.folding import fold, without_accents

_WORDS = LEXICONS.read("names")

MAX_CHARS = 200  # of a name; longer ones are cut
_LEGAL = _WORDS.words("legal")
_ARTICLES = _WORDS.words("articles")
_TITLES = _WORDS.table("titles")
TITLES = {**_TITLES, "professor": "-", "doctor": "-"}  # and the gender they imply, "-" if none
_GREETINGS = _WORDS.words("greetings")
LIGHT = _WORDS.words("light")  # words of a name that its initials may leave out
GENERIC_AFFIXES = _WORDS.words("generic_affixes")  # "Project Phoenix", "the Phoenix project" and "Phoenix"
_DASHES = re.compile(r"[\u2010-\u2015\u2212_-]+")
_POSSESSIVE = re.compile(r"(?<=\w)'s?$")
_EDGES = " \t.,;:!?\"'“”„«»()[]{}<>*|…"
_EMAIL = re.compile(r"[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,7}\.[^\W\d_][\w-]{1,62}")
_ADDRESS_LIKE = re.compile(r"[/\\@_]|^www\.")
_FILE_LIKE = re.compile(r"[/\\@_]|\w\.\w{2,5}$|^www\.")


def tidy(name: str) -> str:
    """Return a name on one line: NFKC, without control and zero-width characters, at most MAX_CHARS long."""
    composed = unicodedata.normalize("NFKC", name[: MAX_CHARS * 4])
    visible = "".join(" " if c.isspace() else c for c in composed if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(visible.split())[:MAX_CHARS].rstrip()


def is_email(name: str) -> bool:
    """Return whether the whole name is an e-mail address."""
    return _EMAIL.fullmatch(name) is not None


def is_exact_form(name: str) -> bool:
    """Return whether a name is an address, path or file name, where every character is significant."""
    return _FILE_LIKE.search(name) is not None


def is_address(name: str) -> bool:
    """Return whether a name is an address or a path, where punctuation is significant too."""
    return _ADDRESS_LIKE.search(name) is not None


@lru_cache(maxsize=1 << 18)
def normalise(name: str, entity_class: str) -> str:
    """Return the normal form of a name; entity ids are computed from it.

    Lower case, words separated by one space; empty only if `name` has no visible character.
    """
    plain = fold(bare_person(tidy(name)) if entity_class == "Person" else tidy(name))
    if is_email(plain.strip(_EDGES)):
        return plain.strip(_EDGES)
    if entity_class != "Person" and is_exact_form(plain) and " " not in plain:
        return plain.strip("/") or plain
    bare = _POSSESSIVE.sub("", plain.strip(_EDGES)).strip(_EDGES)
    if entity_class == "Person":
        bare = _person(bare)
    found = [w for w in (_word(w) for w in _DASHES.sub(" ", bare).split()) if w]
    if len(found) > 1 and found[0] in _ARTICLES and entity_class != "Person":
        found = found[1:]
    if entity_class == "Entity" and not name.endswith(" company"):  # "tech company" is no name with a suffix
        found = _without_legal_suffix(found)
    return " ".join(found) or plain


def _person(name: str) -> str:
    """Return a person's name with given names first and no titles ("chen, alice m." → "alice m chen")."""
    before, comma, after = name.partition(",")
    if comma and "," not in after and after.strip() and after.strip(" .") not in ("jr", "sr", "ii", "iii", "phd", "md"):
        name = f"{after} {before}"
    found = name.replace(".", " ").replace(",", " ").split()
    while len(found) > 1 and found[0] in _GREETINGS:
        found = found[1:]
    if len(found) > 1 and all(len(w) == 1 for w in found):
        return "".join(found)  # "J.N.N" is "JNN"
    named = [w for w in found if w not in TITLES]
    return " ".join(named if len(named) > 1 else found)  # "Dr. Chen" keeps its title, which marks a surname


def _word(word: str) -> str:
    """Return a word without surrounding punctuation; "U.S.A." loses its dots, "node.js" and "v2.0" keep theirs."""
    word = word.strip(_EDGES + "&") or word.strip(_EDGES)
    parts = word.split(".")
    return "".join(parts) if len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts) else word


def _without_legal_suffix(found: list[str]) -> list[str]:
    end = len(found)
    while end > 1 and found[end - 1] in _LEGAL:
        end -= 1
    return found[:end]


def canonical_name(normalised: str) -> str:
    """Return a normalised name with its words joined by hyphens."""
    return "-".join(normalised.split()) or "-"


def squeezed(normalised: str) -> str:
    """Return letters and digits only ("front end" → "frontend"); "+" and "#" stay, as "C++" is not "C#"."""
    return "".join(c for c in without_accents(normalised) if c.isalnum() or c in "+#") or normalised


def numbers(normalised: str) -> tuple[str, ...]:
    """Return the numbers in a name in order, without leading zeros; names with different numbers never match."""
    return tuple(digits.lstrip("0") or "0" for digits in re.findall(r"\d+", normalised))


def singular(normalised: str) -> str:
    """Return a name without the plural "s" of its last word."""
    if len(normalised) < 5 or not normalised.isascii() or not normalised.endswith("s"):
        return normalised
    return normalised if normalised.endswith(("ss", "us", "is")) else normalised[:-1]


def without_affix(normalised: str) -> str:
    """Return a name without generic affixes ("project phoenix" and "phoenix project" → "phoenix")."""
    found = normalised.split(" ")
    if len(found) > 1 and found[0] in GENERIC_AFFIXES:
        found = found[1:]
    if len(found) > 1 and found[-1] in GENERIC_AFFIXES:
        found = found[:-1]
    return " ".join(found)


def is_written_as_name(display: str) -> bool:
    """Return whether every weighty word is capitalised: "Bank of America", but not "user's knowledge"."""
    heavy = [word for word in display.split() if word.casefold() not in LIGHT]
    return bool(heavy) and all(not word[0].islower() for word in heavy) and "'s " not in display.replace("’", "'")


def initials(normalised: str) -> frozenset[str]:
    """Return possible acronyms of a name of 2 to 8 words ("bank of america" → "boa" and "ba")."""
    found = [w for w in normalised.split(" ") if w and w[0].isalnum()]
    if len(found) < 2 or len(found) > 8:
        return frozenset()
    heavy = [w for w in found if w not in LIGHT]
    return frozenset("".join(w[0] for w in some) for some in (found, heavy) if len(some) >= 2)
