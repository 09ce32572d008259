"""Which broad question is asked, and what it is about: "how is the kitchen going", "what happened in spring".

The phrases are `broad_questions.toml` of `language/lexicons`. A question of a language without rules is none.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Literal

from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import plain, word_pattern
from brain_retrieval.language.stop_words import question_words
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.analysis.grammar import form, pattern
from brain_retrieval.query.analysis.wants import without_request

SUBJECT = "broad_questions"
Form = Literal["happened", "stands", "planned", "decided", "involved", "goes_on"]
# The first that fits; "what is going on with the kitchen" is how that stands.
_ORDER: tuple[Form, ...] = ("involved", "decided", "planned", "happened", "stands", "goes_on")
MOST_TOPIC = 4  # words, above which a question asks for something particular


@dataclass(frozen=True)
class Broad:
    """A broad question.

    Attributes:
        form: what is asked for.
        topic: content words of what it is about; none: of everything.
        names: those of them that name people and things.
        language: of the question.
    """

    form: Form
    topic: tuple[str, ...]
    names: frozenset[str]
    language: str
    about: str = ""  # the words of the topic as they are written


def broad_of(question: Question, owner: Collection[str] = ()) -> Broad | None:
    """Return which broad question is asked, None for any other question.

    Args:
        question: as it was read.
        owner: words of it that name the owner, who is no topic.
    """
    language = question.language
    if language is None or not SHARED.has(SUBJECT, language):
        return None
    asked = without_request(form(question.text, language), language)
    found: Form | None = next((one for one in _ORDER if pattern(one, language, SUBJECT).search(asked)), None)
    if found is None:
        return None
    topic = tuple(
        word for word in content_words(question.text, language) if word not in _asking(language) and word not in owner
    )
    if len(topic) > MOST_TOPIC:
        return None
    dated = question.time is not None and question.time.restricts
    kind = _settled(found, dated=dated, about=bool(topic))
    names = {word for name in question.names for word in content_words(name.text, language)}
    if kind is None:
        return None
    written = (match.group() for match in WORD.finditer(question.text))
    about = " ".join(word for word in written if set(content_words(word, language)) & set(topic))
    return Broad(kind, topic, frozenset(names & set(topic)), language, about)


def _settled(found: Form, *, dated: bool, about: bool) -> Form | None:
    """Return the form that is asked for, given whether a time and a topic are named; None if it needs one."""
    if found == "involved":
        return found if about else None
    if found in ("stands", "goes_on", "happened"):
        if dated:
            return "happened"
        return "stands" if about else "goes_on"
    return found


def tells(key: str, text: str, language: str) -> bool:
    """Return whether a sentence has one of the words of `key`, "decisions" or "remains", in any of the languages."""
    codes = {language, *SHARED.languages(SUBJECT)} if key == "decisions" else {language}
    return any(_cues(key, code).search(plain(text)) is not None for code in codes)


@cache
def _cues(key: str, language: str) -> re.Pattern[str]:
    return word_pattern(plain(word) for word in SHARED.read(SUBJECT, language).listed(key))


@cache
def _asking(language: str) -> frozenset[str]:
    """Return the words with which such questions are asked, in the form of content words."""
    lexicon = SHARED.read(SUBJECT, language)
    keys = (*_ORDER, "general")
    words = [match.group() for key in keys for phrase in lexicon.listed(key) for match in WORD.finditer(plain(phrase))]
    listed = frozenset(word_form(plain(word)) for word in (*words, *question_words(language)))
    return listed | light_words()
