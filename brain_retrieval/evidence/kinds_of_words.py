"""What words of a claim and of a statement have to do with each other: forms of one verb, the same, wider, or apart.

The lists are `kinds.toml` of English; other languages compare by endings alone.
"""

import re
from collections.abc import Collection, Mapping
from functools import cache

from brain_retrieval.evidence.lexicons import KINDS, LEXICONS
from brain_retrieval.language.content_words import word_form

_DOUBLED = re.compile(r"[aeiouy]([bdgmnprt])\1$")
_INFLECTED = ("ing", "ed")


def base_form(word: str) -> str:
    """Return a plain word in the form in which words are compared: without inflection, also of irregular verbs.

    >>> [base_form(word) for word in ("ridden", "riding", "cutting", "children")]
    ["ride", "ride", "cut", "child"]
    """
    if known := _irregular().get(word):
        return known
    form = word_form(word)
    return form[:-1] if word.endswith(_INFLECTED) and form != word and _DOUBLED.search(form) else form


def is_same(word: str, others: Collection[str]) -> bool:
    """Return whether one of the forms means the same as `word`."""
    return not _same().get(word, frozenset()).isdisjoint(others)


def has_narrower(word: str, others: Collection[str]) -> bool:
    """Return whether one of the forms is of the kind that `word` names: a horse is an animal."""
    return not _table("wider").get(word, frozenset()).isdisjoint(others)


def has_apart(word: str, others: Collection[str]) -> bool:
    """Return whether one of the forms is what `word` is not: a cat is no dog."""
    return not _table("apart").get(word, frozenset()).isdisjoint(others)


@cache
def _irregular() -> Mapping[str, str]:
    lexicon = LEXICONS.read(KINDS)
    forms = {form: group.split()[0] for group in lexicon.listed("irregular") for form in group.split()}
    for verb in lexicon.listed("silent"):
        stem = verb[:-1]
        forms |= dict.fromkeys((verb, f"{verb}s", f"{stem}ing", f"{stem}ed"), verb)
    groups = {group.split()[0] for group in lexicon.listed("irregular")}
    # The base of an irregular verb is compared by its own regular form: "drink" and "drinking".
    base = {verb: forms.get(verb, verb) if verb.endswith("e") else word_form(verb) for verb in groups}
    return {form: base.get(verb, verb) for form, verb in forms.items()}


@cache
def _same() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in LEXICONS.read(KINDS).listed("same"):
        forms = frozenset(base_form(word) for word in group.lower().split())
        for form in forms:
            found[form] = found.get(form, frozenset()) | (forms - {form})
    return found


@cache
def _table(key: str) -> Mapping[str, frozenset[str]]:
    """Return a table of words and the words of their entry, all in the form in which they are compared."""
    table = LEXICONS.read(KINDS).table(key)
    return {base_form(word): frozenset(base_form(one) for one in str(said).split()) for word, said in table.items()}
