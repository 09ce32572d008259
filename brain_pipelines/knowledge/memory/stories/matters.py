"""Matters: what many sources are about that has no proper name: "the street party", "the thesis", "Mum".

A matter is a noun of memories that count, which is a keyword or a word of the title of several of their sources, or of
a heading in those whose titles are alike but for the date, such as minutes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.extractive_summary import content_words
from brain_pipelines.knowledge.memory.stories.groups import Group
from brain_pipelines.knowledge.memory.stories.phrases import LEAST_LETTERS, Key, phrases, without_context
from brain_pipelines.knowledge.memory.stories.sections import headings_of, titles_added
from brain_pipelines.knowledge.memory.stories.subjects import headings
from brain_pipelines.knowledge.memory.stories.themes import theme_words
from brain_pipelines.knowledge.memory.topics import SERIES_SOURCES, undated, word_forms
from brain_pipelines.stages.enrichment.words import empty_words, vague_nouns, vague_words
from brain_retrieval.ids import content_id
from brain_retrieval.language.concepts import MARK
from brain_retrieval.language.lexicon import code_of
from brain_retrieval.stores.memory_tables import THEME

SUBJECT, RELATIVES, GENERAL = "matters", "relatives", "general"
LEAST_SOURCES, LEAST_DAYS = 5, 3
LEAST_KEYED, KEYED_SHARE = 2, 0.25  # sources with it as a keyword or in their title
NOUN_SHARE = 0.5  # of its places, where nouns stand
LONGER = 0.6  # of its sources, from which on it is called by a longer phrase
MOST_READ = 60  # memories that are read for how a word is used, the first of them in time
CAPITAL_NOUNS = "de"


@dataclass
class _Use:
    """How a word is used: by phrase that it stands in, its sources and how it is written."""

    nouns: int = 0
    seen: int = 0
    sources: dict[tuple[str, ...], set[str]] = field(default_factory=lambda: defaultdict(set))
    written: dict[tuple[str, ...], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


@dataclass(frozen=True)
class Matter:
    """A matter: its name, all forms in which its word is written, and its memories."""

    anchor_id: str
    name: str
    forms: tuple[str, ...]
    memories: tuple[str, ...]
    is_relative: bool = False


def matters_of(
    rows: pl.DataFrame, keyed: Mapping[str, Collection[str]], barred: Collection[str] = frozenset()
) -> dict[str, Matter]:
    """Return the matters of the memories of a user by id.

    Args:
        rows: the memories: memory_id, source_id, said_at, text, anchors, counted; optionally language.
        keyed: by source the forms of the words of its keywords and of its title.
        barred: forms of words that are none: of names.
    """
    words = _words(rows.filter("counted"), headings().union(barred))
    found = {}
    for word, having in words.items():
        sources = having["source_id"].unique().to_list()
        named = sum(word in keyed.get(one, ()) for one in sources)
        if named < max(LEAST_KEYED, KEYED_SHARE * len(sources)) and word not in relatives():
            continue
        used = _use(word, having)
        if used.seen and (used.nouns >= NOUN_SHARE * used.seen or word in relatives()):
            matter = _matter(word, used, having)
            found[matter.anchor_id] = matter
    return found


def found_matters(rows: pl.DataFrame, sources: pl.DataFrame, known: pl.DataFrame | None) -> dict[str, Matter]:
    """Return the matters of sources (source_id, title, keywords); what bears a name is an entity and no matter."""
    keyed, titled = dict[str, frozenset[str]](), dict[str, frozenset[str]]()
    alike = defaultdict[str, list[str]](list)  # by title but for the date: minutes, of which the headings say more
    for source_id, title, keywords in sources.select("source_id", "title", "keywords").iter_rows():
        titled[source_id] = word_forms(content_words(title or ""))
        alike[undated(title or "")].append(source_id)
        keyed[source_id] = titled[source_id] | word_forms(word for one in keywords or () for word in content_words(one))
    rows = rows.filter("counted")
    series = [one for found in alike.values() if len(found) >= SERIES_SOURCES for one in found]
    above = headings_of(rows.filter(pl.col("source_id").is_in(series)), titled)
    for memory_id, source_id in rows.select("memory_id", "source_id").iter_rows():
        keyed[source_id] = keyed.get(source_id, frozenset()) | above.get(memory_id, frozenset())
    under = [
        [*anchors, *sorted(above.get(one, ()))] for one, anchors in rows.select("memory_id", "anchors").iter_rows()
    ]
    rows = rows.with_columns(pl.Series("anchors", under, dtype=pl.List(pl.String)))
    names = [] if known is None else [*known["name"], *known["aliases"].explode().drop_nulls()]
    barred = word_forms(word for name in names for word in content_words(name))
    return matters_of(rows, keyed, barred - relatives())


def group_matters(rows: pl.DataFrame, groups: Mapping[str, Group]) -> dict[str, Matter]:
    """Return the groups of chats as matters: all that is written in one is about it."""
    found = {}
    for key, group in groups.items():
        counted = rows.filter("counted", pl.col("source_id").is_in(sorted(group.sources)))
        found[key] = Matter(key, group.name, (group.name.casefold(),), tuple(counted["memory_id"]))
    return found


def _words(rows: pl.DataFrame, barred: Collection[str]) -> dict[str, pl.DataFrame]:
    """Return the memories of each word of enough sources and days, in the order in which they were said."""
    language = pl.col("language") if "language" in rows.columns else pl.lit(None, pl.String)
    each = (
        rows.select("memory_id", "source_id", "said_at", "text", language.alias("language"), word="anchors")
        .explode("word")
        .drop_nulls("word")
        .unique(["memory_id", "word"], maintain_order=True)
        .filter(~pl.col("word").str.starts_with(MARK), pl.col("word").str.len_chars() >= LEAST_LETTERS)
    )
    enough = (
        each.group_by("word")
        .agg(pl.col("source_id").n_unique(), days=pl.col("said_at").dt.date().n_unique())
        .filter(pl.col("source_id") >= LEAST_SOURCES, pl.col("days") >= LEAST_DAYS)
    )
    wanted = [word for word in enough["word"] if word not in barred and word not in _hollow() and word.isalpha()]
    kept = each.filter(pl.col("word").is_in(wanted)).sort("word", "said_at", "source_id", "memory_id")
    return {str(word): group for (word,), group in kept.group_by("word", maintain_order=True)}


def _use(word: str, having: pl.DataFrame) -> _Use:
    used = _Use()
    for source_id, text, language in having.head(MOST_READ).select("source_id", "text", "language").iter_rows():
        found = [one for one in phrases(without_context(text), language) if word in one[0]]
        found += [one for one in _headings(text, language) if one[0] == (word,)]
        capital = code_of(language) == CAPITAL_NOUNS and any(
            k == (word,) and form[:1].isupper() for k, form, _ in found
        )
        used.seen += bool(found)
        used.nouns += capital or any(noun for _, _, noun in found)
        for key, form, _ in found:
            used.sources[key].add(source_id)
            used.written[key][form] += 1
    return used


def _headings(text: str, language: str | None) -> Iterator[tuple[Key, str, bool]]:
    """Yield the phrases of the headings of a memory; the only word of one is a noun, in German one with a capital."""
    large = code_of(language) == CAPITAL_NOUNS
    for title in titles_added(text):
        found = list(phrases(title, language))
        alone = len(found) == 1
        yield from ((key, form, form[:1].isupper() if large else noun or alone) for key, form, noun in found)


def _matter(word: str, used: _Use, having: pl.DataFrame) -> Matter:
    """Return the matter of a word, called by the longest phrase without headings that LONGER of its sources have."""
    least = max(LEAST_KEYED, LONGER * len(used.sources[word,]))
    longer = [key for key, sources in used.sources.items() if len(sources) >= least and headings().isdisjoint(key)]
    best = max(longer, key=lambda key: (len(key), len(used.sources[key]), key), default=(word,))
    forms = used.written[word,]
    name = min(used.written[best], key=lambda form: (-used.written[best][form], form))
    return Matter(
        content_id(THEME, "matter", word),
        name[:1].upper() + name[1:],
        tuple(sorted({form.casefold() for form in forms})),
        tuple(having["memory_id"]),
        word in relatives(),
    )


@cache
def relatives() -> frozenset[str]:
    """Return the forms of the words by which one calls a relative: "Mum", "Papá", "Oma"."""
    return word_forms(LEXICONS.every_language(SUBJECT).listed(RELATIVES))


@cache
def _hollow() -> frozenset[str]:
    """Return the forms of words that say nothing alone, and of those that have a theme already."""
    general = LEXICONS.every_language(SUBJECT).listed(GENERAL)
    return word_forms({*vague_nouns(), *vague_words(), *empty_words(None), *general}) | theme_words()
