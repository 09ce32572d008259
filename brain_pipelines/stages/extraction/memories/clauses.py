"""Clauses of a sentence that says what was and what is, so that each is a memory with its own validity.

| sentence | clauses |
|---|---|
| She used to work at Siemens, but now she is at Bosch. | She used to work at Siemens · she is at Bosch |
| Hugo left the aquarium on 31 March and joined the police on 1 April. | Hugo left … · joined the police … |
| Mrs. Lindqvist left; Bo's new teacher is Mr. Adeyemi. | Mrs. Lindqvist left · Bo's new teacher is … |
| Ingrid keeps billing and Tomasz now leads payments. | Ingrid keeps billing · Tomasz now leads payments |
| I earn 3,100 euros, what should I ask for? | I earn 3,100 euros · what should I ask for? |

A second clause without a subject of its own has that of the first, which the rewriting adds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import capital_names, has_person, speaks_first
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered, word_expression, word_pattern

_LEAST, _LEAST_APART = 2, 3  # words of a clause, and of one that a semicolon parts
_BEGINNING = 4  # words in which the verb of a second clause is looked for
_MARK = 2  # characters of a joint that is a mark without a word that joins
_MOST = 3  # clauses of a sentence
_LONGEST = 600  # characters of a sentence that is looked at
_NOUNS = ("NOUN", "PROPN")
_ENDS = " \t,;:.–—-"
_WORD = re.compile(r"[^\W\d_]+")
_LEAST_STATED = 4  # words of what is stated before a question of the same sentence


@dataclass(frozen=True)
class _Patterns:
    joints: re.Pattern[str]
    was: re.Pattern[str]
    now: re.Pattern[str]
    begins: re.Pattern[str]
    subject: re.Pattern[str] | None  # the last word of what is left of a joint, if it must have its verb behind it


def clauses_of(sentence: Sentence) -> list[Sentence]:
    """Return the clauses of a contrast, or the sentence itself; a split that is not sure is not made."""
    language = sentence.language or ENGLISH
    if not LEXICONS.has("clause_splits", language) or len(sentence.text) > _LONGEST:
        return [sentence]
    if _asks(sentence.text):
        return _statement_and_question(sentence, language)
    spans = _split(sentence.text, 0, _patterns(language), language)
    spans = spans if len(spans) < 2 or not _joins_nouns(sentence, spans) else spans[:0]
    if len(spans) < 2:
        return [sentence]
    return [sentence.piece(start, end, number) for number, (start, end) in enumerate(spans, start=1)]


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?")


def _statement_and_question(sentence: Sentence, language: str) -> list[Sentence]:
    """Return what the speaker tells of themselves and the question behind it, or the question as it is.

    What is stated is no part that ends with what follows, so it has the number of a whole sentence.
    """
    asking = _asking(language)
    if asking.dependent.match(lowered(sentence.text)):
        return [sentence]  # "If I move, what …?", "Should I stay, or is it …?"
    for joint in asking.joints.finditer(lowered(sentence.text)):
        start, end = _trimmed(sentence.text, 0, joint.start())
        statement = sentence.text[start:end]
        of_speaker = speaks_first(statement, language) or has_person(statement, "first_plural", language)
        if of_speaker and len(statement.split()) >= _LEAST_STATED:
            asked = _trimmed(sentence.text, joint.start("asked"), len(sentence.text))
            return [sentence.piece(start, end, 0), sentence.piece(*asked, 2)]
    return [sentence]


def _joins_nouns(sentence: Sentence, spans: list[tuple[int, int]]) -> bool:
    """Return whether a split would part two nouns that the parse joins: "Fast and Furious is …", "my cat, Luna, …"."""
    for start, _ in spans[1:]:
        for word in sentence.words:
            if word.start < start:
                continue
            if word.pos not in _NOUNS:
                break
            head = sentence.words[word.head]
            if word.dep in ("conj", "appos") and head.pos in _NOUNS and head.start < start:
                return True
    return False


def is_former(sentence: Sentence) -> bool:
    """Return whether a clause states what was before another clause of its sentence."""
    language = sentence.language or ENGLISH
    if not sentence.clause or not LEXICONS.has("clause_splits", language):
        return False
    return bool(_former(language).search(lowered(sentence.text)))


def subject_left_out(clause: Sentence, whole: Sentence) -> str | None:
    """Return the name that a later clause leaves to the first: "Hugo" of "… and joined the police"."""
    language = clause.language or ENGLISH
    if clause.clause < 2 or _asks(clause.text) or _begins_with_name(clause.text, language):
        return None
    opening = lowered(clause.text).split()[:_BEGINNING]
    begins, now = _patterns(language).begins, _patterns(language).now
    without = now.sub(" ", " ".join(opening)).split()
    if not without or not (begins.match(" ".join(without)) or _drops_subject(clause, opening, language)):
        return None
    names = [name.text for name in whole.names] or list(capital_names(whole.text, language))
    return next((name for name in names if name not in clause.text), None)


def _drops_subject(clause: Sentence, opening: list[str], language: str) -> bool:
    """Return whether a clause begins with "now" and a verb, in a language that needs no pronoun: "ahora va a piano"."""
    own = LEXICONS.read("clause_splits", language).words("own_subject")
    now = _patterns(language).now.match(" ".join(opening))
    if not own or now is None or capital_names(clause.text[now.end() :], language):
        return False
    after = " ".join(opening)[now.end() :].split()
    return bool(after) and after[0].split("'")[0] not in own


def _split(text: str, start: int, forms: _Patterns, language: str, depth: int = 1) -> list[tuple[int, int]]:
    for joint in _joints(text, start, forms):
        left, right = _trimmed(text, start, joint.start()), _trimmed(text, joint.end(), len(text))
        if depth < _MOST and _is_split(text[slice(*left)], text[slice(*right)], joint.group(), forms, language):
            return [left, *_split(text, right[0], forms, language, depth + 1)]
    return [_trimmed(text, start, len(text))]


def _joints(text: str, start: int, forms: _Patterns) -> Iterator[re.Match[str]]:
    return forms.joints.finditer(lowered(text), start)


def _is_split(left: str, right: str, joint: str, forms: _Patterns, language: str) -> bool:
    before, after = len(left.split()), len(right.split())
    if min(before, after) < _LEAST or left.count("(") != left.count(")"):
        return False
    if forms.subject and forms.subject.search(lowered(left)):
        return False  # "Jo says she and Marcus are getting married"
    if joint.startswith(";"):
        return min(before, after) >= _LEAST_APART
    opening = " ".join(lowered(right).split()[:_BEGINNING])
    begins, named = forms.begins.search(opening), _begins_with_name(right, language)
    if forms.was.search(lowered(left)):
        said_now = forms.now.search(lowered(right)) and (named or begins or forms.now.match(opening))
        return bool(said_now or (begins and len(joint) > _MARK))
    whole = named and begins and not joint.startswith((",", ":")) and capital_names(left, language)
    return bool(whole) and not all(word[:1].isupper() for word in _WORD.findall(left))  # "Anne, Emil et Ida ont …"


def _begins_with_name(text: str, language: str) -> bool:
    names = capital_names(text, language)
    return bool(names) and text.startswith(names[0])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _ENDS:
        start += 1
    while end > start and text[end - 1] in " \t,;:–—":
        end -= 1
    return start, end


@dataclass(frozen=True)
class _Asking:
    """Where a question begins behind a mark; beginnings of a sentence in which nothing is stated before it."""

    joints: re.Pattern[str]
    dependent: re.Pattern[str]


@cache
def _asking(language: str) -> _Asking:
    own = LEXICONS.read("clause_splits", language)
    asking = word_expression(own.listed("asking"), lowered)
    joins = word_expression(own.listed("coordinating"), lowered)
    dependent = word_expression([*own.listed("dependent"), *own.listed("asking")], lowered)
    return _Asking(
        joints=re.compile(rf"(?:[,;:]|\s[–—-])\s(?P<asked>(?:(?:{joins})\s)?[¿]?(?:{asking})(?!\w))"),
        dependent=re.compile(rf"\W*(?:{dependent})(?!\w)"),
    )


@cache
def _former(language: str) -> re.Pattern[str]:
    return word_pattern(LEXICONS.read("clause_splits", language).listed("former"))


@cache
def _patterns(language: str) -> _Patterns:
    own = LEXICONS.read("clause_splits", language)
    joins = word_expression(own.listed("coordinating"), lowered)
    subjects = word_expression(own.listed("subjects"), lowered) if "subjects" in own.keys else ""
    return _Patterns(
        joints=re.compile(rf"[,;:–—]\s(?:(?:{joins})\s)?|\s(?:{joins})\s|\s-\s"),
        was=word_pattern([*own.listed("former"), *own.listed("ending"), *own.listed("last_day")]),
        now=word_pattern(own.listed("present")),
        begins=word_pattern(own.listed("beginning")),
        subject=re.compile(rf"(?<!\w)(?:{subjects})\Z") if subjects else None,
    )
