"""Runs of capitalised words of a parse that could be names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import TITLES, is_participle, is_word
from brain_pipelines.stages.extraction.local.names.people import (
    CALLS,
    NOT_NAMES,
    PARTICLES,
    is_drawn_out,
    is_opening_word,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DATED = frozenset({"DATE", "TIME"})
_COUNTED = frozenset({"NORP", "MONEY", "PERCENT", "QUANTITY", "ORDINAL", "CARDINAL", "LANGUAGE"})


def runs_of_large_words(doc: "Doc") -> Iterator[tuple[int, int]]:
    """Yield the spans of neighbouring capitalised words that could be a name."""
    start = None
    for token in doc:
        if _could_be_name(token) or (start is not None and _joins(token)):
            start = token.i if start is None else start
        elif start is not None:
            yield start, token.i
            start = None
    if start is not None:
        yield start, len(doc)


def _could_be_name(token: "Token") -> bool:
    word = token.text
    if not word[:1].isupper() or (word.isupper() and len(word) > 1) or token.lower_ in NOT_NAMES | CALLS | TITLES:
        return False
    if (
        token.ent_type_ in _COUNTED
        or (token.ent_type_ in _DATED and is_word(token))
        or not word.replace("-", "").replace("'", "").replace("’", "").isalpha()
    ):
        return False
    if is_drawn_out(token):
        return False
    opens = token.is_sent_start and (is_word(token) or token.is_stop or is_participle(token) or is_opening_word(token))
    return not opens and not token.is_stop


def _joins(token: "Token") -> bool:
    """Return whether a particle ("van") stands between two words of a name."""
    return token.lower_ in PARTICLES and token.i + 1 < len(token.doc) and _could_be_name(token.nbor(1))
