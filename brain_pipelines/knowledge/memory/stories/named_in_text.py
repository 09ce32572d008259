"""Memories and titles of sources that have the name of an entity, where no mention of it was found.

A label ("Kestrel: the quote is £4,300") and a title name what a source is about as well as a sentence does. Only names
are looked for that have no word in common with the name of anything else.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.plain import lowered, plain

LEAST_KNOWN = 2  # sources that mention an entity, for its name to be looked for in others
LEAST_LETTERS = 4  # of a name
SCHEMA = {"anchor_id": pl.String, "memory_id": pl.String}


@dataclass(frozen=True)
class Unmentioned:
    """anchor_id and memory_id of memories whose text has a name; by anchor the sources whose title has it."""

    memories: pl.DataFrame
    titled: Mapping[str, frozenset[str]] = field(default_factory=dict)


def named_in_text(
    rows: pl.DataFrame,
    known: pl.DataFrame,
    members: pl.DataFrame,
    having: Mapping[str, frozenset[str]],
    titles: Mapping[str, str | None],
) -> Unmentioned:
    """Return where the names of entities stand in memories and titles, as they are written.

    Args:
        rows: the memories: memory_id, source_id, text.
        known: KNOWN_ENTITIES: entity_id, name, aliases, is_owner.
        members: ENTITY_MEMBERS: entity_id, source_id.
        having: by form of a word the sources whose memories have it.
        titles: by source.
    """
    counts = members.group_by("entity_id").agg(pl.col("source_id").n_unique())
    often = set(counts.filter(pl.col("source_id") >= LEAST_KNOWN)["entity_id"])
    in_titles = _sources_of_title_words(titles)
    wanted: dict[str, list[tuple[str, re.Pattern[str]]]] = defaultdict(list)
    titled: dict[str, set[str]] = defaultdict(set)
    for entity_id, name in _own_names(known):
        forms = [word_form(plain(word.group())) for word in WORD.finditer(lowered(name))]
        if entity_id not in often or not forms:
            continue
        pattern = re.compile(rf"(?<!\w)(?<!\w\.){re.escape(name)}(?!\w)")
        for source_id in _of_all(having, forms):
            wanted[source_id].append((entity_id, pattern))
        titled[entity_id] |= {one for one in _of_all(in_titles, forms) if pattern.search(titles[one] or "")}
    found: set[tuple[str, str]] = set()
    texts = rows.filter(pl.col("source_id").is_in(list(wanted))).select("memory_id", "source_id", "text")
    for memory_id, source_id, text in texts.iter_rows():
        found |= {(entity_id, memory_id) for entity_id, pattern in wanted[source_id] if pattern.search(text)}
    memories = pl.DataFrame(sorted(found), schema=SCHEMA, orient="row")
    return Unmentioned(memories, {key: frozenset(ids) for key, ids in titled.items() if ids})


def real_titles(sources: pl.DataFrame | None, rows: pl.DataFrame) -> dict[str, str | None]:
    """Return the titles by source, without those that are the first sentence of what was said in it.

    A recording or a message without a title is called by its first words; what they mention, it need not be about.

    Args:
        sources: source_id, title.
        rows: the memories: source_id, evidence.
    """
    if sources is None:
        return {}
    first = rows.filter(pl.col("evidence").str.contains(r"[.!?…]\s*$")).select("source_id", "evidence")
    said: dict[str, list[str]] = defaultdict(list)
    for source_id, evidence in first.iter_rows():
        said[source_id].append(" ".join(evidence.split()))
    titles = dict(sources.select("source_id", "title").iter_rows())
    return {one: title for one, title in titles.items() if not (title and _begins(title, said.get(one, ())))}


def _begins(title: str, sentences: Iterable[str]) -> bool:
    """Return whether a title is one of the sentences, or how one of them begins."""
    begun = " ".join(title.split()).rstrip(".!?… ")
    return " " in begun and any(sentence.startswith(begun) for sentence in sentences)


def _of_all(having: Mapping[str, frozenset[str]], forms: list[str]) -> frozenset[str]:
    return frozenset.intersection(*(having.get(form, frozenset()) for form in forms))


def _sources_of_title_words(titles: Mapping[str, str | None]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for source_id, title in titles.items():
        for word in WORD.finditer(lowered(title or "")):
            found[word_form(plain(word.group()))].add(source_id)
    return {word: frozenset(ids) for word, ids in found.items()}


def _own_names(known: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the names that have a capital or digit and no word in common with the names of another entity."""
    named = {
        entity_id: sorted({name, *(aliases or ())})
        for entity_id, name, aliases, owner in known.select("entity_id", "name", "aliases", "is_owner").iter_rows()
        if not owner
    }
    words = {entity_id: {w for name in names for w in lowered(name).split()} for entity_id, names in named.items()}
    bearers = Counter(word for found in words.values() for word in found)
    for entity_id, names in named.items():
        for name in names:
            alone = all(bearers[word] == 1 for word in lowered(name).split())
            if alone and len(name) >= LEAST_LETTERS and name != name.lower() and "@" not in name:
                yield entity_id, name
