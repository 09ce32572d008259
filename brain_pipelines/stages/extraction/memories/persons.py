"""Who a sentence speaks of: the speaker by "I", names by their capital letters where no parser found them."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.content_words import WORD
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered, plain, word_expression, word_pattern
from brain_retrieval.language.stop_words import function_words

_WORD = re.compile(r"[^\W_]{1,40}(?:-[^\W_]{1,40})?")


def has_person(text: str, key: str, language: str | None) -> bool:
    """Return whether `text` has a word of a person, a key of `persons.toml`: "first", "he", …"""
    return bool(_pattern(key, language or ENGLISH).search(lowered(text)))


def refers_back(text: str, language: str | None) -> bool:
    """Return whether a text has "it" or "they" for something that it may not name, and not only "of their own"."""
    rest = _pattern("own", language or ENGLISH).sub(" ", lowered(text))
    return any(has_person(rest, person, language) for person in ("it", "they"))


def speaks_first(text: str, language: str | None) -> bool:
    """Return whether the speaker speaks of himself or herself: "I", "my", or a verb that says so ("trabajo")."""
    return has_person(text, "first", language) or has_person(text, "first_verbs", language)


def names_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the names in a sentence: those found by the extraction, else runs of capital words."""
    if sentence.names:
        return tuple(dict.fromkeys(name.text for name in sentence.names))
    return capital_names(sentence.text, sentence.language)


def capital_names(text: str, language: str | None) -> tuple[str, ...]:
    """Return the runs of capital words of `text` that are no words of the language; first words are included."""
    known = _no_names(language or ENGLISH)
    runs: list[list[str]] = []
    end = -9
    nouns, before = _determiners(language or ENGLISH), ""
    for match in _WORD.finditer(text):
        word = match.group()
        determined, before = before in nouns, lowered(word)
        if word[:1].isupper() and before not in known and not determined:
            if runs and text[end : match.start()] in (" ", ". ") and end >= 0:
                runs[-1].append(word)
            else:
                runs.append([word])
            end = match.end()
        else:
            end = -9
    return tuple(dict.fromkeys(" ".join(run) for run in runs))


def writes_nouns_large(language: str) -> bool:
    """Return whether a capital letter does not tell a name from a noun."""
    return bool(_determiners(language))


@cache
def _no_names(language: str) -> frozenset[str]:
    words = set(function_words(language)) | set(function_words(ENGLISH))
    if LEXICONS.has("persons", language):
        lexicon = LEXICONS.read("persons", language)
        words |= {word for key in lexicon.keys for entry in lexicon.listed(key) for word in entry.split()}
    return frozenset(lowered(word) for word in words)


@cache
def _determiners(language: str) -> frozenset[str]:
    known = language if LEXICONS.has("persons", language) else ENGLISH
    return frozenset(lowered(word) for word in LEXICONS.read("persons", known).listed("determiners"))


@cache
def _pattern(key: str, language: str) -> re.Pattern[str]:
    known = language if LEXICONS.has("persons", language) else ENGLISH
    words = LEXICONS.read("persons", known).listed(key)
    elided = word_expression([word for word in words if word.endswith("'")], lowered)  # "j'ai" is one word with it
    return re.compile(rf"{word_pattern(words).pattern}|(?<!\w)(?:{elided})(?=\w)")


def words_of(text: str) -> list[str]:
    """Return the plain words of `text`."""
    return WORD.findall(plain(text))
