"""What a habit is called, in the language of its sentences: "Choir practice, on Thursdays"."""

from collections import Counter
from collections.abc import Sequence

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.habits.rhythms import MONTH_WEEKDAY, WEEKLY, Rhythm
from brain_pipelines.knowledge.memory.habits.written import SUBJECT, hollow_forms
from brain_pipelines.knowledge.memory.stories.phrases import phrases
from brain_pipelines.stages.enrichment.words import words_of
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import plain

LONGER = 0.6  # of its sentences, from which on a word is called by a longer phrase


def rhythm_words(rhythm: Rhythm, language: str) -> str:
    """Return a rhythm in words.

    >>> rhythm_words(Rhythm("weekly", 1), "de"), rhythm_words(Rhythm("month_weekday", 6, 1), "it")
    ('dienstags', 'la prima domenica del mese')
    """
    lexicon = LEXICONS.read(SUBJECT, language if LEXICONS.has(SUBJECT, language) else ENGLISH)
    if rhythm.kind == WEEKLY:
        return lexicon.listed("weekly")[rhythm.weekday]
    if rhythm.kind != MONTH_WEEKDAY:
        return lexicon.listed(rhythm.kind)[0]
    weekday = lexicon.listed("weekdays")[rhythm.weekday]
    forms = "nth_feminine" if weekday in lexicon.words("feminine") else "nth"
    return lexicon.listed(forms)[rhythm.nth - 1].format(weekday)


def name_of(word: str, sentences: Sequence[tuple[str, str | None]]) -> tuple[str, set[str]]:
    """Return how a word is written, within the longest phrase that most of its sentences have, and the phrase's words.

    Args:
        word: in its common form.
        sentences: that have it, each with its language.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    written: dict[tuple[str, ...], Counter[str]] = {}
    for text, language in sentences:
        empty = hollow_forms(language)
        own = {key: form for key, form, _ in phrases(text, language) if word in key and not empty & set(key)}
        seen.update(own.keys())
        for key, form in own.items():
            written.setdefault(key, Counter())[form] += 1
    enough = [key for key, count in seen.items() if count >= LONGER * len(sentences)]
    if not enough:
        return _alone(word, sentences), {word}
    best = max(enough, key=lambda key: (len(key), seen[key], key))
    forms = written[best]
    return min(forms, key=lambda form: (-forms[form], form)), set(best)


def _alone(word: str, sentences: Sequence[tuple[str, str | None]]) -> str:
    """Return how a word is written most often."""
    forms = Counter(w.surface for text, _ in sentences for w in words_of(text) if word_form(plain(w.key)) == word)
    return min(forms, key=lambda form: (-forms[form], form), default=word)
