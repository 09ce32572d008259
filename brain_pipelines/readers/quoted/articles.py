"""Where a press article begins and ends that someone has copied into a mail or a note, between their own words.

An article is found by what stands above it (`press_lines.py`), by the notice of its rights below it, or, in a mail
without either, by many paragraphs that report what others said. What its sender says above and below stays theirs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain_pipelines.readers.quoted.press_lines import POINTS, ends_article, marks_of, says, speaks

Span = tuple[int, int]

LONGEST_TEXT = 2_000_000  # characters that are looked through
PRINTED = frozenset(("rights", "wire", "role", "outlet", "pages"))  # only what is published has these
ENOUGH, KINDS = 3, 2  # points of the marks above an article, and kinds of marks
REACH = 7  # lines with words between two marks of the same article
LOOKED_AT = 40  # lines below a name and a day
LEAST_BODY = 300  # characters below the marks
TITLE_LINES, LONGEST_TITLE = 5, 120  # above the marks
_LINE = re.compile(r"[^\n]+")
_PARAGRAPHS = re.compile(r"\n[ \t>]*\n")
_QUOTED = re.compile(
    r"\"[^\"\n]{0,900}\"|“[^”\n]{0,900}[”\n]|„[^“”\n]{0,900}[“”]|«[^»\n]{0,900}»|``(?:(?!'')[^\n]){0,900}''"
)
_MARKS = re.compile(r"[\"“”„«»]|``|''")
_RULE = re.compile(r"\s*[-_=*~#–—]{3,}\s*")
# Paragraphs that report, where nothing above or below them tells.
REPORTING, CITING, LEAST_REPORT = 5, 2, 1500
MOST_SPEAKING = 0.25  # share of the paragraphs of an article in which its writer speaks; more is an opinion
MOST_BELOW, LONGEST_BELOW = 4, 400  # own paragraphs below an article, characters of each
SIGNED = 60  # characters of a name, a greeting or a closing between them


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    text: str
    marks: frozenset[str]


def articles(text: str, *, unmarked: bool = False) -> list[Span]:
    """Return the spans of the articles in a text, in order and apart; most texts have none.

    Args:
        text: of a mail, a note or a message.
        unmarked: whether paragraphs that report what others said are one without any mark; minutes of a note are none.
    """
    text = text[:LONGEST_TEXT]
    if len(text) < LEAST_BODY:
        return []
    lines = [_line(match) for match in _LINE.finditer(text) if match.group().strip()]
    starts = [start for start, body in _heads(lines) if len(text) - body >= LEAST_BODY]
    if not starts:
        found = _above_rights(text, lines) or (_report(text) if unmarked else None)
        return [found] if found else []
    ends = [*starts[1:], len(text)]
    spans = ((start, _without_own(text, start, end)) for start, end in zip(starts, ends, strict=True))
    return _joined(spans)


def _line(match: re.Match[str]) -> _Line:
    text = match.group().strip()
    return _Line(match.start(), match.end(), text, marks_of(text))


def _heads(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield where each article begins, and where what is printed above it ends."""
    position = 0
    while position < len(lines):
        if not lines[position].marks:
            position += 1
            continue
        last, marks = _cluster(lines, position)
        kinds = {kind for line in marks for kind in line}
        points = sum(POINTS[kind] for kind in kinds) + sum("outlet" in line and "day" in line for line in marks[1:])
        if points < ENOUGH or len(kinds) < KINDS and "wire" not in kinds:
            pass
        elif kinds & PRINTED or {"link", "byline"} <= kinds or _reports(lines[last + 1 : last + 1 + LOOKED_AT]):
            yield lines[_title(lines, position)].start, lines[last].end
        position = last + 1


def _reports(below: Sequence[_Line]) -> bool:
    """Return whether the lines below a name and a day report what others said, and speak to no one."""
    if any(speaks(_outside(line.text)) for line in below):
        return False
    return sum(says(line.text) for line in below) >= CITING and any(_MARKS.search(line.text) for line in below)


def _cluster(lines: Sequence[_Line], first: int) -> tuple[int, list[frozenset[str]]]:
    """Return the last line of the marks that begin at a line, and the marks of each line that has any."""
    last, marks = first, [lines[first].marks]
    for place in range(first + 1, min(len(lines), first + 40)):
        line = lines[place]
        if place - last > REACH or "wire" in lines[last].marks or len(line.text) > 2 * LONGEST_TITLE and not line.marks:
            break
        if line.marks:
            last = place
            marks.append(line.marks)
    return last, marks


def _title(lines: Sequence[_Line], first: int) -> int:
    """Return the first line of the title above the marks: short lines that are no sentences of a message."""
    place = first
    while place > 0 and first - place < TITLE_LINES:
        above = lines[place - 1]
        if len(above.text) > LONGEST_TITLE or above.text.endswith((".", ":", ",", "!")) or _RULE.fullmatch(above.text):
            break
        if speaks(_outside(above.text)) or len(above.text.split()) < 2:
            break
        place -= 1
    return place


def _outside(text: str) -> str:
    """Return a text without what stands between quotation marks."""
    return _QUOTED.sub(" ", " ".join(text.split()))


def _paragraphs(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the paragraphs; where there are no empty lines, a line that ends a sentence ends one."""
    breaks = [match.span() for match in _PARAGRAPHS.finditer(text, start, end)]
    begins, ends = [start, *(b for _, b in breaks)], [*(a for a, _ in breaks), end]
    return [(a, b) for a, b in zip(begins, ends, strict=True) if text[a:b].strip()]


def _without_own(text: str, start: int, end: int) -> int:
    """Return the end of an article without what its sender says below it.

    Below the last line of the article that is all in which someone speaks; without such a line, short paragraphs at
    the very end of the text that cite no one.
    """
    spans = _paragraphs(text, start, end)
    paragraphs = [text[slice(*span)].strip() for span in spans]
    closed = max(
        (place for place, one in enumerate(paragraphs) if ends_article(one.split("\n")[-1].strip())), default=0
    )
    least = closed + 1 if closed else len(spans) if end < len(text) else len(spans) - MOST_BELOW
    speaking = [speaks(_outside(one)) for one in paragraphs]
    if not closed and sum(speaking) > MOST_SPEAKING * len(spans):
        return end  # an opinion
    own = len(spans)
    for place in range(len(spans) - 1, max(0, least - 1), -1):
        below = paragraphs[place]
        if speaking[place] and len(below) <= LONGEST_BELOW and (closed or not (says(below) or _MARKS.search(below))):
            own = place
        elif len(below) > SIGNED:
            break
    return spans[own][0] if own < len(spans) else end


def _above_rights(text: str, lines: Sequence[_Line]) -> Span | None:
    """Return the paragraphs above a notice of rights, up to the last one in which the sender speaks, if they report."""
    reserved = [line for line in lines if "rights" in line.marks and len(line.text) <= LONGEST_TITLE]
    if not reserved:
        return None
    end = reserved[-1].end
    spans = _paragraphs(text, 0, end)
    first = max((place for place, (a, b) in enumerate(spans) if speaks(_outside(text[a:b]))), default=-1) + 1
    reporting = sum(says(text[a:b]) for a, b in spans[first:])
    if first >= len(spans) or reporting < CITING or end - spans[first][0] < 2 * LEAST_BODY:
        return None
    return spans[first][0], end


def _report(text: str) -> Span | None:
    """Return the longest run of paragraphs that report what others said and cite them, and in which no one speaks."""
    best: Span | None = None
    run: list[Span] = []
    for span in [*_paragraphs(text, 0, len(text)), (len(text), len(text))]:
        said = text[slice(*span)]
        if said and not speaks(_outside(said)):
            run.append(span)
            continue
        if (found := _reported(text, run)) and (best is None or found[1] - found[0] > best[1] - best[0]):
            best = found
        run = []
    return best


def _reported(text: str, run: Sequence[Span]) -> Span | None:
    reporting = [place for place, (a, b) in enumerate(run) if says(text[a:b])]
    citing = sum(len(_QUOTED.findall(text[slice(*run[place])])) > 0 for place in reporting)
    if len(reporting) < REPORTING or citing < CITING:
        return None
    return (run[0][0], run[-1][1]) if run[-1][1] - run[0][0] >= LEAST_REPORT else None


def _joined(spans: Iterator[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in spans:
        if found and not start - found[-1][1]:
            found[-1] = (found[-1][0], end)
        elif end > start:
            found.append((start, end))
    return found
