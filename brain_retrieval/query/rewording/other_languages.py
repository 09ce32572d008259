"""A question in other words, those of the languages in which the user writes, for one that finds nothing in its own.

The embedding model knows English best, and the search by words knows no translation at all: "how much is the rent"
finds no "Miete". The words are those of `topics.toml`; of several the one is taken that the memories have, so that the
question is put in the words of its user. What the list does not know stays as it is, as names and numbers do.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.knowledge.memories.postings import Postings
from brain_retrieval.language.asking import said_in_asking
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.lexicon import SHARED, code_of
from brain_retrieval.language.light_words import light_words
from brain_retrieval.language.plain import plain
from brain_retrieval.language.self_description import SUBJECT as ONESELF
from brain_retrieval.language.self_description import asks_of_oneself
from brain_retrieval.language.stop_words import function_words, question_words
from brain_retrieval.language.topics import SUBJECT, topics_in, words_of
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.query.rewording.compounds import parts_of_compounds
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_cache import LakeCache

WEAK = 0.3  # probability of the best passage, below which a question is asked in other words
MOST = 2  # other languages that are tried
LEAST_SHARE = 0.1  # of the sources that are in a language
LEAST_PART = 5  # letters of a word that a compound begins with
_ASKED = {"person": "who", "time": "when", "place": "where", "number": "how_many", "reason": "why"}
_WHAT = "what"


def languages_of(space: Space, catalog: Catalog) -> tuple[str, ...]:
    """Return the languages of at least LEAST_SHARE of the sources of which it is known, the commonest first.

    Raises:
        StoreError: if the lake cannot be read.
    """
    return _LANGUAGES.of(space, catalog)


def _common(rows: pl.DataFrame) -> tuple[str, ...]:
    known = [code_of(language) for language in rows["language"].drop_nulls()]
    counts = Counter(known)
    common = sorted(counts, key=lambda code: (-counts[code], code))
    return tuple(code for code in common if counts[code] >= LEAST_SHARE * len(known))


_LANGUAGES = LakeCache("text", _common, most_rows=5_000_000, columns=["language"])


def in_other_languages(question: Question, languages: Iterable[str], known: Postings) -> Iterator[tuple[str, str]]:
    """Yield the question in other words, as pairs of a language and a text: of its own, then of others of its user.

    Nothing is yielded for a language of which there is no list of words, nor where none of the question's is in it; of
    its own language only words that no memory has are replaced, and compounds that none has are parted.

    Args:
        question: in its own words.
        languages: of the user's sources, the commonest first.
        known: the words of the user's memories.
    """
    own = question.language
    if own is None or not SHARED.has(SUBJECT, own):
        return
    others = [one for one in languages if one != own and SHARED.has(SUBJECT, one)]
    for language in (own, *others[:MOST]):
        text = _in_words_of(question, language, known)
        if text is not None:
            yield language, text


def as_asked(other: Question, question: Question) -> Question:
    """Return a question in other words with what was read in the question itself: what it asks for, and of when."""
    return replace(
        other,
        intent=question.intent,
        wants=question.wants,
        time=question.time,
        dates=question.dates,
        asks_then=question.asks_then,
        lists=question.lists,
        yes_no=question.yes_no,
        sources=question.sources,
        buckets=question.buckets,
        strategy=question.strategy,
        warnings=question.warnings,
        asked=question,
    )


def _in_words_of(question: Question, language: str, known: Postings) -> str | None:
    text, own = question.text, question.language or ""
    named = [(name.start, name.end) for name in question.names]
    topics = [one for one in topics_in(text, own) if not any(one[0] < end and start < one[1] for start, end in named)]
    if language == own:
        return _in_known_words(text, topics, own, known)
    if not topics:
        return None
    stop = function_words(own) | question_words(own) | said_in_asking(own)
    parts: list[tuple[int, str]] = [(start, _chosen(keys, language, known)) for start, _, keys in topics]
    parts += [(start, text[start:end]) for start, end in named]
    taken = [(start, end) for start, end, _ in topics] + named
    for match in WORD.finditer(text):
        is_free = not any(start < match.end() and match.start() < end for start, end in taken)
        if is_free and _says_something(match.group(), stop):
            parts.append((match.start(), match.group()))
    before = [_first("questions", _ASKED.get(question.wants, _WHAT), language)]
    if asks_of_oneself(text, own):
        before.append(_first(ONESELF, "oneself", language))
    return " ".join((*before, *(part for _, part in sorted(parts)))) + "?"


def _in_known_words(
    text: str, topics: Iterable[tuple[int, int, tuple[str, ...]]], language: str, known: Postings
) -> str | None:
    """Return a question with words that memories have for those that none has: a note has "salary", and not "earn".

    A compound that none has is parted, if they have both of its parts ("Autoversicherung"). None if there is nothing to
    replace, or a word for which there is no other.
    """
    found = list[tuple[int, int, str]]()
    for start, end, keys in topics:
        if not _is_missing(text[start:end], known):
            continue
        word = max(words_of(keys, language), key=lambda one: _rows(one, known))
        if _rows(word, known):
            found.append((start, end, word))
        elif _is_unknown(text[start:end], known):
            return None
    found += parts_of_compounds(
        text, [(start, end) for start, end, _ in topics], language, lambda one: _rows(one, known)
    )
    parts, place = list[str](), 0
    for start, end, word in sorted(found):
        parts += [text[place:start], word]
        place = end
    return "".join((*parts, text[place:])) if parts else None


def better_answer(
    found: SearchResult, others: Iterable[Question], answer: Callable[[Question], SearchResult]
) -> SearchResult:
    """Return what is found for a question, or for it in other words if that is more likely an answer.

    Args:
        found: for the question in its own words.
        others: the question in other words, asked one after the other as long as nothing likely is found.
        answer: returns what is found for one of them.
    """
    best = found
    if _likelihood(best) >= WEAK:
        return best
    for other in others:
        best = max((best, with_its_words(answer(other))), key=_likelihood)
        if _likelihood(best) >= WEAK:
            break
    return best


def _likelihood(found: SearchResult) -> float:
    return max((hit.score for hit in found), default=0.0)


def with_its_words(found: SearchResult) -> SearchResult:
    """Return a result in the words of another language without the passages that have none of these words.

    How alike two texts are says little about a text in a language that the model hardly knows.
    """
    asked = found.question
    words = set(content_words(asked.text, asked.language) if asked else ()) - light_words()
    found[:] = [hit for hit in found if _has_one(words, f"{hit.source_ref.title or ''}\n{hit.text}")]
    return found


def _has_one(words: Iterable[str], text: str) -> bool:
    own = content_words(text)
    return any(similarity(word, other) for word in words for other in own)


def _says_something(word: str, stop: Collection[str]) -> bool:
    """Return whether a word that is in no list is worth looking for in another language: "go" is not, "888" is."""
    if word.isdigit():
        return True
    return len(word) > 1 and word.lower() not in stop and word_form(plain(word)) not in light_words()


def _chosen(keys: tuple[str, ...], language: str, known: Postings) -> str:
    """Return the word for a topic that most memories have, else a compound with it, else the usual word."""
    words = words_of(keys, language)
    rows = {word: _rows(word, known) for word in words}
    best = max(words, key=lambda word: rows[word])  # of equally common ones the first
    if rows[best]:
        return best
    forms = {word_form(plain(word)) for word in words if " " not in word}
    longer = (one for form in forms if len(form) >= LEAST_PART for one in known.near([form], len(form)))
    compounds = sorted(one for one in longer if any(one.startswith(form) and one.isalpha() for form in forms))
    return max(compounds, key=lambda one: len(known.having(one)), default=words[0])


def _is_missing(said: str, known: Postings) -> bool:
    """Return whether no memory has what a question says, nor a compound with it: "Zahnärztin", where "Zahnarzt" is."""

    def has(form: str) -> bool:
        if len(known.having(form)) or len(known.having(TITLED + form)):
            return True
        return any(len(one) > len(form) for one in known.near([form], len(form)))

    return not all(map(has, content_words(said)))


def _is_unknown(said: str, known: Postings) -> bool:
    """Return whether no memory has what a question says, nor a compound with it."""
    forms = content_words(said)
    return any(not (_rows(form, known) or known.near([form], min(len(form), LEAST_PART))) for form in forms)


def _rows(word: str, known: Postings) -> int:
    """Return how many memories have the rarest of the words of a phrase, in their title at least."""
    forms = content_words(word)
    return min((len(known.having(form)) or len(known.having(TITLED + form)) for form in forms), default=0)


def _first(subject: str, key: str, language: str) -> str:
    words = SHARED.read(subject, language).listed(key) if SHARED.has(subject, language) else ()
    return words[0] if words else ""
