"""Which of several word lists a text has a word of, without compiling the lists to patterns.

The entries are those of `plain.py`: words, beginnings of words (`wohn*`) and expressions of several words. Most are
single words, which are looked up among the words of the text; an expression is compiled when a text has its first word.
Patterns of all lists took a third of the CPU time of the first search of a process.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from brain_retrieval.language.plain import REST, expression_of, lowered

_WORD = re.compile(r"\w+")
_FIRST = re.compile(r"(\w+)(\*?)")


class WordSearch:
    """Word lists by key, searched together.

    >>> WordSearch({"home": ["wohn*", "lives in"]}).keys_in("he lives in a house")
    frozenset({'home'})
    """

    def __init__(self, lists: Mapping[str, Iterable[str]], form_of: Callable[[str], str] = lowered) -> None:
        self._words: dict[str, set[str]] = defaultdict(set)
        self._beginnings: dict[str, set[str]] = defaultdict(set)
        self._after: dict[tuple[str, bool], set[tuple[str, str]]] = defaultdict(set)  # by the first word
        self._anywhere: set[tuple[str, str]] = set()
        for key, entries in lists.items():
            for form in {form_of(entry) for entry in entries}:
                self._add(key, form)
        self._lengths = sorted({len(start) for start in self._beginnings} | {len(s) for s, cut in self._after if cut})

    def _add(self, key: str, form: str) -> None:
        first = _FIRST.match(form)
        if first is None:
            self._anywhere.add((key, form))
        elif first.end() < len(form):
            self._after[first[1], bool(first[2])].add((key, form))
        elif first[2]:
            self._beginnings[first[1]].add(key)
        else:
            self._words[first[1]].add(key)

    def keys_in(self, text: str) -> frozenset[str]:
        """Return the keys of the lists with an entry in `text`, which is in the form of the entries."""
        found = set[str]()
        maybe = set(self._anywhere)
        for word in _words_of(text):
            found |= self._words.get(word, _NONE)
            maybe |= self._after.get((word, False), _NONE)
            for length in self._lengths:
                if length > len(word):
                    break
                maybe |= self._after.get((word[:length], True), _NONE)
                if len(word) <= length + REST:
                    found |= self._beginnings.get(word[:length], _NONE)
        found.update(key for key, form in maybe if key not in found and _pattern(form).search(text) is not None)
        return frozenset(found)


_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=64)  # a question is looked through for many lists
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


@lru_cache(maxsize=1 << 13)
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{expression_of(form)})(?!\w)")
