"""List marks of Word paragraphs, bullets and numbers as Word counts them. Runs in the sandbox's child."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from brain_pipelines.readers.document.ooxml import read_member
from brain_retrieval.errors import BadInputError

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_LEVELS = 9  # of the format
MAX_BASED_ON = 20  # styles that are based on one another
_PLACE = re.compile(r"%(\d)")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN += ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(frozen=True)
class _Level:
    """`form` is Word's name of the number format, `text` its pattern: "%1.%2"."""

    form: str
    text: str
    start: int


class Lists:
    """Counts the numbered paragraphs of one document, in the order in which `mark` is asked for them."""

    def __init__(self, path: Any, styles: Any) -> None:
        try:
            root = read_member(path, "word/numbering.xml")
        except BadInputError:  # a damaged list of formats: every mark is a dash
            root = None
        abstract = {e.get(_W + "abstractNumId"): _levels(e) for e in _all(root, "abstractNum")}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._series: dict[str, str] = {}  # lists of one abstract list go on counting
        for number in _all(root, "num"):
            own = _value(number, "abstractNumId")
            overrides = {**_levels(number), **_restarts(number, abstract.get(own, {}))}
            name = number.get(_W + "numId") or ""
            self._levels[name] = {**abstract.get(own, {}), **overrides}
            self._series[name] = name if overrides else f"abstract {own}"
        self._styles = _numbered_styles(styles)
        self._counts: dict[str, list[int]] = {}

    def mark(self, paragraph: Any, style: str) -> str:
        """Return the mark of a paragraph with its indent, "  - " or "2. "; "" if it is in no list."""
        own = paragraph.find(f"{_W}pPr/{_W}numPr")
        inherited = self._styles.get(style, ("", 0))
        name = (_value(own, "numId") if own is not None else "") or inherited[0]
        if name in ("", "0"):  # 0 takes a paragraph out of its style's list
            return ""
        level = min(_number(_value(own, "ilvl") if own is not None else "", inherited[1]), MAX_LEVELS - 1)
        indent = "  " * level
        found = self._levels.get(name, {}).get(level)
        if found is None or found.form in ("bullet", "none") or not _PLACE.search(found.text):
            return f"{indent}- "
        return f"{indent}{self._numbered(name, level, found)} "

    def _numbered(self, name: str, level: int, found: _Level) -> str:
        levels = self._levels[name]
        starts = [levels[n].start if n in levels else 1 for n in range(MAX_LEVELS)]
        counts = self._counts.setdefault(self._series[name], [start - 1 for start in starts])
        counts[level] += 1
        counts[level + 1 :] = [start - 1 for start in starts[level + 1 :]]
        for above in range(level):  # a level that was left out counts as begun
            counts[above] = max(counts[above], starts[above])

        def shown(match: re.Match[str]) -> str:
            at = min(max(int(match[1]), 1), MAX_LEVELS) - 1
            form = levels[at].form if at in levels else "decimal"
            return _FORMS.get(form, str)(counts[at])

        return _PLACE.sub(shown, found.text)


def _levels(parent: Any) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for element in parent.iter(f"{_W}lvl"):
        form, text = _value(element, "numFmt") or "decimal", _value(element, "lvlText")
        start = _number(_value(element, "start"), 1)
        found[_number(element.get(_W + "ilvl") or "", 0)] = _Level(form, text[:40], start)
    return found


def _restarts(number: Any, levels: dict[int, _Level]) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for override in number.iter(f"{_W}lvlOverride"):
        at = _number(override.get(_W + "ilvl") or "", 0)
        start = _value(override, "startOverride")
        if start and at in levels:
            found[at] = _Level(levels[at].form, levels[at].text, _number(start, 1))
    return found


def _numbered_styles(styles: Any) -> dict[str, tuple[str, int]]:
    """Return style id -> list and level, also for styles based on one with a list."""
    own: dict[str, tuple[str, int]] = {}
    based: dict[str, str] = {}
    for style in styles.iterfind(f"{_W}style"):
        name = style.get(_W + "styleId") or ""
        based[name] = _value(style, "basedOn")
        numbering = style.find(f"{_W}pPr/{_W}numPr")
        if numbering is not None and _value(numbering, "numId"):
            own[name] = _value(numbering, "numId"), _number(_value(numbering, "ilvl"), 0)
    found: dict[str, tuple[str, int]] = {}
    for name in based:
        at = name
        for _ in range(MAX_BASED_ON):
            if at in own:
                found[name] = own[at]
                break
            at = based.get(at, "")
    return found


def _all(root: Any, tag: str) -> Any:
    return root.iterfind(f"{_W}{tag}") if root is not None else ()


def _value(parent: Any, tag: str) -> str:
    element = parent.find(_W + tag)
    return (element.get(_W + "val") or "") if element is not None else ""


def _number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else default


def _letters(count: int) -> str:
    """Return a, b … z, aa, bb …, as Word counts."""
    return chr(97 + (count - 1) % 26) * min((count - 1) // 26 + 1, 10) if count > 0 else "0"


def _roman(count: int) -> str:
    if not 0 < count < 4000:
        return str(count)
    text = ""
    for value, letters in _ROMAN:
        times, count = divmod(count, value)
        text += letters * times
    return text


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda count: _letters(count).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda count: _roman(count).upper(),
    "decimalZero": lambda count: f"{count:02}",
}
