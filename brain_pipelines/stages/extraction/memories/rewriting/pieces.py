"""What shows that a sentence is a piece of something else, so that it is not readable on its own."""

import re

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import is_given_name
from brain_pipelines.stages.extraction.memories.main_clause import MainClause
from brain_pipelines.stages.extraction.memories.rewriting.pronouns import implied
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals, Word

_LABEL = re.compile(r"[^\W\d_a-zß-ÿ][\w.'-]{0,20}(?: [^\W\d_a-zß-ÿ][\w.'-]{0,20}){0,3}:\s")
_COUNT = "CD"
_LEAST_CALLED = 4  # words
_OF_A_NAME, _SAYS_WHO = ("DET", "PROPN", "NOUN", "ADJ", "ADP", "SCONJ"), ("WP", "WDT", "WP$", "PRP$")
_SHOWN, _MOMENTS = (LEXICONS.read("rewriting").words(key) for key in ("shown", "moments"))
_TIMES = _MOMENTS | LEXICONS.read("memorable").words("times") | LEXICONS.read("rewriting").words("spans")
_FINITE = ("VBD", "VBZ", "VBP", "VB", "MD")
_MEASURED = frozenset({"date", "time", "month", "year", "duration"})
_CURRENCY = re.compile(r"[A-Z]{3}(?:/\w{1,20})?")  # the dimension of an amount of money
_LEADS_ON = frozenset({"IN", "DT", "CC", "TO", "PRP$", "WDT"})  # of a last word that something must follow
_WHICH = frozenset({"WDT", "WP$"})
_CLOSED = tuple(".!?…\"'”’)»")


def is_piece(sentence: Sentence, signals: Signals, start: int = 0) -> bool:
    """Return whether a sentence was cut, quotes what another one says, or counts things that it does not name.

    Args:
        sentence: with its speaker.
        signals: what it states; without a verb a line must state something: "Dentist on 3 May at 9:30".
        start: where it begins once its openers are cut.
    """
    text = sentence.text[start:].rstrip()
    if text.count("(") != text.count(")") or text.count('"') % 2 or text.endswith(","):
        return True
    if sentence.speaker and _is_said_by(sentence, start):
        return True  # the minutes of a scribe: "Ann: Bo: we agreed"
    if not sentence.words:
        return False
    if sentence.listener is None and _is_called(sentence):
        return True
    if not (_states(signals) and _names_a_thing(sentence) or _has_main_verb(sentence)):
        return True
    return _counts_only(sentence) or _points(sentence) or _is_cut(sentence, text)


def _is_called(sentence: Sentence) -> bool:
    """Return whether a line of minutes begins with who says or is to do what follows: "Sam, will close it today".

    A name with what someone is ("Sam, our treasurer, …") or with others ("Sam, Ida and Noé met") is the subject.
    """
    if (
        len(sentence.words) < _LEAST_CALLED
        or sentence.words[1].text != ","
        or not is_given_name(sentence.words[0].text)
    ):
        return False
    after = sentence.words[2]
    return after.pos not in ("DET", "PROPN", "NOUN", "ADJ", "ADP", "SCONJ") and after.tag not in (
        "WP",
        "WDT",
        "WP$",
        "PRP$",
    )


def _states(signals: Signals) -> bool:
    """Return whether a line without a verb says when, how much or an attribute: a title may have a count."""
    dimensions = [value.dimension for value in signals.values]
    return bool(signals.slot) or any(one in _MEASURED or _CURRENCY.fullmatch(one) for one in dimensions)


def _names_a_thing(sentence: Sentence) -> bool:
    """Return whether a line has a noun besides times: "Dentist on 3 May", not "For about half a day today"."""
    nouns = (word for word in sentence.words if word.pos in ("NOUN", "PROPN"))
    return any(_TIMES.isdisjoint((noun.text.casefold(), noun.lemma.casefold())) for noun in nouns)


def _has_main_verb(sentence: Sentence) -> bool:
    """Return whether the sentence itself has a verb, not only something named or put in brackets in it."""
    clause = MainClause(sentence)
    verbs = [*clause.verbs, *(clause.helpers if clause.subject is not None else ())]
    if any(verb.tag in _FINITE and not _is_aside(sentence, verb) for verb in verbs):
        return True
    return implied(sentence) is not None


def _is_aside(sentence: Sentence, verb: Word) -> bool:
    """Return whether a verb is a word of a name or stands in brackets: "Jimmy Eat World (202 plays)"."""
    before = sentence.text[: verb.start]
    return before.count("(") > before.count(")") or any(n.start <= verb.start < n.end for n in sentence.names)


def _points(sentence: Sentence) -> bool:
    """Return whether a thing is shown rather than named: "This link has a query"; "this year" is a time."""
    shown = (word for word in sentence.words if word.dep == "det" and word.text.casefold() in _SHOWN)
    nouns = (sentence.words[word.head] for word in shown)
    return any(noun.pos == "NOUN" and _MOMENTS.isdisjoint((noun.text.casefold(), noun.lemma)) for noun in nouns)


def _is_said_by(sentence: Sentence, start: int) -> bool:
    """Return whether a sentence begins with the name of another speaker."""
    label = _LABEL.match(sentence.text, start)
    return label is not None and any(name.type == "Person" and name.start == start for name in sentence.names)


def _is_cut(sentence: Sentence, text: str) -> bool:
    """Return whether something must stand before or behind: "From which it is made.", "The plot on page 79 of"."""
    if not text.endswith(_CLOSED) and sentence.words[-1].tag in _LEADS_ON:
        return True
    first = [word.tag for word in sentence.words[:2]]
    opening = sentence.words[0]
    if opening.dep == "mark" and sentence.words[opening.head].head == opening.head:
        return True  # "Because I was tired", a title or an answer
    return not text.endswith("?") and (first[0] in _WHICH or first == ["IN", "WDT"])


def _counts_only(sentence: Sentence) -> bool:
    """Return whether the subject is a bare number: "4 were unclear about it", "5 of 6 had seen the task"."""
    subject = MainClause(sentence).subject
    if subject is None or subject.tag != _COUNT or not subject.text[:1].isdigit():
        return False
    place = sentence.words.index(subject)
    inside = [word for word in sentence.words[place + 1 : place + 4] if word.pos in ("NOUN", "PROPN")]
    return not inside
