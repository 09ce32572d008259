"""Words for what questions are about, in several languages: `topics.toml` has the same keys in each of them.

They do not translate a text: they say which words of another language a word or short phrase may stand for.
"""

import re
from collections.abc import Iterable
from functools import cache

from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, plain

SUBJECT, KINDS = "topics", "topic_kinds"
LONGEST = 4  # words of a phrase
# Letters of a word that may begin a longer one ("roofer"), and of one that may stand within it ("Kinderzahnarzt").
LEAST_BEGINNING, LEAST_PART = 4, 5


def topics_in(text: str, language: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return where a text has a word or phrase for a topic: first character, the one after the last, the topics' keys.

    Of phrases that overlap the longest counts: "spare key" is one topic. A word may stand for several.

    >>> topics_in("Who has the spare key?", "en")
    [(12, 21, ('spare_key',))]
    """
    words = [(match.start(), match.end(), word_form(match.group())) for match in WORD.finditer(plain(text))]
    known, found, place = _keys(language), [], 0
    while place < len(words):
        for size in range(min(LONGEST, len(words) - place), 0, -1):
            part = words[place : place + size]
            if keys := known.get(" ".join(form for _, _, form in part)):
                start, end = part[0][0], part[-1][1]
                found.append((start, end, _as_written(text[start:end], keys, language)))
                place += size
                break
        else:
            place += 1
    return found


def _as_written(said: str, keys: tuple[str, ...], language: str) -> tuple[str, ...]:
    """Return those topics that are called just so, else all: "zahlen" is to pay, and no form of "Zahl"."""
    if len(keys) == 1:
        return keys
    own = lowered(said)
    return tuple(key for key in keys if own in map(lowered, words_of((key,), language))) or keys


def is_relation(keys: tuple[str, ...]) -> bool:
    """Return whether a word for these topics calls a person by a relation: "brother", "landlady"."""
    return bool(keys) and SHARED.read(KINDS).words("relations").issuperset(keys)


def things_in(text: str, language: str, names: Iterable[tuple[int, int]] = ()) -> list[re.Pattern[str]]:
    """Return a pattern for each trade or thing of a household in a text: any word for it in any language, in lower
    case.

    Args:
        names: first character of each name in the text, and the one after the last; "Carpenter" may be one.
    """
    taken, every = tuple(names), SHARED.read(KINDS).words("things")
    found = (
        keys
        for start, stop, keys in topics_in(text, language)
        if every.issuperset(keys) and not any(start < end and first < stop for first, end in taken)
    )
    return [_any_word(keys) for keys in dict.fromkeys(found)]


@cache
def _any_word(keys: tuple[str, ...]) -> re.Pattern[str]:
    words = SHARED.every_language(SUBJECT)
    forms = sorted({word.lower() for key in keys for word in words.listed(key)})
    return re.compile("|".join(map(_expression, forms)))


def _expression(form: str) -> str:
    before = "" if len(form) >= LEAST_PART else r"(?<!\w)"
    after = "" if len(form) >= LEAST_BEGINNING else r"(?!\w)"
    return before + re.escape(form) + after


def words_of(keys: tuple[str, ...], language: str) -> tuple[str, ...]:
    """Return the words for topics in a language, the usual ones first; none for a language without this list."""
    if not SHARED.has(SUBJECT, language):
        return ()
    lists = [SHARED.read(SUBJECT, language).listed(key) for key in keys]
    return tuple(dict.fromkeys((*(words[0] for words in lists if words), *(word for words in lists for word in words))))


@cache
def _keys(language: str) -> dict[str, tuple[str, ...]]:
    """Return the topics of each word and phrase of a language, by the forms of its words."""
    if not SHARED.has(SUBJECT, language):
        return {}
    lexicon, found = SHARED.read(SUBJECT, language), dict[str, tuple[str, ...]]()
    for key in lexicon.keys:
        for phrase in lexicon.listed(key):
            form = " ".join(word_form(match.group()) for match in WORD.finditer(plain(phrase)))
            found[form] = (*found.get(form, ()), key)
    return found
