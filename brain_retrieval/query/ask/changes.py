"""Memories that state a change of what a question asks for, though they lack the words of how it was before.

"We play tennis with Ann on Tuesdays" is changed by "Tennis is Thursdays now", which has no word for playing.
"""

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT, PERSON, STATED
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.light_words import light_words
from brain_retrieval.query.ask.coverage import TITLE, Coverage, Wanted
from brain_retrieval.query.ask.filling import days_and_months

NO_CUE = "none"
LEAST_OF_IT = 0.5  # share of the question's words


def may_be_change(found: Coverage, facet: Facet, card: MemoryCard, wanted: Wanted, kind: str | None) -> bool:
    """Return whether a memory states a change of what a question asks for, provided that it has a filler of its kind.

    It has all names of the question, and half of its words. If it has none of what is asked of the names, it says
    nothing else of them, either: "Ann's dentist is on 6 May now" changes nothing of Ann's party.

    Args:
        found: what it has of the question.
        facet: the memory.
        card: the same.
        wanted: the words of the question.
        kind: of what is asked for.
    """
    if facet.cue == NO_CUE or (kind not in STATED and kind != PERSON):
        return False
    if card.modality != "asserted" or card.polarity != "affirmed" or not wanted.tells_topic:
        return False
    if found.share < LEAST_OF_IT or (found.names is not None and found.names < TITLE):
        return False
    if not wanted.is_named_in(facet.row["text"]):  # only a title or what a word stands for
        return False
    return bool(found.topic) or (kind != AMOUNT and not _others(facet, wanted))


def _others(facet: Facet, wanted: Wanted) -> frozenset[str]:
    """Return the words of a memory besides those of the question, those that fit anything, and days."""
    own = frozenset(content_words(facet.row["text"].removeprefix(f"{facet.row['speaker']}: ")))
    return own - wanted.weights.keys() - light_words() - days_and_months()
