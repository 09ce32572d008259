"""Headings of entries: number and nonce, day, source type, title, and what tells passages of one source apart."""

import re

from brain_retrieval.language.folding import fold
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.packs.fence import flat

_FIRST = 3  # lines in which the title is looked for; tags can stand before it
_HEADING_LINE = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*")


def heading(hit: Hit, citation: int, nonce: str, lines: list[str], *, bucket: str = "", short: bool = False) -> str:
    """Return `[1:nonce] 5 Jan 2026 note: Title, section`; nothing is said twice, neither here nor in `lines`."""
    ref = hit.source_ref
    when = ref.time or hit.temporal_context.event_at
    day = f"[{citation}:{nonce}] {when.day} {when:%b %Y}"
    if short:
        return day
    parts = [flat(part) for part in _parts(hit, lines) if part]
    tag = f" [{flat(bucket)}]" if bucket else ""
    kind = [] if ref.title and fold(ref.title).startswith(fold(ref.source)) else [flat(ref.source)]
    return f"{day}{tag} " + ": ".join([*kind, *([", ".join(parts)] if parts else [])])


def _parts(hit: Hit, lines: list[str]) -> list[str]:
    ref, folded = hit.source_ref, fold(" ".join(lines))
    title = ref.title or ""
    parts = [title]
    if ref.section and fold(ref.section) not in fold(title):
        parts.append(ref.section)
    if ref.page:
        parts.append(f"p. {ref.page}")
    said = fold(" ".join((title, ref.section or ""))) + " " + folded
    speakers = [name for name in (ref.speaker or "").split(", ") if name and fold(name) not in said]
    return [*parts, *speakers]


def without_title(lines: list[str], hit: Hit) -> list[str]:
    """Return the lines of a passage without one of the first that only repeats the title or the section."""
    ref = hit.source_ref
    known = {fold(name) for name in (ref.title, ref.section) if name}
    repeats = [n for n, line in enumerate(lines[:_FIRST]) if fold(_bare(line)) in known]
    return [line for n, line in enumerate(lines) if n not in repeats] if len(lines) > len(repeats) else lines


def _bare(line: str) -> str:
    match = _HEADING_LINE.fullmatch(line)
    return match[1] if match else line
