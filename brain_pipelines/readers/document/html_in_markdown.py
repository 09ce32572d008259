"""Markdown with HTML in it, as blogs and wikis export it → Markdown alone, with the way back to the original.

What begins a line with the tag of a block is HTML up to the next empty line (CommonMark, "HTML blocks"); elsewhere only
tags of styles, line breaks, links and comments are taken out. Code is left as it is.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from brain_pipelines.readers.document.html_fragment import to_markdown

_BLOCK = re.compile(
    r" {0,3}(?:(?P<comment><!--)|</?(?P<tag>p|div|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|blockquote|"
    r"figure|figcaption|section|article|aside|header|footer|main|nav|center|details|summary|pre|script|style|iframe|"
    r"hr|form|video|audio)(?=[\s/>]))",
    re.IGNORECASE,
)
_VERBATIM = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in ("pre", "script", "style")}
_COMMENT_END = re.compile("-->")
_FENCE = re.compile(r"[ \t]{0,12}(```+|~~~+)")
_STYLE = r"(?:abbr|b|big|cite|em|font|i|ins|mark|small|span|strong|sub|sup|u|img|wbr)"
_INLINE = re.compile(
    r"(?P<code>`[^`\n]{0,2000}`)|(?P<comment><!--[^\n]{0,2000}?-->)"
    r"|(?P<break>[ \t]*<br[ \t]*/?>[ \t]*)"
    r"|<a\s[^<>\n]{0,2000}?href\s*=\s*[\"'](?P<address>[^\"'<>\n]{1,2000})[\"'][^<>\n]{0,2000}>"
    r"(?P<words>[^<>\n\[\]]{1,500})</a>"
    r"|<a(?:\s[^<>\n]{0,2000})?>|</a>"
    rf"|(?<!\w)</?{_STYLE}(?:\s[^<>\n]{{0,2000}})?/?>|(?<=\w)</{_STYLE}>|(?<=\w)<{_STYLE}(?=[\s>])[^<>\n]{{0,2000}}>(?=\w)",
    re.IGNORECASE,
)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*(?=\n|\Z)")
_HAS_TAG = re.compile(r"<(?:!--|/?[A-Za-z])")


@dataclass(frozen=True)
class Rewritten:
    """A text without HTML; `_pieces` has for each piece its beginning in it, in the original, and both lengths."""

    text: str
    _pieces: tuple[tuple[int, int, int, int], ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that a span of the text comes from: exact, or of the HTML around it."""
        return self._place(start, upper=False), max(self._place(end, upper=True), self._place(start, upper=False))

    def _place(self, position: int, *, upper: bool) -> int:
        if not self._pieces:
            return position
        looked = position - 1 if upper and position else position
        at = max(0, bisect_right(self._pieces, looked, key=lambda piece: piece[0]) - 1)
        begin, original, length, before = self._pieces[at]
        if length == before:
            return original + min(position - begin, length)
        return original + (before if upper else 0)


def without_html(text: str, begin: int = 0) -> Rewritten:
    """Return a Markdown text without HTML; what stands before `begin` stays as it is."""
    if not _HAS_TAG.search(text, begin):
        return Rewritten(text)
    written, pieces, position = [text[:begin]], [(0, 0, begin, begin)], begin
    for start, end, new in _changes(text, begin):
        begin_of_kept = pieces[-1][0] + pieces[-1][2]
        written += [text[position:start], new]
        pieces.append((begin_of_kept, position, start - position, start - position))
        pieces.append((begin_of_kept + start - position, start, len(new), end - start))
        position = end
    rest = len(text) - position
    pieces.append((pieces[-1][0] + pieces[-1][2], position, rest, rest))
    written.append(text[position:])
    return Rewritten("".join(written), tuple(piece for piece in pieces if piece[2] or piece[3]))


def _changes(text: str, begin: int) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, what stands there instead), in order and apart."""
    fence, position, skip_to = "", begin, begin
    for line in text[begin:].splitlines(keepends=True):
        start, position = position, position + len(line)
        if start < skip_to:
            continue
        if marked := _FENCE.match(line):
            if not fence:
                fence = marked[1]
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif fence or "<" not in line:
            continue
        elif found := _BLOCK.match(line):
            skip_to = _end_of_block(text, start, found)
            yield start, skip_to, to_markdown(text[start:skip_to], keep_lines=True)
        else:
            yield from _inline(line, start)


def _end_of_block(text: str, start: int, found: re.Match[str]) -> int:
    """Return where a block of HTML ends: behind comments and preformatted text, else before an empty line."""
    end = start
    block: re.Match[str] | None = found
    while block:
        closing = _COMMENT_END if block["comment"] else _VERBATIM.get(block["tag"].lower())
        if closing is None:
            empty = _EMPTY_LINE.search(text, end)
            return empty.start() if empty else len(text)
        closed = closing.search(text, end)
        if closed is None:
            return len(text)
        end = closed.end()
        block = _BLOCK.match(text, end)
    line = text.find("\n", end)
    return len(text) if line < 0 else line


def _inline(line: str, start: int) -> Iterator[tuple[int, int, str]]:
    for match in _INLINE.finditer(line):
        if match["code"] is None:
            yield start + match.start(), start + match.end(), _instead(match)


def _instead(match: re.Match[str]) -> str:
    if match["break"]:
        return "\n"
    if match["address"] is None:
        return ""
    address = match["address"]
    safe = address.startswith(("http://", "https://")) and not set(" ()") & set(address)
    return f"[{match['words']}]({address})" if safe else match["words"]
