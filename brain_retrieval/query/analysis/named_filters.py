"""Filters of a search that name people or sources: who is meant by a first name, and what is not there at all."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from brain_retrieval.language.folding import fold
from brain_retrieval.query.analysis.known_names import Known, KnownNames
from brain_retrieval.query.request import Scope

MOST_NAMED = 12  # kinds of sources listed in a warning


def with_people(scope: Scope, known: KnownNames, speakers: Collection[str], warnings: list[str]) -> Scope:
    """Return the scope with the speakers that its people are: "Bettina" is the one who speaks as "Bettina Kogler".

    A name that a speaker has exactly, in any capitals, is that one. Another one is looked up among first and last names
    and aliases, then among similar spellings, which a warning says; so does it of a name that no one has.
    """
    by_form: dict[str, list[str]] = {}
    for speaker in speakers:
        by_form.setdefault(fold(speaker), []).append(speaker)
    meant = list(scope.within.speakers or ())
    for name in scope.people:
        if (found := by_form.get(fold(name))) or (found := _speaking(known.lookup(fold(name)))):
            meant += found
        elif found := _speaking(known.similar(fold(name))):
            meant += found
            warnings.append(f"no one is called {name!r:.80}; taken to be {', '.join(found)}")
        else:
            warnings.append(f"no one called {name!r:.80} speaks in what is stored, or wrote it")
    return replace(scope, within=replace(scope.within, speakers=list(dict.fromkeys(meant))))


def missing_sources(asked: Iterable[str], stored: Collection[str], warnings: list[str]) -> None:
    """Warn of source types of which nothing is stored, with those that there are."""
    missing = [name for name in asked if name not in stored]
    if missing and stored:
        there = ", ".join(sorted(stored)[:MOST_NAMED])
        warnings.append(f"nothing of source {', '.join(map(repr, missing)):.200} is stored; there are {there}")


def _speaking(found: Iterable[Known]) -> list[str]:
    return [one.speaker for one in found if one.speaker]
