"""The words of the page by language. Templates and modules are in English; `words/<language>.toml` has each other one.

[[Latest sources]]      in a template: replaced when the template is loaded for a language
[[to|until a day]]      what follows the bar only tells words apart that are alike in English
word("2 sources")       in a module
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

from jinja2 import BaseLoader, Environment, FileSystemLoader

FOLDER = Path(__file__).parent
ENGLISH = "en"
NAMES = {ENGLISH: "English"} | {path.stem: "" for path in sorted(FOLDER.glob("*.toml"))}
COOKIE = "brain_language"
MARK = re.compile(r"\[\[([^\]\n]{1,400})\]\]")
FORBIDDEN = re.compile(r"[<>&\"'{}]")  # in a word that stands in a template: it would be markup or code there
_now: ContextVar[str] = ContextVar("language of the page", default=ENGLISH)


@lru_cache(16)
def words_of(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return the words of a language by the English ones, for "templates" and for "modules"; none for English."""
    if language == ENGLISH:
        return {"templates": {}, "modules": {}}
    return tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))


def name_of(language: str) -> str:
    """Return what a language calls itself."""
    return NAMES[language] or tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))["name"]


def language() -> str:
    """Return the language of the page that is being made."""
    return _now.get()


def use(chosen: str) -> Callable[[], None]:
    """Make pages in a language from now on, in this request; return what ends that."""
    token = _now.set(chosen)
    return lambda: _now.reset(token)


def word(text: str) -> str:
    """Return a word or sentence in the language of the page, as it is where that has none for it.

    >>> word("to|until a day")
    'to'
    """
    return words_of(_now.get())["modules"].get(text) or text.partition("|")[0]


def wanted(accepted: str, cookie: str = "") -> str:
    """Return the language to use: the one chosen before, else the first one known that the browser accepts.

    >>> wanted("fr;q=0.9, de-AT;q=0.8, en;q=0.5"), wanted("en", "xx")
    ('de', 'en')
    """
    if cookie in NAMES:
        return cookie
    rated: list[tuple[float, int, str]] = []
    for place, one in enumerate(accepted[:1000].split(",")):
        tag, _, weight = one.strip().partition(";q=")
        try:
            rated.append((-float(weight or 1), place, tag.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    return next((tag for weight, _, tag in sorted(rated) if tag in NAMES and weight < 0), ENGLISH)


class Worded(BaseLoader):
    """Loads templates with their marked words in one language."""

    def __init__(self, folder: Path, chosen: str) -> None:
        self._files, self._words = FileSystemLoader(folder), words_of(chosen)["templates"]

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Return the source of a template."""
        source, path, fresh = self._files.get_source(environment, template)
        return MARK.sub(self._said, source), path, fresh

    def _said(self, match: re.Match[str]) -> str:
        found = self._words.get(match[1]) or match[1].partition("|")[0]
        if FORBIDDEN.search(found):
            raise ValueError(f"a word of a template has no markup and no quotation marks: {found!r}")
        return found
