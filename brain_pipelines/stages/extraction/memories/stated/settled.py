"""What a sentence settles about a day: that it is agreed on, that one takes part on it, or that another replaced it."""

from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.tense_words import before_now, enrolling, settling
from brain_pipelines.stages.extraction.memories.stated.tenses import part_of
from brain_retrieval.language.lexicon import ENGLISH
from brain_retrieval.language.plain import lowered


def is_settled(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date is what has been settled or turned down: "agreed 11 July", "13. Juni abgelehnt"."""
    start, end = part_of(sentence.text, phrase)
    return settling(sentence.language or ENGLISH).search(lowered(sentence.text), start, end) is not None


def is_of_enrolment(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date is of what one has signed up for: "I've signed up for the race on 19 October"."""
    start, end = part_of(sentence.text, phrase)
    return enrolling(sentence.language or ENGLISH).search(lowered(sentence.text), start, end) is not None


def was_meant(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a day is one that another has replaced, which may be to come: "now 22 May, was 9 April"."""
    return before_now(sentence.language or ENGLISH).search(lowered(sentence.text)[: phrase.start]) is not None
