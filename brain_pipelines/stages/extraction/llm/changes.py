"""A stored line after the changes of a model's answer: words that replace words of the line."""

import re
from collections.abc import Sequence

from brain_pipelines.stages.extraction.llm.prompt import Change
from brain_pipelines.stages.extraction.llm.quotes import Quotable

# Words in the place of a few that hold so much of what stands around these are meant as the whole line.
WHOLE_LINE, FEWEST_WORDS = 0.6, 4
_WORD = re.compile(r"\w+")
_MARKS = " .,;:!?\"'„“”«»()"


def changed(line: str, changes: Sequence[Change]) -> str | None:
    """Return the line after all changes, each made at every occurrence of its words; None if one fits nowhere.

    >>> changed("He said that he pays.", [Change(a="He", b="Salim")])
    'Salim said that he pays.'
    """
    given = [(_flat(one.a), _flat(one.b)) for one in changes]
    given = [(old, new) for old, new in given if old != new]
    whole = [new for old, new in given if not old or _is_whole(line, old, new)]
    if whole:
        return whole[0]
    stored, spans = Quotable(line), list[tuple[int, int, str]]()
    for old, new in given:
        places = _places(stored, old)
        if not places:  # a mark that the line does not have behind these words
            old, new = old.strip(_MARKS), new.strip(_MARKS)
            places = _places(stored, old)
        # Words of the sentence may have been replaced already in the stored line.
        if not places and not _places(stored, new):
            return None
        spans += [(start, stop, new) for start, stop in places]
    text, end = "", 0
    for start, stop, new in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:  # of two that overlap the first, the longer one
            text, end = text + line[end:start] + new, stop
    return _flat(text + line[end:])


def _places(line: Quotable, words: str) -> list[tuple[int, int]]:
    """Return the occurrences of words that cut no word, in other letter case only if there is none in theirs."""
    found = list(line.every(words))
    return [(start, end) for start, end in found if line.text[start:end] == words] or found


def _is_whole(line: str, old: str, new: str) -> bool:
    """Return whether the new words say again what stands around the old ones."""
    around = _WORD.findall(line.replace(old, " ", 1).casefold())
    said = set(_WORD.findall(new.casefold()))
    return len(around) >= FEWEST_WORDS and sum(word in said for word in around) >= WHOLE_LINE * len(around)


def _flat(text: str) -> str:
    return " ".join(text.split())
