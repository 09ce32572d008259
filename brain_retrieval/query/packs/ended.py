"""The line below a passage of a pack that says what of it no longer holds, and what holds instead.

Only an ended statement that the question asks for is marked: each mark takes room from the passages.
"""

from collections.abc import Callable, Sequence

from brain_retrieval.query.hits import Hit
from brain_retrieval.query.packs.fence import flat
from brain_retrieval.query.superseded import KNOWN_BY

ENDED_CHARS = 80  # of the statement that has ended
SHORT_CHARS = 40  # where there is no room for more
NEWER_CHARS = 160  # of the one that holds instead

Cited = Callable[[str, tuple[int, int]], int | None]  # source id and characters → number of the entry that shows them


def marks_of(hit: Hit, lines: Sequence[str], nonce: str, cited: Cited) -> tuple[str, ...]:
    """Return the marks for a passage of which `lines` are shown, the fullest first; () if it needs none.

    >>> # [no longer:bafudo] “Launch planned 15 April” since 10 Dec 2025: Launch moved to 20 May
    """
    newer = hit.temporal_context.superseded_by
    if newer is None or not newer.asked:
        return ()
    ended = newer.quote(hit.text, hit.source_ref.span[0])
    shown = " ".join(lines)
    if flat(ended, len(ended) * 2)[:KNOWN_BY] not in flat(shown, len(shown) * 2):
        return ()
    day = newer.effective_from
    since = f"since {day.day} {day:%b} {day.year}"
    begin = f"[{'' if newer.sure else 'perhaps '}no longer:{nonce}]"
    entry = cited(newer.source_ref.source_id, newer.source_ref.span)
    instead = f"see [{entry}:{nonce}]" if entry is not None else flat(newer.text, NEWER_CHARS)
    return f"{begin} “{flat(ended, ENDED_CHARS)}” {since}: {instead}", f"{begin} “{flat(ended, SHORT_CHARS)}” {since}"
