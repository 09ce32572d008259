"""Key terms, content hash and team of single sources, looked up by source id. Grouping: `threads.py`."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.threads import Terms
from brain_pipelines.stages.enrichment.words import words_of
from brain_pipelines.stages.extraction.local.relations.empty_statements import HOLLOW
from brain_retrieval.ids import stable_hash
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain


def _calendar() -> set[str]:
    dates = SHARED.every_language("dates")
    return {word for key in ("months", "weekdays") for word in dates.listed(key)}


LEAST_LETTERS = 3
MOST_NAMED = 2  # key terms in the name of a storyline
SERIES_SHARE, SERIES_SOURCES = 0.5, 3  # of sources with one title but for its date, which are a series: minutes
_DATED = re.compile(rf"\d+|\b(?:{'|'.join(map(re.escape, sorted(_calendar())))})\b", re.IGNORECASE)
_HASHED = ("event_at", "title", "summary", "keywords")


def word_forms(words: Iterable[str]) -> Terms:
    """Return words in the form in which memories have theirs."""
    return frozenset(word_form(plain(word)) for word in words)


@cache
def unit_words() -> frozenset[str]:
    """Return the words of all languages for what is counted in, which is what nothing is about: "Euro", "min"."""
    return frozenset(SHARED.every_language("values").listed("units")) | LEXICONS.every_language("labels").words("units")


def undated(title: str) -> str:
    """Return a title without its numbers and its days and months by name.

    >>> undated("Minutes of 3 May 2026"), undated("Minutes of 7 June 2026")
    ('Minutes of', 'Minutes of')
    """
    return " ".join(_DATED.sub(" ", title).split())


def says_subject(phrase: str) -> bool:
    """Return whether a word or phrase may say what something is about: no two letters, no unit in front.

    >>> says_subject("donations"), says_subject("PT"), says_subject("euros of donations")
    (True, False, False)
    """
    return len(phrase) >= LEAST_LETTERS and phrase.split()[0].casefold() not in unit_words()


class Topics:
    """The sources of a snapshot. Key terms are the words of their keywords, which a reader can check.

    Embeddings are not used: a change of the embedding model would regroup all storylines.
    """

    def __init__(self, sources: pl.DataFrame, team: str | None = None, people: Iterable[str] = ()) -> None:
        self._keywords = dict(zip(sources["source_id"], sources["keywords"].to_list(), strict=True))
        self._terms: dict[str, Terms] = {}
        self._titles = dict(zip(sources["source_id"], sources["title"], strict=True))
        self._undated_titles: dict[str, str] = {}
        self._row = {source_id: n for n, source_id in enumerate(sources["source_id"])}
        columns = [name for name in (*_HASHED, "digest") if name in sources.columns]
        self._content = sources.select(columns).with_columns(pl.col("event_at").dt.epoch("us"))
        self._everyone = team
        self._people = self.words(people)
        self._teams: dict[str, str | None] = {}
        if "team" in sources.columns:
            self._teams = dict(zip(sources["source_id"], sources["team"], strict=True))

    def terms(self, source_id: str) -> Terms:
        """Return the words of a source's keywords."""
        if source_id not in self._terms:
            self._terms[source_id] = self.words(self._keywords.get(source_id) or ())
        return self._terms[source_id]

    @staticmethod
    def words(phrases: Iterable[str]) -> Terms:
        """Return the words of phrases in lower case."""
        return frozenset(word.key.removesuffix("'s") for phrase in phrases for word in words_of(phrase))

    def naming(self, names: Iterable[str], source_ids: Iterable[str]) -> dict[str, bool]:
        """Return for each source with keywords whether one of the names is among them."""
        wanted = [words for name in names if (words := self.words((name,)))]
        terms = {source_id: self.terms(source_id) for source_id in source_ids}
        return {source_id: any(words <= found for words in wanted) for source_id, found in terms.items() if found}

    def series(self, source_ids: Sequence[str]) -> Terms:
        """Return the words of the title that at least SERIES_SHARE of the sources share but for its date, else none."""
        titles = Counter(self._undated(one) for one in source_ids)
        title, count = min(titles.items(), key=lambda found: (-found[1], found[0]), default=("", 0))
        shared = count >= max(SERIES_SOURCES, SERIES_SHARE * len(source_ids))
        return self.words((title,)) if shared else frozenset()

    def in_series(self, source_ids: Sequence[str], own: Terms) -> bool:
        """Return whether SERIES_SHARE of the sources are of series, such as minutes, called without a word of `own`."""
        titles = (self._undated(one) for one in source_ids)
        found = [self.words((title,)) for title in titles if self._counts_of_titles[title] >= SERIES_SOURCES]
        return sum(bool(words) and words.isdisjoint(own) for words in found) >= SERIES_SHARE * len(source_ids)

    @cached_property
    def _counts_of_titles(self) -> Counter[str]:
        return Counter(map(self._undated, self._titles))

    def _undated(self, source_id: str) -> str:
        if source_id not in self._undated_titles:
            self._undated_titles[source_id] = undated(self._titles.get(source_id) or "")
        return self._undated_titles[source_id]

    def commonest(self, source_ids: Iterable[str], own: Terms, texts: Sequence[str] = ()) -> list[str]:
        """Return up to MOST_NAMED keywords shared by most sources (at least two), without words of `own` and of people.

        With texts a keyword must occur in one of them: the sources may have other subjects.
        """
        lower = [text.casefold() for text in texts]
        forms: dict[str, Counter[str]] = defaultdict(Counter)
        for source_id in source_ids:
            seen = {phrase.casefold(): phrase for phrase in reversed(self._keywords.get(source_id) or ())}
            for key, phrase in seen.items():
                forms[key][phrase] += 1
        shared = {key: counts for key, counts in forms.items() if counts.total() > 1}
        shared = {key: counts for key, counts in shared.items() if not lower or any(key in text for text in lower)}
        ranked = sorted(shared, key=lambda key: (-shared[key].total(), -len(key), key))
        chosen: list[str] = []
        taken = own
        for key in ranked:
            words = self.words((key,))
            usable = key not in HOLLOW and says_subject(key)
            if usable and words and not words & taken and not words & self._people:
                chosen.append(min(shared[key], key=lambda form: (-shared[key][form], form)))
                taken |= words
            if len(chosen) == MOST_NAMED:
                break
        return chosen

    @cached_property
    def forms_of_people(self) -> Terms:
        """Return the words of names of people, in the form of `word_form`."""
        return word_forms(self._people)

    def forms(self, source_id: str) -> Terms:
        """Return the words of a source's keywords, in the form of `word_form`."""
        return word_forms(self.terms(source_id))

    def digest(self, source_id: str) -> str:
        """Return a hash of the content of a source: event time, title, summary, keywords, text digest."""
        return stable_hash(self._content.row(self._row[source_id]))

    def team(self, source_ids: Sequence[str]) -> str | None:
        """Return the team that more than half of the sources belong to, None if there is none."""
        if not self._teams:
            return self._everyone
        counts = Counter(name for name in map(self._teams.get, source_ids) if name)
        return next((name for name, count in counts.items() if count * 2 > len(source_ids)), None)
