"""Segmentation of a text into prose blocks for the parser, with a map of each character back to the text.

A block is a paragraph, list item, heading or table row. Line wraps, indents, list markers and Markdown emphasis are
removed, because a parser trained on news treats them as words; code blocks are skipped. No model is used.
"""

import json
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain_pipelines.stages.extraction.local.jottings import SHORT, jotted
from brain_pipelines.stages.extraction.local.line_breaks import meant_breaks

# More context than a paragraph does not improve the parse, and memory grows with the length of a block.
MAX_BLOCK_CHARS = 1000

_LINE = re.compile(r"[^\n\r\v\f\u2028\u2029]+")
_FENCE = re.compile(r"\s*(```|~~~)")
# Bullets and pictures in front of a line, also right before its first word: "•KL", "✅ Nut-free".
_BULLET = r"[\u2022\u2023\u25a0-\u25ff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
_MARKER = re.compile(
    rf"\s*(?:{_BULLET}[\ufe0f\u200d\U0001f3fb-\U0001f3ff]*\s*|"
    r"(?:[-*+•–>#|]+|:(?=\s+[\w\[*_])|\d{1,3}[.)]|[a-zA-Z]\)|\[\^[\w-]{1,30}\]:)\s+|\[[ xX]\]\s+"
    r"|\[![A-Za-z]{2,20}\][-+]?\s*)*"
)
_DROPPED = re.compile(
    r"\s+|[*_`]{2,}|`|(?<!\w)[*_]|[*_](?!\w)|(?<![\w~])~{1,3}(?=[^\W\d_])|(?<=[^\W\d_])~{1,3}(?![\w~])|!?\[(?=[^\]]{1,200}\]\([^)\s]{1,500}\))|\]\([^)\s]{1,500}\)"
    r"|!?\[(?=[^\[\]\n]{1,200}\]\[[^\[\]\n]{0,60}\])|\]\[[^\[\]\n]{0,60}\]"  # links by reference: "[a page][page]"
    r"|!?\[\[(?:[^\[\]|\n]{1,100}\|)?(?=[^\[\]|\n]{1,100}\]\])|\]\]"  # "[[page|its name]]"
    r"|</[a-z]{1,10}>|<[a-z]{1,10}\s[a-z-]{1,20}=[^<>\n]{1,200}>|<[a-z]{1,2}\s?/?>"  # tags of HTML, but no "<name>"
    r"|\[\^[\w-]{1,30}\](?!:)|[\x00-\x08\x0e-\x1f\x7f\u200b-\u200f\ufeff\ufffd]|(?:[^\s\]]|\](?!\()){81,}"
)
_TABLE = re.compile(r"\s*\|.*\||[^\t]+\t[^\t]+\t|[^|]+ \| [^|]+ \|")
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_STRUCTURED = re.compile(
    rf"\s*(?:{_BULLET}|"
    r"[-+•>#|]|\*(?!\*?\w)|\d{1,3}[.)]\s|[a-zA-Z]\)\s|\[\^[\w-]{1,30}\]:\s|```|~~~"
    r"|\*\*[^*\n]{1,80}(?:\*\*\s*(?:$|:)|:\*\*))"  # a line in bold, or a label; other bold words are of the sentence
)
_BOLD_LINE = re.compile(r"\s*\*\*[^*\n]{1,80}\*\*:?\s*")
_ENDED = re.compile(r"(?<!\d\.\d)(?<!\d\.0\d)(?<!\d\.1[0-2])[.!?:;…][\"'”’)\]]*\s*$")  # "from 15.9." is no end
_CUT = re.compile(r"[.!?…][\"'”’)\]]*\s|[;,:]\s|\s")


# "[Ann]: https://…" at the end of a text makes "[Ann]" in it a link.
_DEFINED = re.compile(r"^ {0,3}\[([^\[\]\n]{1,60})\]:[ \t]+\S", re.MULTILINE)
_SHORTCUT = re.compile(r"\[([^\[\]\n]{1,60})\](?![(\[:])")


@dataclass(frozen=True)
class Block:
    """Clean text: character i of `text` is character `offsets[i]` of the source; at `breaks` a line of it ends."""

    text: str
    offsets: "array[int]"
    is_table: bool = False
    breaks: frozenset[int] = frozenset()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open span in the source of `text[start:end]`, which must not be empty."""
        return self.offsets[start], self.offsets[end - 1] + 1


def blocks_of(
    text: str, start: int = 0, end: int | None = None, heads: Sequence[tuple[int, int]] = ()
) -> Iterator[Block]:
    """Yield the blocks of `text[start:end]` in order, each at most MAX_BLOCK_CHARS long.

    For JSON the string values are the blocks. `heads` are half-open spans at the beginnings of lines: such a line
    begins a block, without its head.
    """
    end = len(text) if end is None else end
    headed = dict(heads)
    groups = _strings(text, start, end) if _is_json(text, start, end) else _paragraphs(text, start, end, headed)
    for lines, is_table in groups:
        block = _clean(text, [(headed.get(first, first), last) for first, last in lines], is_table)
        if block.text:
            yield from _cut(block)


def _is_json(text: str, start: int, end: int) -> bool:
    if text[start : start + 200].lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text[start:end])
    except (ValueError, RecursionError):
        return False
    return True


def _strings(text: str, start: int, end: int) -> Iterator[tuple[list[tuple[int, int]], bool]]:
    for match in _JSON_STRING.finditer(text, start, end):
        if match.group(2) is None and match.group(1).strip():  # not a key
            yield [match.span(1)], False


def _paragraphs(
    text: str, start: int, end: int, heads: Collection[int] = ()
) -> Iterator[tuple[list[tuple[int, int]], bool]]:
    group: list[tuple[int, int]] = []
    in_code, previous_end = False, start
    begun = _begun(text, start, end).union(heads)
    for match in _LINE.finditer(text, start, end):
        line = match.group()
        blank_between = text.count("\n", previous_end, match.start()) > 1
        previous_end = match.end()
        if _FENCE.match(line):
            in_code = not in_code
            if group:
                yield group, False
            group = []
            continue
        if in_code:
            continue
        is_table = bool(_TABLE.match(line))
        if group and (
            blank_between or is_table or not _continues(text[slice(*group[-1])], line) or match.start() in begun
        ):
            yield group, False
            group = []
        if is_table:
            yield [match.span()], True
        elif line.strip():
            group.append(match.span())
    if group:
        yield group, False


def _begun(text: str, start: int, end: int) -> set[int]:
    """Return where the lines begin that their writer did not mean to go on from the line before."""
    runs: list[list[re.Match[str]]] = [[]]
    for match in _LINE.finditer(text, start, end):
        run = runs[-1]
        apart = not run or text.count("\n", run[-1].end(), match.start()) > 1
        if apart or _STRUCTURED.match(match.group()) or not match.group().strip():
            runs.append([])
        if match.group().strip():
            runs[-1].append(match)
    lines = [[line.group() for line in run] for run in runs]
    ended = [[_ENDED.search(line) is not None for line in run] for run in lines]
    found = jotted(lines, ended) if end - start <= SHORT else meant_breaks(lines, ended)
    return {run[number].start() for run, meant in zip(runs, found, strict=True) for number in meant}


def _continues(line: str, following: str) -> bool:
    """Return whether a line break is a wrap inside a paragraph."""
    bare = following.lstrip()
    if not bare or not line.strip() or _STRUCTURED.match(following) or line.lstrip().startswith("#"):
        return False
    # At a sentence end both are safe; one block lets pronouns find their antecedents.
    return not _BOLD_LINE.fullmatch(line)


def _clean(text: str, lines: list[tuple[int, int]], is_table: bool) -> Block:
    pieces: list[str] = []
    offsets: array[int] = array("q")
    breaks: set[int] = set()

    def put(piece: str, at: range) -> None:
        if piece:
            pieces.append(piece)
            offsets.extend(at)

    for number, (start, end) in enumerate(lines):
        marker = None if is_table else _MARKER.match(text, start, end)
        position = marker.end() if marker else start
        if number and pieces:
            if not pieces[-1].endswith(" "):
                put(" ", range(start - 1, start))
            breaks.add(len(offsets) - 1)
        for first, last in _dropped(text, position, end):
            put(text[position:first], range(position, first))
            if text[first:last].isspace() and pieces and not pieces[-1].endswith(" "):
                put(" ", range(first, first + 1))
            position = max(position, last)
        put(text[position:end], range(position, end))
    joined = "".join(pieces)
    kept = len(joined.rstrip())
    return Block(joined[:kept], offsets[:kept], is_table, frozenset(breaks))


def _dropped(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans that are left out of a block, in order: marks, targets of links, and blanks for one blank."""
    spans = [match.span() for match in _DROPPED.finditer(text, start, end)]
    names = _defined(text) if text.find("[", start, end) >= 0 else ()
    if not names:
        return spans
    for match in _SHORTCUT.finditer(text, start, end):
        if match[1].casefold() in names:
            spans += [(match.start(), match.start() + 1), (match.end() - 1, match.end())]
    return sorted(spans)


@lru_cache(maxsize=4)
def _defined(text: str) -> frozenset[str]:
    """Return the names of the links that a text defines below."""
    return frozenset(match[1].casefold() for match in _DEFINED.finditer(text)) if "]: " in text else frozenset()


def _cut(block: Block) -> Iterator[Block]:
    start, size = 0, len(block.text)
    while size - start > MAX_BLOCK_CHARS:
        cut = _best_cut(block.text, start, start + MAX_BLOCK_CHARS)
        yield _part(block, start, cut)
        start = cut
    if start < size:
        yield _part(block, start, size)


def _part(block: Block, start: int, end: int) -> Block:
    breaks = frozenset(place - start for place in block.breaks if start <= place < end)
    return Block(block.text[start:end], block.offsets[start:end], block.is_table, breaks)


def _best_cut(text: str, start: int, end: int) -> int:
    """Return the last sentence end in the window's second half, else the last space, else its end."""
    sentence = space = 0
    for match in _CUT.finditer(text, start + MAX_BLOCK_CHARS // 2, end):
        space = match.end()
        if match.group()[0] in ".!?…":
            sentence = match.end()
    return sentence or space or end
