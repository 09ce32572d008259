"""Bylines: whether the question names who published or wrote a document, and which documents of several it names.

"What did the Wenlow Courier write about the bridge?" A saved article says it in one of its first lines, beside the
date: "The Wenlow Courier, Ann Lee, 2026-05-04" or "Wenlow Courier | 4 May 2026 | Bridge closed".
"""

import re
from functools import lru_cache

import numpy as np

from brain_retrieval.query.analysis.dates import located_dates
from brain_retrieval.query.features.pool import Pool
from brain_retrieval.query.features.presence import has_word

HEAD = 600  # characters of a document that are read for a byline
LINES = 3  # lines with text among which it is
LONGEST = 200  # characters of a line
MOST_NAMES, MOST_WORDS = 6, 6  # of a byline, of a name in it
SHORTEST = 3  # letters of a name
_YEAR = re.compile(r"\d{4}")
_BETWEEN = re.compile(r"[|,;·•]")
_SIGNS = " \t-–—:|,;·•*_()[]"
_SIGNS_AFTER = " \t)]*_."


def byline_named(pool: Pool) -> np.ndarray:
    """Return float64 (n,): 1 for the passages of a document whose byline has a name as the question writes it."""
    return np.array(_by_name(pool).any(axis=1), dtype=np.float64)


def publishers(pool: Pool) -> np.ndarray:
    """Return float64 (n, groups): 1 for the passages of documents whose byline has a name that the question names.

    A group is what one name leads to, or several that lead to the same documents; without two there is no column.
    """
    named = _by_name(pool)
    groups = np.unique(named, axis=1) if named.shape[1] > 1 else named[:, :0]
    return groups.astype(np.float64) if groups.shape[1] > 1 else np.empty((len(pool), 0))


def _by_name(pool: Pool) -> np.ndarray:
    """Return bool (n, names): which passages are of documents whose byline has each name that the question names."""
    candidates, asked = pool.candidates, pool.question.text
    found: dict[str, list[int]] = {}
    for row in np.flatnonzero(candidates.positions == 0).tolist():
        for name in byline(candidates.texts[row][:HEAD], pool.question.language):
            if has_word(asked, name):
                found.setdefault(name, []).append(candidates.parents[row])
    columns = [np.isin(candidates.parents, parents) for parents in found.values()]
    return np.stack(columns, axis=1) if columns else np.zeros((len(pool), 0), dtype=bool)


@lru_cache(maxsize=20_000)
def byline(head: str, language: str | None) -> tuple[str, ...]:
    """Return the names before the date in the first line of a document that is names and a full date; () without one.

    >>> byline("# Bridge closed\\n\\nThe Wenlow Courier, Ann Lee, 2026-05-04\\n\\nThe bridge …", "en")
    ('The Wenlow Courier', 'Ann Lee')
    """
    lines = [stripped for line in head.split("\n") if (stripped := line.strip())][:LINES]
    for line in lines:
        if len(line) <= LONGEST and not line.startswith("#") and _YEAR.search(line):
            for start, end, mention in sorted(located_dates(line, language), key=lambda found: found[0]):
                if mention.year and mention.day and (names := _names(line[:start], line[end:])):
                    return names
    return ()


def _names(before: str, after: str) -> tuple[str, ...]:
    """Return the names in a line before its date, () if it is something else, such as a sentence with a date."""
    rest = after.lstrip(_SIGNS_AFTER)
    if rest and not _BETWEEN.match(rest):
        return ()
    parts = [part for raw in _BETWEEN.split(before) if (part := raw.strip(_SIGNS))]
    if not 0 < len(parts) <= MOST_NAMES or any(len(part.split()) > MOST_WORDS for part in parts):
        return ()
    return tuple(part for part in parts if len(part) >= SHORTEST and part[0].isupper())
