"""Rows of the small tables that people write in minutes and notes, each as one sentence with the names of its columns.

| Topic | Owner | State |
|---|---|---|
| Website | Fatima | live |   ─►   Website: Owner Fatima, State live
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from brain_pipelines.stages.extraction.local.blocks import Block
from brain_pipelines.stages.extraction.memories.sentence import Name, Sentence
from brain_pipelines.stages.extraction.memories.setting import Setting
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names

SOURCES = ("note", "meeting", "voice-memo")
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 30, 6, 120
_ROW = re.compile(r"[ \t]{0,20}\|[^\n]{1,1000}\|[ \t]{0,20}")
_RULE = re.compile(r"[ \t]{0,20}\|(?:[ \t]{0,4}:?-{1,80}:?[ \t]{0,4}\|){2,}[ \t]{0,20}")
_MARKS = " \t*_`"


def row_sentence(block: Block, setting: Setting) -> Sentence | None:
    """Return a row of a table with a header as a sentence; None for a header, of large tables, and without a thing."""
    if setting.source not in SOURCES:
        return None
    lines, number, start = _lines_around(setting.text, block.offsets[0])
    if not number >= 2 or len(lines) > MOST_ROWS + 2 or not _RULE.fullmatch(lines[1]):
        return None
    heads = [head.strip(_MARKS) for _, head in _cells(lines[0], 0)]
    cells = _cells(lines[number], start)
    if not 2 <= len(heads) <= MOST_COLUMNS or len(cells) != len(heads) or not _tells(cells):
        return None
    text, offsets = _written(heads, cells)
    said_at = setting.said_at_of(start)
    named = plain_names(text, setting.language)
    return Sentence(
        text=text,
        offsets=offsets,
        said_at=said_at,
        said_on=said_at.astimezone(setting.zone).date(),
        source=setting.source,
        language=setting.language,
        speaker=setting.speaker,
        listener=setting.listener,
        day_first=setting.day_first,
        names=tuple(Name(name.start, name.end, name.text, name.type) for name in named),
    )


def _lines_around(text: str, position: int) -> tuple[list[str], int, int]:
    """Return the lines of the table that holds a character, the number of its own line, and where that begins."""
    start = text.rfind("\n", 0, position) + 1
    lines, first, number = [_line_at(text, start)], start, 0
    while first > 0 and _ROW.fullmatch(before := _line_at(text, text.rfind("\n", 0, first - 1) + 1)):
        first = text.rfind("\n", 0, first - 1) + 1
        lines.insert(0, before)
        number += 1
        if number > MOST_ROWS + 2:
            break
    end = start + len(lines[number]) + 1
    while end < len(text) and len(lines) <= MOST_ROWS + 2 and _ROW.fullmatch(after := _line_at(text, end)):
        lines.append(after)
        end += len(after) + 1
    return lines, number, start


def _cells(line: str, start: int) -> list[tuple[int, str]]:
    """Return what stands between the bars of a line that begins at `start`, each with its place."""
    bars = [place for place, char in enumerate(line) if char == "|"]
    return [(start + before + 1, line[before + 1 : after]) for before, after in pairwise(bars)]


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : len(text) if end < 0 else end]


def _tells(cells: Sequence[tuple[int, str]]) -> bool:
    """Return whether a row names a thing, and has a short cell beside it."""
    first, *others = (cell.strip(_MARKS) for _, cell in cells)
    short = all(len(cell) <= LONGEST_CELL for cell in (first, *others))
    return short and any(map(str.isalpha, first)) and any(others)


def _written(heads: Sequence[str], cells: Sequence[tuple[int, str]]) -> tuple[str, list[int]]:
    """Return the sentence and the place of each of its characters; a name of a column stands where its cell begins."""
    text, offsets, joint = "", list[int](), ""
    for head, (place, cell) in zip(heads, cells, strict=True):
        bare = cell.strip(_MARKS)
        if not bare:
            continue
        place += cell.index(bare)
        lead = f"{joint}{head} " if text else ""
        text += lead + bare
        offsets += [place] * len(lead) + list(range(place, place + len(bare)))
        joint = ", " if joint else ": "
    return text, offsets
