"""Alias grouping within one source by rules on name forms; entity resolution across sources happens in `knowledge`.

Two different full names stay two entities. A partial name joins a full name only if exactly one matches.
"""

import re
from collections import Counter
from collections.abc import Iterable, Set

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, nicknames
from brain_pipelines.stages.extraction.local.names.mention import FULL_NAME, MODEL, Mention
from brain_retrieval.language.folding import fold

_MISTAKEN = ("Organization", "Location", "Tool")
_LIGHT = ("of", "the", "and", "for")
_GENERATIONS = LEXICONS.read("people").words("generations")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_LEGAL = re.compile(r"(?:,|(?<!\s))\s++(?:inc|corp|corporation|ltd|llc|gmbh|co|plc|ag|sa)\.?$", re.IGNORECASE)


def normalise(name: str) -> str:
    """Return the normal form of a name: lower case, without article, single spaces, plain apostrophes."""
    return _ARTICLE.sub("", fold(name))


def group_names(mentions: Iterable[Mention], titled: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return a mapping from each normalised partial name or variant to the normalised name it belongs to.

    Args:
        mentions: all mentions of a source.
        titled: normalised names that stand behind a title in its text ("Mr Hale"): these are surnames.
    """
    mentions = list(mentions)
    types: dict[str, Counter[str]] = {}
    for mention in mentions:
        types.setdefault(normalise(mention.name), Counter())[mention.type] += 1
    people = {name for name, kinds in types.items() if kinds["Person"] and "'s " not in name}
    # The model often labels a bare surname as a company, even if "Abraham Lincoln" is in the same text.
    surnames = {name.split(" ")[-1] for name in people if " " in name}
    guessed = {normalise(m.name) for m in mentions if m.confidence <= MODEL and m.type in _MISTAKEN}
    people = sorted(people | (guessed & surnames))
    written = {normalise(m.name) for m in mentions if all(w[0].isupper() for w in m.name.split() if w not in _LIGHT)}
    groups = sorted(name for name, kinds in types.items() if kinds["Organization"] and name in written)
    given = {normalise(m.name) for m in mentions if " " not in m.name and _is_given(m.name)} - titled
    # Only a label of who speaks makes one word as sure as a full name: "Jules" beside "Julia Leung" is another person.
    sure = {normalise(m.name) for m in mentions if m.type == "Person" and m.confidence >= FULL_NAME}
    return {**_people(people, given, sure), **_organizations(groups)}


def _people(names: list[str], given: Set[str], sure: Set[str]) -> dict[str, str]:
    full = [n for n in names if len(_words(n)) >= 2 and not _is_initial(_words(n)[0])]
    joined: dict[str, str] = {}
    for name in names:
        if name in full:
            shorter = [
                f
                for f in full
                if f != name
                and _words(f)[0] == _words(name)[0]
                and _words(f)[-1] == _words(name)[-1]
                and len(_words(f)) < len(_words(name))
            ]
            shorter += [f for f in full if _begins(f, name) and sum(_begins(f, other) for other in full) == 1]
            candidates = shorter[:1]  # "Alice M. Chen" is "Alice Chen"
        else:
            candidates = [f for f in full if _is_part(_words(name), _words(f))]
            longer = () if candidates else _longer_forms(name, names)
            candidates += [n for n in longer if not {n, name} <= sure]
        if len(candidates) == 1:
            joined[name] = candidates[0]
    joined.update(_initials(names, full, joined, given))
    return joined


def _longer_forms(name: str, names: list[str]) -> list[str]:
    """Return the names that a nickname may be short for: "mel" → "melanie", "bob lee" → "robert lee"."""
    first, *surnames = _words(name)
    forms = nicknames().get(first, frozenset())
    return [n for n in names if _words(n)[0] in forms and (not surnames or _words(n)[1:] == surnames)]


def _begins(short: str, name: str) -> bool:
    """Return whether a name of several words begins a longer one: "rui prado" and "rui prado de lima"."""
    rest = name.removeprefix(f"{short} ")
    return rest != name and not set(_words(rest)) & _GENERATIONS and "&" not in rest


def _is_part(part: list[str], full: list[str]) -> bool:
    """Return whether a name ("alice", "chen", "a. chen") is a partial form of a full name ("alice chen")."""
    if len(part) == 1:
        return part[0] in (full[0], full[-1])
    return part[-1] == full[-1] and _is_initial(part[0]) and full[0].startswith(part[0][0])


def _initials(names: list[str], full: list[str], joined: dict[str, str], given: Set[str]) -> dict[str, str]:
    """Join "hale" to the only "m. hale", else "a. chen" to the only lone given name "alice".

    The second is a guess, since no text states the surname of the lone name. It needs a listed given name that is
    no surname here, and no other name with the surname of the initial.
    """
    found: dict[str, str] = {}
    initialled = [n for n in names if len(_words(n)) == 2 and _is_initial(_words(n)[0])]
    surnames = {_words(n)[-1] for n in names if len(_words(n)) > 1}
    for name in initialled:
        initial, surname = _words(name)
        if name in joined or any(_words(f)[-1] == surname for f in full):
            continue
        if surname in names:
            only = {_words(n)[0][0] for n in initialled if _words(n)[1] == surname} == {initial[0]}
            if only and surname not in joined and surname not in given:
                found.setdefault(surname, name)
            continue
        lone = [n for n in names if n in given and n not in joined and n not in surnames and n[0] == initial[0]]
        if len(lone) == 1:
            found[name] = lone[0]
    return found


def _organizations(names: list[str]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name in names:
        short = _LEGAL.sub("", name)
        if short != name and short in names:
            joined[name] = short
        # Acronyms of fewer than three letters collide with ordinary abbreviations.
        initials = "".join(word[0] for word in name.split() if word not in _LIGHT)
        if len(initials) >= 3 and initials in names and initials != name:
            joined[initials] = name
    return joined


def _words(name: str) -> list[str]:
    return name.split(" ")


def _is_given(word: str) -> bool:
    """Return whether a word is a listed given name or short form of one in any language."""
    return word.title() in every_given_name() or word.lower() in nicknames()


def _is_initial(word: str) -> bool:
    return len(word.rstrip(".")) == 1
