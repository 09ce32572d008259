"""Checks of a model's line against its sentence: nothing lost, nothing added. On any doubt the local line stands.

Numbers, names and negations are compared as words, so the checks hold for every language with capital letters.
"""

import re
from collections.abc import Iterable

from brain_pipelines.stages.extraction.llm.lines import Line, Row
from brain_pipelines.stages.extraction.llm.notes import Slot, period_of
from brain_pipelines.stages.extraction.llm.prompt import ATTRIBUTES
from brain_pipelines.stages.extraction.llm.quantities import names_a_time, quantity_fault
from brain_pipelines.stages.extraction.llm.quotes import Quotable
from brain_retrieval.language.negation import negation, not_denials
from brain_retrieval.language.stop_words import function_words

# Share of the sentence's content words that its line must hold. Less is another sentence, or a summary.
COMMON_WORDS = 0.4
# Years between the day of saying and a date that the sentence does not spell out.
NEAR_YEARS = 2
STEM = 4
OWNER = "user"  # the owner of the archive, as requests name them
_BRACKETS = re.compile(r"\[([^\]\[]*)\]")
_ISO = re.compile(r"\b\d{4}(?:-\d\d(?:-\d\d)?)?\b")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBERED = re.compile(r"(?i)\bno\. ?\d")  # "no. 5" denies nothing


def fault_of(text: str, line: Line, language: str | None) -> str:
    """Return what is wrong with a model's line, "" if nothing is."""
    row = line.row
    said, local = row["evidence"], row["text"]
    known = " ".join([said, local, *(before.shown for before in line.before), *_people(row)])
    plain, dates = _BRACKETS.sub(" ", text), _ISO.findall(" ".join(_BRACKETS.findall(text)))
    if not plain.strip():
        return "it is empty"
    if not _numbers(said) <= _numbers(text) or not set(_bracketed(local)) <= set(dates):
        return "a number or a date is lost"
    if not _numbers(plain) <= _numbers(known):
        return "a number is added"
    if fault := quantity_fault(said, plain, f"{known} {line.day}", language, dated=bool(dates)):
        return fault
    if not all(is_near(day, line) for day in dates):
        return "a date is added"
    # Brackets hold dates, and words of a heading or a sentence before.
    aside = _ISO.sub(" ", " ".join(_BRACKETS.findall(text)))
    if _words(aside) - _words(known) or not _numbers(aside) <= _numbers(known):
        return "words in brackets are added"
    if _names(said, language, first=_named(row)) - _words(text) - _words(" ".join(_people(row))):
        return "a name is lost"
    if _names(plain, language, first=None) - _words(known):
        return "a name is added"
    names = {name for name in _names(said, language, first=None) if not names_a_time(name, language)}
    if not _in_order(names, said, plain):
        return "names have changed places"
    if denials(said, language) != denials(plain, language):
        return "a negation is lost or added"
    if _common(said, text, function_words(language) | _words(" ".join(_people(row)))) < COMMON_WORDS:
        return "it says something else"
    return ""


def is_near(day: str, line: Line) -> bool:
    """Return whether a date exists, and is spelt out in the sentence or near the day on which it was said."""
    period = period_of(day)
    if period is None:
        return False
    said = line.row["said_at"].year
    return abs(period[0].year - said) <= NEAR_YEARS or day[:4] in line.row["evidence"]


def _people(row: Row) -> Iterable[str]:
    return [name for name in (row["speaker"], row["listener"]) if name]


def _bracketed(text: str) -> list[str]:
    return _ISO.findall(" ".join(_BRACKETS.findall(text)))


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _named(row: Row) -> set[str]:
    return _words(" ".join(entity["name"] for entity in row["entities"]))


def _names(text: str, language: str | None, *, first: set[str] | None) -> set[str]:
    """Return the capitalised words of a text, in lower case, without function words.

    The first word is capitalised in any case: it counts if it is one of `first`, with None always.
    """
    common = function_words(language)
    words = _WORD.findall(text)
    names = {word.casefold() for word in words[1:] if word[0].isupper() and len(word) > 1}
    opens = words[0] if words and words[0][0].isupper() and len(words[0]) > 1 else ""
    # Without function words of the language a name looks like an ordinary word.
    if opens and (opens.casefold() in first if first is not None else common):
        names.add(opens.casefold())
    return names - common


def _in_order(names: set[str], said: str, text: str) -> bool:
    """Return whether a text has the names of a sentence in their order; before and between them they may come again."""
    given = iter(word.casefold() for word in _WORD.findall(text))
    held = names & _words(text)
    order = dict.fromkeys(word.casefold() for word in _WORD.findall(said) if word.casefold() in held)
    return all(name in given for name in order)


def denials(text: str, language: str | None) -> int:
    """Return the number of negating words."""
    plain = not_denials(language).sub(" ", _NUMBERED.sub(" ", text.replace("’", "'")))
    return len(negation(language).findall(plain))


def _stems(text: str, leaving_out: frozenset[str] | set[str]) -> set[str]:
    """Return the first letters of the longer words of a text."""
    return {word[:STEM] for word in _words(text) - leaving_out if len(word) >= STEM}


def _common(said: str, text: str, leaving_out: frozenset[str]) -> float:
    """Return the share of the content words of `said` that `text` holds, compared by their first letters."""
    content = _stems(said, leaving_out)
    held = {word[:STEM] for word in _words(text)}
    return len(content & held) / len(content) if content else 1.0


def says_slot(slot: Slot, text: str, row: Row, language: str | None) -> bool:
    """Return whether a text states subject and value of a slot, and the subject is someone or something with a name.

    An attribute that the prompt does not list is an office, which the text has to name.
    """
    subject, attribute, value = slot
    said, common = Quotable(text), function_words(language)
    named = {entity["name"].casefold() for entity in row["entities"]} | {name.casefold() for name in _people(row)}
    whole = subject.casefold() in named | {OWNER} or _names(subject, language, first=None) >= _words(subject) - common
    office = attribute.replace("_", " ")
    return (
        whole
        and said.holds(subject)
        and said.holds(value)
        and bool(_words(value) - common or _numbers(value))
        and subject.casefold() != value.casefold()
        and not all(names_a_time(word, language) for word in subject.split())
        and (attribute in ATTRIBUTES or said.holds(office))
    )


def may_end(row: Row, earlier: Row, language: str | None) -> bool:
    """Return whether a sentence may end what an earlier one says: it tells a change, or both have a word in common."""
    if row["cue"] != "none":
        return True
    known = {entity["entity_id"] for entity in row["entities"] if entity["role"] != "speaker"}
    if not known.isdisjoint(entity["entity_id"] for entity in earlier["entities"]):
        return True
    common = function_words(language) | _words(" ".join(_people(row)))
    return bool(_stems(row["evidence"], common) & _stems(earlier["evidence"], common))
