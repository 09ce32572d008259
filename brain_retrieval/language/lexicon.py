"""Word lists as data: `lexicons/<language>/<subject>.toml` beside the package that uses them, read once.

A language is a folder named by its ISO 639-1 code; adding one is adding a folder. Each key of a file holds words:

    months = "january february march"          # separated by white space, over several lines where it is long
    articles = ["the ", "a few"]               # an array where an entry has blanks
    [numbers]                                  # a table where each word has a value
    one = 1

The English file decides which keys there are. Another language may leave keys out, which then are empty; a key that
English lacks, and a value of another kind, are errors that name the file.
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from brain_retrieval.errors import BrainError

ENGLISH = "en"
_CODE = re.compile(r"[a-z]{2,3}")


class LexiconError(BrainError):
    """A lexicon file that is missing, unreadable or holds an unknown key."""


class Lexicon:
    """The words of one subject in one language, or in several together."""

    def __init__(self, place: str, content: dict[str, Any]) -> None:
        self._place = place
        self._content = content

    def listed(self, key: str) -> tuple[str, ...]:
        """Return the words of `key` in their order; of a table its keys."""
        value = self._value(key)
        return tuple(value.split()) if isinstance(value, str) else tuple(value)

    def words(self, key: str) -> frozenset[str]:
        """Return the words of `key`."""
        return frozenset(self.listed(key))

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys in the order of the file."""
        return tuple(self._content)

    def table(self, key: str) -> dict[str, Any]:
        """Return the words of `key` with their values.

        Raises:
            LexiconError: if the words of `key` have no values.
        """
        value = self._value(key)
        if not isinstance(value, dict):
            raise LexiconError(f"{self._place}: {key} is no table")
        return dict(value)

    def pattern(self, *keys: str) -> str:
        """Return a regular expression for any word of `keys`, longest first, case to be set by the caller."""
        return alternatives(word for key in keys for word in self.listed(key))

    def expression(self, *keys: str) -> str:
        """Return a regular expression for any of `keys` whose entries are regular expressions, in their order."""
        return "|".join(entry for key in keys for entry in self.listed(key)) or NOTHING

    def _value(self, key: str) -> Any:
        if key not in self._content:
            raise LexiconError(f"{self._place}: there is no key {key!r}; it has {', '.join(sorted(self._content))}")
        return self._content[key]


NOTHING = r"(?!)"  # matches nowhere: the alternatives of no words


def alternatives(words: Iterable[str]) -> str:
    """Return a regular expression for any of `words`, the longest first."""
    longest = sorted(dict.fromkeys(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word) for word in longest) or NOTHING


def number_of(words: Iterable[str]) -> dict[str, int]:
    """Return each word with its position, from 1: months, weekdays."""
    return {word: number for number, word in enumerate(words, start=1)}


def code_of(language: str | None) -> str:
    """Return the ISO 639-1 code of "de", "de-AT" or "DE"; "en" for None."""
    return re.split(r"[-_]", language or ENGLISH)[0].lower()


class Lexicons:
    """The lexicons of one package: a folder with one subfolder per language."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read = cache(self._read)
        self.every_language = cache(self._every_language)
        self.languages = cache(self._languages)  # asked for each sentence of a text

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return the subjects, which English has all of."""
        return tuple(sorted(path.stem for path in (self.folder / ENGLISH).glob("*.toml")))

    def _languages(self, subject: str) -> tuple[str, ...]:
        """Return the languages that have `subject`, English first."""
        found = {
            path.parent.name for path in self.folder.glob(f"*/{subject}.toml") if _CODE.fullmatch(path.parent.name)
        }
        return (ENGLISH, *sorted(found - {ENGLISH}))

    def has(self, subject: str, language: str | None) -> bool:
        """Return whether `subject` exists in `language`."""
        return code_of(language) in self.languages(subject)

    def _read(self, subject: str, language: str = ENGLISH) -> Lexicon:
        """Return the words of `subject` in `language`, a code or one with a region ("fr-FR").

        Raises:
            LexiconError: if the file is missing or cannot be read, or has a key that the English file lacks.
        """
        language = code_of(language)
        english = _load(self.folder / ENGLISH / f"{subject}.toml")
        if language == ENGLISH:
            return Lexicon(f"{ENGLISH}/{subject}.toml", english)
        path = self.folder / language / f"{subject}.toml"
        return Lexicon(f"{language}/{subject}.toml", _completed(path, _load(path), english))

    def _every_language(self, subject: str) -> Lexicon:
        """Return the words of `subject` in all languages together, English first, for texts that mix them."""
        merged: dict[str, Any] = {}
        for language in self.languages(subject):
            lexicon: Lexicon = self.read(subject, language)
            for key in _load(self.folder / ENGLISH / f"{subject}.toml"):
                merged[key] = tuple(dict.fromkeys((*merged.get(key, ()), *lexicon.listed(key))))
        return Lexicon(f"*/{subject}.toml", merged)


@cache
def _load(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise LexiconError(f"there is no lexicon {path}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LexiconError(f"the lexicon {path} cannot be read: {error}") from error
    for key, value in content.items():
        entries = list(value) if isinstance(value, list | dict) else [value]
        if not all(isinstance(entry, str) and entry for entry in entries):
            raise LexiconError(f"the lexicon {path}: {key} holds something else than words")
    return content


def _completed(path: Path, content: dict[str, Any], english: dict[str, Any]) -> dict[str, Any]:
    if unknown := sorted(set(content) - set(english)):
        raise LexiconError(f"the lexicon {path}: unknown key {', '.join(unknown)}; English has {', '.join(english)}")
    for key in content:
        if isinstance(content[key], dict) != isinstance(english[key], dict):
            raise LexiconError(f"the lexicon {path}: {key} is a table in one language and none in the other")
    return {key: content.get(key, {} if isinstance(value, dict) else ()) for key, value in english.items()}


SHARED = Lexicons(Path(__file__).parent / "lexicons")
