"""Particulars that a question may ask for and that have a form of their own: a telephone number, a birthday.

A text that has neither the form nor a word for it cannot state it, however much it is about the same person: where no
text has, the question has no answer. That saves questions about what was never written from the nearest thing that was.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import ENGLISH, NOTHING, SHARED
from brain_retrieval.language.plain import lowered, plain, word_expression
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.coverage import known_code

_SIGNS, _AGES = "_signs", "_ages"
_SUBJECT, _BIRTHDAY, _SURNAME, _TIME = "particulars", "birthday", "surname", "time"
_WANTED = ("number", "thing")  # what is asked for where a particular is, unless another kind is named here
_WANTED_OF = {_BIRTHDAY: (_TIME,), "spouse": ("person", "thing"), "home": ("place", *_WANTED)}
# Those that are asked for with a name: "the address" may be of anything.
_OF_SOMEONE = frozenset({"age", "spouse", "home", "earnings", _SURNAME, "height"})
_TWO_NAMES = re.compile(r"(?<!\w)([A-ZÀ-ÖØ-Þ][\w'’-]*)(?=(\s[A-ZÀ-ÖØ-Þ][\w'’-]+)?)")
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?(?!\d)|\d{1,2}:\d\d")
# What states a particular without any word for it.
_FORMS = {
    "telephone": re.compile(r"\d(?:[\s()/.-]{0,2}\d){5}"),
    "address": re.compile(r"\w@\w"),
    "account": re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}"),
    # "9 Larch Row", "Lindenweg 8", "8021 Graz"
    "home": re.compile(
        r"(?<!\d)\d{1,3}[a-z]?,?\s[A-ZÀ-Þ][a-zß-ÿ]+\s[A-ZÀ-Þ]|[A-ZÀ-Þ][\w-]{3,}\s\d{1,3}[a-z]?(?![\w.,:%])|\d{4,5}\s[A-ZÀ-Þ]"
    ),
    "age": re.compile(r"\(\d{1,2}\)|,\s\d{1,2}(?=[,.;]|\Z)"),  # "Ann (12)", "Ann, 12."
    # "950", "2,400", "44k", and no year
    "earnings": re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))(?:\d{3,4}|\d{1,3}[.,\s]\d{3})(?![\d:])|\d\s?k\b"),
    "size": re.compile(r"(?<![\w.,:/-])\d{2}(?:[.,]5)?(?![\w:/-]|[.,]\d|\s?[%€$£])"),
    "blood_type": re.compile(r"(?<!\w)(?:A|B|AB|0|O)\s?(?:[+−-](?!\w)|Rh|pos|neg)"),
    "height": re.compile(r"(?<![\d.,])[12][.,]\d\d\s?m(?!\w)|(?<!\d)\d{2,3}\s?cm(?!\w)"),
    _BIRTHDAY: re.compile(r"(?<!\d)(?:3[2-9]|[4-9]\d)(?:st|nd|rd|th)(?!\w)"),  # "her 40th", and no day of a month
}
_OF_ONE_LINE = frozenset({"earnings", "size"})  # whose form stands in a line with the name: others have numbers, too
_LIKE_DAYS = frozenset({"height"})  # whose form may be that of a day: "1.74 m"
_UNMISTAKABLE = frozenset({"telephone"})


@dataclass(frozen=True)
class Particular:
    """One of the particulars, by its key in the word lists, and the names of whose it is, as content words."""

    key: str
    names: frozenset[str] = frozenset()

    def may_be_in(self, text: str) -> bool:
        """Return whether a text may state it: it has one of the names, if there are any, and the form or a sign.

        What anyone earns stands in one line with the name, unless a word says that it is a salary.
        """
        if self.names and self.names.isdisjoint(content_words(text)):
            return False
        if self.key in _OF_ONE_LINE and self.names:
            own = (line for line in text.splitlines() if not self.names.isdisjoint(content_words(line)))
            has_form = any(map(self.has_form, own))
        else:
            has_form = self.has_form(text) or (self.key == _SURNAME and self._has_full_name(text))
        return has_form or self.has_sign(text)

    def has_sign(self, text: str) -> bool:
        """Return whether a text has a word that says that it is stated, whoever it is of."""
        return _signs(self.key).search(plain(text)) is not None or self._is_of_name(text)

    def has_form(self, text: str) -> bool:
        """Return whether a text has its form, whoever it is of."""
        form = _FORMS.get(self.key)
        if form is None:
            return False
        return form.search(text if self.key in _LIKE_DAYS else _DATE.sub(" ", text)) is not None

    def _has_full_name(self, text: str) -> bool:
        """Return whether one of the names stands before another word with a capital letter: "Ann Hale"."""
        words = [(word_form(plain(lowered(match[1]))), match[2]) for match in _TWO_NAMES.finditer(text)]
        return any(first in self.names and second for first, second in words)

    def _is_of_name(self, text: str) -> bool:
        """Return whether a word that asks for it stands behind one of the names: "Toms Frau"."""
        words = [word_form(plain(word)) for word in WORD.findall(lowered(text))]
        return any(second in _words(self.key) and first in self.names for first, second in pairwise(words))

    @property
    def is_unmistakable(self) -> bool:
        """Whether nothing else has its form, so that no word for it is needed beside: "Ann: 0161 555 0188"."""
        return self.key in _UNMISTAKABLE


def particular_asked(question: Question) -> Particular | None:
    """Return what a question asks for that has a form of its own, None if it is nothing like that.

    One in other words asks for what it does in its own: "Telefonnummer" may be translated as two words.
    """
    if question.asked is not None:
        return particular_asked(question.asked)
    asked = plain(question.text)
    key = next((key for key, pattern in _asking(known_code(question.language)) if pattern.search(asked)), None)
    if key is None or question.wants not in _WANTED_OF.get(key, _WANTED):
        return None
    names = frozenset(word for name in question.names for word in content_words(name.text)) - _words(key)
    return None if key in _OF_SOMEONE and not names else Particular(key, names)


@cache
def _asking(code: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    if not SHARED.has(_SUBJECT, code):
        return ()
    lexicon = SHARED.read(_SUBJECT, code)
    return tuple((key, _pattern(lexicon.listed(key))) for key in _keys())


@cache
def _words(key: str) -> frozenset[str]:
    """Return the words that ask for a particular: "Mann" of "Carlas Mann" is no name."""
    return frozenset(word for one in SHARED.every_language(_SUBJECT).listed(key) for word in content_words(one))


@cache
def _keys() -> tuple[str, ...]:
    return tuple(key for key in SHARED.read(_SUBJECT, ENGLISH).keys if not key.endswith((_SIGNS, _AGES)))


@cache
def _signs(key: str) -> re.Pattern[str]:
    every, known = SHARED.every_language(_SUBJECT), SHARED.read(_SUBJECT, ENGLISH).keys
    words = word_expression((*every.listed(key), *(every.listed(key + _SIGNS) if key + _SIGNS in known else ())))
    ages = word_expression(every.listed(key + _AGES)) if key + _AGES in known else NOTHING
    return re.compile(rf"(?<!\w)(?:(?:{words})(?!\w)|(?:{ages})\s\d{{1,3}}(?!\d))")


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{word_expression(words)})(?!\w)")
