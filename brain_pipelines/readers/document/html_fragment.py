"""Conversion of HTML that stands in a note, a blog post or an export to Markdown: what its reader sees, without tags.

Headings, lists with their boxes, quotes, tables, code and links keep their meaning; styles, scripts and pictures go.
Linear in the length of the text and standard library only, as it runs on notes while the sender waits.
"""

import html
import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[|\]\]>|<[!?][^<>]{0,4000}>"
    r"|(?<!\{)<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9:-]{0,30})(?P<attributes>(?:\s[^<>]{0,20000})?)/?>",
    re.DOTALL,
)
_ATTRIBUTE = r"""(?:^|\s){}\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
_HREF = re.compile(_ATTRIBUTE.format("href"), re.IGNORECASE)
_CHECKED = re.compile(r"""(?:^|\s)checked(?!\s*=\s*["']?false)""", re.IGNORECASE)
_BOX = re.compile(r"""(?:^|\s)type\s*=\s*["']?checkbox""", re.IGNORECASE)
_BOX_OF_ITEM = re.compile(r"--?en-checked\s*:\s*(true|false)", re.IGNORECASE)
_UNSEEN = frozenset(("script", "style", "head", "title", "template", "noscript", "svg", "object", "en-crypt", "iframe"))
_BLOCKS = frozenset(
    "p div li tr h1 h2 h3 h4 h5 h6 section article aside main table pre ul ol blockquote header footer dl dt dd "
    "figure figcaption en-note thead tbody tfoot center details summary address nav hr body html form".split()
)
_SPACED = frozenset("p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol figure".split())  # a blank line around them
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_STRUCK = frozenset(("s", "del", "strike"))
_SPACES = re.compile(r"[ \t\r\n\f\u00a0]+")
_BLANKS = re.compile(r"\n{3,}")
DEEPEST = 12  # lists and quotes inside each other


def to_markdown(fragment: str, *, keep_lines: bool = False) -> str:
    """Return the visible text of a fragment of HTML as Markdown; text outside of tags is HTML, too.

    Args:
        keep_lines: lines of the source end lines of the text, as in a text that mixes HTML and Markdown.
    """
    writer = _Writer(keep_lines)
    position = 0
    for match in _TOKEN.finditer(fragment):
        writer.write(fragment[position : match.start()])
        position = match.end()
        if match["tag"]:
            tag = match["tag"].lower()
            (writer.end if match["end"] else writer.start)(tag, match["attributes"] or "")
    writer.write(fragment[position:])
    return writer.text()


@dataclass
class _Writer:
    """Collects lines while the tags of a fragment are read in order; tags that nothing closes do no harm."""

    keep_lines: bool
    lines: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    prefix: str = ""  # of the next line: a heading's or an item's mark
    unseen: str = ""  # the element whose content is not shown
    lists: list[int] = field(default_factory=list)  # of each open list the number of its last item, -1 without numbers
    quotes: int = 0
    pre: int = 0
    cells: int = 0  # open cells, whose content stays on one line
    links: list[tuple[str, int]] = field(default_factory=list)  # address, and where its words begin in the line

    def start(self, tag: str, attributes: str) -> None:
        if self.unseen:
            return
        if tag in _UNSEEN:
            self.unseen = tag
        elif tag == "br":
            self._next_line()
        elif tag in _BLOCKS:
            self._begin_block(tag, attributes)
        elif tag == "a":
            found = _HREF.search(attributes)
            self.links.append((html.unescape(next(filter(None, found.groups()), "")) if found else "", len(self.line)))
        else:
            self._mark(tag, attributes)

    def _mark(self, tag: str, attributes: str) -> None:
        if tag == "en-todo" or (tag == "input" and _BOX.search(attributes)):
            self.line.append("[x] " if _CHECKED.search(attributes) else "[ ] ")
        elif tag in ("td", "th"):
            self.line.append(" | " if self.line_has_words else "")
            self.cells += 1
        elif tag == "code" and not self.pre:
            self.line.append("`")
        elif tag in _STRUCK:
            self.line.append("~~")

    def end(self, tag: str, _attributes: str = "") -> None:
        if self.unseen:
            self.unseen = "" if tag == self.unseen else self.unseen
        elif tag in ("td", "th"):
            self.cells = max(0, self.cells - 1)
        elif tag in _BLOCKS:
            self._end_block(tag)
        elif tag == "a" and self.links:
            self._end_link()
        elif tag == "code" and not self.pre:
            self.line.append("`")
        elif tag in _STRUCK:
            self.line.append("~~")

    @property
    def line_has_words(self) -> bool:
        return any(part.strip() for part in self.line)

    def _next_line(self) -> None:
        if self.cells:
            self.line.append(" ")
        elif self.line_has_words or self.pre:
            self._break()
        else:
            self._blank()

    def _begin_block(self, tag: str, attributes: str) -> None:
        if tag in ("tr", "table"):
            self.cells = 0
        if self.cells:
            self.line.append(" ")
            return
        self._break(blank=tag in _SPACED and not self.lists)
        if tag in ("ul", "ol"):
            self.lists.append(0 if tag == "ol" else -1)
        elif tag == "li":
            self._begin_item(attributes)
        elif tag in _HEADINGS:
            self.prefix = _HEADINGS[tag]
        elif tag == "blockquote":
            self.quotes += 1
        elif tag == "pre" and not self.pre:
            self.lines.append("```")
            self.pre = 1

    def _begin_item(self, attributes: str) -> None:
        mark = "- "
        if self.lists and self.lists[-1] >= 0:
            self.lists[-1] += 1
            mark = f"{self.lists[-1]}. "
        if box := _BOX_OF_ITEM.search(attributes):
            mark += "[x] " if box[1].lower() == "true" else "[ ] "
        self.prefix = "  " * (min(len(self.lists), DEEPEST) - 1) + mark

    def _end_block(self, tag: str) -> None:
        if tag in ("tr", "table"):
            self.cells = 0
        if self.cells:
            self.line.append(" ")
            return
        self._break()
        self.prefix = "" if tag in ("li", *_HEADINGS) else self.prefix
        if tag in ("ul", "ol") and self.lists:
            self.lists.pop()
        elif tag == "blockquote":
            while self.lines and not self.lines[-1].strip("> "):
                self.lines.pop()
            self.quotes = max(0, self.quotes - 1)
        elif tag == "pre" and self.pre:
            self.lines.append("```")
            self.pre = 0
        if tag in _SPACED and not self.lists:
            self._break(blank=True)

    def _end_link(self) -> None:
        address, begin = self.links.pop()
        words = "".join(self.line[begin:]).strip()
        if begin <= len(self.line) and address.startswith(("http://", "https://")) and words != address:
            shown = f"[{words}]({address})" if not set("[]()") & set(words) else f"{words} {address}"
            if words and not set(" ()") & set(address):
                self.line[begin:] = [(" " if "".join(self.line[begin:])[:1].isspace() else "") + shown]

    def write(self, text: str) -> None:
        if self.unseen or not text:
            return
        text = html.unescape(text) if "&" in text else text
        if not self.pre and (self.cells or not self.keep_lines):
            self.line.append(_SPACES.sub(" ", text))
            return
        *whole, rest = text.split("\n")
        for line in whole:
            self.line.append(line)
            if self.pre or self.line_has_words:
                self._break()
        self.line.append(rest)

    def _break(self, *, blank: bool = False) -> None:
        line = "".join(self.line)
        line = line.rstrip() if self.pre else _SPACES.sub(" ", line).strip()
        self.line, self.links = [], [(address, 0) for address, _ in self.links[-DEEPEST:]]
        if line or self.pre:
            self.lines.append("> " * min(self.quotes, DEEPEST) + self.prefix + line)
            self.prefix = ""
        if blank:
            self._blank()

    def _blank(self) -> None:
        if self.lines and self.lines[-1].strip("> "):
            self.lines.append(("> " * min(self.quotes, DEEPEST)).rstrip())

    def text(self) -> str:
        self._break()
        return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in self.lines)).strip("\n")
