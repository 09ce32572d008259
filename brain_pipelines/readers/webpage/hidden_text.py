"""Removal of invisible content from a page: scripts, styles, and text hidden by an attribute or a style.

Hidden text is a means of prompt injection. External style sheets and the effects of scripts are not considered.
An element with most of a page's words stays, because many pages hide their content until scripts have run.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from brain_pipelines.readers.webpage.font_size import is_tiny

MOST = 0.5  # of the page's text; an element with more is no hidden remark
UNSEEN = ("script", "style", "noscript", "template", "svg", "iframe", "object", "embed", "canvas", "datalist", "dialog")
MAX_RULES, MAX_SELECTORS, MAX_DECLARATIONS = 500, 2000, 2000
_HIDING = re.compile(
    r"""display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden|
    (?<![\w-])opacity\s*:\s*0?\.?0+\s*+(?:[;!}]|$)|
    (?<![\w-])(?:left|right|top|text-indent|margin-left)\s*:\s*-\s*\d{3,}(?:px|em|rem|pt|vw|%)|
    clip-path\s*:\s*inset\(\s*(?:50|100)%|transform\s*:\s*scale\(\s*0\s*\)|
    (?<![\w-])color\s*:\s*transparent""",
    re.I | re.X,
)
# every hiding style contains one of these; a substring test is cheaper than the patterns
_MARKS = ("none", "hidden", "collapse", "opacity", ":-", ": -", "inset", "scale", "transparent", "background")
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;!}]+)", re.I)
_GROUND = re.compile(r"(?<![\w-])background(?:-color)?\s*:\s*([^;!}\s]+)", re.I)
_NAMED = re.compile(r"(?:[a-z]+[1-6]?)?([.#])([\w-]+)", re.I)
# a medium as wide as a screen is, and the declarations that show again what another rule hides
_WIDE = re.compile(
    r"media\s*+(?:(?:only\s)?\s*+(?:screen|all)\s++and\s*+)?\(\s*+min-width\s*+:\s*+(?:\d{1,3}|1[0-3]\d\d)(?:\.\d+)?px\s*+\)",
    re.I,
)
_SHOWN = re.compile(
    r"(?<![\w-])(?:display\s*+:(?!\s*+none)|visibility\s*+:\s*+visible|opacity\s*+:\s*+(?:1|0?\.[1-9]))", re.I
)
_WHITES = {"white": "#ffffff", "#fff": "#ffffff", "black": "#000000", "#000": "#000000"}


def remove_hidden(tree: Any) -> None:
    """Remove in place what an lxml tree has of text that is not shown."""
    sheets = _sheets(tree)  # read before the style elements go
    names, sizes = _hiding_names(sheets), _sizes_of_names(sheets)
    for element in list(tree.iter(*UNSEEN)):
        element.drop_tree()
    total = max(1, text_length(tree))
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.tag in ("html", "body", "head") or not _hides(element, names):
            continue
        if element.getparent() is not None and text_length(element) <= total * MOST:
            element.drop_tree()
    _remove_tiny(tree, sizes)


def text_length(element: Any) -> int:
    """Return the number of characters of an element's text, without white space around each piece."""
    return sum(len(text.strip()) for text in element.itertext(tag=None) if text)


def _remove_tiny(tree: Any, sizes: Mapping[str, bool]) -> None:
    """Remove the pieces of text whose letters are too small to be seen, unless they are most of the text.

    Args:
        tree: of lxml.
        sizes: for the names ".class", "#id" and "tag" to which style elements give a size whether it is too small.
    """
    tiny: dict[Any, bool] = {}
    for element in tree.iter():
        own = _is_tiny(element, sizes) if isinstance(element.tag, str) else None
        tiny[element] = tiny.get(element.getparent(), False) if own is None else own
    if not any(tiny.values()):
        return
    pieces = [(each, "text") for each, is_small in tiny.items() if is_small and isinstance(each.tag, str) and each.text]
    pieces += [(each, "tail") for each in tiny if tiny.get(each.getparent()) and each.tail]
    if sum(len(getattr(element, place).strip()) for element, place in pieces) <= max(1, text_length(tree)) * MOST:
        for element, place in pieces:
            setattr(element, place, " ")


def _is_tiny(element: Any, sizes: Mapping[str, bool]) -> bool | None:
    """Return whether an element's own size is too small, None if it has none: its style before the page's rules."""
    if (own := is_tiny(element.get("style") or "")) is not None or not sizes:
        return own
    named = ["." + name for name in (element.get("class") or "").split()] + ["#" + (element.get("id") or "")]
    found = [sizes[name] for name in named if name in sizes]
    return any(found) if found else sizes.get(element.tag)


def _hides(element: Any, names: set[str]) -> bool:
    if "hidden" in element.attrib and element.get("hidden") != "until-found":
        return True
    if element.tag == "input" or hides(element.get("style") or ""):
        return True
    named = {"." + name for name in (element.get("class") or "").split()}
    return bool(names and (named | {"#" + (element.get("id") or "")}) & names)


@lru_cache(maxsize=4096)  # styles repeat
def hides(style: str) -> bool:
    """Return whether the declarations of a style hide the text they apply to."""
    if not any(mark in style for mark in _MARKS):
        return False
    if _HIDING.search(style):
        return True
    colour, ground = _COLOUR.search(style), _GROUND.search(style)
    return bool(colour and ground and _plain(colour[1]) == _plain(ground[1]))


def _plain(colour: str) -> str:
    text = "".join(colour.lower().split())
    return _WHITES.get(text, text)


def _sheets(tree: Any) -> list[tuple[str, str]]:
    """Return of each style element for screens the rules that always hold, and those for wide screens."""
    shown = (style for style in tree.iter("style") if style.get("media") in (None, "", "all", "screen"))
    return [_rules(re.sub(r"/\*.*?(?:\*/|\Z)", "", style.text or "", flags=re.S)) for style in shown]


def _hiding_names(sheets: Sequence[tuple[str, str]]) -> set[str]:
    """Return the ".class" and "#id" names that the rules of a page hide, on wide screens too.

    Of two rules for a name the later one holds. Pages made for telephones first show with `@media (min-width: …)` what
    they hide before.
    """
    names: set[str] = set()
    for always, wide in sheets:
        for rule in always.split("}"):
            selectors, _, declarations = rule.rpartition("{")
            declarations = declarations[:MAX_DECLARATIONS]
            if len(selectors) <= MAX_SELECTORS and (is_hiding := hides(declarations)) | bool(
                _SHOWN.search(declarations)
            ):
                (names.update if is_hiding else names.difference_update)(_simple(selectors))
            if len(names) > MAX_RULES:
                return names
        for rule in wide.split("}"):
            selectors, _, declarations = rule.rpartition("{")
            if len(selectors) <= MAX_SELECTORS and _SHOWN.search(declarations[:MAX_DECLARATIONS]):
                names.difference_update(_simple(selectors))
    return names


def _sizes_of_names(sheets: Sequence[tuple[str, str]]) -> dict[str, bool]:
    """Return for the names in rules whether the size they give is too small to be seen; {} if none is.

    A size that can be seen counts for whatever its selector ends with ("td p"), a smaller one for a name alone.
    """
    sizes: dict[str, bool] = {}
    for always, _ in sheets:
        for rule in always.split("}"):
            selectors, _, declarations = rule.rpartition("{")
            tiny = is_tiny(declarations[:MAX_DECLARATIONS])
            if tiny is None or len(selectors) > MAX_SELECTORS or len(sizes) > MAX_RULES:
                continue
            last = [selector.split()[-1] for selector in selectors.split(",") if selector.strip()]
            sizes |= dict.fromkeys(_simple(selectors) if tiny else last, tiny)
    return sizes if any(sizes.values()) else {}


def _simple(selectors: str) -> list[str]:
    found = (_NAMED.fullmatch(selector.strip()) for selector in selectors.split(","))
    return [match[1] + match[2] for match in found if match]


def _rules(css: str) -> tuple[str, str]:
    """Return the rules outside of any @media, @supports or @keyframes block, and those for wide screens."""
    kept: list[str] = []
    wide: list[str] = []
    depth, skipping, is_wide = 0, 0, False
    for part in re.split(r"([{}])", css):
        if part == "{":
            depth += 1
        elif part == "}":
            depth = max(0, depth - 1)
            if skipping and depth < skipping:
                skipping = 0
                continue
        elif not skipping and "@" in part and depth == 0:
            before, _, rule = part.rpartition("@")
            kept.append(before.rpartition(";")[0])
            if rule.lower().startswith(("import", "charset", "namespace")):
                kept.append(rule.partition(";")[2])
                continue
            skipping, is_wide = 1, bool(_WIDE.fullmatch(rule.strip()))
            continue
        if not skipping:
            kept.append(part)
        elif is_wide and (depth, part) != (1, "{"):
            wide.append(part)
    return "".join(kept), "".join(wide)
