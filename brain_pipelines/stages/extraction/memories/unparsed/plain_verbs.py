"""Whether a line without a parse has a verb: a title, a task and a list of those present have none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.word_features import tokens_of
from brain_retrieval.language.lexicon import code_of

_LIST = "plain_verbs"
SHORT = 8  # words; a verb of a longer sentence that ends like one may be missing in the lists
_MAY_BE_VERB = ("en", "eln", "ern")
_ENDS = tuple(".!?…\"'”»")


@dataclass(frozen=True)
class _Verbs:
    forms: frozenset[str]
    patterns: re.Pattern[str]
    no_verbs: frozenset[str]


def has_no_verb(text: str, language: str | None) -> bool:
    """Return whether a line has no verb, as far as the lists of its language tell; False in other languages."""
    if not LEXICONS.has(_LIST, language):
        return False
    tokens = tokens_of(text, language)
    if text.rstrip().endswith(_ENDS) and len(tokens) > SHORT and not _is_bare(text, tokens, language):
        return False
    verbs, written = _verbs()[code_of(language)], set(re.findall(r"[^\W\d_]+", text))
    first = tokens[:1] if not writes_nouns_large(code_of(language)) or tokens[:1] and tokens[0] in verbs.forms else []
    return not any(_is_verb(token, verbs) for token in [*first, *(token for token in tokens if token in written)])


def _is_bare(text: str, tokens: list[str], language: str | None) -> bool:
    """Return whether a longer line has neither a pronoun nor a small word in "-en", which a verb may be: "reagieren".

    Only where nouns are large: elsewhere many verbs look like nouns.
    """
    code = code_of(language)
    if not writes_nouns_large(code):
        return False
    persons, no_verbs = _persons(code), _verbs()[code].no_verbs
    small = set(re.findall(r"[^\W\d_]+", text))
    return not any(
        token in persons or token in small and token.endswith(_MAY_BE_VERB) and token not in no_verbs
        for token in tokens
    )


@cache
def _persons(language: str) -> frozenset[str]:
    lexicon = LEXICONS.read("memorable", language)
    return lexicon.words("i") | lexicon.words("we") | lexicon.words("he") | lexicon.words("you")


def _is_verb(token: str, verbs: _Verbs) -> bool:
    if token in verbs.forms:
        return True
    return token not in verbs.no_verbs and verbs.patterns.fullmatch(token) is not None


@cache
def _verbs() -> Mapping[str, _Verbs]:
    return {language: _of(language) for language in LEXICONS.languages(_LIST)}


def _of(language: str) -> _Verbs:
    lexicon = LEXICONS.read(_LIST, language)
    regular = (stem + ending for stem in lexicon.listed("stems") for ending in lexicon.listed("endings"))
    forms = lexicon.words("forms").union(regular)
    return _Verbs(forms, re.compile(lexicon.expression("patterns")), lexicon.words("no_verbs"))
