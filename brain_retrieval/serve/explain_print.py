"""Drawing of what made up the place of each hit: bars in a terminal, the same in ASCII elsewhere.

Each bar begins where the one above ended, so the last one ends at the sum by which hits are ordered. All hits are drawn
to one scale.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from brain_retrieval.query.explain import Contribution, Kind, contributions
from brain_retrieval.query.explained.connection import Connection
from brain_retrieval.query.explained.read_as import read_as
from brain_retrieval.query.hits import Hit, SearchResult

WIDTH, INDENT, NAMES, BARS, TEXT_LINES = 100, 4, 11, 32, 3
INVISIBLE = 5e-7  # contributions below are left out
COLOURS: dict[Kind, str] = {"retriever": "cyan", "around": "blue", "boost": "yellow", "learned": "magenta"}
LOWERING = "red"


@dataclass(frozen=True)
class Glyphs:
    """The characters of a bar: whole cells and half ones at its two ends; a minus, and what stands for a rest."""

    whole: str
    left_half: str
    right_half: str
    falling: str
    point: str
    line: str


BLOCKS = Glyphs("█", "▌", "▐", "░", "│", "─")
ASCII = Glyphs("#", "#", "#", "-", "|", "-")


def print_read(found: SearchResult, path: Connection | None, output: Console) -> None:
    """Print what was read in the question, and how the things that it names are connected in the graph."""
    lines = read_as(found.question) if found.question is not None else []
    shown = "; ".join(lines)
    if shown and path is not None:
        shown += f"; path ({path.strength:.2f}): {'; '.join(path.steps)}"
    for line in wrap(f"read as: {' '.join(shown.split())}", WIDTH, subsequent_indent=" " * INDENT) if shown else ():
        output.print(Text(line, "dim"), soft_wrap=True)
    output.print()


def print_explained(found: SearchResult, output: Console) -> None:
    """Print each hit with its text, shortened, and the contributions to its score."""
    glyphs = BLOCKS if output.is_terminal and not output.legacy_windows else ASCII
    width = min(output.width, WIDTH) if output.is_terminal else WIDTH
    whole = max((reach(hit) for hit in found), default=0.0) or 1.0
    for hit in found:
        for line in explained(hit, whole, glyphs, width):
            output.print(line, soft_wrap=True)
        output.print()
    if found:
        output.print(Text("Each bar begins where the one above ended; the sum orders the hits.", "dim"))


def reach(hit: Hit) -> float:
    """Return the largest sum that is passed on the way to the score."""
    total, most = 0.0, 0.0
    for part in contributions(hit.why_ranked):
        total += part.value
        most = max(most, total)
    return most


def explained(hit: Hit, whole: float, glyphs: Glyphs, width: int = WIDTH) -> Iterator[Text]:
    """Yield the lines of one hit; `whole` is the score that fills the width of the bars."""
    yield _heading(hit, width)
    yield from _passage(hit.text, width)
    parts = [part for part in contributions(hit.why_ranked) if abs(part.value) >= INVISIBLE]
    total = 0.0
    for part in parts:
        yield _row(part, total, whole, glyphs, width)
        total += part.value
    yield Text(" " * INDENT + glyphs.line * (NAMES + BARS + 8), "dim")
    row = Text().append(" " * INDENT + "sum".ljust(NAMES), "bold")
    row.append(bar(0.0, total, whole, glyphs).ljust(BARS), "bold green")
    row.append(f"{total:8.3f}", "bold")
    likely = f"  probability {hit.score:.3f}"
    yield row.append(likely if hit.score != hit.why_ranked.final else "", "dim")


def _row(part: Contribution, before: float, whole: float, glyphs: Glyphs, width: int) -> Text:
    colour = LOWERING if part.value < 0 else COLOURS[part.kind]
    row = Text(" " * INDENT + part.name.replace("_", " ")[: NAMES - 1].ljust(NAMES))
    row.append(bar(before, before + part.value, whole, glyphs).ljust(BARS), colour)
    # The difference of the rounded sums, so that what is read adds up, too.
    row.append(f"{round(before + part.value, 3) - round(before, 3):+8.3f}", colour)
    room = width - row.cell_len - 2
    row.append("  " + _shortened(part.detail, room), "dim")
    return row


def bar(start: float, end: float, whole: float, glyphs: Glyphs, cells: int = BARS) -> str:
    """Return a bar from `start` to `end` on a line of `cells` characters that stands for 0 to `whole`."""
    low, high = (min(2 * cells, max(0, round(value / whole * 2 * cells))) for value in sorted((start, end)))
    if low == high:
        return " " * min(low // 2, cells - 1) + glyphs.point
    if end < start:
        return " " * (low // 2) + glyphs.falling * max(1, -(-high // 2) - low // 2)
    drawn = " " * (low // 2) + (glyphs.right_half if low % 2 else "")
    return drawn + glyphs.whole * (high // 2 - len(drawn)) + (glyphs.left_half if high % 2 else "")


def _heading(hit: Hit, width: int) -> Text:
    ref = hit.source_ref
    when = (ref.time or hit.temporal_context.event_at).date().isoformat()
    line = Text().append(f"{hit.rank:>2}. ", "bold").append(f"{hit.score:.3f}", "bold green").append(f"  {when}  ")
    line.append(f"{ref.uri} [{ref.span[0]}:{ref.span[1]}]", "bold")
    rest = width - line.cell_len - 3
    place = _shortened(ref.place, rest) if rest > 10 else ""
    return line.append(f" ({place})" if place else "", "dim")


def _passage(text: str, width: int) -> Sequence[Text]:
    lines = wrap(" ".join(text.split()), width - INDENT)
    if len(lines) > TEXT_LINES:
        lines = [*lines[: TEXT_LINES - 1], _shortened(f"{lines[TEXT_LINES - 1]} …", width - INDENT)]
    return [Text(" " * INDENT + line) for line in [*lines, ""]]


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)].rstrip(" …") + "…"
