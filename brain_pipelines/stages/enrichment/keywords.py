"""Keyword extraction: names and noun phrases that a text repeats or is titled by, scored by C-value.

C-value (Frantzi, Ananiadou and Mima, 2000): log2(words + 1) · (frequency − mean frequency of the longer terms that
contain it), so that "component library" outranks "component" unless the latter also occurs alone.

There is no parser: a noun is known by the words around it (`lexicons/<language>/keywords.toml`), a name by its
capital inside a sentence. A term without such evidence, or too rare for the length of its text, is not given.
"""

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from brain_pipelines.stages.enrichment.lexicons import LEXICONS
from brain_pipelines.stages.enrichment.runs import Run, base_of, runs_of
from brain_pipelines.stages.enrichment.words import Word, vague_nouns, words_of
from brain_retrieval.language.lexicon import ENGLISH, code_of

MOST = 3  # of those further down the list fewer than four of five are right
SHORT = 60  # content words of a text in which a phrase need not be repeated
MAX_WORDS = 3
LONGEST_TITLE = 3  # characters of "Dr."
LONGEST_ROOT = 4  # letters of a noun such as "seed"
Term = tuple[str, ...]


@dataclass
class _Counts:
    """How often each term occurs as a name and as a noun phrase, and where first; `firm` ones need no second place."""

    names: Counter[Term] = field(default_factory=Counter)
    nouns: Counter[Term] = field(default_factory=Counter)
    first: dict[Term, int] = field(default_factory=dict)
    firm: set[Term] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Least:
    """How often a term must occur in a text of some length: a name, a phrase, a single noun."""

    name: int
    phrase: int
    noun: int


def keywords_of(
    text: str,
    words: Sequence[Word],
    *,
    title: str = "",
    language: str | None = None,
    people: Collection[str] = (),
    own: bool = True,
    only_titled: bool = False,
) -> list[str]:
    """Return up to MOST terms, best first; none where no term is likely to be right.

    In a language without a list of the words around nouns there are none.

    Args:
        text: the text that the offsets of `words` count in.
        words: its words, or those of a part of it.
        title: a term in it need not be repeated.
        language: ISO 639-1, chooses the stop words and the words around nouns.
        people: names of speakers, which are kept elsewhere and are no terms.
        own: whether it is a note or talk of the owner, who is short: one mention of a noun says what it is about.
        only_titled: give terms of the title alone: signatures and notices of mails repeat words as well.
    """
    if language and not LEXICONS.has("keywords", language):
        return []
    runs = list(runs_of(text, words, language))
    found = _counted(text, runs, language)
    names, first = found.names, found.first
    shown: dict[str, Counter[str]] = defaultdict(Counter)
    for word in (word for run in runs for word in run.words):
        shown[base_of(word)][word.surface] += 1
    in_title = {base_of(word) for word in words_of(title)}
    speaking = {base_of(word) for name in people for word in words_of(name)}
    counts = names + found.nouns
    length = sum(len(run.words) for run in runs)
    least = _least_for(length)
    scores = _scores(counts)
    kept = {}
    for term, score in scores.items():
        titled = set(term) <= in_title
        wanted = least.name if names[term] * 2 > counts[term] else least.phrase if len(term) > 1 else least.noun
        if only_titled and not titled or counts[term] + titled * (least.noun - 1) < wanted or set(term) <= speaking:
            continue
        if counts[term] == 1 and not names[term] and not ((titled or own) and term in found.firm):
            continue
        if all(key in vague_nouns() for key in term):
            continue
        # Of single nouns in other languages every second was wrong: only names that are said often are given.
        lone = len(term) == 1 and not titled and code_of(language) != ENGLISH
        if lone and (not names[term] or counts[term] < least.noun):
            continue
        named = names[term] > 0
        kept[term] = score * (1 + titled) * (1 + 0.5 * named) * (1 + 0.3 * (1 - first[term] / max(1, len(text))))
    ranked = sorted(kept, key=lambda t: (-kept[t], first[t], t))
    return [" ".join(_surface(key, shown[key], names[term] > 0) for key in term) for term in _apart(ranked)]


def _least_for(length: int) -> _Least:
    """Return the counts for a text of `length` content words."""
    if length < SHORT:
        return _Least(name=1, phrase=1, noun=1)
    if length < 120:
        return _Least(name=1, phrase=1, noun=2)
    if length < 600:
        return _Least(name=2, phrase=2, noun=3)
    return _Least(name=3, phrase=3, noun=5)


def _counted(text: str, runs: Sequence[Run], language: str | None) -> _Counts:
    openers, objects, joints = _around_nouns(language)
    counts = _Counts()
    certain = {base_of(word) for run in runs for word in run.words if _is_written_as_name(text, word)}
    for run in runs:
        if _is_cut(run, joints):
            continue
        names = list(_names_in(run, certain))
        counts.names.update(names)
        tails = _tails(run) if run.before in openers and run.after not in objects else []
        counts.nouns.update(tail for tail in tails if tail not in names)
        counts.firm.update(tail for tail in tails if _is_firm(run, tail, certain, language))
        for term in (*names, *tails):
            counts.first.setdefault(term, run.words[0].start)
    return counts


def _is_cut(run: Run, joints: frozenset[str]) -> bool:
    """Return whether only a part of a longer name would be found: "National Association of …"."""
    capitals = [word.surface[:1].isupper() for word in run.words]
    return capitals[-1] and run.after in joints or all(capitals) and len(capitals) > MAX_WORDS


def _is_firm(run: Run, tail: Term, certain: set[str], language: str | None) -> bool:
    """Return whether a phrase is one without having been seen twice: its end is a name, or in English a noun."""
    if tail[-1] in certain:
        return not _has_verb(run.words[-len(tail) :])
    plural = any(key.endswith("s") and not key.endswith("ss") for key in tail[:-1])  # "tests fail"
    third_person = tail[-1].endswith("s") and bool(run.after)  # "the library ships in"
    return (language or ENGLISH) == ENGLISH and not plural and not third_person


def _has_verb(words: Sequence[Word]) -> bool:
    """Return whether a word in small letters follows one with a capital: "Ann reads"."""
    return any(a.surface[:1].isupper() and b.surface.islower() for a, b in pairwise(words))


def _around_nouns(language: str | None) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the words before nouns, those after verbs, and those inside names: "National Association of …"."""
    lexicon = LEXICONS.read("keywords", language or ENGLISH)
    return lexicon.words("openers"), lexicon.words("objects"), lexicon.words("joints")


def _is_written_as_name(text: str, word: Word) -> bool:
    """Return whether a word has a capital that its place does not explain."""
    if not word.surface[:1].isupper():
        return False
    inner = any(c.isupper() for c in word.surface[1:])
    before = text[max(0, word.start - 5) : word.start].rstrip(" #*>-\"'“‘(_[|")
    title = before.endswith(".") and len(before.split()[-1]) <= LONGEST_TITLE and before.split()[-1][0].isupper()
    return inner or title or not (not before or before[-1] in ".!?\n:…|")


def _names_in(run: Run, certain: set[str]) -> Iterator[Term]:
    """Yield the sequences of up to MAX_WORDS capitalised words with one that is surely a name; none of longer ones."""
    group: list[Word] = []
    for word in (*run.words, None):
        if word is not None and word.surface[:1].isupper():
            group.append(word)
            continue
        if group and len(group) <= MAX_WORDS and any(base_of(one) in certain for one in group):
            start = 0 if base_of(group[0]) in certain or len(group) == 1 else 1
            if len(group) - start == 1 and _is_participle(group[-1].key):
                group = []
                continue
            yield tuple(base_of(one) for one in group[start:])
        group = []


def _is_participle(key: str) -> bool:
    return len(key) > LONGEST_ROOT and key.endswith("ed")


def _tails(run: Run) -> list[Term]:
    """Return the last words of a run, without one that ends like a participle."""
    keys = [base_of(word) for word in run.words]
    if run.words[-1].surface.islower() and _is_participle(keys[-1]):
        return []
    if len(keys) > 1 and keys[-2].endswith("ed") and len(keys) > MAX_WORDS - 1:
        return [(keys[-1],)]
    tails = [tuple(keys[-size:]) for size in range(1, min(MAX_WORDS, len(keys)) + 1)]
    return [tail for tail in tails if not any(key.endswith("ed") for key in tail[1:-1])]


def _scores(counts: Counter[Term]) -> dict[Term, float]:
    inside: dict[Term, list[int]] = defaultdict(list)
    for term, count in counts.items():
        for size in range(1, len(term)):
            for at in range(len(term) - size + 1):
                inside[term[at : at + size]].append(count)
    scores = {}
    for term, count in counts.items():
        longer = inside.get(term)
        alone = count - (sum(longer) / len(longer) if longer else 0.0)
        scores[term] = math.log2(len(term) + 1) * alone + 0.1 * math.log2(1 + count)
    return scores


def _surface(key: str, forms: Counter[str], named: bool) -> str:
    """Return the commonest form of a word; in a name one with a capital."""
    if not forms:
        return key
    capital = Counter({form: count for form, count in forms.items() if form[:1].isupper()})
    forms = capital if named and capital else forms
    return max(forms, key=lambda f: (forms[f], f)).removesuffix("'s").removesuffix("’s")


def _stem(key: str) -> str:
    """Return a word without its accents and the ending of a plural."""
    plain = "".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c))
    return plain.removesuffix("s").removesuffix("en")


def _apart(ranked: Sequence[Term]) -> list[Term]:
    """Return the MOST best terms of which none holds another, nor differs from it by a plural alone."""
    chosen: list[Term] = []
    taken: set[str] = set()
    for term in ranked:
        stems = {_stem(key) for key in term}
        pairs = {f"{a} {b}" for a, b in pairwise(_stem(key) for key in term)}
        if stems & taken and (len(term) == 1 or stems <= taken or pairs & taken):
            continue
        chosen.append(term)
        taken |= stems | pairs
        if len(chosen) == MOST:
            break
    return chosen
