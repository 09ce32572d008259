"""Image description without a vision model: sentences about measured properties and recognised text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from brain_retrieval.models.vision.protocol import Description, TextLine

NAME = "local"
QUOTED_LINES, QUOTED_CHARS = 3, 160
BLURRED = 100.0  # variance of the Laplacian, see image_facts
_SPELLINGS = {"webp": "WebP"}  # all others are capitals
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)")


class LocalDescriber:
    """A `Describer` from measurements; entities and relationships stay empty."""

    name = NAME

    def describe(self, picture: Path, *, lines: Sequence[TextLine], facts: Mapping[str, Any]) -> Description:
        """Return sentences made from `facts` and `lines`; the picture itself is not opened."""
        return Description(
            description=" ".join(_sentences(lines, facts)),
            visible_text=[line[:1000] for line in rows_of(lines)[:200]],
            entities=[],
            context=_context(facts),
            relationships=[],
            describer=NAME,
        )


def rows_of(lines: Sequence[TextLine]) -> list[str]:
    """Return the text of each row, its pieces joined by spaces."""
    rows: dict[int, list[str]] = {}
    for line in lines:
        rows.setdefault(line.row, []).append(line.text)
    return [" ".join(pieces) for _, pieces in sorted(rows.items())]


def _sentences(lines: Sequence[TextLine], facts: Mapping[str, Any]) -> Iterator[str]:
    yield _what(facts)
    if taken := _taken(facts):
        yield taken
    if look := _look(facts):
        yield look
    rows = rows_of(lines)
    if rows:
        quoted = " / ".join(rows[:QUOTED_LINES])[:QUOTED_CHARS]
        more = ", beginning" if len(rows) > QUOTED_LINES else ""
        yield f"{_count(len(rows), 'line')} of text can be read in it{more}: “{quoted}”."
    for code in facts.get("codes", ())[:5]:
        yield f"It holds a {code['format']} code that says “{' '.join(code['text'].split())[:QUOTED_CHARS]}”."
    if (faces := facts.get("faces")) and faces["count"]:
        yield f"About {_count(faces['count'], 'face')} can be made out in it, by estimate."


def _what(facts: Mapping[str, Any]) -> str:
    kind = str((facts.get("kind_guess") or {}).get("kind"))
    what = {"photo": "A picture that looks like a photo", "screenshot": "A picture that looks like a screenshot"}
    form = _SPELLINGS.get(facts.get("format", ""), str(facts.get("format", "")).upper())
    shape = ""
    if (width := facts.get("width")) and (height := facts.get("height")):
        shape = f", {width} by {height} pixels"
    pages = f", {_count(facts['pages'], 'page')}" if facts.get("pages", 1) > 1 else ""
    return f"{what.get(kind, 'A picture')} ({form}{shape}{pages})."


def _taken(facts: Mapping[str, Any]) -> str:
    match = _STAMP.match(facts.get("captured_at", ""))
    when = f" on {match[1]} at {match[2]}" if match else ""
    camera = str(facts.get("model") or "")
    make = str(facts.get("make") or "")
    camera = camera if not make or camera.lower().startswith(make.lower()) else f"{make} {camera}".strip()
    gps = facts.get("gps")
    place = f" at latitude {gps['lat']:.4f}, longitude {gps['lon']:.4f}" if gps else ""
    said = f"{when}{f' with {camera}' if camera else ''}{place}"
    caption = f" Its caption: “{facts['caption']}”." if facts.get("caption") else ""
    return (f"Taken{said}." if said else "") + caption


def _look(facts: Mapping[str, Any]) -> str:
    colours = [colour["name"] for colour in facts.get("colours", ())]
    parts = [f"mostly {' and '.join(colours[:2])}"] if colours else []
    brightness = facts.get("brightness")
    if brightness is not None and not 0.25 <= brightness <= 0.8:
        parts.append("dark" if brightness < 0.5 else "bright")
    if facts.get("sharpness", BLURRED) < BLURRED and (facts.get("kind_guess") or {}).get("kind") == "photo":
        parts.append("blurred")
    return f"It is {', '.join(parts)}." if parts else ""


def _context(facts: Mapping[str, Any]) -> str:
    guess = facts.get("kind_guess") or {}
    if not guess.get("kind"):
        return ""
    return f"Most likely a {guess['kind']}: {'; '.join(guess['reasons'])}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
