"""Word tokenisation with offsets, and stop words by language. Regular expressions only, no parser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

from brain_pipelines.stages.enrichment.lexicons import LEXICONS
from brain_retrieval.language.lexicon import ENGLISH, SHARED

_HAN = "\u3400-\u9fff"
_KANA = "\u30a0-\u30ff"  # katakana, which writes words; hiragana mostly joins them
_WORD = re.compile(rf"[{_HAN}]{{2}}|[{_KANA}]{{2,}}|[^\W_{_HAN}{_KANA}\u3040-\u309f]+(?:['’-][^\W_{_HAN}]+)*")
_ALIASES = {"no": "nb", "nn": "nb"}


@dataclass(frozen=True)
class Word:
    """Characters `start` to `end` of the text; `key` is the word in lower case with plain apostrophes."""

    start: int
    end: int
    surface: str
    key: str


def words_of(text: str, start: int = 0, end: int | None = None) -> Iterator[Word]:
    """Yield the words of `text[start:end]`. Chinese, which has no spaces, is taken two characters at a time."""
    for found in _WORD.finditer(text, start, len(text) if end is None else end):
        surface = found[0]
        yield Word(found.start(), found.end(), surface, surface.lower().replace("’", "'"))


@cache
def empty_words(language: str | None) -> frozenset[str]:
    """Return the stop words of a language and of English, which occurs in texts of all languages."""
    return frozenset(_weak_words() | function_words(language))


@cache
def function_words(language: str | None) -> frozenset[str]:
    """Return the function words of a language and of English."""
    return _function_words(ENGLISH) | (_function_words(language) if language else frozenset())


@cache
def vague_words() -> frozenset[str]:
    """Return English words that are too general for a keyword, but not empty."""
    return frozenset(_listed("vague.txt"))


@cache
def vague_nouns() -> frozenset[str]:
    """Return nouns of all languages that are no term alone ("problem", "Montag"), though they may be part of one."""
    dates = SHARED.every_language("dates")
    days = {word.lower() for key in ("months", "weekdays") for word in dates.listed(key)}
    nouns = LEXICONS.every_language("keywords").listed("vague")
    return frozenset(days.union(*(entry.split() for entry in nouns)))


def _weak_words() -> set[str]:
    return _listed("weak.txt")


def _listed(name: str) -> set[str]:
    lines = (LEXICONS.folder / ENGLISH / name).read_text("utf-8").splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def _function_words(language: str) -> frozenset[str]:
    """Return the stop words that spaCy (MIT) keeps for a language; none where it has none.

    Their file alone is loaded. The package around it is the language's tokeniser, whose expressions take seconds of
    the processor in French, as spaCy itself does.
    """
    library = find_spec("spacy")
    if library is None or library.origin is None or not language.isidentifier():  # a text may name any language
        return frozenset()
    file = Path(library.origin).parent / "lang" / _ALIASES.get(language, language) / "stop_words.py"
    spec = spec_from_file_location(f"stop_words_of_{language}", file) if file.is_file() else None
    if spec is None or spec.loader is None:
        return frozenset()
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return frozenset(word.lower() for word in module.STOP_WORDS)
