"""What a question says of where to look: types of sources, and buckets of the user's life."""

import re
from collections.abc import Iterator
from functools import cache

from brain_retrieval.language.lexicon import alternatives
from brain_retrieval.query.analysis.grammar import QUESTIONS, expression, has, pattern, table

_BUCKETS = {"personal": "PERSONAL_LIFE", "creator": "CREATOR", "projects": "PROJECTS"}


def sources_of(low: str, language: str) -> tuple[str, ...]:
    """Return the types of sources named in a plain question: "in the mail from …", "on Slack"."""
    return tuple(dict.fromkeys(_sources(pattern("no_sources", language).sub(" ", low), language)))


def _sources(low: str, language: str) -> Iterator[str]:
    for match in _named(language).finditer(low):
        yield table("source_names", language)[_single(match["name"])]
    for match in _pointed(language).finditer(low):
        yield table("sources", language)[_single(match["name"])]


def buckets_of(low: str, language: str) -> tuple[str, ...]:
    """Return the buckets named in a plain question, as in BUCKETS."""
    return tuple(bucket for key, bucket in _BUCKETS.items() if has(key, low, language))


def _single(words: str) -> str:
    return " ".join(words.split())


@cache
def _named(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?P<name>{alternatives(table('source_names', language))})(?!\w)")


@cache
def _pointed(language: str) -> re.Pattern[str]:
    """Return a pattern for a kind of source after a preposition, with up to two words between: "in the last mail"."""
    prepositions, articles = (expression(language, QUESTIONS, f"source_{key}") for key in ("prepositions", "articles"))
    kinds = alternatives(table("sources", language))
    between = rf"(?:(?:{articles})[\s'])?(?:[\w.]{{1,15}}\s){{0,2}}?"
    return re.compile(rf"(?<!\w)(?:{prepositions})[\s']{between}(?P<name>{kinds})(?!\w)")
