"""The signals of a sentence: what its words state about time, values, change, certainty and one attribute."""

from brain_pipelines.stages.extraction.memories.clauses import is_former
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_pipelines.stages.extraction.memories.stated.anchors import read_anchors
from brain_pipelines.stages.extraction.memories.stated.asking import asks, supposes
from brain_pipelines.stages.extraction.memories.stated.cues import NONE, WEAK, is_steady, read_cue
from brain_pipelines.stages.extraction.memories.stated.lengths import end_of_length
from brain_pipelines.stages.extraction.memories.stated.slots import read_slot
from brain_pipelines.stages.extraction.memories.stated.stated_dates import (
    before,
    begins_of_late,
    dated,
    stated,
    validity,
)
from brain_pipelines.stages.extraction.memories.stated.values import read_values
from brain_retrieval.knowledge.memories.compared.weekdays import weekdays_of
from brain_retrieval.language.stance import modality_of, polarity_of

NEGATED = "negated"


def read_signals(sentence: Sentence) -> Signals:
    """Return what the words of a sentence, or of a clause, state; a language without lexicons is read as English.

    The subject of the slot may be a pronoun ("she"), which the rewriting resolves.
    """
    found = dated(sentence)
    dates = stated(found)
    cue = read_cue(sentence, recurs=not dates and bool(weekdays_of(sentence.text)))
    values = read_values(sentence, dates)
    begins, ends = validity(found, sentence, change=cue)
    polarity = polarity_of(sentence.text, sentence.language)
    if ends is None:
        ends = end_of_length(sentence, begins, changes=cue != NONE or polarity == NEGATED)
    if cue == NONE and begins_of_late(found, sentence) and not is_steady(sentence):
        cue = WEAK
    if is_former(sentence):  # "used to …", beside a clause that says what is now
        ends = sentence.said_on if ends is None else before(ends, sentence.said_on)
    return Signals(
        modality=_modality(sentence),
        polarity=polarity,
        cue=cue,
        dates=dates,
        values=values,
        effective_from=begins,
        valid_to=ends,
        slot=read_slot(sentence),
        anchors=read_anchors(sentence, dates, values),
    )


def _modality(sentence: Sentence) -> str:
    """Return the modality; what is taken from another writer is reported, not asserted."""
    if asks(sentence):
        return "question"
    found = modality_of(sentence.text, sentence.language)
    if found == "asserted" and supposes(sentence):
        return "possible"
    return "reported" if sentence.quoted and found == "asserted" else found
