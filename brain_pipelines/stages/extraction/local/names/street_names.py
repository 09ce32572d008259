"""Names of streets and squares of another language, whose first word says what they are: "Via della Spiga".

A parser of English takes the small word inside for the end of a name: a tool "Rua" and a person "Ouro".
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.name_forms import begins_place

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_JOINING = LEXICONS.every_language("plain_names").words("particles")
MOST_JOINING, MOST_WORDS = 2, 3  # small words behind the first one ("de la"), and words of the name behind them


def street_names(doc: "Doc") -> Iterator[tuple[int, int]]:
    """Yield the token spans of a street's word with a capital, one or two small words that join, and a name."""
    for token in doc:
        if not _is_large(token) or not begins_place(f"{token.text} x"):
            continue
        small = token.i + 1
        while small < min(token.i + 1 + MOST_JOINING, len(doc)) and doc[small].lower_ in _JOINING:
            small += 1
        end = small
        while end < min(small + MOST_WORDS, len(doc)) and _is_large(doc[end]):
            end += 1
        if token.i + 1 < small < end and all(doc[i].text.islower() for i in range(token.i + 1, small)):
            yield token.i, end


def _is_large(token: "Token") -> bool:
    return token.text[:1].isupper() and token.is_alpha
