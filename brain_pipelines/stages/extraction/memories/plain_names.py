"""Names in a sentence without a parse: by listed given names and by capitals within the sentence."""

import re
from collections.abc import Iterator

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import given_names, known_names
from brain_pipelines.stages.extraction.memories.sentence import Name
from brain_retrieval.language.lexicon import code_of

_CAPITAL_NOUNS = ("de",)  # here a capital tells nothing
_RUN = re.compile(r"[^\W\d_a-z][\w’'&.-]*\w(?: [^\W\d_a-z][\w’'&-]*\w){0,3}")
_STARTS = re.compile(r"(?:^|[.!?:…]\s)[\s\"'“„«»¿¡(]*$")
_NOT_NAMES = LEXICONS.read("people").words("not_names")


def plain_names(text: str, language: str | None) -> tuple[Name, ...]:
    """Return the names of a sentence: persons by given name, other names as listed or as concepts."""
    return tuple(_found(text, language))


def _found(text: str, language: str | None) -> Iterator[Name]:
    for match in _RUN.finditer(text):
        name, start = match.group(), match.start()
        if not name[0].isupper() or name.casefold() in _NOT_NAMES:
            continue
        kind = _type(name)
        if kind is None:
            begins = bool(_STARTS.search(text[max(0, start - 8) : start]))
            if begins or code_of(language) in _CAPITAL_NOUNS:
                yield from _inner(name, start, language)
                continue
            kind = "Concept"
        yield Name(start, match.end(), name, kind)


def _inner(run: str, start: int, language: str | None) -> Iterator[Name]:
    """Yield what follows the first word of a run, where that word is capital only by its place."""
    first, _, rest = run.partition(" ")
    if rest and (kind := _type(rest) or (None if code_of(language) in _CAPITAL_NOUNS else "Concept")):
        yield Name(start + len(first) + 1, start + len(run), rest, kind)


def _type(name: str) -> str | None:
    first = name.split(" ")[0]
    given = given_names().get(first)
    if given is not None and not (given.ambiguous and first == name):
        return "Person"
    return known_names().get(name)
