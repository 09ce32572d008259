"""What the sections of minutes and longer notes are about, by the headings that their memories stand under.

The titles of minutes are alike ("Minutes of 3 May"); what they are about stands in their headings ("Boathouse roof").
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping

import polars as pl

from brain_pipelines.stages.prose.outline import subject_words
from brain_retrieval.language.concepts import TITLED

# A heading of more than this share of the texts with headings stands in all of them: "Treasurer's report".
STANDING_SHARE, LEAST_HEADED = 0.5, 4
_ADDED = re.compile(r"\[(?P<title>[^\[\]\d]{3,120})\]")

Headings = dict[str, frozenset[str]]


def headings_of(rows: pl.DataFrame, titled: Mapping[str, Collection[str]]) -> Headings:
    """Return by memory the forms of the words of the headings above it, without those of the title of its source.

    Headings that most texts have, such as the standing items of an agenda, are left out.

    Args:
        rows: of memories: memory_id, source_id, text, anchors.
        titled: by source the forms of the words of its title.
    """
    marked = pl.col("anchors").list.eval(pl.element().str.starts_with(TITLED)).list.any()
    likely = rows.filter(marked | pl.col("text").str.contains("[", literal=True))
    found: Headings = {}
    texts: dict[str, set[str]] = {}
    for memory_id, source_id, text, anchors in likely.select("memory_id", "source_id", "text", "anchors").iter_rows():
        own = titled.get(source_id, ())
        marks = {word.removeprefix(TITLED) for word in anchors if word.startswith(TITLED)}
        above = marks.union(word for title in titles_added(text) for word in subject_words(title)).difference(own)
        if above:
            found[memory_id] = frozenset(above)
            texts.setdefault(source_id, set()).update(above)
    counts = Counter(word for words in texts.values() for word in words)
    most = STANDING_SHARE * max(LEAST_HEADED, len(texts))
    standing = {word for word, count in counts.items() if count > most}
    return {memory_id: words - standing for memory_id, words in found.items()}


def titles_added(text: str) -> list[str]:
    """Return the headings that were added to a memory in brackets.

    >>> titles_added("Ann calls the builder on Monday [2024-05-06] [Organ].")
    ['Organ']
    """
    return [match["title"] for match in _ADDED.finditer(text)]
