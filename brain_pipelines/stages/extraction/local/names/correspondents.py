"""Who wrote or received a mail, by its header: full names of people, which its text often has in part only."""

from typing import Any

from brain_pipelines.stages.extraction.local.names.attendance import is_listed_person
from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, nicknames
from brain_pipelines.stages.extraction.local.names.person_form import bare_person
from brain_retrieval.language.content_words import WORD

_MAIL = "email"


def correspondents_of(document: dict[str, Any]) -> tuple[str, ...]:
    """Return the full names of the people in the header of a mail, in order; none for other sources.

    A name is a person's if it begins with a given name, or if the text has a part of it: lists and shops write, too.
    """
    if document.get("source") != _MAIL:
        return ()
    named = (_in_order(bare_person(name)) for name in (document.get("participants") or ()))
    full = [name for name in dict.fromkeys(named) if " " in name and is_listed_person(name)]
    words = frozenset(WORD.findall(document["text"])) if full else frozenset[str]()
    return tuple(name for name in full if _is_given(name.split(" ")[0]) or not words.isdisjoint(name.split(" ")))


def _in_order(name: str) -> str:
    """Return "Ann Lee" of "Lee, Ann"."""
    family, comma, given = name.partition(", ")
    return f"{given} {family}" if comma and given else name


def _is_given(word: str) -> bool:
    first = word.split("-")[0]
    return first in every_given_name() or first.lower() in nicknames()
