"""Names of people among the large words of a text without a parse: a given name, or a word for who someone is."""

from collections.abc import Sequence

from brain_pipelines.stages.extraction.local.names.callings import callings
from brain_pipelines.stages.extraction.local.names.evidence.type_evidence import thing_of_noun
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    known_names,
    listed_places,
    rarer_given_names,
)
from brain_pipelines.stages.extraction.memories.large_words import (
    Word,
    calendar_words,
    is_no_surname,
    is_of_text,
    no_names,
)
from brain_pipelines.stages.extraction.memories.name_words import begins_speech, given_name
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.unparsed.nouns import is_noun, is_surname_too
from brain_pipelines.stages.extraction.memories.writing import Writing, words_around
from brain_retrieval.language.lexicon import code_of

MOST_PERSON = 3  # words of a person's name where nouns are written large


def person_in(run: Sequence[Word], language: str | None, writing: Writing) -> tuple[int, int] | None:
    """Return the first and the end of the words that name a person: by a given name, or behind a title."""
    large = writes_nouns_large(code_of(language))
    indefinite = words_around("determiners", language) - words_around("definite", language)
    for first, word in enumerate(run):
        sure = is_of_text(word, writing) or given_name(word.text, language)
        last = first + 1
        most = first + MOST_PERSON if large else len(run)
        while last < min(len(run), most) and not _ends_person(run[last:], writing, language):
            last += 1
        if word.titled and not (last == first + 1 and is_no_surname(word, language, writing)):
            return first, last
        if _is_called(run, first, last, language, writing):
            return first, last
        if first and not large and not word.titled and (run[0].determined or word.text in rarer_given_names()):
            continue  # "la Cavale Blanche", "Gwendal Tanguy"
        if _may_be_ordinary(word, writing, sure=sure):
            continue  # "Canal Esencial", on a line of its own
        alone = last == first + 1
        if large and alone and word.before in indefinite:
            continue  # "zwei Tore"
        if sure is None or (word.low in writing.small and (alone or given_name(run[first + 1].text, language))):
            continue
        if not alone and begins_speech(word.text, language) and every_given_name().get(run[first + 1].text):
            continue  # "Mira Nuria, …"
        if not alone and not word.titled and thing_of_noun(run[last - 1].low):
            continue  # "Mario Kart Game"
        if sure or last > first + 1 and not large:
            return first, last
    return None


def _may_be_ordinary(word: Word, writing: Writing, *, sure: bool | None) -> bool:
    """Return whether a name that is an ordinary word, too, is large since it comes first.

    It is such a word if the text has it in small letters, or if it is a name in few countries only.
    """
    if sure is not False or not word.begins or word.titled:
        return False
    return word.low in writing.small or word.text in rarer_given_names()


def _is_called(run: Sequence[Word], first: int, last: int, language: str | None, writing: Writing) -> bool:
    """Return whether a word says before the name who it is: "mi jefa Nuria", "Steuerberaterin Gudrun".

    Where nouns are large, one word behind it is a name only if the text has it without an article.
    """
    word = run[first]
    if not (word.called or (first and run[first - 1].low in callings(language))):
        return False
    if is_no_surname(word, language, writing) or word.low in callings(language) or word.low in calendar_words():
        return False
    if is_common(word, language):
        return False
    alone = last == first + 1
    return not (alone and writes_nouns_large(code_of(language)) and writing.determined[word.low])


def _ends_person(rest: Sequence[Word], writing: Writing, language: str | None) -> bool:
    """Return whether the first of the words behind a given name is no part of the name."""
    word = rest[0]
    if word.low in words_around("particles", language) and len(rest) > 1:
        return False  # "Alessandro Di Pasquale"
    if word.text in listed_places() or word.text in known_names() or word.low in no_names():
        return True  # "Yolanda de Telefónica"
    if is_common(word, language):
        return True  # "Nele Logopädie"
    return writes_nouns_large(code_of(language)) and (word.low in writing.determined or word.low in writing.small)


def is_common(word: Word, language: str | None) -> bool:
    return is_noun(word.text, language) and not is_surname_too(word.text, language)
