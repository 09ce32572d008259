"""The expressions of a sentence that name dates, in the words of its language."""

from collections.abc import Iterator

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.time_expressions import find_phrases
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase, phrases
from brain_pipelines.stages.extraction.memories.stated.days_in_figures import days_in_figures
from brain_pipelines.stages.extraction.memories.stated.days_of_month import days_of_month
from brain_pipelines.stages.extraction.memories.stated.feasts import feasts
from brain_pipelines.stages.extraction.memories.stated.first_days import first_days, with_month_behind
from brain_pipelines.stages.extraction.memories.stated.short_dates import with_arrows, with_short_dates
from brain_retrieval.language.lexicon import ENGLISH


def date_phrases(sentence: Sentence) -> list[Phrase]:
    """Return the date expressions of a sentence from left to right."""
    text, language = sentence.text, sentence.language or ENGLISH
    found = list(_english(text) if language == ENGLISH else phrases(text, language))
    found += [] if language == ENGLISH else first_days(text, language, found)
    found += days_in_figures(text, language, found, sentence.day_first)
    found = with_short_dates(found, text, language)
    found += days_of_month(text, language, found)
    found += feasts(text, language)
    return with_arrows(with_month_behind(sorted(found, key=lambda phrase: phrase.start), text), text)


def _english(text: str) -> Iterator[Phrase]:
    own = LEXICONS.read("stated_dates")
    from_words, until_words, appointed = own.words("from"), own.words("until"), own.words("appointed")
    for found in find_phrases(text):
        # "Subscribed to in May": only what has no marker of its own belongs to a word before it.
        before = text[max(0, found.start - 4) : found.start].casefold().split() if not found.marker else []
        marker = "to" if found.marker == "to" or before[-1:] == ["to"] else ""
        marker = "for" if {found.marker, *before[-1:]} & appointed else marker
        marker = "since" if found.marker == "since" else "from" if found.marker in from_words else marker
        marker = "until" if found.marker in until_words or found.marker in "-–—" and found.marker else marker
        yield Phrase(found.start, found.end, "after" if found.marker == "after" else marker, found.text)
