"""Conversion of the HTML of a mail to plain text: quotes marked with ">", layout tables as lines, no hidden text.

Main-text extraction as for web pages does not fit: a mail has no navigation, and quotes must stay to be detected later.
Runs in the sandbox's child, as lxml is not safe with hostile input.
"""

import re
from typing import Any

from brain_pipelines.readers.webpage.font_size import is_tiny

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_FILL = re.compile(
    r"[\u200b\u200c\u200d\u034f\u00ad\ufeff\u2060\u2007]+"
)  # invisible characters that pad the preview line of newsletters
_UNSEEN = frozenset(
    ("script", "style", "head", "title", "template", "noscript", "object", "svg", "map", "select", "button")
)
_BLOCKS = frozenset(
    "p div br li tr h1 h2 h3 h4 h5 h6 section article table pre ul ol blockquote hr header footer dl dt dd".split()
)
_SPACED = frozenset("p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol".split())  # a blank line above and below
_HIDDEN = re.compile(
    r"display\s*:\s*none|mso-hide\s*:\s*all|visibility\s*:\s*hidden|"
    r"(?:max-height|opacity)\s*:\s*0(?:\.0*)?(?:px|pt|em|%)?\s*(?:;|!|$)",
    re.I,
)
_INDENT = re.compile(r"border\s*:\s*(?:none|0)", re.I)  # used by web mail to indent text that is not a quote
_RULE = "_" * 32
MAX_CELL = 80  # characters of a table's cell that stands on one line with its neighbours
MAX_ALT = 300  # characters of a picture's description


def html_to_text(html: str) -> str:
    """Return the visible text of a mail, or the alt texts if it consists of pictures only; may be ""."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]
    from lxml import html as parser

    data = _CONTROL.sub(" ", html).encode("utf-8", "replace")
    try:
        tree = parser.document_fromstring(data, parser=parser.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return ""
    _join_cells(tree)
    writer = _Writer()
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        if isinstance(element.tag, str):
            (writer.start if event == "start" else writer.end)(element)
        else:
            writer.write(element.tail)
    text = writer.text()
    return text or "\n".join(_alts(tree))


def _join_cells(tree: Any) -> None:
    """Make one line of a table's row whose cells each have a short one: "Hosting" and "19.99" of a bill.

    Editors of mails write each cell as a paragraph, so that the sum would stand below what it is for.
    """
    for row in tree.iter("tr"):
        if next(row.iter("table"), None) is not None:
            continue
        filled = [cell for cell in row if cell.tag in ("td", "th") and cell.text_content().strip()]
        if len(filled) < 2 or not all(map(_is_short, filled)):
            continue
        for cell in filled:
            for block in cell.iter(*_BLOCKS - {"br", "hr"}):
                block.tag = "span"


def _is_short(cell: Any) -> bool:
    """Return whether a cell of a table has one short line."""
    if len(cell.text_content().strip()) > MAX_CELL or next(cell.iter("br", "li", "hr"), None) is not None:
        return False
    blocks = [each for each in cell.iter(*_BLOCKS) if any((part or "").strip() for part in _own_text(each))]
    return len(blocks) <= 1


def _own_text(element: Any) -> list[str | None]:
    return [element.text, *(child.tail for child in element if child.tag not in _BLOCKS)]


class _Writer:
    """Collects the lines of text in a walk over the element tree."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._quotes = self._unseen = self._pre = 0
        self._tiny = [False]  # for each element around the place: whether its letters are too small to be seen

    def start(self, element: Any) -> None:
        tag = element.tag
        if tag in _UNSEEN or _HIDDEN.search(element.get("style") or ""):
            self._unseen += 1
        tiny = is_tiny(element.get("style") or "")
        self._tiny.append(self._tiny[-1] if tiny is None else tiny)
        if tag in _BLOCKS:
            self._break(blank=tag in _SPACED)
        self._quotes += _is_quote(element)
        self._pre += tag == "pre"
        if tag == "hr":
            self._line.append(_RULE)
            self._break()
        elif tag == "li":
            self._line.append("- ")
        self.write(element.text)

    def end(self, element: Any) -> None:
        tag = element.tag
        if tag in _BLOCKS and tag != "br":
            self._break(blank=tag in _SPACED)
        self._quotes -= _is_quote(element)
        self._pre -= tag == "pre"
        if tag in ("td", "th"):
            self._line.append(" ")
        if tag in _UNSEEN or _HIDDEN.search(element.get("style") or ""):
            self._unseen -= 1
        self._tiny.pop()
        self.write(element.tail)

    def write(self, text: str | None) -> None:
        if not text or self._unseen or self._tiny[-1]:
            return
        text = _FILL.sub("", text)
        if self._pre:
            *whole, rest = text.split("\n")
            for line in whole:
                self._line.append(line)
                self._break()
            self._line.append(rest)
        else:
            self._line.append(re.sub(r"\s+", " ", text))

    def text(self) -> str:
        self._break()
        return re.sub(r"\n(?:(?:> ?)*\n){2,}", "\n\n", "\n".join(self._lines)).strip()

    def _break(self, *, blank: bool = False) -> None:
        line = "".join(self._line)
        line = line.rstrip() if self._pre else re.sub(r"\s+", " ", line).strip()
        self._line = []
        mark = "> " * self._quotes
        if line:
            line = "-- " if line == "--" and not mark else line
            self._lines.append(mark + line)
        elif not blank and self._lines and self._lines[-1].strip("> "):
            self._lines.append(mark.strip())
        if blank and self._lines and self._lines[-1].strip("> "):
            self._lines.append(mark.strip())


def _is_quote(element: Any) -> bool:
    return element.tag == "blockquote" and not _INDENT.search(element.get("style") or "")


def _alts(tree: Any) -> list[str]:
    found = (" ".join((image.get("alt") or "").split())[:MAX_ALT] for image in tree.iter("img"))
    return list(dict.fromkeys(filter(None, found)))
