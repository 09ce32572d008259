"""Asides of talk: what leads up to something said, and what comments on it, where the rest is a whole sentence.

| said | without its asides |
|---|---|
| So much has happened since we last spoke - I joined a choir. | I joined a choir. |
| I joined a choir last week and it's been really rewarding. | I joined a choir last week. |

An aside holds no number, no name, no day and nothing else that happened. The evidence of the memory still has it.
"""

import re
from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.speakers import OWNER
from brain_pipelines.stages.extraction.memories.persons import capital_names, has_person
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_retrieval.language.lexicon import code_of
from brain_retrieval.language.plain import lowered, word_pattern

_LEAST = 4  # words of what is left
_MOST = 16  # words of an aside
_JUDGED_EARLY = 8  # words of a comment among which the one that judges stands
_DASH = re.compile(r"\s+[-–—]+\s+|\s?—\s?|(?<=\w)[-–]\s")
_SUBJECTS = ("nsubj", "nsubjpass", "expl")
_FINITE = ("VBD", "VBZ", "VBP", "MD")


@dataclass(frozen=True)
class _Words:
    comment: re.Pattern[str]  # the mark or "and" before a comment, and its beginning
    judging: re.Pattern[str]
    leading: re.Pattern[str]  # of talk itself


def led_up_to(sentence: Sentence, start: int) -> int:
    """Return the offset behind a remark about the talk itself that a dash parts from what follows; `start`: none is."""
    words = _words(sentence.language)
    dash = _DASH.search(sentence.text, start)
    if not _is_talk(sentence) or words is None or dash is None:
        return start
    before, rest = sentence.text[start : dash.start()], sentence.text[dash.end() :]
    bare = len(before.split()) <= _MOST and not _states(sentence, start, dash.start())
    if not bare or len(rest.split()) < _LEAST or not words.leading.search(lowered(before)):
        return start
    return dash.end() if _has_subject(sentence, dash.end(), len(sentence.text)) else start


def commented_from(sentence: Sentence, signals: Signals, start: int) -> int | None:
    """Return the offset from which a sentence only comments on what it has said before: "and it was great".

    Args:
        sentence: of talk; of another there is no such comment.
        signals: its dates are no part of a comment.
        start: where the sentence begins once its openers are cut.
    """
    words = _words(sentence.language)
    if not _is_talk(sentence) or words is None:
        return None
    low = lowered(sentence.text)
    for joint in words.comment.finditer(low, start):
        place, said = joint.start(), sentence.text[joint.start("said") :]
        judged = words.judging.search(" ".join(lowered(said).split()[:_JUDGED_EARLY]))
        dated = any(date.end > place for date in signals.dates)
        whole = len(sentence.text[start:place].split()) >= _LEAST and _has_subject(sentence, start, place)
        if not judged or dated or not whole or len(said.split()) > _MOST or _tells_more(sentence, place):
            continue
        if not _states(sentence, joint.start("said"), len(sentence.text)) and not _of_people(said, sentence.language):
            return place
    return None


def _tells_more(sentence: Sentence, start: int) -> bool:
    """Return whether a comment has a sentence of its own in it: "it's hard to think that he is not here"."""
    return sum(word.tag in _FINITE for word in sentence.words if word.start >= start) > 1


def _is_talk(sentence: Sentence) -> bool:
    return sentence.listener is not None or sentence.speaker not in (None, OWNER)


def _states(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether characters `start` to `end` hold a number or a name."""
    text = sentence.text[start:end]
    if any(map(str.isdigit, text)) or any(start <= name.start < end for name in sentence.names):
        return True
    return bool(capital_names(text[:1].lower() + text[1:], sentence.language))


def _of_people(text: str, language: str | None) -> bool:
    """Return whether a comment tells what someone did or does, or has another half: "it was great, but I left"."""
    return any(has_person(text, person, language) for person in ("first", "first_plural"))


def _has_subject(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether characters `start` to `end` are a sentence: their verb has its subject among them.

    Without a parse there is none that is sure.
    """
    inside = [place for place, word in enumerate(sentence.words) if start <= word.start < end]
    subjects = {sentence.words[place].head for place in inside if sentence.words[place].dep in _SUBJECTS}
    helped = {sentence.words[place].head for place in inside if sentence.words[place].tag in _FINITE}
    return any(place in subjects and (place in helped or sentence.words[place].tag in _FINITE) for place in inside)


@cache
def _words(language: str | None) -> _Words | None:
    """Return the patterns of a language; None: it has none, as those that are not parsed."""
    code = code_of(language)
    if not LEXICONS.has("asides", code):
        return None
    lexicon = LEXICONS.read("asides", code)
    praise = LEXICONS.read("memorable", code).words("praise")
    joint = rf"(?:\s*[,;]?\s+(?:{lexicon.pattern('joining')})\s+|\s+[-–—]+\s+|\s?[–—]\s?|[,;]\s+)"
    comment = re.compile(rf"{joint}(?P<said>(?:{lexicon.pattern('comments')})(?!\w))")
    judging = word_pattern([*praise, *lexicon.listed("judging")])
    return _Words(comment, judging, word_pattern(lexicon.listed("of_talk")))
