"""Language check before parsing: the parser is trained on English and finds false names in other languages.

A text too short for language identification, and a paragraph of a text in several languages, have the language of most
of their function words and common verbs; a note without any ("Miete 840 warm.") has that of its words for matters that
only one language has.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import ENGLISH, SHARED, Lexicon, Lexicons, code_of
from brain_retrieval.language.stop_words import function_words

SAMPLE_CHARS = 4000
MIN_LATIN = 0.7  # share of ASCII letters, for a text too short for language identification

LEAST_WORDS = 2  # of the language of a text too short for language identification
LEAST_FOREIGN = 4  # words of another language in a paragraph that is not in that of its text
MOST_OWN = 0.5  # of them, that may also be words of that of its text
FOREIGN_SHARE = 0.4  # of its words, where no words of the language of its text are known: "do", "to" are Polish, too
APOSTROPHES = ("'", "’")
CONSONANTS = frozenset("bcdfghjklmnpqrstvwxz")
_SHARED = "shared"
# Lexicons with words for matters, days, amounts and kinds of things.
_SUBJECTS = (
    "concepts", "dates", "light_words", "negation", "possessors", "question_times", "questions", "self_description",
    "stance", "values",
)  # fmt: skip
_NAMED = ("cues_before_names",)
_LEAST_LETTERS = 4  # of such a word
_WORD = re.compile(r"[^\W\d_]+")
_ENTRY = re.compile(r"[^\W\d_]+\*?")  # a beginning of words ends with a star
_LETTERS = re.compile(r"[^\W\d_]")


def is_english(language: str | None, text: str) -> bool:
    """Return whether `language` (ISO 639-1) is English; if it is None, whether most letters are ASCII."""
    if language is not None:
        return language.lower().split("-")[0] == "en"
    letters = _LETTERS.findall(text[:SAMPLE_CHARS])
    return bool(letters) and sum(c.isascii() for c in letters) / len(letters) >= MIN_LATIN


def known_language(language: str | None, text: str) -> str | None:
    """Return `language`; if it is None, that of most words of `text`, None if two languages have as many."""
    if language is not None:
        return language
    votes, shared = _votes(text[:SAMPLE_CHARS])
    votes[ENGLISH] += shared
    best = [*votes.most_common(2), ("", 0), ("", 0)]
    if best[0][1] >= LEAST_WORDS and best[0][1] > best[1][1]:
        return best[0][0]
    return _language_of_matters(text[:SAMPLE_CHARS], votes)


def _language_of_matters(text: str, votes: Counter[str]) -> str | None:
    """Return the language of most words of `text` that only one language has, counting `votes` too; None for a draw.

    English has its votes as well: "am" of "am 3. Februar" is one for both.
    """
    own = Counter(language for word in _no_surnames(text) if (language := _matters().get(word.lower())))
    best = [*(own + votes).most_common(2), ("", 0), ("", 0)]
    return best[0][0] if own[best[0][0]] and best[0][1] > best[1][1] else None


def _no_surnames(text: str) -> Iterator[str]:
    """Yield the words of a text without large ones right behind another large word: "Gretel Sommer"."""
    before, end = "", 0
    for match in _WORD.finditer(text):
        word = match.group()
        if not (word.istitle() and before.istitle() and text[end : match.start()] == " "):
            yield word
        before, end = word, match.end()


def language_of_block(language: str | None, text: str) -> str | None:
    """Return the language of a paragraph of a text in `language`: another one only where its words clearly are."""
    votes, shared = _votes(text)
    best = votes.most_common(1)
    if not best or best[0][0] == code_of(language) or best[0][1] < LEAST_FOREIGN:
        return language
    if language is not None and code_of(language) not in _languages():
        return best[0][0] if best[0][1] >= FOREIGN_SHARE * len(_WORD.findall(text)) else language
    english = 0 if best[0][0] == ENGLISH else votes[ENGLISH] + shared
    return best[0][0] if votes[code_of(language)] <= MOST_OWN * best[0][1] and best[0][1] > english else language


def _votes(text: str) -> tuple[Counter[str], int]:
    """Return how many words are common words of each language, and how many more may be English ("die", "come").

    A large word inside the text may be a name ("Lee"), as may what stands between two ("Tour de France"): they have no
    vote. A consonant has one for another language only before an apostrophe ("l'auto"; not "the car's").
    """
    languages = _common()
    found = list(_WORD.finditer(text))
    votes: Counter[str] = Counter()
    shared = 0
    for number, match in enumerate(found):
        word = match.group()
        known = languages.get(word.lower(), ()) if match.start() == 0 or word[0].islower() else ()
        if not known or _is_particle(match) and _is_between_names(found, number):
            continue
        if word.lower() in CONSONANTS and text[match.end() : match.end() + 1] not in APOSTROPHES:
            known = tuple(language for language in known if language == ENGLISH)
        votes.update(language for language in known if language != _SHARED)
        shared += _SHARED in known
    return votes, shared


def _is_between_names(words: list[re.Match[str]], number: int) -> bool:
    """Return whether a word stands between two large ones, alone or with other particles ("Maria de la Cruz")."""
    before = next((each.group() for each in words[max(0, number - 3) : number][::-1] if not _is_particle(each)), "")
    after = next((each.group() for each in words[number + 1 : number + 4] if not _is_particle(each)), "")
    return before[:1].isupper() and after[:1].isupper()


def _is_particle(match: re.Match[str]) -> bool:
    return match.group() in _particles()


@cache
def _common() -> dict[str, tuple[str, ...]]:
    """Return the languages of each common word, with _SHARED for one that may be English too."""
    verbs = {language: LEXICONS.read("plain_verbs", language) for language in LEXICONS.languages("plain_verbs")}
    known = {language: function_words(language) | one.words("forms") for language, one in verbs.items()}
    known[_SHARED] = LEXICONS.read("homographs").words("words") - known[ENGLISH]
    words = frozenset[str]().union(*known.values())
    return {word: tuple(language for language, own in known.items() if word in own) for word in sorted(words)}


@cache
def _languages() -> frozenset[str]:
    """Return the languages of which common words are known."""
    return frozenset(language for languages in _common().values() for language in languages)


@cache
def _particles() -> frozenset[str]:
    return LEXICONS.every_language("plain_names").words("particles")


@cache
def _matters() -> dict[str, str]:
    """Return the language of each word of `_SUBJECTS` that no other language has, and that is in no English lexicon."""
    languages = sorted({language for subject in _SUBJECTS for language in SHARED.languages(subject)} - {ENGLISH})
    own = {
        language: _listed(SHARED, language, _SUBJECTS) | _listed(LEXICONS, language, _NAMED) for language in languages
    }
    english = frozenset[str]().union(*(_listed(one, ENGLISH, one.subjects) for one in (SHARED, LEXICONS)))
    count = Counter(word for words in own.values() for word in words)
    known = english | _common().keys() | LEXICONS.read("homographs").words("words")
    return {word: one for one, words in own.items() for word in sorted(words - known) if count[word] == 1}


def _listed(lexicons: Lexicons, language: str, subjects: Iterable[str]) -> frozenset[str]:
    """Return the whole words of lists and of the keys of tables."""
    read = (lexicons.read(subject, language) for subject in subjects if lexicons.has(subject, language))
    return frozenset(word for lexicon in read for word in _words_in(lexicon))


def _words_in(lexicon: Lexicon) -> Iterator[str]:
    entries = (entry for key in lexicon.keys for entry in lexicon.listed(key))
    found = (word for entry in entries if isinstance(entry, str) for word in _ENTRY.findall(entry.lower()))
    return (word for word in found if len(word) >= _LEAST_LETTERS and not word.endswith("*"))
