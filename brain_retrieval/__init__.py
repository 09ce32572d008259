"""Brain's retrieval library: open a home as one user, ask, and get cited, explained passages.

>>> from brain_retrieval import Brain  # doctest: +SKIP
>>> with Brain.open("data/home", user="alice") as brain:  # doctest: +SKIP
...     hits = brain.search("who leads Phoenix?", k=5)
...     pack = brain.context("who leads Phoenix?", max_tokens=2000)
...     facts = brain.knowledge().facts("Phoenix", as_of="2026-01-31")

Names are loaded on first use, so that reading one record's schema does not import the whole library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain_retrieval.brain import Brain
    from brain_retrieval.errors import (
        BrainError,
        InvalidQueryError,
        InvalidUserError,
        NoSnapshotError,
        UnknownUserError,
    )
    from brain_retrieval.home import Home
    from brain_retrieval.knowledge.cards import EntityCard, FactCard, StorylineCard
    from brain_retrieval.knowledge.reader import Knowledge
    from brain_retrieval.query.context import ContextPack
    from brain_retrieval.query.hits import Hit, SearchResult
    from brain_retrieval.teams import NotAMemberError

_MODULES = {
    "Brain": "brain",
    "BrainError": "errors",
    "ContextPack": "query.context",
    "EntityCard": "knowledge.cards",
    "FactCard": "knowledge.cards",
    "Hit": "query.hits",
    "Home": "home",
    "InvalidQueryError": "errors",
    "InvalidUserError": "errors",
    "Knowledge": "knowledge.reader",
    "NoSnapshotError": "errors",
    "NotAMemberError": "teams",
    "SearchResult": "query.hits",
    "StorylineCard": "knowledge.cards",
    "UnknownUserError": "errors",
}

__all__ = [
    "Brain",
    "BrainError",
    "ContextPack",
    "EntityCard",
    "FactCard",
    "Hit",
    "Home",
    "InvalidQueryError",
    "InvalidUserError",
    "Knowledge",
    "NoSnapshotError",
    "NotAMemberError",
    "SearchResult",
    "StorylineCard",
    "UnknownUserError",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
