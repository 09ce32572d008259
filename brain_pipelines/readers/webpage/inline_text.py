"""Rewriting of inline markup as plain text before the main text is extracted: formulas, raised digits, heading links.

The extractor drops MathML and pictures of formulas, which cuts sentences at them, and it keeps `<sup>` and `<sub>` as
tags.
"""

import re
from typing import Any

MAX_FORMULA = 2000  # characters
MAX_MARK = 30  # characters of a link beside a heading, such as "[edit]"
_INLINE = ("b", "strong", "i", "em", "u", "ins", "mark", "small", "big", "tt", "font", "abbr", "cite", "kbd", "samp")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Renderers put a second, visual copy beside the MathML: MediaWiki a picture, KaTeX and MathJax styled pieces.
_RENDERED = re.compile(r"(?:^|\s)(?:mwe-math-element|katex|MathJax|MathJax_CHTML|MathJax_SVG)(?:\s|$)")
_PICTURE = re.compile(r"(?:^|[\s_-])(?:mwe-math|latex|tex|math)(?:$|[\s_-])", re.I)
_DISPLAY = re.compile(r"\A\{\\(?:displaystyle|textstyle)\s?(.*)\}\Z", re.S)
_RAISED = re.compile(r"[-−+]?\d{1,4}|[a-z]|[-−+]")
_BASE = re.compile(r"(?:\d|(?:^|[^A-Za-z])[A-Za-zµ]{1,2}|[)\]])$")
_EDIT = re.compile(r"(?:^|\s)(?:mw-)?editsection(?:\s|$)")
_MARK = re.compile(r"\[[^\[\]]{1,28}\]|[¶#§🔗]")


def plain_inline(tree: Any) -> None:
    """Rewrite in place the formulas, raised and lowered text and heading links of an lxml tree as plain text."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    _write_formulas(tree)
    for element in tree.iter("sup"):
        _mark_power(element)
    _drop_heading_links(tree)
    # inline formatting would split words
    etree.strip_tags(tree, *_INLINE, "sup", "sub")


def _write_formulas(tree: Any) -> None:
    for math in list(tree.iter("math")):
        if text := (_linear(math).strip() or _tex(math.get("alttext") or "")):
            _replace(_rendering(math), text)
    for picture in list(tree.iter("img")):
        alt = (picture.get("alt") or "").strip()
        if _DISPLAY.match(alt) or (alt and _PICTURE.search(picture.get("class") or "")):
            _replace(picture, _tex(alt))


def _rendering(math: Any) -> Any:
    """Return the element that holds the formula with its visual copies, the formula itself if it has none."""
    for step, parent in enumerate(math.iterancestors()):
        if step > 4:
            break
        if parent.tag == "mjx-container" or _RENDERED.search(parent.get("class") or ""):
            return parent
    return math


def _replace(element: Any, text: str) -> None:
    parent = element.getparent()
    if parent is None:
        return
    span = element.makeelement("span")
    span.text, span.tail = text[:MAX_FORMULA], element.tail
    parent.replace(element, span)


def _tex(text: str) -> str:
    found = _DISPLAY.match(text.strip())
    return " ".join((found[1] if found else text).split())


def _linear(element: Any) -> str:
    """Return MathML on one line: "a x^2 + b", "(a + b)/2", "√(x)"."""
    tag = element.tag.rpartition(":")[2] if isinstance(element.tag, str) else ""
    if tag in ("annotation", "annotation-xml", "mphantom"):
        return ""
    parts = [_linear(child) for child in element]
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        return " ".join("".join(element.itertext()).split())
    if tag in ("msup", "mover") and len(parts) == 2:
        return f"{parts[0]}^{_grouped(parts[1])}"
    if tag in ("msub", "munder") and len(parts) == 2:
        return f"{parts[0]}_{_grouped(parts[1])}"
    if tag in ("msubsup", "munderover") and len(parts) == 3:
        return f"{parts[0]}_{_grouped(parts[1])}^{_grouped(parts[2])}"
    if tag == "mfrac" and len(parts) == 2:
        return f"{_grouped(parts[0])}/{_grouped(parts[1])}"
    if tag == "msqrt":
        return f"√{_grouped(_joined(parts))}"
    return _joined(parts, ";" if tag == "mtable" else "")


def _joined(parts: list[str], mark: str = "") -> str:
    return f"{mark} ".join(part for part in parts if part)


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _mark_power(element: Any) -> None:
    """Put "^" before an exponent, so that 10<sup>6</sup> does not become 106; note marks and "1st" get none."""
    if len(element) or not _RAISED.fullmatch((element.text or "").strip()):
        return
    if any(parent.tag == "a" for parent in element.iterancestors()):
        return
    before = element.getprevious()
    text = (before.tail if before is not None else element.getparent().text) or ""
    if not text and before is not None and not len(before):
        text = before.text or ""
    if _BASE.search(text[-4:]):
        element.text = "^" + (element.text or "").strip()


def _drop_heading_links(tree: Any) -> None:
    """Remove links for editing or linking a section, such as "[edit]" and "¶"."""
    marked = [span for span in tree.iter("span", "div") if _EDIT.search(span.get("class") or "")]
    for heading in tree.iter(*_HEADINGS):
        length = sum(len(text) for text in heading.itertext())
        for link in heading.iter("a", "span"):
            text = "".join(link.itertext()).strip() if length else ""
            if len(text) <= MAX_MARK and _MARK.fullmatch(text) and length > len(text):
                marked.append(link)
    for element in marked:
        if element.getparent() is not None:
            element.drop_tree()
